package bounds_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
)

func number() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(-3, 12), rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64 - 1, math.MaxInt64}), rapid.Int64())
}

func interval() *rapid.Generator[bounds.Interval] {
	rule := rapid.SampledFrom(append(bounds.Rules(), ""))
	return rapid.Custom(func(t *rapid.T) bounds.Interval {
		return bounds.Interval{Lo: number().Draw(t, "lo"), Hi: number().Draw(t, "hi"), LoBy: rule.Draw(t, "loBy"), HiBy: rule.Draw(t, "hiBy")}
	})
}

// B1: intersection keeps exactly the common numbers, does not depend on order or grouping, and names the tighter side.
func lawB1(t *rapid.T) {
	a, b, c := interval().Draw(t, "a"), interval().Draw(t, "b"), interval().Draw(t, "c")
	require.Equal(t, a.Intersect(b), b.Intersect(a))
	require.Equal(t, a.Intersect(b).Intersect(c), a.Intersect(b.Intersect(c)))
	require.Equal(t, a, a.Intersect(a))
	v := number().Draw(t, "v")
	both := a.Intersect(b)
	require.Equal(t, a.Contains(v) && b.Contains(v), both.Contains(v))
	require.Contains(t, []int64{a.Lo, b.Lo}, both.Lo)
	if a.Lo > b.Lo {
		require.Equal(t, a.LoBy, both.LoBy)
	}
	if a.Hi < b.Hi {
		require.Equal(t, a.HiBy, both.HiBy)
	}
}

// B2: clamping gives the nearest member, moves nothing that is inside, names the side that acted, and does nothing the second time.
func lawB2(t *rapid.T) {
	i, v := interval().Draw(t, "i"), number().Draw(t, "v")
	got, by := i.Clamp(v)
	if i.Empty() {
		require.LessOrEqual(t, got, i.Hi)
		return
	}
	require.True(t, i.Contains(got))
	again, _ := i.Clamp(got)
	require.Equal(t, got, again)
	switch {
	case i.Contains(v):
		require.Equal(t, v, got)
		require.Equal(t, bounds.Rule(""), by)
	case v < i.Lo:
		require.Equal(t, i.Lo, got)
		require.Equal(t, i.LoBy, by)
	default:
		require.Equal(t, i.Hi, got)
		require.Equal(t, i.HiBy, by)
	}
}

// B3: widening holds the old numbers and the new one and nothing that it need not hold.
func lawB3(t *rapid.T) {
	i, v, x := interval().Draw(t, "i"), number().Draw(t, "v"), number().Draw(t, "x")
	if i.Empty() {
		t.Skip("an empty interval has no side to move")
	}
	w := i.Widen(v, bounds.RuleLiveTarget)
	require.True(t, w.Contains(v))
	require.True(t, !i.Contains(x) || w.Contains(x))
	between := (x >= v && x < i.Lo) || (x <= v && x > i.Hi)
	require.Equal(t, i.Contains(x) || between, w.Contains(x))
	if i.Contains(v) {
		require.Equal(t, i, w)
	}
}

func TestB1(t *testing.T) { rapid.Check(t, lawB1) }
func TestB2(t *testing.T) { rapid.Check(t, lawB2) }
func TestB3(t *testing.T) { rapid.Check(t, lawB3) }
func FuzzB1(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawB1)) }
func FuzzB2(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawB2)) }
func FuzzB3(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawB3)) }

func TestListsAreClosedAndExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range bounds.Rules() {
		require.NotEmpty(t, r.Sentence(), r)
		require.False(t, seen[string(r)], r)
		seen[string(r)] = true
	}
	for _, c := range bounds.Causes() {
		require.NotEmpty(t, c.Sentence(), c)
	}
	require.Empty(t, bounds.Rule("").Sentence())
	require.Empty(t, bounds.Cause("other").Sentence())
}
