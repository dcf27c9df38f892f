package usage_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/usage"
)

func histogram(t testing.TB, layout usage.Layout, halfLife time.Duration, values ...float64) *usage.Histogram {
	h, err := usage.NewHistogram(layout, halfLife)
	require.NoError(t, err)
	for i, v := range values {
		require.NoError(t, h.Add(start.Add(time.Duration(i)*time.Minute), v, 1))
	}
	return h
}

// TestLargest: the largest value is exact in every layout, and taking back does not make it smaller.
func TestLargest(t *testing.T) {
	for _, layout := range usage.Layouts() {
		h := histogram(t, layout, time.Hour, 0.3, 0.7, 0.5)
		largest, ok := h.Max()
		require.True(t, ok)
		require.Equal(t, 0.7, largest, "%s", layout)
		require.NoError(t, h.Subtract(start.Add(time.Minute), 0.7, 1))
		largest, _ = h.Max()
		require.Equal(t, 0.7, largest, "%s", layout)
	}
}

// TestBeyond: an answer out of the last bucket of VPA's layouts is a bound, and only there.
func TestBeyond(t *testing.T) {
	for _, c := range []struct {
		why  string
		view usage.View
		q    float64
		want bool
	}{
		{"cores in the last bucket", histogram(t, usage.VPACPU, 0, 1021.2), 0.5, true},
		{"cores in the last but one", histogram(t, usage.VPACPU, 0, 1021.1), 0.5, false},
		{"bytes in the last bucket", histogram(t, usage.VPAMemory, time.Hour, 2e12), 0.5, true},
		{"below the wild ones", histogram(t, usage.VPACPU, 0, 1, 1, 5000), 0.5, false},
		{"at the wild ones", histogram(t, usage.VPACPU, 0, 1, 1, 5000), 0.9, true},
		{"Fine has no last bucket", histogram(t, usage.Fine, 0, 1e12), 1, false},
		{"no quantile", histogram(t, usage.VPACPU, 0, 5000), math.NaN(), false},
		{"no data", histogram(t, usage.VPACPU, 0), 0.5, false},
		{"one of several", usage.MaxOf(histogram(t, usage.VPACPU, 0, 1), histogram(t, usage.VPACPU, 0, 5000)), 0.5, true},
		{"none of several", usage.MaxOf(histogram(t, usage.VPACPU, 0, 1), histogram(t, usage.VPACPU, 0, 2)), 0.5, false},
		{"nil", nil, 0.5, false},
	} {
		require.Equal(t, c.want, usage.Beyond(c.view, c.q), c.why)
	}
}

// TestCheckpointFacts: what a checkpoint does not hold is not made up.
func TestCheckpointFacts(t *testing.T) {
	for _, layout := range []usage.Layout{usage.VPACPU, usage.VPAMemory} {
		scale := 1.0
		if layout == usage.VPAMemory {
			scale = 1e9
		}
		h := histogram(t, layout, time.Hour, 0.3*scale, 0.3*scale, 0.7*scale)
		c, err := h.VPACheckpoint()
		require.NoError(t, err)
		back, err := usage.FromVPACheckpoint(layout, time.Hour, c, usage.Span{})
		require.NoError(t, err)
		require.Equal(t, int64(2), back.Count(), "one sample for each bucket is all that is known")
		require.Equal(t, c.ReferenceTimestamp, back.First())
		largest, ok := back.Max()
		require.True(t, ok)
		require.GreaterOrEqual(t, largest, 0.7*scale)
		require.InEpsilon(t, 0.7*scale, largest, 0.06)
		data, err := json.Marshal(back)
		require.NoError(t, err)
		var again usage.Histogram
		require.NoError(t, json.Unmarshal(data, &again), "its smallest and largest value fit its buckets")
		span := usage.Span{Count: 3, First: h.First(), Last: h.Last()}
		back, err = usage.FromVPACheckpoint(layout, time.Hour, c, span)
		require.NoError(t, err)
		require.Equal(t, span, usage.Span{Count: back.Count(), First: back.First(), Last: back.Last()})
	}
}

// TestSubtractFine: what is left of a light sample after a heavy one was taken back stays, down to a thousand-millionth of it.
func TestSubtractFine(t *testing.T) {
	for _, c := range []struct {
		why     string
		light   float64
		present bool
	}{{"a millionth", 1e-6, true}, {"less than the error of the subtraction", 1e-10, false}} {
		h := histogram(t, usage.Fine, 0)
		require.NoError(t, h.Add(start, 1, 1))
		require.NoError(t, h.Add(start, 1, c.light))
		require.NoError(t, h.Subtract(start, 1, 1))
		require.Equal(t, c.present, !h.Empty(), c.why)
	}
}

// TestReferenceRange: a reference that no sample can have set is refused.
func TestReferenceRange(t *testing.T) {
	for _, c := range []struct {
		why, reference string
		ok             bool
	}{
		{"now", "2026-01-05T00:00:00Z", true},
		{"half a half-life before 1970", "1969-12-31T23:30:00Z", true},
		{"half a half-life after 2199", "2200-01-01T00:30:00Z", true},
		{"years before 1970", "1965-01-05T00:00:00Z", false},
		{"years after 2199", "2205-01-05T00:00:00Z", false},
	} {
		var h usage.Histogram
		err := h.UnmarshalJSON([]byte(`{"version":1,"layout":"vpa-cpu","halfLife":"1h0m0s","reference":"` + c.reference +
			`","count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":5,"buckets":[[36,5]]}`))
		require.Equal(t, c.ok, err == nil, "%s: %v", c.why, err)
	}
}

// TestPeakRuleRefused: a rule that is not valid does nothing, also in the middle of an interval.
func TestPeakRuleRefused(t *testing.T) {
	for _, c := range []struct {
		why  string
		rule usage.PeakRule
	}{
		{"no interval", usage.PeakRule{BumpRatio: 1.2}},
		{"a ratio of NaN", usage.PeakRule{Interval: time.Hour, BumpRatio: math.NaN()}},
		{"a ratio that takes away", usage.PeakRule{Interval: time.Hour, BumpRatio: 0.5}},
		{"an infinite ratio", usage.PeakRule{Interval: time.Hour, BumpRatio: math.Inf(1)}},
		{"a negative increase", usage.PeakRule{Interval: time.Hour, BumpRatio: 1, MinBump: -5}},
	} {
		h := histogram(t, usage.VPAMemory, time.Hour)
		var instance usage.Instance
		require.NoError(t, usage.VPAPeakRule().Add(h, &instance, start, 1e9))
		was, before := h.Clone(), instance
		require.False(t, c.rule.Valid(), c.why)
		require.ErrorIs(t, c.rule.Add(h, &instance, start.Add(time.Minute), 5), usage.ErrPeakRule, c.why)
		require.ErrorIs(t, c.rule.Add(h, &instance, start.Add(time.Minute), 2e9), usage.ErrPeakRule, c.why)
		require.ErrorIs(t, c.rule.OOM(h, &instance, start.Add(time.Minute), 2e9), usage.ErrPeakRule, c.why)
		require.True(t, was.Equal(h), c.why)
		require.Equal(t, before, instance, c.why)
	}
}
