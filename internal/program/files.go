package program

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// Documents reads all files of manifests in the order in which they are named; - is standard input. A file that cannot be read does not stop
// the others.
func Documents(names []string, stdin io.Reader) (objects manifest.Objects, problems []manifest.Problem) {
	for _, name := range names {
		problems = append(problems, documents(name, stdin, &objects)...)
	}
	return objects, problems
}

// documents reads one file, or those of a directory, as kubectl does: what ends in .json, .yaml or .yml, not what is further down.
func documents(name string, stdin io.Reader, into *manifest.Objects) (problems []manifest.Problem) {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		entries, err := os.ReadDir(name) // sorted by name
		if err != nil {
			return []manifest.Problem{unreadable(name, err)}
		}
		found := false
		for _, e := range entries {
			if !e.IsDir() && slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(e.Name())) {
				found = true
				problems = append(problems, documents(filepath.Join(name, e.Name()), stdin, into)...)
			}
		}
		if !found {
			problems = append(problems, fileProblem(name, "found no file that ends in .json, .yaml or .yml"))
		}
		return problems
	}
	return Open(name, stdin, func(shown string, r io.Reader) []manifest.Problem {
		objects, problems := manifest.Read(shown, r)
		return append(problems, into.Add(objects)...)
	})
}

// Open hands a file to a reader, with the name that messages show.
func Open(name string, stdin io.Reader, read func(shown string, r io.Reader) []manifest.Problem) []manifest.Problem {
	if name == "-" {
		return read("standard input", stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return []manifest.Problem{unreadable(name, err)}
	}
	defer f.Close() // it is only read
	return read(name, f)
}

func unreadable(name string, err error) manifest.Problem {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fileProblem(name, "cannot be read: "+err.Error())
}

func fileProblem(name, message string) manifest.Problem {
	return manifest.Problem{Origin: manifest.Origin{File: name}, Message: message}
}
