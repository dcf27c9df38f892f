package recommend

import (
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// draft is one container's resource on its way through the stages.
type draft struct {
	rule       Rule
	arithmetic Arithmetic
	now        Triple
	out        *Amounts
	// present request and limit; nil is absent. limit is rounded down: a request must never pass it.
	request, limit *int64
	ratioLimit     *int64 // the limit rounded up as upstream reads it, for its ratio to the request
	defaultLimit   *int64 // what a LimitRange gives to a container without a limit
	scaleRequest   int64  // the request rounded up, for the same ratio
	policy         bounds
	caps           bounds // container LimitRange
	low, high      int64  // what the policy, the LimitRange and a limit that stays allow together
	held           Cause  // why neither request nor limit may fall; empty: they may
	startup        int64  // the most that was used while starting; 0 is not known
	maxRatio       int64  // of limit to request, in thousandths; 0 is none
}

// bounds are the least and the largest amount that somebody allows; 0 is no bound.
type bounds struct{ least, most int64 }

func (d *draft) step(stage Stage, cause Cause, value int64, after Triple) {
	d.out.Steps = append(d.out.Steps, Step{Stage: stage, Cause: cause, Value: value, Before: d.now, After: after})
	if after.Request < d.now.Request {
		switch stage {
		case StagePolicy, StageLimitRange, StageLimit:
			d.out.CappedBy = cause
		}
	}
	d.now = after
}

// each applies f to the request and both bounds.
func (t Triple) each(f func(int64) int64) Triple {
	return Triple{Request: f(t.Request), Lower: f(t.Lower), Upper: f(t.Upper)}
}

// unit is how many amounts there are in one unit of a view: 1000 millicores in a core, 1 byte in a byte.
func unit(resource corev1.ResourceName) float64 {
	if resource == corev1.ResourceCPU {
		return 1000
	}
	return 1
}

// fromFloat makes an amount of a float. Upstream truncates (CPUAmountFromCores, MemoryAmountFromBytes). Exact rounds up,
// except for what is less than a millionth of a unit above a whole one, which is the float's own error. NaN, what is negative and what is
// above 1e14 is no amount and not ok.
func fromFloat(v float64, a Arithmetic) (int64, bool) {
	if !(v >= 0 && v <= maxAmount) {
		return 0, false
	}
	if a == Upstream {
		return truncate(v), true
	}
	return int64(math.Ceil(v - 1e-6)), true
}

// truncate is resourceAmountFromFloat, with 0 for NaN, which upstream leaves to the processor.
func truncate(v float64) int64 {
	switch {
	case v > maxAmount:
		return maxAmount
	case v < 0 || math.IsNaN(v):
		return 0
	}
	return int64(v)
}

// scaled returns v x share: truncated in float64 (upstream's ScaleResource), or rounded up in integers.
func scaled(v int64, share PPM, a Arithmetic) int64 {
	if a == Upstream {
		return truncate(float64(float64(v) * share.Float()))
	}
	product, ok := exact.MulDivCeil(v, int64(share), int64(Whole))
	if !ok {
		return math.MaxInt64 / 4 // no amount; the pipeline refuses it
	}
	return product
}

// ceilTo returns the least multiple of step that is not below v, or v for a step of 0 or 1. Zero stays zero.
func ceilTo(v, step int64) int64 {
	if step <= 1 || v <= 0 {
		return v
	}
	return (v-1)/step*step + step
}
