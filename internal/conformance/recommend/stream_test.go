package recommend_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"
	vpautil "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/util"

	"github.com/kube-rightsize/rightsize/usage"
)

// settings are the flags of the recommender that change what a stream becomes.
type settings struct {
	cpuHalfLife, memoryHalfLife, interval time.Duration
	bumpRatio                             float64
	minBump                               int64
}

func defaults() settings {
	return settings{24 * time.Hour, 24 * time.Hour, 24 * time.Hour, 1.2, 100 << 20}
}

func drawSettings(r *rand.Rand) settings {
	s := defaults()
	if r.IntN(2) == 0 {
		return s
	}
	lengths := []time.Duration{time.Minute, time.Hour, 90 * time.Minute, 12 * time.Hour, 24 * time.Hour, 7*time.Hour + 13*time.Second, 192 * time.Hour}
	s.cpuHalfLife, s.memoryHalfLife, s.interval = lengths[r.IntN(len(lengths))], lengths[r.IntN(len(lengths))], lengths[r.IntN(len(lengths))]
	s.bumpRatio = 1 + float64(r.IntN(2000))/1000
	s.minBump = r.Int64N(1 << 30)
	return s
}

// use makes the settings the recommender's, which keeps them in a package variable.
func (s settings) use() {
	model.InitializeAggregationsConfig(model.NewAggregationsConfig(s.interval, 8, s.memoryHalfLife, s.cpuHalfLife, s.bumpRatio, float64(s.minBump)))
}

func (s settings) rule() usage.PeakRule {
	return usage.PeakRule{Interval: s.interval, BumpRatio: s.bumpRatio, MinBump: s.minBump}
}

// pair is one aggregate, kept by the real code and by the library.
type pair struct {
	real  *model.AggregateContainerState
	cpu   *usage.Histogram
	peaks *usage.Histogram
}

func newPair(t testing.TB, s settings) pair {
	cpu, err := usage.NewHistogram(usage.VPACPU, s.cpuHalfLife)
	require.NoError(t, err)
	peaks, err := usage.NewHistogram(usage.VPAMemory, s.memoryHalfLife)
	require.NoError(t, err)
	return pair{model.NewAggregateContainerState(), cpu, peaks}
}

// instance is one container of one pod, likewise.
type instance struct {
	pair
	real *model.ContainerState
	mine usage.Instance
}

func newInstance(p pair) *instance {
	return &instance{pair: p, real: model.NewContainerState(nil, p.real)}
}

func (i *instance) cpuSample(t testing.TB, at time.Time, milli int64) {
	took := i.real.AddSample(&model.ContainerUsageSample{MeasureStart: at, Usage: model.ResourceAmount(milli), Resource: model.ResourceCPU})
	err := usage.AddCPU(i.cpu, &i.mine, at, float64(milli)/1000)
	require.Equal(t, took, err == nil, "cpu %dm at %v: %v", milli, at, err)
}

func (i *instance) memorySample(t testing.TB, rule usage.PeakRule, at time.Time, bytes int64) {
	took := i.real.AddSample(&model.ContainerUsageSample{MeasureStart: at, Usage: model.ResourceAmount(bytes), Resource: model.ResourceMemory})
	err := rule.Add(i.peaks, &i.mine, at, bytes)
	require.Equal(t, took, err == nil, "memory %d at %v: %v", bytes, at, err)
}

func (i *instance) oom(t testing.TB, rule usage.PeakRule, at time.Time, request int64) {
	failed := i.real.RecordOOM(at, model.ResourceAmount(request))
	err := rule.OOM(i.peaks, &i.mine, at, request)
	require.Equal(t, failed == nil, err == nil, "OOM of %d at %v: %v, %v", request, at, failed, err)
}

// drawCPU and drawMemory draw amounts of every size, with some on the bounds of buckets.
func drawCPU(r *rand.Rand) int64 {
	switch r.IntN(8) {
	case 0:
		return r.Int64N(30)
	case 1:
		return int64(math.Pow(10, r.Float64()*7))
	case 2:
		return -r.Int64N(3)
	case 3:
		return 10 * r.Int64N(3000)
	}
	return r.Int64N(4000)
}

func drawMemory(r *rand.Rand) int64 {
	switch r.IntN(8) {
	case 0:
		return r.Int64N(3)*10_000_000 + r.Int64N(3) - 1
	case 1:
		return int64(math.Pow(10, r.Float64()*14))
	case 2:
		return []int64{20_500_000, 31_525_000, 20_499_999, 31_525_001, 0}[r.IntN(5)]
	case 3:
		return r.Int64N(1<<20) << 20
	}
	return r.Int64N(1 << 32)
}

// feed sends a random stream into the instances: samples, repeated and late ones, gaps, OOM kills early and late.
func feed(t testing.TB, r *rand.Rand, s settings, instances []*instance, events int) {
	at := time.Date(2020+r.IntN(8), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(2)*r.IntN(1e9), time.UTC)
	rule := s.rule()
	steps := []time.Duration{time.Second, time.Minute, time.Minute, 17 * time.Minute, time.Hour, 5 * time.Hour}
	step := steps[r.IntN(len(steps))]
	for range events {
		i := instances[r.IntN(len(instances))]
		moment := at
		if r.IntN(10) == 0 {
			moment = at.Add(-time.Duration(r.Int64N(int64(30 * time.Hour))))
		}
		switch r.IntN(12) {
		case 0:
			i.oom(t, rule, moment, max(drawMemory(r), 0))
		case 1, 2, 3, 4, 5:
			i.memorySample(t, rule, moment, drawMemory(r))
		default:
			i.cpuSample(t, moment, drawCPU(r))
		}
		switch r.IntN(40) {
		case 0: // the same instant again
		case 1:
			at = at.Add(time.Duration(r.Int64N(int64(20 * 24 * time.Hour))))
		case 2:
			at = at.Add(s.interval)
		case 3:
			if r.IntN(10) == 0 {
				at = at.Add(time.Duration(r.Int64N(int64(400 * 24 * time.Hour)))) // beyond 100 half-lives
			}
		default:
			at = at.Add(step)
		}
	}
}

// same compares everything that the two keep: facts, every weight, the checkpoint, and percentiles bit by bit.
func (p pair) same(t testing.TB) {
	require.Equal(t, int64(p.real.TotalSamplesCount), p.cpu.Count())
	if p.real.TotalSamplesCount > 0 {
		require.True(t, p.real.FirstSampleStart.Equal(p.cpu.First()))
		require.True(t, p.real.LastSampleStart.Equal(p.cpu.Last()))
	}
	sameHistogram(t, p.real.AggregateCPUUsage, p.cpu, model.GetAggregationsConfig().CPUHistogramOptions)
	sameHistogram(t, p.real.AggregateMemoryPeaks, p.peaks, model.GetAggregationsConfig().MemoryHistogramOptions)
}

func sameHistogram(t testing.TB, real vpautil.Histogram, mine *usage.Histogram, options vpautil.HistogramOptions) {
	inner := reflect.ValueOf(real).Elem().FieldByName("histogram")
	require.True(t, bits(inner.FieldByName("totalWeight").Float()) == bits(mine.Total()), "total: %v, %v", inner.FieldByName("totalWeight").Float(), mine.Total())
	weights := inner.FieldByName("bucketWeight")
	buckets := mine.Buckets()
	next := 0
	for b := range options.NumBuckets() {
		w := weights.Index(b).Float()
		if w == 0 {
			continue
		}
		require.Less(t, next, len(buckets))
		upper := math.Inf(1)
		if b+1 < options.NumBuckets() {
			upper = options.GetBucketStart(b + 1)
		}
		require.True(t, bits(upper) == bits(buckets[next].UpperBound) && bits(w) == bits(buckets[next].Weight),
			"bucket %d: %v to %v, %v", b, w, upper, buckets[next])
		next++
	}
	require.Len(t, buckets, next)
	require.Equal(t, real.IsEmpty(), mine.Empty())
	for _, q := range []float64{0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1} {
		want := real.Percentile(q)
		got, ok := mine.Quantile(q)
		require.Equal(t, real.IsEmpty(), !ok)
		require.True(t, bits(want) == bits(got), "percentile %v: %v, %v", q, want, got)
	}
	want, err := real.SaveToChekpoint()
	require.NoError(t, err)
	got, err := mine.VPACheckpoint()
	require.NoError(t, err)
	require.True(t, want.ReferenceTimestamp.Time.Equal(got.ReferenceTimestamp), "%v, %v", want.ReferenceTimestamp, got.ReferenceTimestamp)
	require.Equal(t, want.TotalWeight, got.TotalWeight)
	require.Equal(t, len(want.BucketWeights), len(got.BucketWeights))
	for b, w := range want.BucketWeights {
		require.Equal(t, w, got.BucketWeights[b], fmt.Sprint(b))
	}
}

func bits(v float64) uint64 { return math.Float64bits(v) }

// beyondLast reports whether the real percentile is the start of the last bucket because it has no end.
func beyondLast(real vpautil.Histogram, q float64) bool {
	inner := reflect.ValueOf(real).Elem().FieldByName("histogram")
	weights := inner.FieldByName("bucketWeight")
	below := 0.0
	for b := range weights.Len() - 1 {
		if below += weights.Index(b).Float(); below >= float64(q*inner.FieldByName("totalWeight").Float()) && below > 0 {
			return false
		}
	}
	return weights.Index(weights.Len()-1).Float() >= 0.0001
}
