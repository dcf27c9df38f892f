package usagefile_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/usagefile"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// TestNames: what a series is by its name, and what is refused though it looks like use.
func TestNames(t *testing.T) {
	const none = ""
	for _, c := range []struct {
		name, labels string
		of           corev1.ResourceName
		want, err    string // the resource, or a part of the error
	}{
		{name: "container_cpu_usage_seconds_total", want: "counter"},
		{name: "container_cpu_usage", want: "cpu"},
		{name: "container_memory_working_set_bytes", want: "memory"},
		{name: "container_memory_usage_bytes", want: "memory"},
		{name: "container_memory_rss", err: "give the working set"},
		{name: "app:container_memory_working_set_bytes:avg_over_time", err: "lies below the peaks"},
		{name: "app:container_memory_working_set_bytes:min", of: "memory", err: "lies below the peaks"},
		{name: "app:container_memory_working_set_bytes:quantile50", err: "lies below the peaks"},
		{name: "app:container_memory_working_set_bytes:max_5min", want: "memory"},
		{name: "node_namespace_pod_container:container_cpu_usage_seconds_total:sum_irate", want: "cpu"},
		{name: "node_namespace_pod_container:container_cpu_usage_seconds_total:sum_rate5m", want: "cpu"},
		{name: "node_namespace_pod_container:container_memory_working_set_bytes", want: "memory"},
		{name: "kube_horizontalpodautoscaler_status_current_replicas", labels: `,"horizontalpodautoscaler":"web"`, want: "replicas"},
		{name: "kube_deployment_spec_replicas", labels: `,"deployment":"web"`, want: "replicas"},
		{name: "kube_horizontalpodautoscaler_spec_max_replicas", labels: `,"horizontalpodautoscaler":"web"`, want: "maxReplicas"},
		{name: "kube_hpa_spec_max_replicas", labels: `,"hpa":"web"`, want: "maxReplicas"},
		{name: none, of: "cpu", want: "cpu"},
		{name: none, labels: `,"resource":"memory"`, want: "memory"},
		{name: none, labels: `,"resource":"memory"`, of: "cpu", want: "memory"},
		{name: "team:cpu", of: "cpu", want: "cpu"},
		{name: "container_memory_usage_bytes", of: "cpu", want: "memory"},
		{name: none, err: "neither"},
		{name: "team:cpu", err: "neither"},
		{name: none, labels: `,"resource":"disk"`, err: `"disk" is none of`},
		{name: "container_cpu_cfs_throttled_periods_total", of: "cpu", err: "--throttled"},
		{name: "container_cpu_cfs_periods_total", err: "--throttled"},
		{name: "container_oom_events_total", err: "--oom-killed"},
		{name: "kube_pod_container_status_last_terminated_reason", of: "memory", err: "--oom-killed"},
		{name: "kube_pod_container_resource_requests", labels: `,"resource":"cpu"`, err: "none of those"},
		{name: "kube_pod_container_resource_limits", labels: `,"resource":"memory"`, of: "memory", err: "none of those"},
		{name: "container_spec_memory_limit_bytes", of: "memory", err: "none of those"},
		{name: "container_memory_cache", of: "memory", err: "none of those"},
		{name: "container_cpu_load_average_10s", of: "cpu", err: "none of those"},
		{name: "kube_horizontalpodautoscaler_spec_min_replicas", err: "none of those"},
		{name: "kube_deployment_status_replicas_ready", err: "none of those"},
		{name: "process_cpu_seconds_total", of: "cpu", err: "a counter that nobody knows"},
		{name: "namespace:container_cpu_usage_seconds_total:sum", of: "cpu", err: "may be a counter or a rate"},
	} {
		in := fmt.Sprintf(`[{"metric":{"__name__":%q,"pod":"web-1","container":"app"%s},"values":[[100,"1"],[160,"2"]]}]`, c.name, c.labels)
		col := usagefile.NewCollector(recommend.Peak())
		col.Limits = [][]usage.MaxReplicas{nil}
		err := col.Read(strings.NewReader(in), "f", c.of)
		if c.err != "" {
			require.ErrorContains(t, err, c.err, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		found, err := usagefile.Look(strings.NewReader(in), "f", c.of, nil)
		require.NoError(t, err, c.name)
		got := ""
		if u := col.Usage(); len(u) > 0 {
			switch n := [2]int64{u[0].CPU.Count(), u[0].Memory.Count()}; n {
			case [2]int64{1, 0}:
				got = "counter"
			case [2]int64{2, 0}:
				got = "cpu"
			case [2]int64{0, 2}:
				got = "memory"
			}
		}
		web := usagefile.Pod{Name: "web"}
		if len(found.Limits[web]) == 2 {
			got = "maxReplicas"
			require.Zero(t, col.Replicas()[0].Largest, "it is never taken as replicas")
		} else if col.Replicas()[0].Largest == 2 {
			got = "replicas"
			require.Contains(t, found.Scaled, web, "not under the name of the pod that exports it")
		}
		require.Equal(t, c.want, got, c.name)
	}
	found, err := usagefile.Look(strings.NewReader(`[{"metric":{"__name__":"kube_deployment_spec_replicas","deployment":"web","pod":"exporter-1","namespace":"monitoring","exported_namespace":"shop"},"values":[[1,"1"]]}]`), "f", "", nil)
	require.NoError(t, err)
	require.Contains(t, found.Scaled, usagefile.Pod{Namespace: "shop", Name: "web"})
}

// TestCountersOfNoName: a counter whose name is lost, and what only looks like one.
func TestCountersOfNoName(t *testing.T) {
	for _, c := range []struct {
		why    string
		rows   int
		value  func(i int) float64
		counts bool
	}{
		{"half a core for a day", 1440, func(i int) float64 { return float64(i) * 30 }, true},
		{"with a reset", 1440, func(i int) float64 { return float64(i%700) * 30 }, true},
		{"with a reset at its end", 1440, func(i int) float64 { return float64(i%1430) * 30 }, true},
		{"of a tenth of a core", 1440, func(i int) float64 { return 7 + float64(i)*6 }, true},
		{"of a container that idles at times", 1440, func(i int) float64 { return float64(i/5*4+min(i%5, 4)) * 6 }, true},
		{"not a number in between", 1440, func(i int) float64 { return []float64{nan, float64(i) * 30}[min(i%9, 1)] }, true},
		{"a use that rises all the time, within a machine", 1440, func(i int) float64 { return float64(i) / 6 }, false},
		{"a large use that varies", 1440, func(i int) float64 { return 300 + float64(i*i%37) }, false},
		{"a large use that stays", 1440, func(i int) float64 { return 300 + float64(i/1000) }, false},
		{"nine rows tell nothing", 9, func(i int) float64 { return float64(i) * 60 }, false},
		{"ten do", 10, func(i int) float64 { return float64(i) * 60 }, true},
	} {
		var cpu, memory strings.Builder
		for i := range c.rows {
			fmt.Fprintf(&cpu, "%d,web-1,app,cpu,%v\n", begin+i*60, c.value(i))
			fmt.Fprintf(&memory, "%d,web-1,app,memory,%v\n", begin+i*60, c.value(i))
		}
		_, err := usagefile.Look(strings.NewReader(cpu.String()), "f", "", nil)
		if !c.counts {
			require.NoError(t, err, c.why)
			continue
		}
		require.ErrorContains(t, err, "f: cpu of pod web-1, container app", c.why)
		require.ErrorContains(t, err, "give its rate", c.why)
		_, err = usagefile.Look(strings.NewReader(memory.String()), "f", "", nil)
		require.NoError(t, err, "memory may rise")
	}
	var named strings.Builder
	named.WriteString(`[{"metric":{"__name__":"container_cpu_usage_seconds_total","pod":"a","container":"b"},"values":[[1,"0"]`)
	for i := range 100 {
		fmt.Fprintf(&named, `,[%d,"%d"]`, 61+i*60, 60*i)
	}
	_, err := usagefile.Look(strings.NewReader(named.String()+"]}]"), "f", "", nil)
	require.NoError(t, err, "a counter with its name is read as one")
}

// TestMoreThanAnyMachine: such values are counted and not used.
func TestMoreThanAnyMachine(t *testing.T) {
	c := usagefile.NewCollector(recommend.Peak())
	require.NoError(t, c.Read(strings.NewReader("100,a,app,cpu,4096\n101,a,app,cpu,4096.001\n102,a,app,cpu,1e300\n100,a,app,memory,64Ti\n101,a,app,memory,70368744177665\n102,a,app,memory,Inf\n"), "f", ""))
	require.Equal(t, usagefile.Report{Rows: 6, Kept: 2, Beyond: 3, Invalid: 1}, c.Report())
	require.Contains(t, c.Report().String(), "3 more than any machine has")
	c = usagefile.NewCollector(recommend.VPA())
	counter := `[{"metric":{"__name__":"container_cpu_usage_seconds_total","pod":"a","container":"b"},"values":[[1,"0"],[2,"5000"],[3,"5001"]]}]`
	require.NoError(t, c.Read(strings.NewReader(counter), "f", ""))
	require.Equal(t, usagefile.Report{Rows: 3, Kept: 1, Beyond: 1}, c.Report())
}

// TestChangesOfMaxReplicas: each change is found once, per name; what cannot be is left to Read.
func TestChangesOfMaxReplicas(t *testing.T) {
	in := "100,web,,maxReplicas,10\n160,web,,maxReplicas,10\n220,web,,maxReplicas,NaN\n280,web,,maxReplicas,10\n340,web,,maxReplicas,20\n400,web,,maxReplicas,0\n460,web,,maxReplicas,20.5\n100,db,,maxReplicas,3\n"
	found, err := usagefile.Look(strings.NewReader(in), "f", "", nil)
	require.NoError(t, err)
	require.Equal(t, map[usagefile.Pod][]usage.MaxReplicas{
		{Name: "web"}: {{From: at(100), Value: 10}, {From: at(340), Value: 20}, {From: at(460), Value: 20}}, {Name: "db"}: {{From: at(100), Value: 3}}}, found.Limits)
	c := usagefile.NewCollector(recommend.VPA())
	require.NoError(t, c.Read(strings.NewReader(in), "f", ""))
	require.Equal(t, usagefile.Report{Rows: 8, Kept: 6, Invalid: 2}, c.Report())
	var many strings.Builder
	for i := range 1002 {
		fmt.Fprintf(&many, "%d,web,,maxReplicas,%d\n", i, 1+i%2)
	}
	_, err = usagefile.Look(strings.NewReader(many.String()), "f", "", nil)
	require.ErrorContains(t, err, "more than 1000 times")
	found, err = usagefile.Look(strings.NewReader("100,web,,replicas,3\n50,web,,replicas,3\n40,web,,replicas,3\n"), "f", "", nil)
	require.NoError(t, err)
	require.Equal(t, "replicas of web: 1970-01-01T00:00:50Z comes after 1970-01-01T00:01:40Z", found.Scaled[usagefile.Pod{Name: "web"}].Unordered)
}

// TestWarnings: a database that answers in part says so.
func TestWarnings(t *testing.T) {
	in := `{"status":"success","warnings":["store unavailable",` + strings.Repeat(`"`+strings.Repeat("x", 300)+`",`, 20) + `"y"],"data":{"resultType":"matrix","result":[{"metric":{"pod":"a","container":"b"},"values":[[1,"1"]]}]}}`
	found, err := usagefile.Look(strings.NewReader(in), "f", "cpu", nil)
	require.NoError(t, err)
	require.Len(t, found.Warnings, 10)
	require.Equal(t, "store unavailable", found.Warnings[0])
	require.Len(t, found.Warnings[1], 200)
	found, err = usagefile.Look(strings.NewReader(strings.Replace(in, `"warnings":[`, `"warnings":null,"w":[`, 1)), "f", "cpu", nil)
	require.NoError(t, err)
	require.Empty(t, found.Warnings)
}

var nan = math.NaN()

func at(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
