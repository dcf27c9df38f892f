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

// container adds an item if something of it is ours. The item of a container that was ours stays by its name until it is released: an apply
// that leaves out all that it had below a field removes that field with everything in it that nobody owns.
func (b *bodyOf) container(items *jsonText, place Place, c *corev1.Container, owned *fieldsv1.Node) {
	item := owned.Item(c.Name)
	r := b.resources(AmountRef{Place: place, Container: c.Name}, &c.Resources, item.Child("f:resources"))
	if r == nil && item == nil {
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

// resources is the object of limits and requests, nil for none.
func (b *bodyOf) resources(ref AmountRef, live *corev1.ResourceRequirements, owned *fieldsv1.Node) (j jsonText) {
	rows := b.rows[AmountRef{Place: ref.Place, Container: ref.Container}]
	if owned == nil && len(rows) == 0 {
		return nil
	}
	unowned := len(live.Claims) > 0 || ref.Place == InPod // of these nobody is asked
	for _, ref.Kind = range []AmountKind{Limit, Request} {
		unowned = unowned || (owned != nil && b.unowned(ref, amountList(live, ref.Kind), rows))
		if list := b.list(ref, amountList(live, ref.Kind), owned.Child("f:"+string(ref.Kind)), rows); list != nil {
			if j == nil {
				j.open('{')
			}
			j.key(string(ref.Kind))
			j.raw(list)
		}
	}
	if j == nil && owned != nil && (unowned || owned.Owned()) {
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
	if owned != nil {
		for i := range owned.Children {
			name, is := strings.CutPrefix(owned.Children[i].Key, "f:")
			if _, there := live[corev1.ResourceName(name)]; is && there && rowOf(rows, ref.Kind, name) == nil {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 && !owned.Owned() && (owned == nil || !b.unowned(ref, live, rows)) {
		return nil
	}
	slices.Sort(names)
	j.open('{')
	for _, name := range slices.Compact(names) {
		q := live[corev1.ResourceName(name)]
		if r := rowOf(rows, ref.Kind, name); r != nil {
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

// unowned says whether an amount stays that nobody owns: it would go with the list that it stands in, and with resources.
func (b *bodyOf) unowned(ref AmountRef, live corev1.ResourceList, rows []*AmountChange) bool {
	for name := range live {
		if ref.Resource = name; rowOf(rows, ref.Kind, string(name)) == nil && !b.template.has(ref) && len(b.template.others(ref)) == 0 {
			return true
		}
	}
	return false
}

func rowOf(rows []*AmountChange, kind AmountKind, name string) *AmountChange {
	for _, r := range rows {
		if r.Kind == kind && string(r.Resource) == name {
			return r
		}
	}
	return nil
}

// foreignTemplate refuses what our manager owns and a body could not keep.
func (s *scene) foreignTemplate(tree *fieldsv1.Node) field.ErrorList {
	at := field.NewPath("live", "meta", "managedFields")
	errs := foreign(tree, []string{"f:template", "f:spec"}, at)
	refuse := func(keys ...string) { errs = append(errs, notKept(at, keys)) }
	amounts := func(n *fieldsv1.Node, in string) {
		if n == nil {
			return
		}
		for i := range n.Children {
			if k := n.Children[i].Key; k != "f:requests" && k != "f:limits" && k != fieldsv1.Self {
				refuse(in, "f:resources", k)
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
