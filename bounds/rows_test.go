package bounds_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/bounds"
)

// TestFit: each rule of the fitting, by hand.
func TestFit(t *testing.T) {
	type items = []bounds.Item
	one := func(present, settled int64) items {
		return items{{Name: "a", Present: present, Settled: settled, Limit: -1, Step: 1}}
	}
	two := func(step int64, a, b [2]int64) items {
		return items{{Name: "a", Present: a[0], Settled: a[1], Limit: -1, Step: step}, {Name: "b", Present: b[0], Settled: b[1], Limit: -1, Step: step}}
	}
	const top, bottom = bounds.RuleMaxUtilization, bounds.RuleMinUtilization
	for _, row := range []struct {
		name   string
		target int32
		items  items
		fixed  int64 // in both sums
		want   []int64
		to     int32
		acted  bounds.Rule
		needed int64
		cause  bounds.Cause
		why    string
	}{
		{name: "inside", target: 50, items: one(1000, 700), want: []int64{700}, to: 71, why: "71.43"},
		{name: "at the maximum", target: 45, items: one(1000, 500), want: []int64{500}, to: 90, why: "exactly 90 is inside: nothing acts"},
		{name: "above the maximum", target: 45, items: one(1000, 499), want: []int64{500}, to: 90, acted: top, needed: 500, why: "one is given back"},
		{name: "90.09", target: 50, items: one(1000, 555), want: []int64{556}, to: 90, acted: top, needed: 556, why: "judged before rounding; one is given back"},
		{name: "at the minimum", target: 80, items: one(1000, 2000), want: []int64{2000}, to: 40, why: "exactly 40 is inside: nothing acts"},
		{name: "below the minimum", target: 80, items: one(1000, 2001), want: []int64{2000}, to: 40, acted: bottom, needed: 2000, why: "one is given back"},
		{name: "39.98", target: 50, items: one(1003, 1254), want: []int64{1253}, to: 40, acted: bottom, needed: 1253, why: "judged before rounding; 1253.75 is rounded down"},
		{name: "to nothing", target: 50, items: one(1000, 0), want: []int64{556}, to: 90, acted: top, needed: 556, why: "a settled sum of 0 has no target of its own"},
		{name: "with a fixed part", target: 50, items: one(1000, 0), fixed: 500, want: []int64{334}, to: 90, acted: top, needed: 834, why: "what does not move counts"},
		{name: "all of it", target: 89, items: one(10, 5), want: []int64{10}, to: 90, acted: top, needed: 10, why: "9.89 is rounded up to what is there"},
		{name: "shared", target: 50, items: two(1, [2]int64{1000, 100}, [2]int64{1000, 550}), want: []int64{408, 704}, to: 90, acted: top, needed: 1112, why: "462 over rooms of 900 and 450: 308 and 154"},
		{name: "a tie goes to the name", target: 50, items: two(1, [2]int64{500, 100}, [2]int64{500, 100}), want: []int64{278, 278}, to: 90, acted: top, needed: 556, why: "356 is even"},
		{name: "a tie, odd", target: 50, items: two(1, [2]int64{499, 100}, [2]int64{499, 100}), want: []int64{278, 277}, to: 90, acted: top, needed: 555, why: "355: a gets the one that is left"},
		{name: "a fraction decides", target: 50, items: two(1, [2]int64{499, 100}, [2]int64{500, 100}), want: []int64{277, 278}, to: 90, acted: top, needed: 555, why: "177.28 and 177.72: b gets the one"},
		{name: "in steps", target: 50, items: two(50, [2]int64{500, 100}, [2]int64{500, 100}), want: []int64{300, 300}, to: 90, acted: top, needed: 556, why: "178 each becomes 150 each and a step more each: 556 is passed by less than a step"},
		{name: "in steps, one more", target: 50, items: two(50, [2]int64{500, 100}, [2]int64{500, 120}), want: []int64{300, 270}, to: 90, acted: top, needed: 556, why: "172.3 and 163.7 become 150 each; the larger remainder gets the step"},
		{name: "to the end of the room", target: 50, items: two(50, [2]int64{110, 100}, [2]int64{890, 100}), want: []int64{110, 450}, to: 90, acted: top, needed: 556, why: "a's 4.45 is less than a step and its room ends at 10; b's 351.55 is 350"},
		{name: "a limit ends the room", target: 50, items: items{{Name: "a", Present: 1000, Settled: 200, Limit: 200, Step: 1}, {Name: "b", Present: 1000, Settled: 200, Limit: -1, Step: 1}},
			want: []int64{200, 912}, to: 90, acted: top, needed: 1112, why: "a has none"},
		{name: "a limit inside the room", target: 50, items: items{{Name: "a", Present: 1000, Settled: 200, Limit: 600, Step: 1}}, want: []int64{556}, to: 90, acted: top, needed: 556, why: "556 fits below 600"},
		{name: "a limit just suffices", target: 50, items: items{{Name: "a", Present: 1000, Settled: 200, Limit: 556, Step: 1}}, want: []int64{556}, to: 90, acted: top, needed: 556, why: "all of the room"},
		{name: "a limit is too low", target: 50, items: items{{Name: "a", Present: 1000, Settled: 200, Limit: 555, Step: 1}}, cause: bounds.CauseLimit, to: 90, acted: top, needed: 556, want: []int64{200}, why: "one is missing"},
		{name: "a limit below the settled", target: 50, items: items{{Name: "a", Present: 1000, Settled: 200, Limit: 100, Step: 1}, {Name: "b", Present: 1000, Settled: 200, Limit: -1, Step: 1}}, want: []int64{200, 912}, to: 90, acted: top, needed: 1112, why: "no room, not a negative one"},
		{name: "a limit of 0", target: 50, items: items{{Name: "a", Present: 1000, Settled: 0, Limit: 0, Step: 1}}, cause: bounds.CauseLimit, to: 90, acted: top, needed: 556, want: []int64{0}, why: "0 is a limit, -1 is none"},
		{name: "a raise beside a cut", target: 50, items: two(1, [2]int64{1000, 100}, [2]int64{100, 200}), want: []int64{412, 200}, to: 90, acted: top, needed: 612, why: "only cuts are given back at the maximum"},
		{name: "a cut beside a raise", target: 50, items: two(1, [2]int64{1000, 2000}, [2]int64{200, 100}), want: []int64{1400, 100}, to: 40, acted: bottom, needed: 1500, why: "only raises are given back at the minimum"},
		{name: "a locked raise is kept", target: 50, items: items{{Name: "a", Present: 1000, Settled: 2000, Limit: -1, Locked: true, Step: 1}, {Name: "b", Present: 1000, Settled: 2000, Limit: -1, Step: 1}},
			cause: bounds.CauseLock, to: 40, acted: bottom, needed: 2500, want: []int64{2000, 2000}, why: "b alone has 1000 to give back and 1500 are needed"},
		{name: "the other gives", target: 50, items: items{{Name: "a", Present: 1000, Settled: 1200, Limit: -1, Locked: true, Step: 1}, {Name: "b", Present: 1000, Settled: 2000, Limit: -1, Step: 1}},
			want: []int64{1200, 1300}, to: 40, acted: bottom, needed: 2500, why: "all of it from b"},
		{name: "the other just gives", target: 50, items: items{{Name: "a", Present: 1000, Settled: 1500, Limit: -1, Locked: true, Step: 1}, {Name: "b", Present: 1000, Settled: 1200, Limit: -1, Step: 1}},
			want: []int64{1500, 1000}, to: 40, acted: bottom, needed: 2500, why: "all of b's raise"},
		{name: "the other does not", target: 50, items: items{{Name: "a", Present: 1000, Settled: 1501, Limit: -1, Locked: true, Step: 1}, {Name: "b", Present: 1000, Settled: 1200, Limit: -1, Step: 1}},
			cause: bounds.CauseLock, to: 40, acted: bottom, needed: 2500, want: []int64{1501, 1200}, why: "one is missing"},
		{name: "a locked cut has no lock here", target: 50, items: items{{Name: "a", Present: 1000, Settled: 100, Limit: -1, Locked: true, Step: 1}}, want: []int64{556}, to: 90, acted: top, needed: 556, why: "settling keeps locks; giving back only helps"},
		{name: "nothing would be left", target: 1, items: items{{Name: "a", Present: 1, Settled: 0, Limit: 0, Step: 1}, {Name: "b", Present: 0, Settled: 10, Limit: -1, Step: 10}},
			cause: bounds.CauseLimit, to: 1, acted: bottom, needed: 1, want: []int64{0, 0}, why: "9 are to be given back, a step of 10 is all: a sum of 0 has no utilization"},
		{name: "outside and away", target: 300, items: one(1000, 900), want: []int64{1000}, to: 300, acted: top, needed: 1000, why: "333 is past the live target, which is the bound"},
		{name: "outside and towards", target: 300, items: one(1000, 1500), want: []int64{1500}, to: 200, why: "a target outside may come nearer"},
		{name: "below and away", target: 20, items: one(1000, 1100), want: []int64{1000}, to: 20, acted: bottom, needed: 1000, why: "18 is past the live target, which is the bound"},
	} {
		t.Run(row.name, func(t *testing.T) {
			old, settled := row.fixed, row.fixed
			for _, it := range row.items {
				old, settled = old+it.Present, settled+it.Settled
			}
			f, ok := bounds.Fit(row.target, old, settled, row.items, bounds.Effective(bounds.DefaultTarget(), row.target))
			require.True(t, ok)
			require.Equal(t, row.want, f.Requests, row.why)
			require.Equal(t, row.to, f.Target, row.why)
			require.Equal(t, row.acted, f.Acted, row.why)
			require.Equal(t, row.needed, f.Needed, row.why)
			require.Equal(t, row.cause, f.Cause, row.why)
			sum := row.fixed
			for _, r := range f.Requests {
				sum += r
			}
			require.Equal(t, sum, f.Sum)
		})
	}
	none, ok := bounds.Fit(50, 100, 50, nil, bounds.DefaultTarget())
	require.True(t, ok)
	require.Equal(t, bounds.CauseLimit, none.Cause, "nothing can move")
}

// TestFitAtTheEnds: what is refused, and the last that is not.
func TestFitAtTheEnds(t *testing.T) {
	item := bounds.Item{Name: "a", Present: 10, Settled: 9, Limit: -1, Step: 1}
	pair := bounds.Pair{Requests: 10, Target: 50}
	wide := bounds.Interval{Lo: 1, Hi: math.MaxInt32}
	for _, row := range []struct {
		name         string
		anchor, live bounds.Pair
		settled      int64
		item         bounds.Item
		in           bounds.Interval
		ok           bool
		why          string
	}{
		{"all is well", pair, pair, 9, item, wide, true, "1 and MaxInt32 are targets"},
		{"least pair", bounds.Pair{Requests: 1, Target: 1}, bounds.Pair{Requests: 1, Target: 1}, 1, item, wide, true, "1 and 1"},
		{"no live sum", pair, bounds.Pair{Target: 50}, 9, item, wide, false, "0 is no sum"},
		{"negative live sum", pair, bounds.Pair{Requests: -1, Target: 50}, 9, item, wide, false, "cannot be"},
		{"no live target", pair, bounds.Pair{Requests: 10}, 9, item, bounds.Interval{Lo: 1, Hi: 90}, false, "0 is no target"},
		{"no live target, held", pair, bounds.Pair{Requests: 10}, 9, item, bounds.Interval{Lo: 0, Hi: 90}, false, "0 is no target, bounds that hold it are none"},
		{"no anchor sum", bounds.Pair{Target: 50}, pair, 9, item, wide, false, "0 is no sum"},
		{"no anchor target", bounds.Pair{Requests: 10}, pair, 9, item, wide, false, "0 is no target"},
		{"settled sum 0", pair, pair, 0, item, wide, true, "a bound acts"},
		{"settled sum -1", pair, pair, -1, item, wide, false, "cannot be"},
		{"bound 0", pair, pair, 9, item, bounds.Interval{Lo: 0, Hi: 90}, false, "0 is no target"},
		{"bound beyond int32", pair, pair, 9, item, bounds.Interval{Lo: 1, Hi: math.MaxInt32 + 1}, false, "a target is an int32"},
		{"live target at the lower bound", pair, pair, 10, item, bounds.Interval{Lo: 50, Hi: 90}, true, "inside"},
		{"live target at the upper bound", pair, pair, 10, item, bounds.Interval{Lo: 40, Hi: 50}, true, "inside"},
		{"live target below", pair, pair, 10, item, bounds.Interval{Lo: 51, Hi: 90}, false, "the caller widens"},
		{"live target above", pair, pair, 10, item, bounds.Interval{Lo: 40, Hi: 49}, false, "the caller widens"},
		{"present 0", pair, pair, 9, bounds.Item{Settled: 9, Limit: -1, Step: 1}, wide, true, "0 is a request"},
		{"present -1", pair, pair, 9, bounds.Item{Present: -1, Settled: 9, Limit: -1, Step: 1}, wide, false, "cannot be"},
		{"settled 0", pair, pair, 9, bounds.Item{Present: 9, Limit: -1, Step: 1}, wide, true, "0 is a request"},
		{"settled -1", pair, pair, 9, bounds.Item{Present: 9, Settled: -1, Limit: -1, Step: 1}, wide, false, "cannot be"},
		{"step 0", pair, pair, 9, bounds.Item{Present: 9, Settled: 9, Limit: -1}, wide, false, "a step is at least 1"},
	} {
		_, ok := bounds.FitAnchored(row.anchor, row.live, row.settled, []bounds.Item{row.item}, row.in)
		require.Equal(t, row.ok, ok, row.name+": "+row.why)
	}
}

// TestTargetAtTheEnds: the last results that are targets.
func TestTargetAtTheEnds(t *testing.T) {
	for _, row := range []struct {
		target   int32
		old, new int64
		want     int32
		ok       bool
		why      string
	}{
		{1, 1, 1, 1, true, "the least"},
		{1, 2, 3, 1, true, "0.67 is nearest to 1"},
		{1, 501, 1000, 1, true, "0.501"},
		{1, 500, 1000, 0, false, "0.5 ties down to 0, which is no target"},
		{3, 1, 2, 1, true, "1.5 ties down"},
		{5, 1, 2, 2, true, "2.5 ties down"},
		{1 << 30, 2, 1, 0, false, "2^31 is one too many"},
		{1 << 30, 3, 2, 3 << 29, true, "1.5 x 2^30"},
		{math.MaxInt32, 1, 1, math.MaxInt32, true, "the largest"},
		{715827883, 3, 1, 0, false, "2147483649"},
		{1431655765, 3, 2, math.MaxInt32, true, "2147483647.5 ties down to the largest"},
	} {
		got, ok := bounds.Target(row.target, row.old, row.new)
		require.Equal(t, row.ok, ok, row.why)
		require.Equal(t, row.want, got, row.why)
	}
}

// TestSettleAtTheEdges: which rule names the number where two would do, and what is refused.
func TestSettleAtTheEdges(t *testing.T) {
	for _, row := range []struct {
		name string
		ask  bounds.Ask
		want int64
		by   bounds.Rule
		stop bounds.Cause
		ok   bool
		why  string
	}{
		{"up to just the present", bounds.Ask{Present: 710, Recommended: 702, Limit: -1, Step: 10}, 710, bounds.RuleStep, "", true, "the step led there, nothing held it"},
		{"one past the present", bounds.Ask{Present: 709, Recommended: 702, Limit: -1, Step: 10}, 709, bounds.RulePresent, "", true, "the step would lead to 710"},
		{"a raise past the step", bounds.Ask{Present: 703, Recommended: 704, Limit: -1, Step: 10}, 710, bounds.RuleStep, "", true, "a raise may"},
		{"on the step", bounds.Ask{Present: 1000, Recommended: 700, Limit: -1, Step: 10}, 700, bounds.RuleRecommended, "", true, "as recommended"},
		{"just the limit", bounds.Ask{Present: 100, Recommended: 200, Limit: 200, Step: 1}, 200, bounds.RuleRecommended, "", true, "the limit does not act"},
		{"one past the limit", bounds.Ask{Present: 100, Recommended: 201, Limit: 200, Step: 1}, 200, bounds.RuleLimit, "", true, "the limit acts"},
		{"a limit of 0", bounds.Ask{Present: 0, Recommended: 1, Limit: 0, Step: 1}, 0, bounds.RuleLimit, "", true, "0 is a limit"},
		{"equal above the limit", bounds.Ask{Present: 300, Recommended: 300, Limit: 200, Step: 1}, 200, bounds.RuleLimit, "", true, "the limit takes the request with it"},
		{"locked at its limit", bounds.Ask{Present: 200, Recommended: 100, Limit: 200, Locked: true, Step: 1}, 200, bounds.RuleLock, "", true, "both allow it"},
		{"locked one above its limit", bounds.Ask{Present: 201, Recommended: 100, Limit: 200, Locked: true, Step: 1}, 200, bounds.RuleLimit, bounds.CauseLimit, true, "the limit wins"},
		{"locked and equal", bounds.Ask{Present: 200, Recommended: 200, Limit: -1, Locked: true, Step: 1}, 200, bounds.RuleEqual, "", true, "the lock does not act"},
		{"not locked above its limit", bounds.Ask{Present: 201, Recommended: 100, Limit: 200, Step: 1}, 100, bounds.RuleRecommended, "", true, "no cause without a lock"},
		{"to nothing", bounds.Ask{Present: 100, Recommended: 0, Limit: -1, Step: 10}, 0, bounds.RuleRecommended, "", true, "0 is on every step"},
		{"largest", bounds.Ask{Present: 0, Recommended: math.MaxInt64, Limit: -1, Step: 1}, math.MaxInt64, bounds.RuleRecommended, "", true, "fits"},
		{"largest, off the step", bounds.Ask{Present: 0, Recommended: math.MaxInt64, Limit: -1, Step: 2}, 0, "", "", false, "rounding up passes int64"},
		{"largest, equal", bounds.Ask{Present: math.MaxInt64, Recommended: math.MaxInt64, Limit: -1, Step: 2}, math.MaxInt64, bounds.RuleEqual, "", true, "equal is not rounded"},
		{"negative present", bounds.Ask{Present: -1, Recommended: 1, Limit: -1, Step: 1}, 0, "", "", false, "cannot be"},
		{"negative recommendation", bounds.Ask{Present: 1, Recommended: -1, Limit: -1, Step: 1}, 0, "", "", false, "cannot be"},
		{"no step", bounds.Ask{Present: 1, Recommended: 1, Limit: -1}, 0, "", "", false, "at least 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, by, stop, ok := bounds.Settle(row.ask)
			require.Equal(t, row.ok, ok, row.why)
			require.Equal(t, row.want, got, row.why)
			require.Equal(t, row.by, by, row.why)
			require.Equal(t, row.stop, stop, row.why)
		})
	}
}

// TestIntervals: the edges of the algebra, by hand.
func TestIntervals(t *testing.T) {
	const a, b = bounds.RuleDefault, bounds.RuleOption // in alphabetical order
	i := bounds.Interval{Lo: 40, Hi: 90, LoBy: b, HiBy: b}
	require.Equal(t, bounds.Interval{Lo: 40, Hi: 90, LoBy: a, HiBy: a}, i.Intersect(bounds.Interval{Lo: 40, Hi: 90, LoBy: a, HiBy: a}), "equal sides take the first name")
	require.Equal(t, bounds.Interval{Lo: 41, Hi: 89, LoBy: "z", HiBy: "z"}, i.Intersect(bounds.Interval{Lo: 41, Hi: 89, LoBy: "z", HiBy: "z"}), "the tighter side has its own name")
	require.Equal(t, i, i.Intersect(bounds.Interval{Lo: 39, Hi: 91, LoBy: a, HiBy: a}), "a looser one changes nothing")
	require.False(t, bounds.Interval{Lo: 5, Hi: 5}.Empty(), "one number")
	require.True(t, bounds.Interval{Lo: 6, Hi: 5}.Empty())
	require.True(t, i.Contains(40) && i.Contains(90) && !i.Contains(39) && !i.Contains(91))
	for v, want := range map[int64]bounds.Interval{
		40: i, 90: i,
		39: {Lo: 39, Hi: 90, LoBy: bounds.RuleLiveTarget, HiBy: b},
		91: {Lo: 40, Hi: 91, LoBy: b, HiBy: bounds.RuleLiveTarget},
	} {
		require.Equal(t, want, i.Widen(v, bounds.RuleLiveTarget))
	}
	require.Equal(t, bounds.Interval{Lo: 40, Hi: 90, LoBy: bounds.RuleDefault, HiBy: bounds.RuleDefault}, bounds.DefaultTarget())
	got, by := bounds.Interval{Lo: 6, Hi: 5, LoBy: a, HiBy: b}.Clamp(7)
	require.Equal(t, int64(5), got, "in an empty interval the upper side wins")
	require.Equal(t, b, by)
	got, by = bounds.Interval{Lo: 6, Hi: 5, LoBy: a, HiBy: b}.Clamp(4)
	require.Equal(t, int64(5), got)
	require.Equal(t, b, by)
}
