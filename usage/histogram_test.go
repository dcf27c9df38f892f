package usage_test

import (
	"encoding/json"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/usage"
)

func drawAny(t *rapid.T, label string) *usage.Histogram {
	layout := rapid.SampledFrom(usage.Layouts()).Draw(t, label+" layout")
	half := rapid.SampledFrom([]time.Duration{0, time.Hour, 24 * time.Hour}).Draw(t, label+" half-life")
	return drawInto(t, layout, half, label)
}

// drawInto weighs in powers of two at whole half-lives, so that every sum of floats is exact and laws hold to the bit.
func drawInto(t *rapid.T, layout usage.Layout, half time.Duration, label string) *usage.Histogram {
	h, err := usage.NewHistogram(layout, half)
	require.NoError(t, err)
	for range rapid.IntRange(0, 20).Draw(t, label+" count") {
		at := start.Add(time.Duration(rapid.IntRange(0, 12).Draw(t, "at")) * max(half, time.Minute))
		require.NoError(t, h.Add(at, rapid.OneOf(rapid.Float64Range(0, 1e3), rapid.Float64Range(0, 1e13)).Draw(t, "value"),
			float64(rapid.IntRange(0, 64).Draw(t, "weight"))))
	}
	return h
}

func merged(t require.TestingT, hs ...*usage.Histogram) *usage.Histogram {
	h, err := usage.PoolHistograms(hs...)
	require.NoError(t, err)
	return h
}

// TestMergeCounts: a merge adds up the number of samples, and without decay the weights.
func TestMergeCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(usage.Layouts()).Draw(t, "layout")
		half := rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "half-life")
		a, b := drawInto(t, layout, half, "a"), drawInto(t, layout, half, "b")
		require.Equal(t, a.Count()+b.Count(), merged(t, a, b).Count())
		if half == 0 { // with decay a total is in units of its own reference time
			require.Equal(t, a.Total()+b.Total(), merged(t, a, b).Total())
		}
	})
}

// damaged: samples without weight are written and read back as well; bytes of which one is wrong are refused or harmless.
func damaged(t *rapid.T) {
	h := drawAny(t, "h")
	bin, err := h.MarshalBinary()
	require.NoError(t, err)
	var back usage.Histogram
	require.NoError(t, back.UnmarshalBinary(bin))
	require.True(t, h.Equal(&back))
	i := rapid.IntRange(0, len(bin)-1).Draw(t, "at")
	bin[i] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
	var again usage.Histogram
	if again.UnmarshalBinary(bin) != nil {
		return
	}
	exercise(t, &again, h)
}

// exercise uses a histogram that came out of damaged bytes; nothing may panic.
func exercise(t *rapid.T, h, other *usage.Histogram) {
	for _, q := range []float64{0, 0.5, 1, math.NaN(), -1, 2} {
		v, ok := h.Quantile(q)
		require.False(t, ok && (math.IsNaN(v) || v < 0))
	}
	_ = h.Add(start, 1, 1)
	_ = h.Subtract(start.Add(1000*time.Hour), 5, 3)
	_ = h.Merge(other)
	_ = h.Buckets()
	_, _ = h.VPACheckpoint()
	_, err := json.Marshal(h)
	require.NoError(t, err)
}

func TestDamaged(t *testing.T) { rapid.Check(t, damaged) }
func FuzzDamaged(f *testing.F) { f.Fuzz(rapid.MakeFuzz(damaged)) }

func FuzzUnmarshalBinary(f *testing.F) {
	h, _ := usage.NewHistogram(usage.VPACPU, time.Hour)
	_ = h.Add(start, 0.3, 0.1)
	seed, _ := h.MarshalBinary()
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		var h usage.Histogram
		if h.UnmarshalBinary(data) != nil {
			return
		}
		back, err := h.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, back)
		_ = h.Add(start, 1, 1)
		_, _ = h.Quantile(0.5)
	})
}

func TestDecodeRefuses(t *testing.T) {
	good := `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":1,"buckets":[[-1,1]]}`
	var h usage.Histogram
	require.NoError(t, json.Unmarshal([]byte(good), &h))
	v, ok := h.Quantile(0.5)
	require.True(t, ok)
	require.Equal(t, 1.0, v)
	for _, c := range []struct{ why, text string }{
		{"another version", `{"version":2,"layout":"fine","scale":5,"count":0,"smallest":0,"largest":0,"total":0,"buckets":[]}`},
		{"an unknown layout", `{"version":1,"layout":"coarse","count":0,"smallest":0,"largest":0,"total":0,"buckets":[]}`},
		{"no layout", `{"version":1,"count":0,"smallest":0,"largest":0,"total":0,"buckets":[]}`},
		{"an unknown field", `{"version":1,"layout":"fine","scale":5,"count":0,"smallest":0,"largest":0,"total":0,"buckets":[],"more":1}`},
		{"a negative weight", `{"version":1,"layout":"fine","scale":5,"count":1,"smallest":1,"largest":1,"total":1,"buckets":[[-1,-1]]}`},
		{"a weight that sums to infinity", `{"version":1,"layout":"fine","scale":5,"count":1,"smallest":1,"largest":1,"total":1,"buckets":[[-1,1e300]]}`},
		{"a negative weight of zeros", `{"version":1,"layout":"fine","scale":5,"count":1,"smallest":0,"largest":1,"total":1,"zero":-1,"buckets":[[-1,1]]}`},
		{"buckets out of order", `{"version":1,"layout":"fine","scale":5,"count":2,"smallest":1,"largest":2,"total":2,"buckets":[[5,1],[4,1]]}`},
		{"a bucket twice", `{"version":1,"layout":"vpa-cpu","halfLife":"24h","reference":"2026-01-05T00:00:00Z","count":2,"smallest":1,"largest":2,"total":2,"buckets":[[5,1],[5,1]]}`},
		{"a range that does not fit", `{"version":1,"layout":"fine","scale":5,"count":2,"smallest":1,"largest":2,"total":2,"buckets":[[0,1],[176,1]]}`},
		{"a bucket that VPA does not have", `{"version":1,"layout":"vpa-cpu","count":2,"smallest":1,"largest":2,"total":2,"buckets":[[176,1]]}`},
		{"a scale that does not exist", `{"version":1,"layout":"fine","scale":6,"count":0,"smallest":0,"largest":0,"total":0,"buckets":[]}`},
		{"decay without a reference", `{"version":1,"layout":"vpa-cpu","halfLife":"24h","count":1,"smallest":1,"largest":2,"total":2,"buckets":[[5,1]]}`},
		{"a half-life that is too long", `{"version":1,"layout":"vpa-cpu","halfLife":"100000h","count":0,"smallest":0,"largest":0,"total":0,"buckets":[]}`},
		{"largest below smallest", `{"version":1,"layout":"fine","scale":5,"count":1,"smallest":2,"largest":1,"total":1,"buckets":[[-1,1]]}`},
		{"a time before 1970", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"1960-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":1,"buckets":[[-1,1]]}`},
		{"null", `null`},
		{"weight that nobody added", `{"version":1,"layout":"fine","scale":5,"count":0,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":1,"buckets":[[-1,1]]}`},
		{"a total far above the weight", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":1e100,"buckets":[[-1,1]]}`},
		{"a total below the weight", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":1,"buckets":[[-1,5]]}`},
		{"zeros above the total", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":0,"largest":1,"total":1,"zero":7,"buckets":[[-1,1]]}`},
		{"zeros where the smallest is above zero", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":2,"zero":1,"buckets":[[-1,1]]}`},
		{"weight far above the largest", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":2,"total":2,"buckets":[[-1,1],[160,1]]}`},
		{"weight below the smallest", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":2,"buckets":[[-100,1],[-1,1]]}`},
		{"a bucket beyond all floats", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1.7e308,"total":1,"buckets":[[65536,1]]}`},
		{"numbers as texts", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":1,"buckets":[["-1","1"]]}`},
		{"text behind it", `{"version":1,"layout":"fine","scale":5,"count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":1,"largest":1,"total":1,"buckets":[[-1,1]]} {}`},
		{"VPA: weight above the largest", `{"version":1,"layout":"vpa-cpu","halfLife":"24h0m0s","reference":"2026-01-05T00:00:00Z","count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":0.01,"largest":0.02,"total":1,"buckets":[[100,1]]}`},
		{"VPA: a total above the weight", `{"version":1,"layout":"vpa-cpu","halfLife":"24h0m0s","reference":"2026-01-05T00:00:00Z","count":1,"first":"2026-01-05T00:00:00Z","last":"2026-01-05T00:00:00Z","smallest":0.01,"largest":0.02,"total":1e9,"buckets":[[1,5]]}`},
		{"a triple", `{"version":1,"layout":"fine","scale":5,"count":1,"smallest":1,"largest":1,"total":1,"buckets":[[-1,1,1]]}`},
	} {
		was := h.Clone()
		require.Error(t, h.UnmarshalJSON([]byte(c.text)), c.why)
		require.True(t, was.Equal(&h), "%s: a refused text has changed the histogram", c.why)
	}
}

// TestSubtract takes back what was added.
func TestSubtract(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawInto(t, rapid.SampledFrom(usage.Layouts()).Draw(t, "layout"), time.Hour, "h")
		require.NoError(t, h.Add(start.Add(12*time.Hour), 1, 1)) // so that no reference moves
		was := h.Buckets()
		at, v, w := start.Add(5*time.Hour), rapid.Float64Range(0.5, 2).Draw(t, "value"), float64(rapid.IntRange(1, 64).Draw(t, "weight"))
		relative, _ := h.ErrorBound() // grows where a value halves the resolution; then buckets have merged
		require.NoError(t, h.Add(at, v, w))
		require.NoError(t, h.Subtract(at, v, w))
		if now, _ := h.ErrorBound(); now == relative {
			require.Equal(t, len(was), len(h.Buckets()))
		}
	})
}

func TestHistogramRefuses(t *testing.T) {
	for _, c := range []struct {
		why           string
		at            time.Time
		value, weight float64
		want          error
	}{
		{"NaN", start, math.NaN(), 1, usage.ErrValue},
		{"infinite", start, math.Inf(1), 1, usage.ErrValue},
		{"negative", start, -1, 1, usage.ErrValue},
		{"a weight of NaN", start, 1, math.NaN(), usage.ErrWeight},
		{"a negative weight", start, 1, -1, usage.ErrWeight},
		{"a weight that no sum holds", start, 1, 1e16, usage.ErrWeight},
		{"no time", time.Time{}, 1, 1, usage.ErrTime},
		{"too late", time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), 1, 1, usage.ErrTime},
	} {
		for _, layout := range usage.Layouts() {
			h, err := usage.NewHistogram(layout, time.Hour)
			require.NoError(t, err)
			was := h.Clone()
			require.ErrorIs(t, h.Add(c.at, c.value, c.weight), c.want, c.why)
			require.ErrorIs(t, h.Subtract(c.at, c.value, c.weight), c.want, c.why)
			require.True(t, was.Equal(h), c.why)
		}
	}
	var none *usage.Histogram
	require.Error(t, none.Add(start, 1, 1))
	require.True(t, usage.Empty(none))
	require.True(t, usage.Empty(nil))
	_, ok := none.Quantile(0.5)
	require.False(t, ok)
	other, err := usage.NewHistogram(usage.VPAMemory, time.Hour)
	require.NoError(t, err)
	require.ErrorIs(t, new(usage.Histogram).Merge(other), usage.ErrMismatch)
}

// TestQuantileAtBound: a bucket whose running weight is exactly q x total is the answer, as in the nearest rank.
func TestQuantileAtBound(t *testing.T) {
	for _, layout := range []usage.Layout{usage.Fine, usage.VPACPU} {
		h, err := usage.NewHistogram(layout, 0)
		require.NoError(t, err)
		for _, v := range []float64{1, 2, 4, 8} {
			require.NoError(t, h.Add(start, v, 1))
		}
		for q, want := range map[float64]float64{0: 1, 0.25: 1, 0.26: 2, 0.5: 2, 0.75: 4, 0.76: 8, 1: 8} {
			got, ok := h.Quantile(q)
			require.True(t, ok)
			require.InEpsilon(t, want, got, 0.07, "%s at %v", layout, q)
		}
	}
}

// TestReference: weights refer to the nearest multiple of the half-life, half up, for 24 h the nearest UTC midnight.
func TestReference(t *testing.T) {
	midnight := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		why   string
		after time.Duration
		want  time.Time
	}{
		{"before noon", 12*time.Hour - 1, midnight},
		{"noon", 12 * time.Hour, midnight.Add(24 * time.Hour)},
	} {
		h, err := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
		require.NoError(t, err)
		require.NoError(t, h.Add(midnight.Add(c.after), 1, 1))
		got, err := h.VPACheckpoint()
		require.NoError(t, err)
		require.Equal(t, c.want, got.ReferenceTimestamp, c.why)
		require.NoError(t, h.Add(midnight.Add(102*24*time.Hour), 2, 1)) // moves the reference: the old weight is 2^-100 of before
		got, err = h.VPACheckpoint()
		require.NoError(t, err)
		require.Equal(t, midnight.Add(102*24*time.Hour), got.ReferenceTimestamp, c.why)
		require.InDelta(t, 1, got.TotalWeight, 1e-9, c.why)
	}
}

// TestEmptied holds that nothing left is no data, and never zero use.
func TestEmptied(t *testing.T) {
	for _, layout := range usage.Layouts() {
		h, err := usage.NewHistogram(layout, 0)
		require.NoError(t, err)
		require.NoError(t, h.Add(start, 0.5, 1))
		require.NoError(t, h.Subtract(start, 0.5, 1))
		_, ok := h.Quantile(0.9)
		require.False(t, ok, layout)
		_, ok = h.Max()
		require.False(t, ok, layout)
	}
}

// TestSize: a histogram and an instance, as the allocator hands them out.
func TestSize(t *testing.T) {
	const n = 2000
	keep := make([]*usage.Histogram, 0, n)
	peaks := make([]*usage.Instance, 0, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		h, err := usage.NewHistogram(usage.VPAMemory, time.Hour)
		require.NoError(t, err)
		keep, peaks = append(keep, h), append(peaks, new(usage.Instance))
	}
	runtime.ReadMemStats(&after)
	per := float64(after.HeapAlloc-before.HeapAlloc) / n
	t.Logf("%.0f bytes per container and resource", per)
	require.LessOrEqual(t, per, 1600.0)
	runtime.KeepAlive(keep)
	runtime.KeepAlive(peaks)

}

// TestAddAllocates nothing, whatever the way in: plain, as a cpu sample or as a memory peak that replaces one, with and without decay.
func TestAddAllocates(t *testing.T) {
	for _, layout := range usage.Layouts() {
		for _, half := range []time.Duration{0, time.Hour} {
			h, err := usage.NewHistogram(layout, half)
			require.NoError(t, err)
			var instance usage.Instance
			rule := usage.VPAPeakRule()
			i := 0
			require.Zero(t, testing.AllocsPerRun(1000, func() {
				i++
				at := start.Add(time.Duration(i) * time.Minute)
				if h.Add(at, float64(i)*1e6, 0.1) != nil || usage.AddCPU(h, &instance, at, float64(i)/1000) != nil ||
					rule.Add(h, &instance, at, int64(i)<<20) != nil || rule.Add(h, &instance, at, 1) != nil || h.Add(at, -1, 1) == nil {
					t.Fatal("not as meant")
				}
			}), "%s %v", layout, half)
		}
	}
}

// TestFromBuckets takes the bounds of three foreign histograms.
func TestFromBuckets(t *testing.T) {
	span := usage.Span{Count: 10, First: start, Last: start.Add(time.Hour)}
	for _, c := range []struct {
		why     string
		buckets []usage.Bucket
		want    float64 // at the median
		e       float64
	}{
		{"Prometheus native, scale 3: the bound is one of Fine's", []usage.Bucket{{math.Exp2(-3.0 / 8), 4}, {math.Exp2(-2.0 / 8), 6}}, math.Exp2(-2.0 / 8), 0.011},
		{"OpenTelemetry, scale 0, out of order", []usage.Bucket{{8, 1}, {2, 8}, {4, 1}}, 2, 0.011},
		{"DDSketch of 1 %", []usage.Bucket{{math.Pow(1.01/0.99, 40), 5}, {math.Pow(1.01/0.99, 60), 1}}, math.Pow(1.01/0.99, 40), 0.011},
		{"zeros", []usage.Bucket{{0, 9}, {1, 1}, {math.Inf(1), 0}}, 0, 0},
	} {
		h, err := usage.FromBuckets(usage.Fine, c.buckets, span)
		require.NoError(t, err, c.why)
		got, ok := h.Quantile(0.5)
		require.True(t, ok, c.why)
		require.InDelta(t, c.want, got, c.want*c.e, c.why)
		require.Equal(t, int64(10), h.Count())
		require.True(t, h.First().Equal(span.First) && h.Last().Equal(span.Last))
	}
	for _, bad := range []usage.Bucket{{math.Inf(1), 1}, {math.NaN(), 1}, {-1, 1}, {1, -1}} {
		_, err := usage.FromBuckets(usage.Fine, []usage.Bucket{bad}, span)
		require.Error(t, err)
	}
}

// TestEqualHoldsAlone: what an earlier call left behind to be faster is no part of what a histogram holds.
func TestEqualHoldsAlone(t *testing.T) {
	one, two := histogram(t, usage.VPACPU, time.Hour), histogram(t, usage.VPACPU, time.Hour)
	for i, h := range []*usage.Histogram{one, two} {
		require.NoError(t, h.Add(start.Add(100*time.Hour), 1, 1))
		for k := range 2 { // the same samples of one weight, in another order
			require.NoError(t, h.Add(start.Add(time.Duration(60+5*((i+k)%2))*time.Hour), 1+float64((i+k)%2), 0))
		}
	}
	require.True(t, one.Equal(two))
}
