package rightsize_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/kube-rightsize/rightsize/"

// ladder lists the library's packages with what each may import of this module; the rest of its imports must be the standard library,
// k8s.io/api or k8s.io/apimachinery. A package that is not here is not part of the library.
var ladder = map[string][]string{
	"skipreason":        {},
	"internal/exact":    {},
	"internal/fieldsv1": {},
	"metrics":           {"internal/exact"},
	"bounds":            {"internal/exact", "skipreason"},
	"risk":              {"metrics", "skipreason", "internal/exact"},
	"replicas":          {"internal/exact", "metrics"},
	"usage":             {},
	"recommend":         {"usage", "internal/exact", "skipreason"},
	"hpacouple":         {"skipreason", "internal/exact", "internal/fieldsv1", "metrics", "bounds", "risk", "usage", "recommend"},
	"rightsizetest":     {"skipreason", "metrics", "bounds", "usage", "recommend", "replicas", "hpacouple"},
}

// kit is the package that importers use in their tests; it may import what tests import.
const kit = "rightsizetest"

var testModules = []string{"pgregory.net/rapid", "github.com/stretchr/testify"}

// programs are packages of the main module that are not library code.
var programs = []string{"examples/", "internal/manifest", "internal/usagefile", "internal/program", "internal/ledger"}

// importsNothing are packages without any import at all.
var importsNothing = []string{"skipreason"}

// floats says in which files of the decision path a float may appear, and why.
var floats = map[string]string{
	"internal/exact/quantity.go": "a coarse range check before exact arithmetic",
	"bounds/reach.go":            "the scale-out trigger compares as the controller does",
	"hpacouple/fit.go":           "the HPA's tolerance, for the trigger",
	"hpacouple/body.go":          "a coarse range check of others' amounts before their text is made",
}

type sourceFile struct {
	path, pkg string
	file      *ast.File
}

// sources parses every Go file of the main module; nested modules are left out.
func sources(t *testing.T) (files []sourceFile) {
	t.Helper()
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); path != "." && (err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, sourceFile{path: filepath.ToSlash(path), pkg: filepath.ToSlash(filepath.Dir(path)), file: f})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func isTest(f sourceFile) bool { return strings.HasSuffix(f.path, "_test.go") }

func isProgram(f sourceFile) bool {
	return slices.ContainsFunc(programs, func(p string) bool { return strings.HasPrefix(f.pkg+"/", strings.TrimSuffix(p, "/")+"/") })
}

func TestImportsGoDownTheLadder(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range sources(t) {
		if isTest(f) || isProgram(f) || f.pkg == "." {
			continue
		}
		allowed, ok := ladder[f.pkg]
		require.True(t, ok, "%s: package %s is not in the ladder", f.path, f.pkg)
		seen[f.pkg] = true
		for _, spec := range f.file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			require.NotContains(t, importsNothing, f.pkg, "%s imports %s", f.path, path)
			if ours, is := strings.CutPrefix(path, module); is {
				require.Contains(t, allowed, ours, "%s imports upwards", f.path)
				continue
			}
			standard := !strings.Contains(strings.Split(path, "/")[0], ".")
			kubernetes := strings.HasPrefix(path, "k8s.io/api/") || strings.HasPrefix(path, "k8s.io/apimachinery/")
			tested := f.pkg == kit && slices.ContainsFunc(testModules, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
			require.True(t, standard || kubernetes || tested, "%s imports %s", f.path, path)
		}
	}
	for pkg := range ladder {
		require.True(t, seen[pkg], "package %s is gone", pkg)
	}
}

// impure are the standard packages that reach out of a pure function.
var impure = []string{"os", "os/exec", "io", "net", "net/http", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand", "context", "sync", "sync/atomic", "runtime", "syscall", "unsafe", "reflect", "bufio", "flag"}

// lookedAt says in which files an import of the list above is no way out, and why.
var lookedAt = map[string]string{
	"hpacouple/log.go log/slog": "LogValue returns what a caller's logger prints; it writes nothing and knows no logger",
}

func TestLibraryIsPure(t *testing.T) {
	for _, f := range sources(t) {
		if isTest(f) || isProgram(f) {
			continue
		}
		for _, spec := range f.file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if _, ok := lookedAt[f.path+" "+path]; !ok {
				require.NotContains(t, impure, path, f.path)
			}
		}
		vars := map[string]bool{}
		for _, decl := range f.file.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					vars[name.Name] = true
					sentinel := strings.HasPrefix(name.Name, "Err") // errors that callers compare with
					require.True(t, !name.IsExported() || sentinel, "%s: a caller could set %s", f.path, name.Name)
				}
			}
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine", f.path)
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if id, ok := left.(*ast.Ident); ok && n.Tok == token.ASSIGN && vars[id.Name] && id.Obj != nil && id.Obj.Kind == ast.Var {
						if _, global := id.Obj.Decl.(*ast.ValueSpec); global && f.file.Scope.Lookup(id.Name) == id.Obj {
							t.Errorf("%s writes to package variable %s", f.path, id.Name)
						}
					}
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
					t.Errorf("%s panics", f.path)
				}
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
					if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After"}, sel.Sel.Name) {
						t.Errorf("%s reads the clock", f.path)
					}
				}
			}
			return true
		})
	}
}

func TestFloatsStayOffTheDecisionPath(t *testing.T) {
	decides := []string{"internal/exact", "metrics", "bounds", "hpacouple"}
	for _, f := range sources(t) {
		if isTest(f) || !slices.Contains(decides, f.pkg) {
			continue
		}
		uses := false
		ast.Inspect(f.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				uses = uses || n.Name == "float64" || n.Name == "float32" || n.Name == "AsApproximateFloat64" || n.Name == "AsFloat64Slow"
			case *ast.BasicLit:
				uses = uses || n.Kind == token.FLOAT
			}
			return true
		})
		_, allowed := floats[f.path]
		require.Equal(t, allowed, uses, "%s: floats are allowed only where the list says why, and the list holds nothing else", f.path)
	}
}

func TestFilesStaySmall(t *testing.T) {
	for _, f := range sources(t) {
		if strings.HasPrefix(filepath.Base(f.path), "zz_generated") {
			continue
		}
		text, err := os.ReadFile(f.path)
		require.NoError(t, err)
		most := 400
		if isTest(f) {
			most = 500 // tables are long
		}
		require.LessOrEqual(t, strings.Count(string(text), "\n"), most, "%s has more than one subject", f.path)
		base := filepath.Base(f.path)
		for _, word := range []string{"util", "helper", "common", "manager"} {
			require.NotContains(t, base, word, f.path)
			require.NotContains(t, f.pkg, word, f.path)
		}
	}
}

// Every exported name of the library has a comment.
func TestExportedNamesAreExplained(t *testing.T) {
	for _, f := range sources(t) {
		if isTest(f) || isProgram(f) {
			continue
		}
		for _, decl := range f.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && !slices.Contains([]string{"Error"}, d.Name.Name) {
					t.Errorf("%s: %s has no comment", f.path, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
						t.Errorf("%s: %s has no comment", f.path, s.Name.Name)
					}
				}
			}
		}
	}
}
