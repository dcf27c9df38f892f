package main

import (
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// The exit codes.
const (
	exitFine  = 0 // whatever the HPAs want
	exitInput = 1 // a fault of the input, or the report could not be written
	exitFlags = 2 // flags that cannot be meant
)

// run is the whole program. What it writes depends on its arguments and the files that they name; without --at and
// without a timestamp in the files also on the clock.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s, err := parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "explain: %s (run explain --help for the flags)\n", plain(err.Error()))
		return exitFlags
	}
	if s.help {
		return finish(stderr, writeAll(stdout, []byte(usage())), exitFine)
	}
	r := explain(load(s.files, stdin), s)
	code := exitFine
	for _, e := range r.Errors {
		fmt.Fprintf(stderr, "explain: %s\n", plain(e))
		code = exitInput
	}
	return finish(stderr, write(stdout, r, s.format), code)
}

func finish(stderr io.Writer, err error, code int) int {
	if err != nil {
		fmt.Fprintf(stderr, "explain: the report could not be written: %s\n", plain(err.Error()))
		return exitInput
	}
	return code
}

// write builds the whole text first, so that an error leaves nothing half written.
func write(w io.Writer, r report, format string) error {
	var out []byte
	var err error
	switch format {
	case "json":
		if out, err = json.MarshalIndent(r, "", "  "); err == nil {
			out = append(out, '\n')
		}
	case "yaml":
		out, err = yaml.Marshal(r)
	default:
		out = []byte(table(r))
	}
	if err != nil {
		return err
	}
	return writeAll(w, out)
}

func writeAll(w io.Writer, text []byte) error {
	_, err := w.Write(text)
	return err
}
