package rightsize_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
)

// The cases below are public reports in which a plan and the HPA controller's answer to it both matter: ten pods of 1000m at 50 %, and the plan
// that makes 700m at 71 % of them.

func cpuHPA(target int32) *autoscalingv2.HorizontalPodAutoscaler {
	return &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			MaxReplicas:    100,
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
				Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}},
		},
	}
}

// planned is the target that goes from 1000m at 50 % to a new request.
func planned(t *testing.T, request string) int32 {
	t.Helper()
	spec := corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000m")}}}}}
	plan, errs := hpacouple.Plan(hpacouple.Input{
		Workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
		Pod:      metrics.Pod{Spec: &spec},
		HPA:      cpuHPA(50),
		Recommendations: []hpacouple.Recommendation{{Container: "app",
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(request)}}},
	})
	require.Empty(t, errs)
	require.Equal(t, hpacouple.Coordinate, plan.Outcome)
	require.Equal(t, request, plan.Containers[0].To.String())
	return plan.Targets[0].To
}

// pods is how many pods have a request and use an amount, in millicores.
type pods struct {
	count          int
	request, usage int64
}

// wanted is what the controller makes of running pods.
func wanted(t *testing.T, target int32, groups ...pods) int32 {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tolerance := 0.1
	spec, errs := replicas.FromHPA(cpuHPA(target), replicas.Flags{Tolerance: &tolerance})
	require.Empty(t, errs)
	c := replicas.Cluster{}
	c.Scale.Status.Selector = "app=web"
	for _, g := range groups {
		for range g.count {
			p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprintf("web-%d", len(c.Pods)), Labels: map[string]string{"app": "web"}}}
			p.Spec.Containers = []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(g.request, resource.DecimalSI)}}}}
			since := metav1.NewTime(now.Add(-time.Hour))
			p.Status.Phase, p.Status.StartTime = corev1.PodRunning, &since
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: since}}
			m := replicas.PodMetrics{Timestamp: metav1.NewTime(now), Window: metav1.Duration{Duration: 15 * time.Second},
				Containers: []replicas.ContainerMetrics{{Name: "app", Usage: corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(g.usage, resource.DecimalSI)}}}}
			m.Namespace, m.Name, m.Labels = p.Namespace, p.Name, p.Labels
			c.Pods, c.Resource = append(c.Pods, p), append(c.Resource, m)
		}
	}
	count := int32(len(c.Pods))
	c.Scale.Spec.Replicas, c.Scale.Status.Replicas = count, count
	_, d := replicas.Step(spec, replicas.State{}, replicas.Observe(cpuHPA(target), c), now)
	require.Equal(t, replicas.PathMetrics, d.Path)
	return d.Proposal
}

// TestHalvesOfAChange: B19 and B20. Requests and target live or die together, and while old and new pods are mixed even both together are not
// neutral.
func TestHalvesOfAChange(t *testing.T) {
	to := planned(t, "700m")
	require.Equal(t, int32(71), to)
	old, changed := pods{10, 1000, 500}, pods{10, 700, 500}
	half := []pods{{5, 1000, 500}, {5, 700, 500}}
	for _, row := range []struct {
		name   string
		target int32
		pods   []pods
		want   int32
		why    string
	}{
		{name: "B19 both stand", target: to, pods: []pods{changed}, want: 10, why: "500/700 is 71 %"},
		{name: "B19 GitOps puts the HPA back", target: 50, pods: []pods{changed}, want: 15, why: "15 instead of 10: 71 % of 50 % on ten pods"},
		{name: "B19 GitOps puts the requests back", target: to, pods: []pods{old}, want: 8, why: "50 % of 71 %"},
		{name: "B20 old", target: 50, pods: []pods{old}, want: 10},
		{name: "B20 requests only", target: 50, pods: []pods{changed}, want: 15, why: "the saving is gone"},
		{name: "B20 both", target: to, pods: []pods{changed}, want: 10},
		{name: "B20 half rolled out, new target", target: to, pods: half, want: 9, why: "5000/8500 is 58 %, of 71 %"},
		{name: "B20 half rolled out, old target", target: 50, pods: half, want: 12, why: "58 % of 50 %"},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, wanted(t, row.target, row.pods...), row.why)
		})
	}
}

// TestLimitsOfTheInvariant: B21. Whole percents move the edges of the tolerance: between them the counts differ, with the planned target upwards
// and with the next one downwards.
func TestLimitsOfTheInvariant(t *testing.T) {
	to := planned(t, "700m")
	for _, row := range []struct {
		usage                    int64
		before, after, nextAfter int32
		why                      string
	}{
		{usage: 449, before: 9, after: 10, nextAfter: 9, why: "44/50 is outside, 64/71 = 0.901 inside"},
		{usage: 450, before: 10, after: 10, nextAfter: 9, why: "64/72 = 0.889 is outside"},
		{usage: 555, before: 10, after: 12, nextAfter: 10, why: "55/50 = 1.10 is inside, 79/71 = 1.113 outside"},
		{usage: 560, before: 12, after: 12, nextAfter: 12, why: "outside by all"},
	} {
		t.Run(fmt.Sprintf("B21 %dm", row.usage), func(t *testing.T) {
			require.Equal(t, row.before, wanted(t, 50, pods{10, 1000, row.usage}), row.why)
			require.Equal(t, row.after, wanted(t, to, pods{10, 700, row.usage}), row.why)
			require.Equal(t, row.nextAfter, wanted(t, to+1, pods{10, 700, row.usage}), row.why)
		})
	}
}
