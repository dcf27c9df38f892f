package recommend

import (
	"math"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// podRange keeps the sums over the pod within the LimitRange items for pods. Their maximum bounds the sum of requests and the sum of the limits
// that there are, their minimum the sum of requests. What may move is cut in proportion and rounded down, or raised in proportion and rounded
// up; nobody is moved past what the policy and the LimitRange allow one container, and the others take over the rest. Containers that are not
// recommended for keep their present amounts. Where no amounts fit, none is recommended: the API server would refuse the pod.
// Source: PodValidateLimitFunc in plugin/pkg/admission/limitranger, v1.37.2.
func podRange(all []*draft, b bounds) {
	before := make([]Triple, len(all))
	for i, d := range all {
		before[i] = d.now
	}
	settle := func(cause Cause, value int64) {
		for i, d := range all {
			if after := d.now; d.moves() && after != before[i] {
				d.now = before[i]
				d.step(StageLimitRange, cause, value, after)
			}
			before[i] = d.now
		}
	}
	fits := true
	if b.most > 0 {
		fits = shrink(all, b.most, (*draft).limitNow) && shrink(all, b.most, (*draft).requestNow)
		settle(FromPodMax, b.most)
	}
	if fits && b.least > 0 {
		fits = raise(all, b.least)
		settle(FromPodMin, b.least)
		fits = fits && (b.most == 0 || sum(all, (*draft).limitNow) <= b.most && sum(all, (*draft).requestNow) <= b.most)
	}
	if fits {
		return
	}
	for _, d := range all {
		if d.moves() {
			d.refuse(BoundsConflict)
		}
	}
}

// moves reports whether a container is recommended for.
func (d *draft) moves() bool { return d.out.Outcome == Recommended }

// requestNow is the request as it stands, below a limit that stays, with whether it can be cut.
func (d *draft) requestNow() (int64, bool) {
	if !d.moves() {
		return present(d.request), false
	}
	return min(d.now.Request, d.high), d.now.Request > max(d.low, 1)
}

// limitNow is the limit that goes with the request as it stands, 0 is none, with whether a cut of the request lowers it.
func (d *draft) limitNow() (int64, bool) {
	if !d.moves() {
		return d.effectiveLimit(), false
	}
	limit, ok := d.limitFor(d.now.Request)
	if !ok {
		limit = math.MaxInt64
	}
	return limit, limit > 0 && d.rule.Limit == KeepRatio && d.now.Request > max(d.low, 1)
}

func present(v *int64) int64 {
	if v == nil {
		return 0
	}
	return *v
}

func sum(all []*draft, amount func(*draft) (int64, bool)) int64 {
	total := int64(0)
	for _, d := range all {
		v, _ := amount(d)
		total += min(v, math.MaxInt64-total)
	}
	return total
}

// shrink cuts until the sum of the amounts is at most a bound; false: it cannot.
func shrink(all []*draft, most int64, amount func(*draft) (int64, bool)) bool {
	for {
		fixed, total := int64(0), int64(0)
		for _, d := range all {
			v, can := amount(d)
			if can {
				total += min(v, math.MaxInt64-total)
			} else {
				fixed += min(v, math.MaxInt64-fixed)
			}
		}
		room := most - fixed
		switch {
		case total <= room:
			return true
		case total == 0 || room <= 0:
			return false
		}
		for _, d := range all {
			if _, can := amount(d); can {
				d.now = d.now.each(func(v int64) int64 {
					cut, _ := exact.MulDivFloor(min(v, d.high), room, total)
					return max(cut, min(v, max(d.low, 1)))
				})
			}
		}
	}
}

// raise lifts requests until their sum is at least a bound; false: it cannot.
func raise(all []*draft, least int64) bool {
	for {
		fixed, total := int64(0), int64(0)
		for _, d := range all {
			if v := d.now.Request; d.moves() && v > 0 && v < d.high {
				total += min(v, math.MaxInt64-total)
			} else {
				v, _ := d.requestNow()
				fixed += min(v, math.MaxInt64-fixed)
			}
		}
		switch {
		case fixed >= least-total:
			return true
		case total == 0:
			return false
		}
		for _, d := range all {
			if v := d.now.Request; d.moves() && v > 0 && v < d.high {
				d.now = d.now.each(func(v int64) int64 {
					raised, ok := exact.MulDivCeil(v, least-fixed, total)
					if !ok {
						raised = math.MaxInt64
					}
					return min(raised, max(v, d.high))
				})
			}
		}
	}
}
