package hpacouple

import (
	"slices"
	"strconv"
	"unicode/utf8"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// +kubebuilder:object:generate=true

// Change is what an admitted plan changes, as one value: it can be stored, sent, written ([Change.Writes]), recorded and reversed. It holds
// the amounts as they are *written* in the pod template; an amount that only stands in for another (a limit for a missing request) is absent.
// The zero Change is none, and has no JSON: a field for a change that may not be there is a pointer.
type Change struct {
	Workload Workload `json:"workload"`
	// HPA is the HPA whose target changes with the requests; its name is empty where requests change alone.
	HPA HPARef `json:"hpa"`
	// Strategy is Rollout.
	Strategy Strategy `json:"strategy"`
	// Amounts are the requests and limits that change, in the order of the pod, cpu before memory, a request before its limit.
	// +listType=atomic
	Amounts []AmountChange `json:"amounts,omitempty"`
	// Targets are the entries of the HPA that belong to the change. From may equal To: then the HPA is not written.
	// +listType=atomic
	Targets []TargetChange `json:"targets,omitempty"`
	// State is what to store before the change is written, and again before its reverse is: it knows the pairs before and after, with the
	// anchor and the last applied pair as they were. nil where the plan had none or an empty one.
	State *State `json:"state,omitempty"`
}

// AmountRef names one request or limit of a pod template.
type AmountRef struct {
	Place Place `json:"place"`
	// Container is empty for the pod's own amounts.
	Container string              `json:"container,omitempty"`
	Resource  corev1.ResourceName `json:"resource"`
	Kind      AmountKind          `json:"kind"`
}

// +kubebuilder:object:generate=true

// AmountChange is one request or limit before and after. nil is absent, which is not 0.
type AmountChange struct {
	AmountRef `json:",inline"`
	From      *resource.Quantity `json:"from,omitempty"`
	To        *resource.Quantity `json:"to,omitempty"`
}

// TargetRef names one entry of an HPA. Entries are found by it, never by their index: clients of autoscaling/v1 reorder the list.
type TargetRef struct {
	// Type is Resource or ContainerResource.
	Type      autoscalingv2.MetricSourceType `json:"type"`
	Resource  corev1.ResourceName            `json:"resource"`
	Container string                         `json:"container,omitempty"`
}

// TargetChange is the target of one entry before and after, in whole percent.
type TargetChange struct {
	TargetRef `json:",inline"`
	From      int32 `json:"from"`
	To        int32 `json:"to"`
}

// ChangeOf returns what a plan changes; ok is false where that is nothing: outcomes Skip and NoChange, and a plan without a changed request
// (limits travel with requests). For Uncoupled it is the workload's half alone.
//
// A container whose request is absent and whose limit changes gets its request written, since the limit stood in for it and the request sum
// would move by itself. Containers that were injected are not in the template and cannot be changed there.
// The plan is neither written to nor aliased. Source: protocol A2, A3, A9.
func ChangeOf(plan Result) (c Change, ok bool) {
	if plan.Outcome != Coordinate && plan.Outcome != Uncoupled {
		return Change{}, false
	}
	c = Change{Workload: plan.Workload, Strategy: Rollout, Amounts: make([]AmountChange, 0, 2*len(plan.Containers))}
	if plan.State != nil && !plan.State.Empty() {
		c.State = plan.State.DeepCopy()
	}
	for i := range plan.Containers {
		p := &plan.Containers[i]
		if p.Injected {
			continue
		}
		written := plan.Observed.amount(p.Name, p.Resource)
		ref := AmountRef{Place: placeOf(p.Role), Container: p.Name, Resource: p.Resource, Kind: Request}
		limit, changes := p.writtenLimit(written.Limit)
		if p.Changes() {
			ok = true
		}
		if p.Changes() || (changes && written.Request == nil && p.To != nil) {
			c.Amounts = append(c.Amounts, AmountChange{AmountRef: ref, From: copied(written.Request), To: copied(p.To)})
		}
		if ref.Kind = Limit; changes {
			c.Amounts = append(c.Amounts, AmountChange{AmountRef: ref, From: copied(written.Limit), To: copied(limit)})
		}
	}
	if !ok {
		return Change{}, false
	}
	if plan.Outcome == Coordinate {
		c.HPA = plan.HPA
		for _, t := range plan.Targets {
			c.Targets = append(c.Targets, TargetChange{TargetRef: TargetRef{Type: t.Type, Resource: t.Resource, Container: t.Container}, From: t.From, To: t.To})
		}
	}
	return c, true
}

func placeOf(r metrics.Role) Place {
	if r == metrics.RoleContainer {
		return InContainers
	}
	return InInitContainers
}

// amount is the written amounts of a container; both are nil where there are none.
func (o *Observed) amount(container string, name corev1.ResourceName) ObservedAmount {
	for i := range o.Amounts {
		if a := &o.Amounts[i]; a.Container == container && a.Resource == name {
			return *a
		}
	}
	return ObservedAmount{}
}

// writtenLimit is the limit that the template has after the change, and whether that is another one.
func (c *ContainerPlan) writtenLimit(before *resource.Quantity) (after *resource.Quantity, changes bool) {
	switch {
	case c.LimitAsked != nil && !c.LimitDefaulted:
		after = c.LimitTo
	case c.LimitAsked != nil || (c.LimitFrom != nil && c.LimitTo == nil): // taken away
	default:
		return before, false
	}
	return after, !sameAmountOf(before, after)
}

// sameAmountOf compares two amounts as a plan does: in thousandths, rounded up.
func sameAmountOf(a, b *resource.Quantity) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, errX := exact.Milli(*a)
	y, errY := exact.Milli(*b)
	return errX == nil && errY == nil && x == y
}

func copied(q *resource.Quantity) *resource.Quantity {
	if q == nil {
		return nil
	}
	c := q.DeepCopy()
	return &c
}

// Reverse returns the change that puts everything back as it was: requests, limits and target exactly, what was absent absent again. Its state is
// the change's own, in which anchor and last applied are those from before the change.
// The reverse of the reverse is the change. Law H3. Source: protocol A10.
func (c Change) Reverse() Change {
	r := c.DeepCopy()
	for i := range r.Amounts {
		r.Amounts[i].From, r.Amounts[i].To = r.Amounts[i].To, r.Amounts[i].From
	}
	for i := range r.Targets {
		r.Targets[i].From, r.Targets[i].To = r.Targets[i].To, r.Targets[i].From
	}
	return *r
}

// Validate returns what cannot be meant: a word that is not in its list, an amount that is negative or whose thousandths pass int64, a target
// below 1, one amount or entry twice, targets without an HPA, a workload without apiVersion, kind or name.
func (c Change) Validate() (errs field.ErrorList) {
	return c.validate(nil)
}

func (c *Change) validate(errs field.ErrorList) field.ErrorList {
	at := func(name string) *field.Path { return field.NewPath(name) }
	if !c.Strategy.Valid() {
		errs = append(errs, field.NotSupported(at("strategy"), c.Strategy, Strategies()))
	}
	errs = append(errs, c.Workload.validate()...)
	for i := range c.Amounts {
		a := &c.Amounts[i]
		row := func(name string) *field.Path { return at("amounts").Index(i).Child(name) }
		errs = a.AmountRef.validate(errs, row)
		for _, v := range []struct {
			name string
			q    *resource.Quantity
		}{{"from", a.From}, {"to", a.To}} {
			if v.q == nil {
				continue
			}
			if _, err := exact.Milli(*v.q); err != nil {
				errs = append(errs, field.Invalid(row(v.name), rangeText(*v.q, err), err.Error()))
			}
		}
		if slices.ContainsFunc(c.Amounts[:i], func(b AmountChange) bool { return b.AmountRef == a.AmountRef }) {
			errs = append(errs, field.Duplicate(at("amounts").Index(i), a.AmountRef.String()))
		}
	}
	for i := range c.Targets {
		t := &c.Targets[i]
		row := func(name string) *field.Path { return at("targets").Index(i).Child(name) }
		if t.Type != autoscalingv2.ResourceMetricSourceType && t.Type != autoscalingv2.ContainerResourceMetricSourceType {
			errs = append(errs, field.NotSupported(row("type"), t.Type,
				[]autoscalingv2.MetricSourceType{autoscalingv2.ResourceMetricSourceType, autoscalingv2.ContainerResourceMetricSourceType}))
		}
		if t.From < 1 {
			errs = append(errs, field.Invalid(row("from"), t.From, "must be at least 1"))
		}
		if t.To < 1 {
			errs = append(errs, field.Invalid(row("to"), t.To, "must be at least 1"))
		}
		if slices.ContainsFunc(c.Targets[:i], func(b TargetChange) bool { return b.TargetRef == t.TargetRef }) {
			errs = append(errs, field.Duplicate(at("targets").Index(i), t.TargetRef.String()))
		}
	}
	if len(c.Targets) > 0 && c.HPA.Name == "" {
		errs = append(errs, field.Required(at("hpa").Child("name"), "the HPA of the targets"))
	}
	return errs
}

// rangeText prints an amount, but for one whose text would be monstrous.
func rangeText(q resource.Quantity, err error) string {
	if err == exact.ErrRange {
		return "(too large)"
	}
	return text(q)
}

func (w Workload) validate() (errs field.ErrorList) {
	for _, f := range []struct{ name, value string }{{"apiVersion", w.APIVersion}, {"kind", w.Kind}, {"name", w.Name}} {
		if f.value == "" {
			errs = append(errs, field.Required(field.NewPath("workload", f.name), "a write names its object in full"))
		}
	}
	return errs
}

func (a AmountRef) validate(errs field.ErrorList, at func(string) *field.Path) field.ErrorList {
	if !a.Place.Valid() {
		errs = append(errs, field.NotSupported(at("place"), a.Place, Places()))
	}
	if !a.Kind.Valid() {
		errs = append(errs, field.NotSupported(at("kind"), a.Kind, AmountKinds()))
	}
	if a.Resource == "" || !utf8.ValidString(string(a.Resource)) {
		errs = append(errs, field.Invalid(at("resource"), a.Resource, "must be the name of a resource"))
	}
	if (a.Container == "") != (a.Place == InPod) || !utf8.ValidString(a.Container) {
		errs = append(errs, field.Invalid(at("container"), a.Container, "must be the name of a container, and empty for the pod's own amounts"))
	}
	return errs
}

// String returns the field's path as the API server prints it in a conflict:
// spec.template.spec.containers[name="app"].resources.requests.cpu.
func (a AmountRef) String() string {
	path := "spec.template.spec."
	if a.Place != InPod {
		path += string(a.Place) + "[name=" + strconv.Quote(a.Container) + "]."
	}
	return path + "resources." + string(a.Kind) + "." + string(a.Resource)
}

// String returns the entry in words: cpu, or cpu of container app.
func (t TargetRef) String() string {
	if t.Container == "" {
		return string(t.Resource)
	}
	return string(t.Resource) + " of container " + t.Container
}
