package main

import (
	_ "embed" // the example
	"io"
	"os"
	"strings"

	"github.com/kube-rightsize/rightsize/internal/manifest"
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
	if len(files) == 0 {
		d.read("example", strings.NewReader(example))
	}
	for _, name := range files {
		if name == "-" {
			d.read("standard input", stdin)
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			d.faults = append(d.faults, err.Error())
			continue
		}
		d.read(name, f)
		_ = f.Close() // it was only read
	}
	return d
}

func (d *documents) read(name string, r io.Reader) {
	objects, problems := manifest.Read(name, r)
	problems = append(problems, d.objects.Add(objects)...)
	for _, p := range problems {
		d.faults = append(d.faults, p.String())
	}
}
