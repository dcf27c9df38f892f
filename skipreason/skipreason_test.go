package skipreason_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// list is one list of words, without its type.
type list struct {
	kind skipreason.Kind
	// words in their order, which is an interface: precedence of reasons, order of flags in results.
	words []string
	// none says whether the zero value, "there is none", may be written and read.
	none bool
	// entries, read, write and valid do with the real type what a caller would do.
	entries []skipreason.Entry
	read    func(text string) (string, error)
	write   func(word string) ([]byte, error)
	valid   func(word string) bool
}

func lists() []list {
	skips := list{kind: skipreason.KindSkip, none: true, words: []string{"max-replicas-reached", "unsupported-metrics", "missing-request", "target-out-of-bounds"},
		read: read[skipreason.Skip], write: write[skipreason.Skip], valid: func(w string) bool { return skipreason.Skip(w).Valid() }}
	for _, w := range skipreason.Skips() {
		skips.entries = append(skips.entries, w.Entry())
	}
	blocks := list{kind: skipreason.KindBlock, none: true, words: []string{"HPACoupled"},
		read: read[skipreason.Block], write: write[skipreason.Block], valid: func(w string) bool { return skipreason.Block(w).Valid() }}
	for _, w := range skipreason.Blocks() {
		blocks.entries = append(blocks.entries, w.Entry())
	}
	causes := list{kind: skipreason.KindBlockCause, none: true, words: []string{"coordination-off", "skip-reason", "policy-bounds", "read-only", "stale"},
		read: read[skipreason.BlockCause], write: write[skipreason.BlockCause], valid: func(w string) bool { return skipreason.BlockCause(w).Valid() }}
	for _, w := range skipreason.BlockCauses() {
		causes.entries = append(causes.entries, w.Entry())
	}
	flags := list{kind: skipreason.KindRiskFlag, words: []string{
		"hpa-coupled", "hpa-ambiguous", "hpa-managed-elsewhere", "ownership-unknown",
		"target-outside-bounds", "target-unreachable", "trigger-near-limit", "half-change", "throttled", "oom-killed", "qos-change", "pod-level-requests",
		"single-replica", "scale-to-zero", "manual-pause", "zero-needs-gate", "zero-without-buffer", "never-wakes",
		"short-scale-down-window", "memory-utilization", "target-near-saturation", "target-uncomfortable",
		"at-max-replicas", "single-metric", "metric-unknown", "never-computed", "pods-pending", "zones-uneven",
		"vpa-overlap", "resize-pending", "request-beyond-node", "tiny-memory",
		"few-samples", "idle", "capped-below-peak", "limit-below-startup", "memory-independent", "heap"},
		read: read[skipreason.RiskFlag], write: write[skipreason.RiskFlag], valid: func(w string) bool { return skipreason.RiskFlag(w).Valid() }}
	for _, w := range skipreason.RiskFlags() {
		flags.entries = append(flags.entries, w.Entry())
	}
	return []list{skips, blocks, causes, flags}
}

func read[W ~string](text string) (string, error) {
	encoded, err := json.Marshal(text)
	if err != nil {
		return "", err
	}
	var w W
	err = json.Unmarshal(encoded, &w)
	return string(w), err
}

func write[W ~string](word string) ([]byte, error) { return json.Marshal(W(word)) }

func TestOrderOfTheLists(t *testing.T) {
	for _, l := range lists() {
		var words []string
		for _, e := range l.entries {
			words = append(words, e.Code)
			require.Equal(t, l.kind, e.Kind)
		}
		require.Equal(t, l.words, words, "%s: words are the stable interface, and so is their order", l.kind)
	}
}

func TestCatalogueIsComplete(t *testing.T) {
	var want []skipreason.Entry
	for _, l := range lists() {
		want = append(want, l.entries...)
	}
	all := skipreason.Catalogue()
	require.Equal(t, want, all, "every word once, list by list")
	texts := map[string]string{}
	codes := map[string]bool{}
	for _, e := range all {
		for field, text := range map[string]string{"sentence": e.Sentence, "rule": e.Rule, "next": e.Next} {
			require.NotEmpty(t, text, "%s of %s", field, e.Code)
			require.True(t, strings.HasSuffix(text, ".") && text == strings.TrimSpace(text) && !strings.Contains(text, "  "), "%s of %s: %q", field, e.Code, text)
		}
		for _, text := range []string{e.Sentence, e.Rule} {
			require.Empty(t, texts[text], "%s says the same as %s", e.Code, texts[text])
			texts[text] = e.Code
		}
		require.NotContains(t, []string{e.Sentence, e.Rule}, e.Next, e.Code)
		require.False(t, codes[string(e.Kind)+e.Code])
		codes[string(e.Kind)+e.Code] = true
	}
	all[0].Code = "changed"
	require.NotEqual(t, all[0], skipreason.Catalogue()[0], "the slice is the caller's")
}

func TestWordsRoundTrip(t *testing.T) {
	for _, l := range lists() {
		for _, word := range l.words {
			word, err := l.read(word)
			require.NoError(t, err)
			text, err := l.write(word)
			require.NoError(t, err)
			require.Equal(t, strconv.Quote(word), string(text))
			require.True(t, l.valid(word))
		}
	}
}

func TestUnknownWordsAreRefused(t *testing.T) {
	for _, l := range lists() {
		for _, word := range []string{"", " ", "none", "HPA-COUPLED", strings.ToUpper(l.words[0]) + "x", l.words[0] + " ", " " + l.words[0], "\x00", "\xff"} {
			require.False(t, l.valid(word), "the zero value is no member either")
			_, readErr := l.read(word)
			_, writeErr := l.write(word)
			if word == "" && l.none {
				require.NoError(t, readErr, "%s: empty is none", l.kind)
				require.NoError(t, writeErr)
				continue
			}
			var unknown *skipreason.UnknownError
			require.ErrorAs(t, readErr, &unknown, "%s %q", l.kind, word)
			require.Equal(t, string(l.kind), unknown.Kind)
			require.ErrorAs(t, writeErr, &unknown, "nothing is written that could not be read again")
			require.Equal(t, word, unknown.Text)
		}
		for _, other := range lists() {
			if other.kind == l.kind {
				continue
			}
			_, err := l.read(other.words[0])
			require.Error(t, err, "a word of another list")
		}
	}
}

func TestUnknownWordsHaveNoExplanation(t *testing.T) {
	for _, e := range []skipreason.Entry{skipreason.Skip("x").Entry(), skipreason.Block("x").Entry(), skipreason.BlockCause("x").Entry(), skipreason.RiskFlag("x").Entry()} {
		require.Equal(t, skipreason.Entry{Code: "x", Kind: e.Kind}, e)
	}
	var f skipreason.RiskFlag = "tiny-memory"
	require.EqualError(t, f.UnmarshalText([]byte("tiny")), `unknown risk flag "tiny"`)
	require.Empty(t, f, "a refused text leaves the zero value, never the old word")
}

func TestListsBelongToTheCaller(t *testing.T) {
	skipreason.Skips()[0], skipreason.Blocks()[0], skipreason.BlockCauses()[0], skipreason.RiskFlags()[0] = "a", "b", "c", "d"
	for _, l := range lists() {
		require.Equal(t, l.words[0], l.entries[0].Code)
	}
}

func TestImportsNothing(t *testing.T) {
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	parsed := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range tree.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			t.Errorf("%s imports %s", file.Name(), path)
		}
		parsed++
	}
	require.GreaterOrEqual(t, parsed, 5)
}

func Example() {
	for _, s := range skipreason.Skips() {
		_, _ = os.Stdout.WriteString(string(s) + "\n")
	}
	_, _ = os.Stdout.WriteString(skipreason.FlagTinyMemory.Entry().Sentence + "\n")
	// Output:
	// max-replicas-reached
	// unsupported-metrics
	// missing-request
	// target-out-of-bounds
	// A memory amount is so small that a unit was probably mistaken.
}
