package metrics

import "k8s.io/apimachinery/pkg/util/validation/field"

// place is a field path that costs nothing until an error needs it: validation of a valid object allocates no paths.
type place struct {
	up    *place
	name  string
	index int // -1 where name counts
}

func (p *place) in(name string) *place { return &place{up: p, name: name, index: -1} }

func (p *place) at(index int) *place { return &place{up: p, index: index} }

// path is the field path of the place.
func (p *place) path() *field.Path {
	switch {
	case p.up == nil:
		return field.NewPath(p.name)
	case p.index >= 0:
		return p.up.path().Index(p.index)
	}
	return p.up.path().Child(p.name)
}

// Child is the field path of something in the place.
func (p *place) Child(name string, more ...string) *field.Path { return p.path().Child(name, more...) }
