package rightsize_test

import (
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
