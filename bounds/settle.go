package bounds

import (
	"math"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// Ask is what is asked of one container and resource, in thousandths.
type Ask struct {
	// Present is the request in force.
	Present int64
	// Recommended is the request that is wished for.
	Recommended int64
	// Limit is the limit after the change, rounded down to what a request may be; -1 means none.
	Limit int64
	// Locked says that the request must not decrease (cpu throttled, memory OOM-killed).
	Locked bool
	// Step is the rounding step, at least 1.
	Step int64
}

// Settle returns the request that one container would get if it were alone in the world:
//
//	recommended = present:  present
//	otherwise:              recommended rounded up to the step, but a cut never past the present
//	then:                   at least present where locked, at most the limit after the change
//
// Units: thousandths. Rounding: up to the step (money: less than one step too much; a request that is too small costs an outage).
//
// The limit wins over the lock, since the API server refuses a request above its limit; where a locked container's present request is above
// the limit the cause is [CauseLimit] and the plan must not be made.
//
// The rule says what decided last. Special cases: ok is false where Present or Recommended is negative, Step is below 1, or rounding up
// passes int64. Laws H6, H7. Source: protocol A4 and A6,
// docs/decisions/requests-above-limits.md.
func Settle(a Ask) (settled int64, by Rule, cause Cause, ok bool) {
	if a.Present < 0 || a.Recommended < 0 || a.Step < 1 {
		return 0, "", "", false
	}
	settled, by = a.Recommended, RuleRecommended
	if a.Recommended == a.Present {
		by = RuleEqual
	} else {
		if settled, ok = exact.CeilTo(a.Recommended, a.Step); !ok {
			return 0, "", "", false
		}
		if settled != a.Recommended {
			by = RuleStep
		}
		if a.Recommended < a.Present && settled > a.Present {
			settled, by = a.Present, RulePresent
		}
	}
	allowed := Interval{Lo: 0, Hi: math.MaxInt64}
	if a.Locked {
		allowed = allowed.Intersect(Interval{Lo: a.Present, Hi: math.MaxInt64, LoBy: RuleLock})
	}
	if a.Limit >= 0 {
		allowed = allowed.Intersect(Interval{Lo: 0, Hi: a.Limit, HiBy: RuleLimit})
	}
	if allowed.Empty() {
		cause = CauseLimit
	}
	if clamped, acted := allowed.Clamp(settled); acted != "" {
		settled, by = clamped, acted
	}
	return settled, by, cause, true
}
