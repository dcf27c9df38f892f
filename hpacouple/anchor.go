package hpacouple

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
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
//	requests and target are those of another pair that is known     ours
//	each half is that of some pair that is known                    half a change; the anchor stays
//	anything else                                                   a person's edit; it is the new anchor
func (k knownState) compare(live *halves) Standing {
	switch {
	case live.equal(k.anchor):
		return StandingAnchor
	case live.equal(k.pending):
		return StandingApplied
	case !live.known(append(k.before(true), k.pending)):
		return StandingEdited
	case slices.ContainsFunc(k.before(true), live.equal):
		return StandingApplied
	case live.known(k.before(false)):
		return StandingHalfReverted
	}
	return StandingHalfApplied
}

// before are the pairs before the pending one; half says whether those of which only half was seen in force are among them.
func (k knownState) before(half bool) (list []*halves) {
	for _, p := range append([]*halves{k.anchor, k.applied}, k.previous...) {
		if p != nil && (half || !p.half) {
			list = append(list, p)
		}
	}
	return list
}

// known says whether each half is that of one of the pairs.
func (h *halves) known(pairs []*halves) bool {
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
	if p.in.State.Empty() || others(p.in.State.WorkloadUID, p.workloadUID()) {
		a.standing = StandingBegun
		return
	}
	a.known, _ = readState(p.in.State, nil) // what is not valid was refused
	a.standing = StandingEdited
	if p.in.State.Resource == e.Resource && !others(p.in.State.HPAUID, refOf(p.in.HPA).UID) {
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

// others says whether a uid that is known is that of another object.
func others(known, live types.UID) bool { return known != "" && live != "" && known != live }

func (p *planner) workloadUID() types.UID {
	if p.in.Meta == nil {
		return ""
	}
	return p.in.Meta.UID
}

// nextState is the state after the plan. A state that could not be compared is returned as it was.
func (p *planner) nextState() *State {
	if p.in.State == nil {
		return nil
	}
	if p.anchored == nil {
		return p.uncoupledState()
	}
	k, live := p.anchored.known, p.anchored.live
	switch p.anchored.standing {
	case StandingBegun, StandingEdited:
		k = knownState{anchor: live}
	case StandingAnchor:
		k.step(nil)
	case StandingApplied:
		if live.equal(k.pending) {
			k.step(k.pending)
		} else if live.equal(k.applied) {
			k.applied = live // seen as a whole
		}
	}
	if live.equal(k.pending) {
		k.pending = nil
	}
	if p.outcome.kind == Coordinate {
		planned := p.halves(p.target, p.cellsOf(p.working.Resource), func(c *cell) int64 { return c.final })
		if !planned.equal(live) && !planned.equal(k.pending) {
			// What only the replaced plan knows must stay known, or the next plan would take it for a person's edit.
			if !live.known(k.before(true)) {
				k.step(&halves{target: k.pending.target, requests: k.pending.requests, half: true})
			}
			k.pending = planned
		}
	}
	next := k.state(p.working.Resource)
	next.WorkloadUID, next.HPAUID = cmp.Or(p.workloadUID(), p.in.State.WorkloadUID), cmp.Or(refOf(p.in.HPA).UID, p.in.State.HPAUID)
	return next
}

// mostPrevious is how many pairs before the applied one are remembered.
const mostPrevious = 4

// step makes a pair, or none, the applied one.
func (k *knownState) step(applied *halves) {
	if k.applied != nil && !k.applied.equal(applied) {
		before := []*halves{k.applied}
		for _, p := range k.previous {
			if len(before) < mostPrevious && !p.equal(k.applied) && !p.equal(applied) {
				before = append(before, p)
			}
		}
		k.previous = before
	}
	k.applied = applied
}

func (k *knownState) state(name corev1.ResourceName) *State {
	s := &State{Version: StateVersion, Resource: name, Anchor: *k.anchor.pair(name), Applied: k.applied.pair(name), Pending: k.pending.pair(name)}
	for _, p := range k.previous {
		s.Previous = append(s.Previous, *p.pair(name))
	}
	return s
}

// uncoupledState is the state after a plan that had no pair to compare it with. Where requests change alone because the HPA is gone, the new ones
// are ours all the same: when an HPA with the target of ours is there again, that is no person's edit.
func (p *planner) uncoupledState() *State {
	s := p.in.State.DeepCopy()
	if p.outcome.kind != Uncoupled || s.Empty() || p.hpas > 0 || others(s.WorkloadUID, p.workloadUID()) {
		return s
	}
	k, _ := readState(s, nil) // what is not valid was refused
	live, planned := &halves{requests: map[string]int64{}}, &halves{requests: map[string]int64{}}
	cells := p.cellsOf(s.Resource)
	for i := range cells {
		c := &cells[i]
		if _, is := k.anchor.requests[c.Name]; is && !c.Injected {
			live.requests[c.Name], planned.requests[c.Name] = c.Request.Milli, c.final
		}
	}
	if maps.Equal(live.requests, planned.requests) || !sameNames(planned.requests, k.anchor.requests) {
		return s
	}
	for _, last := range append([]*halves{k.pending, k.applied, k.anchor}, k.previous...) {
		if last == nil || !maps.Equal(last.requests, live.requests) {
			continue
		}
		if last == k.pending {
			k.step(k.pending)
		}
		planned.target = last.target
		k.pending = planned
		next := k.state(s.Resource)
		next.WorkloadUID, next.HPAUID = s.WorkloadUID, s.HPAUID
		return next
	}
	return s
}
