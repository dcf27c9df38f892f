package main

import (
	"cmp"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// findPods finds the workload's pods, and the one that shows which containers are injected: the youngest that has not ended, of the present
// template where that can be told.
func (a *around) findPods(s *surroundings, w *workload) {
	selector := w.podSelector()
	for _, p := range s.pods[w.Namespace] {
		if w.owns(s, p.Object, selector) {
			a.pods = append(a.pods, p)
		}
	}
	slices.SortStableFunc(a.pods, func(x, y manifest.Sourced[*corev1.Pod]) int {
		return cmp.Or(y.Object.CreationTimestamp.Compare(x.Object.CreationTimestamp.Time), cmp.Compare(x.Name, y.Name))
	})
	var running []*manifest.Sourced[*corev1.Pod]
	for i := range a.pods {
		p := a.pods[i].Object
		if p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodSucceeded && p.Status.Phase != corev1.PodFailed {
			running = append(running, &a.pods[i])
		}
	}
	if len(running) > 0 {
		a.choose(s, w, running)
	}
}

// choose takes the first pod that is not known to be of an older template, or the first of all. What its own template had is not injected.
func (a *around) choose(s *surroundings, w *workload, running []*manifest.Sourced[*corev1.Pod]) {
	candidates := slices.DeleteFunc(slices.Clone(running), func(p *manifest.Sourced[*corev1.Pod]) bool {
		_, age := w.madeOf(s, p.Object)
		return age == older
	})
	if len(candidates) == 0 {
		candidates = running
	}
	a.live = candidates[0]
	template, age := w.madeOf(s, a.live.Object)
	if template != nil && age == older {
		a.withoutOld(template, w)
	}
	extra := injected(w, a.live.Object)
	if len(extra) > 0 && (age == unknown || template == nil) {
		a.notes = append(a.notes, fmt.Sprintf("pod %s has containers that the template lacks (%s); they count as injected, although the pod may be of an older template", a.live.Name, listed(extra)))
	}
	for _, p := range candidates {
		if age != older && !slices.Equal(extra, injected(w, p.Object)) {
			a.notes = append(a.notes, fmt.Sprintf("the pods differ in their injected containers; pod %s, the youngest, is taken (injected: %s)", a.live.Name, listed(extra)))
			break
		}
	}
}

// withoutOld takes the containers out of the pod that its own template had and the present one lacks.
func (a *around) withoutOld(template *corev1.PodSpec, w *workload) {
	pod := a.live.Object.DeepCopy()
	var dropped []string
	gone := func(c corev1.Container) bool {
		is := hasContainer(template, c.Name) && !w.has(c.Name)
		if is {
			dropped = append(dropped, c.Name)
		}
		return is
	}
	pod.Spec.Containers = slices.DeleteFunc(pod.Spec.Containers, gone)
	pod.Spec.InitContainers = slices.DeleteFunc(pod.Spec.InitContainers, gone)
	live := manifest.As(*a.live, pod)
	a.live, a.cleaned = &live, true
	a.notes = append(a.notes, fmt.Sprintf("pod %s is of an older template; what that one had and the present one lacks does not count as injected: %s", pod.Name, listed(dropped)))
}

// age says of which template a pod was made.
type age int

const (
	unknown age = iota
	present     // or one with the same containers
	older       // with containers that the present one lacks, or of another revision
)

// madeOf finds the template that a pod was made of; it is nil where that is not among the documents.
func (w *workload) madeOf(s *surroundings, p *corev1.Pod) (*corev1.PodSpec, age) {
	c := metav1.GetControllerOfNoCopy(p)
	switch {
	case c == nil:
	case w.Kind == "StatefulSet":
		revision := p.Labels[appsv1.ControllerRevisionHashLabelKey]
		switch {
		case revision == "" || w.revision == "":
		case revision == w.revision:
			return &w.template.Spec, present
		default:
			return nil, older
		}
	case w.Kind == "Deployment":
		rs := s.replicaSets[key{c.Kind, w.Namespace, c.Name}]
		if rs == nil {
			break
		}
		spec := &rs.Object.Spec.Template.Spec
		lacks := func(c corev1.Container) bool { return !w.has(c.Name) }
		if slices.ContainsFunc(spec.Containers, lacks) || slices.ContainsFunc(spec.InitContainers, lacks) {
			return spec, older
		}
		return spec, present
	}
	return nil, unknown
}

// injected names the containers of a pod that the template lacks.
func injected(w *workload, p *corev1.Pod) (names []string) {
	for _, list := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for _, c := range list {
			if !w.has(c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// podSelector is the workload's selector; where none is written, its template's labels. It never selects everything.
func (w *workload) podSelector() labels.Selector {
	from := w.selector
	if from == nil {
		from = &metav1.LabelSelector{MatchLabels: w.template.Labels}
	}
	selector, err := metav1.LabelSelectorAsSelector(from)
	if err != nil || selector.Empty() {
		return labels.Nothing()
	}
	return selector
}

// owns says whether a pod of the namespace is the workload's: by its controller (of a Deployment: through a ReplicaSet), or by its labels
// where it has none or the ReplicaSet is not known.
func (w *workload) owns(s *surroundings, p *corev1.Pod, selector labels.Selector) bool {
	if c := metav1.GetControllerOfNoCopy(p); c != nil {
		if w.Kind != "Deployment" || c.Kind != "ReplicaSet" {
			return w.controls(c)
		}
		if rs := s.replicaSets[key{c.Kind, w.Namespace, c.Name}]; rs != nil {
			owner := metav1.GetControllerOfNoCopy(rs.Object)
			return owner != nil && w.controls(owner)
		}
	}
	return selector.Matches(labels.Set(p.Labels))
}

// controls says whether a reference names the workload, by uid where both are known.
func (w *workload) controls(c *metav1.OwnerReference) bool {
	return c.Kind == w.Kind && c.Name == w.Name && (c.UID == "" || w.meta.UID == "" || c.UID == w.meta.UID)
}
