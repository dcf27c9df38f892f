package replicas_test

import (
	"encoding/json"
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
)

// byCPU is an HPA of 2 to 10 replicas at 60 %.
func byCPU() replicas.Spec {
	least := int32(2)
	return replicas.Spec{MinReplicas: &least, MaxReplicas: 10, Metrics: []replicas.Metric{
		{Type: autoscalingv2.ResourceMetricSourceType, Name: "cpu", Target: metrics.TargetUtilization, Utilization: 60}}}
}

// What the controller writes into the HPA's status after a pass, in the order in which it sets it.
func ExampleConditions_Of() {
	spec := byCPU()
	o := replicas.Observation{Replicas: 4, StatusReplicas: 4, Readings: []replicas.Reading{{Pods: running(4, 100)}}}
	_, d := replicas.Step(spec, replicas.State{}, o, noon)
	for _, kind := range replicas.ConditionTypes() {
		c := d.Conditions.Of(kind)
		fmt.Printf("%s %v %q %q\n", kind, c.Present(), c.Status, c.Reason)
	}
	fmt.Println(d.Conditions.Of("Ready").Present(), spec.Min())
	// Output:
	// AbleToScale true "True" "ScaleDownStabilized"
	// ScalingActive true "True" "ValidMetricFound"
	// ScalingLimited true "False" "DesiredWithinRange"
	// ScaledToZero false "" ""
	// false 2
}

// One metric of two fails. The other wants more, so the pass scales up, and it is an error all the same.
func ExampleDecision_Failed() {
	spec := byCPU()
	spec.Metrics = append(spec.Metrics, replicas.Metric{Type: autoscalingv2.ExternalMetricSourceType, Name: "lag", Target: metrics.TargetAverageValue, Milli: 30_000})
	o := replicas.Observation{Replicas: 4, StatusReplicas: 4, Readings: []replicas.Reading{
		{Pods: running(4, 800)},
		{Error: &replicas.MetricError{Failure: replicas.FailureUnavailable, Detail: "the adapter is away"}}}}
	_, d := replicas.Step(spec, replicas.State{}, o, noon)
	fmt.Println(d.Replicas(), d.Failed(), d.Path)
	fmt.Println(d.ErrorText(spec, o))

	o.Readings[0].Pods = running(4, 100) // would scale down: nobody knows what the other one wants, so nothing is done
	_, d = replicas.Step(spec, replicas.State{}, o, noon)
	fmt.Println(d.Replicas(), d.Failed(), d.Path)
	// Output:
	// 6 true metrics
	// invalid metrics (1 invalid out of 2), first error is: failed to get lag external metric value: failed to get lag external metric: unable to get external metric /lag/nil: the adapter is away
	// 4 true metrics-failed
}

// The scale could not be written: what was asked for is not what there is.
func ExampleDecision_Replicas() {
	o := replicas.Observation{Replicas: 4, StatusReplicas: 4, Readings: []replicas.Reading{{Pods: running(4, 800)}}, UpdateError: "quota"}
	_, d := replicas.Step(byCPU(), replicas.State{}, o, noon)
	reason, message := d.Event(byCPU(), o)
	fmt.Println(d.Desired, d.Replicas(), d.Refused)
	fmt.Println(reason, message)
	// Output:
	// 6 4 true
	// FailedRescale New size: 6; reason: cpu resource utilization (percentage of request) above target; error: quota
}

// A controller that was restarted knows what the status holds, and not what it recommended before: its downscale window of five minutes begins
// anew, and the pods that nobody needs stay longer.
func ExampleFromStatus() {
	spec := byCPU()
	load := func(usage int64) replicas.Observation {
		return replicas.Observation{Replicas: 8, StatusReplicas: 8, Readings: []replicas.Reading{{Pods: running(8, usage)}}}
	}
	high := noon.Add(-time.Minute)
	kept, _ := replicas.Step(spec, replicas.State{}, load(600), high)
	restarted := replicas.FromStatus(autoscalingv2.HorizontalPodAutoscalerStatus{CurrentReplicas: 8, DesiredReplicas: 8,
		Conditions: []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.AbleToScale, Status: "True", LastTransitionTime: metav1.NewTime(high)}}})
	fmt.Println(len(kept.Recommendations), len(restarted.Recommendations), restarted.Conditions.AbleToScale.Status)
	for _, now := range []time.Time{noon, noon.Add(270 * time.Second)} {
		var one, other replicas.Decision
		kept, one = replicas.Step(spec, kept, load(100), now)
		restarted, other = replicas.Step(spec, restarted, load(100), now)
		fmt.Println(now.Format(time.TimeOnly), one.Replicas(), other.Replicas())
	}
	// Output:
	// 2 0 True
	// 12:00:00 8 8
	// 12:04:30 2 8
}

// The words are closed lists: one that is not known is refused, and not kept for later.
func ExamplePath() {
	var d struct{ Path replicas.Path }
	fmt.Println(json.Unmarshal([]byte(`{"Path": "paused"}`), &d), d.Path)
	fmt.Println(json.Unmarshal([]byte(`{"Path": "stopped"}`), &d) != nil, d.Path)
	// Output:
	// <nil> paused
	// true paused
}
