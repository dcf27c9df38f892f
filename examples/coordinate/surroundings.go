package main

import (
	"cmp"
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/metrics"
)

// surroundings are the objects around the workloads. Each list is sorted, so that the order of the documents plays no part.
type surroundings struct {
	objects  *manifest.Objects
	hpas     []manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler]
	refused  []manifest.Refused
	policies map[string]policy // by namespace
}

// policy governs a namespace. Where it could not be read, or there are two, it is unknown, and coordination counts as off.
type policy struct {
	hpacouple.Policy
	unknown bool
}

// survey sorts the objects and reads what needs a second look: HPAs of autoscaling/v1, and policies.
func survey(o *manifest.Objects) (surroundings, []fault) {
	var faults []fault
	s := surroundings{objects: o, refused: slices.Clone(o.Refused), policies: map[string]policy{}}
	s.hpas = slices.Clone(o.Autoscalers)
	for _, v1 := range o.AutoscalersV1 {
		hpa, err := metrics.FromV1(v1.Object)
		if err != nil {
			faults = append(faults, faultAt(v1.Origin, "", err.Error()))
			ref := autoscalingv2.CrossVersionObjectReference(v1.Object.Spec.ScaleTargetRef)
			s.refused = append(s.refused, manifest.Refused{Origin: v1.Origin, Identity: v1.Identity, Target: &ref})
			continue
		}
		s.hpas = append(s.hpas, manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler]{Origin: v1.Origin, Identity: v1.Identity, Object: hpa})
	}
	byName(s.hpas)
	for _, p := range o.Policies {
		read := policy{Policy: policyOf(p.Object)}
		for _, e := range read.Validate() {
			faults = append(faults, faultAt(p.Origin, e.Field, e.ErrorBody()))
			read.unknown = true
		}
		s.policies[p.Namespace] = read
	}
	for _, r := range o.Refused {
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

func byName[T any](list []manifest.Sourced[T]) {
	slices.SortStableFunc(list, func(a, b manifest.Sourced[T]) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
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
	var a around
	here := func(id manifest.Identity) bool { return id.Namespace == w.Namespace }
	for _, h := range s.hpas {
		if here(h.Identity) && refersTo(&h.Object.Spec.ScaleTargetRef, w) {
			a.hpas = append(a.hpas, h)
		}
	}
	for _, r := range s.objects.LimitRanges {
		if here(r.Identity) {
			a.ranges = append(a.ranges, r)
		}
	}
	byName(a.ranges)
	for _, v := range s.objects.Services {
		if here(v.Identity) {
			a.services = append(a.services, v)
		}
	}
	byName(a.services)
	for _, v := range s.objects.VerticalAutoscalers {
		if here(v.Identity) && refersTo(&v.Object.Spec.TargetRef, w) {
			a.recommends = append(a.recommends, v)
		}
	}
	byName(a.recommends)
	a.findPods(s.objects, w)
	a.withoutRefused(s.refused, w)
	return a
}

// refersTo compares kind and name; the group is left to the plan, which says what is wrong with it.
func refersTo(ref *autoscalingv2.CrossVersionObjectReference, w *workload) bool {
	return ref.Kind == w.Kind && ref.Name == w.Name
}

// withoutRefused draws conclusions from objects that are there but could not be read: an HPA among them stops the plan, since a workload
// without HPA would be changed freely; the rest is said.
func (a *around) withoutRefused(refused []manifest.Refused, w *workload) {
	for _, r := range refused {
		if r.Namespace != w.Namespace {
			continue
		}
		mine := r.Target != nil && refersTo(r.Target, w)
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
func (a *around) findPods(o *manifest.Objects, w *workload) {
	for _, p := range o.Pods {
		if p.Namespace == w.Namespace && w.owns(o, p.Object) {
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

// owns says whether a pod of the namespace is the workload's: by its controller (of a Deployment: through a ReplicaSet), or by its labels
// where it has none or the ReplicaSet is not known.
func (w *workload) owns(o *manifest.Objects, p *corev1.Pod) bool {
	if c := metav1.GetControllerOfNoCopy(p); c != nil {
		if w.Kind != "Deployment" || c.Kind != "ReplicaSet" {
			return w.controls(c)
		}
		for _, rs := range o.ReplicaSets {
			if rs.Namespace == w.Namespace && rs.Name == c.Name {
				owner := metav1.GetControllerOfNoCopy(rs.Object)
				return owner != nil && w.controls(owner)
			}
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(w.selector)
	if w.selector == nil {
		selector, err = metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchLabels: w.template.Labels})
	}
	return err == nil && !selector.Empty() && selector.Matches(labelSet(p.Labels))
}

// controls says whether a reference names the workload, by uid where both are known.
func (w *workload) controls(c *metav1.OwnerReference) bool {
	return c.Kind == w.Kind && c.Name == w.Name && (c.UID == "" || w.meta.UID == "" || c.UID == w.meta.UID)
}
