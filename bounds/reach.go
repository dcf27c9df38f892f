package bounds

import (
	"math"
	"sort"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// NearLimit is the distance, in whole percent, at which a trigger counts as near the limit.
const NearLimit = 5

// Trigger returns the scale-out trigger: the smallest whole utilization at which the HPA scales out,
//
//	smallest u with float64(u) / float64(T) > 1.0 + tolerance
//
// in float64, as the controller compares. With tolerance 0.1 that is floor(1.1 T) + 1 for the targets that occur.
//
// Units: whole percent. Special cases: ok is false for a target below 1, for a tolerance that is NaN or negative, and where no utilization
// that the controller can represent (int32) is high enough.
// Source: pkg/controller/podautoscaler/replica_calculator.go (Tolerances.isWithin).
func Trigger(target int32, tolerance float64) (trigger int32, ok bool) {
	if target < 1 || !(tolerance >= 0) {
		return 0, false
	}
	edge := 1.0 + tolerance
	above := func(u int) bool { return float64(u)/float64(target) > edge }
	const top = math.MaxInt32
	if !above(top) {
		return 0, false
	}
	return int32(sort.Search(top, above)), true
}

// Reach says whether usage can rise to the scale-out trigger.
type Reach struct {
	// Trigger is the scale-out trigger in whole percent, 0 where there is none.
	Trigger int32 `json:"trigger"`
	// Ceiling is the highest utilization that the limits allow, floor(100 L / R), in whole percent. It means nothing where Unlimited.
	Ceiling int64 `json:"ceiling"`
	// Unlimited says that no limit covers the pod.
	Unlimited bool `json:"unlimited,omitempty"`
	// Reachable says that Ceiling >= Trigger, or that nothing limits usage.
	Reachable bool `json:"reachable"`
	// Near says that the pod is reachable, but by at most [NearLimit] percent.
	Near bool `json:"near,omitempty"`
}

// Reachable compares the scale-out trigger with what the limits allow.
//
// limits is the sum of the limits after the change of all counted containers, or the pod-level limit if that is lower, in the unit of
// requests; -1 means that no limit covers the pod. A limit sum so large that 100 L / R passes int64 counts as none.
// Special cases: ok is false for a request sum below 1. A target without trigger cannot be reached.
// Source: docs/decisions/limits-and-reach.md; protocol A6 as extended.
func Reachable(target int32, requests, limits int64, tolerance float64) (r Reach, ok bool) {
	if requests < 1 {
		return r, false
	}
	trigger, fires := Trigger(target, tolerance)
	r.Trigger = trigger
	r.Unlimited = limits < 0
	if !r.Unlimited {
		var fits bool
		r.Ceiling, fits = exact.MulDivFloor(100, limits, requests)
		r.Unlimited = !fits
	}
	if r.Unlimited {
		r.Reachable = fires
		return r, true
	}
	r.Reachable = fires && r.Ceiling >= int64(trigger)
	r.Near = r.Reachable && r.Ceiling-int64(trigger) <= NearLimit
	return r, true
}
