package replicas

import (
	"math"
	"time"
)

// normalize turns the proposal into the count to be set, without a behavior: the highest number of the downscale
// window, then minReplicas, then the lower of maxReplicas and the doubled count. A record exactly as old as the window
// counts. Upstream: horizontal.go, normalizeDesiredReplicas, stabilizeRecommendation, convertDesiredReplicasWithRules.
func (s *State) normalize(spec *Spec, d *Decision, now time.Time) int32 {
	cutoff := now.Add(-or(spec.Flags.DownscaleStabilization, defaultDownscaleStabilization))
	stable, old := d.Proposal, -1
	for i := range s.Recommendations {
		r := &s.Recommendations[i]
		if r.At.Before(cutoff) {
			old = i
			continue
		}
		stable = max(stable, r.Replicas)
	}
	s.recommend(d.Proposal, now, old)
	d.Stabilized = stable
	reason := ReasonReadyForNewScale
	if stable != d.Proposal {
		reason = ReasonScaleDownStabilized
	}
	s.Conditions.AbleToScale.setTrue(reason, now)

	limit, out := doubled(d.Current, spec.ReproduceOverflow)
	d.Limit, d.RateLimited = limit, true
	d.OutOfRange.Limit = d.OutOfRange.Limit || out
	ceiling, ceilingReason := spec.MaxReplicas, ReasonTooManyReplicas
	if ceiling > limit {
		ceiling, ceilingReason = limit, ReasonScaleUpLimit
	}
	switch lowest := spec.Min(); {
	case stable < lowest:
		return s.limited(d, lowest, ReasonTooFewReplicas, now)
	case stable > ceiling:
		return s.limited(d, ceiling, ceilingReason, now)
	}
	return s.limited(d, stable, ReasonDesiredWithinRange, now)
}

// limited sets the condition ScalingLimited.
func (s *State) limited(d *Decision, desired int32, reason string, now time.Time) int32 {
	cut := desired != d.Stabilized
	s.Conditions.ScalingLimited.setIf(cut, reason, now)
	if cut {
		d.LimitedBy = reason
	}
	return desired
}

// normalizeWithBehavior does it with a behavior: the windows of both directions, then the policies and the bound in
// the direction of the stabilized number. Here a record exactly as old as a window does not count. minReplicas is not
// applied on the way up, nor maxReplicas on the way down.
//
// Upstream: horizontal.go, normalizeDesiredReplicasWithBehaviors, convertDesiredReplicasWithBehaviorRate.
func (s *State) normalizeWithBehavior(spec *Spec, d *Decision, now time.Time) int32 {
	stable := s.stabilize(spec, d.Current, d.Proposal, now)
	d.Stabilized = stable
	reason := ReasonReadyForNewScale
	if stable != d.Proposal {
		reason = ReasonScaleDownStabilized
		if d.Proposal >= d.Current {
			reason = ReasonScaleUpStabilized
		}
	}
	s.Conditions.AbleToScale.setTrue(reason, now)

	if stable == d.Current {
		return s.limited(d, stable, ReasonDesiredWithinRange, now)
	}
	up := stable > d.Current
	limit, out := s.rateLimit(d.Current, spec.Behavior, up, now, spec.ReproduceOverflow)
	d.OutOfRange.Limit = d.OutOfRange.Limit || out
	if up {
		limit = max(limit, d.Current)
		d.Limit, d.RateLimited = limit, true
		ceiling, reason := spec.MaxReplicas, ReasonTooManyReplicas
		if ceiling > limit {
			ceiling, reason = limit, ReasonScaleUpLimit
		}
		if stable > ceiling {
			return s.limited(d, ceiling, reason, now)
		}
		return s.limited(d, stable, ReasonDesiredWithinRange, now)
	}
	limit = min(limit, d.Current)
	d.Limit, d.RateLimited = limit, true
	floor, reason := spec.Min(), ReasonTooFewReplicas
	if floor < limit {
		floor, reason = limit, ReasonScaleDownLimit
	}
	if stable < floor {
		return s.limited(d, floor, reason, now)
	}
	return s.limited(d, stable, ReasonDesiredWithinRange, now)
}

// stabilize is the present count, raised to the lowest number of the scale-up window, then lowered to the highest of
// the scale-down window. It records the number. Upstream: stabilizeRecommendationWithBehaviors.
func (s *State) stabilize(spec *Spec, current, proposal int32, now time.Time) int32 {
	upCutoff := now.Add(-seconds(or(spec.Behavior.ScaleUp.StabilizationWindowSeconds, 0)))
	downCutoff := now.Add(-seconds(spec.downWindow()))
	low, high, old := proposal, proposal, -1
	for i := range s.Recommendations {
		r := &s.Recommendations[i]
		if r.At.After(upCutoff) {
			low = min(low, r.Replicas)
		}
		if r.At.After(downCutoff) {
			high = max(high, r.Replicas)
		}
		if r.At.Before(upCutoff) && r.At.Before(downCutoff) {
			old = i
		}
	}
	s.recommend(proposal, now, old)
	return min(max(current, low), high)
}

// downWindow is the scale-down window in seconds; the flag, if there is none, cut to whole seconds.
func (s *Spec) downWindow() int32 {
	if w := s.Behavior.ScaleDown.StabilizationWindowSeconds; w != nil {
		return *w
	}
	flag := or(s.Flags.DownscaleStabilization, defaultDownscaleStabilization)
	window, _ := toInt32(math.Trunc(flag.Seconds()), s.ReproduceOverflow)
	return window
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }
