package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cluster writes the documents of one HPA, its Deployment, its pods and their samples.
type cluster struct {
	metrics   []string // in flow style
	behavior  string   // in flow style
	min, max  int
	spec      int
	status    int
	ownZero   bool
	namespace string // shop
	pods      []pod
	request   string // of each pod
}

type pod struct {
	name, usage string // no usage is no sample
	state       string // of the condition Ready; empty is True
	phase       string // empty is Running
	unlisted    bool
	started     string // empty is long ago
}

func (c cluster) yaml() string {
	var b strings.Builder
	doc := func(format string, args ...any) { fmt.Fprintf(&b, "---\n"+format, args...) }
	ns := c.namespace
	if ns == "" {
		ns = "shop"
	}
	if c.request == "" {
		c.request = "1"
	}
	behavior, conditions := "", ""
	if c.behavior != "" {
		behavior = "  behavior: " + c.behavior + "\n"
	}
	if c.ownZero {
		conditions = "status: {conditions: [{type: ScaledToZero, status: \"True\", reason: ScaledToZero, lastTransitionTime: \"2026-09-01T11:00:00Z\"}]}\n"
	}
	maximum := c.max
	if maximum == 0 {
		maximum = 1000
	}
	doc(`apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: %s}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: %d
  maxReplicas: %d
  metrics: [%s]
%s%s`, ns, c.min, maximum, strings.Join(c.metrics, ", "), behavior, conditions)
	doc(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: %s}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: web}]}}
status: {replicas: %d}
`, ns, c.spec, c.status)
	for _, p := range c.pods {
		if !p.unlisted {
			state, phase, started := p.state, p.phase, p.started
			if state == "" {
				state = "True"
			}
			if phase == "" {
				phase = "Running"
			}
			if started == "" {
				started = "2026-09-01T10:00:00Z"
			}
			doc(`apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: %s, labels: {app: web}}
spec: {containers: [{name: app, image: web, resources: {requests: {cpu: %q, memory: %q}}}]}
status: {phase: %s, startTime: %q, conditions: [{type: Ready, status: %q, lastTransitionTime: %q}]}
`, p.name, ns, c.request, c.request, phase, started, state, started)
		}
		if p.usage != "" {
			doc(`apiVersion: metrics.k8s.io/v1beta1
kind: PodMetrics
metadata: {name: %s, namespace: %s, labels: {app: web}}
timestamp: "2026-09-01T12:00:00Z"
window: 30s
containers: [{name: app, usage: {cpu: %q, memory: %q}}]
`, p.name, ns, p.usage, p.usage)
		}
	}
	return b.String()
}

func (c cluster) copies(n int, usage string) cluster {
	for i := range n {
		c.pods = append(c.pods, pod{name: fmt.Sprintf("web-%03d", i), usage: usage})
	}
	return c
}

func resourceMetric(name, target string) string {
	return "{type: Resource, resource: {name: " + name + ", target: {" + target + "}}}"
}

func namedMetric(kind, name, target string) string {
	field := strings.ToLower(kind)
	object := ""
	if kind == "Object" {
		object = "describedObject: {kind: Service, name: front}, "
	}
	return "{type: " + kind + ", " + field + ": {" + object + "metric: {name: " + name + "}, target: {" + target + "}}}"
}

func percent(n int) string { return fmt.Sprintf("type: Utilization, averageUtilization: %d", n) }

func perPodTarget(q string) string { return "type: AverageValue, averageValue: \"" + q + "\"" }

func valueTarget(q string) string { return "type: Value, value: \"" + q + "\"" }

// TestAnswersInWords: the report for people, from the headline to the steps, with one row for every kind of step.
// testdata/answers.txt is refreshed by -update.
func TestAnswersInWords(t *testing.T) {
	cpu60 := []string{resourceMetric("cpu", percent(60))}
	var all strings.Builder
	for _, row := range []struct {
		why     string
		cluster cluster
		args    []string
	}{
		{why: "4 pods at 80 % of 60 % want 6", cluster: cluster{metrics: cpu60, min: 1, spec: 4, status: 4, request: "1"}.copies(4, "800m")},
		{why: "up: an unready and a missing pod use nothing; an unlisted sample is a pod", cluster: cluster{metrics: cpu60, min: 1, spec: 4, status: 4, request: "1", pods: []pod{{name: "a", usage: "1900m"}, {name: "b", usage: "1900m"}, {name: "c"}, {name: "d", usage: "2", state: "False", started: "2026-09-01T11:59:00Z"}, {name: "ghost", usage: "1900m", unlisted: true}}}},
		{why: "down: a missing pod uses 200 % at a target of 200 %", cluster: cluster{metrics: []string{resourceMetric("cpu", percent(200))}, min: 1, spec: 10, status: 10, request: "1", pods: []pod{{name: "a", usage: "500m"}, {name: "b", usage: "500m"}, {name: "c"}}}},
		{why: "a raw average counts the unlisted sample, its multiplier does not", cluster: cluster{metrics: []string{resourceMetric("cpu", perPodTarget("500m"))}, min: 1, spec: 4, status: 4, request: "1", pods: []pod{{name: "a", usage: "600m"}, {name: "ghost", usage: "2", unlisted: true}}}},
		{why: "filling in turns the ratio", cluster: cluster{metrics: cpu60, min: 1, spec: 2, status: 2, request: "1", pods: []pod{{name: "a", usage: "900m"}, {name: "b"}}}},
		{why: "the number would move against the ratio", cluster: cluster{metrics: cpu60, min: 1, spec: 9, status: 9, request: "1", pods: []pod{{name: "a", usage: "1900m"}, {name: "b"}}}},
		{why: "600 pods at 160Gi of 200Gi: the controller reads -63 %", cluster: cluster{metrics: []string{resourceMetric("memory", percent(80))}, min: 2, spec: 600, status: 600, request: "200Gi"}.copies(600, "160Gi")},
		{why: "10P is read as 0", cluster: cluster{metrics: []string{namedMetric("External", "q", perPodTarget("1"))}, min: 1, spec: 10, status: 10}, args: []string{"--metric", "q=10P"}},
		{why: "9P over 1: the count leaves 32 bits", cluster: cluster{metrics: []string{namedMetric("Object", "q", perPodTarget("1"))}, min: 1, spec: 10, status: 10}, args: []string{"--metric", "q=9P"}},
		{why: "a target of 10P is read as 0, and divided by", cluster: cluster{metrics: []string{namedMetric("External", "q", perPodTarget("10P"))}, min: 1, spec: 10, status: 10}, args: []string{"--metric", "q=5"}},
		{why: "a negative series first: the largest number stands for the sum", cluster: cluster{metrics: []string{namedMetric("External", "q", perPodTarget("30"))}, min: 1, spec: 4, status: 4}, args: []string{"--metric", "q=-5", "--metric", "q=100"}},
		{why: "a sum beyond 64 bits", cluster: cluster{metrics: []string{namedMetric("External", "q", perPodTarget("30"))}, min: 1, spec: 4, status: 4}, args: []string{"--metric", "q=9P", "--metric", "q=9P"}},
		{why: "a wake-up", cluster: cluster{metrics: []string{namedMetric("External", "q", perPodTarget("30"))}, min: 0, ownZero: true}, args: []string{"--metric", "q=900"}},
		{why: "a rollout that has no pods yet", cluster: cluster{metrics: []string{namedMetric("External", "q", perPodTarget("30"))}, min: 0, spec: 2}, args: []string{"--metric", "q=900"}},
		{why: "at zero with pods left in status the tolerance holds", cluster: cluster{metrics: []string{namedMetric("External", "q", perPodTarget("30"))}, min: 0, status: 3, ownZero: true}, args: []string{"--metric", "q=92"}},
		{why: "a wake-up by a value", cluster: cluster{metrics: []string{namedMetric("External", "q", valueTarget("30"))}, min: 0, ownZero: true}, args: []string{"--metric", "q=92"}},
		{why: "each pod has its own value, and one the common one", cluster: cluster{metrics: []string{namedMetric("Pods", "q", perPodTarget("100"))}, min: 1, spec: 3, status: 3}.copies(3, ""), args: []string{"--metric", "q@web-000=300", "--metric", "q=50", "--metric", "q@web-001=100"}},
		{why: "a pod without a value", cluster: cluster{metrics: []string{namedMetric("Pods", "q", perPodTarget("100"))}, min: 1, spec: 3, status: 3}.copies(3, ""), args: []string{"--metric", "q@web-000=300", "--metric", "q@web-001=100"}},
		{why: "a value with ready pods", cluster: cluster{metrics: []string{namedMetric("Object", "q", valueTarget("30"))}, min: 1, spec: 3, status: 3}.copies(3, ""), args: []string{"--metric", "q=92"}},
		{why: "110001m of 100: four decimals would lie", cluster: cluster{metrics: []string{namedMetric("Pods", "q", perPodTarget("100"))}, min: 1, spec: 100, status: 100}.copies(100, ""), args: []string{"--metric", "q=110001m"}},
		{why: "1.1 x 100 is a bit above 110", cluster: cluster{metrics: []string{resourceMetric("cpu", percent(80))}, behavior: "{scaleUp: {tolerance: 50m}}", min: 1, spec: 100, status: 100}.copies(100, "880m")},
		{why: "1.36 with a tolerance of 0.36: the edge is lost in binary", cluster: cluster{metrics: []string{resourceMetric("cpu", percent(100))}, behavior: "{scaleUp: {tolerance: 360m}}", min: 1, spec: 4, status: 4, request: "1"}.copies(4, "1360m")},
		{why: "a ratio of nearly nothing", cluster: cluster{metrics: []string{resourceMetric("cpu", percent(2147483647))}, min: 1, spec: 4, status: 4, request: "1"}.copies(4, "1")},
		{why: "7/3 x 27 is 63 exactly, and 64 in floating point", cluster: cluster{metrics: []string{resourceMetric("cpu", percent(3))}, min: 1, spec: 27, status: 27, request: "1"}.copies(27, "70m")},
		{why: "a failing metric blocks scaling down", cluster: cluster{metrics: []string{resourceMetric("cpu", percent(60)), namedMetric("External", "q", perPodTarget("30"))}, min: 1, spec: 4, status: 4, request: "1"}.copies(4, "100m")},
		{why: "but not up", cluster: cluster{metrics: []string{resourceMetric("cpu", percent(60)), namedMetric("External", "q", perPodTarget("30"))}, min: 1, spec: 4, status: 4, request: "1"}.copies(4, "1")},
		{why: "all fail", cluster: cluster{metrics: []string{namedMetric("External", "q", perPodTarget("30"))}, min: 1, spec: 4, status: 4}},
		{why: "the doubling", cluster: cluster{metrics: cpu60, min: 1, spec: 3, status: 3, request: "1"}.copies(3, "3")},
		{why: "policies", cluster: cluster{metrics: cpu60, behavior: "{}", min: 1, spec: 3, status: 3, request: "1"}.copies(3, "3")},
		{why: "policies off", cluster: cluster{metrics: cpu60, behavior: "{scaleUp: {selectPolicy: Disabled}}", min: 1, spec: 3, status: 3, request: "1"}.copies(3, "3")},
		{why: "policies down", cluster: cluster{metrics: cpu60, behavior: "{scaleDown: {stabilizationWindowSeconds: 0, policies: [{type: Pods, value: 1, periodSeconds: 60}]}}", min: 1, spec: 3, status: 3, request: "1"}.copies(3, "30m")},
		{why: "the window down", cluster: cluster{metrics: cpu60, min: 1, spec: 3, status: 3, request: "1"}.copies(3, "30m")},
		{why: "the window up", cluster: cluster{metrics: cpu60, behavior: "{scaleUp: {stabilizationWindowSeconds: 60}}", min: 1, spec: 3, status: 3, request: "1"}.copies(3, "1")},
		{why: "the maximum", cluster: cluster{metrics: cpu60, min: 1, max: 4, spec: 3, status: 3, request: "1"}.copies(3, "3")},
		{why: "the minimum", cluster: cluster{metrics: cpu60, behavior: "{scaleDown: {stabilizationWindowSeconds: 0}}", min: 2, spec: 3, status: 3, request: "1"}.copies(3, "30m")},
		{why: "what the API server refuses", cluster: cluster{metrics: cpu60, min: 30, max: 5, spec: 4, status: 4}},
	} {
		code, out, stderr := runWith(row.cluster.yaml(), append(row.args, "--at", "2026-09-01T12:00:00Z", "-")...)
		require.Equal(t, exitFine, code, row.why)
		require.Empty(t, stderr, row.why)
		fmt.Fprintf(&all, "# %s\n", row.why)
		for _, line := range strings.Split(out, "\n") {
			// Conditions and risks have tests of their own.
			if strings.HasPrefix(line, "HPA ") || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "  =") || strings.Contains(line, ", wants") || strings.Contains(line, ", failed") || strings.Contains(line, "refuses") || strings.Contains(line, "event:") {
				if !strings.Contains(line, "HorizontalPodAutoscaler/") && !strings.Contains(line, "Deployment/web, ") || strings.HasPrefix(line, "HPA ") {
					all.WriteString(line + "\n")
				}
			}
		}
		all.WriteString("\n")
	}
	golden(t, "answers.txt", all.String())
}

// TestLimitedByWindow: the reason of a window in either direction.
func TestLimitedByWindow(t *testing.T) {
	for reason, usage := range map[string]string{"ScaleUpStabilized": "1", "ScaleDownStabilized": "30m"} {
		docs := cluster{metrics: []string{resourceMetric("cpu", percent(60))}, behavior: "{scaleUp: {stabilizationWindowSeconds: 60}}", min: 1, spec: 3, status: 3}.copies(3, usage).yaml()
		_, out, _ := runWith(docs, "-o", "json", "--at", "2026-09-01T12:00:00Z", "-")
		require.Contains(t, out, `"limitedBy": "`+reason+`"`)
	}
}

// TestUnknown: what there is not is null or empty in JSON, not 0.
func TestUnknown(t *testing.T) {
	docs := cluster{metrics: []string{namedMetric("External", "q", perPodTarget("30"))}, ownZero: true}.yaml()
	_, out, _ := runWith(docs, "-o", "json", "--metric", "q=900", "--at", "2026-09-01T12:00:00Z", "-")
	require.Contains(t, out, `"ratio": null`)
	require.Contains(t, out, `"value": ""`)
	require.Contains(t, out, `"container": ""`)
	require.NotContains(t, out, "exact")
	docs = cluster{metrics: []string{resourceMetric("memory", percent(80))}, min: 2, spec: 600, status: 600, request: "200Gi"}.copies(600, "160Gi").yaml()
	_, out, _ = runWith(docs, "-o", "json", "--at", "2026-09-01T12:00:00Z", "-")
	for _, want := range []string{`"proposal": -472`, `"exactProposal": 600`, `"wantedReplicas": 0`, `"exactWantedReplicas": 600`, `"value": "-63%"`, `"stabilizedReplicas": 600`, `"rateLimit": 1200`} {
		require.Contains(t, out, want)
	}
}
