package hpacouple_test

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

func ExampleTarget() {
	target, ok := hpacouple.Target(50, 1000, 700) // 50 % of 1000m; 700m from now on
	fmt.Println(target, ok)
	// Output: 71 true
}

// The whole job in one call: a pod template, its HPA, and a recommendation.
func ExamplePlan() {
	template := &corev1.PodSpec{Containers: []corev1.Container{{
		Name:      "app",
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1000m")}},
	}}}
	target := int32(50)
	hpa := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		MaxReplicas:    10,
		Metrics: []autoscalingv2.MetricSpec{{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{
				Name:   "cpu",
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target},
			},
		}},
	}}
	plan, errs := hpacouple.Plan(hpacouple.Input{
		Workload: hpacouple.Workload{Kind: "Deployment", Name: "web"},
		Pod:      metrics.Pod{Spec: template},
		HPA:      hpa,
		Recommendations: []hpacouple.Recommendation{{
			Container: "app",
			Requests:  corev1.ResourceList{"cpu": resource.MustParse("700m")},
		}},
	})
	if len(errs) > 0 {
		fmt.Println(errs)
		return
	}
	cpu, entry := plan.Containers[0], plan.Targets[0]
	fmt.Println(plan.Outcome)
	fmt.Printf("%s: %s -> %s (%s)\n", cpu.Name, cpu.From, cpu.To, cpu.BoundBy.Sentence())
	fmt.Printf("target: %d -> %d (exactly %s)\n", entry.From, entry.To, entry.Exact)
	fmt.Println("flags:", plan.RiskFlags)
	// Output:
	// Coordinate
	// app: 1 -> 700m (as recommended)
	// target: 50 -> 71 (exactly 500/7)
	// flags: [hpa-coupled ownership-unknown target-uncomfortable]
}

func ExampleAdmit() {
	in := input(70, box{name: "app", request: "500m", limit: "1000m", to: "300m"})
	plan, _ := hpacouple.Plan(in) // 116.67 is above the hub's maximum: 389m at 90
	max := int32(85)
	verdict, _ := hpacouple.Admit(plan, hpacouple.Admission{
		Policy: hpacouple.Policy{Spec: hpacouple.PolicySpec{HPA: &hpacouple.HPAPolicy{
			Coordinate: true, TargetBounds: &hpacouple.TargetBounds{MaxUtilization: &max}}}},
		MayPatchHPA: true,
		Live:        hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA},
	})
	fmt.Println(verdict.Allowed, verdict.Reason, verdict.Cause)
	fmt.Println(verdict.Record[0].TargetFrom, "->", verdict.Record[0].TargetTo)
	// Output:
	// false HPACoupled policy-bounds
	// 70 -> 90
}

func ExampleObserve() {
	in := input(50, box{name: "app", request: "1000m"})
	before := hpacouple.Observe(in.Pod.Spec, in.HPA)
	in.Pod.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("1")
	fmt.Println(before.Same(hpacouple.Observe(in.Pod.Spec, in.HPA)))
	in.Pod.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("900m")
	fmt.Println(before.Same(hpacouple.Observe(in.Pod.Spec, in.HPA)))
	// Output:
	// true
	// false
}
