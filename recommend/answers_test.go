package recommend_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// answersFor plays the time-series database: it answers the queries of a strategy from samples.
func answersFor(t require.TestingT, s recommend.Strategy, container string, cpu, memory usage.View) []recommend.Answer {
	queries, errs := s.Queries(recommend.Series{Namespace: "shop", Pods: "web-.*"})
	require.Empty(t, errs)
	var out []recommend.Answer
	for _, q := range queries {
		v := cpu
		if q.Resource == corev1.ResourceMemory {
			v = memory
		}
		a := recommend.Answer{Query: q, Container: container}
		switch q.Measure {
		case recommend.MeasureQuantile:
			a.Value, _ = v.Quantile(q.Quantile.Float())
		case recommend.MeasureMax:
			a.Value, _ = v.Max()
		case recommend.MeasureCount:
			a.Value = float64(v.Count())
		case recommend.MeasureFirst:
			a.Value = float64(v.First().UnixMilli()) / 1000
		case recommend.MeasureLast:
			a.Value = float64(v.Last().UnixMilli()) / 1000
		default:
			continue
		}
		out = append(out, a)
	}
	return out
}

// answersAreEnough: what the queries answer gives the recommendation that the samples give.
func answersAreEnough(t *rapid.T) {
	s := drawStrategy(t)
	values := func(label string, most float64) *usage.Samples {
		return samplesOf(t, rapid.SliceOfN(rapid.Float64Range(0, most), 1, 20).Draw(t, label), time.Hour)
	}
	cpu, memory := values("cpu", 4), values("memory", 8e9)
	answers := answersFor(t, s, "a", cpu, memory)
	for i := range answers { // their order does not matter
		j := rapid.IntRange(0, i).Draw(t, "with")
		answers[i], answers[j] = answers[j], answers[i]
	}
	taken, errs := s.FromAnswers(answers)
	require.Empty(t, errs)
	want, errs := recommend.Workload(recommend.Input{Usage: []recommend.ContainerUsage{{Name: "a", CPU: cpu, Memory: memory}}}, s)
	require.Empty(t, errs)
	got, errs := recommend.Workload(recommend.Input{Usage: taken.Usage}, s)
	require.Empty(t, errs)
	require.Equal(t, want, got)
}

func TestAnswersAreEnough(t *testing.T) { rapid.Check(t, answersAreEnough) }
func FuzzAnswersAreEnough(f *testing.F) { f.Fuzz(rapid.MakeFuzz(answersAreEnough)) }

func about(m recommend.Measure, r corev1.ResourceName, value float64) recommend.Answer {
	return recommend.Answer{Query: recommend.Query{Measure: m, Resource: r}, Container: "a", Value: value}
}

func quantileOf(r corev1.ResourceName, q recommend.PPM, value float64) recommend.Answer {
	a := about(recommend.MeasureQuantile, r, value)
	a.Query.Quantile = q
	return a
}

// TestFromAnswers: events and replicas come back, and what a time-series database does to floats does no harm.
func TestFromAnswers(t *testing.T) {
	const cpu, memory = corev1.ResourceCPU, corev1.ResourceMemory
	type answers = []recommend.Answer
	for _, c := range []struct {
		why     string
		answers answers
		check   func(*testing.T, recommend.Answered)
	}{
		{"nothing", nil, func(t *testing.T, a recommend.Answered) { require.Equal(t, recommend.Answered{}, a) }},
		{"a kill that increase() made a fraction of is a kill", answers{about(recommend.MeasureOOMKills, memory, 0.3)}, func(t *testing.T, a recommend.Answered) {
			require.Equal(t, []usage.OOMKill{{Times: 1}}, a.Usage[0].Events.OOMKills)
		}},
		{"three kills that it made a little more of", answers{about(recommend.MeasureOOMKills, memory, 3.0021)}, func(t *testing.T, a recommend.Answered) {
			require.Equal(t, []usage.OOMKill{{Times: 3}}, a.Usage[0].Events.OOMKills)
		}},
		{"no kill", answers{about(recommend.MeasureOOMKills, memory, 0)}, func(t *testing.T, a recommend.Answered) {
			require.Empty(t, a.Usage[0].Events.OOMKills)
		}},
		{"throttled", answers{about(recommend.MeasureThrottled, cpu, 0.4)}, func(t *testing.T, a recommend.Answered) {
			require.Equal(t, 0.4, *a.Usage[0].Events.Throttled)
		}},
		{"a share of no periods is not known", answers{about(recommend.MeasureThrottled, cpu, math.NaN())}, func(t *testing.T, a recommend.Answered) {
			require.Nil(t, a.Usage[0].Events.Throttled)
		}},
		{"a share that extrapolation took above 1", answers{about(recommend.MeasureThrottled, cpu, 1.0001)}, func(t *testing.T, a recommend.Answered) {
			require.Equal(t, 1.0, *a.Usage[0].Events.Throttled)
		}},
		{"quantiles that fall by the error of floats", answers{quantileOf(cpu, 900_000, 0.3), quantileOf(cpu, 500_000, math.Nextafter(0.3, 1))}, func(t *testing.T, a recommend.Answered) {
			v, ok := a.Usage[0].CPU.Quantile(0.9)
			require.True(t, ok)
			require.Equal(t, math.Nextafter(0.3, 1), v)
		}},
		{"a peak before the window is above the largest in it", answers{quantileOf(memory, 900_000, 2e9), about(recommend.MeasureMax, memory, 1e9)}, func(t *testing.T, a recommend.Answered) {
			require.True(t, a.Usage[0].MemoryPeaks.UseOnly)
			require.Equal(t, 24*time.Hour, a.Usage[0].MemoryPeaks.Interval)
			v, ok := a.Usage[0].MemoryPeaks.Of.Max()
			require.True(t, ok)
			require.Equal(t, 2e9, v)
		}},
		{"containers by name", answers{{Query: recommend.Query{Measure: recommend.MeasureMax, Resource: cpu}, Container: "b", Value: 1}, about(recommend.MeasureMax, cpu, 2)}, func(t *testing.T, a recommend.Answered) {
			require.Equal(t, "a", a.Usage[0].Name)
			require.Equal(t, "b", a.Usage[1].Name)
		}},
		{"at maxReplicas for a quarter of eight days", answers{about(recommend.MeasureReplicas, "", 12), about(recommend.MeasureShareAtMax, "", 0.25), about(recommend.MeasureMaxReplicas, "", 20)}, func(t *testing.T, a recommend.Answered) {
			require.Equal(t, usage.Replicas{Largest: 12, Reached: true, AtMax: 48 * time.Hour, Known: 192 * time.Hour}, a.Replicas)
		}},
		{"where no share is known the present maxReplicas decides", answers{about(recommend.MeasureReplicas, "", 12), about(recommend.MeasureMaxReplicas, "", 12)}, func(t *testing.T, a recommend.Answered) {
			require.Equal(t, usage.Replicas{Largest: 12, Reached: true}, a.Replicas)
		}},
		{"below it", answers{about(recommend.MeasureReplicas, "", 11), about(recommend.MeasureShareAtMax, "", 0), about(recommend.MeasureMaxReplicas, "", 12)}, func(t *testing.T, a recommend.Answered) {
			require.Equal(t, usage.Replicas{Largest: 11, Known: 192 * time.Hour}, a.Replicas)
		}},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, errs := recommend.VPA().FromAnswers(c.answers)
			require.Empty(t, errs)
			c.check(t, got)
		})
	}
	for _, c := range []struct {
		field string
		a     answers
	}{
		{"answers[0].query.measure", answers{about("", cpu, 1)}},
		{"answers[0].query.resource", answers{about(recommend.MeasureMax, "disk", 1)}},
		{"answers[0].container", answers{{Query: recommend.Query{Measure: recommend.MeasureMax, Resource: cpu}, Value: 1}}},
		{"answers[1]", answers{about(recommend.MeasureMax, cpu, 1), about(recommend.MeasureMax, cpu, 1)}},
		{"answers[0].value", answers{about(recommend.MeasureMax, cpu, math.NaN())}},
		{"answers[0].value", answers{about(recommend.MeasureMax, cpu, math.Inf(1))}},
		{"answers[0].value", answers{quantileOf(cpu, 500_000, -1)}},
		{"answers[0].value", answers{about(recommend.MeasureCount, cpu, 1e300)}},
		{"answers[0].value", answers{about(recommend.MeasureOOMKills, memory, math.NaN())}},
		{"answers[0].value", answers{about(recommend.MeasureFirst, cpu, 1e12)}},
		{"answers[0].value", answers{about(recommend.MeasureThrottled, cpu, 2)}},
		{"answers[0].value", answers{about(recommend.MeasureThrottled, cpu, 1.011)}},
		{"answers[0].value", answers{about(recommend.MeasureReplicas, "", 1e10)}},
		{"answers[0].value", answers{about(recommend.MeasureReplicas, "", 9.99), about(recommend.MeasureMaxReplicas, "", 10)}},
		{"answers[0].value", answers{about(recommend.MeasureMaxReplicas, "", 10.5)}},
		{"answers[0].value", answers{about(recommend.MeasureMaxReplicas, "", math.NaN())}},
		{"answers[0].value", answers{about(recommend.MeasureReplicas, "", math.Inf(-1))}},
		{"answers[a][cpu]", answers{quantileOf(cpu, 500_000, 2), quantileOf(cpu, 900_000, 1)}},
		{"answers[a][cpu]", answers{about(recommend.MeasureMax, cpu, 2), about(recommend.MeasureFirst, cpu, 2), about(recommend.MeasureLast, cpu, 1)}},
	} {
		got, errs := recommend.VPA().FromAnswers(c.a)
		require.Len(t, errs, 1, c.field)
		require.Equal(t, c.field, errs[0].Field)
		require.Equal(t, recommend.Answered{}, got)
	}
}

// TestKillsBesidePeaks: peaks of use alone do not hold what a kill showed, so that VPA's strategy adds it.
func TestKillsBesidePeaks(t *testing.T) {
	peaks := flat(t, float64(400*mi), 8)
	for _, c := range []struct {
		why     string
		useOnly bool
		want    int64
	}{
		{"the kill is in the peaks", false, 460 * mi},
		{"it is not: max(512Mi + 100Mi, 1.2 x 512Mi)", true, 644245094},
	} {
		in := recommend.Input{Pod: podOf(resources(list("", "512Mi"), nil)), Usage: one(recommend.ContainerUsage{
			MemoryPeaks: usage.Peaks{Of: peaks, Interval: 24 * time.Hour, UseOnly: c.useOnly}, Events: usage.Events{OOMKills: []usage.OOMKill{{Times: 2}}}}),
			Window: usage.Window{Start: monday, End: monday.Add(24 * time.Hour)}}
		r, errs := recommend.Workload(in, recommend.VPA())
		require.Empty(t, errs, c.why)
		require.Equal(t, c.want, r.Containers[0].Memory.Request, c.why)
		require.Equal(t, int64(2), r.Containers[0].Facts.OOMKills, "a kill of unknown time counts in every window")
	}
}
