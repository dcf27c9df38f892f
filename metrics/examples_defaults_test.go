package metrics_test

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/metrics"
)

// A minimum of 0 was chosen by somebody; only a missing one is 1.
func ExampleMinReplicas() {
	zero := int32(0)
	fmt.Println(metrics.MinReplicas(&autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: &zero}))
	fmt.Println(metrics.MinReplicas(&autoscalingv2.HorizontalPodAutoscalerSpec{}))
	fmt.Println(metrics.MinReplicas(nil))
	// Output:
	// 0
	// 1
	// 1
}
