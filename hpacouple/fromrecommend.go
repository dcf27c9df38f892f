package hpacouple

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/recommend"
)

// RecommendationFor makes of a container's recommendation what [Plan] takes; not ok where there is nothing to say.
//
// A limit that keeps its ratio becomes a rule (KeepRatio), since the plan may settle on another request: a held request holds the limit, and
// a bound on the target moves both. Where the start-up peak raised the limit that is its least; one that a LimitRange bounds is fixed, unless
// the container is locked: then it stays, as an amount that was measured as too small must not fall.
func RecommendationFor(c recommend.Container) (Recommendation, bool) {
	r := Recommendation{Container: c.Name, Throttled: c.Facts.Throttled, OOMKilled: c.Facts.OOMKilled}
	for _, a := range []*recommend.Amounts{&c.CPU, &c.Memory} {
		if a.Outcome != recommend.Recommended {
			continue
		}
		if r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		r.Requests[a.Resource] = recommend.Quantity(a.Resource, a.Request)
		r.limit(a)
	}
	return r, r.Requests != nil || r.Throttled || r.OOMKilled
}

// limit asks for the limit that goes with a request.
func (r *Recommendation) limit(a *recommend.Amounts) {
	locked := r.Throttled && a.Resource == corev1.ResourceCPU || r.OOMKilled && a.Resource == corev1.ResourceMemory
	fixed := false
	switch {
	case a.Limit.To == nil:
		if a.Limit.From != nil {
			r.UnsetLimits = append(r.UnsetLimits, a.Resource)
		}
		return
	case a.Limit.Mode == recommend.KeepRatio:
		fixed = a.Limit.By == recommend.FromContainerMax || a.Limit.By == recommend.FromMaxRatio
		if !fixed || locked {
			r.KeepRatio = append(r.KeepRatio, a.Resource)
		}
		fixed = fixed && !locked || a.Limit.By == recommend.FromStartup
	default:
		fixed = a.Limit.From == nil || *a.Limit.From != *a.Limit.To
	}
	if !fixed {
		return
	}
	if r.Limits == nil {
		r.Limits = corev1.ResourceList{}
	}
	r.Limits[a.Resource] = recommend.Quantity(a.Resource, *a.Limit.To)
}
