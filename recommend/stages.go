package recommend

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/usage"
)

// measured is what one resource of one container has behind it.
type measured struct {
	view    usage.View // the statistic is taken of
	history usage.View // how long and how much was measured
	useOnly bool       // the view holds peaks without what the kills showed
	kills   []usage.OOMKill
	hold    Cause // why the request must not fall; empty: it may
	share   int64 // the number of containers that share the pod's minimum
}

// run takes the resource through the stages up to rounding. It returns a reason when there is no recommendation.
func (d *draft) run(s Strategy, m measured) Reason {
	if usage.Empty(m.view) {
		if !d.killKnown(m.kills) {
			return NoData // of a kill at an unknown amount nothing is known but that it was too small
		}
	} else {
		if reason := d.enough(s, m); reason != "" {
			return reason
		}
		if reason := d.quantile(m.view); reason != "" {
			return reason
		}
		d.margin()
		if d.now.Request > maxAmount && d.arithmetic == Exact {
			return AmountOutOfRange
		}
		d.confidence(m.history)
	}
	d.oom(s.OOM, m)
	d.keep(m.hold)
	d.minimum(m.share)
	if d.rule.Step > 1 {
		d.step(StageRounding, FromStrategy, d.rule.Step, d.now.each(func(v int64) int64 { return ceilTo(v, d.rule.Step) }))
	}
	d.stepLimit()
	if d.now.Request > 2*maxAmount {
		return AmountOutOfRange
	}
	d.out.Uncapped = d.now.Request
	return ""
}

// enough refuses what is too little to judge by. An OOM kill is evidence, however little else there is. A view that has data and does not say
// from when to when has no span to judge by.
func (d *draft) enough(s Strategy, m measured) Reason {
	spanned := s.MinSpan.Duration > 0 || d.rule.Confidence.Duration > 0
	switch {
	case len(m.kills) > 0:
		return ""
	case spanned && !usage.Empty(m.history) && (m.history.First().IsZero() || m.history.Last().IsZero()):
		return MissingSpan
	case s.MinSamples > 0 && (m.history == nil || m.history.Count() < s.MinSamples):
		return TooFewSamples
	case s.MinSpan.Duration > 0 && span(m.history) < s.MinSpan.Duration:
		return TooShort
	}
	return ""
}

func span(v usage.View) time.Duration {
	if v == nil {
		return 0
	}
	return max(v.Last().Sub(v.First()), 0)
}

func (d *draft) quantile(view usage.View) Reason {
	cause := FromSamples
	if d.rule.From == Peaks {
		cause = FromPeaks
	}
	var t Triple
	for _, s := range []struct {
		of   Statistic
		into *int64
	}{{d.rule.Target, &t.Request}, {d.rule.Lower, &t.Lower}, {d.rule.Upper, &t.Upper}} {
		v, ok := view.Max()
		if !s.of.Max {
			v, ok = view.Quantile(s.of.Quantile.Float())
		}
		if !ok {
			return MissingQuantile
		}
		if *s.into, ok = fromFloat(float64(v*unit(d.out.Resource)), d.arithmetic); !ok || !s.of.Max && usage.Beyond(view, s.of.Quantile.Float()) {
			return AmountOutOfRange
		}
	}
	// A view that knows its largest value exactly and its quantiles to the end of a bucket, or one whose quantiles fall, would put a bound on the
	// other side of the request. The request stays: a bound that is too wide costs a later change, nothing else.
	t.Lower, t.Upper = min(t.Lower, t.Request), max(t.Upper, t.Request)
	value := int64(d.rule.Target.Quantile)
	if d.rule.Target.Max {
		value = int64(Whole)
	}
	d.step(StageQuantile, cause, value, t)
	return ""
}

// margin: amount + amount x margin. Upstream truncates the product by itself: it is not amount x (1 + margin).
func (d *draft) margin() {
	if d.rule.Margin == 0 {
		return
	}
	d.step(StageMargin, FromStrategy, int64(d.rule.Margin), d.now.each(func(v int64) int64 {
		return v + scaled(v, d.rule.Margin, d.arithmetic)
	}))
}

// confidence widens the bounds when there is little history, c intervals: upper x (1 + 1/c), lower x (1 + 0.001/c)^-2.
// c is the smaller of the time between the first and the last sample and the samples at one per minute.
// A count below zero is none. Without any time between them the upper bound is the largest amount and the lower one zero.
func (d *draft) confidence(history usage.View) {
	interval := d.rule.Confidence.Duration
	if interval <= 0 {
		return
	}
	c := 0.0
	if history != nil {
		c = math.Min(float64(span(history))/float64(interval), float64(max(history.Count(), 0))/interval.Minutes())
	}
	d.out.Confidence = int64(math.Min(float64(c*1000), maxAmount))
	up, down := math.Pow(1+1.0/c, 1), math.Pow(1+0.001/c, -2)
	t := d.now
	if d.arithmetic == Upstream {
		t.Lower, t.Upper = truncate(float64(float64(t.Lower)*down)), truncate(float64(float64(t.Upper)*up))
	} else {
		t.Lower = min(truncate(float64(float64(t.Lower)*down)), t.Lower)
		t.Upper = max(truncate(math.Ceil(float64(float64(t.Upper)*up))), t.Upper)
	}
	t.Upper = max(t.Upper, t.Request) // a request with its margin can pass the largest amount that a bound is cut to
	d.step(StageConfidence, FromHistory, d.out.Confidence, t)
}

// oom: what the costliest kill needed. Kills do not add up: each one is judged by what was requested and used, not by an
// earlier estimate.
func (d *draft) oom(o OOM, m measured) {
	if len(m.kills) == 0 || o.InPeaks && !m.useOnly && !usage.Empty(m.view) {
		return
	}
	highest := int64(0)
	if !usage.Empty(m.view) {
		if v, ok := m.view.Max(); ok {
			highest = truncate(v)
		}
	}
	needed := int64(0)
	for _, kill := range m.kills {
		used := d.usedAt(kill)
		if kill.Peak <= 0 {
			used = max(used, highest)
		}
		needed = max(needed, min(o.needed(min(used, maxAmount), d.arithmetic), maxAmount))
	}
	t := d.now
	t.Request, t.Upper = max(t.Request, needed), max(t.Upper, needed)
	d.step(StageOOM, FromOOMKill, needed, t)
}

// usedAt is what a container used at least when it was killed: its request then, otherwise the present one, or the highest use that was seen;
// where none of them is known, with Exact, the limit that it was killed at. 0 is not known.
func (d *draft) usedAt(kill usage.OOMKill) int64 {
	used := max(kill.Request, 0)
	if used == 0 && d.request != nil {
		used = *d.request
	}
	used = max(used, kill.Peak)
	if used == 0 && d.arithmetic == Exact {
		used = max(kill.Limit, 0)
	}
	return used
}

// killKnown says whether an amount is known of one of the kills.
func (d *draft) killKnown(kills []usage.OOMKill) bool {
	for _, kill := range kills {
		if d.usedAt(kill) > 0 {
			return true
		}
	}
	return false
}

// keep does not let the request fall below the present one.
func (d *draft) keep(cause Cause) {
	if cause == "" || d.request == nil {
		return
	}
	t := d.now
	t.Request, t.Upper = max(t.Request, *d.request), max(t.Upper, *d.request)
	d.step(StageHold, cause, *d.request, t)
}

// minimum: the pod's minimum divided by the containers that share it, or the container's own.
// With Exact a request is at least one unit: a request of zero would leave an HPA nothing to divide by.
func (d *draft) minimum(share int64) {
	least := d.rule.Minimum
	if d.arithmetic == Upstream {
		pod := float64(d.rule.PodMinimum)
		if d.out.Resource == corev1.ResourceCPU {
			pod = float64(float64(pod*0.001) * 1000.0)
		}
		least = max(least, truncate(float64(float64(truncate(pod))*float64(1.0/float64(share)))))
	} else {
		part, _ := exact.MulDivCeil(d.rule.PodMinimum, 1, share)
		least = max(least, part, 1)
	}
	if least <= 0 {
		return
	}
	d.step(StageMinimum, FromStrategy, least, d.now.each(func(v int64) int64 { return max(v, least) }))
}

// stepLimit keeps the change in one go within a share of the present request. A present request of zero has no share.
func (d *draft) stepLimit() {
	if d.request == nil || *d.request <= 0 || d.rule.MaxRaise == 0 && d.rule.MaxCut == 0 {
		return
	}
	present := *d.request
	least, most := int64(0), int64(math.MaxInt64)
	value := d.rule.MaxRaise
	if d.rule.MaxRaise > 0 {
		most = present + scaled(present, d.rule.MaxRaise, Exact)
	}
	if d.rule.MaxCut > 0 {
		cut, _ := exact.MulDivFloor(present, int64(d.rule.MaxCut), int64(Whole))
		least = present - cut
		if d.now.Request < present {
			value = d.rule.MaxCut
		}
	}
	d.step(StageStepLimit, FromRequest, int64(value), d.now.each(func(v int64) int64 { return min(max(v, least), most) }))
}
