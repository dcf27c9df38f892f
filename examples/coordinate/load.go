package main

import (
	"io"
	"strings"

	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/internal/program"
)

// documents is what was read, with its faults.
type documents struct {
	objects manifest.Objects
	rows    []manifest.Request
	faults  []fault
	stdin   io.Reader
}

// load reads all files in the order in which they were named. A file that cannot be read does not stop the others.
func load(s settings, stdin io.Reader) documents {
	d := documents{stdin: stdin}
	var problems []manifest.Problem
	if len(s.files) == 0 {
		d.objects, problems = manifest.Read("example", strings.NewReader(example))
	} else {
		d.objects, problems = program.Documents(s.files, stdin)
	}
	for _, name := range s.tables {
		problems = append(problems, program.Open(name, stdin, func(shown string, r io.Reader) []manifest.Problem {
			rows, problems := manifest.ReadRequests(shown, r)
			d.rows = append(d.rows, rows...)
			return problems
		})...)
	}
	d.faults = faultsOf(problems)
	return d
}
