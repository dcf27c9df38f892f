package program

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/internal/manifest"
)

type settings struct {
	files  []string
	format string
	all    bool
	some   string
	help   bool
}

func parse(args ...string) (s settings, err error) {
	p := Parser[settings]{
		Flags: []Flag[settings]{
			{Long: "output", Short: "o", Value: "FORMAT", Set: Format(func(s *settings) *string { return &s.format }), Help: "the format"},
			{Long: "all", Short: "a", Set: Switch(func(s *settings) *bool { return &s.all })},
			{Long: "some", Value: "X", Optional: true, Set: func(s *settings, v string) error { s.some = "<" + v + ">"; return nil }},
			{Long: "help", Short: "h", Set: Switch(func(s *settings) *bool { return &s.help })},
		},
		File: func(s *settings, name string) { s.files = append(s.files, name) },
		Done: func(s *settings) bool { return s.help },
		IsValue: func(arg string) (bool, error) {
			if arg == "both" {
				return false, errors.New("is both")
			}
			return arg == "x", nil
		},
	}
	return s, p.Parse(args, &s)
}

func TestParse(t *testing.T) {
	for _, row := range []struct {
		args string
		want settings
		err  string
		why  string
	}{
		{args: "", want: settings{}},
		{args: "a -o json b", want: settings{files: []string{"a", "b"}, format: "json"}, why: "flags and files mix"},
		{args: "-ojson", want: settings{format: "json"}},
		{args: "-o=json", want: settings{format: "json"}},
		{args: "-output json --all", want: settings{format: "json", all: true}, why: "one dash will do"},
		{args: "--all=false -", want: settings{files: []string{"-"}}},
		{args: "-- -o", want: settings{files: []string{"-o"}}},
		{args: "--some x y", want: settings{some: "<x>", files: []string{"y"}}},
		{args: "--some y", want: settings{some: "<>", files: []string{"y"}}},
		{args: "--some=y", want: settings{some: "<y>"}},
		{args: "--some", want: settings{some: "<>"}},
		{args: "--some both", err: `--some "both": is both`},
		{args: "-h --nonsense", want: settings{help: true}, why: "the rest does not matter"},
		{args: "--nonsense", err: `unknown flag "--nonsense"`},
		{args: "--ojson", err: `unknown flag "--ojson"`, why: "short flags have one dash"},
		{args: "-ax", err: `unknown flag "-ax"`, why: "a switch has nothing attached"},
		{args: "-o", err: "--output: expected a value: FORMAT"},
		{args: "-o xml", err: `--output "xml": expected table, json or yaml`},
		{args: "--all=maybe", err: `--all "maybe": expected no value, true or false`},
	} {
		got, err := parse(strings.Fields(row.args)...)
		if row.err != "" {
			require.EqualError(t, err, row.err, row.args)
			continue
		}
		require.NoError(t, err, row.args)
		require.Equal(t, row.want, got, "%s: %s", row.args, row.why)
	}
	require.Equal(t, "  -o, --output FORMAT\n        the format\n  --some[=X]\n        or not\n", Describe([]Flag[settings]{
		{Long: "output", Short: "o", Value: "FORMAT", Help: "the format"}, {Long: "some", Value: "X", Optional: true, Help: "or not"}}))
}

func TestOneStandardInput(t *testing.T) {
	require.NoError(t, OneStandardInput(nil))
	require.NoError(t, OneStandardInput([]string{"-", "a", "a"}))
	require.EqualError(t, OneStandardInput([]string{"-", "a", "-"}), "- (standard input) can be read only once")
}

func TestDocuments(t *testing.T) {
	dir := t.TempDir()
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: "
	for name, text := range map[string]string{"b.yml": service + "b}", "a.yaml": service + "a}", "c.txt": "no: {"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o700))
	objects, problems := Documents([]string{"-", filepath.Join(dir, "none"), filepath.Join(dir, "empty"), dir}, strings.NewReader(service+"b}"))
	var names []string
	for _, s := range objects.Services {
		names = append(names, s.Name)
	}
	require.Equal(t, []string{"b", "a"}, names, "in the order in which they are named, a directory by name")
	require.Len(t, problems, 3)
	require.Contains(t, problems[0].String(), "none: cannot be read: ")
	require.Contains(t, problems[1].String(), "empty: found no file that ends in .json, .yaml or .yml")
	require.Contains(t, problems[2].String(), "b.yml:1: document 1: found a second Service default/b, expected one; the first is at standard input:1")
	require.Equal(t, []manifest.Problem{{Message: "seen"}}, Open("-", nil, func(shown string, r io.Reader) []manifest.Problem {
		require.Equal(t, "standard input", shown)
		require.Nil(t, r)
		return []manifest.Problem{{Message: "seen"}}
	}))
}

func TestWrite(t *testing.T) {
	report := map[string]int{"a": 1}
	for format, want := range map[string]string{"json": "{\n  \"a\": 1\n}\n", "yaml": "a: 1\n", "table": "text"} {
		var out bytes.Buffer
		require.NoError(t, Write(&out, report, format, func() []byte { return []byte("text") }))
		require.Equal(t, want, out.String())
	}
	var out bytes.Buffer
	require.Error(t, Write(&out, func() {}, "json", nil))
	require.Empty(t, out.String(), "nothing half written")
	require.Equal(t, 3, Finish("p", &out, nil, 3))
	require.Empty(t, out.String())
	require.Equal(t, 1, Finish("p", &out, errors.New("no\x1b room"), 3))
	require.Equal(t, "p: the report could not be written: no\\x1b room\n", out.String())
}

func TestPlain(t *testing.T) {
	require.Equal(t, `Größe "x" \ y`, Plain(`Größe "x" \ y`))
	require.Equal(t, `a\x1b[2J\u202e"\`, Plain("a\x1b[2J\u202e\"\\"))
}
