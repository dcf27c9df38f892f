package main

import (
	"fmt"
	"io"

	"github.com/kube-rightsize/rightsize/internal/program"
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
		fmt.Fprintf(stderr, "explain: %s (run explain --help for the flags)\n", program.Plain(err.Error()))
		return exitFlags
	}
	if s.help {
		_, err := io.WriteString(stdout, usage())
		return program.Finish("explain", stderr, err, exitFine)
	}
	r := explain(load(s.files, stdin), s)
	code := exitFine
	for _, e := range r.Errors {
		fmt.Fprintf(stderr, "explain: %s\n", program.Plain(e))
		code = exitInput
	}
	err = program.Write(stdout, r, s.format, func() []byte { return []byte(table(r)) })
	return program.Finish("explain", stderr, err, code)
}
