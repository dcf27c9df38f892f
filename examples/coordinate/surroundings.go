package main

import (
	"cmp"
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/metrics"
)

// surroundings are the objects around the workloads, by namespace and by what they refer to. Each list is sorted, so that the order of the
// documents plays no part.
type surroundings struct {
	objects     *manifest.Objects
	hpas        []manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler]
	policies    map[string]policy             // by namespace
	refused     map[string][]manifest.Refused // by namespace
	ranges      map[string][]manifest.Sourced[*corev1.LimitRange]
	services    map[string][]manifest.Sourced[*corev1.Service]
	pods        map[string][]manifest.Sourced[*corev1.Pod]
	replicaSets map[key]*metav1.OwnerReference                                     // controllers; nil where there is none
	scalers     map[key][]manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler] // by what they scale
	recommends  map[key][]manifest.Sourced[*manifest.VerticalPodAutoscaler]        // by what they scale
}

// key names an object.
type key struct{ kind, namespace, name string }

func keyOf(namespace string, ref *autoscalingv2.CrossVersionObjectReference) key {
	return key{ref.Kind, namespace, ref.Name}
}

// policy governs a namespace. Where it could not be read, or there are two, it is unknown, and coordination counts as off.
type policy struct {
	hpacouple.Policy
	unknown bool
}

// survey sorts the objects and reads what needs a second look: HPAs of autoscaling/v1, and policies.
func survey(o *manifest.Objects) (surroundings, []fault) {
	var faults []fault
	s := surroundings{objects: o, hpas: slices.Clone(o.Autoscalers), policies: map[string]policy{}, refused: map[string][]manifest.Refused{},
		ranges: byNamespace(o.LimitRanges), services: byNamespace(o.Services), pods: byNamespace(o.Pods), replicaSets: map[key]*metav1.OwnerReference{},
		scalers: map[key][]manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler]{}, recommends: map[key][]manifest.Sourced[*manifest.VerticalPodAutoscaler]{}}
	for _, v1 := range o.AutoscalersV1 {
		hpa, err := metrics.FromV1(v1.Object)
		if err != nil {
			faults = append(faults, faultAt(v1.Origin, "", err.Error()))
			ref := autoscalingv2.CrossVersionObjectReference(v1.Object.Spec.ScaleTargetRef)
			s.refused[v1.Namespace] = append(s.refused[v1.Namespace], manifest.Refused{Origin: v1.Origin, Identity: v1.Identity, Target: &ref})
			continue
		}
		s.hpas = append(s.hpas, manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler]{Origin: v1.Origin, Identity: v1.Identity, Object: hpa})
	}
	sortByName(s.hpas)
	for _, h := range s.hpas {
		k := keyOf(h.Namespace, &h.Object.Spec.ScaleTargetRef)
		s.scalers[k] = append(s.scalers[k], h)
	}
	for _, v := range sorted(o.VerticalAutoscalers) {
		k := keyOf(v.Namespace, &v.Object.Spec.TargetRef)
		s.recommends[k] = append(s.recommends[k], v)
	}
	for _, rs := range o.ReplicaSets {
		s.replicaSets[key{rs.Kind, rs.Namespace, rs.Name}] = metav1.GetControllerOfNoCopy(rs.Object)
	}
	for _, p := range o.Policies {
		read := policy{Policy: policyOf(p.Object)}
		for _, e := range read.Validate() {
			faults = append(faults, faultAt(p.Origin, e.Field, e.ErrorBody()))
			read.unknown = true
		}
		s.policies[p.Namespace] = read
	}
	for _, r := range o.Refused {
		s.refused[r.Namespace] = append(s.refused[r.Namespace], r)
		if !slices.Contains(readable, r.Kind) { // only a policy is read whatever its kind
			s.policies[r.Namespace] = policy{unknown: true}
		}
	}
	return s, faults
}

// readable are the kinds that are read for what they are, rather than for what is in them.
var readable = []string{"Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "HorizontalPodAutoscaler", "VerticalPodAutoscaler", "LimitRange",
	"Pod", "Service", "PodMetrics"}

func policyOf(p *manifest.Policy) hpacouple.Policy {
	hpa := &hpacouple.HPAPolicy{Coordinate: p.Spec.HPA.Coordinate}
	if b := p.Spec.HPA.TargetBounds; b != nil {
		hpa.TargetBounds = &hpacouple.TargetBounds{MinUtilization: b.MinUtilization, MaxUtilization: b.MaxUtilization}
	}
	return hpacouple.Policy{Spec: hpacouple.PolicySpec{HPA: hpa}}
}

func sortByName[T any](list []manifest.Sourced[T]) {
	slices.SortStableFunc(list, func(a, b manifest.Sourced[T]) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

func sorted[T any](list []manifest.Sourced[T]) []manifest.Sourced[T] {
	list = slices.Clone(list)
	sortByName(list)
	return list
}

func byNamespace[T any](list []manifest.Sourced[T]) map[string][]manifest.Sourced[T] {
	m := map[string][]manifest.Sourced[T]{}
	for _, s := range sorted(list) {
		m[s.Namespace] = append(m[s.Namespace], s)
	}
	return m
}

// around is what belongs to one workload.
type around struct {
	hpas       []manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler]
	ranges     []manifest.Sourced[*corev1.LimitRange]
	services   []manifest.Sourced[*corev1.Service]
	recommends []manifest.Sourced[*manifest.VerticalPodAutoscaler]
	pods       []manifest.Sourced[*corev1.Pod]
	live       *manifest.Sourced[*corev1.Pod] // the youngest pod that runs
	notes      []string
	faults     []fault // why the workload cannot be planned
}

func (s *surroundings) of(w *workload) around {
	me := key{w.Kind, w.Namespace, w.Name}
	a := around{hpas: s.scalers[me], ranges: s.ranges[w.Namespace], services: s.services[w.Namespace], recommends: s.recommends[me]}
	a.findPods(s, w)
	a.withoutRefused(s.refused[w.Namespace], w)
	return a
}

// withoutRefused draws conclusions from objects that are there but could not be read: an HPA among them stops the plan, since a workload
// without HPA would be changed freely; the rest is said.
func (a *around) withoutRefused(refused []manifest.Refused, w *workload) {
	for _, r := range refused {
		// Kind and name alone: the group is left to the plan, which says what is wrong with it.
		mine := r.Target != nil && r.Target.Kind == w.Kind && r.Target.Name == w.Name
		name := fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name)
		switch r.Kind {
		case "HorizontalPodAutoscaler":
			if mine || (r.Target == nil && len(a.hpas) == 0) {
				why := "its " + name + " could not be read"
				if !mine {
					why = name + " could not be read and may scale it"
				}
				a.faults = append(a.faults, faultAt(w.origin, "", w.String()+" is not planned: "+why))
			}
		case "VerticalPodAutoscaler":
			if mine || r.Target == nil {
				a.notes = append(a.notes, name+" could not be read; its recommendations are not known")
			}
		case "LimitRange", "Pod", "Service":
			a.notes = append(a.notes, name+" could not be read; the plan is made without it")
		}
	}
}

// findPods finds the workload's pods, and the one that shows which containers are injected: the youngest that has not ended.
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
	for i := range a.pods {
		p := a.pods[i].Object
		if p.DeletionTimestamp != nil || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue
		}
		if a.live == nil {
			a.live = &a.pods[i]
			continue
		}
		if first := injected(w, a.live.Object); !slices.Equal(first, injected(w, p)) {
			a.notes = append(a.notes, fmt.Sprintf("the pods differ in their injected containers; pod %s, the youngest, is taken (injected: %s)", a.live.Name, listed(first)))
			break
		}
	}
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
		if owner, known := s.replicaSets[key{c.Kind, w.Namespace, c.Name}]; known {
			return owner != nil && w.controls(owner)
		}
	}
	return selector.Matches(labels.Set(p.Labels))
}

// controls says whether a reference names the workload, by uid where both are known.
func (w *workload) controls(c *metav1.OwnerReference) bool {
	return c.Kind == w.Kind && c.Name == w.Name && (c.UID == "" || w.meta.UID == "" || c.UID == w.meta.UID)
}
