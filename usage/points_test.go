package usage_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/usage"
)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

// TestCases holds what users of recommenders have reported in public about measurements.
//
//	C07  github.com/kubernetes-sigs/metrics-server/issues/745
//	C09  github.com/kubernetes-sigs/metrics-server/pull/1300
//	C34  github.com/attune-io/attune/pull/603
//	C36  github.com/mercari/tortoise/pull/137
//	C39  github.com/robusta-dev/krr/issues/157
func TestCases(t *testing.T) {
	t.Run("C07 negative CPU after a restart is missing", func(t *testing.T) {
		clean, report := usage.Clean([]usage.Point{{at(0), 0.09}, {at(15), -0.513}}, usage.Window{})
		require.Equal(t, []usage.Point{{at(0), 0.09}}, clean)
		require.Equal(t, 1, report.Negative)
	})
	t.Run("C09 a counter that goes down is a reset", func(t *testing.T) {
		readings := []usage.Point{ // newer first
			{time.Date(2023, 7, 26, 0, 0, 0, 0, time.UTC), 30},
			{time.Date(2023, 7, 23, 0, 0, 0, 0, time.UTC), 518400},
		}
		rates, report := usage.Rates(readings, usage.Window{})
		require.Empty(t, rates)
		require.Equal(t, 1, report.Resets)
		require.Equal(t, 1, report.Unsorted)
	})
	t.Run("C34 uneven arrays, NaN and infinity", func(t *testing.T) {
		points, paired := usage.Pair([]time.Time{at(0), at(1), at(2), at(3)}, []float64{0.2, math.NaN(), math.Inf(1), 0.3, 0.4})
		require.Equal(t, 1, paired.Unpaired)
		s, report, err := usage.NewSamples(points, usage.Window{}, usage.NearestRank)
		require.NoError(t, err)
		require.Equal(t, []usage.Point{{at(0), 0.2}, {at(3), 0.3}}, s.Points())
		require.Equal(t, []int{1, 1, 2}, []int{report.NaN, report.Infinite, report.Kept})
	})
	t.Run("C36 two instants of one wall clock, and a window of elapsed time", func(t *testing.T) {
		berlin := time.FixedZone("CEST", 2*3600)
		winter := time.FixedZone("CET", 3600)
		first := time.Date(2026, 10, 25, 2, 30, 0, 0, berlin)
		second := time.Date(2026, 10, 25, 2, 30, 0, 0, winter)
		s, report, err := usage.NewSamples([]usage.Point{{second, 2}, {first, 1}, {first.UTC(), 1}}, usage.Window{}, usage.NearestRank)
		require.NoError(t, err)
		require.Equal(t, int64(2), s.Count())
		require.Equal(t, 1, report.Duplicates)
		require.Equal(t, time.Hour, s.Last().Sub(s.First()))
		w := usage.Last(second, 7*24*time.Hour)
		require.Equal(t, 7*24*time.Hour, w.End.Sub(w.Start))
		require.True(t, w.Contains(first))
		require.False(t, w.Contains(second), "the end is not in it")
	})
	t.Run("C39 percentile over what", func(t *testing.T) {
		pod := func(values ...float64) *usage.Samples {
			s, _, err := usage.NewSamples(pointsOf(values), usage.Window{}, usage.NearestRank)
			require.NoError(t, err)
			return s
		}
		a, b := pod(1, 1, 1, 5), pod(1, 1, 1, 1)
		v, ok := usage.MaxOf(a, b).Quantile(0.8)
		require.True(t, ok)
		require.Equal(t, 5.0, v)
		pool, err := usage.PoolSamples(a, b)
		require.NoError(t, err)
		v, ok = pool.Quantile(0.8)
		require.True(t, ok)
		require.Equal(t, 1.0, v)
		require.Equal(t, int64(8), pool.Count(), "points of two pods at one instant are two points")
	})
}

// cleanOrder: the order of the input does not matter, and the input stays as it is.
func cleanOrder(t *rapid.T) {
	var points []usage.Point
	for range rapid.IntRange(0, 30).Draw(t, "n") {
		v := rapid.OneOf(rapid.Float64Range(-1, 5), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0})).Draw(t, "v")
		points = append(points, usage.Point{Time: at(rapid.IntRange(0, 20).Draw(t, "at")), Value: v})
	}
	w := usage.Window{Start: at(3), End: at(18)}
	was := append([]usage.Point(nil), points...)
	first, report := usage.Clean(points, w)
	for i := range was {
		require.Equal(t, was[i].Time, points[i].Time)
		require.Equal(t, math.Float64bits(was[i].Value), math.Float64bits(points[i].Value))
	}
	r := rand.New(rand.NewPCG(1, uint64(rapid.IntRange(0, 1000).Draw(t, "shuffle"))))
	r.Shuffle(len(was), func(i, j int) { was[i], was[j] = was[j], was[i] })
	second, other := usage.Clean(was, w)
	require.Equal(t, first, second)
	other.Unsorted = report.Unsorted
	require.Equal(t, report, other)
	require.Equal(t, len(points), report.Kept+report.Duplicates+report.Dropped()+report.Outside)
	for _, p := range first {
		require.True(t, w.Contains(p.Time))
	}
}

func TestCleanOrder(t *testing.T) { rapid.Check(t, cleanOrder) }
func FuzzCleanOrder(f *testing.F) { f.Fuzz(rapid.MakeFuzz(cleanOrder)) }

func TestRates(t *testing.T) {
	rates, report := usage.Rates([]usage.Point{{at(0), 10}, {at(60), 40}, {at(120), 5}, {at(240), 65}}, usage.Window{})
	require.Equal(t, []usage.Point{{at(60), 0.5}, {at(240), 0.5}}, rates)
	require.Equal(t, 1, report.Resets)
	require.True(t, report.Uneven())
}

// peaksTwin: the peaks of a stream in order, by a scan over all intervals, are what the tracker puts into a histogram.
func peaksTwin(t *rapid.T) {
	interval := time.Duration(rapid.IntRange(1, 100).Draw(t, "interval")) * time.Second
	var points []usage.Point
	h := new(usage.Histogram)
	var instance usage.Instance
	rule := usage.PeakRule{Interval: interval, BumpRatio: 1, MinBump: 0}
	now := 0
	for range rapid.IntRange(1, 40).Draw(t, "n") {
		now += rapid.IntRange(0, 60).Draw(t, "step")
		v := rapid.Int64Range(1, 1<<40).Draw(t, "bytes")
		points = append(points, usage.Point{Time: at(now), Value: float64(v)})
		require.NoError(t, rule.Add(h, &instance, at(now), v))
	}
	want := new(usage.Histogram)
	for from := start.Add(points[0].Time.Sub(start)); !from.After(points[len(points)-1].Time); from = from.Add(interval) {
		peak := 0.0
		for _, p := range points {
			if !p.Time.Before(from) && p.Time.Before(from.Add(interval)) {
				peak = max(peak, p.Value)
			}
		}
		if peak > 0 {
			require.NoError(t, want.Add(from.Add(interval), peak, 1))
		}
	}
	require.Equal(t, want.Count(), h.Count())
	require.Equal(t, want.Total(), h.Total())
	for _, q := range []float64{0, 0.5, 0.9, 1} {
		a, _ := want.Quantile(q)
		b, _ := h.Quantile(q)
		e1, _ := want.ErrorBound()
		e2, _ := h.ErrorBound()
		require.InEpsilon(t, a, b, 2*max(e1, e2))
	}
	peaks := usage.PeakPoints(points, interval)
	require.Len(t, peaks, int(h.Count()))
}

func TestPeaksTwin(t *testing.T) { rapid.Check(t, peaksTwin) }
func FuzzPeaksTwin(f *testing.F) { f.Fuzz(rapid.MakeFuzz(peaksTwin)) }

// TestOOM holds the reports about OOM kills that are decided where peaks are kept.
func TestOOM(t *testing.T) {
	const mi = 1 << 20
	rule := usage.VPAPeakRule()
	for _, c := range []struct {
		why           string
		ratio         float64
		samples       []int64 // at seconds 55, 56, ...
		kills         []int64 // requests, at second 44
		least, most   float64
		samplesToKeep int64
	}{
		{"C04: a kill before any sample is a sample", 1.2, nil, []int64{64 * mi, 64 * mi, 64 * mi}, 164 * mi, 164 * mi, 1},
		{"C06: a kill that arrives after a newer sample counts", 1.2, []int64{400 * mi}, []int64{454 * mi}, 554 * mi, 554 * mi, 1},
		{"C02: five kills under a cap do not add up", 2, []int64{1024 * mi}, []int64{1024 * mi, 1024 * mi, 1024 * mi, 1024 * mi, 1024 * mi}, 2048 * mi, 2048 * mi, 1},
	} {
		r := rule
		r.BumpRatio = c.ratio
		h := new(usage.Histogram)
		var instance usage.Instance
		for i, s := range c.samples {
			require.NoError(t, r.Add(h, &instance, at(55+i), s))
		}
		for _, k := range c.kills {
			require.NoError(t, r.OOM(h, &instance, at(44), k))
		}
		most, ok := h.Max()
		require.True(t, ok, c.why)
		require.GreaterOrEqual(t, most, c.least, c.why)
		require.LessOrEqual(t, most, c.most, c.why)
		require.Equal(t, c.samplesToKeep, h.Count(), c.why)
	}
	var instance usage.Instance
	h := new(usage.Histogram)
	require.NoError(t, rule.Add(h, &instance, start.Add(48*time.Hour), 1))
	require.ErrorIs(t, rule.OOM(h, &instance, start.Add(23*time.Hour), 1), usage.ErrTooOld)
	require.ErrorIs(t, rule.OOM(h, &instance, start.Add(48*time.Hour), -1), usage.ErrValue)
	require.ErrorIs(t, rule.Add(h, &instance, start, 5), usage.ErrOrder)
	require.Error(t, rule.Add(nil, nil, start, 5))
	require.Error(t, usage.PeakRule{}.Add(h, &instance, start.Add(100*time.Hour), 5))
}

func TestQuantilesTable(t *testing.T) {
	largest := 3.0
	table := usage.Table{Quantiles: []usage.QuantileValue{{0.95, 2}, {0.5, 1}}, Max: &largest, Count: 500, First: at(0), Last: at(60)}
	q, err := usage.NewQuantiles(table)
	require.NoError(t, err)
	v, ok := q.Quantile(0.95)
	require.True(t, ok)
	require.Equal(t, 2.0, v)
	for _, unlisted := range []float64{0.9, 1, 0, math.NaN(), 0.9500001} {
		_, ok = q.Quantile(unlisted)
		require.False(t, ok, "%v", unlisted)
	}
	for _, bad := range []struct {
		why string
		of  usage.Table
	}{
		{"outside 0..1", usage.Table{Quantiles: []usage.QuantileValue{{1.1, 2}}}},
		{"NaN", usage.Table{Quantiles: []usage.QuantileValue{{0.5, math.NaN()}}}},
		{"twice", usage.Table{Quantiles: []usage.QuantileValue{{0.5, 1}, {0.5, 1}}}},
		{"falling", usage.Table{Quantiles: []usage.QuantileValue{{0.5, 2}, {0.9, 1}}}},
		{"maximum below", usage.Table{Quantiles: []usage.QuantileValue{{0.5, 4}}, Max: &largest}},
		{"negative count", usage.Table{Count: -1}},
		{"backwards", usage.Table{First: at(1), Last: at(0)}},
	} {
		_, err := usage.NewQuantiles(bad.of)
		require.Error(t, err, bad.why)
	}
}

func TestReplicasOver(t *testing.T) {
	limits := []usage.MaxReplicas{{at(100), 20}, {at(0), 10}, {at(140), 0}, {at(170), 30}}
	for _, c := range []struct {
		why    string
		counts []usage.Point
		want   usage.Replicas
	}{
		{"at the old maximum, then the maximum was raised", []usage.Point{{at(10), 10}, {at(60), 10}, {at(110), 12}, {at(140), 12}},
			usage.Replicas{Largest: 12, Reached: true, AtMax: 100 * time.Second, Known: 130 * time.Second}},
		{"below the maximum valid at its time", []usage.Point{{at(110), 12}}, usage.Replicas{Largest: 12, Known: 90 * time.Second}},
		{"a change at a sample's own time counts", []usage.Point{{at(100), 19}}, usage.Replicas{Largest: 19, Known: 100 * time.Second}},
		{"before anything is known", []usage.Point{{at(-10), 50}}, usage.Replicas{Largest: 50}},
		{"a maxReplicas of nothing is not known, and is not reached", []usage.Point{{at(150), 1}, {at(180), 5}}, usage.Replicas{Largest: 5, Known: 20 * time.Second}},
		{"nothing", nil, usage.Replicas{}},
		{"outside the window", []usage.Point{{at(250), 20}}, usage.Replicas{}},
	} {
		got, _ := usage.ReplicasOver(c.counts, limits, usage.Window{End: at(200)})
		require.Equal(t, c.want, got, c.why)
	}
	_, report := usage.ReplicasOver([]usage.Point{{at(10), 1e12}}, limits, usage.Window{})
	require.Equal(t, 1, report.Infinite)
	got, report := usage.ReplicasOver([]usage.Point{{at(10), 1}, {at(20), 1}}, limits, usage.Window{Start: at(30), End: at(0)})
	require.Equal(t, usage.Replicas{}, got, "a window that ends before it starts holds nothing")
	require.Equal(t, 2, report.Outside)
}

func TestWords(t *testing.T) {
	for _, m := range usage.Methods() {
		text, err := m.MarshalText()
		require.NoError(t, err)
		var back usage.Method
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, m, back)
	}
	require.False(t, usage.Method("").Valid())
	require.False(t, usage.Layout("").Valid())
	var l usage.Layout
	require.Error(t, l.UnmarshalText([]byte("wide")))
	_, err := usage.Method("").MarshalText()
	require.Error(t, err)
	_, _, err = usage.NewSamples(nil, usage.Window{}, "")
	require.Error(t, err)
	_, _, err = usage.NewSamples(nil, usage.Window{Start: at(2), End: at(1)}, usage.Lower)
	require.Error(t, err)
	_, err = usage.NewHistogram("wide", 0)
	require.ErrorIs(t, err, usage.ErrLayout)
}
