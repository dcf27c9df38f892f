package bounds_test

import (
	"fmt"

	"github.com/kube-rightsize/rightsize/bounds"
)

func ExampleTarget() {
	fmt.Println(bounds.Target(50, 1000, 700))
	fmt.Println(bounds.Target(50, 1500, 1200)) // 62.5
	fmt.Println(bounds.Target(1, 1, 1000))     // rounds to 0, which is no target
	// Output:
	// 71 true
	// 62 true
	// 0 false
}

func ExampleSettle() {
	settled, by, cause, ok := bounds.Settle(bounds.Ask{Present: 1000, Recommended: 701, Limit: 705, Step: 10})
	fmt.Println(settled, by, cause, ok)
	// Output: 705 limit  true
}

func ExampleEffective() {
	e := bounds.Effective(bounds.DefaultTarget(), 300)
	fmt.Println(e.Lo, e.LoBy, e.Hi, e.HiBy)
	// Output: 40 default 300 live-target
}

// 1000m + 500m at 50, the first down to 200m: the target may not pass 90, so part of the cut is given back.
func ExampleFit() {
	items := []bounds.Item{
		{Name: "app", Present: 1000, Settled: 200, Limit: -1, Step: 1},
		{Name: "side", Present: 500, Settled: 500, Limit: -1, Step: 1},
	}
	f, ok := bounds.Fit(50, 1500, 700, items, bounds.DefaultTarget())
	fmt.Println(f.Requests, f.Target, f.Acted, ok)
	// Output: [334 500] 90 max-utilization true
}

func ExampleTrigger() {
	fmt.Println(bounds.Trigger(50, 0.1)) // 55 of 50 is still inside the tolerance
	// Output: 56 true
}

func ExampleReachable() {
	r, _ := bounds.Reachable(150, 534, 800, 0.1)
	fmt.Println(r.Trigger, r.Ceiling, r.Reachable)
	// Output: 166 149 false
}

func ExampleInterval() {
	hub := bounds.Interval{Lo: 40, Hi: 90, LoBy: bounds.RuleDefault, HiBy: bounds.RuleDefault}
	mine := bounds.Interval{Lo: 50, Hi: 95, LoBy: bounds.RuleOption, HiBy: bounds.RuleOption}
	both := hub.Intersect(mine)
	fmt.Println(both.Lo, both.LoBy, both.Hi, both.HiBy)
	fmt.Println(both.Clamp(120))
	// Output:
	// 50 option 90 default
	// 90 default
}

// 700m at 71 came from 1000m at 50. To 300m the target is computed from there: 50000 / 90 needs 556m, where 49700 / 90 would need 553m.
func ExampleFitAnchored() {
	items := []bounds.Item{{Name: "app", Present: 700, Settled: 300, Limit: -1, Step: 1}}
	anchor, live := bounds.Pair{Requests: 1000, Target: 50}, bounds.Pair{Requests: 700, Target: 71}
	f, ok := bounds.FitAnchored(anchor, live, 300, items, bounds.DefaultTarget())
	fmt.Println(f.Requests, f.Target, f.Acted, ok)
	// Output: [556] 90 max-utilization true
}
