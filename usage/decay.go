package usage

import (
	"math"
	"time"
)

// maxHalfLives is how far after the reference a sample may lie before the reference moves and weights are scaled down.
const maxHalfLives = 100

// decay returns 2^((t - reference) / half-life), what VPA multiplies a sample's weight by. Newer samples weigh more and
// old ones stay, so that adding touches one bucket. Powers of two are exact: moving the reference changes no quantile.
func (h *Histogram) decay(ns int64) float64 {
	if ns > h.limit {
		h.shift(ns)
	}
	return exp2(float64(ns-h.reference)/h.divisor, &h.near)
}

// shift moves the reference to ns, rounded to a multiple of the half-life counted from the year 1, half up.
func (h *Histogram) shift(ns int64) {
	reference := moment(ns).Round(time.Duration(h.halfLife)).UnixNano()
	if h.referred {
		halfLives := math.Floor(float64(h.reference-reference)/h.divisor + 0.5)
		h.scale(math.Ldexp(1, int(halfLives)))
	}
	h.refer(reference)
}

// refer sets the reference. Times end with the year 2199, so that a limit cut at the largest int64 is never passed.
func (h *Histogram) refer(reference int64) {
	h.reference, h.limit, h.referred = reference, reference+min(maxHalfLives*h.halfLife, math.MaxInt64-max(reference, 0)), true
}

// scale multiplies the weights. Like VPA, it leaves what lies outside the used range alone.
func (h *Histogram) scale(factor float64) {
	if h.kind != fine || h.used {
		for b := h.low; b <= h.high; b++ {
			h.weights[b] *= factor
		}
	}
	h.zero *= factor
	h.total *= factor
	h.trim()
}

// exp2 is math.Exp2 as pure Go computes it (math/exp.go: exp2 and expmulti, after FreeBSD's e_exp.c), restricted to
// results that are normal floats. There it gives the same bits on every processor, and it is twice as fast.
//
// near is the whole number next to the last x, or any other: the processor goes on with it while it finds out whether it is right, which saves
// an eighth of the time. The result does not depend on it.
func exp2(x float64, near *float64) float64 {
	const (
		ln2High = 6.93147180369123816490e-01
		ln2Low  = 1.90821492927058770002e-10
		p1      = 1.66666666666666657415e-01
		p2      = -2.77777777770155933842e-03
		p3      = 6.61375632143793436117e-05
		p4      = -1.65339022054652515390e-06
		p5      = 4.13813679705723846039e-08
	)
	if !(x > -1000 && x < 1000) {
		return math.Exp2(x)
	}
	half := 0.5
	if x < 0 {
		half = -0.5
	}
	k := int(x + half)
	whole := *near
	if whole != float64(k) {
		whole = float64(k)
		*near = whole
	}
	t := x - whole
	high := float64(t * ln2High)
	low := float64(-t * ln2Low)
	r := float64(high - low)
	s := float64(r * r)
	p := float64(p4 + float64(s*p5))
	p = float64(p3 + float64(s*p))
	p = float64(p2 + float64(s*p))
	p = float64(p1 + float64(s*p))
	c := float64(r - float64(s*p))
	y := 1 - (float64(low-float64(float64(r*c)/float64(2-c))) - high)
	return float64(y * math.Float64frombits(uint64(1023+k)<<mantissaBits))
}
