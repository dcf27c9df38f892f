package hpacouple

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// podLevel is what the pod itself requests and may use of a resource.
type podLevel struct{ request, limit metrics.Amount }

// readPodLevel reads the pod's own amounts.
func (p *planner) readPodLevel() {
	for i, name := range allSized {
		request, limit, bad := p.in.Pod.PodLevel(name)
		if bad != nil {
			p.errs = append(p.errs, bad)
		}
		p.podLevel[i] = podLevel{request, limit}
	}
}

// checkPodLevel refuses what the API server would refuse once the change is made: containers raised above the pod's own request in the sum,
// or a limit that is asked for above the pod's own limit. What stood there before and does not grow is not the plan's doing.
func (p *planner) checkPodLevel() {
	for i, cells := range p.byResource {
		own := p.podLevel[i]
		at := func(list string) *field.Path {
			return field.NewPath("recommendations").Key(string(allSized[i])).Child(list)
		}
		var before, after int64
		fits := true
		for k := range cells {
			c := &cells[k]
			if own.limit.Present() && c.limitAsked && c.limitAfter.Milli > own.limit.Milli {
				p.errs = append(p.errs, field.Invalid(at("limits"), c.Name, "the limit after the change is above the pod-level limit of "+own.limit.Quantity().String()))
			}
			if c.Role == metrics.RoleInit {
				continue
			}
			var a, b bool
			before, a = exact.Add(before, c.Request.Milli)
			after, b = exact.Add(after, c.settled)
			fits = fits && a && b
		}
		if own.request.Present() && (!fits || (after > own.request.Milli && after > before)) {
			p.errs = append(p.errs, field.Invalid(at("requests"), string(allSized[i]),
				"the containers' requests no longer fit the pod-level request of "+own.request.Quantity().String()))
		}
	}
}
