package hpacouple_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

// pod describes containers in one line each: name, request and limit of cpu.
type box struct{ name, request, limit, to, toLimit string }

func cpuList(text string) corev1.ResourceList {
	if text == "" {
		return nil
	}
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(text)}
}

func input(target int32, boxes ...box) hpacouple.Input {
	in := hpacouple.Input{Workload: hpacouple.Workload{Kind: "Deployment", Name: "web", Namespace: "default"}}
	spec := &corev1.PodSpec{}
	for _, b := range boxes {
		spec.Containers = append(spec.Containers, corev1.Container{Name: b.name, Resources: corev1.ResourceRequirements{Requests: cpuList(b.request), Limits: cpuList(b.limit)}})
		if b.to != "" || b.toLimit != "" {
			in.Recommendations = append(in.Recommendations, hpacouple.Recommendation{Container: b.name, Requests: cpuList(b.to), Limits: cpuList(b.toLimit)})
		}
	}
	in.Pod = metrics.Pod{Spec: spec}
	in.HPA = hpa(utilization("cpu", target))
	return in
}

func utilization(name corev1.ResourceName, target int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: name, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}
}

func hpa(entries ...autoscalingv2.MetricSpec) *autoscalingv2.HorizontalPodAutoscaler {
	h := &autoscalingv2.HorizontalPodAutoscaler{}
	h.Name, h.Namespace = "web", "default"
	h.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	h.Spec.MaxReplicas = 10
	h.Spec.Metrics = entries
	return h
}

func TestNumbers(t *testing.T) {
	for _, row := range []struct {
		name    string
		in      hpacouple.Input
		bounds  [2]int32
		outcome hpacouple.Outcome
		to      []string
		target  int32
		why     string
	}{
		{name: "worked example", in: input(50, box{"app", "1000m", "", "700m", ""}), outcome: hpacouple.Coordinate, to: []string{"700m"}, target: 71, why: "71.43"},
		{name: "B01", in: input(70, box{"app", "500m", "1000m", "300m", ""}), outcome: hpacouple.Coordinate, to: []string{"389m"}, target: 90, why: "116.67 is outside"},
		{name: "B02", in: input(80, box{"app", "200m", "", "400m", ""}), outcome: hpacouple.Coordinate, to: []string{"400m"}, target: 40, why: "exactly the minimum"},
		{name: "B02 again", in: input(40, box{"app", "400m", "", "800m", ""}), outcome: hpacouple.NoChange, to: []string{"400m"}, target: 40, why: "20 is outside, the whole raise is given back"},
		{name: "B04", in: input(80, box{"app", "500m", "500m", "200m", "200m"}), outcome: hpacouple.Skip, to: []string{"500m"}, target: 80, why: "the limit leaves no room"},
		{name: "B06", in: input(60, box{"app", "200m", "200m", "500m", ""}), outcome: hpacouple.NoChange, to: []string{"200m"}, target: 60, why: "an unmanaged limit caps"},
		{name: "tie", in: input(50, box{"app", "1000m", "", "700m", ""}, box{"side", "500m", "", "", ""}), outcome: hpacouple.Coordinate, to: []string{"700m", "500m"}, target: 62, why: "62.5 goes down"},
		{name: "two containers to the bound", in: input(50, box{"app", "1000m", "", "200m", ""}, box{"side", "500m", "", "", ""}), outcome: hpacouple.Coordinate, to: []string{"334m", "500m"}, target: 90, why: "not 556m"},
		{name: "12m", in: input(80, box{"app", "12m", "", "5m", ""}), outcome: hpacouple.Coordinate, to: []string{"11m"}, target: 90, why: "small requests"},
		{name: "10m", in: input(89, box{"app", "10m", "", "5m", ""}), outcome: hpacouple.NoChange, to: []string{"10m"}, target: 89, why: "all given back, the target stays"},
		{name: "limit shares", in: input(50, box{"app", "1000m", "", "200m", "200m"}, box{"side", "1000m", "", "200m", ""}), outcome: hpacouple.Coordinate, to: []string{"200m", "912m"}, target: 90, why: "the first may not pass its limit"},
		{name: "398m", in: input(31, box{"app", "398m", "", "1m", ""}), outcome: hpacouple.Coordinate, to: []string{"138m"}, target: 90, why: "from below the bounds to the top"},
		{name: "398m again", in: input(90, box{"app", "138m", "", "1m", ""}), outcome: hpacouple.NoChange, to: []string{"138m"}, target: 90, why: "H8"},
		{name: "340m kind", in: input(60, box{"app", "500m", "", "340m", ""}), outcome: hpacouple.Coordinate, to: []string{"340m"}, target: 88, why: "88.24"},
		{name: "B25 600m", in: input(500, box{"app", "100m", "1000m", "600m", ""}), outcome: hpacouple.Coordinate, to: []string{"600m"}, target: 83, why: "inside"},
		{name: "B25 400m", in: input(500, box{"app", "100m", "1000m", "400m", ""}), outcome: hpacouple.Coordinate, to: []string{"400m"}, target: 125, why: "towards the bounds"},
		{name: "B23", in: input(50, box{"app", "1000m", "", "575m", ""}), outcome: hpacouple.Coordinate, to: []string{"575m"}, target: 87, why: "86.96"},
		{name: "300 cores", in: input(80, box{"app", "300", "", "300m", ""}), outcome: hpacouple.Coordinate, to: []string{"266667m"}, target: 90, why: "large and small"},
		{name: "reach", in: input(80, box{"app", "1000m", "2000m", "500m", "800m"}), bounds: [2]int32{40, 150}, outcome: hpacouple.Skip, to: []string{"1"}, target: 80, why: "534m at 150: trigger 166, ceiling 149"},
		{name: "250m at 300", in: input(300, box{"app", "250m", "1000m", "500m", ""}), outcome: hpacouple.Coordinate, to: []string{"500m"}, target: 150, why: "towards the bounds, flagged"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.in.Options.MinUtilization, row.in.Options.MaxUtilization = row.bounds[0], row.bounds[1]
			r, errs := hpacouple.Plan(row.in)
			require.Empty(t, errs, row.why)
			require.Equal(t, row.outcome, r.Outcome, row.why)
			require.Len(t, r.Targets, 1)
			require.Equal(t, row.target, r.Targets[0].To, row.why)
			require.Len(t, r.Containers, len(row.to))
			for i, want := range row.to {
				require.Equal(t, want, r.Containers[i].To.String(), row.why)
			}
		})
	}
}
