package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata anew")

func runWith(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(args, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestExample(t *testing.T) {
	for _, format := range []string{"table", "json", "yaml"} {
		code, out, stderr := runWith("", "-o", format)
		require.Equal(t, exitFine, code)
		require.Empty(t, stderr)
		golden(t, "example."+format, out)
	}
}

// worker is an HPA on a queue; the rest is in the tests.
const worker = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: worker, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: worker}
  minReplicas: 1
  maxReplicas: 30
  metrics:
    - type: External
      external: {metric: {name: queue}, target: {type: AverageValue, averageValue: "30"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: worker, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: worker}}
  template:
    metadata: {labels: {app: worker}}
    spec: {containers: [{name: app, image: worker}]}
status: {replicas: 1}
`

const onePod = `
apiVersion: v1
kind: Pod
metadata: {name: worker-1, namespace: shop, labels: {app: worker}}
spec: {containers: [{name: app, image: worker}]}
`

func TestAnswers(t *testing.T) {
	for _, row := range []struct {
		why, stdin string
		args       []string
		desired    int32
		path       string
		limitedBy  string
		steps      []string
		metricErr  string
		stderr     string
	}{
		{why: "90 messages at 30 per pod want 3", stdin: worker, args: []string{"--metric", "queue=90"}, desired: 3, path: "metrics",
			steps: []string{"90 / (30 x 1 replicas in status) = 3.0000", "3.0000 is outside the tolerance of 0.9000..1.1000: ceil(90 / 30) = 3"}},
		{why: "several series add up, and the limit acts", stdin: worker, args: []string{"--metric=queue=90", "--metric=queue=210"}, desired: 4, path: "metrics",
			limitedBy: "ScaleUpLimit", steps: []string{"90 + 210 = 300", "300 / (30 x 1 replicas in status) = 10.0000", "10.0000 is outside the tolerance of 0.9000..1.1000: ceil(300 / 30) = 10"}},
		{why: "without a value the metric fails", stdin: worker, desired: 1, path: "metrics-failed", metricErr: "no value was given: --metric queue=VALUE"},
		{why: "a manual pause", stdin: strings.Replace(worker, "replicas: 1\n  selector", "replicas: 0\n  selector", 1), args: []string{"--metric", "queue=90"}, desired: 0, path: "paused"},
		{why: "above the maximum no metric is read", stdin: strings.Replace(worker, "replicas: 1\n  selector", "replicas: 50\n  selector", 1), args: []string{"--metric", "queue=90"}, desired: 30, path: "above-max"},
		{why: "the target is not there", stdin: worker[:strings.Index(worker, "---")], args: []string{"--metric", "queue=90"}, desired: 0, path: "no-scale"},
		{why: "a target of another group is another target", stdin: strings.Replace(worker, "apiVersion: apps/v1, kind", "apiVersion: argoproj.io/v1alpha1, kind", 1), args: []string{"--metric", "queue=90"}, desired: 0, path: "no-scale"},
		{why: "a target of another kind, with its scale", stdin: strings.Replace(worker[:strings.Index(worker, "---")], "apps/v1, kind: Deployment", "argoproj.io/v1alpha1, kind: Rollout", 1), args: []string{"--metric", "queue=90", "--replicas", "worker=2,app=worker"}, desired: 3, path: "metrics",
			steps: []string{"90 / (30 x 2 replicas in status) = 1.5000", "1.5000 is outside the tolerance of 0.9000..1.1000: ceil(90 / 30) = 3"}},
		{why: "by namespace and name, paused", stdin: strings.Replace(worker[:strings.Index(worker, "---")], "apps/v1, kind: Deployment", "argoproj.io/v1alpha1, kind: Rollout", 1), args: []string{"--metric", "queue=90", "--replicas", "shop/worker=0,app=worker"}, desired: 0, path: "paused"},
		{why: "its labels decide who has the same pods", stdin: strings.Replace(worker[:strings.Index(worker, "---")], "apps/v1, kind: Deployment", "argoproj.io/v1alpha1, kind: Rollout", 1) + worker[strings.Index(worker, "---"):] + "---\n" + strings.Replace(worker[:strings.Index(worker, "---")], "name: worker, namespace", "name: rival, namespace", 1) + "---\n" + onePod,
			args: []string{"--metric", "queue=90", "--replicas", "worker=2,app=worker"}, desired: 2, path: "selector"},
		{why: "two HPAs of another kind have the same pods", stdin: strings.Replace(worker[:strings.Index(worker, "---")], "apps/v1, kind: Deployment", "argoproj.io/v1alpha1, kind: Rollout", 1) + "---\n" + strings.Replace(strings.Replace(worker[:strings.Index(worker, "---")], "apps/v1, kind: Deployment", "argoproj.io/v1alpha1, kind: Rollout", 1), "name: worker, namespace", "name: rival, namespace", 1) + "---\n" + onePod,
			args: []string{"--metric", "queue=90", "--replicas", "worker=2,app=worker", "--replicas", "rival=2,app=worker"}, desired: 2, path: "selector"},
		{why: "other labels, other pods", stdin: strings.Replace(worker[:strings.Index(worker, "---")], "apps/v1, kind: Deployment", "argoproj.io/v1alpha1, kind: Rollout", 1) + worker[strings.Index(worker, "---"):] + "---\n" + strings.Replace(worker[:strings.Index(worker, "---")], "name: worker, namespace", "name: rival, namespace", 1) + "---\n" + onePod,
			args: []string{"--metric", "queue=90", "--replicas", "worker=2,app=rollout"}, desired: 3, path: "metrics"},
		{why: "a target without a number of replicas has 1", stdin: strings.Replace(worker, "  replicas: 1\n", "", 1), args: []string{"--metric", "queue=29"}, desired: 1, path: "metrics"},
		{why: "values for this HPA go before those for all", stdin: worker, args: []string{"--metric", "queue=900", "--metric", "shop/worker:queue=90", "--metric", "shop/other:queue=1"}, desired: 3, path: "metrics",
			stderr: "explain: --metric queue: no HPA has a Pods, Object or External metric of that name\nexplain: --metric shop/other:queue: no HPA has a Pods, Object or External metric of that name\n"},
		{why: "what belongs to other namespaces stays out", stdin: strings.ReplaceAll(strings.Replace(worker, "replicas: 1\n  selector", "replicas: 9\n  selector", 1), "shop", "alike") + "---\n" + worker + "---\n" + onePod, args: []string{"--metric", "shop/worker:queue=90"}, desired: 3, path: "metrics"},
		{why: "another HPA on the same pods", stdin: worker + "---\n" + strings.Replace(worker[:strings.Index(worker, "---")], "name: worker, namespace", "name: rival, namespace", 1) + "---\n" + onePod, args: []string{"--metric", "queue=90"}, desired: 1, path: "selector"},
		{why: "autoscaling/v1 is read as v2", stdin: "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: worker, namespace: shop}\nspec:\n" +
			"  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: worker}\n  maxReplicas: 5\n" + worker[strings.Index(worker, "---"):], desired: 1, path: "metrics-failed",
			metricErr: "there are no PodMetrics in the input"},
	} {
		t.Run(row.why, func(t *testing.T) {
			_, out, stderr := runWith(row.stdin, append(row.args, "-o=json", "--at", "2026-09-01T12:00:00Z", "-")...)
			require.Equal(t, row.stderr, stderr)
			var r report
			require.NoError(t, json.Unmarshal([]byte(out), &r))
			i := r.Items[len(r.Items)-1] // shop/worker is the last by name
			require.Equal(t, row.desired, i.DesiredReplicas)
			require.Equal(t, row.path, i.Path)
			require.Equal(t, row.limitedBy, i.LimitedBy)
			if row.steps != nil {
				require.Equal(t, row.steps, i.Metrics[0].Steps)
			}
			if row.metricErr != "" {
				require.Equal(t, row.metricErr, i.Metrics[0].Error)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for _, row := range []struct {
		why, stdin string
		args       []string
		code       int
		says       string
	}{
		{why: "no such flag", args: []string{"--colour"}, code: exitFlags, says: "unknown flag"},
		{why: "a flag without its value", args: []string{"-o"}, code: exitFlags, says: "expected a value"},
		{why: "no such format", args: []string{"-o", "xml"}, code: exitFlags, says: "expected table, json or yaml"},
		{why: "no time", args: []string{"--at", "noon"}, code: exitFlags, says: "expected a time"},
		{why: "no quantity", args: []string{"--metric", "queue=many"}, code: exitFlags, says: "NAME=VALUE"},
		{why: "a tiny exponent, which a parser would work on for hours", args: []string{"--metric", "q=1e-999999999"}, code: exitFlags, says: "three digits"},
		{why: "a shorter one", args: []string{"--metric", "q=1e-99999999"}, code: exitFlags, says: "three digits"},
		{why: "a huge one", args: []string{"--metric=q=1E+999999999"}, code: exitFlags, says: "three digits"},
		{why: "a long number", args: []string{"--metric", "q=" + strings.Repeat("9", 65)}, code: exitFlags, says: "64 characters"},
		{why: "no name", args: []string{"--metric", "=1"}, code: exitFlags, says: "NAME=VALUE"},
		{why: "standard input twice", args: []string{"-", "-"}, code: exitFlags, says: "only once"},
		{why: "no such file", args: []string{"absent.yaml"}, code: exitInput, says: "absent.yaml"},
		{why: "a metric that nothing measures", args: []string{"--metric", "rate=1"}, code: exitInput, says: "no HPA has"},
		{why: "an Object metric has one value", args: []string{"--metric", "q=590", "--metric", "q=100", "-"}, stdin: cluster{metrics: []string{namedMetric("Object", "q", valueTarget("1"))}, spec: 1, status: 1, min: 1}.yaml(), code: exitInput, says: "more than once"},
		{why: "so has each pod", args: []string{"--metric", "q@a=590", "--metric", "q@a=100", "-"}, stdin: cluster{metrics: []string{namedMetric("Pods", "q", perPodTarget("1"))}, spec: 1, status: 1, min: 1}.yaml(), code: exitInput, says: "more than once"},
		{why: "an External metric has no pods", args: []string{"--metric", "queue@a=590", "-"}, stdin: worker, code: exitInput, says: "has no pods"},
		{why: "two metrics of one name", args: []string{"--metric", "q=1", "-"}, stdin: cluster{metrics: []string{namedMetric("External", "q", perPodTarget("1")), namedMetric("Object", "q", perPodTarget("1"))}, spec: 1, status: 1, min: 1}.yaml(), code: exitInput, says: "several metrics"},
		{why: "no labels", args: []string{"--replicas", "web=3"}, code: exitFlags, says: "HPA=N,LABELS"},
		{why: "labels that are none", args: []string{"--replicas", "web=3,a b c"}, code: exitFlags, says: "expected labels"},
		{why: "no number", args: []string{"--replicas", "web=many,a=b"}, code: exitFlags, says: "HPA=N,LABELS"},
		{why: "fewer than none", args: []string{"--replicas", "web=-1,a=b"}, code: exitFlags, says: "HPA=N,LABELS"},
		{why: "nobody's replicas", args: []string{"--replicas", "=1,a=b"}, code: exitFlags, says: "HPA=N,LABELS"},
		{why: "replicas twice", args: []string{"--replicas", "web=1,a=b", "--replicas", "web=2,a=b"}, code: exitFlags, says: "twice"},
		{why: "replicas of what is in the input", args: []string{"--replicas", "worker=1,a=b", "-"}, stdin: worker, code: exitInput, says: "Deployment worker is in the input"},
		{why: "replicas of no HPA", args: []string{"--replicas", "other=1,a=b", "-"}, stdin: worker, code: exitInput, says: "no HorizontalPodAutoscaler of that name"},
		{why: "no HPA", args: []string{"-"}, stdin: worker[strings.Index(worker, "---"):], code: exitInput, says: "no HorizontalPodAutoscaler"},
		{why: "a broken document", args: []string{"-"}, stdin: "a: [", code: exitInput, says: "standard input"},
	} {
		code, _, stderr := runWith(row.stdin, row.args...)
		require.Equal(t, row.code, code, row.why)
		require.Contains(t, stderr, row.says, row.why)
	}
	code, out, _ := runWith("", "--help")
	require.Equal(t, exitFine, code)
	require.Contains(t, out, "--metric [NAMESPACE/HPA:]NAME[@POD]=VALUE")
}

// FuzzInput: no document makes the program panic, and the same document gives the same report.
func FuzzInput(f *testing.F) {
	f.Add(worker)
	f.Add(example)
	f.Add(strings.Replace(worker, `averageValue: "30"`, `averageValue: "-30"`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		args := []string{"--at", "2026-09-01T12:00:00Z", "--metric", "queue=90", "-"}
		code, out, stderr := runWith(text, args...)
		again, outAgain, stderrAgain := runWith(text, args...)
		require.Equal(t, []any{code, out, stderr}, []any{again, outAgain, stderrAgain})
	})
}
