package metrics_test

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/metrics"
)

// No amount and an amount of zero are two things: the second stops the HPA from computing anything only where the whole sum is zero.
func ExampleAmount_Quantity() {
	none := metrics.Amount{}
	zero := metrics.Amount{Source: metrics.SourceRequest, Format: resource.DecimalSI}
	core := metrics.Amount{Milli: 1500, Source: metrics.SourceRequest, Format: resource.DecimalSI}
	memory := metrics.Amount{Milli: 512 << 20 * 1000, Source: metrics.SourceLimit, Format: resource.BinarySI}
	fmt.Println(none.Present(), none.Quantity())
	fmt.Println(zero.Present(), zero.Quantity())
	fmt.Println(core.Quantity(), memory.Quantity())
	// Output:
	// false <nil>
	// true 0
	// 1500m 512Mi
}

// What a container gets that says nothing: the LimitRange's default, and its max where there is no default.
func ExamplePod_Defaults() {
	pod := metrics.Pod{
		Spec: &corev1.PodSpec{Containers: []corev1.Container{container("app", "", "")}},
		LimitRanges: []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypeContainer,
			Max:  corev1.ResourceList{"cpu": resource.MustParse("2")},
		}}}}},
	}
	request, limit, _ := pod.Defaults("cpu")
	fmt.Println(request.Quantity(), limit.Quantity(), request.Source)
	list, _ := pod.Containers("cpu")
	fmt.Println(list[0].Request.Quantity(), list[0].Request.Source)
	// Output:
	// 2 2 limit-range
	// 2 limit-range
}

// The pod's own request replaces the containers' altogether: their requests are then no part of what the HPA divides by.
func ExamplePod_PodLevel() {
	pod := metrics.Pod{Spec: &corev1.PodSpec{
		Containers: []corev1.Container{container("app", "500m", ""), container("side", "250m", "")},
		Resources:  &corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}},
	}}
	request, limit, _ := pod.PodLevel("cpu")
	sum, _ := pod.Requests("cpu", "")
	fmt.Println(request.Quantity(), limit.Present())
	fmt.Println(sum.Milli, sum.Basis, sum.Terms[0].Counted)
	// Output:
	// 1 false
	// 1000 pod-level false
}

// One list of containers answers for the pod and for one container of it.
func ExamplePod_RequestsOf() {
	pod := metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("app", "500m", ""), container("proxy", "", "")}}}
	list, _ := pod.Containers("cpu")
	one, err := pod.RequestsOf(list, "cpu", "app")
	fmt.Println(one.Milli, one.Basis, err)
	_, err = pod.RequestsOf(list, "cpu", "")
	var missing *metrics.MissingRequestError
	fmt.Println(errors.As(err, &missing), err)
	// Output:
	// 500 container <nil>
	// true missing request for cpu in container proxy
}

// What the sum would be with other requests; a request of less than nothing has no sum.
func ExampleSum_With() {
	pod := metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("app", "1", ""), container("side", "500m", "")}}}
	sum, _ := pod.Requests("cpu", "")
	fmt.Println(sum.With(nil))
	fmt.Println(sum.With(func(i int) int64 { return []int64{700, sum.Terms[1].Request.Milli}[i] }))
	_, ok := sum.With(func(int) int64 { return -1 })
	fmt.Println(ok)
	// Output:
	// 1500 true
	// 1200 true
	// false
}
