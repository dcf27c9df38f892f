// Package hpacouple compares what a plan says about a pod with the real Kubernetes code.
package hpacouple

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// class is the real class of the pod that a template becomes.
func class(spec *corev1.PodSpec) corev1.PodQOSClass {
	pod := &corev1.Pod{Spec: *spec.DeepCopy()}
	corev1defaults.SetObjectDefaults_Pod(pod)
	return qos.ComputePodQOS(pod)
}

// The flag qos-change is raised exactly where the real classes before and after differ.
func TestQoSChange(t *testing.T) {
	counts := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		amounts := rapid.SampledFrom([]string{"", "", "0", "1", "2", "3"})
		list := func(label string) corev1.ResourceList {
			out := corev1.ResourceList{}
			for _, name := range []corev1.ResourceName{"cpu", "memory"} {
				if text := amounts.Draw(t, label); text != "" {
					out[name] = resource.MustParse(text)
				}
			}
			return out
		}
		before := &corev1.PodSpec{}
		in := hpacouple.Input{Workload: hpacouple.Workload{Kind: "Deployment", Name: "web"}, Options: hpacouple.Options{Steps: corev1.ResourceList{"memory": resource.MustParse("1")}}}
		for i := range rapid.IntRange(1, 3).Draw(t, "containers") {
			c := corev1.Container{Name: fmt.Sprintf("c%d", i), Resources: corev1.ResourceRequirements{Requests: list("requests"), Limits: list("limits")}}
			rec := hpacouple.Recommendation{Container: c.Name, Requests: list("to"), Limits: list("toLimits")}
			for _, name := range []corev1.ResourceName{"cpu", "memory"} {
				if q := rec.Requests[name]; q.IsZero() {
					delete(rec.Requests, name)
				}
				if _, ok := rec.Limits[name]; !ok && rapid.IntRange(0, 3).Draw(t, "unset") == 0 {
					rec.UnsetLimits = append(rec.UnsetLimits, name)
				}
			}
			in.Recommendations = append(in.Recommendations, rec)
			if rapid.IntRange(0, 4).Draw(t, "init") == 0 {
				before.InitContainers = append(before.InitContainers, c)
			} else {
				before.Containers = append(before.Containers, c)
			}
		}
		in.Pod = metrics.Pod{Spec: before}
		plan, errs := hpacouple.Plan(in)
		if len(errs) > 0 {
			counts["refused"]++
			return
		}
		after := before.DeepCopy()
		for _, list := range [][]corev1.Container{after.Containers, after.InitContainers} {
			for i := range list {
				for _, c := range plan.Containers {
					if c.Name == list[i].Name {
						put(&list[i].Resources.Requests, c.Resource, c.To)
						put(&list[i].Resources.Limits, c.Resource, c.LimitTo)
					}
				}
			}
		}
		want := class(before) != class(after)
		require.Equal(t, want, slices.Contains(plan.RiskFlags, skipreason.FlagQoSChange), "%s to %s: %v", class(before), class(after), plan.Containers)
		counts[fmt.Sprintf("%s to %s", class(before), class(after))]++
	})
	t.Log(counts)
	require.Greater(t, len(counts), 3)
}

func put(list *corev1.ResourceList, name corev1.ResourceName, q *resource.Quantity) {
	if q == nil {
		delete(*list, name)
		return
	}
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[name] = *q
}
