package rightsize_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain are methods whose name says everything: what they do is a convention of the standard library, of apimachinery, or of every closed list.
var plain = []string{"DeepCopy", "DeepCopyInto", "String", "Error", "GoString", "LogValue", "Valid"}

// isPlain says whether a method needs no example.
func isPlain(method string) bool {
	return slices.Contains(plain, method) || strings.HasPrefix(method, "Marshal") || strings.HasPrefix(method, "Unmarshal")
}

// tested are the files that show functions of the kit which take a *testing.T: an example has none, so a test that reads like an importer's
// shows them.
const tested = kit + "/thirdparty"

// Every exported function and method of the library is shown by an example of its package: either the example bears its name, or its body calls
// it. Of methods that have one name a single call shows all.
func TestEveryExportedFunctionHasAnExample(t *testing.T) {
	words := map[string]bool{} // package.Type of types that are strings
	shown := map[string]bool{} // package.Function, package.Type.Method of an example's name, and package..Method of its body
	files := sources(t)
	for _, f := range files {
		if _, library := ladder[f.pkg]; !library || strings.HasPrefix(f.pkg, "internal/") {
			continue
		}
		for _, decl := range f.file.Decls {
			switch d := decl.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && name(s.Type) == "string" {
						words[f.pkg+"."+s.Name.Name] = true
					}
				}
			case *ast.FuncDecl:
				if is := strings.HasPrefix(d.Name.Name, "Example"); isTest(f) && (is || strings.HasPrefix(f.path, tested)) {
					shows(d, f.pkg, func(what string) { shown[f.pkg+"."+what] = true })
				}
			}
		}
	}
	checked := 0
	for _, f := range files {
		if _, library := ladder[f.pkg]; !library || strings.HasPrefix(f.pkg, "internal/") || isTest(f) {
			continue
		}
		for _, decl := range f.file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || !d.Name.IsExported() || d.Recv != nil && isPlain(d.Name.Name) || closedList(d, f.pkg, words) {
				continue
			}
			own, called := d.Name.Name, d.Name.Name
			if d.Recv != nil {
				if !ast.IsExported(receiver(d)) {
					continue
				}
				own, called = receiver(d)+"."+own, "."+own
			}
			checked++
			if !shown[f.pkg+"."+own] && !shown[f.pkg+"."+called] {
				t.Errorf("%s: no example of package %s shows %s", f.path, f.pkg, own)
			}
		}
	}
	require.NotZero(t, checked)
}

// shows calls see for what an example shows. Its name is ExampleFunction, ExampleType or ExampleType_Method, with or without a suffix in lower
// case. Its body shows the functions of the package that it names, and the methods that it calls or takes from a type.
func shows(d *ast.FuncDecl, pkg string, see func(string)) {
	if parts := strings.Split(strings.TrimPrefix(d.Name.Name, "Example"), "_"); len(parts) > 1 && ast.IsExported(parts[1]) {
		see(parts[0] + "." + parts[1])
	} else {
		see(parts[0])
	}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if name(n.X) == pkg {
				see(n.Sel.Name)
			}
			if typ, ok := ast.Unparen(n.X).(*ast.SelectorExpr); ok && name(typ.X) == pkg && ast.IsExported(typ.Sel.Name) {
				see("." + n.Sel.Name) // a method of a type, as in f(usage.Window.Contains)
			}
		case *ast.CallExpr:
			if call, ok := n.Fun.(*ast.SelectorExpr); ok && name(call.X) != pkg {
				see("." + call.Sel.Name)
			}
		}
		return true
	})
}

// closedList says whether a function returns all words of an enum: no arguments, and a slice of strings of this package.
func closedList(d *ast.FuncDecl, pkg string, words map[string]bool) bool {
	if d.Recv != nil || d.Type.Params.NumFields() > 0 || d.Type.Results.NumFields() != 1 {
		return false
	}
	list, ok := d.Type.Results.List[0].Type.(*ast.ArrayType)
	return ok && list.Len == nil && words[pkg+"."+name(list.Elt)]
}

// receiver is the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	expr := d.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if generic, ok := expr.(*ast.IndexExpr); ok {
		expr = generic.X
	}
	return name(expr)
}

// name is an identifier's, and empty for other expressions.
func name(expr ast.Expr) string {
	if id, ok := expr.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
