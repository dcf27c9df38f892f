package main

import (
	"strings"

	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// fault is a mistake in the input: where it is, and what was expected. A fault of a flag has no file, and the flag as its field.
type fault struct {
	File     string `json:"file"`
	Document int    `json:"document"` // from 1; 0 where the fault is the file's
	Item     int    `json:"item"`     // from 1 inside a list
	Line     int    `json:"line"`     // from 1; 0 where it is not known
	Field    string `json:"field"`
	Message  string `json:"message"`
}

// String is one line for a person.
func (f fault) String() string {
	where := f.at().String()
	var parts []string
	for _, p := range []string{where, f.Field, f.Message} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ": ")
}

func (f fault) at() manifest.Origin {
	return manifest.Origin{File: f.File, Document: f.Document, Item: f.Item, Line: f.Line}
}

// faultAt is a fault of an object.
func faultAt(o manifest.Origin, field, message string) fault {
	return fault{File: o.File, Document: o.Document, Item: o.Item, Line: o.Line, Field: field, Message: message}
}

func faultsOf(problems []manifest.Problem) (out []fault) {
	for _, p := range problems {
		out = append(out, faultAt(p.Origin, p.Field, p.Message))
	}
	return out
}
