package hpacouple

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// result writes down what was decided.
func (p *planner) result() Result {
	r := Result{
		Workload:    p.in.Workload,
		Outcome:     p.outcome.kind,
		SkipReasons: p.outcome.skips,
		Cause:       p.outcome.cause,
		Missing:     p.outcome.missing,
		Working:     p.working,
		HPA:         refOf(p.in.HPA),
	}
	r.State = p.nextState()
	if p.anchored != nil {
		r.Standing = p.anchored.standing
	}
	if len(r.SkipReasons) > 0 {
		r.SkipReason = r.SkipReasons[0]
	}
	if len(p.coupled) > 0 {
		r.Targets = make([]TargetPlan, 0, len(p.coupled))
	}
	for _, e := range p.coupled {
		r.Targets = append(r.Targets, p.targetPlan(e))
	}
	r.Containers = p.containerPlans()
	r.Footprints = p.footprints()
	r.Findings = p.findings()
	r.RiskFlags = p.flags(r.Findings)
	r.Observed = observe(p.in.Pod.Spec, p.in.HPA, p.entriesOf(p.in.HPA))
	return r
}

func refOf(hpa *autoscalingv2.HorizontalPodAutoscaler) HPARef {
	if hpa == nil {
		return HPARef{}
	}
	return HPARef{Namespace: hpa.Namespace, Name: hpa.Name, UID: hpa.UID}
}

func (p *planner) targetPlan(e metrics.Entry) TargetPlan {
	t := TargetPlan{Type: e.Type, Resource: e.Resource, Container: e.Container, From: e.Utilization, To: e.Utilization, Exact: fraction(int64(e.Utilization), 1, 1)}
	if w := p.working; w != nil && w.Resource == e.Resource {
		t.To = p.target
		kept := p.kept(e)
		t.Exact = fraction(kept.Requests, int64(kept.Target), w.New)
		t.Wanted = fraction(kept.Requests, int64(kept.Target), w.Wanted)
	}
	return t
}

// containerPlans lists what was asked for and what counts, container by container.
func (p *planner) containerPlans() []ContainerPlan {
	count := 0
	for _, cells := range p.byResource {
		for i := range cells {
			if cells[i].reported() {
				count++
			}
		}
	}
	if count == 0 {
		return nil
	}
	out := make([]ContainerPlan, 0, count)
	for i := range p.byResource[0] {
		for _, cells := range p.byResource {
			if c := &cells[i]; c.reported() {
				out = append(out, p.containerPlan(c))
			}
		}
	}
	return out
}

func (c *cell) reported() bool { return c.asked || c.limitAsked || c.counted || c.locked }

func (p *planner) containerPlan(c *cell) ContainerPlan {
	out := ContainerPlan{Name: c.Name, Role: c.Role, Injected: c.Injected, Resource: c.resource, Source: c.Request.Source,
		BoundBy: c.by, Locked: c.locked, Counted: c.counted, From: c.Request.Quantity(), LimitFrom: c.Limit.Quantity()}
	if c.asked {
		out.Recommended = c.quantity(c.recommended)
	}
	if c.Request.Present() || c.arises() {
		out.Settled, out.To = c.quantity(c.settled), c.quantity(c.final)
	}
	if !c.Request.Present() && !c.changes() {
		out.To = nil
		if c.zeroes() {
			out.To = c.quantity(0)
		}
	}
	out.LimitTo = c.Limit.Quantity()
	if c.limitAsked {
		out.LimitAsked, out.LimitDefaulted = c.limitAfter.Quantity(), c.limitAfter.Source == metrics.SourceLimitRange
		if p.outcome.kind != Skip && p.outcome.kind != NoChange {
			out.LimitTo = c.limitAfter.Quantity()
		}
	}
	return out
}

// footprints adds up the requests of containers and sidecars. A sum beyond int64 is left out.
func (p *planner) footprints() []Footprint {
	out := make([]Footprint, 0, len(allSized))
	for r, cells := range p.byResource {
		var from, recommended, to int64
		fits := len(cells) > 0
		add := func(sum *int64, m int64) {
			s, ok := exact.Add(*sum, m)
			*sum, fits = s, fits && ok
		}
		for i := range cells {
			if c := &cells[i]; c.Role != metrics.RoleInit {
				add(&from, c.Request.Milli)
				add(&recommended, c.settled)
				add(&to, c.final)
			}
		}
		if fits {
			format := resource.DecimalSI
			if r == 1 {
				format = resource.BinarySI
			}
			out = append(out, Footprint{Resource: allSized[r], From: exact.Quantity(from, format), Recommended: exact.Quantity(recommended, format), To: exact.Quantity(to, format)})
		}
	}
	return out
}

// Observe returns what a plan for this template and HPA would depend on: the HPA's entries after the API server's defaults, and the written
// requests and limits. Either may be nil.
func Observe(spec *corev1.PodSpec, hpa *autoscalingv2.HorizontalPodAutoscaler) Observed {
	if hpa == nil {
		return observe(spec, nil, nil)
	}
	return observe(spec, hpa, metrics.Classify(&hpa.Spec))
}

func observe(spec *corev1.PodSpec, hpa *autoscalingv2.HorizontalPodAutoscaler, entries []metrics.Entry) Observed {
	o := Observed{HPA: refOf(hpa), Entries: entries}
	if spec == nil {
		return o
	}
	o.Amounts = make([]ObservedAmount, 0, len(spec.Containers)+len(spec.InitContainers))
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			for _, name := range allSized {
				a := ObservedAmount{Container: list[i].Name, Resource: name,
					Request: written(list[i].Resources.Requests, name), Limit: written(list[i].Resources.Limits, name)}
				if a.Request != nil || a.Limit != nil {
					o.Amounts = append(o.Amounts, a)
				}
			}
		}
	}
	return o
}

func written(list corev1.ResourceList, name corev1.ResourceName) *resource.Quantity {
	q, ok := list[name]
	if !ok {
		return nil
	}
	if m, err := exact.Milli(q); err == nil {
		if c := exact.Quantity(m, q.Format); c.Cmp(q) == 0 {
			return &c // canonical text
		}
	}
	c := q.DeepCopy() // a fraction of a thousandth stays what it is
	return &c
}

// Same says whether two observations are of the same state. The order of entries and containers does not matter, nor does the spelling of an
// amount; another HPA object of the same name does (by uid, where both are known).
func (o Observed) Same(other Observed) bool {
	if o.HPA.Name != other.HPA.Name || (o.HPA.UID != "" && other.HPA.UID != "" && o.HPA.UID != other.HPA.UID) {
		return false
	}
	return sameSet(o.Entries, other.Entries, sameEntry) && sameSet(o.Amounts, other.Amounts, sameAmount)
}

// sameSet compares two lists as multisets.
func sameSet[T any](a, b []T, same func(a, b T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	left := slices.Clone(b)
	for _, x := range a {
		i := slices.IndexFunc(left, func(y T) bool { return same(x, y) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

func sameEntry(a, b metrics.Entry) bool {
	return a.Type == b.Type && a.Resource == b.Resource && a.Container == b.Container && a.Metric == b.Metric && a.Target == b.Target &&
		a.Utilization == b.Utilization && sameQuantity(a.Value, b.Value)
}

func sameAmount(a, b ObservedAmount) bool {
	return a.Container == b.Container && a.Resource == b.Resource && sameQuantity(a.Request, b.Request) && sameQuantity(a.Limit, b.Limit)
}

// sameQuantity compares two quantities, nil meaning absent. Copies are compared, by text first: two monstrous exponents are never expanded.
func sameQuantity(a, b *resource.Quantity) bool {
	if a == nil || b == nil {
		return a == b
	}
	if text(*a) == text(*b) {
		return true
	}
	x, errX := exact.Milli(*a)
	y, errY := exact.Milli(*b)
	return errX == nil && errY == nil && x == y && a.Cmp(*b) == 0
}
