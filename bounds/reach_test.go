package bounds_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
)

// The trigger is the first utilization that the controller's own comparison does not hold back: a linear scan says the same.
func lawTrigger(t *rapid.T) {
	target := rapid.Int32Range(1, 3000).Draw(t, "T")
	tolerance := rapid.OneOf(rapid.SampledFrom([]float64{0, 0.05, 0.1, 0.009000000000000001, 1, 0.36, 0.59}), rapid.Float64Range(0, 2)).Draw(t, "tolerance")
	got, ok := bounds.Trigger(target, tolerance)
	require.True(t, ok)
	u := int32(0)
	for 1.0+tolerance >= float64(u)/float64(target) {
		u++
	}
	require.Equal(t, u, got)
	if tolerance == 0.1 {
		require.Equal(t, target*11/10+1, got, "with the default tolerance: floor(1.1 T) + 1")
	}
}

func TestTriggerAgainstScan(t *testing.T) { rapid.Check(t, lawTrigger) }
func FuzzTrigger(f *testing.F)            { f.Fuzz(rapid.MakeFuzz(lawTrigger)) }

func TestTrigger(t *testing.T) {
	for _, row := range []struct {
		target    int32
		tolerance float64
		want      int32
		ok        bool
		why       string
	}{
		{150, 0.1, 166, true, "165/150 is exactly 1.1 and inside"},
		{90, 0.1, 100, true, "99/90 = 1.1"},
		{50, 0.1, 56, true, "55/50 = 1.1"},
		{50, 0, 51, true, "without tolerance"},
		{50, 1, 101, true, "twice the target"},
		{1, 0.1, 2, true, "the smallest target"},
		{0, 0.1, 0, false, "no target"},
		{50, -0.1, 0, false, "negative tolerance"},
		{50, math.NaN(), 0, false, "NaN"},
		{50, math.Inf(1), 0, false, "never"},
		{math.MaxInt32, 0.1, 0, false, "no int32 is high enough"},
		{math.MaxInt32, 0, 0, false, "nothing is above the highest"},
		{math.MaxInt32 - 1, 0, math.MaxInt32, true, "the last one"},
	} {
		got, ok := bounds.Trigger(row.target, row.tolerance)
		require.Equal(t, row.ok, ok, row.why)
		require.Equal(t, row.want, got, row.why)
	}
}

func TestReachable(t *testing.T) {
	for _, row := range []struct {
		name             string
		target           int32
		requests, limits int64
		want             bounds.Reach
		ok               bool
		why              string
	}{
		{"refused", 150, 534, 800, bounds.Reach{Trigger: 166, Ceiling: 149}, true, "800/534 is 149.8, cut to 149"},
		{"no limit", 90, 1000, -1, bounds.Reach{Trigger: 100, Unlimited: true, Reachable: true}, true, "nothing in the way"},
		{"at the trigger", 90, 1000, 1000, bounds.Reach{Trigger: 100, Ceiling: 100, Reachable: true, Near: true}, true, "just reachable"},
		{"five above", 90, 1000, 1050, bounds.Reach{Trigger: 100, Ceiling: 105, Reachable: true, Near: true}, true, "still near"},
		{"six above", 90, 1000, 1060, bounds.Reach{Trigger: 100, Ceiling: 106, Reachable: true}, true, "not near"},
		{"one below", 91, 1000, 1000, bounds.Reach{Trigger: 101, Ceiling: 100}, true, "100.1 truncates"},
		{"huge limit", 90, 1, math.MaxInt64, bounds.Reach{Trigger: 100, Unlimited: true, Reachable: true}, true, "beyond int64 is no limit"},
		{"no trigger", math.MaxInt32, 1000, -1, bounds.Reach{Unlimited: true}, true, "nothing is high enough"},
		{"no requests", 90, 0, 100, bounds.Reach{}, false, "no utilization"},
	} {
		got, ok := bounds.Reachable(row.target, row.requests, row.limits, 0.1)
		require.Equal(t, row.ok, ok, row.why)
		require.Equal(t, row.want, got, row.name+": "+row.why)
	}
}
