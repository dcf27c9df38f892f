package main

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/usagefile"
	window "github.com/kube-rightsize/rightsize/usage"
)

// kill is an OOM kill. Of one that a flag names nobody knows when it was and in which pod.
type kill struct {
	container string
	pod       usagefile.Pod
	at        time.Time
	request   int64 // of memory, in bytes, when it was killed; 0 is not known
}

// killIn is the kill that a pod's status tells of.
func killIn(p *corev1.Pod, container string, state *corev1.ContainerStateTerminated) kill {
	return kill{container, usagefile.Pod{Namespace: p.Namespace, Name: p.Name}, state.FinishedAt.Time, memoryOf(&p.Spec, container)}
}

// memoryOf is a container's memory request, or the limit where it has none.
func memoryOf(spec *corev1.PodSpec, name string) int64 {
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for _, c := range list {
			if c.Name != name {
				continue
			}
			q, ok := c.Resources.Requests[corev1.ResourceMemory]
			if !ok {
				q = c.Resources.Limits[corev1.ResourceMemory]
			}
			q = q.DeepCopy()
			return max(q.Value(), 0)
		}
	}
	return 0
}

// killed puts the OOM kills into the memory peaks, as VPA has them. A kill that only a flag tells of counts as one of the container that was
// measured last, at that time and at the present request; where a status tells of one of the same container the flag says nothing new.
func (t *task) killed() {
	known := slices.Clone(t.kill)
	for _, name := range t.oomKilled {
		if !slices.ContainsFunc(known, func(k kill) bool { return k.container == name }) {
			known = append(known, kill{container: name, request: memoryOf(&t.template.Spec, name)})
		}
	}
	start := t.measured.collector.Window.Start
	t.kill = nil
	for _, k := range known {
		switch {
		case !k.at.IsZero() && k.at.Before(start):
			t.usageNotes = append(t.usageNotes, fmt.Sprintf("container %s: the OOM kill at %s is too old to be part of the usage", k.container, k.at.UTC().Format(time.RFC3339)))
			continue
		case !t.has(k.container) || !t.measured.collector.OOM(k.container, k.pod, k.at, k.request):
			continue
		}
		t.kill = append(t.kill, k)
	}
}

// kills are those of one container, for the strategies that read them as events.
func (t *task) kills(container string) (list []window.OOMKill) {
	for _, k := range t.kill {
		if k.container == container {
			list = append(list, window.OOMKill{Time: k.at, Request: k.request})
		}
	}
	return list
}
