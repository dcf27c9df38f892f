package bounds_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
)

// naiveNeeded says N again, in rationals: the sum at which the anchor's product is met at the bound, never past the live sum, and the live sum
// itself where an earlier fit left it there.
func naiveNeeded(anchor, live bounds.Pair, settledSum int64, items []bounds.Item, bound int64, above bool) *big.Int {
	exact := new(big.Rat).SetFrac(mul(anchor.Requests, int64(anchor.Target)), big.NewInt(bound))
	need, rest := new(big.Int).DivMod(exact.Num(), exact.Denom(), new(big.Int))
	if above && rest.Sign() > 0 {
		need.Add(need, big.NewInt(1))
	}
	now := big.NewInt(live.Requests)
	if past := need.Cmp(now); (above && past > 0) || (!above && past < 0) {
		need.Set(now)
	}
	room, step := new(big.Int), int64(0)
	for _, it := range items {
		step = max(step, it.Step)
		end := it.Present
		if above && it.Limit >= 0 && it.Limit < end {
			end = it.Limit
		}
		if way := end - it.Settled; above && way > 0 {
			room.Add(room, big.NewInt(way))
		} else if !above && way < 0 && !it.Locked {
			room.Add(room, big.NewInt(-way))
		}
	}
	back := new(big.Int).Sub(now, big.NewInt(settledSum))
	gap := new(big.Int).Sub(now, need)
	if !above {
		back.Neg(back)
	}
	if int64(live.Target) == bound && gap.CmpAbs(big.NewInt(step)) < 0 && back.Cmp(room) == 0 {
		need.Set(now)
	}
	return need
}

// FitAnchored with an anchor: N as the twin has it, H4, H6, H7, and H5 where the live pair is the anchor's within H1 or H1b.
func lawAnchored(t *rapid.T) {
	target, oldSum, settledSum, items, effective := draw(t)
	if oldSum < 1 {
		t.Skip("no request")
	}
	live := bounds.Pair{Requests: oldSum, Target: target}
	anchor := bounds.Pair{Requests: rapid.Int64Range(1, 2*min(oldSum, 1<<50)+10).Draw(t, "R0"), Target: rapid.OneOf(rapid.Int32Range(1, 120), rapid.Just(target)).Draw(t, "T0")}
	synced := rapid.Bool().Draw(t, "synced")
	if synced { // the live target is the anchor's, rounded
		r0 := rapid.Int64Range(max(oldSum/3, 1), min(oldSum, 1<<50)*3).Draw(t, "R0 synced")
		anchor = bounds.Pair{Requests: r0, Target: rapid.Int32Range(1, 120).Draw(t, "T0 synced")}
		var ok bool
		if live.Target, ok = bounds.Target(anchor.Target, r0, oldSum); !ok {
			t.Skip("no target")
		}
		effective = bounds.Effective(effective, live.Target)
	}
	f, ok := bounds.FitAnchored(anchor, live, settledSum, items, effective)
	product := mul(anchor.Requests, int64(anchor.Target))
	var above, below bool
	if above = product.Cmp(mul(settledSum, effective.Hi)) > 0; !above {
		below = product.Cmp(mul(settledSum, effective.Lo)) < 0
	}
	require.True(t, ok, "the sums fit")
	if !above && !below {
		require.Empty(t, f.Acted)
		require.Equal(t, settledSum, f.Sum)
		want, _ := naiveTarget(anchor.Target, anchor.Requests, settledSum)
		require.Equal(t, want, int64(f.Target), "H1 against the anchor")
		return
	}
	bound, acted := effective.Lo, bounds.RuleMinUtilization
	if above {
		bound, acted = effective.Hi, bounds.RuleMaxUtilization
	}
	require.Equal(t, acted, f.Acted)
	require.Equal(t, bound, int64(f.Target), "H4")
	need := naiveNeeded(anchor, live, settledSum, items, bound, above)
	require.Equal(t, need.String(), big.NewInt(f.Needed).String())
	if f.Cause != "" {
		return
	}
	sum, step := settledSum, int64(1)
	for i, it := range items {
		require.True(t, min(it.Present, it.Settled) <= f.Requests[i] && f.Requests[i] <= max(it.Present, it.Settled), "H7")
		require.True(t, !it.Locked || f.Requests[i] >= it.Present, "H6")
		sum += f.Requests[i] - it.Settled
		step = max(step, it.Step)
	}
	require.Equal(t, sum, f.Sum)
	past := new(big.Int).Sub(big.NewInt(f.Sum), need)
	if !above {
		past.Neg(past)
	}
	settledPast := new(big.Int).Sub(big.NewInt(settledSum), need)
	if !above {
		settledPast.Neg(settledPast)
	}
	if settledPast.Sign() < 0 {
		require.True(t, past.Sign() >= 0 && past.Cmp(big.NewInt(step)) < 0, "the sum passes N by less than a step")
	} else {
		require.Equal(t, settledSum, f.Sum, "nothing to give back")
	}
	if synced {
		gap := new(big.Int).Sub(mul(f.Sum, int64(f.Target)), product)
		gap.Abs(gap)
		h1 := new(big.Int).Lsh(gap, 1).Cmp(big.NewInt(f.Sum)) <= 0
		h1b := gap.Cmp(mul(step, int64(f.Target))) < 0
		require.True(t, h1 || h1b, "H5: %v from %v", gap, product)
	}
}

func TestH5(t *testing.T) { rapid.Check(t, lawAnchored) }
func FuzzH5(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawAnchored)) }

func TestFitAnchored(t *testing.T) {
	wide := bounds.Interval{Lo: 40, Hi: 90}
	for _, row := range []struct {
		name         string
		anchor, live bounds.Pair
		step         int64
		present      []int64
		settle       []int64
		want         []int64
		target       int32
		acted        bounds.Rule
		needed       int64
		why          string
	}{
		{name: "inside", anchor: bounds.Pair{Requests: 1000, Target: 50}, live: bounds.Pair{Requests: 700, Target: 71}, present: []int64{700}, settle: []int64{800},
			want: []int64{800}, target: 62, why: "62.5 from the anchor"},
		{name: "at the maximum", anchor: bounds.Pair{Requests: 1000, Target: 50}, live: bounds.Pair{Requests: 700, Target: 71}, present: []int64{700}, settle: []int64{300},
			want: []int64{556}, target: 90, acted: bounds.RuleMaxUtilization, needed: 556, why: "ceil(50000 / 90), not ceil(49700 / 90) = 553"},
		{name: "at the minimum", anchor: bounds.Pair{Requests: 1000, Target: 50}, live: bounds.Pair{Requests: 700, Target: 71}, present: []int64{700}, settle: []int64{2000},
			want: []int64{1250}, target: 40, acted: bounds.RuleMinUtilization, needed: 1250, why: "floor(50000 / 40), not floor(49700 / 40) = 1242"},
		{name: "never past what is in force", anchor: bounds.Pair{Requests: 1000, Target: 90}, live: bounds.Pair{Requests: 700, Target: 50}, present: []int64{700}, settle: []int64{600},
			want: []int64{700}, target: 90, acted: bounds.RuleMaxUtilization, needed: 700, why: "half a change was put back: 1000m would be needed, the product only comes nearer"},
		{name: "what an earlier fit left stays", anchor: bounds.Pair{Requests: 1000, Target: 50}, live: bounds.Pair{Requests: 563, Target: 90}, step: 10, present: []int64{13, 550}, settle: []int64{0, 100},
			want: []int64{13, 550}, target: 90, acted: bounds.RuleMaxUtilization, needed: 563, why: "556 is needed, 563 is within a step of it: planning again changes nothing"},
		{name: "more than a step is not left", anchor: bounds.Pair{Requests: 1000, Target: 50}, live: bounds.Pair{Requests: 613, Target: 90}, step: 10, present: []int64{613}, settle: []int64{100},
			want: []int64{560}, target: 90, acted: bounds.RuleMaxUtilization, needed: 556, why: "613 is too much for the anchor"},
		{name: "beyond int64", anchor: bounds.Pair{Requests: math.MaxInt64, Target: math.MaxInt32}, live: bounds.Pair{Requests: 700, Target: 71}, present: []int64{700}, settle: []int64{300},
			want: []int64{700}, target: 90, acted: bounds.RuleMaxUtilization, needed: 700, why: "the needed sum is above all that is in force"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var items []bounds.Item
			sum := int64(0)
			for i := range row.present {
				items = append(items, bounds.Item{Name: string(rune('a' + i)), Present: row.present[i], Settled: row.settle[i], Limit: -1, Step: max(row.step, 1)})
				sum += row.settle[i]
			}
			f, ok := bounds.FitAnchored(row.anchor, row.live, sum, items, wide)
			require.True(t, ok)
			require.Empty(t, f.Cause)
			require.Equal(t, row.want, f.Requests, row.why)
			require.Equal(t, row.target, f.Target, row.why)
			require.Equal(t, row.acted, f.Acted, row.why)
			require.Equal(t, row.needed, f.Needed, row.why)
		})
	}
	for _, anchor := range []bounds.Pair{{}, {Requests: 1}, {Target: 1}, {Requests: -1, Target: 50}, {Requests: 1, Target: -1}} {
		_, ok := bounds.FitAnchored(anchor, bounds.Pair{Requests: 10, Target: 50}, 10, nil, wide)
		require.False(t, ok, "%v is no pair", anchor)
	}
}
