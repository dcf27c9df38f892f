package recommend

import (
	"math"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// allowed applies the owner's policy: up to the least, then down to the most.
func (d *draft) allowed() {
	if d.policy.least > 0 {
		d.step(StagePolicy, FromMinAllowed, d.policy.least, d.now.each(func(v int64) int64 { return max(v, d.policy.least) }))
	}
	if d.policy.most > 0 {
		d.step(StagePolicy, FromMaxAllowed, d.policy.most, d.now.each(func(v int64) int64 { return min(v, d.policy.most) }))
	}
}

// effectiveLimit is the limit that the container has, be it from a LimitRange's default; 0 is none.
func (d *draft) effectiveLimit() int64 {
	switch {
	case d.limit != nil && *d.limit > 0:
		return *d.limit
	case d.defaultLimit != nil:
		return *d.defaultLimit
	}
	return 0
}

// limitFor returns the limit that goes with a request; 0 is none. With KeepRatio it is
//
//	floor(limit x request / present request)
//
// or the request itself where no request was set, as upstream's GetProportionalLimit has it. Rounding
// down keeps a pod within a quota and costs the container less than one unit. Not ok: the product does not fit.
func (d *draft) limitFor(request int64) (int64, bool) {
	switch d.rule.Limit {
	case Unset:
		if d.defaultLimit != nil {
			return *d.defaultLimit, true
		}
		return 0, true
	case Keep:
		return d.effectiveLimit(), true
	}
	limit := d.effectiveLimit()
	if d.ratioLimit != nil && *d.ratioLimit > 0 {
		limit = *d.ratioLimit
	}
	switch {
	case limit == 0 || request == 0:
		return 0, true
	case d.scaleRequest == 0:
		return request, true
	}
	// A LimitRange that came after the workload can make its default limit lower than the request: no pod of it is admitted, and there is no ratio to keep.
	return exact.MulDivFloor(max(limit, d.scaleRequest), request, d.scaleRequest)
}

// requestFor returns the largest request whose limit is at most a bound on limits (GetBoundaryRequest).
func (d *draft) requestFor(bound int64) int64 {
	limit := d.effectiveLimit()
	if d.rule.Limit != KeepRatio || limit == 0 || d.scaleRequest == 0 {
		return bound
	}
	request, ok := exact.MulDivFloor(d.scaleRequest, bound, max(limit, d.scaleRequest))
	if !ok {
		return math.MaxInt64
	}
	return request
}

// container applies the LimitRange items for containers: minimum, maximum, and the largest ratio of limit to request. It reports whether they
// and the policy leave an amount: one below the LimitRange's minimum is refused by the API server, one above maxAllowed by the owner.
func (d *draft) container() bool {
	d.low, d.high = d.policy.least, math.MaxInt64
	if d.policy.most > 0 {
		d.high = d.policy.most
	}
	if d.caps.least > 0 { // of the limit too, which is not below the request
		least := d.caps.least
		d.low = max(d.low, least)
		d.step(StageLimitRange, FromContainerMin, least, d.now.each(func(v int64) int64 { return max(v, least) }))
	}
	if d.caps.most > 0 {
		most := max(min(d.caps.most, d.requestFor(d.caps.most)), 1)
		d.high = min(d.high, most)
		d.step(StageLimitRange, FromContainerMax, most, d.now.each(func(v int64) int64 { return min(v, most) }))
	}
	if d.maxRatio > 0 && d.rule.Limit != KeepRatio {
		limit, _ := d.limitFor(d.now.Request)
		least, ok := exact.MulDivCeil(limit, 1000, d.maxRatio)
		if limit > 0 && ok {
			d.low = max(d.low, least)
			d.step(StageLimitRange, FromMaxRatio, d.maxRatio, d.now.each(func(v int64) int64 { return max(v, least) }))
		}
	}
	if d.low > d.high {
		return false
	}
	if limit := d.fixedLimit(); limit > 0 {
		d.high = min(d.high, limit)
	}
	return true
}

// fixedLimit is the limit that the request must fit under, since it does not follow; 0 is none.
func (d *draft) fixedLimit() int64 {
	if d.rule.Limit == KeepRatio {
		return 0
	}
	limit, _ := d.limitFor(d.now.Request)
	return limit
}

// capAtLimit keeps the request at or below a limit that stays: the API server refuses a request above it.
func (d *draft) capAtLimit() {
	if limit := d.fixedLimit(); limit > 0 {
		d.step(StageLimit, FromLimit, limit, d.now.each(func(v int64) int64 { return min(v, limit) }))
	}
}

// finish writes the amounts and the limit that goes with them. It reports whether the limit would fall below what was used while starting, and
// whether the limit fits an amount.
func (d *draft) finish() (belowStartup, ok bool) {
	d.out.Request, d.out.Lower, d.out.Upper = d.now.Request, d.now.Lower, d.now.Upper
	if d.now.Request >= d.out.Uncapped {
		d.out.CappedBy = ""
	}
	limit, bounded, by, ok := d.limitAfter(d.now.Request)
	if !ok {
		return false, false
	}
	d.out.Limit.By = by
	if limit > bounded {
		d.step(StageLimit, by, limit, d.now)
	}
	if limit > 0 && !(d.rule.Limit == Unset || d.limit == nil && d.rule.Limit == Keep) {
		d.out.Limit.To = &limit
	}
	return bounded > 0 && bounded < d.startup, true
}

// limitAfter is the limit that a container has with a request in the end, 0 is none; bounded is what it would be if the start-up peak and the
// facts did not hold it higher. by is what made it another amount than the mode alone would. Not ok: it does not fit.
func (d *draft) limitAfter(request int64) (limit, bounded int64, by Cause, ok bool) {
	limit, ok = d.limitFor(request)
	if !ok || limit == 0 || d.rule.Limit != KeepRatio {
		return limit, limit, "", ok
	}
	limit, by = d.bounded(limit, request)
	bounded = limit
	present := d.effectiveLimit()
	if present <= limit {
		return limit, bounded, by, true
	}
	held, cause := min(d.startup, present), FromStartup
	if d.caps.most > 0 {
		held = min(held, d.caps.most)
	}
	if d.maxRatio > 0 {
		if most, ok := exact.MulDivFloor(request, d.maxRatio, 1000); ok {
			held = min(held, most)
		}
	}
	if d.held != "" { // whoever was throttled or killed at this limit does not get a lower one
		held, cause = present, d.held
	}
	if held > limit {
		limit, by = held, cause
	}
	return limit, bounded, by, true
}

// bounded keeps a limit that goes with its request within the LimitRange items for containers.
func (d *draft) bounded(limit, request int64) (int64, Cause) {
	by := Cause("")
	if d.caps.most > 0 && limit > d.caps.most {
		limit, by = d.caps.most, FromContainerMax
	}
	if d.maxRatio > 0 {
		if most, ok := exact.MulDivFloor(request, d.maxRatio, 1000); ok && most < limit && request < limit {
			limit, by = max(most, request), FromMaxRatio
		}
	}
	return limit, by
}
