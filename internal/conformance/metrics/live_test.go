package metrics_test

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
)

// injection is what a mutating webhook and a runtime class add to each pod of a workload.
type injection struct {
	containers, initContainers               []corev1.Container
	containersInFront, initContainersInFront bool
	overhead                                 corev1.ResourceList
}

func (s shape) drawInjection(t *rapid.T) (out injection) {
	for i := range rapid.IntRange(0, 2).Draw(t, "injected containers") {
		out.containers = append(out.containers, s.drawContainer(t, fmt.Sprintf("injected-c%d", i)))
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "injected init containers") {
		out.initContainers = append(out.initContainers, s.drawInitContainer(t, fmt.Sprintf("injected-i%d", i)))
	}
	out.containersInFront = rapid.Bool().Draw(t, "containers in front")
	out.initContainersInFront = rapid.Bool().Draw(t, "init containers in front")
	if rapid.Bool().Draw(t, "runtime class") {
		for _, name := range s.names {
			put(&out.overhead, name, drawQuantity(t, name))
		}
	}
	return out
}

// into returns the pod that a controller posts for a template, as the webhook sends it back.
func (in injection) into(template *corev1.PodTemplateSpec) *corev1.Pod {
	deployment := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: *template.DeepCopy()}}
	legacyscheme.Scheme.Default(deployment)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod"}, Spec: deployment.Spec.Template.Spec}
	join := func(own, added []corev1.Container, front bool) (out []corev1.Container) {
		if front {
			own, added = added, own
		}
		for i := range own {
			out = append(out, *own[i].DeepCopy())
		}
		for i := range added {
			out = append(out, *added[i].DeepCopy())
		}
		return out
	}
	pod.Spec.Containers = join(pod.Spec.Containers, in.containers, in.containersInFront)
	pod.Spec.InitContainers = join(pod.Spec.InitContainers, in.initContainers, in.initContainersInFront)
	if pod.Spec.Overhead == nil {
		pod.Spec.Overhead = in.overhead.DeepCopy()
	}
	return pod
}

// drawRevision draws another revision of a template: the same containers with other amounts, and possibly fewer, moved or
// reordered init containers. One init container stays, so that the order in which a webhook puts its own can be seen.
func (s shape) drawRevision(t *rapid.T, template *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	out := template.DeepCopy()
	spec := &out.Spec
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			if rapid.Bool().Draw(t, "changed") {
				list[i].Resources = s.drawRequirements(t)
			}
		}
	}
	if last := len(spec.InitContainers) - 1; last > 0 {
		switch rapid.IntRange(0, 5).Draw(t, "init containers") {
		case 3:
			spec.InitContainers = spec.InitContainers[:last]
		case 4: // it was an ordinary container
			moved := spec.InitContainers[last]
			moved.RestartPolicy = nil
			spec.Containers, spec.InitContainers = append(spec.Containers, moved), spec.InitContainers[:last]
		case 5:
			slices.Reverse(spec.InitContainers)
		}
	}
	if first := spec.Containers[0]; len(spec.Containers) > 1 && rapid.IntRange(0, 5).Draw(t, "containers") == 5 { // it was an init container
		spec.Containers, spec.InitContainers = spec.Containers[1:], append(spec.InitContainers, first)
	}
	return out
}

// TestRequestsWithLivePod: a pod of an earlier revision shows what is injected into the workload's pods. From it and the new
// template the library must find the request sums of the new pods.
func TestRequestsWithLivePod(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		s := drawShape(t)
		template, limitRanges, injected := s.drawTemplate(t), s.drawLimitRanges(t), s.drawInjection(t)
		live, _ := create(t, injected.into(s.drawRevision(t, template)), limitRanges)
		finished, valid := create(t, injected.into(template), limitRanges)
		pod := metrics.Pod{Spec: &template.Spec, LimitRanges: limitRanges, Live: live}
		compareContainers(t, pod, finished)
		seen.compare(t, pod, finished, valid)
		if len(injected.containers)+len(injected.initContainers) > 0 {
			seen["pods with injected containers"]++
		}
	})
	seen.require(t, "pods", 20, "valid pods", "pods with injected containers")
	seen.require(t, "answers", 1, "answers", "sum by container", "missing in a container")
	seen.require(t, "whole pods", 1, "sum by containers", "sum by pod-level", "sum by aggregate")
}
