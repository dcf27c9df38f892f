package replicas

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/metrics"
)

// TestEveryReportHasARow keeps the tables complete.
func TestEveryReportHasARow(t *testing.T) {
	text, err := os.ReadFile("testdata/public-reports.json")
	require.NoError(t, err)
	var cases []struct{ ID string }
	require.NoError(t, json.Unmarshal(text, &cases))
	require.Len(t, cases, 29)
	rows := map[string]bool{}
	for _, r := range metricReports() {
		rows[r.id] = true
	}
	for _, r := range podReports() {
		rows[r.id] = true
	}
	for _, r := range passReports() {
		rows[r.id] = true
	}
	for id := range otherReports {
		rows[id] = true
	}
	for _, c := range cases {
		require.True(t, rows[c.ID], "no row for %s", c.ID)
	}
}

// group is a number of equal pods. Quantities are in thousandths; a usage below 0 is no sample.
type group struct {
	count          int
	request, usage int64
	phase          corev1.PodPhase
	ready          corev1.ConditionStatus
	started        time.Duration
}

func (g group) pods() []Pod {
	pods := readyPods(g.count, g.request, max(g.usage, 0))
	for i := range pods {
		p := &pods[i]
		p.Sampled = g.usage >= 0
		if g.phase != "" {
			p.Phase = g.phase
		}
		if g.ready != "" {
			p.Ready = g.ready
		}
		if g.started != 0 {
			p.Started, p.ReadyChanged = noon.Add(-g.started), noon.Add(-g.started)
		}
	}
	return pods
}

const (
	mebi = int64(1000 << 20) // in milli-bytes
	gibi = int64(1000 << 30)
)

type metricReport struct {
	id, why         string
	resource        string
	target          metrics.TargetKind
	utilization     int32
	milli           int64
	values          []int64
	tolerance       float64
	current, status int32
	reproduce       bool
	pods            []group

	want            int32
	wantUtilization int64
	wantOutcome     Outcome
	wantOutOfRange  bool
}

func metricReports() []metricReport {
	const external = ""
	percent, average := metrics.TargetUtilization, metrics.TargetAverageValue
	return []metricReport{
		{id: "A01", why: "0.8 * 4 rounds up to 4: memory never scales down", resource: "memory", target: percent, utilization: 100, tolerance: 0.1, current: 4,
			pods: []group{{count: 4, request: 200 * mebi, usage: 160 * mebi}}, want: 4, wantUtilization: 80, wantOutcome: OutcomeComputed},
		{id: "A03", why: "1.075 is within 10 %", resource: "memory", target: percent, utilization: 80, tolerance: 0.1, current: 1,
			pods: []group{{count: 1, request: 100 * mebi, usage: 86 * mebi}}, want: 1, wantUtilization: 86, wantOutcome: OutcomeTolerance},
		{id: "A05", why: "88/80 is 1+0.1 in float64, and the edge is inside", resource: "cpu", target: percent, utilization: 80, tolerance: 0.1, current: 100,
			pods: []group{{count: 100, request: 1000, usage: 880}}, want: 100, wantUtilization: 88, wantOutcome: OutcomeTolerance},
		{id: "A05", why: "1.1 * 100 is a bit above 110 in float64", resource: "cpu", target: percent, utilization: 80, tolerance: 0.05, current: 100,
			pods: []group{{count: 100, request: 1000, usage: 880}}, want: 111, wantUtilization: 88, wantOutcome: OutcomeComputed},
		{id: "A14", why: "finished pods are missing, filled in with 100 %: 80 %, nothing changes", resource: "cpu", target: percent, utilization: 80, tolerance: 0.1, current: 5,
			pods: []group{{count: 5, request: 1000, usage: 400}, {count: 10, request: 1000, usage: -1, phase: corev1.PodSucceeded}}, want: 5, wantUtilization: 40, wantOutcome: OutcomeTolerance},
		{id: "A14", why: "filled in with 0: 53 % turns the direction", resource: "cpu", target: percent, utilization: 80, tolerance: 0.1, current: 5,
			pods: []group{{count: 5, request: 1000, usage: 1600}, {count: 10, request: 1000, usage: -1, phase: corev1.PodSucceeded}}, want: 5, wantUtilization: 160, wantOutcome: OutcomeReversed},
		{id: "A14", why: "without the dead pods", resource: "cpu", target: percent, utilization: 80, tolerance: 0.1, current: 5,
			pods: []group{{count: 5, request: 1000, usage: 400}}, want: 3, wantUtilization: 40, wantOutcome: OutcomeComputed},
		{id: "A14", why: "without the dead pods", resource: "cpu", target: percent, utilization: 80, tolerance: 0.1, current: 5,
			pods: []group{{count: 5, request: 1000, usage: 1600}}, want: 10, wantUtilization: 160, wantOutcome: OutcomeComputed},
		{id: "A16", why: "status says 107 % of 90 %, and two missing pods make it 83 %: the other side, and within tolerance", resource: "cpu", target: percent, utilization: 90, tolerance: 0.1, current: 9,
			pods: []group{{count: 7, request: 4000, usage: 4282}, {count: 2, request: 4000, usage: -1}}, want: 9, wantUtilization: 107, wantOutcome: OutcomeTolerance},
		{id: "A17", why: "missing pods are filled in with 200 %, not 100 %", resource: "cpu", target: percent, utilization: 200, tolerance: 0.1, current: 10,
			pods: []group{{count: 5, request: 1000, usage: 1500}, {count: 5, request: 1000, usage: -1}}, want: 9, wantUtilization: 150, wantOutcome: OutcomeComputed},
		{id: "A20", why: "the busy neighbour counts: 61 % of three pods", resource: "cpu", target: percent, utilization: 50, tolerance: 0.1, current: 2,
			pods: []group{{count: 2, request: 200, usage: 5}, {count: 1, request: 600, usage: 600}}, want: 4, wantUtilization: 61, wantOutcome: OutcomeComputed},
		{id: "A20", why: "the idle workload alone", resource: "cpu", target: percent, utilization: 50, tolerance: 0.1, current: 2,
			pods: []group{{count: 2, request: 200, usage: 5}}, want: 1, wantUtilization: 2, wantOutcome: OutcomeComputed},
		{id: "A24", why: "the proposal is cut to the largest int32", resource: external, target: average, milli: 100, values: []int64{214748365000}, tolerance: 0.1,
			current: 50, status: 50, want: math.MaxInt32, wantOutcome: OutcomeComputed},
		{id: "A26", why: "600 pods at 160Gi of 200Gi are at 80 %", resource: "memory", target: percent, utilization: 80, tolerance: 0.1, current: 600,
			pods: []group{{count: 600, request: 200 * gibi, usage: 160 * gibi}}, want: 600, wantUtilization: 80, wantOutcome: OutcomeTolerance, wantOutOfRange: true},
		{id: "A26", why: "upstream wraps", resource: "memory", target: percent, utilization: 80, tolerance: 0.1, current: 600, reproduce: true,
			pods: []group{{count: 600, request: 200 * gibi, usage: 160 * gibi}}, want: -472, wantUtilization: -63, wantOutcome: OutcomeComputed, wantOutOfRange: true},
		{id: "A26", why: "400 such pods fit", resource: "memory", target: percent, utilization: 80, tolerance: 0.1, current: 400,
			pods: []group{{count: 400, request: 200 * gibi, usage: 160 * gibi}}, want: 400, wantUtilization: 80, wantOutcome: OutcomeTolerance},
		{id: "A27", why: "no average at zero replicas", resource: external, target: average, milli: 10_000, values: []int64{25_000}, tolerance: 0.1,
			want: 3, wantOutcome: OutcomeComputed, wantOutOfRange: true},
		{id: "A28", why: "within tolerance the status count is proposed", resource: external, target: average, milli: 10_000, values: []int64{104_000}, tolerance: 0.1,
			current: 10, status: 11, want: 11, wantOutcome: OutcomeTolerance},
		{id: "A30", why: "89/88 is within tolerance", resource: external, target: average, milli: 1000, values: []int64{89_000}, tolerance: 0.1,
			current: 88, status: 88, want: 88, wantOutcome: OutcomeTolerance},
		{id: "A39", why: "14/50*25 is a bit above 7 in float64", resource: "cpu", target: percent, utilization: 50, tolerance: 0.1, current: 25,
			pods: []group{{count: 25, request: 1000, usage: 140}}, want: 8, wantUtilization: 14, wantOutcome: OutcomeComputed},
		{id: "A39", why: "exact: 55", resource: "cpu", target: percent, utilization: 45, tolerance: 0.1, current: 25,
			pods: []group{{count: 25, request: 1000, usage: 990}}, want: 56, wantUtilization: 99, wantOutcome: OutcomeComputed},
		{id: "A39", why: "exact: 55", resource: "cpu", target: percent, utilization: 50, tolerance: 0.1, current: 25,
			pods: []group{{count: 25, request: 1000, usage: 1100}}, want: 56, wantUtilization: 110, wantOutcome: OutcomeComputed},
		{id: "A39", why: "exact: 31", resource: "cpu", target: percent, utilization: 45, tolerance: 0.1, current: 15,
			pods: []group{{count: 15, request: 1000, usage: 930}}, want: 32, wantUtilization: 93, wantOutcome: OutcomeComputed},
		{id: "A41", why: "the starting pods' cpu is dropped, and they count as 0", resource: "cpu", target: percent, utilization: 50, tolerance: 0.1, current: 6,
			pods: []group{{count: 3, request: 1000, usage: 900}, {count: 3, request: 1000, usage: 2000, ready: corev1.ConditionFalse, started: time.Minute}},
			want: 6, wantUtilization: 90, wantOutcome: OutcomeTolerance},
		{id: "A41", why: "of memory they do count", resource: "memory", target: percent, utilization: 50, tolerance: 0.1, current: 6,
			pods: []group{{count: 3, request: 1000, usage: 900}, {count: 3, request: 1000, usage: 2000, ready: corev1.ConditionFalse, started: time.Minute}},
			want: 18, wantUtilization: 145, wantOutcome: OutcomeComputed},
		{id: "A43", why: "memory drives: 128 % of 90 %", resource: "memory", target: percent, utilization: 90, tolerance: 0.1, current: 5,
			pods: []group{{count: 1, request: 256 * mebi, usage: 328 * mebi}, {count: 1, request: 256 * mebi, usage: 331 * mebi}, {count: 1, request: 256 * mebi, usage: 327 * mebi},
				{count: 1, request: 256 * mebi, usage: 326 * mebi}, {count: 1, request: 256 * mebi, usage: 329 * mebi}}, want: 8, wantUtilization: 128, wantOutcome: OutcomeComputed},
		{id: "A43", why: "cpu does not", resource: "cpu", target: percent, utilization: 90, tolerance: 0.1, current: 5,
			pods: []group{{count: 5, request: 500, usage: 11}}, want: 1, wantUtilization: 2, wantOutcome: OutcomeComputed},
	}
}

func TestMetricReports(t *testing.T) {
	for _, r := range metricReports() {
		t.Run(r.id+" "+r.why, func(t *testing.T) {
			spec := Spec{ReproduceOverflow: r.reproduce, Flags: Flags{Tolerance: &r.tolerance}}
			c := spec.Calculator(r.current, r.status, noon)
			m := Metric{Type: autoscalingv2.ResourceMetricSourceType, Name: r.resource, Target: r.target, Utilization: r.utilization, Milli: r.milli}
			if r.resource == "" {
				m.Type = autoscalingv2.ExternalMetricSourceType
			}
			reading := Reading{Values: r.values}
			for _, g := range r.pods {
				reading.Pods = append(reading.Pods, g.pods()...)
			}
			got, err := c.metric(&m, &reading)
			require.NoError(t, err)
			require.Equal(t, r.want, got.Replicas)
			require.Equal(t, r.wantUtilization, got.Utilization)
			require.Equal(t, r.wantOutcome, got.Outcome)
			require.Equal(t, r.wantOutOfRange, got.OutOfRange.Any())
			require.Equal(t, r.id == "A27", got.NoAverage)
			require.Equal(t, r.id == "A27", got.Unbounded)
		})
	}
}

type podReport struct {
	id, why   string
	resource  string
	container string
	target    int32
	current   int32
	specs     []corev1.PodSpec
	usages    []string
	others    []int // copies of each spec

	want            int32
	wantUtilization int64
	wantFailure     Failure
	wantContainer   string
}

func container(name, requests, limits string) corev1.Container {
	c := corev1.Container{Name: name}
	for text, list := range map[string]*corev1.ResourceList{requests: &c.Resources.Requests, limits: &c.Resources.Limits} {
		if text != "" {
			*list = resources(text)
		}
	}
	return c
}

// resources reads "cpu=1,memory=1Gi".
func resources(text string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for len(text) > 0 {
		name, rest := cut(text, '=')
		var q string
		q, text = cut(rest, ',')
		list[corev1.ResourceName(name)] = resource.MustParse(q)
	}
	return list
}

func cut(s string, at byte) (string, string) {
	for i := range len(s) {
		if s[i] == at {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

func podReports() []podReport {
	always := corev1.ContainerRestartPolicyAlways
	podLevel := &corev1.ResourceRequirements{Requests: resources("cpu=1000m")}
	sidecar := container("proxy", "cpu=500m", "")
	sidecar.RestartPolicy = &always
	one := func(c ...corev1.Container) corev1.PodSpec { return corev1.PodSpec{Containers: c} }
	injected := one(container("app", "cpu=500m,memory=1Gi", ""), container("proxy", "cpu=10m", ""))
	limited := one(container("main", "", "memory=512Mi"), container("side", "", "memory=512Mi"))
	native := corev1.PodSpec{Containers: []corev1.Container{container("app", "cpu=500m", "")}, InitContainers: []corev1.Container{sidecar, container("migrate", "", "")}}
	bare := corev1.PodSpec{Resources: podLevel, Containers: []corev1.Container{container("app", "", "")}}
	uneven := corev1.PodSpec{Resources: podLevel, Containers: []corev1.Container{container("app", "memory=1Gi", ""), container("side", "", "")}}
	sandboxed := corev1.PodSpec{Resources: podLevel, Overhead: resources("cpu=250m"), Containers: []corev1.Container{container("app", "", "")}}
	plain := corev1.PodSpec{Overhead: resources("cpu=250m"), Containers: []corev1.Container{container("app", "cpu=1", "")}}
	app, old := one(container("app", "cpu=1000m", "")), one(container("old", "cpu=1", ""))
	helped := one(container("app", "cpu=1000m", ""), container("proxy", "", ""))
	return []podReport{
		{id: "A07", why: "a sidecar without memory request", resource: "memory", target: 80, current: 2, specs: []corev1.PodSpec{injected}, usages: []string{"500Mi"},
			wantFailure: FailureMissingRequest, wantContainer: "proxy"},
		{id: "A07", why: "cpu has its requests", resource: "cpu", target: 90, current: 1, specs: []corev1.PodSpec{injected}, usages: []string{"459m"}, want: 1, wantUtilization: 90},
		{id: "A09", why: "limits stand in for requests", resource: "memory", target: 50, current: 3, specs: []corev1.PodSpec{limited, limited, limited},
			usages: []string{"499Mi", "454Mi", "469Mi"}, want: 3, wantUtilization: 46},
		{id: "A11", why: "the native sidecar counts, the ordinary init container does not", resource: "cpu", target: 80, current: 4,
			specs: []corev1.PodSpec{native, native, native, native}, usages: []string{"500m", "500m", "500m", "500m"}, want: 3, wantUtilization: 50},
		{id: "A12", why: "the pod-level request is the denominator", resource: "cpu", target: 80, current: 4,
			specs: []corev1.PodSpec{bare, bare, bare, bare}, usages: []string{"800m", "800m", "800m", "800m"}, want: 4, wantUtilization: 80},
		{id: "A12", why: "a named container is not helped by it", resource: "cpu", container: "app", target: 80, current: 1,
			specs: []corev1.PodSpec{bare}, usages: []string{"800m"}, wantFailure: FailureMissingRequest, wantContainer: "app"},
		{id: "A12", why: "a container without memory is silently zero", resource: "memory", target: 80, current: 10, specs: []corev1.PodSpec{uneven}, others: []int{10},
			usages: []string{"1Gi"}, want: 13, wantUtilization: 100},
		{id: "A13", why: "overhead is added to pod-level requests", resource: "cpu", target: 80, current: 10, specs: []corev1.PodSpec{sandboxed}, others: []int{10},
			usages: []string{"800m"}, want: 8, wantUtilization: 64},
		{id: "A13", why: "not to container requests", resource: "cpu", target: 80, current: 10, specs: []corev1.PodSpec{plain}, others: []int{10},
			usages: []string{"800m"}, want: 10, wantUtilization: 80},
		{id: "A19", why: "one pod of the rollout lacks the container", resource: "cpu", container: "app", target: 60, current: 3, specs: []corev1.PodSpec{app, app, old},
			usages: []string{"600m", "600m", "600m"}, wantFailure: FailureUnknownContainer, wantContainer: "app"},
		{id: "A19", why: "another container without request is no matter", resource: "cpu", container: "app", target: 60, current: 3, specs: []corev1.PodSpec{helped}, others: []int{3},
			usages: []string{"900m"}, want: 5, wantUtilization: 90},
	}
}

func TestPodReports(t *testing.T) {
	for _, r := range podReports() {
		t.Run(r.id+" "+r.why, func(t *testing.T) {
			target := autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &r.target}
			m := autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType,
				Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceName(r.resource), Target: target}}
			if r.container != "" {
				m = autoscalingv2.MetricSpec{Type: autoscalingv2.ContainerResourceMetricSourceType, ContainerResource: &autoscalingv2.ContainerResourceMetricSource{
					Name: corev1.ResourceName(r.resource), Container: r.container, Target: target}}
			}
			hpa := &autoscalingv2.HorizontalPodAutoscaler{}
			hpa.Spec.MaxReplicas, hpa.Spec.Metrics = 100, []autoscalingv2.MetricSpec{m}
			cluster := Cluster{}
			cluster.Scale.Spec.Replicas, cluster.Scale.Status.Replicas, cluster.Scale.Status.Selector = r.current, r.current, "app=x"
			for i, s := range r.specs {
				copies := 1
				if r.others != nil {
					copies = r.others[i]
				}
				for range copies {
					p := vectorPod{Name: "p" + string(rune('a'+len(cluster.Pods))), Phase: corev1.PodRunning, Ready: corev1.ConditionTrue}
					pod := p.object()
					pod.Labels, pod.Spec = map[string]string{"app": "x"}, s
					pod.Status.StartTime = &metav1.Time{Time: noon.Add(-time.Hour)}
					pod.Status.Conditions[0].LastTransitionTime = metav1.Time{Time: noon.Add(-time.Hour)}
					cluster.Pods = append(cluster.Pods, *pod)
					cluster.Resource = append(cluster.Resource, PodMetrics{ObjectMeta: metav1.ObjectMeta{Name: pod.Name}, Timestamp: metav1.Time{Time: noon},
						Containers: []ContainerMetrics{{Name: "app", Usage: resources(r.resource + "=" + r.usages[i])}}})
				}
			}
			spec, errs := FromHPA(hpa, Flags{})
			require.Empty(t, errs)
			o := Observe(hpa, cluster)
			c := spec.Calculator(r.current, r.current, noon)
			got, err := c.metric(&spec.Metrics[0], &o.Readings[0])
			if r.wantFailure != "" {
				var e *MetricError
				require.ErrorAs(t, err, &e)
				require.Equal(t, r.wantFailure, e.Failure)
				require.Equal(t, r.wantContainer, e.Container)
				_, d := Step(spec, State{}, o, noon)
				require.Equal(t, PathFailed, d.Path)
				require.Equal(t, r.current, d.Replicas(), "replicas unchanged")
				return
			}
			require.NoError(t, err)
			require.Equal(t, r.want, got.Replicas)
			require.Equal(t, r.wantUtilization, got.Utilization)
		})
	}
}
