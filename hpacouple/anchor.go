package hpacouple

import (
	"maps"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// anchored is what the state says about the pair in force.
type anchored struct {
	known    knownState
	live     *halves
	standing Standing
}

// compare holds the pair in force against the state, half by half.
//
//	requests and target are the anchor's                            nothing of ours is in force
//	requests and target are those of the pending or applied pair    ours
//	each half is the anchor's, the applied or the pending pair's    half a change; the anchor stays
//	anything else                                                   a person's edit; it is the new anchor
func (k knownState) compare(live *halves) Standing {
	switch {
	case live.equal(k.anchor):
		return StandingAnchor
	case live.equal(k.pending), live.equal(k.applied) && !k.applied.half:
		return StandingApplied
	case !live.known(k.anchor, k.applied, k.pending):
		return StandingEdited
	case !live.known(k.anchor, k.applied), live.equal(k.applied):
		return StandingHalfApplied
	}
	return StandingHalfReverted
}

// known says whether each half is that of one of the pairs.
func (h *halves) known(pairs ...*halves) bool {
	requests, target := false, false
	for _, p := range pairs {
		requests = requests || (p != nil && maps.Equal(p.requests, h.requests))
		target = target || (p != nil && p.target == h.target)
	}
	return requests && target
}

// readAnchor holds the pair in force against the state and writes the anchor's into the working; where there is no state there is none.
func (p *planner) readAnchor(e metrics.Entry, cells []cell) {
	if p.in.State == nil {
		return
	}
	a := &anchored{live: p.halves(e.Utilization, cells, func(c *cell) int64 { return c.Request.Milli })}
	p.anchored = a
	p.working.Anchor = &bounds.Pair{Requests: p.working.Old, Target: e.Utilization}
	if p.in.State.Empty() {
		a.standing = StandingBegun
		return
	}
	a.known, _ = readState(p.in.State, nil) // what is not valid was refused
	a.standing = StandingEdited
	if p.in.State.Resource == e.Resource {
		a.standing = a.known.compare(a.live)
	}
	if a.standing == StandingEdited {
		return
	}
	sum, ok := p.anchorSum(a.known.anchor, cells)
	switch {
	case !ok:
		p.errs = append(p.errs, field.Invalid(field.NewPath("state", "anchor", "requests"), string(e.Resource), "the request sum "+exact.ErrRange.Error()))
	case sum < 1: // only injected containers had requests then, and they are gone: there is no product to keep
		a.standing = StandingEdited
	default:
		*p.working.Anchor = bounds.Pair{Requests: sum, Target: a.known.anchor.target}
	}
}

// kept is the pair whose product the plan keeps: the anchor, or the pair in force where there is none.
func (p *planner) kept(e metrics.Entry) bounds.Pair {
	if w := p.working; w.Anchor != nil {
		return *w.Anchor
	}
	return bounds.Pair{Requests: p.working.Old, Target: e.Utilization}
}

// halves is a pair of the template's requests and a target. A pod-level request stands for all containers.
func (p *planner) halves(target int32, cells []cell, amount func(*cell) int64) *halves {
	h := &halves{target: target, requests: map[string]int64{}}
	if p.sum.Basis == metrics.BasisPodLevel {
		h.requests[""] = p.sum.PodLevel.Milli
		return h
	}
	for i := range cells {
		if c := &cells[i]; c.counted && !c.Injected {
			h.requests[c.Name] = amount(c)
		}
	}
	return h
}

// anchorSum is the request sum with the anchor's requests. What is not the template's (injected containers, overhead) has its present part on
// both sides of the product, so that its coming or going is no change of the user's choice.
func (p *planner) anchorSum(anchor *halves, cells []cell) (int64, bool) {
	if p.sum.Basis == metrics.BasisPodLevel {
		return exact.Add(anchor.requests[""], p.sum.Overhead)
	}
	return p.sum.With(func(i int) int64 {
		if cells[i].Injected {
			return cells[i].Request.Milli
		}
		return anchor.requests[cells[i].Name]
	})
}

// nextState is the state after the plan. A state that could not be compared is returned as it was.
func (p *planner) nextState() *State {
	if p.in.State == nil {
		return nil
	}
	if p.anchored == nil {
		return p.in.State.DeepCopy()
	}
	k, live := p.anchored.known, p.anchored.live
	switch p.anchored.standing {
	case StandingBegun, StandingEdited:
		k = knownState{anchor: live}
	case StandingAnchor:
		k.applied = nil
	case StandingApplied:
		if live.equal(k.pending) {
			k.applied = k.pending
		}
	}
	if live.equal(k.pending) {
		k.pending = nil
	}
	if p.outcome.kind == Coordinate {
		planned := p.halves(p.target, p.cellsOf(p.working.Resource), func(c *cell) int64 { return c.final })
		if !planned.equal(live) && !planned.equal(k.pending) {
			// What only the replaced plan knows must stay known, or the next plan would take it for a person's edit.
			if !live.known(k.anchor, k.applied) {
				k.applied = &halves{target: live.target, requests: live.requests, half: true}
			}
			k.pending = planned
		}
	}
	name := p.working.Resource
	return &State{Version: StateVersion, Resource: name, Anchor: *k.anchor.pair(name), Applied: k.applied.pair(name), Pending: k.pending.pair(name)}
}
