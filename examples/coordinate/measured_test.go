package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// lines are n rows of one container, a minute apart.
func lines(n int, pod, container, resource, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,%s,%s,%s,%s\n", 1767571200+i*60, pod, container, resource, value)
	}
	return b.String()
}

func usagePath(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "usage")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func to(r report, container, resource string) string {
	for _, c := range r.Items[0].Containers {
		if c.Name == container && string(c.Resource) == resource {
			return c.To
		}
	}
	return ""
}

func TestUsage(t *testing.T) {
	docs := deployment(box{"app", "1", "1Gi"}) + hpa(utilization("cpu", 50)) + policyOn
	cpu := usagePath(t, lines(300, "web-6f9c7b5d4-8kq2x", "app", "cpu", "600m"))
	matrix := usagePath(t, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod":"web-6f9c7b5d4-8kq2x","container":"app"},"values":[[1767571200,"0.6"],[1767571260,"0.6"]]}]}}`)
	atMax := usagePath(t, lines(3, "web", "", "replicas", "10"))
	more := usagePath(t, lines(3000, "web-6f9c7b5d4-bbbbb", "app", "cpu", "900m"))
	for _, row := range []struct {
		why     string
		args    []string
		outcome hpacouple.Outcome
		to      string
	}{
		{"the peak preset takes p95 as it is, within 1.1 %", []string{"--usage", cpu, "--preset", "peak"}, hpacouple.Coordinate, "600m"},
		{"the preset vpa reads the bucket's end and adds 15 %", []string{"--usage", cpu, "--preset", "vpa"}, hpacouple.Coordinate, "716m"},
		{"the default is vpa", []string{"--usage", cpu}, hpacouple.Coordinate, "716m"},
		{"a range query that does not say what it is", []string{"--usage", "cpu=" + matrix}, hpacouple.Coordinate, "716m"},
		{"files add up", []string{"--usage", cpu, "--usage", more, "--preset", "peak"}, hpacouple.Coordinate, "900m"},
		{"a flag goes before usage", []string{"--usage", cpu, "--request", "app:cpu=800m"}, hpacouple.Coordinate, "800m"},
		{"at maxReplicas nobody knows what would have been used", []string{"--usage", cpu, "--usage", atMax}, hpacouple.Skip, "1"},
		{"a throttled container does not fall", []string{"--usage", cpu, "--throttled", "app"}, hpacouple.NoChange, "1"},
	} {
		t.Run(row.why, func(t *testing.T) {
			r, got := decoded(t, docs, append([]string{"-"}, row.args...)...)
			require.Equal(t, exitFine, got.code, got.errors)
			require.Equal(t, row.outcome, r.Items[0].Outcome)
			require.InDelta(t, milliOf(t, row.to), milliOf(t, to(r, "app", "cpu")), 11)
			require.NotEmpty(t, r.Items[0].Containers[0].Explanation)
		})
	}
}

func milliOf(t *testing.T, text string) float64 {
	list, err := amounts("cpu=" + text)
	require.NoError(t, err)
	q := list["cpu"]
	return float64(q.MilliValue())
}

func TestUsageFaults(t *testing.T) {
	docs := deployment(box{"app", "1", "1Gi"})
	for _, row := range []struct {
		why, want string
		code      int
		args      []string
	}{
		{"no such file", "cannot be read", exitInput, []string{"-", "--usage", "/nowhere/usage.csv"}},
		{"not a format", "line 1", exitInput, []string{"-", "--usage", usagePath(t, "much,of,nothing\n")}},
		{"no name", "expected a file", exitFlags, []string{"-", "--usage", ""}},
		{"no name behind the resource", "expected a file", exitFlags, []string{"-", "--usage", "cpu="}},
		{"an unknown preset", "expected vpa or peak", exitFlags, []string{"--preset", "best"}},
		{"a negative price", "expected prices", exitFlags, []string{"--price", "cpu=-1"}},
		{"a price of nothing", "above 0", exitFlags, []string{"--price", "cpu=0,memory=0"}},
		{"a price with seven decimals", "six decimals", exitFlags, []string{"--price", "cpu=0.0000001"}},
		{"a price beyond all", "expected prices", exitFlags, []string{"--price", "memory=1000001"}},
		{"a price of a disk", "expected cpu=AMOUNT", exitFlags, []string{"--price", "disk=1"}},
		{"fewer pods than none", "whole number", exitFlags, []string{"--replicas", "-1"}},
		{"more pods than there can be", "whole number", exitFlags, []string{"--replicas", "2147483648"}},
		{"half a pod", "whole number", exitFlags, []string{"--replicas", "1.5"}},
		{"start-up memory", "cpu alone", exitFlags, []string{"--start-up", "app:memory=1Gi"}},
		{"standard input twice", "only once", exitFlags, []string{"-", "--usage", "-"}},
		{"half a day", "expected a duration", exitFlags, []string{"-", "--window", "0.5d"}},
		{"no time at all", "expected a duration", exitFlags, []string{"-", "--window", "0s"}},
		{"no unit", "expected a duration", exitFlags, []string{"-", "--window", "8"}},
		{"back in time", "expected a duration", exitFlags, []string{"-", "--window", "8d-1h"}},
		{"eleven years", "expected a duration", exitFlags, []string{"-", "--window", "4000d"}},
		{"too many hours", "expected a duration", exitFlags, []string{"-", "--window", "3650d1h"}},
		{"a window of nothing", "--window: without --usage", exitFlags, []string{"-", "--window", "8d"}},
		{"a start of nothing", "--start-up app:cpu=1: without --usage", exitFlags, []string{"-", "--start-up", "app:cpu=1"}},
		{"a window that the preset cannot do with", "at least", exitFlags, []string{"--preset", "peak", "--window", "2h"}},
		{"a start-up of nobody", "found no workload with a container gone", exitInput, []string{"-", "--start-up", "gone:cpu=1", "--usage", usagePath(t, lines(3, "web-6f9c7b5d4-8kq2x", "app", "cpu", "1"))}},
	} {
		got := call(docs, row.args...)
		require.Equal(t, row.code, got.code, row.why)
		require.Contains(t, got.errors, row.want, row.why)
	}
	got := call(docs, "-", "--usage", usagePath(t, lines(3, "other-1", "app", "cpu", "1")+lines(3, "web-6f9c7b5d4-8kq2x", "gone", "cpu", "1")))
	require.Equal(t, exitFine, got.code)
	require.Contains(t, got.out, "usage of container gone")
}

// limitTo is the limit of a container after the plan.
func limitTo(r report, container, resource string) string {
	for _, c := range r.Items[0].Containers {
		if c.Name == container && string(c.Resource) == resource {
			return c.LimitTo
		}
	}
	return ""
}

// TestUsageLimits: limits go with the requests of the plan, and what was measured as too small does not fall.
func TestUsageLimits(t *testing.T) {
	full := func(cpu, memory, cpuLimit, memoryLimit string) string {
		return deployment(box{"app", cpu + "/" + cpuLimit, memory + "/" + memoryLimit}) + hpa(utilization("cpu", 60)) + policyOn
	}
	pod := "web-6f9c7b5d4-8kq2x"
	usage := usagePath(t, lines(2000, pod, "app", "cpu", "250m")+lines(2000, pod, "app", "memory", "400Mi"))
	for _, row := range []struct {
		why, docs           string
		args                []string
		cpu, cpuLimit       string
		memory, memoryLimit string
	}{
		{"a bound moves request and limit", full("500m", "512Mi", "1", "1Gi"), nil, "334m", "668m", "489Mi", "978Mi"},
		{"a Guaranteed pod is fitted and stays Guaranteed", full("500m", "512Mi", "500m", "512Mi"), nil, "334m", "334m", "489Mi", "489Mi"},
		{"OOM-killed: the memory limit does not fall", full("500m", "2Gi", "1", "4Gi"), []string{"--oom-killed", "app", "--preset", "peak"}, "334m", "1", "2458Mi", "4Gi"},
		{"throttled: the cpu limit does not fall", full("500m", "512Mi", "1", "1Gi"), []string{"--throttled", "app"}, "500m", "1", "489Mi", "978Mi"},
		{"a request that was given takes no limit along", full("500m", "512Mi", "1", "1Gi"), []string{"--request", "app:cpu=400m"}, "400m", "1", "489Mi", "978Mi"},
	} {
		t.Run(row.why, func(t *testing.T) {
			r, got := decoded(t, row.docs, append([]string{"-", "--usage", usage}, row.args...)...)
			require.Equal(t, exitFine, got.code, got.errors)
			require.Equal(t, hpacouple.Coordinate, r.Items[0].Outcome)
			require.Equal(t, []string{row.cpu, row.cpuLimit, row.memory, row.memoryLimit},
				[]string{to(r, "app", "cpu"), limitTo(r, "app", "cpu"), to(r, "app", "memory"), limitTo(r, "app", "memory")})
		})
	}
}

// TestUsageSettings: what is known beside the usage reaches the recommendation.
func TestUsageSettings(t *testing.T) {
	usage := usagePath(t, lines(300, webPod, "app", "cpu", "250m")+lines(300, webPod, "app", "memory", "400Mi"))
	docs := deployment(box{"app", "500m/1", "512Mi"}) + policyOn
	for _, row := range []struct {
		why, docs   string
		args        []string
		cpu, memory string // as recommended
	}{
		{"alone", "", nil, "296m", "489Mi"},
		{"steps", "", []string{"--step", "cpu=100m,memory=100Mi"}, "300m", "500Mi"},
		{"a LimitRange", "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{type: Container, min: {cpu: 400m}}]}\n", nil, "400m", "489Mi"},
		{"a preset that holds", "", []string{"--preset", "peak"}, "250m", "460Mi"},
		{"throttled", "", []string{"--preset", "peak", "--throttled", "app"}, "500m", "460Mi"},
	} {
		r, got := decoded(t, docs+row.docs, append([]string{"-", "--usage", usage}, row.args...)...)
		require.Equal(t, exitFine, got.code, got.errors)
		require.Equal(t, row.cpu, r.Items[0].Containers[0].Recommended, row.why)
		require.Equal(t, row.memory, r.Items[0].Containers[1].Recommended, row.why)
	}
}

// TestStartUpOfOneWorkload: what one uses while it starts says nothing of another one.
func TestStartUpOfOneWorkload(t *testing.T) {
	docs := deployment(box{"app", "500m/1", "512Mi"}) + workloadDoc("Deployment", "api", box{"app", "500m/1", "512Mi"}) + policyOn
	usage := usagePath(t, lines(300, webPod, "app", "cpu", "250m")+lines(300, "api-6f9c7b5d4-8kq2x", "app", "cpu", "250m"))
	r, got := decoded(t, docs, "-", "--usage", usage, "--start-up", "Deployment/web/app:cpu=900m")
	require.Equal(t, exitFine, got.code, got.errors)
	var limits []string
	for _, i := range r.Items {
		limits = append(limits, i.Workload.Name+" "+i.Containers[0].LimitTo)
	}
	require.Equal(t, []string{"api 592m", "web 900m"}, limits)
}

// TestUsageTexts: long lists are cut, and nothing is said twice.
func TestUsageTexts(t *testing.T) {
	var rows strings.Builder
	for i := range 12 {
		rows.WriteString(lines(1, fmt.Sprintf("db-%d", i), "app", "cpu", "1"))
	}
	r, _ := decoded(t, deployment(box{"app", "1", ""}), "-", "--usage", usagePath(t, rows.String()))
	require.Contains(t, r.Notes[0], "pod db-7 and 2 more", "by name: 0, 1, 10, 11, 2 ...")
	two := lines(1, webPod, "app", "cpu", "1") + lines(1, "web-6f9c7b5d4-bbbbb", "app", "cpu", "much")
	_, got := decoded(t, deployment(box{"app", "1", ""}), "-", "--usage", usagePath(t, two))
	require.Equal(t, 1, strings.Count(got.errors, "could not be read whole"))
	require.NotContains(t, got.out, "belongs to none")
}

// TestNoFileStays: what standard input held is gone afterwards.
func TestNoFileStays(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	manifest := usagePath(t, deployment(box{"app", "1", ""}))
	_, got := decoded(t, lines(300, webPod, "app", "cpu", "250m"), manifest, "--usage", "-")
	require.Equal(t, exitFine, got.code, got.errors)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range left {
		require.NotContains(t, f.Name(), "coordinate-usage")
	}
}
