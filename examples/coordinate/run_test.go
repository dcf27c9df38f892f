package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files of this program and want.yaml of the scenarios anew")

// result is what one run leaves behind.
type result struct {
	code        int
	out, errors string
}

func call(stdin string, args ...string) result {
	var out, errs bytes.Buffer
	code := run(args, strings.NewReader(stdin), &out, &errs, terminals{})
	return result{code, out.String(), errs.String()}
}

// decoded runs with JSON output and reads it back strictly, which also shows that no list is null.
func decoded(t *testing.T, stdin string, args ...string) (report, result) {
	t.Helper()
	got := call(stdin, append(args, "-o", "json")...)
	var r report
	d := json.NewDecoder(strings.NewReader(got.out))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&r), got.errors)
	require.NotContains(t, nullable.ReplaceAllString(got.out, ""), "null")
	return r, got
}

// nullable are the objects that a report may lack.
var nullable = regexp.MustCompile(`"(working|order|event|record|anchor)": null`)

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run the test with -update if this is meant")
}

func TestGolden(t *testing.T) {
	for _, row := range []struct {
		name string
		file string
		args []string
		why  string
	}{
		{name: "table", file: "bare.table", why: "the bare command shows the whole job"},
		{name: "json", file: "bare.json", args: []string{"-o", "json"}, why: "for programs"},
		{name: "yaml", file: "bare.yaml", args: []string{"-o", "yaml"}, why: "for people who compare"},
		{name: "writes", file: "bare.writes", args: []string{"-o", "writes"}, why: "for whoever sends them"},
		{name: "help", file: "help.txt", args: []string{"--help"}, why: "all flags are explained"},
		{name: "held back", file: "held-back.table", args: []string{"--request", "app:cpu=300m,memory=2Gi", "--limit", "app:memory=3Gi", "--throttled", "sidecar", "--bounds", "40-80"},
			why: "the policy allows 85, a bound and a lock act, and a limit moves"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := call("", row.args...)
			require.Equal(t, exitFine, got.code, row.why)
			require.Empty(t, got.errors)
			golden(t, filepath.Join("testdata", row.file), got.out)
		})
	}
}

func TestColour(t *testing.T) {
	var out, errs bytes.Buffer
	require.Equal(t, exitFine, run(nil, nil, &out, &errs, terminals{out: true}))
	require.Contains(t, out.String(), "\x1b[1mDeployment default/web\x1b[0m")
	colourless := call("").out
	require.NotContains(t, colourless, "\x1b", "no terminal, no colour")
	for _, escape := range []string{bold, green, yellow, red, normal} {
		out = *bytes.NewBufferString(strings.ReplaceAll(out.String(), escape, ""))
	}
	require.Equal(t, colourless, out.String(), "colour adds nothing else")
	out.Reset()
	require.Equal(t, exitFine, run([]string{"-ojson"}, nil, &out, &errs, terminals{out: true}))
	require.NotContains(t, out.String(), "\x1b", "programs read this")
}

func TestNoTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer null.Close()
	require.False(t, isTerminal(null), "a character device, but nobody looks at it")
	file, err := os.Create(filepath.Join(t.TempDir(), "report"))
	require.NoError(t, err)
	defer file.Close()
	require.False(t, isTerminal(file))
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	require.True(t, knowsColours())
	t.Setenv("TERM", "dumb")
	require.False(t, knowsColours())
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "1")
	require.False(t, knowsColours())
}

// full is a disk without room.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.room {
		return f.room, errors.New("no space left")
	}
	f.room -= len(b)
	return len(b), nil
}

func TestWriteErrors(t *testing.T) {
	for _, args := range [][]string{{}, {"-o", "json"}, {"-o", "yaml"}, {"-o", "writes"}, {"--help"}} {
		var errs bytes.Buffer
		require.Equal(t, exitInput, run(args, nil, &full{room: 10}, &errs, terminals{}), args)
		require.Contains(t, errs.String(), "no space left")
	}
}

// breaking gives a part and then an error.
type breaking struct{ io.Reader }

func (b breaking) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("the cable was pulled")
	}
	return n, err
}

func TestBrokenStandardInput(t *testing.T) {
	for _, args := range [][]string{{"-"}, {"--requests", "-"}} {
		var out, errs bytes.Buffer
		require.Equal(t, exitInput, run(args, breaking{strings.NewReader("kind: ")}, &out, &errs, terminals{}))
		require.Contains(t, errs.String(), "the cable was pulled")
	}
	require.Equal(t, exitInput, run([]string{"-"}, nil, io.Discard, io.Discard, terminals{}), "no standard input at all")
}

// TestHostileNames: what comes from documents cannot steer a terminal.
func TestHostileNames(t *testing.T) {
	doc := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a\u001b[2J\u202e"},"spec":{"template":{"spec":{"containers":[
	{"name":"x\r\u009b1m","resources":{"requests":{"cpu":"1"}}}]}}}}
	{"apiVersion":"v1","kind":"Secret\u001b[1m","metadata":{"name":"s\u0007"}}`
	got := call(doc, "-", "--request", "x\r\u009b1m:cpu=2", "--request", "no\u001b[1m:cpu=1")
	require.Equal(t, exitInput, got.code)
	for _, text := range []string{got.out, got.errors} {
		for _, bad := range []string{"\x1b", "\u202e", "\r", "\u009b", "\a"} {
			require.NotContains(t, text, bad)
		}
	}
	require.Contains(t, got.out, `a\x1b[2J\u202e`)
}
