package hpacouple

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// findings asks package risk about the present state. An HPA that names a DaemonSet scales nothing, so nothing is asked about it.
func (p *planner) findings() []risk.Finding {
	in := risk.Input{
		Workload:       risk.Object{Kind: p.in.Workload.Kind, Namespace: p.in.Workload.Namespace, Name: p.in.Workload.Name},
		Pod:            p.in.Pod,
		TemplateLabels: p.in.TemplateLabels,
		WorkloadMeta:   p.in.Meta,
		SpecReplicas:   p.in.Surroundings.SpecReplicas,
		VPA:            p.in.Surroundings.VPA,
		Services:       p.in.Surroundings.Services,
		Pods:           p.in.Surroundings.Pods,
		NodeZones:      p.in.Surroundings.NodeZones,
		ControlPlane:   p.in.Surroundings.ControlPlane,
		LargestNode:    p.in.Options.LargestNode,
		FieldManager:   p.in.Options.FieldManager,
		Tolerance:      p.in.Options.Tolerance,
	}
	if p.hpas > 0 {
		in.HPA, in.OtherHPAs = p.in.HPA, p.in.OtherHPAs
	}
	for i := range p.in.Recommendations {
		r := &p.in.Recommendations[i]
		if r.OOMKilled {
			in.OOMKilled = append(in.OOMKilled, r.Container)
		}
		if r.Throttled {
			in.Throttled = append(in.Throttled, r.Container)
		}
	}
	found := risk.Check(in)
	if len(found) == 0 {
		return nil
	}
	return found
}

// flags adds the flags that the plan itself decides to those of the surroundings; each one's rule stands in the catalogue.
func (p *planner) flags(found []risk.Finding) []skipreason.RiskFlag {
	raised := make([]skipreason.RiskFlag, 0, 8)
	for _, f := range found {
		raised = append(raised, f.Flag)
	}
	raise := func(f skipreason.RiskFlag, when bool) {
		if when {
			raised = append(raised, f)
		}
	}
	for _, e := range p.coupled {
		target := e.Utilization
		if p.working != nil && p.working.Resource == e.Resource {
			target = p.target
		}
		raise(skipreason.FlagTargetOutsideBounds, p.autoPatch(e.Resource) && !p.bounds.Contains(int64(target)))
	}
	if w := p.working; w != nil {
		raise(skipreason.FlagTargetUnreachable, !w.Reach.Reachable)
		raise(skipreason.FlagTriggerNearLimit, w.Reach.Near)
		raise(skipreason.FlagHalfChange, p.anchored != nil && p.anchored.standing.Half())
		raise(skipreason.FlagPodLevelRequests, w.Basis == metrics.BasisPodLevel && anyAsked(p.cellsOf(w.Resource)))
	}
	for i := range p.in.Recommendations {
		raise(skipreason.FlagThrottled, p.in.Recommendations[i].Throttled)
		raise(skipreason.FlagOOMKilled, p.in.Recommendations[i].OOMKilled)
	}
	raise(skipreason.FlagQoSChange, p.qos(false) != p.qos(true))
	raise(skipreason.FlagTinyMemory, p.tinyMemory())
	raise(skipreason.FlagRequestBeyondNode, p.beyondNode())
	return inOrder(raised)
}

// anyAsked says whether a container's request is to change.
func anyAsked(cells []cell) bool {
	return slices.ContainsFunc(cells, func(c cell) bool { return c.asked && c.by != bounds.RuleEqual && c.by != bounds.RuleAutoPatch })
}

// tinyMemory says whether a memory amount of the pod, before or after, is above 0 and below 1 MiB.
func (p *planner) tinyMemory() bool {
	tiny := func(a metrics.Amount) bool { return a.Milli > 0 && a.Milli < 1<<20*1000 }
	for i := range p.byResource[1] {
		c := &p.byResource[1][i]
		request, limit := c.amounts(true)
		if tiny(c.Request) || tiny(c.Limit) || tiny(request) || tiny(limit) {
			return true
		}
	}
	return false
}

// beyondNode says whether a pod after the change fits on no node.
func (p *planner) beyondNode() bool {
	if len(p.in.Options.LargestNode) == 0 || !p.anyChange() {
		return false // the present requests are package risk's subject
	}
	after := p.in.Pod
	after.Spec = p.changed()
	for i, name := range allSized {
		if p.nodes[i] < 0 {
			continue
		}
		if need, ok := risk.Reserved(after, name); ok && need > p.nodes[i] {
			return true
		}
	}
	return false
}

// changed is a copy of the template with the final requests and limits.
func (p *planner) changed() *corev1.PodSpec {
	out := p.in.Pod.Spec.DeepCopy()
	for _, list := range [][]corev1.Container{out.Containers, out.InitContainers} {
		for i := range list {
			for _, cells := range p.byResource {
				k := slices.IndexFunc(cells, func(c cell) bool { return c.Name == list[i].Name && !c.Injected })
				if k >= 0 && (cells[k].changes() || cells[k].limitAsked) {
					cells[k].write(&list[i].Resources)
				}
			}
		}
	}
	return out
}

// write puts the amounts after the change into a container's resources.
func (c *cell) write(r *corev1.ResourceRequirements) {
	request, limit := c.amounts(true)
	if request.Present() {
		if r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		r.Requests[c.resource] = *c.quantity(request.Milli)
	}
	switch {
	case !c.limitAsked:
	case limit.Source == metrics.SourceLimit:
		if r.Limits == nil {
			r.Limits = corev1.ResourceList{}
		}
		r.Limits[c.resource] = *limit.Quantity()
	default:
		delete(r.Limits, c.resource)
	}
}

// inOrder returns each flag once, in the order of the closed list.
func inOrder(raised []skipreason.RiskFlag) []skipreason.RiskFlag {
	if len(raised) == 0 {
		return nil
	}
	out := make([]skipreason.RiskFlag, 0, len(raised))
	for _, f := range skipreason.RiskFlags() {
		if slices.Contains(raised, f) {
			out = append(out, f)
		}
	}
	return out
}
