package main

import (
	_ "embed" // the example
	"io"
	"strings"

	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/internal/program"
)

// example is explained without FILE.
//
//go:embed example/web.yaml
var example string

// documents is what was read, with its faults.
type documents struct {
	objects manifest.Objects
	faults  []string
}

// load reads all files in the order in which they were named. A file that cannot be read does not stop the others.
func load(files []string, stdin io.Reader) (d documents) {
	var problems []manifest.Problem
	if len(files) == 0 {
		d.objects, problems = manifest.Read("example", strings.NewReader(example))
	} else {
		d.objects, problems = program.Documents(files, stdin)
	}
	for _, p := range problems {
		d.faults = append(d.faults, p.String())
	}
	return d
}
