package replicas_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/replicas"
)

// A raw target does not look at requests: 80 % of a core at 60 % of one is 800m at 600m. The mean is truncated to a thousandth, and the pods
// pay: 600.75m are 600m, which is the target.
func ExampleCalculator_ResourceAverage() {
	spec := replicas.Spec{}
	c := spec.Calculator(4, 4, noon)
	r, _ := c.ResourceAverage("cpu", running(4, 800), nil, 600)
	fmt.Println(r.Replicas, r.Milli, r.Outcome)

	pods := running(4, 600)
	pods[0].Sample.Milli = 603
	r, _ = c.ResourceAverage("cpu", pods, nil, 600)
	fmt.Println(r.Replicas, r.Milli, r.Ratio == 1, r.Outcome)
	// Output:
	// 6 800 computed
	// 4 600 true within-tolerance
}

// Two pods that are not ready: a cpu metric does not trust their samples, a Pods metric counts them.
func ExampleCalculator_PodsAverage() {
	pods := running(4, 900)
	for i := range 2 {
		pods[i].Ready, pods[i].Started, pods[i].ReadyChanged = corev1.ConditionFalse, noon.Add(-time.Minute), noon.Add(-time.Minute)
	}
	spec := replicas.Spec{}
	c := spec.Calculator(4, 4, noon)
	byCPU, _ := c.ResourceAverage("cpu", pods, nil, 600)
	byQueue, _ := c.PodsAverage(pods, nil, 600)
	fmt.Println(byCPU.Replicas, byCPU.Outcome, byCPU.Pods.Unready)
	fmt.Println(byQueue.Replicas, byQueue.Outcome, byQueue.Pods.Unready)
	// Output:
	// 4 reversed 2
	// 6 computed 0
}

// One value for all pods: it is the ready ones that are multiplied. Where none is ready the proposal is 0, whatever the load.
func ExampleCalculator_ObjectValue() {
	spec := replicas.Spec{}
	c := spec.Calculator(4, 4, noon)
	pods := running(4, 0)
	r, _ := c.ObjectValue(90_000, pods, 60_000)
	fmt.Println(r.Replicas, r.Pods.Ready)
	for i := range pods {
		pods[i].Ready = corev1.ConditionFalse
	}
	r, _ = c.ObjectValue(90_000, pods, 60_000)
	fmt.Println(r.Replicas, r.Pods.Ready)
	// Output:
	// 6 4
	// 0 0
}

// The value is shared by the pods that status counts. From zero there is no average to show, and still a proposal: the workload wakes.
func ExampleCalculator_ObjectAverage() {
	spec := replicas.Spec{}
	r, _ := spec.Calculator(4, 4, noon).ObjectAverage(300_000, 60_000)
	fmt.Println(r.Replicas, r.Milli, r.Unbounded)
	r, _ = spec.Calculator(0, 0, noon).ObjectAverage(300_000, 60_000)
	fmt.Println(r.Replicas, r.NoAverage, r.Unbounded)
	// Output:
	// 5 75000 false
	// 5 true true
}

// An External metric is the sum of its series; no series is a failure and not a load of zero.
func ExampleCalculator_ExternalValue() {
	spec := replicas.Spec{}
	c := spec.Calculator(2, 2, noon)
	r, _ := c.ExternalValue([]int64{50_000, 40_000}, running(2, 0), 60_000)
	fmt.Println(r.Replicas, r.Total, r.OutOfRange.Any())
	_, err := c.ExternalValue(nil, running(2, 0), 60_000)
	fmt.Println(err)
	_, err = c.ExternalValue([]int64{90_000}, running(2, 0), 0)
	fmt.Println(err)
	// Output:
	// 3 90000 false
	// no metrics returned
	// metric failed: no-target
}

// Where the controller's own arithmetic leaves its range the right number is given, saturated, and the fact with it.
func ExampleOutOfRange_Any() {
	spec := replicas.Spec{}
	right, _ := spec.Calculator(0, 1, noon).ObjectAverage(1<<62, 1)
	spec.ReproduceOverflow = true
	upstream, _ := spec.Calculator(0, 1, noon).ObjectAverage(1<<62, 1)
	fmt.Println(right.Replicas, right.OutOfRange.Any())
	fmt.Println(upstream.Replicas, upstream.OutOfRange.Replicas)
	// Output:
	// 2147483647 true
	// -2147483648 true
}
