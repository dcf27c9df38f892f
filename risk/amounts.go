package risk

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// TinyMemoryBytes is the amount of memory below which a unit was probably mistaken: 1 MiB.
const TinyMemoryBytes int64 = 1 << 20

// Reserved returns what the scheduler reserves for one finished pod, in thousandths (millicores, milli-bytes):
//
//	max(sum over containers and sidecars, largest init step) + overhead, or the pod's own request + overhead
//
// It differs from the request sum of the HPA, [metrics.Pod.Requests], which leaves out ordinary init containers and mostly the overhead. A
// container without a request adds 0. Each amount is rounded up to a whole thousandth.
//
// Special cases: ok is false where an amount is negative, or the sum or an amount is not an int64 in thousandths, or there is no pod.
// Source: PodRequests in component-helpers/resource/helpers.go.
func Reserved(pod metrics.Pod, name corev1.ResourceName) (milli int64, ok bool) {
	if pod.Spec == nil {
		return 0, false
	}
	sum, err := pod.Requests(name, "")
	if missing := (*metrics.MissingRequestError)(nil); err != nil && !errors.As(err, &missing) {
		return 0, false
	}
	if sum.Basis != metrics.BasisContainers {
		return sum.With(nil)
	}
	overhead := pod.Spec.Overhead
	if overhead == nil && pod.Live != nil {
		overhead = pod.Live.Spec.Overhead
	}
	if sum.Overhead, err = exact.Milli(overhead[name]); err != nil {
		return 0, false
	}
	sum.Basis = metrics.BasisAggregate
	for i := range sum.Terms {
		sum.Terms[i].Counted = true
	}
	return sum.With(nil)
}

// beyondNode raises request-beyond-node: [Reserved] of cpu or memory is above what the largest node has. A resource that the node does not
// name is not judged, nor is one whose amount is negative; a node's amount beyond int64 holds everything. Whoever plans a change asks again
// with the changed pod.
// Source: the scheduler's NodeResourcesFit, pkg/scheduler/framework/plugins/noderesources/fit.go.
func (c *checker) beyondNode() {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		q, given := c.in.LargestNode[name]
		if !given {
			continue
		}
		room, err := exact.FloorMilli(q)
		if err != nil {
			continue
		}
		if need, ok := Reserved(c.in.Pod, name); ok && need > room {
			detail := fmt.Sprintf("the largest node has %s of %s", text(name, room), name)
			c.add(skipreason.FlagRequestBeyondNode, c.in.Workload, "spec.template.spec", text(name, need), detail)
		}
	}
}

func text(name corev1.ResourceName, milli int64) string {
	format := resource.DecimalSI
	if name == corev1.ResourceMemory {
		format = resource.BinarySI
	}
	q := exact.Quantity(milli, format)
	return q.String()
}

// tinyMemory raises tiny-memory: a memory request or limit in the template (container, init container, sidecar, or the pod's own) is above 0
// and below 1 MiB. 128m is 0.128 bytes, and no container starts with it.
// Source: resource.Quantity, whose suffix m means thousandths for memory as well.
func (c *checker) tinyMemory() {
	spec := c.in.Pod.Spec
	if spec == nil {
		return
	}
	for _, part := range []struct {
		list       string
		containers []corev1.Container
	}{{"containers", spec.Containers}, {"initContainers", spec.InitContainers}} {
		for i := range part.containers {
			at := fmt.Sprintf("spec.template.spec.%s[name=%q]", part.list, part.containers[i].Name)
			c.tiny(&part.containers[i].Resources, at)
		}
	}
	if spec.Resources != nil {
		c.tiny(spec.Resources, "spec.template.spec")
	}
}

func (c *checker) tiny(r *corev1.ResourceRequirements, at string) {
	for _, side := range []struct {
		name   string
		amount corev1.ResourceList
	}{{"requests", r.Requests}, {"limits", r.Limits}} {
		q, given := side.amount[corev1.ResourceMemory]
		if !given {
			continue
		}
		if m, err := exact.Milli(q); err == nil && m > 0 && m < TinyMemoryBytes*1000 {
			written := q.DeepCopy()
			c.add(skipreason.FlagTinyMemory, c.in.Workload, at+".resources."+side.name+".memory", written.String(), "below 1Mi")
		}
	}
}
