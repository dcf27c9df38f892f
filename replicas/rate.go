package replicas

import (
	"math"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// The policies that the API server fills in. Upstream: pkg/apis/autoscaling/v2/defaults.go.
var (
	scaleUpPolicies = [...]Policy{
		{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: 15},
		{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15},
	}
	scaleDownPolicies = [...]Policy{{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15}}
)

func (b *Behavior) policies(up bool) []Policy {
	rules, otherwise := &b.ScaleDown, scaleDownPolicies[:]
	if up {
		rules, otherwise = &b.ScaleUp, scaleUpPolicies[:]
	}
	if len(rules.Policies) > 0 {
		return rules.Policies
	}
	return otherwise
}

// rateLimit is the furthest count in one direction that the policies allow now. With start the count at the
// beginning of a policy's period:
//
//	up:   Pods start + value, Percent ceil(start * (1 + value/100))
//	down: Pods start - value, Percent start * (1 - value/100), truncated
//
// in float64. Rounding up lets a small count grow at all; truncation removes up to one pod more than the percentage
// says. float64 moves one pod further now and then: +10 % of 100 allow 111, -7 % of 500 allow 464. From 0 pods, and with
// no removal younger than a policy's period, Percent policies alone allow 0: such an HPA does not wake.
//
// Select Max takes the largest change, Min the smallest, Disabled none.
//
// Upstream: horizontal.go, calculateScaleUpLimitWithScalingRules, calculateScaleDownLimitWithBehaviors.
func (s *State) rateLimit(current int32, b *Behavior, up bool, now time.Time, reproduce bool) (limit int32, out bool) {
	selected := b.ScaleDown.SelectPolicy
	if up {
		selected = b.ScaleUp.SelectPolicy
	}
	if selected == autoscalingv2.DisabledPolicySelect {
		return current, false
	}
	highest := up == (selected != autoscalingv2.MinChangePolicySelect)
	limit = math.MaxInt32
	if highest {
		limit = math.MinInt32
	}
	policies := b.policies(up)
	for i := range policies {
		start, beyond := s.periodStart(current, policies[i].PeriodSeconds, now, reproduce)
		allowed, beyondToo, known := policies[i].allows(start, up, reproduce)
		if !known {
			continue
		}
		out = out || beyond || beyondToo
		if highest {
			limit = max(limit, allowed)
		} else {
			limit = min(limit, allowed)
		}
	}
	return limit, out
}

// allows is the count that one policy allows.
func (p *Policy) allows(start int64, up, reproduce bool) (limit int32, out, known bool) {
	sign := int64(-1)
	if up {
		sign = 1
	}
	switch p.Type {
	case autoscalingv2.PodsScalingPolicy:
		limit, out = whole(start+sign*int64(p.Value), reproduce)
	case autoscalingv2.PercentScalingPolicy:
		factor := 1 + float64(float64(sign)*float64(float64(p.Value)/100))
		allowed := float64(float64(start) * factor)
		if up {
			allowed = math.Ceil(allowed)
		}
		limit, out = toInt32(allowed, reproduce)
	default:
		return 0, false, false
	}
	return limit, out, true
}

// periodStart is the count at the beginning of a policy's period. Both directions' changes count.
func (s *State) periodStart(current, period int32, now time.Time, reproduce bool) (int64, bool) {
	start := int64(current) - changed(s.ScaleUps, period, now) + changed(s.ScaleDowns, period, now)
	wrapped := int64(int32(start))
	if reproduce {
		return wrapped, start != wrapped
	}
	return start, start != wrapped
}

// whole puts a count into int32, or wraps as upstream does.
func whole(v int64, reproduce bool) (int32, bool) {
	n, out := clip(v)
	if reproduce {
		return int32(v), out
	}
	return n, out
}

// doubled is the limit without a behavior: twice the count, at least 4. Upstream: calculateScaleUpLimit.
func doubled(current int32, reproduce bool) (limit int32, out bool) {
	return toInt32(math.Max(2.0*float64(current), 4.0), reproduce)
}
