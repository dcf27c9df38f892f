package hpacouple_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// Rows at the edges of single rules, where random draws seldom come.

func change(in hpacouple.Input, f func(in *hpacouple.Input)) hpacouple.Input {
	f(&in)
	return in
}

func memoryList(text string) corev1.ResourceList {
	return corev1.ResourceList{"memory": resource.MustParse(text)}
}

// TestReach: which limits cover the pod, and which trigger they are held against.
func TestReach(t *testing.T) {
	lower := func() hpacouple.Input { return input(80, box{"app", "1000m", "2000m", "900m", "1000m"}) } // 89: trigger 98, ceiling 111
	for _, row := range []struct {
		name    string
		in      hpacouple.Input
		outcome hpacouple.Outcome
		ceiling int64
		trigger int32
		why     string
	}{
		{"own limit", lower(), hpacouple.Coordinate, 111, 98, "1000 of 900"},
		{"an init container's limit", change(lower(), func(in *hpacouple.Input) {
			in.Pod.Spec.InitContainers = []corev1.Container{{Name: "init", Resources: corev1.ResourceRequirements{Limits: cpuList("9")}}}
		}), hpacouple.Coordinate, 111, 98, "it has ended when load comes"},
		{"an init container without a limit", change(lower(), func(in *hpacouple.Input) {
			in.Pod.Spec.InitContainers = []corev1.Container{{Name: "init"}}
		}), hpacouple.Coordinate, 111, 98, "it has ended when load comes"},
		{"a sidecar's limit", change(lower(), func(in *hpacouple.Input) {
			always := corev1.ContainerRestartPolicyAlways
			in.Pod.Spec.InitContainers = []corev1.Container{{Name: "side", RestartPolicy: &always, Resources: corev1.ResourceRequirements{Requests: cpuList("100m"), Limits: cpuList("500m")}}}
		}), hpacouple.Coordinate, 150, 97, "1500 of 1000; the target is 88"},
		{"a pod-level limit above", change(lower(), func(in *hpacouple.Input) {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: memoryList("1Gi"), Limits: cpuList("1100m")}
		}), hpacouple.Coordinate, 111, 98, "the containers' limits are lower"},
		{"a pod-level limit below", change(input(80, box{"app", "1000m", "2000m", "900m", ""}), func(in *hpacouple.Input) {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: memoryList("1Gi"), Limits: cpuList("1000m")}
		}), hpacouple.Coordinate, 111, 98, "the pod's limit is lower"},
		{"a pod-level limit alone", change(input(80, box{"app", "1000m", "", "900m", ""}), func(in *hpacouple.Input) {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: memoryList("1Gi"), Limits: cpuList("1000m")}
		}), hpacouple.Coordinate, 111, 98, "the pod's limit covers it"},
		{"the HPA's own tolerance", change(lower(), func(in *hpacouple.Input) { in.HPA.Spec.Behavior = tolerating("0.25") }), hpacouple.Skip, 200, 101,
			"89 x 1.25 is above 111; what is in force has 101 and 200"},
		{"the cluster's tolerance", change(lower(), func(in *hpacouple.Input) { q := resource.MustParse("0.25"); in.Options.Tolerance = &q }), hpacouple.Skip, 200, 101, "the same"},
		{"the HPA's goes first", change(lower(), func(in *hpacouple.Input) {
			q := resource.MustParse("0.25")
			in.Options.Tolerance, in.HPA.Spec.Behavior = &q, tolerating("0")
		}), hpacouple.Coordinate, 111, 90, "the first above 89"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, errs := hpacouple.Plan(row.in)
			require.Empty(t, errs)
			require.Equal(t, row.outcome, r.Outcome, row.why)
			require.Equal(t, row.ceiling, r.Working.Reach.Ceiling, row.why)
			require.Equal(t, row.trigger, r.Working.Reach.Trigger, row.why)
			require.Equal(t, row.outcome == hpacouple.Skip, r.Cause == bounds.CauseReach, row.why)
		})
	}
}

func tolerating(text string) *autoscalingv2.HorizontalPodAutoscalerBehavior {
	q := resource.MustParse(text)
	return &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{Tolerance: &q}}
}

// TestPodLevelLimits: what the API server would refuse, and what stood there before.
func TestPodLevelLimits(t *testing.T) {
	own := func(requests, limits string, boxes ...box) hpacouple.Input {
		return change(input(50, boxes...), func(in *hpacouple.Input) {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: cpuList(requests), Limits: cpuList(limits)}
		})
	}
	for _, row := range []struct {
		name string
		in   hpacouple.Input
		path string
		why  string
	}{
		{"limit at the pod's", own("2", "4", box{"app", "1000m", "2", "900m", "4"}), "", "at it is not above it"},
		{"limit above the pod's", own("2", "4", box{"app", "1000m", "2", "900m", "4001m"}), "recommendations[cpu].limits", "refused by the API server"},
		{"present limit above the pod's", own("2", "4", box{"app", "1000m", "5", "900m", ""}), "", "not asked for"},
		{"requests at the pod's", own("2", "", box{"app", "1000m", "", "2", ""}), "", "at it is not above it"},
		{"requests above the pod's", own("2", "", box{"app", "1000m", "", "2001m", ""}), "recommendations[cpu].requests", "refused by the API server"},
		{"requests above before and less now", own("2", "", box{"app", "3000m", "", "2500m", ""}), "", "not the plan's doing, and it gets better"},
		{"requests above before and the same", own("2", "", box{"app", "3000m", "", "2500m", ""}, box{"side", "500m", "", "1000m", ""}), "", "what one loses the other gets"},
		{"requests above before and more now", own("2", "", box{"app", "3000m", "", "3001m", ""}), "recommendations[cpu].requests", "it gets worse"},
	} {
		_, errs := hpacouple.Plan(row.in)
		if row.path == "" {
			require.Empty(t, errs, row.name+": "+row.why)
			continue
		}
		require.Len(t, errs, 1, row.name)
		require.Equal(t, row.path, errs[0].Field, row.name+": "+row.why)
	}
}

// TestQoSChange: the class of the finished pod.
func TestQoSChange(t *testing.T) {
	guaranteed := func() hpacouple.Input { // cpu and memory, request = limit
		return change(input(50, box{"app", "1", "1", "900m", ""}), func(in *hpacouple.Input) {
			in.Pod.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("1Gi")
			in.Pod.Spec.Containers[0].Resources.Limits["memory"] = resource.MustParse("1Gi")
		})
	}
	for _, row := range []struct {
		name string
		in   hpacouple.Input
		want bool
		why  string
	}{
		{"guaranteed no more", guaranteed(), true, "the request is below its limit now"},
		{"still guaranteed", change(guaranteed(), func(in *hpacouple.Input) { in.Recommendations[0].Limits = cpuList("900m") }), false, "both moved"},
		{"pod-level resources decide", change(guaranteed(), func(in *hpacouple.Input) {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: memoryList("2Gi")}
		}), false, "the containers' amounts have no say"},
		{"burstable before and after", input(50, box{"app", "1", "2", "900m", ""}), false, "it was none before"},
	} {
		r, errs := hpacouple.Plan(row.in)
		require.Empty(t, errs, row.name)
		require.Equal(t, hpacouple.Coordinate, r.Outcome, row.name)
		require.Equal(t, row.want, slices.Contains(r.RiskFlags, skipreason.FlagQoSChange), "%s: %s: %v", row.name, row.why, r.RiskFlags)
	}
}

// TestSameState: what makes two observations different.
func TestSameState(t *testing.T) {
	external := func(name, value string) autoscalingv2.MetricSpec {
		q := resource.MustParse(value)
		return autoscalingv2.MetricSpec{Type: "External", External: &autoscalingv2.ExternalMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: name},
			Target: autoscalingv2.MetricTarget{Type: "AverageValue", AverageValue: &q}}}
	}
	pod := input(50, box{"app", "1", "", "", ""}).Pod.Spec
	see := func(entries ...autoscalingv2.MetricSpec) hpacouple.Observed {
		return hpacouple.Observe(pod, hpa(entries...))
	}
	one := func() hpacouple.Observed { return see(utilization("cpu", 50), external("queue", "30")) }
	container := autoscalingv2.MetricSpec{Type: "ContainerResource", ContainerResource: &autoscalingv2.ContainerResourceMetricSource{Name: "cpu", Container: "app", Target: utilization("cpu", 50).Resource.Target}}
	raw := func(name string) autoscalingv2.MetricSpec {
		m := *container.DeepCopy()
		q := resource.MustParse("100m")
		m.ContainerResource.Container, m.ContainerResource.Target = name, autoscalingv2.MetricTarget{Type: "AverageValue", AverageValue: &q}
		return m
	}
	other := *container.DeepCopy()
	other.ContainerResource.Container = "side"
	for _, row := range []struct {
		name string
		a, b hpacouple.Observed
		same bool
		why  string
	}{
		{"equal", one(), one(), true, "nothing moved"},
		{"another order", one(), see(external("queue", "30"), utilization("cpu", 50)), true, "clients of autoscaling/v1 reorder"},
		{"another spelling", one(), see(utilization("cpu", 50), external("queue", "30000m")), true, "30000m is 30"},
		{"another metric", one(), see(utilization("cpu", 50), external("stack", "30")), false, "a name is another metric"},
		{"another value", one(), see(utilization("cpu", 50), external("queue", "31")), false, "somebody moved it"},
		{"a fraction more", one(), see(utilization("cpu", 50), external("queue", "30.0001")), false, "the same in thousandths only when rounded"},
		{"another target", one(), see(utilization("cpu", 51), external("queue", "30")), false, "somebody moved it"},
		{"another resource", one(), see(utilization("memory", 50), external("queue", "30")), false, "another denominator"},
		{"one fewer", one(), see(utilization("cpu", 50)), false, "the maximum of fewer"},
		{"twice and once", see(utilization("cpu", 50), utilization("cpu", 50), external("queue", "30")), see(utilization("cpu", 50), external("queue", "30"), external("queue", "30")), false, "as often as before"},
		{"another container", see(container), see(other), false, "another denominator"},
		{"another container, raw", see(raw("app")), see(raw("side")), false, "another container's usage"},
		{"defaults", see(), see(utilization("cpu", 80)), true, "the API server fills them in"},
	} {
		require.Equal(t, row.same, row.a.Same(row.b), row.name+": "+row.why)
		require.Equal(t, row.same, row.b.Same(row.a), row.name+": the other way")
	}
}

// TestAmountsAtTheEnds: a fraction of a byte at its limit, and the last recommendation that can be rounded up.
func TestAmountsAtTheEnds(t *testing.T) {
	memory := func(request, limit, to string) hpacouple.Input {
		in := input(50, box{"app", "1", "", "", ""})
		in.Pod.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse(request)
		in.Pod.Spec.Containers[0].Resources.Limits = memoryList(limit)
		in.Recommendations = []hpacouple.Recommendation{{Container: "app", Requests: memoryList(to)}}
		return in
	}
	for _, row := range []struct {
		name, request, limit, to, want string
		why                            string
	}{
		{"raise at the limit", "1.1Gi", "1.1Gi", "2Gi", "1181116006400m", "the limit's 1181116006.4 bytes hold a raise, which must not become a cut to whole bytes"},
		{"raise to the limit", "1Gi", "1.1Gi", "2Gi", "1181116006", "whole bytes are written"},
		{"cut", "1.1Gi", "1.1Gi", "1Gi", "1Gi", "as recommended"},
	} {
		r, errs := hpacouple.Plan(memory(row.request, row.limit, row.to))
		require.Empty(t, errs)
		for _, c := range r.Containers {
			if c.Resource == "memory" {
				require.Equal(t, row.want, c.To.String(), row.name+": "+row.why)
			}
		}
	}
	top := int64(math.MaxInt64)
	for _, row := range []struct {
		milli, step int64
		ok          bool
		why         string
	}{
		{top - 10, 10, true, "the last that a step of 10 is sure to leave within int64"},
		{top - 9, 10, false, "one more"},
		{top - 1, 1, true, "the last for a step of 1"},
		{top, 1, false, "one more"},
	} {
		in := input(50, box{"app", "1", "", "", ""})
		in.Options.Steps = corev1.ResourceList{"cpu": milli(row.step)}
		in.Recommendations = []hpacouple.Recommendation{{Container: "app", Requests: corev1.ResourceList{"cpu": milli(row.milli)}}}
		_, errs := hpacouple.Plan(in)
		require.Equal(t, row.ok, len(errs) == 0, "%d in steps of %d: %s: %v", row.milli, row.step, row.why, errs)
	}
}

// TestWhoseHPA: an HPA of another object is an error.
func TestWhoseHPA(t *testing.T) {
	for _, row := range []struct {
		name  string
		touch func(in *hpacouple.Input)
		ok    bool
		why   string
	}{
		{"as it is", func(*hpacouple.Input) {}, true, "default/web"},
		{"another namespace", func(in *hpacouple.Input) { in.HPA.Namespace = "stage" }, false, "HPAs scale in their own namespace"},
		{"no namespace", func(in *hpacouple.Input) { in.HPA.Namespace = "" }, true, "a manifest need not say it"},
		{"the workload says none", func(in *hpacouple.Input) { in.Workload.Namespace, in.HPA.Namespace = "", "stage" }, true, "nothing to compare"},
		{"another name", func(in *hpacouple.Input) { in.HPA.Spec.ScaleTargetRef.Name = "api" }, false, "another workload"},
		{"another kind", func(in *hpacouple.Input) { in.HPA.Spec.ScaleTargetRef.Kind = "StatefulSet" }, false, "another workload"},
		{"another group", func(in *hpacouple.Input) {
			in.Workload.APIVersion, in.HPA.Spec.ScaleTargetRef.APIVersion = "apps/v1", "example.com/v1"
		}, false, "another API"},
		{"another version", func(in *hpacouple.Input) {
			in.Workload.APIVersion, in.HPA.Spec.ScaleTargetRef.APIVersion = "apps/v1", "apps/v1beta1"
		}, true, "the same group"},
	} {
		_, errs := hpacouple.Plan(change(input(50, box{"app", "1", "", "700m", ""}), row.touch))
		require.Equal(t, row.ok, len(errs) == 0, "%s: %s: %v", row.name, row.why, errs)
	}
}

// TestMissingNames: who lacks a request is said by name, also where all that is there is 0.
func TestMissingNames(t *testing.T) {
	for _, row := range []struct {
		name string
		in   hpacouple.Input
		want []string
		why  string
	}{
		{"one lacks it", input(50, box{"a", "1", "", "", ""}, box{"b", "", "", "", ""}), []string{"b"}, "b"},
		{"all are 0", input(50, box{"a", "0", "", "", ""}, box{"b", "0", "", "", ""}), []string{"a", "b"}, "a sum of 0 divides nothing"},
		{"one is 0", input(50, box{"a", "1", "", "", ""}, box{"b", "0", "", "", ""}), nil, "0 is a request"},
	} {
		r, errs := hpacouple.Plan(row.in)
		require.Empty(t, errs)
		require.Equal(t, row.want, r.Missing, row.name+": "+row.why)
		require.Equal(t, row.want != nil, r.SkipReason == skipreason.MissingRequest, row.name)
	}
}

// TestFlagsThatNearlyHold: near misses of the flags that a plan raises.
func TestFlagsThatNearlyHold(t *testing.T) {
	podLevel := func(boxes ...box) hpacouple.Input {
		return change(input(50, boxes...), func(in *hpacouple.Input) {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: cpuList("4")}
		})
	}
	onlyMemory := func(in *hpacouple.Input) { in.Options.AutoPatch = []corev1.ResourceName{"memory"} }
	for _, row := range []struct {
		name string
		in   hpacouple.Input
		flag skipreason.RiskFlag
		want bool
		why  string
	}{
		{"pod-level, asked", podLevel(box{"app", "1", "", "700m", ""}), skipreason.FlagPodLevelRequests, true, "the request moves, the sum does not"},
		{"pod-level, nothing asked", podLevel(box{"app", "1", "", "", ""}), skipreason.FlagPodLevelRequests, false, "nothing was to move"},
		{"pod-level, the same asked", podLevel(box{"app", "1", "", "1000m", ""}), skipreason.FlagPodLevelRequests, false, "nothing was to move"},
		{"outside", input(95, box{"app", "1", "", "", ""}), skipreason.FlagTargetOutsideBounds, true, "95 is above 90"},
		{"at the bound", input(90, box{"app", "1", "", "", ""}), skipreason.FlagTargetOutsideBounds, false, "90 is inside"},
		{"outside, not in auto-patch", change(input(95, box{"app", "1", "", "", ""}), onlyMemory), skipreason.FlagTargetOutsideBounds, false, "nobody holds it against the bounds"},
		{"throttled", change(input(50, box{"app", "1", "", "700m", ""}), func(in *hpacouple.Input) { in.Recommendations[0].Throttled = true }), skipreason.FlagThrottled, true, "it was"},
		{"OOM-killed is not throttled", change(input(50, box{"app", "1", "", "700m", ""}), func(in *hpacouple.Input) { in.Recommendations[0].OOMKilled = true }), skipreason.FlagThrottled, false, "it was not"},
	} {
		r, errs := hpacouple.Plan(row.in)
		require.Empty(t, errs, row.name)
		require.Equal(t, row.want, slices.Contains(r.RiskFlags, row.flag), "%s: %s: %v", row.name, row.why, r.RiskFlags)
	}
}

// TestPolicyBoundsAndTheLiveTarget: a target that does not move is nobody's business, whatever the policy says.
func TestPolicyBoundsAndTheLiveTarget(t *testing.T) {
	in := input(95, box{"app", "1", "", "", ""})
	in.Pod.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("1Gi")
	in.Recommendations = []hpacouple.Recommendation{{Container: "app", Requests: memoryList("512Mi")}}
	for _, row := range []struct {
		to      string
		allowed bool
		why     string
	}{
		{"", true, "memory alone moves, 95 stays"},
		{"1020m", false, "to 93, above 85, although it comes nearer"},
	} {
		if row.to != "" {
			in.Recommendations[0].Requests["cpu"] = resource.MustParse(row.to)
		}
		r, errs := hpacouple.Plan(in)
		require.Empty(t, errs)
		require.Equal(t, hpacouple.Coordinate, r.Outcome)
		v, errs := hpacouple.Admit(r, hpacouple.Admission{Policy: policy(t, examplePolicy), MayPatchHPA: true, Live: hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA}})
		require.Empty(t, errs)
		require.Equal(t, row.allowed, v.Allowed, row.why)
	}
	for _, row := range []struct {
		least, most *int32
		ok          bool
		why         string
	}{
		{nil, nil, true, "both open"}, {ptrTo(1), nil, true, "the least"}, {ptrTo(0), nil, false, "0 is no target"}, {ptrTo(-1), nil, false, "negative"},
		{nil, ptrTo(1), true, "the least"}, {nil, ptrTo(0), false, "0 is no target"}, {ptrTo(60), ptrTo(60), true, "one target"}, {ptrTo(61), ptrTo(60), false, "crossed"},
	} {
		p := hpacouple.Policy{Spec: hpacouple.PolicySpec{HPA: &hpacouple.HPAPolicy{TargetBounds: &hpacouple.TargetBounds{MinUtilization: row.least, MaxUtilization: row.most}}}}
		require.Equal(t, row.ok, len(p.Validate()) == 0, row.why)
	}
}

func ptrTo(v int32) *int32 { return &v }

// TestAggregates: requests are given back only where the sum is a plain sum, before and after.
func TestAggregates(t *testing.T) {
	aggregate := func(target int32, init, initTo string, b box) hpacouple.Input {
		return change(input(target, b), func(in *hpacouple.Input) {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: memoryList("8Gi")}
			in.Pod.Spec.InitContainers = []corev1.Container{{Name: "step", Resources: corev1.ResourceRequirements{Requests: cpuList(init)}}}
			if initTo != "" {
				in.Recommendations = append(in.Recommendations, hpacouple.Recommendation{Container: "step", Requests: cpuList(initTo)})
			}
		})
	}
	for _, row := range []struct {
		name    string
		in      hpacouple.Input
		outcome hpacouple.Outcome
		cause   bounds.Cause
		sum     int64
		target  int32
		why     string
	}{
		{"the step is small", aggregate(50, "100m", "", box{"app", "1", "", "700m", ""}), hpacouple.Coordinate, "", 700, 71, "a plain sum"},
		{"the step decides", aggregate(50, "2", "", box{"app", "1", "", "700m", ""}), hpacouple.Coordinate, "", 2000, 50, "the sum stays, and so does the target"},
		{"a plain sum at the bound", aggregate(50, "100m", "", box{"app", "1", "", "200m", ""}), hpacouple.Coordinate, "", 556, 90, "given back as anywhere"},
		{"the step decides afterwards", aggregate(50, "300m", "", box{"app", "1", "", "200m", ""}), hpacouple.Skip, bounds.CauseInit, 1000, 50, "the settled sum is the step's 300m"},
		{"the step decided before", aggregate(50, "1100m", "100m", box{"app", "1", "", "200m", ""}), hpacouple.Skip, bounds.CauseInit, 1100, 50, "the present sum is the step's 1100m"},
		{"the step decides in between", aggregate(50, "100m", "1900m", box{"app", "1", "", "2", ""}), hpacouple.Skip, bounds.CauseInit, 1000, 50, "plain before and settled, but 1250m given back to would leave the step's 1900m"},
	} {
		r, errs := hpacouple.Plan(row.in)
		require.Empty(t, errs, row.name)
		require.Equal(t, metrics.BasisAggregate, r.Working.Basis)
		require.Equal(t, row.outcome, r.Outcome, row.name+": "+row.why)
		require.Equal(t, row.cause, r.Cause, row.name+": "+row.why)
		require.Equal(t, row.sum, r.Working.New, row.name+": "+row.why)
		require.Equal(t, row.target, r.Targets[0].To, row.name+": "+row.why)
	}
}
