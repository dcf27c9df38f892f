package rightsize_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mapLoops are the loops over maps in library code, "file function: expression", each with the reason why the order of the map cannot be seen
// in a result. A loop that is not here is a fault; so is an entry whose loop is gone.
var mapLoops = map[string]string{
	"risk/pods.go zones: c.in.NodeZones":                     "sets the same number for each zone; the zones are sorted before they are counted out",
	"usage/checkpoint.go FromVPACheckpoint: c.BucketWeights": "a sum of whole numbers that cannot overflow, one error text for all, and one bucket for each key",
	"recommend/workload.go Workload: holds":                  "or over booleans, one for each flag",
	"metrics/requests.go podLevel: r.Requests":               "is there one at all",
	"metrics/requests.go podLevel: r.Limits":                 "is there one at all",
	"hpacouple/check.go readOptions: o.Steps":                "one step for each resource; Plan sorts its errors",
	"hpacouple/check.go checkRecommendations: list.amounts":  "Plan sorts its errors",
	"hpacouple/templatebody.go unowned: live":                "is there one at all",
	"hpacouple/zz_generated.deepcopy.go":                     "copies key by key",
}

// mapKeys are the functions of package maps that give a map's content in the map's order; slices.Sorted and the like put it in order.
var mapKeys = []string{"All", "Keys", "Values"}

// TestNoMapOrderInResults: equal inputs give equal results, so no loop of the library runs in the order of a map, but where the list says why
// it may.
func TestNoMapOrderInResults(t *testing.T) {
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", exports(t))
	seen := map[string]bool{}
	for pkg := range ladder {
		paths, err := filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*.go"))
		require.NoError(t, err)
		var files []*ast.File
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, path, nil, 0)
			require.NoError(t, err)
			files = append(files, f)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		_, err = (&types.Config{Importer: imports}).Check(module+pkg, fset, files, info)
		require.NoError(t, err, pkg)
		for _, f := range files {
			name := filepath.ToSlash(fset.Position(f.Pos()).Filename)
			for _, decl := range f.Decls {
				in := name
				if d, ok := decl.(*ast.FuncDecl); ok {
					in += " " + d.Name.Name
				}
				var around []ast.Node
				ast.Inspect(decl, func(n ast.Node) bool {
					if n == nil {
						around = around[:len(around)-1]
						return true
					}
					if x := inMapOrder(info, n, around); x != nil {
						var text bytes.Buffer
						require.NoError(t, printer.Fprint(&text, fset, x))
						loop := in + ": " + text.String()
						seen[loop] = true
						if mapLoops[loop] == "" && mapLoops[name] == "" {
							t.Errorf("%s: the order of a map: %s", fset.Position(n.Pos()), loop)
						}
						if mapLoops[name] != "" {
							seen[name] = true
						}
					}
					around = append(around, n)
					return true
				})
			}
		}
	}
	for loop := range mapLoops {
		require.True(t, seen[loop], "the loop is gone: %s", loop)
	}
}

// inMapOrder returns the expression that a node runs over in the order of a map: a range over a map, or maps.Keys and its like outside a call
// that sorts.
func inMapOrder(info *types.Info, n ast.Node, around []ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if _, is := info.Types[n.X].Type.Underlying().(*types.Map); is {
			return n.X
		}
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || !isPackage(sel.X, "maps") || !slices.Contains(mapKeys, sel.Sel.Name) {
			return nil
		}
		if outer, ok := around[len(around)-1].(*ast.CallExpr); ok {
			if sorts, ok := outer.Fun.(*ast.SelectorExpr); ok && isPackage(sorts.X, "slices") && strings.HasPrefix(sorts.Sel.Name, "Sorted") {
				return nil
			}
		}
		return n
	}
	return nil
}

func isPackage(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name && id.Obj == nil
}

// exports finds the compiled form of every package that the library imports.
func exports(t *testing.T) importer.Lookup {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("the go command is not there")
	}
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}")
	for pkg := range ladder {
		list.Args = append(list.Args, "./"+pkg)
	}
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	files := map[string]string{}
	for _, line := range strings.Split(string(out), "\n") {
		if path, file, ok := strings.Cut(line, " "); ok && file != "" {
			files[path] = file
		}
	}
	return func(path string) (io.ReadCloser, error) {
		if file, ok := files[path]; ok {
			return os.Open(file)
		}
		return nil, errors.New("not compiled: " + path)
	}
}
