package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/kube-rightsize/rightsize/internal/program"
)

// The exit codes.
const (
	exitFine    = 0 // whatever the outcomes
	exitInput   = 1 // a fault of the input, or the report could not be written
	exitFlags   = 2 // flags that cannot be meant
	exitBlocked = 3 // with --exit-code: a workload is skipped, blocked or contested
)

// terminals says which outputs somebody looks at: out takes colours, err takes progress.
type terminals struct{ out, err bool }

// run is the whole program. What it writes depends on its arguments and the files that they name alone.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, terminals terminals) int {
	s, err := parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "coordinate: %s (run coordinate --help for the flags)\n", program.Plain(err.Error()))
		return exitFlags
	}
	if s.help {
		_, err := io.WriteString(stdout, usage())
		return program.Finish("coordinate", stderr, err, exitFine)
	}
	done := func() {}
	if terminals.err {
		s.progress, done = progressOn(stderr)
	}
	r := coordinate(load(s, stdin), s)
	done()
	for _, f := range r.Errors {
		fmt.Fprintf(stderr, "coordinate: %s\n", program.Plain(f.String()))
	}
	code := exitFine
	switch {
	case len(r.Errors) > 0:
		code = exitInput
	case s.exitCode && r.heldBack():
		code = exitBlocked
	}
	err = program.Write(stdout, r, s.format, func() []byte {
		if s.format == "writes" {
			return writesText(r)
		}
		return table(r, terminals.out)
	})
	return program.Finish("coordinate", stderr, err, code)
}

// heldBack says whether a workload is blocked, as a skipped one always is, or its change cannot be written.
func (r report) heldBack() bool {
	return slices.ContainsFunc(r.Items, func(i item) bool { return !i.Admission.Allowed || len(i.Contested)+len(i.Stale) > 0 })
}
