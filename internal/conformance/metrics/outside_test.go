package metrics_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/metrics"
)

// TestOutside: where the real arithmetic is not defined, or where no API server lets a pod come that far, the library answers
// with an error instead of a number. The random pods of the other tests stay inside.
func TestOutside(t *testing.T) {
	memory := func(amounts ...string) (out corev1.PodSpec) {
		for i, text := range amounts {
			out.Containers = append(out.Containers, corev1.Container{
				Name:      string(rune('a' + i)),
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(text)}},
			})
		}
		return out
	}
	podLevel := memory("1")
	podLevel.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("8Pi")}}
	podLevel.Overhead = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Pi")}

	for _, tt := range []struct {
		name  string
		spec  corev1.PodSpec
		milli int64 // the real controller's number
		why   string
	}{
		{"sum", memory("4Pi", "4Pi", "4Pi"), -4935945191598063616, "int64 wraps around, and usage is divided by a negative number"},
		{"amount", memory("16Pi"), -432345564227567616, "so do the thousandths of one amount"},
		{"negative", memory("-1", "5"), 4000, "no API server accepts it; it must not hide in a sum"},
		{"pod level", podLevel, -8313644912125935616, "here quantities are added, which does not wrap, but the thousandths of the sum do"},
	} {
		pod := &corev1.Pod{Spec: *tt.spec.DeepCopy()}
		require.Equal(t, answer{milli: tt.milli}, theirs(t, pod, corev1.ResourceMemory, ""), "%s: %s", tt.name, tt.why)
		_, err := metrics.Pod{Spec: &tt.spec}.Requests(corev1.ResourceMemory, "")
		var refused *field.Error
		require.ErrorAs(t, err, &refused, "%s: %s", tt.name, tt.why)
	}
}
