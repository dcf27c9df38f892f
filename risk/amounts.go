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

// tinyMemory raises tiny-memory: a memory request or limit of the finished pod is above 0 and below 1 MiB: of a container, an init container or
// a sidecar, of the template or injected, by a LimitRange's default as well, or the pod's own. 128m is 0.128 bytes, and no container starts
// with it. A pod with an amount that the API server would refuse is passed over.
// Source: resource.Quantity, whose suffix m means thousandths for memory as well.
func (c *checker) tinyMemory() {
	if spec := c.in.Pod.Spec; spec == nil || (c.in.Pod.Live == nil && len(c.in.Pod.LimitRanges) == 0 && !writesMemory(spec)) {
		return
	}
	list, bad := c.in.Pod.Containers(corev1.ResourceMemory)
	request, limit, badPod := c.in.Pod.PodLevel(corev1.ResourceMemory)
	if bad != nil || badPod != nil {
		return
	}
	for i := range list {
		t := &list[i]
		// A limit that stands in for the request is said of the limit alone.
		if tinyRequest := tiny(t.Request) && t.Request.Source != metrics.SourceLimit; tinyRequest || tiny(t.Limit) {
			object, field := c.containerField(*t)
			if tinyRequest {
				c.addTiny(object, field+".resources.requests.memory", t.Request)
			}
			if tiny(t.Limit) {
				c.addTiny(object, field+".resources.limits.memory", t.Limit)
			}
		}
	}
	if tiny(request) {
		c.addTiny(c.in.Workload, "spec.template.spec.resources.requests.memory", request)
	}
	if tiny(limit) {
		c.addTiny(c.in.Workload, "spec.template.spec.resources.limits.memory", limit)
	}
}

// writesMemory says whether a memory amount is written anywhere in a pod's spec.
func writesMemory(spec *corev1.PodSpec) bool {
	for _, list := range [...][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range list {
			_, request := list[i].Resources.Requests[corev1.ResourceMemory]
			_, limit := list[i].Resources.Limits[corev1.ResourceMemory]
			if request || limit {
				return true
			}
		}
	}
	return spec.Resources != nil
}

func tiny(a metrics.Amount) bool { return a.Milli > 0 && a.Milli < TinyMemoryBytes*1000 }

func (c *checker) addTiny(object Object, field string, a metrics.Amount) {
	c.add(skipreason.FlagTinyMemory, object, field, a.Quantity().String(), "below 1Mi")
}
