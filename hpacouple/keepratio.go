package hpacouple

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// readKeepRatio reads for which resources a limit goes with its request. Without a limit there is nothing to keep.
func (p *planner) readKeepRatio(c *cell, r *Recommendation, at func(list string) *field.Path) {
	for _, name := range r.KeepRatio {
		if name != c.resource {
			continue
		}
		for _, unset := range r.UnsetLimits {
			if unset == name {
				p.errs = append(p.errs, field.Forbidden(at("keepRatio"), "a limit cannot be both scaled and unset"))
				return
			}
		}
		if !c.Limit.Present() {
			c.limitAsked, c.limitAfter = false, c.Limit
			return
		}
		c.keepsRatio = true
		if c.limitAsked {
			c.limitLeast = c.limitAfter.Milli
		}
		c.limitAsked, c.limitAfter = false, c.Limit
	}
}

// roof is the highest request that a limit in its present ratio allows: the pod-level limit, -1 for none.
func (p *planner) roof(name corev1.ResourceName) int64 {
	own := p.podLevel[index(name)].limit
	if !own.Present() {
		return -1
	}
	return own.Milli - own.Milli%unit(name)
}

// follow scales the limit with the final request:
//
//	limit after = max(final request, floor(limit before x final request / request before))
//
// in whole millicores or bytes. Rounding down keeps the pod within a quota; it costs less than one unit. A request that stays keeps its limit
// to the last thousandth, and a locked one, which does not fall, never gets a lower limit. Without a request before, or with one of 0, there is no ratio: the limit
// stays where it is at or above the request.
func (p *planner) follow(c *cell) {
	if !c.keepsRatio || !p.autoPatch(c.resource) {
		return
	}
	limit, ok := c.Limit.Milli, true
	if c.Request.Milli > 0 && c.final != c.Request.Milli {
		limit, ok = exact.MulDivFloor(c.Limit.Milli, c.final, c.Request.Milli)
		limit -= limit % unit(c.resource)
	}
	if !ok {
		p.errs = append(p.errs, field.Invalid(field.NewPath("recommendations").Key(c.Name).Child("keepRatio").Key(string(c.resource)),
			c.quantity(c.final).String(), "the limit in the present ratio "+exact.ErrRange.Error()))
		return
	}
	if c.final != c.Request.Milli {
		limit = max(limit, c.limitLeast)
	}
	if most := p.roof(c.resource); most >= 0 {
		limit = min(limit, max(most, c.Limit.Milli))
	}
	limit = max(limit, c.final)
	c.limitAsked, c.limitAfter = limit != c.Limit.Milli, c.Limit
	if c.limitAsked {
		c.limitAfter = metrics.Amount{Milli: limit, Source: metrics.SourceLimit, Format: c.Limit.Format}
	}
}
