package rightsizetest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// Sums is a planner of four numbers, for a controller that knows nothing of this module's types: the request sum of one pod in thousandths
// (millicores) and the target in whole percent before, the recommended sum, and both after. Nothing to change is the old pair again.
type Sums func(oldRequests int64, oldTarget int32, recommended int64) (newRequests int64, newTarget int32)

// SumBounds are the bounds that the planner keeps; the zero value is 40..90 percent in steps of 1.
type SumBounds struct {
	MinUtilization, MaxUtilization int32
	Step                           int64
}

func (b SumBounds) around(live int32) limits {
	l := limits{lo: b.MinUtilization, hi: b.MaxUtilization, step: max(b.Step, 1)}
	if l.lo == 0 {
		l.lo = 40
	}
	if l.hi == 0 {
		l.hi = 90
	}
	l.lo, l.hi = min(l.lo, live), max(l.hi, live)
	return l
}

// SumLaws returns the laws of [CheckSums].
func SumLaws() []Law { return []Law{LawH1, LawH1b, LawH2, LawH4, LawH7, LawH8, LawP3} }

// CheckSums checks laws of a planner of four numbers, each as a subtest with the law's name; without names it checks all of [SumLaws].
func CheckSums(t *testing.T, plan Sums, b SumBounds, laws ...Law) {
	t.Helper()
	if len(laws) == 0 {
		laws = SumLaws()
	}
	for _, law := range laws {
		t.Run(string(law), func(t *testing.T) { CheckSumsLaw(t, plan, b, law) })
	}
}

// CheckSumsLaw checks one law of [SumLaws].
func CheckSumsLaw(t TB, plan Sums, b SumBounds, law Law) {
	t.Helper()
	rapid.Check(t, plan.Property(b, law))
}

// Property is one law of [SumLaws] for rapid.Check, or for a fuzz target by rapid.MakeFuzz.
func (f Sums) Property(b SumBounds, law Law) func(*rapid.T) {
	return func(t *rapid.T) {
		requests := rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(50, 4000), rapid.Int64Range(1, 300000)).Draw(t, "requests")
		target := rapid.OneOf(rapid.Int32Range(40, 90), rapid.Int32Range(1, 120), rapid.Just[int32](300)).Draw(t, "target")
		recommended := rapid.OneOf(rapid.Int64Range(max(requests/4, 1), requests*3), rapid.Int64Range(1, 300000), rapid.Just(requests)).Draw(t, "recommended")
		v := sumsLaw(law, f, b.around(target), requests, target, recommended)
		if v != nil {
			v.Input = fmt.Sprintf("  %d thousandths at %d percent, %d recommended", requests, target, recommended)
			t.Fatalf("%v", v)
		}
	}
}

func sumsLaw(law Law, plan Sums, b limits, requests int64, target int32, recommended int64) *Violation {
	to, t := plan(requests, target, recommended)
	was, now := pair{requests: requests, target: target}, pair{requests: to, target: t}
	switch law {
	case LawH1, LawH1b:
		if to == requests {
			return nil
		}
		if v := keeps(was.product(), now, b); v != nil && v.Law == law {
			return v
		}
	case LawH2:
		if to == requests && t != target {
			return law.broken("no request changes, but the target goes from %d to %d", target, t)
		}
	case LawH4:
		if t < b.lo || t > b.hi {
			return law.broken("the new target is %d, outside %d..%d", t, b.lo, b.hi)
		}
	case LawH7:
		up := (recommended + b.step - 1) / b.step * b.step
		if low, high := min(requests, recommended), max(requests, up); to < low || to > high {
			return law.broken("the requests end at %d, outside %d..%d", to, low, high)
		}
	case LawH8:
		if again, at := plan(to, t, recommended); again != to || at != t {
			return law.broken("%d at %d becomes %d at %d when planned again", to, t, again, at)
		}
	case LawP3:
		if again, at := plan(requests, target, recommended); again != to || at != t {
			return law.broken("first %d at %d, then %d at %d", to, t, again, at)
		}
	default:
		return law.broken("it is not a law of four numbers")
	}
	return nil
}
