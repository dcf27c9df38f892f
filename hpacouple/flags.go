package hpacouple

import (
	"slices"
	"strconv"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// findings asks package risk about the present state. An HPA that names a DaemonSet scales nothing, so nothing is asked about it.
func (p *planner) findings() []risk.Finding {
	in := risk.Input{
		Workload:       risk.Object{Kind: p.in.Workload.Kind, Namespace: p.namespace(), Name: p.in.Workload.Name},
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
		in.HPA = p.inNamespace(p.in.HPA)
		for _, hpa := range p.in.OtherHPAs {
			in.OtherHPAs = append(in.OtherHPAs, p.inNamespace(hpa))
		}
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
	found := append(risk.Check(in), p.raised(in.Workload)...)
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, risk.Compare)
	return found
}

// inNamespace gives an HPA that does not say its namespace the workload's. The copy shares what is below it; nothing is written there.
func (p *planner) inNamespace(hpa *autoscalingv2.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscaler {
	if hpa == nil || hpa.Namespace == p.namespace() || hpa.Namespace != "" {
		return hpa
	}
	named := *hpa
	named.Namespace = p.namespace()
	return &named
}

// raised are the findings that the plan itself makes; each flag's rule stands in the catalogue.
func (p *planner) raised(workload risk.Object) (found []risk.Finding) {
	raise := func(f skipreason.RiskFlag, o risk.Object, at, number, detail string) {
		found = append(found, risk.Finding{Flag: f, Object: o, Field: at, Number: number, Detail: detail})
	}
	hpa := risk.Object{Kind: "HorizontalPodAutoscaler", Namespace: workload.Namespace, Name: refOf(p.in.HPA).Name}
	for i := range p.coupled {
		e := &p.coupled[i]
		if target := p.targetOf(e); p.autoPatch(e.Resource) && !p.bounds.Contains(int64(target)) {
			raise(skipreason.FlagTargetOutsideBounds, hpa, "spec.metrics", decimal(int64(target)), "the bounds are "+decimal(p.bounds.Lo)+".."+decimal(p.bounds.Hi))
		}
	}
	if w := p.working; w != nil {
		if !w.Reach.Reachable {
			raise(skipreason.FlagTargetUnreachable, hpa, "spec.metrics", decimal(w.Reach.Ceiling), "the scale-out trigger is "+decimal(int64(w.Reach.Trigger)))
		}
		if w.Reach.Near {
			raise(skipreason.FlagTriggerNearLimit, hpa, "spec.metrics", decimal(w.Reach.Ceiling), "the scale-out trigger is "+decimal(int64(w.Reach.Trigger)))
		}
		if p.anchored != nil && p.anchored.standing.Half() {
			raise(skipreason.FlagHalfChange, workload, "spec.template.spec", string(p.anchored.standing), "one half is the change's, the other the anchor's")
		}
		if w.Basis == metrics.BasisPodLevel && anyAsked(p.cellsOf(w.Resource)) {
			raise(skipreason.FlagPodLevelRequests, workload, "spec.template.spec.resources.requests."+string(w.Resource), decimal(w.Old), "thousandths, whatever the containers request")
		}
		p.newTarget(raise, hpa)
	}
	for i := range p.in.Recommendations {
		r := &p.in.Recommendations[i]
		if r.Throttled {
			raise(skipreason.FlagThrottled, workload, containerPath(r.Container)+".resources.requests.cpu", r.Container, "must not decrease")
		}
		if r.OOMKilled {
			raise(skipreason.FlagOOMKilled, workload, containerPath(r.Container)+".resources.requests.memory", r.Container, "must not decrease")
		}
	}
	if before, after := p.qos(false), p.qos(true); before != after {
		raise(skipreason.FlagQoSChange, workload, "spec.template.spec", string(after), "was "+string(before))
	}
	p.tinyMemory(raise, workload)
	p.beyondNode(raise, workload)
	return found
}

type raiser func(f skipreason.RiskFlag, o risk.Object, at, number, detail string)

// newTarget judges the target that the plan brings about as package risk judges the present one.
func (p *planner) newTarget(raise raiser, hpa risk.Object) {
	if p.working.Resource != corev1.ResourceCPU || p.target == p.hpaTarget() {
		return
	}
	number := decimal(int64(p.target))
	if risk.Saturates(p.target, p.tolerance()) {
		raise(skipreason.FlagTargetNearSaturation, hpa, "spec.metrics", number, "the new target")
	}
	if p.target < risk.ComfortableLow || p.target > risk.ComfortableHigh {
		raise(skipreason.FlagTargetUncomfortable, hpa, "spec.metrics", number, "the new target")
	}
}

// targetOf is the target of an entry after the plan.
func (p *planner) targetOf(e *metrics.Entry) int32 {
	if p.working != nil && p.working.Resource == e.Resource {
		return p.target
	}
	return e.Utilization
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func containerPath(name string) string {
	return "spec.template.spec.containers[name=" + strconv.Quote(name) + "]"
}

// anyAsked says whether a container's request is to change.
func anyAsked(cells []cell) bool {
	return slices.ContainsFunc(cells, func(c cell) bool { return c.asked && c.by != bounds.RuleEqual && c.by != bounds.RuleAutoPatch })
}

// tinyMemory raises the flag for a new memory amount above 0 and below 1 MiB; the present ones are package risk's subject.
func (p *planner) tinyMemory(raise raiser, workload risk.Object) {
	for i := range p.byResource[1] {
		c := &p.byResource[1][i]
		request, limit := c.amounts(true)
		for _, side := range [...]struct {
			name     string
			old, new metrics.Amount
		}{{"requests", c.Request, request}, {"limits", c.Limit, limit}} {
			if side.new.Milli > 0 && side.new.Milli < risk.TinyMemoryBytes*1000 && side.new.Milli != side.old.Milli {
				raise(skipreason.FlagTinyMemory, workload, containerPath(c.Name)+".resources."+side.name+".memory", side.new.Quantity().String(), "after the change")
			}
		}
	}
}

// beyondNode raises the flag for a changed pod that fits on no node; the present one is package risk's subject.
func (p *planner) beyondNode(raise raiser, workload risk.Object) {
	if len(p.in.Options.LargestNode) == 0 || !p.anyChange() {
		return
	}
	after := p.in.Pod
	after.Spec = p.changed()
	for i, name := range allSized {
		if p.nodes[i] < 0 {
			continue
		}
		if need, ok := risk.Reserved(after, name); ok && need > p.nodes[i] {
			raise(skipreason.FlagRequestBeyondNode, workload, "spec.template.spec", decimal(need), "thousandths of "+string(name)+" after the change")
		}
	}
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
