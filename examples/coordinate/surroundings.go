package main

import (
	"cmp"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// surroundings are the objects around the workloads, by namespace and by what they refer to. Each list is sorted, so that the order of the
// documents plays no part.
type surroundings struct {
	objects     *manifest.Objects
	hpas        []manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler]
	policies    map[string]policy    // by namespace
	refused     map[string][]refusal // by namespace
	ranges      map[string][]manifest.Sourced[*corev1.LimitRange]
	services    map[string][]manifest.Sourced[*corev1.Service]
	pods        map[string][]manifest.Sourced[*corev1.Pod]
	replicaSets map[key]*manifest.Sourced[*appsv1.ReplicaSet]
	scalers     map[key][]manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler] // by what they scale
	recommends  map[key][]manifest.Sourced[*manifest.VerticalPodAutoscaler]        // by what they scale
}

// key names an object.
type key struct{ kind, namespace, name string }

func keyOf(namespace string, ref *autoscalingv2.CrossVersionObjectReference) key {
	return key{ref.Kind, namespace, ref.Name}
}

// refusal is an object that is there but plays no part, and why.
type refusal struct {
	manifest.Refused
	why string
}

// policy governs a namespace. Where it could not be read, or there are two, it is unknown, and coordination counts as off.
type policy struct {
	hpacouple.Policy
	unknown bool
}

// survey sorts the objects and reads what needs a second look: HPAs, and policies.
func survey(o *manifest.Objects) (surroundings, []fault) {
	s := surroundings{objects: o, policies: map[string]policy{}, refused: map[string][]refusal{},
		ranges: byNamespace(o.LimitRanges), services: byNamespace(o.Services), pods: byNamespace(o.Pods), replicaSets: map[key]*manifest.Sourced[*appsv1.ReplicaSet]{},
		scalers: map[key][]manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler]{}, recommends: map[key][]manifest.Sourced[*manifest.VerticalPodAutoscaler]{}}
	faults := s.readAutoscalers()
	for _, v := range sorted(o.VerticalAutoscalers) {
		k := keyOf(v.Namespace, &v.Object.Spec.TargetRef)
		s.recommends[k] = append(s.recommends[k], v)
	}
	for i := range o.ReplicaSets {
		rs := &o.ReplicaSets[i]
		s.replicaSets[key{rs.Kind, rs.Namespace, rs.Name}] = rs
	}
	for _, p := range o.Policies {
		read := policy{Policy: policyOf(p.Object)}
		for _, e := range read.Validate() {
			faults = append(faults, faultAt(p.Field(e.Field), e.Field, e.ErrorBody()))
			read.unknown = true
		}
		s.policies[p.Namespace] = read
	}
	for _, r := range o.Refused {
		switch {
		case r.Policy:
			s.policies[r.Namespace] = policy{unknown: true}
		case r.Again:
			s.refused[r.Namespace] = append(s.refused[r.Namespace], refusal{r, "is there twice"})
		default:
			s.refused[r.Namespace] = append(s.refused[r.Namespace], refusal{r, "could not be read"})
		}
	}
	return s, faults
}

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
	live       *manifest.Sourced[*corev1.Pod] // the pod that shows what is injected
	cleaned    bool                           // live lacks what its template had and the present one has not
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

// withoutRefused draws conclusions from objects that are there but play no part: an HPA among them stops the plan, since a workload without
// HPA would be changed freely; the rest is said.
func (a *around) withoutRefused(refused []refusal, w *workload) {
	for _, r := range refused {
		// Kind and name alone: the group is left to the plan, which says what is wrong with it.
		mine := r.Target != nil && r.Target.Kind == w.Kind && r.Target.Name == w.Name
		what := fmt.Sprintf("%s %s/%s %s", r.Kind, r.Namespace, r.Name, r.why)
		switch r.Kind {
		case "HorizontalPodAutoscaler":
			switch {
			case mine:
				a.faults = append(a.faults, faultAt(w.origin, "", w.String()+" is not planned: its "+what))
			case r.Target == nil && len(a.hpas) == 0:
				a.faults = append(a.faults, faultAt(w.origin, "", w.String()+" is not planned: "+what+" and may scale it"))
			case r.Target == nil:
				a.notes = append(a.notes, what+" and may scale it too")
			}
		case "VerticalPodAutoscaler":
			switch {
			case !mine && r.Target != nil:
			case r.Again:
				a.notes = append(a.notes, what+"; the first is taken")
			default:
				a.notes = append(a.notes, what+"; its recommendations are not known")
			}
		case "LimitRange", "Pod", "Service":
			if r.Again {
				a.notes = append(a.notes, what+"; the first is taken")
			} else {
				a.notes = append(a.notes, what+"; the plan is made without it")
			}
		}
	}
}
