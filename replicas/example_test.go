package replicas_test

import (
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
)

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// running are n pods that request one core each and have been ready for an hour.
func running(n int, usage int64) (pods []replicas.Pod) {
	for i := range n {
		pods = append(pods, replicas.Pod{Name: fmt.Sprint("web-", i), Phase: corev1.PodRunning, Ready: corev1.ConditionTrue,
			Started: noon.Add(-time.Hour), ReadyChanged: noon.Add(-time.Hour), Request: 1000,
			Sampled: true, Sample: replicas.Sample{Milli: usage, At: noon, Window: 30 * time.Second}})
	}
	return pods
}

// Four pods at 80 % of a 60 % target want 6.
func ExampleCalculator_Utilization() {
	spec := replicas.Spec{}
	r, err := spec.Calculator(4, 4, noon).Utilization("cpu", running(4, 800), nil, 60)
	fmt.Printf("%d %% / 60 %% = %.4f, x %d pods, up: %d (%s) %v\n", r.Utilization, r.Ratio, r.Pods.Ready, r.Replicas, r.Outcome, err)
	// Output: 80 % / 60 % = 1.3333, x 4 pods, up: 6 (computed) <nil>
}

// The status shows 107 % of 90 %, and nothing happens: two pods have no sample and count as 0.
func ExampleCalculator_Utilization_missing() {
	pods := running(9, 1070)
	pods[3].Sampled, pods[5].Sampled = false, false
	spec := replicas.Spec{}
	r, _ := spec.Calculator(9, 9, noon).Utilization("cpu", pods, nil, 90)
	fmt.Printf("status %d %%, ratio %.2f then %.2f, %d missing: %d (%s)\n", r.Utilization, r.FirstRatio, r.Ratio, r.Pods.Missing, r.Replicas, r.Outcome)
	// Output: status 107 %, ratio 1.19 then 0.92, 2 missing: 9 (within-tolerance)
}

func ExampleCalculator_Class() {
	pod := running(1, 2000)[0]
	pod.Ready, pod.Started, pod.ReadyChanged = corev1.ConditionFalse, noon.Add(-time.Minute), noon.Add(-time.Minute)
	spec := replicas.Spec{}
	c := spec.Calculator(1, 1, noon)
	fmt.Println(c.Class("cpu", pod))
	fmt.Println(c.Class("memory", pod))
	// Output:
	// unready initializing
	// ready sampled
}

// 90 messages at 30 per pod want 3 pods.
func ExampleCalculator_ExternalAverage() {
	spec := replicas.Spec{}
	r, _ := spec.Calculator(1, 1, noon).ExternalAverage([]int64{90_000}, 30_000)
	fmt.Println(r.Replicas, r.Milli)
	// Output: 3 90000
}

// One negative series looks like an overflow to the controller.
func ExampleCalculator_ExternalAverage_negative() {
	spec := replicas.Spec{}
	r, _ := spec.Calculator(1, 1, noon).ExternalAverage([]int64{-1000, 31_000}, 30_000)
	fmt.Println(r.Replicas, r.NegativeSum)
	// Output: 2147483647 true
}

func ExampleStep() {
	lowest := int32(1)
	spec := replicas.Spec{MinReplicas: &lowest, MaxReplicas: 10,
		Metrics: []replicas.Metric{{Type: autoscalingv2.ResourceMetricSourceType, Name: "cpu", Target: metrics.TargetUtilization, Utilization: 60}}}
	var state replicas.State
	count, now := int32(1), noon
	for range 3 {
		o := replicas.Observation{Replicas: count, StatusReplicas: count, Readings: []replicas.Reading{{Pods: running(int(count), 6000/int64(count))}}}
		var d replicas.Decision
		state, d = replicas.Step(spec, state, o, now)
		_, message := d.Event(spec, o)
		fmt.Printf("%d wants %d, gets %d %q\n  %s\n", d.Current, d.Proposal, d.Desired, d.LimitedBy, message)
		count, now = d.Replicas(), now.Add(replicas.DefaultStep)
	}
	// Output:
	// 1 wants 10, gets 4 "ScaleUpLimit"
	//   New size: 4; reason: cpu resource utilization (percentage of request) above target
	// 4 wants 10, gets 8 "ScaleUpLimit"
	//   New size: 8; reason: cpu resource utilization (percentage of request) above target
	// 8 wants 10, gets 10 ""
	//   New size: 10; reason: cpu resource utilization (percentage of request) above target
}

// A consumer that scales to zero, over an hour with one burst.
func ExampleReplay() {
	var hpa autoscalingv2.HorizontalPodAutoscaler
	if err := yaml.UnmarshalStrict([]byte(`
spec:
  minReplicas: 0
  maxReplicas: 10
  metrics:
    - type: External
      external: {metric: {name: queue_consumer_lag}, target: {type: AverageValue, averageValue: "30"}}
`), &hpa); err != nil {
		panic(err)
	}
	spec, errs := replicas.FromHPA(&hpa, replicas.Flags{})
	lag := make([]int64, 240)
	for i := range 8 {
		lag[120+i] = 300_000
	}
	h, err := replicas.Replay(replicas.Run{Spec: spec, Replicas: 1, Start: noon, Loads: []replicas.Load{{Total: lag}}})
	fmt.Println(errs, err)
	fmt.Printf("woken %d time, %d cold starts, %s at zero, %s at the maximum, %.2f pod-hours\n", h.Wakes, h.ColdStarts, h.AtZero, h.AtMax, h.PodHours())
	// Output:
	// [] <nil>
	// woken 1 time, 4 cold starts, 47m45s at zero, 6m30s at the maximum, 1.22 pod-hours
}

func ExampleObserve() {
	var hpa autoscalingv2.HorizontalPodAutoscaler
	hpa.Spec.MaxReplicas = 10 // without metrics: cpu 80 %
	pod := corev1.Pod{}
	pod.Name, pod.Labels = "web-0", map[string]string{"app": "web"}
	started := metav1.Time{Time: noon.Add(-time.Hour)}
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &started,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: started}}}
	pod.Spec.Containers = []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse("500m")}}}, {Name: "proxy"}}
	var c replicas.Cluster
	c.Scale.Spec.Replicas, c.Scale.Status.Replicas, c.Scale.Status.Selector = 1, 1, "app=web"
	c.Pods = []corev1.Pod{pod}
	c.Resource = []replicas.PodMetrics{{Containers: []replicas.ContainerMetrics{{Name: "app",
		Usage: corev1.ResourceList{"cpu": resource.MustParse("450m")}}}}}
	c.Resource[0].Name = "web-0"
	spec, _ := replicas.FromHPA(&hpa, replicas.Flags{})
	o := replicas.Observe(&hpa, c)
	_, d := replicas.Step(spec, replicas.State{}, o, noon)
	fmt.Println(d.Path)
	fmt.Println(d.Metrics[0].Error)
	fmt.Println(d.Message(spec, o, autoscalingv2.ScalingActive))
	// Output:
	// metrics-failed
	// missing request for cpu in container proxy of Pod web-0
	// the HPA was unable to compute the replica count: failed to get cpu utilization: missing request for cpu in container proxy of Pod web-0
}

func ExampleTolerance_Within() {
	t := replicas.Tolerance{Down: 0.1, Up: 0.1}
	fmt.Println(t.Within(55.0/50), t.Within(56.0/50))
	// Output: true false
}
