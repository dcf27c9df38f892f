package metrics_test

import (
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
)

// A container with a limit alone has the limit as its request once the pod is created; an ordinary init container does not count.
func ExamplePod_Requests() {
	pod := metrics.Pod{Spec: &corev1.PodSpec{
		Containers:     []corev1.Container{container("app", "500m", "1"), container("side", "", "250m")},
		InitContainers: []corev1.Container{container("migrate", "2", "")},
	}}
	sum, err := pod.Requests("cpu", "")
	fmt.Println(sum.Milli, sum.Basis, err)
	for _, t := range sum.Terms {
		fmt.Println(t.Name, t.Role, t.Request.Milli, t.Request.Source, t.Counted)
	}
	// Output:
	// 750 containers <nil>
	// app container 500 request true
	// side container 250 limit true
	// migrate init 2000 request false
}

func ExamplePod_Containers() {
	pod := metrics.Pod{
		Spec: &corev1.PodSpec{Containers: []corev1.Container{container("app", "500m", "")}},
		Live: &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{container("app", "1", ""), container("proxy", "100m", "")}}},
	}
	list, _ := pod.Containers("cpu")
	for _, c := range list {
		fmt.Println(c.Name, c.Request.Milli, c.Injected)
	}
	// Output:
	// app 500 false
	// proxy 100 true
}

func ExampleClassify() {
	for _, e := range metrics.Classify(&autoscalingv2.HorizontalPodAutoscalerSpec{}) { // no metrics: the API server's default
		fmt.Println(e.Type, e.Resource, e.Target, e.Utilization, e.Coupled())
	}
	// Output: Resource cpu Utilization 80 true
}

func ExampleDefault() {
	hpa := metrics.Default(&autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		Behavior: &autoscalingv2.HorizontalPodAutoscalerBehavior{}}})
	up := hpa.Spec.Behavior.ScaleUp
	fmt.Println(*hpa.Spec.MinReplicas, *up.StabilizationWindowSeconds, *up.SelectPolicy, len(up.Policies))
	// Output: 1 0 Max 2
}

func ExampleValidate() {
	for _, err := range metrics.Validate(&autoscalingv2.HorizontalPodAutoscaler{}) {
		fmt.Println(err)
	}
	// Output:
	// spec.maxReplicas: Required value: must be set and greater than 0
	// spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`
	// spec.scaleTargetRef.kind: Required value
	// spec.scaleTargetRef.name: Required value
	// spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group
}

func ExampleFromV1() {
	target := int32(50)
	v1 := &autoscalingv1.HorizontalPodAutoscaler{Spec: autoscalingv1.HorizontalPodAutoscalerSpec{TargetCPUUtilizationPercentage: &target}}
	v1.Annotations = map[string]string{"autoscaling.alpha.kubernetes.io/metrics": `[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]`}
	v2, err := metrics.FromV1(v1)
	for _, e := range metrics.Classify(&v2.Spec) {
		fmt.Println(e.Resource, e.Target, err)
	}
	// Output:
	// memory AverageValue <nil>
	// cpu Utilization <nil>
}
