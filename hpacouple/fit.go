package hpacouple

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
)

// fit finds the target for the settled requests of the entry's resource, moves the requests where a bound acts, and tests whether the
// finished pair can scale out.
func (p *planner) fit(e metrics.Entry) {
	cells := p.cellsOf(e.Resource)
	w := &Working{Resource: e.Resource, Basis: p.sum.Basis, Old: p.sum.Milli, Bounds: bounds.Effective(p.bounds, e.Utilization)}
	p.working, p.target = w, e.Utilization
	for i := range cells {
		if cells[i].cause != "" && cells[i].counted {
			p.outcome.cause = cells[i].cause
		}
	}
	p.readAnchor(e, cells)
	var ok bool
	if w.Wanted, ok = p.sumOf(cells); !ok {
		p.errs = append(p.errs, field.Invalid(field.NewPath("recommendations"), string(e.Resource), "the new request sum "+exact.ErrRange.Error()))
		return
	}
	if p.outcome.cause != "" {
		return
	}
	if p.fitCells(e, cells); p.outcome.cause != "" {
		return
	}
	if !p.anyChange() {
		return // then no limit changes either, and the present pair stays as it is
	}
	w.Reach = p.reach(p.target, w.New, p.limitSum(cells, false))
	if !w.Reach.Reachable && p.reach(e.Utilization, w.Old, p.limitSum(cells, true)).Reachable {
		p.outcome.cause = bounds.CauseReach
	}
}

// fitCells runs bounds.FitAnchored over the cells that count. Where requests are given back the request sum must be a plain sum of containers,
// before and after: in an aggregate in which an init step decides, giving requests back moves the sum by other amounts or not at all, so that
// is refused. (With an anchor a bound can hold the target without moving a request.)
func (p *planner) fitCells(e metrics.Entry, cells []cell) {
	w := p.working
	var items []bounds.Item
	var moving []int
	for i := range cells {
		if c := &cells[i]; c.counted && c.Role != metrics.RoleInit {
			items = append(items, bounds.Item{Name: c.Name, Present: c.Request.Milli, Settled: c.settled, Limit: p.ceiling(c), Locked: c.locked, Step: p.step(e.Resource)})
			moving = append(moving, i)
		}
	}
	f, ok := bounds.FitAnchored(p.kept(e), bounds.Pair{Requests: w.Old, Target: e.Utilization}, w.Wanted, items, w.Bounds)
	if !ok {
		p.errs = append(p.errs, field.Invalid(field.NewPath("hpa"), e.Utilization, "no target of whole percent fits"))
		return
	}
	w.Acted, w.Needed = f.Acted, f.Needed // also where there is no room: what would have been needed
	if f.Cause != "" {
		p.outcome.cause = f.Cause
		return
	}
	for k, i := range moving {
		if c := &cells[i]; f.Requests[k] != c.settled {
			c.final, c.by = f.Requests[k], f.Acted
			p.follow(c)
		}
	}
	p.target = f.Target
	w.New, ok = p.sumOf(cells)
	if moved := f.Sum != w.Wanted; moved && (!ok || w.New != f.Sum || !p.plain(cells, w.Old, func(c *cell) int64 { return c.Request.Milli }) ||
		!p.plain(cells, w.Wanted, func(c *cell) int64 { return c.settled })) {
		p.outcome.cause = bounds.CauseInit
		return
	}
	if !slices.ContainsFunc(cells, func(c cell) bool { return c.counted && c.changes() }) {
		p.target = e.Utilization // law H2: a bound may have acted and given everything back
	}
}

// plain says whether a request sum is the plain sum of containers, sidecars and overhead, or does not depend on them at all.
func (p *planner) plain(cells []cell, sum int64, amount func(*cell) int64) bool {
	if p.sum.Basis == metrics.BasisPodLevel {
		return true
	}
	plain := p.sum.Overhead
	for i := range cells {
		if c := &cells[i]; c.counted && c.Role != metrics.RoleInit {
			plain += amount(c) // cannot pass int64: the request sum is at least as large
		}
	}
	return plain == sum
}

// sumOf is the request sum with the cells' final requests. The sum's terms are the same containers in the same order.
func (p *planner) sumOf(cells []cell) (int64, bool) {
	return p.sum.With(func(i int) int64 { return cells[i].final })
}

// reach says whether a pair can scale out.
func (p *planner) reach(target int32, requests, limits int64) bounds.Reach {
	r, _ := bounds.Reachable(target, requests, limits, p.tolerance()) // the sums are above 0 here
	return r
}

// limitSum is the most that one pod can use: the sum of the limits of all containers that run together, or the pod-level limit where that is
// lower; -1 where neither covers the pod.
func (p *planner) limitSum(cells []cell, present bool) int64 {
	sum, covered := int64(0), true
	for i := range cells {
		c := &cells[i]
		if c.Role == metrics.RoleInit {
			continue
		}
		limit := c.limitAfter
		if present {
			limit = c.Limit
		}
		var fits bool
		sum, fits = exact.Add(sum, limit.Milli)
		covered = covered && limit.Present() && fits
	}
	if own := p.podLevel[index(p.working.Resource)].limit; own.Present() && (!covered || own.Milli < sum) {
		return own.Milli
	}
	if !covered {
		return -1
	}
	return sum
}

// tolerance is what the controller uses on the way up.
func (p *planner) tolerance() float64 {
	return risk.ScaleUpTolerance(p.in.HPA, p.in.Options.Tolerance)
}
