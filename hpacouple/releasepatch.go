package hpacouple

import (
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
	"github.com/kube-rightsize/rightsize/risk"
)

// given is a field with the owners that it had.
type given struct {
	field  place
	owners []risk.Owner
}

// entryPointer is the place of something in managedFields.
func entryPointer(index int, keys ...string) string {
	return fieldsv1.Pointer(append([]string{"metadata", "managedFields", strconv.Itoa(index)}, keys...)...)
}

// giveUp is the patch of managedFields: D, or R where there is something to give back.
func (r *release) giveUp(ref ObjectRef, o *owned, back []given, parts [][]string) *Write {
	if len(parts) == 0 {
		return nil
	}
	var p patch
	mine := &o.entries[o.mine]
	back = o.updaters(back)
	for _, g := range back {
		p.testHas(mine, g.field)
	}
	o.giveBack(&p, back)
	p.takeOut(mine, parts)
	return &Write{Object: ref, PatchType: JSONPatch, FieldManager: r.manager, Body: p.body()}
}

// updaters leaves only owners by update: never give a field back to an applier, nor beside the entry of a manager that applies by now, with
// which its next apply would conflict.
func (o *owned) updaters(back []given) (out []given) {
	for _, g := range back {
		g.owners = slices.DeleteFunc(slices.Clone(g.owners), func(w risk.Owner) bool {
			return w.Operation != metav1.ManagedFieldsOperationUpdate || o.applies(w.Manager)
		})
		if len(g.owners) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// applies says whether somebody else of this name has an entry by apply.
func (o *owned) applies(manager string) bool {
	for i := range o.entries {
		if e := &o.entries[i]; i != o.mine && e.Manager == manager && e.Operation == metav1.ManagedFieldsOperationApply {
			return true
		}
	}
	return false
}

// testHas tests that our entry still has a field: who takes it leaves the entry as it is otherwise.
func (p *patch) testHas(mine *ownedEntry, f place) {
	node := f.in(mine.APIVersion, &mine.tree)
	path := []string{"fieldsV1"}
	path = append(path, spelledPath(&mine.tree, f.path(mine.APIVersion))...)
	p.op("test", entryPointer(mine.index, path...), node.AppendJSON(nil))
}

// spelledPath is a path with the keys of items as the tree spells them.
func spelledPath(tree *fieldsv1.Node, path []string) []string {
	out := slices.Clone(path)
	n := tree
	for i, key := range path {
		next := n.Child(key)
		if name, is := fieldsv1.ItemName(key); next == nil && is {
			next = n.Item(name)
		}
		if next == nil {
			return out
		}
		out[i], n = next.Key, next
	}
	return out
}

// takeOut removes our entry, or parts of it.
func (p *patch) takeOut(mine *ownedEntry, parts [][]string) {
	p.test(entryPointer(mine.index, "manager"), mine.Manager)
	p.test(entryPointer(mine.index, "operation"), string(mine.Operation))
	for _, part := range parts {
		keys := part
		if len(keys) > 0 {
			keys = append([]string{"fieldsV1"}, part...)
		}
		p.op("remove", entryPointer(mine.index, keys...), nil)
	}
}

// giveBack adds the fields to the entries of their former owners. An entry that is there gets them one by one; one that is gone is added
// whole, at the end, where it moves no other. Whether it has come back since cannot be tested, and a second entry of its name would take the
// place of the first: the object's resourceVersion is tested then.
func (o *owned) giveBack(p *patch, back []given) {
	trees := map[int]*fieldsv1.Node{} // as they will be, by place in entries
	var made []risk.Owner
	for k, g := range back {
		for _, owner := range g.owners {
			i := slices.IndexFunc(o.entries, func(e ownedEntry) bool {
				return e.Manager == owner.Manager && e.Operation == owner.Operation && e.APIVersion == owner.APIVersion
			})
			if i >= 0 {
				if trees[i] == nil {
					trees[i] = o.entries[i].tree.Clone()
				}
				p.addTo(&o.entries[i], trees[i], g.field)
				continue
			}
			if owner.Field = ""; slices.Contains(made, owner) {
				continue
			}
			if made = append(made, owner); len(made) == 1 && o.resourceVersion != "" {
				p.test(fieldsv1.Pointer("metadata", "resourceVersion"), o.resourceVersion)
			}
			p.op("add", "/metadata/managedFields/-", newEntry(owner, back[k:]))
		}
	}
}

// addTo adds one field to an entry. Where a node on the way owns itself as an empty object it must go on saying so.
func (p *patch) addTo(e *ownedEntry, tree *fieldsv1.Node, f place) {
	p.test(entryPointer(e.index, "manager"), e.Manager)
	p.test(entryPointer(e.index, "operation"), string(e.Operation))
	p.test(entryPointer(e.index, "apiVersion"), e.APIVersion)
	path := spelledPath(tree, f.path(e.APIVersion))
	known := 0 // how much of the path is there
	for known < len(path) && tree.At(path[:known+1]...) != nil {
		known++
	}
	if known == len(path) {
		return // it has the field already
	}
	at := func(keys ...string) string { return entryPointer(e.index, append([]string{"fieldsV1"}, keys...)...) }
	if parent := tree.At(path[:known]...); len(parent.Children) == 0 && known > 0 {
		p.op("add", at(append(slices.Clone(path[:known]), fieldsv1.Self)...), []byte("{}"))
		tree.Insert(append(slices.Clone(path[:known]), fieldsv1.Self)...)
	}
	if known+1 < len(path) { // what is added replaces a node that has come since
		p.op("test", at(path[:known]...), tree.At(path[:known]...).AppendJSON(nil))
	}
	tree.Insert(path...)
	p.op("add", at(path[:known+1]...), tree.At(path[:known+1]...).AppendJSON(nil))
}

// newEntry is an entry for an owner with all its fields. The server sets no time for it, and needs none.
func newEntry(owner risk.Owner, back []given) []byte {
	var tree fieldsv1.Node
	for _, g := range back {
		for _, o := range g.owners {
			if o.Manager == owner.Manager && o.Operation == owner.Operation && o.APIVersion == owner.APIVersion {
				tree.Insert(g.field.path(o.APIVersion)...)
			}
		}
	}
	var j jsonText
	j.open('{')
	j.pair("apiVersion", owner.APIVersion)
	j.pair("fieldsType", "FieldsV1")
	j.key("fieldsV1")
	j.raw(tree.AppendJSON(nil))
	j.pair("manager", owner.Manager)
	j.pair("operation", string(owner.Operation))
	j.shut('}')
	return j
}
