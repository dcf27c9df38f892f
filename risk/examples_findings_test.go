package risk_test

import (
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// Findings of several workloads become one list, in the order in which each of them was listed: by flag first.
func ExampleCompare() {
	hpa := func(name string) risk.Object { return risk.Object{Kind: "HorizontalPodAutoscaler", Name: name} }
	all := []risk.Finding{
		{Flag: skipreason.FlagSingleReplica, Object: hpa("a")},
		{Flag: skipreason.FlagHPACoupled, Object: hpa("b")},
		{Flag: skipreason.FlagHPACoupled, Object: hpa("a")},
	}
	slices.SortFunc(all, risk.Compare)
	for _, f := range all {
		fmt.Println(f.Flag, f.Object.Name)
	}
	// Output:
	// hpa-coupled a
	// hpa-coupled b
	// single-replica a
}

// The HPA's own tolerance goes before the cluster's. At 0.25 a target of 80 scales out only when the requests are used up.
func ExampleScaleUpTolerance() {
	cluster, own := resource.MustParse("50m"), resource.MustParse("250m")
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	fmt.Println(risk.ScaleUpTolerance(hpa, nil), risk.ScaleUpTolerance(hpa, &cluster))
	hpa.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{Tolerance: &own}}
	tolerance := risk.ScaleUpTolerance(hpa, &cluster)
	fmt.Println(tolerance, risk.Saturates(80, tolerance))
	// Output:
	// 0.1 0.05
	// 0.25 true
}
