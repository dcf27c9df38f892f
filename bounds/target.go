package bounds

import "github.com/kube-rightsize/rightsize/internal/exact"

// Default target bounds in whole percent (protocol A4).
const (
	DefaultMin int32 = 40
	DefaultMax int32 = 90
)

// DefaultTarget returns the default bounds, 40..90.
func DefaultTarget() Interval {
	return Interval{Lo: int64(DefaultMin), Hi: int64(DefaultMax), LoBy: RuleDefault, HiBy: RuleDefault}
}

// Effective returns the bounds that a plan keeps: the configured ones, widened to hold the target that is in force and no further. So a
// target outside the bounds is allowed as it is and may move towards them, never away. Law B3; protocol A4.
func Effective(configured Interval, live int32) Interval {
	return configured.Widen(int64(live), RuleLiveTarget)
}

// Target returns the target that keeps requests x target constant:
//
//	T' = nearest whole percent to T x R / R'; a tie goes to the lower
//
// Units: targets in whole percent; request sums of one pod, both in the same unit.
//
// Rounding: by at most half a percent. A target rounded down scales out earlier (money: at most 1/(2T') more replicas), one rounded up later
// (an outage comes nearer by as much); a tie goes to the side of money. Starting each change from the last rounded target adds up; start from
// the target that the user chose.
//
// Special cases: ok is false for a target below 1, a sum below 1, and a result below 1 or beyond int32: nothing is clamped.
//
// Law H1: 2 |R' T' - R T| <= R'. Source: protocol A.
func Target(oldTarget int32, oldRequests, newRequests int64) (newTarget int32, ok bool) {
	if oldTarget < 1 || oldRequests < 1 || newRequests < 1 {
		return 0, false
	}
	t, ok := exact.MulDivNearest(oldRequests, int64(oldTarget), newRequests)
	if !ok || t < 1 || t > 1<<31-1 {
		return 0, false
	}
	return int32(t), true
}
