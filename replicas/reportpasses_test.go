package replicas

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
)

// otherReports are reports with a test of their own.
var otherReports = map[string]func(*testing.T){"A35": periodStart, "A37": windowEdge, "A38": percentRounding}

func TestOtherReports(t *testing.T) {
	for id, test := range otherReports {
		t.Run(id, test)
	}
}

func external(target int64) Metric {
	return Metric{Type: autoscalingv2.ExternalMetricSourceType, Name: "queue", Target: metrics.TargetAverageValue, Milli: target}
}

func cpu(target int32) Metric {
	return Metric{Type: autoscalingv2.ResourceMetricSourceType, Name: "cpu", Target: metrics.TargetUtilization, Utilization: target}
}

var broken = Reading{Error: &MetricError{Failure: FailureUnavailable, Detail: "backend down"}}

// passReport is one pass.
type passReport struct {
	id, why    string
	min, max   int32
	metrics    []Metric
	conditions Conditions
	current    int32
	readings   []Reading

	want        int32
	wantPath    Path
	wantLimited string
	wantMetric  int32
}

func passReports() []passReport {
	ownZero := Conditions{ScaledToZero: Condition{Status: corev1.ConditionTrue}}
	return []passReport{
		{id: "A07", why: "cpu may scale up while memory is invalid", min: 1, max: 10, metrics: []Metric{cpu(90), {Type: autoscalingv2.ResourceMetricSourceType, Name: "memory", Target: metrics.TargetUtilization, Utilization: 80}},
			current: 2, readings: []Reading{{Pods: readyPods(2, 500, 700)}, broken}, want: 4, wantPath: PathMetrics, wantMetric: 4},
		{id: "A07", why: "but not down", min: 1, max: 10, metrics: []Metric{cpu(90), {Type: autoscalingv2.ResourceMetricSourceType, Name: "memory", Target: metrics.TargetUtilization, Utilization: 80}},
			current: 2, readings: []Reading{{Pods: readyPods(2, 500, 100)}, broken}, want: 2, wantPath: PathFailed, wantMetric: 1},
		{id: "A22", why: "a failing metric blocks scaling down", min: 1, max: 5, metrics: []Metric{cpu(70), external(10_000)},
			current: 3, readings: []Reading{{Pods: readyPods(3, 1000, 200)}, broken}, want: 3, wantPath: PathFailed, wantMetric: 1},
		{id: "A22", why: "not up", min: 1, max: 5, metrics: []Metric{cpu(70), external(10_000)},
			current: 3, readings: []Reading{{Pods: readyPods(3, 1000, 1100)}, broken}, want: 5, wantPath: PathMetrics, wantMetric: 5},
		{id: "A24", why: "at the highest load it stays at the maximum", min: 1, max: 50, metrics: []Metric{external(100)},
			current: 50, readings: []Reading{{Values: []int64{214748365000}}}, want: 50, wantPath: PathMetrics, wantLimited: ReasonTooManyReplicas, wantMetric: 2147483647},
		{id: "A32", why: "308 % of 80 %", min: 1, max: 5, metrics: []Metric{cpu(80)},
			current: 3, readings: []Reading{{Pods: readyPods(3, 4311, 13278)}}, want: 5, wantPath: PathMetrics, wantLimited: ReasonTooManyReplicas, wantMetric: 12},
		{id: "A33", why: "twice the count, at least 4", min: 1, max: 10, metrics: []Metric{external(1000)},
			current: 1, readings: []Reading{{Values: []int64{12_000}}}, want: 4, wantPath: PathMetrics, wantLimited: ReasonScaleUpLimit, wantMetric: 12},
		{id: "A34", why: "above the maximum, metrics unreadable", min: 2, max: 10, metrics: []Metric{cpu(80)}, current: 12, readings: []Reading{broken}, want: 10, wantPath: PathAboveMax},
		{id: "A34", why: "below the minimum, metrics unreadable", min: 2, max: 10, metrics: []Metric{cpu(80)}, current: 1, readings: []Reading{broken}, want: 2, wantPath: PathBelowMin},
		{id: "A40", why: "the minimum is raised at the HPA's own zero", min: 1, max: 10, metrics: []Metric{external(1000)}, conditions: ownZero,
			readings: []Reading{{Values: []int64{0}}}, want: 1, wantPath: PathMetrics, wantLimited: ReasonTooFewReplicas},
		{id: "A40", why: "the minimum is raised at a manual pause", min: 1, max: 10, metrics: []Metric{external(1000)},
			readings: []Reading{{Values: []int64{0}}}, want: 0, wantPath: PathPaused},
		{id: "A40", why: "a wake-up", max: 10, metrics: []Metric{external(1000)}, conditions: ownZero,
			readings: []Reading{{Values: []int64{3000}}}, want: 3, wantPath: PathMetrics, wantMetric: 3},
		{id: "A40", why: "a manual pause stays", max: 10, metrics: []Metric{external(1000)},
			readings: []Reading{{Values: []int64{3000}}}, want: 0, wantPath: PathPaused},
		{id: "A43", why: "the larger proposal wins, cut to the maximum", min: 1, max: 5, metrics: []Metric{{Type: autoscalingv2.ResourceMetricSourceType, Name: "memory", Target: metrics.TargetUtilization, Utilization: 90}, cpu(90)},
			current: 5, readings: []Reading{{Pods: readyPods(5, 256, 328)}, {Pods: readyPods(5, 500, 11)}}, want: 5, wantPath: PathMetrics, wantLimited: ReasonTooManyReplicas, wantMetric: 8},
	}
}

func TestPassReports(t *testing.T) {
	for _, r := range passReports() {
		t.Run(r.id+" "+r.why, func(t *testing.T) {
			// A window of 0, so that the first pass may go down.
			window := time.Duration(0)
			spec := Spec{MinReplicas: &r.min, MaxReplicas: r.max, Metrics: r.metrics, Flags: Flags{DownscaleStabilization: &window}}
			state := State{Conditions: r.conditions}
			_, d := Step(spec, state, Observation{Replicas: r.current, StatusReplicas: r.current, Readings: r.readings}, noon)
			require.Equal(t, r.want, d.Replicas())
			require.Equal(t, r.wantPath, d.Path)
			require.Equal(t, r.wantLimited, d.LimitedBy)
			if r.wantPath == PathMetrics || r.wantPath == PathFailed {
				require.Equal(t, r.wantMetric, d.Metrics[0].Result.Replicas)
			}
			if r.wantPath != PathMetrics {
				require.Equal(t, -1, d.Driver, "nothing drives")
			}
			if r.wantPath == PathPaused {
				require.Equal(t, ReasonScalingDisabled, d.Conditions.ScalingActive.Reason)
			}
		})
	}
}

// periodStart is report A35: both directions' events move the start of the period.
func periodStart(t *testing.T) {
	s := State{ScaleUps: []ScaleEvent{{Change: 4, At: noon.Add(-time.Minute)}}, ScaleDowns: []ScaleEvent{{Change: 2, At: noon.Add(-30 * time.Second)}}}
	b := &Behavior{ScaleUp: Rules{Policies: []Policy{{Type: autoscalingv2.PercentScalingPolicy, Value: 300, PeriodSeconds: 300}}},
		ScaleDown: Rules{Policies: []Policy{{Type: autoscalingv2.PodsScalingPolicy, Value: 2, PeriodSeconds: 300}}}}
	up, out := s.rateLimit(6, b, true, noon, false)
	require.False(t, out)
	require.Equal(t, int32(16), up)
	down, out := s.rateLimit(6, b, false, noon, false)
	require.False(t, out)
	require.Equal(t, int32(2), down)
}

// windowEdge is report A37: the wait counts from the last high recommendation.
func windowEdge(t *testing.T) {
	for _, r := range []struct {
		age  time.Duration
		want int32
		why  string
	}{
		{age: 299 * time.Second, want: 5, why: "within the window"},
		{age: 300 * time.Second, want: 1, why: "with a behavior the edge is outside"},
		{age: 301 * time.Second, want: 1, why: "over"},
	} {
		window := int32(300)
		one := int32(1)
		spec := Spec{MinReplicas: &one, MaxReplicas: 10, Metrics: []Metric{external(1000)}, Behavior: &Behavior{ScaleDown: Rules{StabilizationWindowSeconds: &window}}}
		s := State{Recommendations: []Recommendation{{Replicas: 5, At: noon.Add(-r.age)}}}
		_, d := Step(spec, s, Observation{Replicas: 5, StatusReplicas: 5, Readings: []Reading{{Values: []int64{1000}}}}, noon)
		require.Equal(t, r.want, d.Replicas(), r.why)
	}
}

// percentRounding is report A38.
func percentRounding(t *testing.T) {
	for _, r := range []struct {
		current, percent, want int32
		up                     bool
		why                    string
	}{
		{current: 3, percent: 10, want: 4, up: true, why: "3.3 rounds up"},
		{current: 100, percent: 10, want: 111, up: true, why: "100*1.1 is a bit above 110 in float64"},
		{current: 5, percent: 10, want: 4, why: "4.5 is truncated"},
		{current: 10, percent: 90, want: 0, why: "10*(1-0.9) is a bit below 1 in float64"},
		{current: 100, percent: 90, want: 9, why: "100*(1-0.9) is a bit below 10"},
		{current: 50, percent: 42, want: 29, why: "50*0.58"},
	} {
		rules := Rules{Policies: []Policy{{Type: autoscalingv2.PercentScalingPolicy, Value: r.percent, PeriodSeconds: 60}}}
		var s State
		got, out := s.rateLimit(r.current, &Behavior{ScaleUp: rules, ScaleDown: rules}, r.up, noon, false)
		require.False(t, out)
		require.Equal(t, r.want, got, r.why)
	}
}
