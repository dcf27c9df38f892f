package bounds_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
)

// drawFit draws a workload and fits it; ok is false where it is refused or nothing fits.
func drawFit(t *rapid.T) (f bounds.Fitted, target int32, oldSum, settledSum int64, items []bounds.Item, effective bounds.Interval, ok bool) {
	target, oldSum, settledSum, items, effective = draw(t)
	if oldSum < 1 {
		t.Skip("no request")
	}
	f, ok = bounds.Fit(target, oldSum, settledSum, items, effective)
	return f, target, oldSum, settledSum, items, effective, ok && f.Cause == ""
}

// H4: the exact target is inside the bounds, or a bound acts and the target is that bound.
func lawH4(t *rapid.T) {
	f, target, oldSum, settledSum, _, effective, ok := drawFit(t)
	if !ok {
		return
	}
	product := mul(oldSum, int64(target))
	above, below := product.Cmp(mul(settledSum, effective.Hi)) > 0, product.Cmp(mul(settledSum, effective.Lo)) < 0
	require.Equal(t, above, f.Acted == bounds.RuleMaxUtilization, "H4")
	require.Equal(t, below && !above, f.Acted == bounds.RuleMinUtilization, "H4")
	switch {
	case above:
		require.Equal(t, effective.Hi, int64(f.Target))
	case below:
		require.Equal(t, effective.Lo, int64(f.Target))
	default:
		require.True(t, effective.Contains(int64(f.Target)), "rounding does not leave the bounds")
	}
}

// H7: nobody ends outside present and settled, and only what the bound asks for moves: cuts at the maximum, raises at the minimum.
func lawH7(t *rapid.T) {
	f, _, _, _, items, _, ok := drawFit(t)
	if !ok {
		return
	}
	for i, it := range items {
		lo, hi := min(it.Present, it.Settled), max(it.Present, it.Settled)
		require.True(t, lo <= f.Requests[i] && f.Requests[i] <= hi, "H7: %d ends at %d", i, f.Requests[i])
		if f.Requests[i] != it.Settled {
			require.Equal(t, it.Settled < it.Present, f.Acted == bounds.RuleMaxUtilization, "H7")
			require.Equal(t, it.Settled > it.Present, f.Acted == bounds.RuleMinUtilization, "H7")
		}
		require.True(t, it.Limit < 0 || f.Requests[i] <= max(it.Limit, it.Settled), "a limit is not passed")
	}
}

// H9: the order of items does not matter.
func lawH9(t *rapid.T) {
	f, target, oldSum, settledSum, items, effective, ok := drawFit(t)
	if !ok {
		return
	}
	shuffled := rapid.Permutation(items).Draw(t, "shuffled")
	g, ok := bounds.Fit(target, oldSum, settledSum, shuffled, effective)
	require.True(t, ok)
	for i, it := range shuffled {
		for k := range items {
			if items[k].Name == it.Name {
				require.Equal(t, f.Requests[k], g.Requests[i], "H9")
			}
		}
	}
	g.Requests, f.Requests = nil, nil
	require.Equal(t, f, g, "H9")
}

// H8: fitting again what was fitted moves nothing.
func lawH8(t *rapid.T) {
	f, _, oldSum, settledSum, items, effective, ok := drawFit(t)
	if !ok {
		return
	}
	again, settled := make([]bounds.Item, len(items)), f.Sum
	for i, it := range items { // the wish is the same, the present request is the fitted one
		again[i] = it
		again[i].Present = f.Requests[i]
		settled += it.Settled - f.Requests[i]
	}
	g, ok := bounds.Fit(f.Target, f.Sum, settled, again, bounds.Effective(effective, f.Target))
	require.True(t, ok)
	require.Empty(t, g.Cause)
	require.Equal(t, f.Requests, g.Requests, "H8: from %d to %d", oldSum, settledSum)
	require.Equal(t, f.Sum, g.Sum)
	require.Equal(t, f.Target, g.Target)
}

func TestH4(t *testing.T) { rapid.Check(t, lawH4) }
func FuzzH4(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH4)) }
func TestH7(t *testing.T) { rapid.Check(t, lawH7) }
func FuzzH7(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH7)) }
func TestH8(t *testing.T) { rapid.Check(t, lawH8) }
func FuzzH8(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH8)) }
func TestH9(t *testing.T) { rapid.Check(t, lawH9) }
func FuzzH9(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH9)) }
