package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kube-rightsize/rightsize/internal/manifest"
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
	if len(s.files) == 0 {
		d.objects, d.faults = read("example", strings.NewReader(example))
	}
	for _, name := range s.files {
		d.file(name, stdin)
	}
	for _, name := range s.tables {
		d.open(name, stdin, func(shown string, r io.Reader) {
			rows, problems := manifest.ReadRequests(shown, r)
			d.rows = append(d.rows, rows...)
			d.faults = append(d.faults, faultsOf(problems)...)
		})
	}
	return d
}

func read(shown string, r io.Reader) (manifest.Objects, []fault) {
	objects, problems := manifest.Read(shown, r)
	return objects, faultsOf(problems)
}

// file reads one file of manifests, or those of a directory, as kubectl does: what ends in .json, .yaml or .yml, not what is further down.
func (d *documents) file(name string, stdin io.Reader) {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		entries, err := os.ReadDir(name) // sorted by name
		if err != nil {
			d.unreadable(name, err)
		}
		found := false
		for _, e := range entries {
			if !e.IsDir() && slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(e.Name())) {
				found = true
				d.file(filepath.Join(name, e.Name()), stdin)
			}
		}
		if !found && err == nil {
			d.faults = append(d.faults, fault{File: name, Message: "found no file that ends in .json, .yaml or .yml"})
		}
		return
	}
	d.open(name, stdin, func(shown string, r io.Reader) {
		objects, faults := read(shown, r)
		d.faults = append(d.faults, faults...)
		d.faults = append(d.faults, faultsOf(d.objects.Add(objects))...)
	})
}

func (d *documents) open(name string, stdin io.Reader, use func(shown string, r io.Reader)) {
	if name == "-" {
		use("standard input", stdin)
		return
	}
	f, err := os.Open(name)
	if err != nil {
		d.unreadable(name, err)
		return
	}
	defer f.Close()
	use(name, f)
}

func (d *documents) unreadable(name string, err error) {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	d.faults = append(d.faults, fault{File: name, Message: "cannot be read: " + err.Error()})
}
