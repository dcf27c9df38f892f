package rightsize_test

import (
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README shows what the bare command prints.
func TestReadmeShowsTheRealOutput(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	golden, err := os.ReadFile("examples/coordinate/testdata/bare.table")
	require.NoError(t, err)
	require.Contains(t, string(readme), "```\n"+string(golden)+"```\n", "copy examples/coordinate/testdata/bare.table into README.md")
}

// Links between the documents lead somewhere.
func TestLinksInDocuments(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, page := range []string{"README.md", "docs/decisions/README.md", "docs/reference/protocol.md"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		dir := page[:strings.LastIndex("/"+page, "/")]
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(dir + m[1])
			require.NoError(t, err, "%s links to %s", page, m[1])
		}
	}
	// Every decision stands in the index.
	pages, err := os.ReadDir("docs/decisions")
	require.NoError(t, err)
	index, err := os.ReadFile("docs/decisions/README.md")
	require.NoError(t, err)
	for _, p := range pages {
		if p.Name() != "README.md" {
			require.Contains(t, string(index), "("+p.Name()+")")
		}
	}
}

// Each law of the README is a property and a fuzz target of its name in each package that it is said to hold in.
func TestLawsAreTests(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	tests := map[string]bool{}
	for _, f := range sources(t) {
		for _, decl := range f.file.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && isTest(f) && d.Recv == nil {
				tests[f.pkg+" "+d.Name.Name] = true
			}
		}
	}
	checked := 0
	for _, row := range regexp.MustCompile("(?m)^\\| ([BH][0-9]+b?)(?:-B([0-9]))? \\| .* \\| (`[a-z`, ]+`) \\|$").FindAllStringSubmatch(string(readme), -1) {
		laws := []string{row[1]}
		if row[2] != "" { // B1-B3
			laws = []string{"B1", "B2", "B3"}
		}
		for _, law := range laws {
			for _, pkg := range strings.Split(strings.ReplaceAll(row[3], "`", ""), ", ") {
				require.True(t, tests[pkg+" Test"+law], "%s has no property Test%s", pkg, law)
				require.True(t, tests[pkg+" Fuzz"+law], "%s has no fuzz target Fuzz%s", pkg, law)
				checked++
			}
		}
	}
	require.Greater(t, checked, 18, "the table was read")
}
