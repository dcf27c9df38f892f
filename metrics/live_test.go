package metrics_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/metrics"
)

// TestInjectedInitContainers: where a sidecar stands among the init containers decides what runs beside the largest init step.
func TestInjectedInitContainers(t *testing.T) {
	step, proxy := container("step", "300m", ""), sidecar("proxy", "100m", "")
	for _, row := range []struct {
		name           string
		template, live []corev1.Container
		want           int64
		order          []string
		why            string
	}{
		{"in front", []corev1.Container{step}, []corev1.Container{proxy, step}, 400, []string{"app", "proxy", "step"}, "the proxy runs while the step runs"},
		{"behind", []corev1.Container{step}, []corev1.Container{step, proxy}, 300, []string{"app", "step", "proxy"}, "the step is over when the proxy starts"},
		{"between", []corev1.Container{container("first", "300m", ""), container("last", "250m", "")},
			[]corev1.Container{container("first", "1m", ""), proxy, container("last", "1m", "")}, 350, []string{"app", "first", "proxy", "last"},
			"beside the last step only"},
		{"nothing to see", []corev1.Container{step}, []corev1.Container{proxy}, 300, []string{"app", "step", "proxy"},
			"an older pod without the step does not show the order"},
		{"template reordered", []corev1.Container{container("a", "1m", ""), container("b", "300m", "")},
			[]corev1.Container{container("b", "1m", ""), proxy, container("a", "1m", "")}, 400, []string{"app", "proxy", "a", "b"}, "the template's order wins"},
		{"named like a container", []corev1.Container{step}, []corev1.Container{sidecar("app", "1m", ""), step}, 300, []string{"app", "step"},
			"the template has that name already"},
		{"named like a container, behind", []corev1.Container{step}, []corev1.Container{step, sidecar("app", "1m", "")}, 300, []string{"app", "step"},
			"the template has that name already"},
		{"named like a step, behind", []corev1.Container{container("a", "300m", ""), container("b", "1m", "")}, []corev1.Container{container("b", "1m", ""), container("a", "1m", ""), container("b", "1m", "")},
			300, []string{"app", "a", "b"}, "a name that stands twice in the live pod is no injected container"},
		{"twice", []corev1.Container{step, step}, []corev1.Container{proxy, step, step}, 400, []string{"app", "proxy", "step", "step"}, "no name is added twice"},
	} {
		t.Run(row.name, func(t *testing.T) {
			pod := metrics.Pod{
				Spec: &corev1.PodSpec{
					Containers:     []corev1.Container{container("app", "50m", "")},
					InitContainers: row.template,
					Resources:      &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}},
				},
				Live: &corev1.Pod{Spec: corev1.PodSpec{InitContainers: row.live}},
			}
			sum, err := pod.Requests(corev1.ResourceCPU, "")
			require.NoError(t, err)
			require.Equal(t, metrics.BasisAggregate, sum.Basis)
			require.Equal(t, row.want, sum.Milli, row.why)
			var order []string
			for _, term := range sum.Terms {
				order = append(order, term.Name)
			}
			require.Equal(t, row.order, order, row.why)
		})
	}
}

// TestHugePagesOfThePod: the API server makes the pod's request of its limit, although the containers request less.
func TestHugePagesOfThePod(t *testing.T) {
	const pages = corev1.ResourceName(corev1.ResourceHugePagesPrefix + "2Mi")
	list := func(text string) corev1.ResourceList { return corev1.ResourceList{pages: resource.MustParse(text)} }
	for _, row := range []struct {
		name  string
		own   corev1.ResourceRequirements
		want  int64
		basis metrics.Basis
	}{
		{"pod-level limit", corev1.ResourceRequirements{Limits: list("1Gi")}, 1 << 30 * 1000, metrics.BasisPodLevel},
		{"pod-level request", corev1.ResourceRequirements{Requests: list("1Mi"), Limits: list("1Gi")}, 1 << 20 * 1000, metrics.BasisPodLevel},
		{"another pod-level request", corev1.ResourceRequirements{Requests: cpu("1")}, 2 << 20 * 1000, metrics.BasisAggregate},
	} {
		spec := &corev1.PodSpec{
			Containers: []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{Limits: list("2Mi")}}},
			Resources:  &row.own,
		}
		sum, err := metrics.Pod{Spec: spec}.Requests(pages, "")
		require.NoError(t, err, row.name)
		require.Equal(t, row.want, sum.Milli, row.name)
		require.Equal(t, row.basis, sum.Basis, row.name)
	}
}
