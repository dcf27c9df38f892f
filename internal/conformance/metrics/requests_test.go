package metrics_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
)

// ours is the library's answer.
func ours(t fataler, pod metrics.Pod, finished *corev1.PodSpec, name corev1.ResourceName, container string) (answer, metrics.Basis) {
	sum, err := pod.Requests(name, container)
	var missing *metrics.MissingRequestError
	var unknown *metrics.UnknownContainerError
	switch {
	case err == nil:
		return answer{milli: sum.Milli}, sum.Basis
	case errors.As(err, &missing):
		require.Equal(t, name, missing.Resource)
		if len(missing.Containers) == 0 {
			return answer{missing: "pod"}, sum.Basis
		}
		first := missing.Containers[0] // where the real controller stops, in the order of the finished pod
		if pod.Live != nil {           // it does not show where containers are injected
			first = firstOf(missing.Containers, finished)
		}
		return answer{missing: "container " + first}, sum.Basis
	}
	require.ErrorAs(t, err, &unknown)
	return answer{unknown: unknown.Container}, sum.Basis
}

func firstOf(names []string, finished *corev1.PodSpec) string {
	for _, list := range [][]corev1.Container{finished.Containers, finished.InitContainers} {
		for i := range list {
			if slices.Contains(names, list[i].Name) {
				return list[i].Name
			}
		}
	}
	return "none of the pod's: " + strings.Join(names, ", ")
}

// askedContainers are the names that the comparisons ask for: none, each that the pod has, and one that it has not.
func askedContainers(spec *corev1.PodSpec) []string {
	names := []string{"", "absent"}
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// compareContainers compares every container's request and limit.
func compareContainers(t *rapid.T, pod metrics.Pod, finished *corev1.Pod) {
	want := map[string]corev1.ResourceRequirements{}
	for _, list := range [][]corev1.Container{finished.Spec.Containers, finished.Spec.InitContainers} {
		for i := range list {
			want[list[i].Name] = list[i].Resources
		}
	}
	for _, name := range resourceNames {
		got, bad := pod.Containers(name)
		if bad != nil || len(got) != len(want) {
			t.Fatalf("%s: %d containers, %v%s", name, len(got), bad, dump(finished.Spec))
		}
		for i, c := range got {
			resources, there := want[c.Name]
			if !there || !sameAmount(resources.Requests, name, c.Request) || !sameAmount(resources.Limits, name, c.Limit) {
				t.Fatalf("%s: %+v%s", name, c, dump(finished.Spec))
			}
			// The order of the others plays no part.
			if first := len(finished.Spec.Containers); i >= first && finished.Spec.InitContainers[i-first].Name != c.Name {
				t.Fatalf("%s at place %d of the init containers%s", c.Name, i-first, dump(finished.Spec))
			}
		}
	}
}

func sameAmount(list corev1.ResourceList, name corev1.ResourceName, got metrics.Amount) bool {
	q, there := list[name]
	return there == got.Present() && q.MilliValue() == got.Milli
}

func (s share) compare(t *rapid.T, pod metrics.Pod, finished *corev1.Pod, valid bool) {
	named := rapid.SampledFrom(resourceNames).Draw(t, "resource of containers")
	for _, name := range resourceNames {
		containers := []string{""}
		if name == named || name == corev1.ResourceCPU {
			containers = askedContainers(&finished.Spec)
		}
		for _, container := range containers {
			want := theirs(t, finished, name, container)
			got, basis := ours(t, pod, &finished.Spec, name, container)
			if leftOut(pod.Spec, name, basis, valid) {
				s["left out"]++
				continue
			}
			if want != got {
				t.Fatalf("%s, container %q: the controller says %v, the library %v (by %s); valid pod: %v\nfinished pod: %s",
					name, container, want, got, basis, valid, dump(finished.Spec))
			}
			s.count(want, container, basis)
		}
	}
	s["pods"]++
	if valid {
		s["valid pods"]++
	}
}

// leftOut are the known differences. Validation refuses each of these pods, so that no HPA meets one.
func leftOut(spec *corev1.PodSpec, name corev1.ResourceName, basis metrics.Basis, valid bool) bool {
	if valid {
		return false
	}
	// Where the pod level is in use, the API server fills in huge pages from the containers' limits, the library from their
	// requests. Validation wants the two to be equal.
	if name == hugePages && basis == metrics.BasisAggregate {
		return true
	}
	// Pod-level resources, but none that the pod level supports: the API server fills in those of the containers all the same.
	if spec.Resources == nil {
		return false
	}
	named, supported := false, false
	for _, list := range []corev1.ResourceList{spec.Resources.Requests, spec.Resources.Limits} {
		for name := range list {
			named, supported = true, supported || resourcehelper.IsSupportedPodLevelResource(name)
		}
	}
	return named && !supported
}

func (s share) count(a answer, container string, basis metrics.Basis) {
	s["answers"]++
	switch {
	case a.unknown != "":
		s["no such container"]++
	case a.missing == "pod":
		s["missing in the pod"]++
	case a.missing != "":
		s["missing in a container"]++
	default:
		s["sum by "+string(basis)]++
		if a.milli == 0 {
			s["sum of 0"]++
		}
	}
	if container == "" {
		s["whole pods"]++
	}
}

func dump(spec corev1.PodSpec) string {
	text := ""
	list := func(what string, r corev1.ResourceRequirements) {
		text += "\n  " + what + ": requests"
		for name, q := range r.Requests {
			text += fmt.Sprintf(" %s=%s", name, q.String())
		}
		text += " limits"
		for name, q := range r.Limits {
			text += fmt.Sprintf(" %s=%s", name, q.String())
		}
	}
	for _, c := range spec.Containers {
		list("container "+c.Name, c.Resources)
	}
	for _, c := range spec.InitContainers {
		kind := "init "
		if c.RestartPolicy != nil {
			kind += string(*c.RestartPolicy) + " "
		}
		list(kind+c.Name, c.Resources)
	}
	if spec.Resources != nil {
		list("pod", *spec.Resources)
	}
	for name, q := range spec.Overhead {
		text += fmt.Sprintf("\n  overhead %s=%s", name, q.String())
	}
	return text
}

// TestRequestsOfTemplate compares, for random pod templates and LimitRanges, the library's request sums with what the real
// controller reads from the pod that an API server makes of them.
func TestRequestsOfTemplate(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		s := drawShape(t)
		template, limitRanges := s.drawTemplate(t), s.drawLimitRanges(t)
		finished, valid := admitted(t, template, limitRanges)
		pod := metrics.Pod{Spec: &template.Spec, LimitRanges: limitRanges}
		compareContainers(t, pod, finished)
		seen.compare(t, pod, finished, valid)
	})
	seen.require(t, "pods", 20, "pods", "valid pods")
	seen.require(t, "answers", 1, "answers", "whole pods", "sum by container", "sum of 0", "no such container", "missing in a container")
	seen.require(t, "whole pods", 1, "missing in the pod", "sum by containers", "sum by pod-level", "sum by aggregate")
}

// TestRequestsOfPod: the same for a pod that already runs, whose own spec is all there is to know.
func TestRequestsOfPod(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		s := drawShape(t)
		finished, valid := admitted(t, s.drawTemplate(t), s.drawLimitRanges(t))
		seen.compare(t, metrics.Pod{Spec: finished.Spec.DeepCopy()}, finished, valid)
	})
	seen.require(t, "answers", 1, "answers", "sum by container", "missing in a container")
	seen.require(t, "whole pods", 1, "missing in the pod", "sum by containers", "sum by pod-level")
}

// TestSchedulerSum: where the basis is the pod level or the aggregate, the sum is the scheduler's for the finished pod. The
// controller is not asked here; component-helpers is the code that the scheduler and the kubelet use as well.
func TestSchedulerSum(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		s := drawShape(t)
		template, limitRanges := s.drawTemplate(t), s.drawLimitRanges(t)
		finished, valid := admitted(t, template, limitRanges)
		reserved := resourcehelper.PodRequests(finished, resourcehelper.PodResourcesOptions{})
		for _, name := range resourceNames {
			sum, err := metrics.Pod{Spec: &template.Spec, LimitRanges: limitRanges}.Requests(name, "")
			seen["sums"]++
			if err != nil || leftOut(&template.Spec, name, sum.Basis, valid) {
				continue
			}
			q := reserved[name]
			switch sum.Basis {
			case metrics.BasisPodLevel, metrics.BasisAggregate:
				seen["scheduler's"]++
				require.Equal(t, q.MilliValue(), sum.Milli, "%s by %s%s", name, sum.Basis, dump(finished.Spec))
			default: // without overhead and ordinary init containers
				seen["at most scheduler's"]++
				require.LessOrEqual(t, sum.Milli, q.MilliValue(), "%s by %s%s", name, sum.Basis, dump(finished.Spec))
			}
		}
	})
	seen.require(t, "sums", 5, "scheduler's", "at most scheduler's")
}
