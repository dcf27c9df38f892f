package hpacouple

import (
	"cmp"
	"errors"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// Observe returns what a plan for this template and HPA depends on: whom the HPA scales, its entries after the API server's defaults, its scale-up
// tolerance, the written requests and limits, and the request sum of each coupled entry as the template alone gives it (so that another role of
// a container, a container without request, a pod-level amount or an overhead is seen too). Either may be nil.
//
// Limits: LimitRanges and injected containers are not observed, since whoever admits a plan may not have them; a caller who has them plans again.
func Observe(spec *corev1.PodSpec, hpa *autoscalingv2.HorizontalPodAutoscaler) Observed {
	if hpa == nil {
		return observe(spec, nil, nil, nil)
	}
	return observe(spec, hpa, metrics.Classify(&hpa.Spec), nil)
}

// observed reuses the sum that the plan has made where it is the template's alone.
func (p *planner) observed() Observed {
	var known *metrics.Sum
	if p.working != nil && p.in.Pod.Live == nil && len(p.in.Pod.LimitRanges) == 0 {
		known = &p.sum
	}
	return observe(p.in.Pod.Spec, p.in.HPA, p.entriesOf(p.in.HPA), known)
}

func observe(spec *corev1.PodSpec, hpa *autoscalingv2.HorizontalPodAutoscaler, entries []metrics.Entry, known *metrics.Sum) Observed {
	o := Observed{HPA: refOf(hpa), Entries: entries}
	if hpa != nil {
		o.ScaleTarget = hpa.Spec.ScaleTargetRef
		if b := hpa.Spec.Behavior; b != nil && b.ScaleUp != nil && b.ScaleUp.Tolerance != nil {
			o.Tolerance = text(*b.ScaleUp.Tolerance)
		}
	}
	if spec == nil {
		return o
	}
	o.Amounts = make([]ObservedAmount, 0, len(spec.Containers)+len(spec.InitContainers))
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			o.addAmounts(list[i].Name, list[i].Resources)
		}
	}
	if spec.Resources != nil {
		o.addAmounts("", *spec.Resources)
	}
	for i := range entries {
		if e := &entries[i]; e.Coupled() {
			o.Sums = append(o.Sums, observedSum(spec, e, known))
		}
	}
	return o
}

// addAmounts adds what is written for one container, or for the pod itself (no name).
func (o *Observed) addAmounts(container string, r corev1.ResourceRequirements) {
	for _, name := range allSized {
		a := ObservedAmount{Container: container, Resource: name, Request: written(r.Requests, name), Limit: written(r.Limits, name)}
		if a.Request != nil || a.Limit != nil {
			o.Amounts = append(o.Amounts, a)
		}
	}
}

// observedSum is the request sum of an entry as the template alone gives it.
func observedSum(spec *corev1.PodSpec, e *metrics.Entry, known *metrics.Sum) ObservedSum {
	s := ObservedSum{Resource: e.Resource, Container: e.Container}
	if known != nil && known.Resource == e.Resource && known.Container == e.Container && known.Milli > 0 {
		s.Milli = known.Milli
		return s
	}
	sum, err := metrics.Pod{Spec: spec}.Requests(e.Resource, e.Container)
	var missing *metrics.MissingRequestError
	switch {
	case errors.As(err, &missing):
		s.Missing = slices.Sorted(slices.Values(missing.Containers))
	case err == nil:
		s.Milli = sum.Milli
	}
	return s
}

func written(list corev1.ResourceList, name corev1.ResourceName) *resource.Quantity {
	q, ok := list[name]
	if !ok {
		return nil
	}
	if m, err := exact.Milli(q); err == nil {
		if whole, err := exact.FloorMilli(q); err == nil && whole == m {
			c := exact.Quantity(m, q.Format)
			return &c // canonical text
		}
	}
	c := q.DeepCopy() // a fraction of a thousandth stays what it is
	return &c
}

// Same says whether two observations are of the same state. The order of entries and containers does not matter, nor does the spelling of an
// amount; another HPA object of the same name does (by namespace, where the empty one means default, and by uid, where both are known), and so
// does an HPA that scales something else now.
func (o Observed) Same(other Observed) bool {
	return o.HPA.same(other.HPA) && o.ScaleTarget == other.ScaleTarget && o.Tolerance == other.Tolerance &&
		sameSet(o.Entries, other.Entries, sameEntry) && sameSet(o.Amounts, other.Amounts, sameAmount) && sameSet(o.Sums, other.Sums, sameSum)
}

func (r HPARef) same(other HPARef) bool {
	namespace := cmp.Or(r.Namespace, metav1.NamespaceDefault) == cmp.Or(other.Namespace, metav1.NamespaceDefault)
	return namespace && r.Name == other.Name && (r.UID == "" || other.UID == "" || r.UID == other.UID)
}

func sameSum(a, b ObservedSum) bool {
	return a.Resource == b.Resource && a.Container == b.Container && a.Milli == b.Milli && sameSet(a.Missing, b.Missing, func(x, y string) bool { return x == y })
}

// sameSet compares two lists as multisets.
func sameSet[T any](a, b []T, same func(a, b T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	left := slices.Clone(b)
	for _, x := range a {
		i := slices.IndexFunc(left, func(y T) bool { return same(x, y) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

func sameEntry(a, b metrics.Entry) bool {
	return a.Type == b.Type && a.Resource == b.Resource && a.Container == b.Container && a.Metric == b.Metric && a.Target == b.Target &&
		a.Utilization == b.Utilization && sameQuantity(a.Value, b.Value)
}

func sameAmount(a, b ObservedAmount) bool {
	return a.Container == b.Container && a.Resource == b.Resource && sameQuantity(a.Request, b.Request) && sameQuantity(a.Limit, b.Limit)
}

// sameQuantity compares two quantities, nil meaning absent. Copies are compared, by text first: two monstrous exponents are never expanded.
func sameQuantity(a, b *resource.Quantity) bool {
	if a == nil || b == nil {
		return a == b
	}
	if text(*a) == text(*b) {
		return true
	}
	x, errX := exact.Milli(*a)
	y, errY := exact.Milli(*b)
	return errX == nil && errY == nil && x == y && compare(*a, *b) == 0
}

// compare compares copies: Cmp can write to the quantity that it is called on.
func compare(a, b resource.Quantity) int { return a.Cmp(b) }
