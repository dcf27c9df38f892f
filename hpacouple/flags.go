package hpacouple

import (
	"slices"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// flags collects the risk flags that the plan itself decides; each one's rule stands in the catalogue.
func (p *planner) flags() []skipreason.RiskFlag {
	var raised []skipreason.RiskFlag
	raise := func(f skipreason.RiskFlag, when bool) {
		if when {
			raised = append(raised, f)
		}
	}
	raise(skipreason.FlagHPACoupled, len(p.coupled) > 0)
	raise(skipreason.FlagHPAAmbiguous, len(p.hpas) > 1)
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

// beyondNode says whether the pod's containers after the change request more than the largest node can give.
func (p *planner) beyondNode() bool {
	for r, cells := range p.byResource {
		node := p.nodes[r]
		if node < 0 {
			continue
		}
		room := node
		for i := range cells {
			if cells[i].Role != metrics.RoleInit {
				room -= min(cells[i].final, room+1)
			}
		}
		if room < 0 {
			return true
		}
	}
	return false
}

// inOrder returns each flag once, in the order of the closed list.
func inOrder(raised []skipreason.RiskFlag) (out []skipreason.RiskFlag) {
	if len(raised) == 0 {
		return nil
	}
	for _, f := range skipreason.RiskFlags() {
		if slices.Contains(raised, f) {
			out = append(out, f)
		}
	}
	return out
}
