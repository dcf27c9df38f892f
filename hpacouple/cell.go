package hpacouple

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// allSized are the two resources that can be recommended, in the order in which results list them.
var allSized = [...]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}

func resources() []corev1.ResourceName { return slices.Clone(allSized[:]) }

// cell is one container and resource on its way through the plan. Amounts are thousandths.
type cell struct {
	*metrics.Container // in planner.lists
	resource           corev1.ResourceName

	asked       bool  // there is a recommended request
	recommended int64 // it, or the present request
	limitAsked  bool  // the caller says what the limit is after the change, or that there is none
	limitAfter  metrics.Amount
	keepsRatio  bool  // the limit goes with the final request
	limitLeast  int64 // and is no lower than this
	locked      bool
	counted     bool // part of the coupled resource's request sum

	wanted  int64 // settled, as if the resource were in auto-patch
	settled int64
	final   int64
	by      bounds.Rule
	cause   bounds.Cause
	stays   bool // the plan changes nothing
}

// ceiling is the highest request that the limit after the change allows, -1 for none: whole millicores or bytes, or the present request
// where that is a fraction at the limit (1.1Gi of 1.1Gi), so that a raise never turns into a cut.
func (p *planner) ceiling(c *cell) int64 {
	limit := c.limitAfter.Milli
	switch {
	case c.keepsRatio:
		return p.roof(c.resource)
	case !c.limitAfter.Present():
		return -1
	case c.Request.Milli <= limit:
		return max(limit-limit%unit(c.resource), c.Request.Milli)
	}
	return limit - limit%unit(c.resource)
}

// unit is the smallest request that is written: 1m of cpu, one byte of memory.
func unit(name corev1.ResourceName) int64 {
	if name == corev1.ResourceMemory {
		return 1000
	}
	return 1
}

// changes says whether the container gets another request. A request of 0 where there was none is not another one: both count as 0.
func (c *cell) changes() bool { return !c.stays && c.final != c.Request.Milli }

// arises says whether the container gets a request that it does not have: one that is recommended, or a new limit that stands in for it.
func (c *cell) arises() bool {
	return !c.Request.Present() && c.by != bounds.RuleAutoPatch && (c.asked || (c.limitAsked && c.limitAfter.Source == metrics.SourceLimit))
}

// zeroes says that a request of 0 must be written where there was none, because a new limit would stand in for it.
func (c *cell) zeroes() bool {
	return !c.stays && c.final == 0 && c.arises() && c.limitAsked && c.limitAfter.Source == metrics.SourceLimit
}

// quantity prints an amount of the cell's resource as it would be written.
func (c *cell) quantity(milli int64) *resource.Quantity {
	if c.Request.Present() && milli == c.Request.Milli {
		return c.Request.Quantity()
	}
	format := resource.DecimalSI
	if c.resource == corev1.ResourceMemory {
		format = resource.BinarySI
	}
	q := exact.Quantity(milli, format)
	return &q
}

// cells lists all containers of the pod for one resource and attaches what was asked for.
func (p *planner) cells(name corev1.ResourceName) []cell {
	list, bad := p.in.Pod.Containers(name)
	if bad != nil {
		p.errs = append(p.errs, bad)
		return nil
	}
	p.lists[index(name)] = list
	out := make([]cell, len(list))
	for i := range list {
		out[i] = cell{Container: &list[i], resource: name, recommended: list[i].Request.Milli, limitAfter: list[i].Limit}
		c := &out[i]
		if k, ok := p.asked.find(c.Name); ok && !c.Injected {
			p.attach(c, k)
		}
		if c.asked || c.limitAsked || c.Injected || c.Request.Source != metrics.SourceRequest || c.Limit.Source != metrics.SourceLimit {
			continue
		}
		if c.Request.Milli > c.Limit.Milli {
			p.errs = append(p.errs, field.Invalid(field.NewPath("template", "spec", "containers").Key(c.Name).Child("resources", "requests").Key(string(name)),
				c.Request.Quantity().String(), "must be at or below the limit of "+c.Limit.Quantity().String()))
		}
	}
	return out
}

// attach reads recommendation k into c.
func (p *planner) attach(c *cell, k int) {
	r := &p.in.Recommendations[k]
	at := func(list string) *field.Path {
		return field.NewPath("recommendations").Index(k).Child(list).Key(string(c.resource))
	}
	c.locked = (r.Throttled && c.resource == corev1.ResourceCPU) || (r.OOMKilled && c.resource == corev1.ResourceMemory)
	if q, ok := r.Requests[c.resource]; ok {
		m, err := exact.Milli(q)
		switch {
		case err != nil:
			p.errs = append(p.errs, field.Invalid(at("requests"), text(q), err.Error()))
		case m == 0:
			p.errs = append(p.errs, field.Invalid(at("requests"), text(q), "must be above 0; leave the resource out where there is no recommendation"))
		case m > math.MaxInt64-p.step(c.resource):
			p.errs = append(p.errs, field.Invalid(at("requests"), text(q), exact.ErrRange.Error()+" after rounding up to the step"))
		default:
			c.asked, c.recommended = true, m
		}
	}
	if q, ok := r.Limits[c.resource]; ok {
		m, err := exact.FloorMilli(q)
		if err != nil {
			p.errs = append(p.errs, field.Invalid(at("limits"), text(q), err.Error()))
			return
		}
		c.limitAsked, c.limitAfter = true, metrics.Amount{Milli: m, Source: metrics.SourceLimit, Format: q.Format}
		if c.asked && c.recommended > m && !slices.Contains(r.KeepRatio, c.resource) {
			p.errs = append(p.errs, field.Invalid(at("requests"), text(r.Requests[c.resource]), "must be at or below the limit after the change, "+text(q)))
		}
	}
	for _, name := range r.UnsetLimits {
		if name != c.resource {
			continue
		}
		if c.limitAsked {
			p.errs = append(p.errs, field.Forbidden(at("limits"), "a limit cannot be both set and unset"))
		}
		c.limitAsked = true
		_, c.limitAfter, _ = p.in.Pod.Defaults(name) // a LimitRange gives its default again; its errors were reported by Containers
	}
	p.readKeepRatio(c, r, at)
}

// settle gives the cell the request that its container would get for itself.
func (p *planner) settle(c *cell) {
	c.settled, c.by = c.Request.Milli, bounds.RuleNone
	switch {
	case !c.asked && c.arises():
		c.settled, c.by = p.ceiling(c), bounds.RuleLimit
	case c.asked || c.limitAsked:
		var ok bool
		c.settled, c.by, c.cause, ok = bounds.Settle(bounds.Ask{
			Present: c.Request.Milli, Recommended: c.recommended, Limit: p.ceiling(c), Locked: c.locked, Step: p.step(c.resource)})
		if !ok { // cannot be: amounts and steps were checked
			c.settled, c.by = c.Request.Milli, bounds.RuleNone
		}
		if !c.asked && c.by == bounds.RuleEqual {
			c.by = bounds.RuleNone
		}
	}
	c.wanted = c.settled
	if !p.autoPatch(c.resource) {
		c.settled, c.by, c.cause, c.limitAfter = c.Request.Milli, bounds.RuleAutoPatch, "", c.Limit
	}
	c.final = c.settled
	p.follow(c)
}

// text prints a copy: String caches its answer in the quantity.
func text(q resource.Quantity) string {
	c := q.DeepCopy()
	return c.String()
}
