package hpacouple

import (
	"cmp"
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/risk"
)

// ReleaseOptions say what is released, and how. The zero value of each field is its default.
type ReleaseOptions struct {
	// FieldManager is the manager whose fields are given up. Default: [risk.DefaultFieldManager], kerf.
	FieldManager string `json:"fieldManager,omitempty"`
	// Taken is what is remembered of former owners and values. Without it fields belong to nobody afterwards, and values stay.
	Taken Taken `json:"taken"`
	// Back lets the values go back as well: rollback and release in one. Default: values stay as they are.
	Back bool `json:"back,omitempty"`
	// Resources and Containers narrow the release: a resource that leaves auto-patch (with the HPA, where it measures that resource), a
	// container that does (without the HPA). Default: everything.
	Resources  []corev1.ResourceName `json:"resources,omitempty"`
	Containers []string              `json:"containers,omitempty"`
	// NoManagedFields is that of [WriteOptions].
	NoManagedFields bool `json:"noManagedFields,omitempty"`
}

// Releasing is what [Release] returns.
type Releasing struct {
	// Writes in the order in which to send them; none where nothing is ours any more.
	Writes []Write `json:"writes,omitempty"`
	// Again says that more is to be done: send the writes, read the objects again, and ask again with the same options.
	Again bool `json:"again,omitempty"`
	// Taken is what is still to be remembered once the writes have been answered.
	Taken Taken `json:"taken"`
	// Left are objects in which something is remembered as ours and that were not given: read each and ask again. An HPA that is gone is
	// forgotten ([Taken.WithoutHPA]).
	Left []ObjectRef `json:"left,omitempty"`
	// Kept are fields whose value does not go back although Back asks for it: nobody remembers it, somebody else holds the field by now, or
	// as well, or one of these is the other half of the pair. Requests and target of one resource go back together or not at all.
	Kept []string `json:"kept,omitempty"`
}

// Release returns the requests that give our fields up, in part or in whole: protocol A10. No value changes unless Back asks for it.
//
//	D  one JSON patch takes our entry, or a part of it, out of managedFields: the fields belong to nobody
//	R  the same patch gives a field back to who owned it by update before, as it was spelled, making the entry anew where it is gone
//
// R for each field that is remembered as owned by update and that nobody else owns by now; D for all others: owned by apply before (an applier
// that has left the field out since would remove it), by nobody, not remembered, co-owned. With Back
//
//   - one JSON patch in the former owner's name sets the old values and takes our entry out, where one owner by update had every field of
//     the object that is ours, and every value changes;
//   - otherwise our manager applies the old values first, and what was absent is left out; Again is set, and the fields are released after.
//
// Requests and target of one resource go back together or not at all: where one of them cannot (edited, co-owned, its container gone, not
// remembered, a limit in force below the old request, a container released alone) both keep their values, are released, and stand in Kept.
//
// An empty apply is never sent: of a sole owner it would remove the fields, the target would become 80 % cpu and the request vanish, and with
// them everything below .spec that nobody owns.
// Every patch tests what it relies on; where something has changed it fails as a whole (422) and the caller reads again. Entries of
// subresources are never touched. An annotation or label that our manager applies stays ours.
//
// The HPA that is released is the one that Taken names, whatever it scales by now, or one of the workload's. Others in which our manager owns
// something are released one by one, each without a memory of metrics.
//
// Errors: live objects that are missing or are others than the workload, or than the HPA that Taken names; with Back, an object of the pair that is not given; managedFields that
// are missing or cannot be read; a memory that cannot be meant; and where our manager has to apply old values, fields of ours that a body cannot
// keep (see [Repair]; a release without Back takes them out). Nothing is written to or aliased. Source: docs/reference/ownership.md, the table and rules 24 to 37.
func Release(w Workload, live Live, o ReleaseOptions) (Releasing, field.ErrorList) {
	errs := append(w.validate(), o.Taken.check(live, o.FieldManager)...)
	if live.Meta == nil && live.HPA == nil {
		errs = append(errs, field.Required(field.NewPath("live"), "the live workload's metadata, the live HPA, or both"))
	}
	if o.Back && live.Meta != nil && live.Template == nil {
		errs = append(errs, field.Required(field.NewPath("live", "template"), "the live pod template, whose values are to go back"))
	}
	if live.HPA != nil && (o.Taken.HPAName == "" || o.Taken.HPAName != live.HPA.Name) {
		errs = append(errs, notScaled(w, live.HPA)...)
	}
	s, more := sceneOf(w, live, cmp.Or(o.FieldManager, o.Taken.FieldManager), o.NoManagedFields)
	if errs = append(errs, more...); len(errs) > 0 {
		return Releasing{}, sorted(errs)
	}
	r := release{scene: s, o: &o, taken: o.Taken.of(live)}
	if bad := r.halfGiven(); bad != nil {
		return Releasing{}, field.ErrorList{bad}
	}
	r.halves()
	var hpa, workload *Write
	if live.HPA != nil && r.wantsHPA() {
		hpa = r.hpaWrite()
	}
	if live.Meta != nil {
		workload = r.workloadWrite()
	}
	if len(r.errs) > 0 {
		return Releasing{}, sorted(r.errs)
	}
	for _, write := range []*Write{hpa, workload} {
		if write != nil {
			r.out.Writes = append(r.out.Writes, *write)
		}
	}
	if len(r.out.Writes) == 2 && r.requestsFirst {
		slices.Reverse(r.out.Writes)
	}
	r.forget()
	r.left()
	return r.out, nil
}

// notScaled refuses an HPA of another workload.
func notScaled(w Workload, hpa *autoscalingv2.HorizontalPodAutoscaler) field.ErrorList {
	if w.scaledBy(hpa) {
		return nil
	}
	ref := hpa.Spec.ScaleTargetRef
	return field.ErrorList{field.Invalid(field.NewPath("live", "hpa", "spec", "scaleTargetRef"), named(ref.APIVersion, hpa.Namespace, ref.Kind, ref.Name),
		"is not the workload, "+named(w.APIVersion, w.Namespace, w.Kind, w.Name))}
}

// release is one release on its way to writes.
type release struct {
	scene
	o     *ReleaseOptions
	taken Taken
	out   Releasing
	errs  field.ErrorList

	stay map[corev1.ResourceName]bool // resources whose values do not go back

	requestsFirst    bool
	hpaDone, podDone bool // released by these writes, not in a next round
}

// wants says whether an amount is to be released; one without a resource stands for its container.
func (r *release) wants(ref AmountRef) bool {
	return (ref.Resource == "" || r.wantsResource(ref.Resource)) &&
		(len(r.o.Containers) == 0 || slices.Contains(r.o.Containers, ref.Container))
}

func (r *release) wantsResource(name corev1.ResourceName) bool {
	return len(r.o.Resources) == 0 || slices.Contains(r.o.Resources, name)
}

// whole says that everything is to be released.
func (r *release) whole() bool { return len(r.o.Resources) == 0 && len(r.o.Containers) == 0 }

func (r *release) wantsHPA() bool {
	if len(r.o.Containers) > 0 {
		return false
	}
	if len(r.o.Resources) == 0 {
		return true
	}
	list := liveMetrics(&r.live.HPA.Spec)
	for i := range list {
		if ref, target := targetOf(&list[i]); target != nil && slices.Contains(r.o.Resources, ref.Resource) {
			return true
		}
	}
	return false
}

// forget drops from the memory what these writes release.
func (r *release) forget() {
	if r.out.Again {
		r.out.Taken = r.taken
		return
	}
	if r.hpaDone {
		r.taken.Metrics = r.taken.Metrics.others(r.wantsResource)
	}
	if r.podDone {
		r.taken.Amounts = slices.DeleteFunc(r.taken.Amounts, func(a TakenAmount) bool {
			return r.wants(a.AmountRef) && !(a.Kind == Request && r.taken.Metrics.knows(a.Resource))
		})
		for i := range r.taken.Amounts { // released, but its target is still ours, and must not go back without it
			if a := &r.taken.Amounts[i]; r.wants(a.AmountRef) {
				a.Held, a.Cleared, a.Owners = false, false, nil
			}
		}
		if len(r.taken.Amounts) == 0 {
			r.taken.Amounts = nil
		}
	}
	if r.taken.Metrics == nil && r.taken.Amounts == nil {
		r.taken = Taken{}
	}
	r.out.Taken = r.taken
}

// left names what is remembered and asked for, and was not given.
func (r *release) left() {
	t := &r.out.Taken
	if m := t.Metrics; m != nil && r.live.HPA == nil && len(r.o.Containers) == 0 &&
		(len(r.o.Resources) == 0 || slices.ContainsFunc(m.Targets, func(t TakenTarget) bool { return r.wantsResource(t.Resource) })) {
		r.out.Left = append(r.out.Left, ObjectRef{APIVersion: autoscalingV2, Kind: hpaKind, Namespace: r.namespace(), Name: t.HPAName})
	}
	if r.live.Meta == nil && slices.ContainsFunc(t.Amounts, func(a TakenAmount) bool { return r.wants(a.AmountRef) }) {
		r.out.Left = append(r.out.Left, r.workloadRef())
	}
}

// hpaWrite releases the HPA's metrics; nil where they are not ours.
func (r *release) hpaWrite() *Write {
	r.hpaDone = true
	if r.o.Back {
		if w := r.metricsBack(); w != nil {
			return w
		}
	}
	tree := r.hpa.ours()
	if tree == nil {
		return nil
	}
	f := metricsPlace{}
	var back []given
	if m := r.taken.Metrics; m != nil && r.hpa.has(f) && len(r.hpa.others(f)) == 0 {
		back = append(back, given{f, m.Owners})
	}
	return r.giveUp(r.hpaRef(), &r.hpa, back, partsOf(tree, nil))
}

// workloadWrite releases the workload's amounts; nil where none is ours.
func (r *release) workloadWrite() *Write {
	r.podDone = true
	if r.o.Back {
		if w := r.amountsBack(); w != nil {
			return w
		}
	}
	tree := r.template.ours()
	if tree == nil {
		return nil
	}
	var back []given
	for i := range r.taken.Amounts {
		a := &r.taken.Amounts[i]
		if r.wants(a.AmountRef) && r.template.has(a.AmountRef) && len(r.template.others(a.AmountRef)) == 0 {
			back = append(back, given{a.AmountRef, a.Owners})
		}
	}
	var wants func(AmountRef) bool
	if !r.whole() {
		wants = r.wants
	}
	return r.giveUp(r.workloadRef(), &r.template, back, partsOf(tree, wants))
}

// Validate returns what cannot be meant: a word that is not in its list, an amount that is negative or whose thousandths pass int64, a target
// below 1, one amount twice, an owner that no API server could read. [Change.Writes] and [Release] refuse it.
func (t Taken) Validate() (errs field.ErrorList) {
	at := field.NewPath("taken")
	for i := range t.Amounts {
		a := &t.Amounts[i]
		row := func(name string) *field.Path { return at.Child("amounts").Index(i).Child(name) }
		errs = a.AmountRef.validate(errs, row)
		if a.Value != nil {
			if _, err := exact.Milli(*a.Value); err != nil {
				errs = append(errs, field.Invalid(row("value"), rangeText(*a.Value, err), err.Error()))
			}
		}
		errs = validateOwners(errs, a.Owners, row("owners"))
		if first := t.amount(a.AmountRef); first != a {
			errs = append(errs, field.Duplicate(at.Child("amounts").Index(i), a.String()))
		}
	}
	if t.Metrics != nil {
		errs = validateOwners(errs, t.Metrics.Owners, at.Child("metrics", "owners"))
		for i, target := range t.Metrics.Targets {
			if target.Target < 1 {
				errs = append(errs, field.Invalid(at.Child("metrics", "targets").Index(i).Child("target"), fmt.Sprint(target.Target), "must be at least 1"))
			}
		}
	}
	return errs
}

// validateOwners refuses owners that no API server could read in managedFields: it would ignore the whole patch.
func validateOwners(errs field.ErrorList, owners []risk.Owner, at *field.Path) field.ErrorList {
	for i, o := range owners {
		if !readable(o.Operation, o.APIVersion) {
			errs = append(errs, field.Invalid(at.Index(i), o.Manager, "needs an operation, Apply or Update, and an apiVersion"))
		}
	}
	return errs
}
