package hpacouple

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
)

// amounts returns the writes of the workload: an apply of what is set, and a JSON patch for what is taken away from somebody else.
func (d *draft) amounts() (writes []Write) {
	var set, clear []*AmountChange // to be applied; to be removed
	force := false
	for i := range d.change.Amounts {
		a := &d.change.Amounts[i]
		r, _ := d.resources(a.AmountRef)
		if r == nil {
			d.out.Stale = append(d.out.Stale, a.String())
			continue
		}
		now, ours := liveAmount(r, a.AmountRef), d.template.has(a.AmountRef)
		switch {
		case sameQuantity(now, a.To):
			continue
		case a.To == nil && d.stays(a, now, ours):
			if d.out.Stays = append(d.out.Stays, a.String()); ours { // given up, and the other owner keeps it
				set = append(set, a)
				d.taken.clear(a.AmountRef)
			}
			continue
		case !sameQuantity(now, a.From):
			d.out.Stale = append(d.out.Stale, a.String())
			continue
		}
		others, must, ok := d.claim(&d.template, a.AmountRef, d.taken.held(a.AmountRef) != nil)
		switch {
		case !ok: // contested
		case a.To == nil && ours && len(others) == 0:
			set = append(set, a)
			d.taken.clear(a.AmountRef)
		case a.To == nil:
			clear = append(clear, a)
			if d.remember(a.AmountRef, now, ours); !ours || len(others) > 0 {
				d.taken.clear(a.AmountRef)
			}
		default:
			set, force = append(set, a), force || must || d.emptyElsewhere(r, a.AmountRef)
			if !ours || len(others) > 0 {
				d.remember(a.AmountRef, now, ours)
			}
		}
	}
	d.aboveLimits()
	if len(d.out.Contested) > 0 || len(d.out.Stale) > 0 {
		return nil
	}
	if len(clear) > 0 && d.inTheWay(clear) {
		d.out.Again = true // the apply's guard would not survive the patch before it
		return []Write{d.clearing(clear)}
	}
	if len(set) > 0 {
		body, errs := d.templateBody(set, force)
		d.errs = append(d.errs, errs...)
		writes = append(writes, Write{Object: d.workloadRef(), PatchType: ApplyPatch, FieldManager: d.manager, Force: force, Body: body})
	}
	if len(clear) > 0 {
		writes = append(writes, d.clearing(clear))
	}
	return writes
}

// stays says whether an amount that the change takes away is left to who holds it by now: to who set it again, changed what we had added, or
// owns it as well. A request of which a target depends never stays, since the target would go back alone.
func (d *draft) stays(a *AmountChange, now *resource.Quantity, ours bool) bool {
	if d.o.Retake || (a.Kind == Request && d.moves(a.Resource)) {
		return false
	}
	if ours {
		return len(d.template.others(a.AmountRef)) > 0
	}
	known := d.taken.amount(a.AmountRef)
	return known != nil && (known.Held || (known.Value == nil && !sameQuantity(now, a.From)))
}

// moves says whether the change moves a target of this resource.
func (d *draft) moves(name corev1.ResourceName) bool {
	return slices.ContainsFunc(d.change.Targets, func(t TargetChange) bool { return t.Resource == name && t.From != t.To })
}

// aboveLimits finds requests that the limit in force would not let through, and those that it would stand in for: the plan was made for
// another limit, and the server would refuse the workload's half for ever.
func (d *draft) aboveLimits() {
	for i := range d.change.Amounts {
		a := &d.change.Amounts[i]
		r, _ := d.resources(a.AmountRef)
		if a.Kind != Request || r == nil || sameQuantity(liveAmount(r, a.AmountRef), a.To) {
			continue
		}
		ref := a.AmountRef
		ref.Kind = Limit
		limit := liveAmount(r, ref)
		part := slices.ContainsFunc(d.change.Amounts, func(b AmountChange) bool { return b.AmountRef == ref })
		stays := slices.Contains(d.out.Stays, ref.String())
		switch {
		case limit == nil || (part && !stays):
		case a.To == nil && !(stays && d.moves(a.Resource)):
		case a.To != nil && compare(*a.To, *limit) <= 0:
		default:
			if others := d.template.others(ref); stays && len(others) > 0 {
				d.out.Contested = append(d.out.Contested, others...)
			} else {
				d.out.Stale = append(d.out.Stale, ref.String())
			}
		}
	}
}

// emptyElsewhere says whether somebody owns the list itself while it is empty, as an owner does whose only amount in it was taken. Its first
// amount makes the list anew, which conflicts with that claim though no value of theirs is touched.
func (s *scene) emptyElsewhere(r *corev1.ResourceRequirements, ref AmountRef) bool {
	if len(amountList(r, ref.Kind)) > 0 {
		return false
	}
	for i := range s.template.entries {
		if e := &s.template.entries[i]; i != s.template.mine && ref.list(&e.tree).Owned() {
			return true
		}
	}
	return false
}

// remember stores what stood in a field that is now taken; one that is ours is remembered already, or its past is lost.
func (d *draft) remember(ref AmountRef, now *resource.Quantity, ours bool) {
	known := d.taken.held(ref)
	if ours && d.taken.amount(ref) == nil {
		return
	}
	if known != nil && known.Cleared && now == nil && !ours {
		return // absent as we left it: what was there before us is older
	}
	d.taken.remember(TakenAmount{AmountRef: ref, Value: canonicalCopy(now), Owners: d.template.others(ref)}, ours)
}

func liveAmount(r *corev1.ResourceRequirements, ref AmountRef) *resource.Quantity {
	if q, ok := amountList(r, ref.Kind)[ref.Resource]; ok {
		return &q
	}
	return nil
}

// inTheWay says whether a new request is above a limit that is about to be taken away.
func (d *draft) inTheWay(clear []*AmountChange) bool {
	for _, limit := range clear {
		for i := range d.change.Amounts {
			a := &d.change.Amounts[i]
			if limit.Kind == Limit && a.Kind == Request && a.To != nil && a.Container == limit.Container && a.Place == limit.Place &&
				a.Resource == limit.Resource && compare(*a.To, *limit.From) > 0 {
				return true
			}
		}
	}
	return false
}

// clearing removes amounts by a JSON patch. Each is tested for its name and value: where something has changed nothing is written.
func (d *draft) clearing(clear []*AmountChange) Write {
	var p patch
	for _, a := range clear {
		_, index := d.resources(a.AmountRef)
		p.testContainer(a.AmountRef, index)
		at := amountPointer(a.AmountRef, index)
		p.op("test", at, textOf(*a.From))
		p.op("remove", at, nil)
	}
	return Write{Object: d.workloadRef(), PatchType: JSONPatch, FieldManager: d.manager, Body: p.body()}
}

// amountPointer is the place of an amount in the object.
func amountPointer(ref AmountRef, index int) string {
	keys := []string{"spec", "template", "spec"}
	if ref.Place != InPod {
		keys = append(keys, string(ref.Place), strconv.Itoa(index))
	}
	return fieldsv1.Pointer(append(keys, "resources", string(ref.Kind), string(ref.Resource))...)
}

// canonical is the text of an amount as the API server stores it. Errors: those of [exact.Milli].
func canonical(q resource.Quantity) (string, error) {
	if _, err := exact.Milli(q); err != nil {
		return "", err
	}
	return asStored(q), nil
}

// asStored is the text of what the text of a quantity reads as, as the API server stores it.
func asStored(q resource.Quantity) string {
	c := q.DeepCopy()
	t := c.String()
	if c.Format != resource.BinarySI { // other formats read back as they were
		return t
	}
	again, err := resource.ParseQuantity(t)
	if err != nil {
		return t
	}
	return again.String()
}

// canonicalCopy is a copy that prints as the API server stores it.
func canonicalCopy(q *resource.Quantity) *resource.Quantity {
	if q == nil {
		return nil
	}
	if t, err := canonical(*q); err == nil {
		if c, err := resource.ParseQuantity(t); err == nil {
			return &c
		}
	}
	return copied(q)
}

// textOf is an amount as JSON; the amounts of a change and of a memory were checked.
func textOf(q resource.Quantity) []byte {
	t, err := canonical(q)
	if err != nil {
		t = text(q)
	}
	return []byte(fieldsv1.Quote(t))
}

// unwritable is an amount of the live object that no body can hold.
func unwritable(at *field.Path, ref AmountRef, err error) *field.Error {
	return field.Invalid(at, ref.String(), "is ours and cannot be written again: "+err.Error())
}
