package hpacouple

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
)

// templateBody is the body of an apply of the workload: what our manager owns in the pod template, with the given rows changed.
func (s *scene) templateBody(rows []*AmountChange, force bool) ([]byte, field.ErrorList) {
	tree := s.template.ours()
	if errs := s.foreignTemplate(tree); len(errs) > 0 {
		return nil, errs
	}
	b := bodyOf{scene: s, rows: map[AmountRef][]*AmountChange{}, pod: podSpec(tree)}
	for _, r := range rows {
		key := AmountRef{Place: r.Place, Container: r.Container}
		b.rows[key] = append(b.rows[key], r)
	}
	j := s.begin(s.workloadRef(), s.live.Meta, tree, force)
	spec := b.podSpec()
	if len(b.errs) > 0 {
		return nil, b.errs
	}
	if len(spec) > 0 {
		j.key("spec")
		j = append(j, `{"template":{"spec":{`...)
		j = append(append(j, spec...), `}}}`...)
	}
	j.shut('}')
	return j, nil
}

// bodyOf builds a body's pod template.
type bodyOf struct {
	*scene
	pod  *fieldsv1.Node                // our set, at the pod template's spec
	rows map[AmountRef][]*AmountChange // by container
	errs field.ErrorList
}

// podSpec is the members of the pod template's spec.
func (b *bodyOf) podSpec() (j jsonText) {
	for _, list := range []struct {
		place      Place
		containers []corev1.Container
	}{{InContainers, b.live.Template.Containers}, {InInitContainers, b.live.Template.InitContainers}} {
		var items jsonText
		owned := b.pod.Child("f:" + string(list.place))
		for i := range list.containers { // what is owned of a container that is gone is left out
			b.container(&items, list.place, &list.containers[i], owned)
		}
		if len(items) > 0 {
			j.key(string(list.place))
			j.open('[')
			j = append(j, items...)
			j.shut(']')
		}
	}
	pod := b.live.Template.Resources
	if pod == nil {
		pod = &corev1.ResourceRequirements{}
	}
	if r := b.resources(AmountRef{Place: InPod}, pod, b.pod.Child("f:resources")); r != nil {
		j.key("resources")
		j.raw(r)
	}
	return j
}

// container adds an item if something of it is ours. An item of which nothing but the name is left is given up if somebody else holds it;
// where we are the last the container would vanish.
func (b *bodyOf) container(items *jsonText, place Place, c *corev1.Container, owned *fieldsv1.Node) {
	item := owned.Item(c.Name)
	ref := AmountRef{Place: place, Container: c.Name}
	r := b.resources(ref, &c.Resources, item.Child("f:resources"))
	if r == nil && (item == nil || b.template.itemElsewhere(ref)) {
		return
	}
	items.open('{')
	items.key("name")
	items.text(c.Name)
	if r != nil {
		items.key("resources")
		items.raw(r)
	}
	items.shut('}')
}

// itemElsewhere says whether another entry holds the container's item.
func (o *owned) itemElsewhere(ref AmountRef) bool {
	for i := range o.entries {
		if i != o.mine && podSpec(&o.entries[i].tree).Child("f:"+string(ref.Place)).Item(ref.Container).Owned() {
			return true
		}
	}
	return false
}

// resources is the object of limits and requests, nil for none.
func (b *bodyOf) resources(ref AmountRef, live *corev1.ResourceRequirements, owned *fieldsv1.Node) (j jsonText) {
	rows := b.rows[AmountRef{Place: ref.Place, Container: ref.Container}]
	if owned == nil && len(rows) == 0 {
		return nil
	}
	for _, ref.Kind = range []AmountKind{Limit, Request} {
		if list := b.list(ref, amountList(live, ref.Kind), owned.Child("f:"+string(ref.Kind)), rows); list != nil {
			if j == nil {
				j.open('{')
			}
			j.key(string(ref.Kind))
			j.raw(list)
		}
	}
	if j == nil && owned.Owned() {
		j.open('{')
	}
	if j != nil {
		j.shut('}')
	}
	return j
}

// list is the object of the amounts of one kind, nil for none: those that are ours, as they are, and the rows.
func (b *bodyOf) list(ref AmountRef, live corev1.ResourceList, owned *fieldsv1.Node, rows []*AmountChange) (j jsonText) {
	var names []string
	for i := range rows {
		if rows[i].Kind == ref.Kind && rows[i].To != nil {
			names = append(names, string(rows[i].Resource))
		}
	}
	changed := func(name string) *AmountChange {
		for _, r := range rows {
			if r.Kind == ref.Kind && string(r.Resource) == name {
				return r
			}
		}
		return nil
	}
	if owned != nil {
		for i := range owned.Children {
			name, is := strings.CutPrefix(owned.Children[i].Key, "f:")
			if _, there := live[corev1.ResourceName(name)]; is && there && changed(name) == nil {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 && !owned.Owned() {
		return nil
	}
	slices.Sort(names)
	j.open('{')
	for _, name := range slices.Compact(names) {
		q := live[corev1.ResourceName(name)]
		if r := changed(name); r != nil {
			q = *r.To
		}
		text, err := canonical(q)
		if err != nil {
			ref.Resource = corev1.ResourceName(name)
			b.errs = append(b.errs, unwritable(field.NewPath("live", "template"), ref, err))
		}
		j.key(name)
		j.text(text)
	}
	j.shut('}')
	return j
}

// foreignTemplate refuses what our manager owns and a body could not keep.
func (s *scene) foreignTemplate(tree *fieldsv1.Node) field.ErrorList {
	errs := foreign(tree, []string{"f:template", "f:spec"}, "meta")
	refuse := func(keys ...string) {
		errs = append(errs, field.Forbidden(field.NewPath("live", "meta", "managedFields"),
			"our manager owns "+strings.Join(keys, " ")+", which a body of ours would give up; see Repair"))
	}
	amounts := func(n *fieldsv1.Node, at string) {
		if n == nil {
			return
		}
		for i := range n.Children {
			if k := n.Children[i].Key; k != "f:requests" && k != "f:limits" && k != fieldsv1.Self {
				refuse(at, "f:resources", k)
			}
		}
	}
	pod := podSpec(tree)
	if pod == nil {
		return errs
	}
	if pod.Owned() {
		refuse("f:spec")
	}
	for i := range pod.Children {
		switch n := &pod.Children[i]; n.Key {
		case "f:containers", "f:initContainers":
			if n.Owned() {
				refuse(n.Key)
			}
			for k := range n.Children {
				item := &n.Children[k]
				for m := range item.Children {
					if key := item.Children[m].Key; key != "f:resources" && key != "f:name" && key != fieldsv1.Self {
						refuse(n.Key, item.Key, key)
					}
				}
				amounts(item.Child("f:resources"), item.Key)
			}
		case "f:resources":
			amounts(n, "f:spec")
		case fieldsv1.Self:
		default:
			refuse(n.Key)
		}
	}
	return errs
}
