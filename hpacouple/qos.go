package hpacouple

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// qos returns the pod's class of service before or after the change.
//
// Guaranteed: every container has limits of cpu and memory above 0, and requests equal limits in the sum. BestEffort: nothing is above 0.
// Otherwise Burstable. Init containers take part. Where the pod has resources of its own they alone decide, and a plan does not change them.
// Source: pkg/apis/core/v1/helper/qos (ComputePodQOS).
func (p *planner) qos(after bool) corev1.PodQOSClass {
	if r := p.in.Pod.Spec.Resources; r != nil && len(r.Requests)+len(r.Limits) > 0 {
		return ""
	}
	guaranteed, anything := true, false
	for _, cells := range p.byResource {
		var gap int64 // limits - requests; beyond int64 they are not equal either
		for i := range cells {
			request, limit := cells[i].amounts(after)
			guaranteed = guaranteed && limit.Milli > 0
			anything = anything || request.Milli > 0 || limit.Milli > 0
			var fits bool
			gap, fits = exact.Add(gap, limit.Milli-request.Milli)
			guaranteed = guaranteed && fits
		}
		guaranteed = guaranteed && gap == 0
	}
	switch {
	case !anything:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

// amounts are the finished pod's request and limit, before or after the change.
func (c *cell) amounts(after bool) (request, limit metrics.Amount) {
	request, limit = c.Request, c.Limit
	if after && !c.stays {
		limit = c.limitAfter
		if request.Present() || c.asked {
			request.Milli, request.Source = c.final, metrics.SourceRequest
		}
	}
	return request, limit
}
