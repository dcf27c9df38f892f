package bounds_test

import (
	"fmt"

	"github.com/kube-rightsize/rightsize/bounds"
)

// Two rules that leave nothing: the upper side wins, so that a target which is too high for one of them is not made higher still.
func ExampleInterval_Clamp() {
	hub := bounds.Interval{Lo: 40, Hi: 60, LoBy: bounds.RuleDefault, HiBy: bounds.RuleDefault}
	mine := bounds.Interval{Lo: 70, Hi: 80, LoBy: bounds.RuleOption, HiBy: bounds.RuleOption}
	none := hub.Intersect(mine)
	fmt.Println(none.Empty(), none.Lo, none.Hi)
	fmt.Println(none.Clamp(65))
	fmt.Println(hub.Clamp(50)) // inside: no rule acted
	// Output:
	// true 70 60
	// 60 default
	// 50
}

// The ends belong to the interval.
func ExampleInterval_Contains() {
	i := bounds.Interval{Lo: 40, Hi: 90}
	fmt.Println(i.Contains(40), i.Contains(90), i.Contains(91))
	// Output: true true false
}

// A target of 30 is in force already: the bounds make room for it, since moving it for its own sake would be a change nobody asked for.
func ExampleInterval_Widen() {
	i := bounds.DefaultTarget().Widen(30, bounds.RuleLiveTarget)
	fmt.Println(i.Lo, i.LoBy, i.Hi, i.HiBy)
	// Output: 30 live-target 90 default
}

// What a person reads: the rule that set a number, why nothing fits, and what to do about it.
func ExampleCause_Next() {
	fmt.Println("705m:", bounds.RuleLimit.Sentence())
	fmt.Println(bounds.CauseLock.Sentence())
	fmt.Println(bounds.CauseLock.Next())
	// Output:
	// 705m: held at the limit after the change
	// a container that must not decrease would push the target below its minimum
	// Lower the minimum of the target bounds, or wait until the container is no longer throttled or OOM-killed.
}
