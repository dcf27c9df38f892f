package recommend_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

var refresh = flag.Bool("refresh", false, "write the expected queries anew")

// TestQueries compares the texts with what was looked at and parsed by Prometheus once.
func TestQueries(t *testing.T) {
	var b strings.Builder
	for _, s := range []recommend.Strategy{recommend.VPA(), recommend.Peak()} {
		queries, errs := s.Queries(recommend.Series{Namespace: "shop", Pods: `web-[a-z0-9]+-[a-z0-9]{5}`, HPA: "web"})
		require.Empty(t, errs)
		b.WriteString("# " + s.Name + "\n")
		for _, q := range queries {
			require.Contains(t, recommend.Measures(), q.Measure)
			b.WriteString(string(q.Measure) + " " + string(q.Resource) + " " + q.Quantile.String() + "\n\t" + q.Text + "\n")
		}
	}
	if *refresh {
		require.NoError(t, os.WriteFile("testdata/queries.txt", []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile("testdata/queries.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func TestQueriesQuote(t *testing.T) {
	queries, errs := recommend.Peak().Queries(recommend.Series{Namespace: `a"b\`, Pods: "x", Step: metav1.Duration{Duration: 90 * time.Second}})
	require.Empty(t, errs)
	require.Contains(t, queries[0].Text, `namespace="a\"b\\"`)
	require.Contains(t, queries[0].Text, "[1m30s]")
	for _, q := range queries {
		require.NotEqual(t, recommend.MeasureReplicas, q.Measure, "no HPA is named")
	}
	_, errs = recommend.Peak().Queries(recommend.Series{})
	require.Len(t, errs, 2)
	for _, c := range []struct {
		why, field string
		of         recommend.Series
	}{
		{"no regular expression", "series.pods", recommend.Series{Namespace: "a", Pods: "(["}},
		{"one that closes what encloses it", "series.pods", recommend.Series{Namespace: "a", Pods: "a)|(b"}},
		{"a step longer than two weeks", "series.step", recommend.Series{Namespace: "a", Pods: "b", Step: metav1.Duration{Duration: 337 * time.Hour}}},
	} {
		_, errs := recommend.Peak().Queries(c.of)
		require.Len(t, errs, 1, c.why)
		require.Equal(t, c.field, errs[0].Field, c.why)
	}
	_, errs = recommend.VPA().Queries(recommend.Series{Namespace: "a", Pods: "b", Step: metav1.Duration{Duration: 25 * time.Hour}})
	require.Len(t, errs, 1, "a step longer than the interval of peaks")
	_, errs = recommend.Strategy{}.Queries(recommend.Series{Namespace: "a", Pods: "b", Step: metav1.Duration{Duration: -1}})
	require.NotEmpty(t, errs)
}

// TestNeedsAreEnough: a table of what Needs lists gives the request that the samples give.
func TestNeedsAreEnough(t *testing.T) {
	s := recommend.Peak()
	cpu, memory := flat(t, 0.25, 500), flat(t, 3e8, 500)
	needs := s.Needs()
	require.Equal(t, []recommend.PPM{500_000, 950_000}, needs.CPU.Quantiles)
	require.Empty(t, needs.Memory.Quantiles)
	require.True(t, needs.Memory.Max && needs.Span && needs.OOM && needs.Throttling)
	table := func(v *usage.Samples, n recommend.ResourceNeeds) *usage.Quantiles {
		tab := usage.Table{Count: v.Count(), First: v.First(), Last: v.Last()}
		for _, q := range n.Quantiles {
			value, ok := v.Quantile(q.Float())
			require.True(t, ok)
			tab.Quantiles = append(tab.Quantiles, usage.QuantileValue{Q: q.Float(), Value: value})
		}
		largest, ok := v.Max()
		require.True(t, ok)
		tab.Max = &largest
		q, err := usage.NewQuantiles(tab)
		require.NoError(t, err)
		return q
	}
	want, errs := recommend.Workload(recommend.Input{Usage: one(recommend.ContainerUsage{CPU: cpu, Memory: memory})}, s)
	require.Empty(t, errs)
	got, errs := recommend.Workload(recommend.Input{Usage: one(recommend.ContainerUsage{CPU: table(cpu, needs.CPU), Memory: table(memory, needs.Memory)})}, s)
	require.Empty(t, errs)
	require.Equal(t, want, got)
	require.Equal(t, recommend.Recommended, got.Containers[0].CPU.Outcome)

	s.CPU.Target = recommend.At(900_000)
	got, errs = recommend.Workload(recommend.Input{Usage: one(recommend.ContainerUsage{CPU: table(cpu, needs.CPU)})}, s)
	require.Empty(t, errs)
	require.Equal(t, recommend.MissingQuantile, got.Containers[0].CPU.Reason, "an unlisted quantile is never made up")
	require.Equal(t, []recommend.PPM{500_000, 900_000, 950_000}, recommend.VPA().Needs().CPU.Quantiles)
	require.Equal(t, recommend.Peaks, recommend.VPA().Needs().Memory.From)
}

// TestQueriesTakeTheWorstPod: one starved pod of many is not averaged away, neither where its use is asked for nor its throttling.
func TestQueriesTakeTheWorstPod(t *testing.T) {
	queries, errs := recommend.Peak().Queries(recommend.Series{Namespace: "a", Pods: "b"})
	require.Empty(t, errs)
	for _, q := range queries {
		if q.Measure == recommend.MeasureThrottled {
			require.Regexp(t, `^max by \(container\) \(sum by \(pod, container\) \(increase\(.+\)\) / sum by \(pod, container\) \(increase\(.+\)\)\)$`, q.Text)
			return
		}
	}
	require.Fail(t, "no query of throttling")
}

// TestQueriesBearTwoSeries: two replicas of kube-state-metrics give each metric twice. Comparing them is possible only when either side is one
// series, and everything else is aggregated at the end.
func TestQueriesBearTwoSeries(t *testing.T) {
	queries, errs := recommend.VPA().Queries(recommend.Series{Namespace: "a", Pods: "b", HPA: "c"})
	require.Empty(t, errs)
	seen := 0
	for _, q := range queries {
		at := strings.Count(q.Text, "kube_")
		if at == 0 {
			continue
		}
		seen++
		if strings.Contains(q.Text, "bool") {
			require.Equal(t, at, strings.Count(q.Text, "max by (namespace, horizontalpodautoscaler) (kube_"), q.Text)
			continue
		}
		require.Equal(t, at, strings.Count(q.Text, "max(kube_")+strings.Count(q.Text, "max(max_over_time(kube_")+strings.Count(q.Text, "max by (container) (max_over_time(kube_"), q.Text)
	}
	require.Equal(t, 4, seen)
}
