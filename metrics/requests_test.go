package metrics_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/metrics"
)

func cpu(text string) corev1.ResourceList {
	if text == "" {
		return nil
	}
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(text)}
}

func container(name, request, limit string) corev1.Container {
	return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: cpu(request), Limits: cpu(limit)}}
}

func sidecar(name, request, limit string) corev1.Container {
	c := container(name, request, limit)
	always := corev1.ContainerRestartPolicyAlways
	c.RestartPolicy = &always
	return c
}

func TestRequests(t *testing.T) {
	app, proxy := container("app", "500m", ""), container("proxy", "100m", "")
	podLevel := func(requests, limits corev1.ResourceList) *corev1.ResourceRequirements {
		return &corev1.ResourceRequirements{Requests: requests, Limits: limits}
	}
	memory := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
	ranges := func(name string, item corev1.LimitRangeItem) corev1.LimitRange {
		item.Type = corev1.LimitTypeContainer
		r := corev1.LimitRange{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}}
		r.Name = name
		return r
	}
	for _, row := range []struct {
		name      string
		pod       metrics.Pod
		container string
		want      int64
		basis     metrics.Basis
		err       string
		why       string
	}{
		{name: "two containers", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{app, proxy}}}, want: 600, basis: metrics.BasisContainers, why: "the sum over containers"},
		{name: "ordinary init container", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{app}, InitContainers: []corev1.Container{container("migrate", "", "")}}}, want: 500, basis: metrics.BasisContainers, why: "A11: neither summed nor required"},
		{name: "sidecar", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{app}, InitContainers: []corev1.Container{sidecar("proxy", "500m", "")}}}, want: 1000, basis: metrics.BasisContainers, why: "A11: restartable init containers count"},
		{name: "sidecar without request", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{app}, InitContainers: []corev1.Container{sidecar("proxy", "", "")}}}, basis: metrics.BasisContainers, err: "missing request for cpu in container proxy", why: "A11"},
		{name: "missing", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", "", ""), app, container("b", "", "")}}}, basis: metrics.BasisContainers, err: "missing request for cpu in container a, b", why: "A07: one is enough, all are named"},
		{name: "zero request", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", "0", ""), app}}}, want: 500, basis: metrics.BasisContainers, why: "a request of 0 is a request"},
		{name: "limit stands in", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", "", "512m"), container("b", "", "512m")}}}, want: 1024, basis: metrics.BasisContainers, why: "A09: the API server copies limits into missing requests of pods"},
		{name: "limit range", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{app, container("b", "", "")}}, LimitRanges: []corev1.LimitRange{
			ranges("z", corev1.LimitRangeItem{DefaultRequest: cpu("1")}), ranges("a", corev1.LimitRangeItem{DefaultRequest: cpu("250m"), Default: cpu("1")})}}, want: 750, basis: metrics.BasisContainers, why: "the first by name"},
		{name: "limit range max alone", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("b", "", "")}}, LimitRanges: []corev1.LimitRange{
			ranges("a", corev1.LimitRangeItem{Max: cpu("2"), Min: cpu("100m")})}}, want: 2000, basis: metrics.BasisContainers, why: "max becomes default, default becomes defaultRequest, before min does"},
		{name: "injected", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{app}}, Live: &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{container("app", "9", ""), proxy}, InitContainers: []corev1.Container{sidecar("mesh", "50m", "")}}}}, want: 650, basis: metrics.BasisContainers, why: "B12: the live pod adds, the template wins"},
		{name: "one container", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("other", "", ""), app}}}, container: "app", want: 500, basis: metrics.BasisContainer, why: "others may lack requests"},
		{name: "one sidecar", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{app}, InitContainers: []corev1.Container{sidecar("proxy", "70m", "")}}}, container: "proxy", want: 70, basis: metrics.BasisContainer, why: "sidecars can be named"},
		{name: "one init container", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{app}, InitContainers: []corev1.Container{container("migrate", "1", "")}}}, container: "migrate", basis: metrics.BasisContainer, err: "container migrate not found in the pod", why: "ordinary init containers cannot be named"},
		{name: "pod level", pod: metrics.Pod{Spec: &corev1.PodSpec{Resources: podLevel(cpu("1"), nil), Overhead: cpu("250m"), Containers: []corev1.Container{container("app", "", "")}}}, want: 1250, basis: metrics.BasisPodLevel, why: "A12, A13: overhead is added"},
		{name: "pod level names memory", pod: metrics.Pod{Spec: &corev1.PodSpec{Resources: podLevel(memory, nil), Containers: []corev1.Container{app, container("b", "", "")}, InitContainers: []corev1.Container{container("migrate", "2", "")}}}, want: 2000, basis: metrics.BasisAggregate, why: "the scheduler's aggregate, where init containers count as a maximum"},
		{name: "sidecars before init", pod: metrics.Pod{Spec: &corev1.PodSpec{Resources: podLevel(memory, nil), Containers: []corev1.Container{app}, InitContainers: []corev1.Container{sidecar("s", "300m", ""), container("migrate", "400m", "")}}}, want: 800, basis: metrics.BasisAggregate, why: "max(500+300, 300+400)"},
		{name: "pod level limit alone", pod: metrics.Pod{Spec: &corev1.PodSpec{Resources: podLevel(nil, cpu("3")), Overhead: cpu("1"), Containers: []corev1.Container{container("app", "", "")}}}, want: 4000, basis: metrics.BasisPodLevel, why: "the API server makes the request from the limit"},
		{name: "pod level limit and container", pod: metrics.Pod{Spec: &corev1.PodSpec{Resources: podLevel(nil, cpu("3")), Containers: []corev1.Container{app}}}, want: 500, basis: metrics.BasisAggregate, why: "containers' requests come before the pod-level limit"},
		{name: "pod level, resource nowhere", pod: metrics.Pod{Spec: &corev1.PodSpec{Resources: podLevel(memory, nil), Containers: []corev1.Container{container("app", "", "")}}}, basis: metrics.BasisPodLevel, err: "missing pod-level request for cpu", why: "no request at all"},
		{name: "overhead does not count without pod level", pod: metrics.Pod{Spec: &corev1.PodSpec{Overhead: cpu("250m"), Containers: []corev1.Container{app}}}, want: 500, basis: metrics.BasisContainers, why: "A13: container-level requests, any version"},
		{name: "rounded up before the sum", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", "1n", ""), container("b", "1n", "")}}}, want: 2, basis: metrics.BasisContainers, why: "each amount is rounded up to a milli"},
		{name: "negative", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", "-1", "")}}}, basis: metrics.BasisContainers, err: `template.spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must not be negative`, why: "D06"},
		{name: "overflow of the sum", pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", "9223372036854775", ""), container("b", "1", "")}}}, basis: metrics.BasisContainers, err: `template.spec: Invalid value: "cpu": the request sum must be below 9223372036854775.808, so that its thousandths fit in 64 bits`, why: "each fits, the sum does not"},
		{name: "nothing", pod: metrics.Pod{}, want: 0, basis: metrics.BasisContainers, why: "no panic"},
	} {
		t.Run(row.name, func(t *testing.T) {
			sum, err := row.pod.Requests(corev1.ResourceCPU, row.container)
			if row.err != "" {
				require.EqualError(t, err, row.err, row.why)
				return
			}
			require.NoError(t, err, row.why)
			require.Equal(t, row.want, sum.Milli, row.why)
			require.Equal(t, row.basis, sum.Basis, row.why)
			same, ok := sum.With(nil)
			require.True(t, ok)
			require.Equal(t, sum.Milli, same)
		})
	}
}

// Of a named container that has no request, it alone counts, wherever it stands.
func TestNamedContainerCountsAlone(t *testing.T) {
	app, other := container("app", "", ""), container("other", "500m", "")
	for _, order := range [][]corev1.Container{{app, other}, {other, app}} {
		sum, err := metrics.Pod{Spec: &corev1.PodSpec{Containers: order}}.Requests(corev1.ResourceCPU, "app")
		require.EqualError(t, err, "missing request for cpu in container app")
		for _, term := range sum.Terms {
			require.Equal(t, term.Name == "app", term.Counted, "%s, order must not matter", term.Name)
		}
	}
}
