package hpacouple

// nameIndex remembers where names stand. A pod has few containers, so the first ones are scanned; only more of them are worth a map.
type nameIndex struct {
	few  [8]indexedName
	n    int
	many map[string]int
}

type indexedName struct {
	name string
	at   int
}

// find returns where a name stands.
func (p *nameIndex) find(name string) (at int, ok bool) {
	for i := range min(p.n, len(p.few)) {
		if p.few[i].name == name {
			return p.few[i].at, true
		}
	}
	at, ok = p.many[name]
	return at, ok
}

// add remembers a name; again says that it was there already, and then it stays where it was.
func (p *nameIndex) add(name string, at int) (again bool) {
	if _, again = p.find(name); again {
		return true
	}
	if p.n < len(p.few) {
		p.few[p.n] = indexedName{name, at}
	} else {
		if p.many == nil {
			p.many = map[string]int{}
		}
		p.many[name] = at
	}
	p.n++
	return false
}
