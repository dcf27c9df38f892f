package hpacouple

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
)

// qos returns the pod's class of service before or after the change: Guaranteed where every container's request equals its limit, above 0, for
// cpu and memory; BestEffort where all are 0 or absent; otherwise Burstable. Init containers take part. Where the pod has resources of its
// own they alone decide, and a plan does not change them.
// Source: pkg/apis/core/v1/helper/qos (ComputePodQOS).
func (p *planner) qos(after bool) corev1.PodQOSClass {
	if r := p.in.Pod.Spec.Resources; r != nil && len(r.Requests)+len(r.Limits) > 0 {
		return ""
	}
	class := corev1.PodQOSBestEffort
	for k, cells := range p.byResource {
		for i := range cells {
			request, limit := cells[i].amounts(after)
			one := corev1.PodQOSGuaranteed
			switch {
			case request.Milli != limit.Milli:
				return corev1.PodQOSBurstable
			case request.Milli == 0:
				one = corev1.PodQOSBestEffort
			}
			if k+i == 0 {
				class = one
			} else if one != class {
				return corev1.PodQOSBurstable
			}
		}
	}
	return class
}

// amounts are the finished pod's request and limit, before or after the change.
func (c *cell) amounts(after bool) (request, limit metrics.Amount) {
	request, limit = c.Request, c.Limit
	if after && !c.stays {
		limit = c.limitAfter
		if request.Present() || c.arises() {
			request.Milli, request.Source = c.final, metrics.SourceRequest
		}
	}
	return request, limit
}
