package hpacouple

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
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
		r.addTargets(p, p.in.HPA)
		for _, hpa := range p.in.OtherHPAs {
			r.addTargets(p, hpa)
		}
	}
	r.Containers = p.containerPlans()
	r.Footprints = p.footprints()
	r.Findings = p.findings()
	if len(r.Findings) > 0 {
		r.RiskFlags = risk.Flags(r.Findings)
	}
	r.Observed = p.observed()
	return r
}

func refOf(hpa *autoscalingv2.HorizontalPodAutoscaler) HPARef {
	if hpa == nil {
		return HPARef{}
	}
	return HPARef{Namespace: hpa.Namespace, Name: hpa.Name, UID: hpa.UID}
}

// addTargets adds the coupled entries of one HPA.
func (r *Result) addTargets(p *planner, hpa *autoscalingv2.HorizontalPodAutoscaler) {
	for _, e := range p.entriesOf(hpa) {
		if e.Coupled() {
			r.Targets = append(r.Targets, p.targetPlan(hpa.Name, e))
		}
	}
}

func (p *planner) targetPlan(hpa string, e metrics.Entry) TargetPlan {
	t := TargetPlan{HPA: hpa, Type: e.Type, Resource: e.Resource, Container: e.Container, From: e.Utilization, To: e.Utilization, Exact: fraction(int64(e.Utilization), 1, 1)}
	if w := p.working; w != nil && w.Resource == e.Resource {
		t.To = p.target
		kept := p.kept(e)
		t.Exact = fraction(kept.Requests, int64(kept.Target), w.New)
		if t.Wanted = t.Exact; w.Wanted != w.New {
			t.Wanted = fraction(kept.Requests, int64(kept.Target), w.Wanted)
		}
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
				add(&recommended, c.wanted)
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
