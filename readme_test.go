package rightsize_test

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/usage"
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

// lawRow is a row of the README's table of laws: ids, what they say, where.
var lawRow = regexp.MustCompile(`(?m)^\| ([A-Z][0-9]*[0-9A-Zb, -]*) \| .* \| (.*) \|$`)

// lawsIn splits ids such as H1b, or B1-B3, or R7, R8.
func lawsIn(ids string) (out []string) {
	if ids == "B1-B3" {
		return []string{"B1", "B2", "B3"}
	}
	return strings.Split(ids, ", ")
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
	for _, row := range lawRow.FindAllStringSubmatch(string(readme), -1) {
		if !strings.HasPrefix(row[2], "`") || strings.Contains(row[2], "/") {
			continue // everywhere, or against the real code
		}
		for _, law := range lawsIn(row[1]) {
			for _, pkg := range strings.Split(strings.ReplaceAll(row[2], "`", ""), ", ") {
				require.True(t, tests[pkg+" Test"+law], "%s has no property Test%s", pkg, law)
				require.True(t, tests[pkg+" Fuzz"+law], "%s has no fuzz target Fuzz%s", pkg, law)
				checked++
			}
		}
	}
	require.Greater(t, checked, 40, "the table was read")
}

// The README shows a third party's test as it is compiled, in ten lines.
func TestReadmeShowsAThirdPartysTest(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	source, err := os.ReadFile("rightsizetest/thirdparty_test.go")
	require.NoError(t, err)
	test := string(source[strings.Index(string(source), "\nfunc TestThirdParty")+1:])
	require.Equal(t, 10, strings.Count(test, "\n"))
	require.Contains(t, string(readme), "```go\n"+test+"```\n", "copy rightsizetest/thirdparty_test.go into README.md")
}

// kitLaws are the checks of the kit with the laws that each has.
func kitLaws() map[string][]rightsizetest.Law {
	return map[string][]rightsizetest.Law{
		"CheckPlan": rightsizetest.PlanLaws(), "CheckSums": rightsizetest.SumLaws(), "CheckChange": rightsizetest.ChangeLaws(),
		"CheckAdmit": rightsizetest.AdmitLaws(), "CheckRelease": rightsizetest.ReleaseLaws(), "CheckRecommend": rightsizetest.RecommendLaws(),
		"CheckQuantile": rightsizetest.QuantileLaws(), "CheckHistogram": rightsizetest.UsageHistogram(usage.Fine, 0).Laws(),
		"CheckReplicas": rightsizetest.ReplicaLaws(),
	}
}

// The README lists each check of the kit with the laws that it has.
func TestReadmeListsTheChecks(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	listed := map[string][]rightsizetest.Law{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(Check[A-Za-z]+)` \\| .* \\| (.*) \\|$").FindAllStringSubmatch(string(readme), -1) {
		for _, law := range strings.Split(row[2], ", ") {
			listed[row[1]] = append(listed[row[1]], rightsizetest.Law(law))
		}
	}
	want := kitLaws()
	for _, laws := range []map[string][]rightsizetest.Law{listed, want} {
		for _, list := range laws {
			slices.Sort(list)
		}
	}
	require.Equal(t, want, listed)

	exported := map[string]bool{}
	for _, f := range sources(t) {
		for _, decl := range f.file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if ok && f.pkg == kit && !isTest(f) && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Check") && !strings.HasSuffix(d.Name.Name, "Law") {
				exported[d.Name.Name] = true
			}
		}
	}
	require.Len(t, exported, len(want), "%v", exported)
}

// Every law of the README can be checked on somebody else's code, but for those that are about this module alone.
func TestEveryLawIsInTheKit(t *testing.T) {
	ours := map[string]string{
		"B1": "intervals are a type of this module", "B2": "as B1", "B3": "as B1",
		"R2": "is checked against the real code",
		"P":  "stands there as P2, P3, P4 and P6",
	}
	checked := map[string]bool{}
	for _, laws := range kitLaws() {
		for _, law := range laws {
			require.NotEmpty(t, law.Sentence())
			checked[string(law)] = true
		}
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, row := range lawRow.FindAllStringSubmatch(string(readme), -1) {
		for _, law := range lawsIn(row[1]) {
			_, alone := ours[law]
			require.True(t, checked[law] != alone, "%s is checked by the kit, or the list says why not", law)
			listed[law] = true
		}
	}
	for law := range checked {
		require.True(t, listed[law] || strings.HasPrefix(law, "A") || strings.HasPrefix(law, "P"), "%s is not in the README", law)
	}
}
