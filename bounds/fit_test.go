package bounds_test

import (
	"math"
	"math/big"
	"sort"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
)

func rat(a int64) *big.Rat { return new(big.Rat).SetInt64(a) }

func mul(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// naiveTarget is the formula in big rationals: nearest, a tie to the lower.
func naiveTarget(t int32, r, n int64) (int64, bool) {
	if t < 1 || r < 1 || n < 1 {
		return 0, false
	}
	x := new(big.Rat).SetFrac(mul(int64(t), r), big.NewInt(n))
	x.Sub(x, big.NewRat(1, 2)) // ceil(x - 1/2) is nearest with ties down
	q, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	if q.Cmp(big.NewInt(1)) < 0 || q.Cmp(big.NewInt(math.MaxInt32)) > 0 {
		return 0, false
	}
	return q.Int64(), true
}

func amounts() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(1, 5000), rapid.Int64Range(1, 1<<40), rapid.SampledFrom([]int64{0, 1, math.MaxInt64 - 1, math.MaxInt64, -1, math.MinInt64}))
}

func targets() *rapid.Generator[int32] {
	return rapid.OneOf(rapid.Int32Range(1, 120), rapid.Int32Range(1, 3), rapid.SampledFrom([]int32{0, -1, math.MaxInt32, math.MinInt32, 300, 500}))
}

// H1: 2 |R' T' - R T| <= R'.
func lawH1(t *rapid.T) {
	target, r, n := targets().Draw(t, "T"), amounts().Draw(t, "R"), amounts().Draw(t, "R'")
	got, ok := bounds.Target(target, r, n)
	want, okWant := naiveTarget(target, r, n)
	require.Equal(t, okWant, ok)
	if !ok {
		require.Zero(t, got)
		return
	}
	require.Equal(t, want, int64(got))
	gap := new(big.Int).Sub(mul(n, int64(got)), mul(r, int64(target)))
	require.LessOrEqual(t, gap.Abs(gap).Lsh(gap, 1).Cmp(big.NewInt(n)), 0)
}

func TestH1(t *testing.T) { rapid.Check(t, lawH1) }
func FuzzH1(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH1)) }

func TestTarget(t *testing.T) {
	for _, row := range []struct {
		target   int32
		old, new int64
		want     int32
		ok       bool
		why      string
	}{
		{50, 1000, 700, 71, true, "the worked example, 71.43"},
		{50, 1500, 1200, 62, true, "62.5: a tie goes to the lower"},
		{50, 1000, 1000, 50, true, "nothing changes"},
		{1, 1, 2, 0, false, "0.5 ties down to 0, which is no target"},
		{1, 3, 5, 1, true, "0.6"},
		{math.MaxInt32, 2, 1, 0, false, "beyond int32"},
		{math.MaxInt32, math.MaxInt64, math.MaxInt64, math.MaxInt32, true, "128-bit product"},
		{80, math.MaxInt64, 1, 0, false, "beyond int64"},
		{0, 1, 1, 0, false, "no target"},
		{50, 0, 1, 0, false, "no request"},
		{50, 1, 0, 0, false, "no new request"},
		{50, -1, -1, 0, false, "negative"},
	} {
		got, ok := bounds.Target(row.target, row.old, row.new)
		require.Equal(t, row.ok, ok, row.why)
		require.Equal(t, row.want, got, row.why)
	}
}

// naiveSettle says the rules of Settle again, one after the other, in big integers.
func naiveSettle(a bounds.Ask) (*big.Int, bool) {
	v, present := big.NewInt(a.Recommended), big.NewInt(a.Present)
	if a.Recommended != a.Present {
		for new(big.Int).Mod(v, big.NewInt(a.Step)).Sign() != 0 {
			rest := new(big.Int).Mod(v, big.NewInt(a.Step))
			v.Add(v, new(big.Int).Sub(big.NewInt(a.Step), rest))
		}
		if a.Recommended < a.Present && v.Cmp(present) > 0 {
			v.Set(present)
		}
	}
	if a.Locked && v.Cmp(present) < 0 {
		v.Set(present)
	}
	if a.Limit >= 0 && v.Cmp(big.NewInt(a.Limit)) > 0 {
		v.SetInt64(a.Limit)
	}
	return v, a.Locked && a.Limit >= 0 && a.Present > a.Limit
}

func asks() *rapid.Generator[bounds.Ask] {
	return rapid.Custom(func(t *rapid.T) bounds.Ask {
		a := bounds.Ask{Present: amounts().Draw(t, "present"), Recommended: amounts().Draw(t, "recommended"), Limit: -1,
			Locked: rapid.Bool().Draw(t, "locked"), Step: rapid.SampledFrom([]int64{1, 1, 7, 10, 1000, 1 << 20 * 1000, 0, -1, math.MaxInt64}).Draw(t, "step")}
		if rapid.Bool().Draw(t, "limited") {
			a.Limit = amounts().Draw(t, "limit")
		}
		return a
	})
}

// Settle equals its twin; H6: a locked container does not decrease unless its present request is above the limit.
func lawSettle(t *rapid.T) {
	a := asks().Draw(t, "ask")
	got, by, cause, ok := bounds.Settle(a)
	if a.Present < 0 || a.Recommended < 0 || a.Step < 1 {
		require.False(t, ok)
		return
	}
	want, refused := naiveSettle(a)
	if !ok {
		up := new(big.Int).Add(big.NewInt(a.Recommended), big.NewInt(a.Step))
		require.False(t, up.IsInt64(), "only an overflow may refuse")
		return
	}
	require.Equal(t, want.String(), big.NewInt(got).String())
	require.Equal(t, refused, cause == bounds.CauseLimit)
	require.Contains(t, bounds.Rules(), by)
	if a.Locked && !refused {
		require.GreaterOrEqual(t, got, a.Present)
	}
	if a.Limit >= 0 {
		require.LessOrEqual(t, got, a.Limit)
	}
	if a.Recommended == a.Present && (a.Limit < 0 || a.Limit >= a.Present) {
		require.Equal(t, a.Present, got)
	}
}

func TestH6(t *testing.T) { rapid.Check(t, lawSettle) }
func FuzzH6(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawSettle)) }

func TestSettle(t *testing.T) {
	for _, row := range []struct {
		name string
		ask  bounds.Ask
		want int64
		by   bounds.Rule
		stop bounds.Cause
		why  string
	}{
		{"as recommended", bounds.Ask{Present: 1000, Recommended: 700, Limit: -1, Step: 1}, 700, bounds.RuleRecommended, "", "nothing in the way"},
		{"up to the step", bounds.Ask{Present: 1000, Recommended: 701, Limit: -1, Step: 10}, 710, bounds.RuleStep, "", "up, never down"},
		{"equal off the step", bounds.Ask{Present: 703, Recommended: 703, Limit: -1, Step: 10}, 703, bounds.RuleEqual, "", "equal is left untouched"},
		{"cut past the present", bounds.Ask{Present: 703, Recommended: 702, Limit: -1, Step: 10}, 703, bounds.RulePresent, "", "a cut never becomes a raise"},
		{"raise to the limit", bounds.Ask{Present: 100, Recommended: 500, Limit: 200, Step: 1}, 200, bounds.RuleLimit, "", "B06"},
		{"step above the limit", bounds.Ask{Present: 100, Recommended: 195, Limit: 198, Step: 10}, 198, bounds.RuleLimit, "", "rounding does not pass the limit"},
		{"locked", bounds.Ask{Present: 1000, Recommended: 700, Limit: -1, Locked: true, Step: 1}, 1000, bounds.RuleLock, "", "must not decrease"},
		{"locked raise", bounds.Ask{Present: 1000, Recommended: 1234, Limit: -1, Locked: true, Step: 1}, 1234, bounds.RuleRecommended, "", "kept whole"},
		{"locked above its limit", bounds.Ask{Present: 1000, Recommended: 700, Limit: 800, Locked: true, Step: 1}, 800, bounds.RuleLimit, bounds.CauseLimit, "the limit wins, the plan must not be made"},
		{"from nothing", bounds.Ask{Present: 0, Recommended: 1, Limit: -1, Step: 1 << 20 * 1000}, 1 << 20 * 1000, bounds.RuleStep, "", "one byte becomes one step"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, by, stop, ok := bounds.Settle(row.ask)
			require.True(t, ok)
			require.Equal(t, row.want, got, row.why)
			require.Equal(t, row.by, by, row.why)
			require.Equal(t, row.stop, stop, row.why)
		})
	}
}

// draw makes a workload whose items are settled, with a part that does not move.
func draw(t *rapid.T) (target int32, oldSum, settledSum int64, items []bounds.Item, effective bounds.Interval) {
	target = rapid.OneOf(rapid.Int32Range(1, 120), rapid.Int32Range(30, 95), rapid.SampledFrom([]int32{math.MaxInt32, 300})).Draw(t, "T")
	fixed := rapid.SampledFrom([]int64{0, 0, 1, 500}).Draw(t, "fixed")
	oldSum, settledSum = fixed, fixed
	size := rapid.SampledFrom([]int64{12, 2000, 1 << 44}).Draw(t, "size")
	for i := range rapid.IntRange(1, 4).Draw(t, "n") {
		item := bounds.Item{Name: strconv.Itoa(9 - i), Present: rapid.Int64Range(0, size).Draw(t, "present"), Limit: -1, Step: rapid.SampledFrom([]int64{1, 10, 64}).Draw(t, "step")}
		ask := bounds.Ask{Present: item.Present, Recommended: rapid.Int64Range(1, size).Draw(t, "recommended"), Limit: -1, Locked: rapid.IntRange(0, 3).Draw(t, "lock") == 0, Step: item.Step}
		if rapid.IntRange(0, 2).Draw(t, "limited") == 0 {
			ask.Limit = rapid.Int64Range(0, size).Draw(t, "limit")
		}
		var cause bounds.Cause
		item.Settled, _, cause, _ = bounds.Settle(ask)
		item.Limit, item.Locked = ask.Limit, ask.Locked
		if cause != "" {
			item.Limit, item.Settled = -1, max(item.Present, item.Settled)
		}
		items = append(items, item)
		oldSum += item.Present
		settledSum += item.Settled
	}
	lo := rapid.Int64Range(1, 60).Draw(t, "lo")
	effective = bounds.Effective(bounds.Interval{Lo: lo, Hi: lo + rapid.Int64Range(0, 60).Draw(t, "span")}, target)
	return target, oldSum, settledSum, items, effective
}

// naiveFit shares in big rationals. It returns nil where the room does not suffice.
func naiveFit(target int32, oldSum, settledSum int64, items []bounds.Item, effective bounds.Interval) ([]*big.Int, *big.Int) {
	product := new(big.Rat).SetInt(mul(oldSum, int64(target)))
	out := make([]*big.Int, len(items))
	for i := range items {
		out[i] = big.NewInt(items[i].Settled)
	}
	var bound int64
	above := product.Cmp(new(big.Rat).Mul(rat(settledSum), rat(effective.Hi))) > 0
	switch {
	case above:
		bound = effective.Hi
	case product.Cmp(new(big.Rat).Mul(rat(settledSum), rat(effective.Lo))) < 0:
		bound = effective.Lo
	default:
		return out, nil
	}
	exact := new(big.Rat).Quo(product, rat(bound))
	need, rest := new(big.Int).DivMod(exact.Num(), exact.Denom(), new(big.Int))
	if above && rest.Sign() > 0 {
		need.Add(need, big.NewInt(1))
	}
	distance := new(big.Rat).Sub(new(big.Rat).SetInt(need), rat(settledSum))
	distance.Abs(distance)
	rooms := make([]*big.Rat, len(items))
	total := new(big.Rat)
	for i, it := range items {
		end := it.Present
		if above && it.Limit >= 0 && it.Limit < end {
			end = it.Limit
		}
		room := new(big.Rat).Sub(rat(end), rat(it.Settled))
		if !above {
			room.Neg(room)
		}
		if room.Sign() < 0 || (!above && it.Locked) {
			room = new(big.Rat)
		}
		rooms[i] = room
		total.Add(total, room)
	}
	if distance.Cmp(total) > 0 {
		return nil, need
	}
	given, order := new(big.Int), []int{}
	amount, rests := make([]*big.Int, len(items)), make([]*big.Rat, len(items))
	for i, it := range items {
		amount[i], rests[i] = new(big.Int), new(big.Rat)
		if rooms[i].Sign() == 0 {
			continue
		}
		part := new(big.Rat).Quo(new(big.Rat).Mul(rooms[i], distance), total)
		steps := new(big.Rat).Quo(part, rat(it.Step))
		whole := new(big.Int).Div(steps.Num(), steps.Denom())
		amount[i].Mul(whole, big.NewInt(it.Step))
		rests[i].Sub(part, new(big.Rat).SetInt(amount[i]))
		given.Add(given, amount[i])
		order = append(order, i)
	}
	sort.SliceStable(order, func(a, b int) bool {
		if c := rests[order[a]].Cmp(rests[order[b]]); c != 0 {
			return c > 0
		}
		return items[order[a]].Name < items[order[b]].Name
	})
	for _, i := range order {
		if new(big.Rat).SetInt(given).Cmp(distance) >= 0 {
			break
		}
		more := big.NewInt(items[i].Step)
		left := new(big.Int).Sub(rooms[i].Num(), amount[i])
		if left.Cmp(more) < 0 {
			more = left
		}
		amount[i].Add(amount[i], more)
		given.Add(given, more)
	}
	for i := range items {
		if !above {
			amount[i].Neg(amount[i])
		}
		out[i].Add(out[i], amount[i])
	}
	return out, need
}

// H1b: fit equals its twin; where no bound acts it keeps H1, and where one does H1b.
func lawFit(t *rapid.T) {
	target, oldSum, settledSum, items, effective := draw(t)
	if oldSum < 1 {
		t.Skip("no request")
	}
	before := append([]bounds.Item{}, items...)
	f, ok := bounds.Fit(target, oldSum, settledSum, items, effective)
	require.Equal(t, before, items, "the input is not written to")
	want, need := naiveFit(target, oldSum, settledSum, items, effective)
	if !ok {
		require.Nil(t, need, "a fitted target is a bound, which always is a target")
		return
	}
	left := new(big.Int).SetInt64(oldSum - sumPresent(items))
	for _, r := range want {
		left.Add(left, r)
	}
	if want == nil || left.Sign() == 0 {
		require.NotEmpty(t, f.Cause)
		return
	}
	require.Empty(t, f.Cause)
	sum, step := oldSum-sumPresent(items), int64(1)
	for i := range items {
		require.Equal(t, want[i].String(), big.NewInt(f.Requests[i]).String())
		if items[i].Locked {
			require.GreaterOrEqual(t, f.Requests[i], items[i].Present, "H6")
		}
		sum += f.Requests[i]
		step = max(step, items[i].Step)
	}
	require.Equal(t, sum, f.Sum)
	gap := new(big.Int).Sub(mul(sum, int64(f.Target)), mul(oldSum, int64(target)))
	if f.Acted == "" {
		require.LessOrEqual(t, new(big.Int).Lsh(new(big.Int).Abs(gap), 1).Cmp(big.NewInt(sum)), 0, "H1")
		require.True(t, effective.Contains(int64(f.Target)), "H4")
		return
	}
	require.LessOrEqual(t, new(big.Int).Abs(gap).Cmp(mul(int64(f.Target), step)), -1, "H1b")
	if f.Acted == bounds.RuleMaxUtilization {
		require.Equal(t, effective.Hi, int64(f.Target))
		require.GreaterOrEqual(t, gap.Sign(), 0)
	} else {
		require.Equal(t, effective.Lo, int64(f.Target))
		require.LessOrEqual(t, gap.Sign(), 0)
	}
}

func sumPresent(items []bounds.Item) (sum int64) {
	for _, it := range items {
		sum += it.Present
	}
	return sum
}

func TestH1b(t *testing.T) { rapid.Check(t, lawFit) }
func FuzzH1b(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawFit)) }

func TestFitRefuses(t *testing.T) {
	wide := bounds.Interval{Lo: 40, Hi: 90}
	one := []bounds.Item{{Name: "a", Present: 10, Settled: 5, Limit: -1, Step: 1}}
	for _, row := range []struct {
		name        string
		target      int32
		old, settle int64
		items       []bounds.Item
		in          bounds.Interval
		why         string
	}{
		{"no target", 0, 10, 5, one, wide, "target below 1"},
		{"no requests", 50, 0, 5, one, wide, "an old sum of 0"},
		{"negative sum", 50, 10, -1, one, wide, "cannot be"},
		{"bounds below 1", 50, 10, 5, one, bounds.Interval{Lo: 0, Hi: 90}, "0 is no target"},
		{"bounds without the target", 95, 10, 5, one, wide, "the caller widens"},
		{"bounds beyond int32", 50, 10, 5, one, bounds.Interval{Lo: 1, Hi: math.MaxInt64}, "a target is int32"},
		{"no step", 50, 10, 5, []bounds.Item{{Present: 10, Settled: 5, Limit: -1}}, wide, "step 0"},
		{"negative item", 50, 10, 5, []bounds.Item{{Present: -1, Settled: 5, Limit: -1, Step: 1}}, wide, "cannot be"},
		{"room beyond int64", 50, math.MaxInt64, 0, []bounds.Item{{Present: math.MaxInt64, Limit: -1, Step: 1}, {Present: math.MaxInt64, Limit: -1, Step: 1}}, wide, "sums must fit"},
	} {
		_, ok := bounds.Fit(row.target, row.old, row.settle, row.items, row.in)
		require.False(t, ok, row.name+": "+row.why)
	}
}
