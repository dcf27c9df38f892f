package main

import (
	"fmt"
	"slices"

	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// skipped names the documents of kinds that play no part, one note per kind.
func skipped(o *manifest.Objects) (notes []string) {
	names := map[string][]string{}
	var kinds []string
	add := func(kind, namespace, name string) {
		if names[kind] == nil {
			kinds = append(kinds, kind)
		}
		names[kind] = append(names[kind], namespace+"/"+name)
	}
	for _, s := range o.Skipped {
		add(s.Kind, s.Namespace, s.Name)
	}
	for _, s := range o.PodMetrics {
		add(s.Kind, s.Namespace, s.Name)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		slices.Sort(names[kind])
		notes = append(notes, fmt.Sprintf("skipped, since this kind plays no part: %s %s", kind, listed(names[kind])))
	}
	return notes
}
