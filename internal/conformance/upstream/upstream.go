// Package upstream reads the source text of the modules that the differential tests run, so that a test which reaches an
// unexported function by go:linkname can check that both sides still agree on its signature. The linker does not.
package upstream

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Dir returns the directory that holds the source of a module of this module's build.
func Dir(module string) (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// ModuleSignature is Signature for a file that is named relative to the root of a module.
func ModuleSignature(module, file, function string) (string, error) {
	dir, err := Dir(module)
	if err != nil {
		return "", err
	}
	return Signature(filepath.Join(dir, filepath.FromSlash(file)), path.Join(module, path.Dir(file)), function)
}

// Signature returns the type of a function or method declared in a Go source file: parameters and results with their
// names left out, and packages named by import path, so that two files that import under different names compare equal.
// Exported types of the file's own package are named by that package's import path too. A method is asked for as
// "Receiver.Method"; its receiver becomes the first parameter, as go:linkname has it.
func Signature(file, importPath, function string) (string, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	receiver, name, isMethod := strings.Cut(function, ".")
	if !isMethod {
		receiver, name = "", function
	}
	for _, declaration := range parsed.Decls {
		found, ok := declaration.(*ast.FuncDecl)
		if !ok || found.Name.Name != name || receiverName(found) != receiver {
			continue
		}
		signature := &ast.FuncType{Params: withoutNames(found.Recv, found.Type.Params), Results: withoutNames(found.Type.Results)}
		qualify(signature, importPath, imports(parsed))
		var text bytes.Buffer
		if err := printer.Fprint(&text, token.NewFileSet(), signature); err != nil {
			return "", err
		}
		return text.String(), nil
	}
	return "", fmt.Errorf("%s declares no function %s", file, function)
}

func receiverName(declaration *ast.FuncDecl) string {
	if declaration.Recv == nil {
		return ""
	}
	kind := declaration.Recv.List[0].Type
	if pointer, ok := kind.(*ast.StarExpr); ok {
		kind = pointer.X
	}
	if named, ok := kind.(*ast.Ident); ok {
		return named.Name
	}
	return "?"
}

func withoutNames(lists ...*ast.FieldList) *ast.FieldList {
	out := &ast.FieldList{}
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for range max(1, len(field.Names)) {
				out.List = append(out.List, &ast.Field{Type: field.Type})
			}
		}
	}
	return out
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// imports maps the name under which a file sees a package to its import path.
func imports(file *ast.File) map[string]string {
	out := map[string]string{}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		if majorVersion.MatchString(name) && !strings.HasPrefix(imported, "k8s.io/api/") {
			name = path.Base(path.Dir(imported))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		out[name] = imported
	}
	return out
}

func qualify(signature ast.Node, own string, imported map[string]string) {
	ast.Inspect(signature, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if name, ok := n.X.(*ast.Ident); ok && imported[name.Name] != "" {
				name.Name = strconv.Quote(imported[name.Name])
			}
			return false
		case *ast.Ident:
			if n.IsExported() {
				n.Name = strconv.Quote(own) + "." + n.Name
			}
		}
		return true
	})
}
