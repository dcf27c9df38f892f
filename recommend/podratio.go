package recommend

import (
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// inPod is one container's resource and when it runs.
type inPod struct {
	*draft
	starts bool // an init container that ends before the containers start
	first  bool // an init container of either kind
}

// podRatio keeps the pod's limit at most so many thousandths of its request, as LimitRange items for pods want it of the sums. Requests that do
// not reach that are raised in proportion and rounded up, each within what is allowed to one container. Where that does not do (limits that follow
// their requests follow them up), where the raised sums pass the pod's maximum, or where no limit would be left of those that there are, none is
// recommended: the API server would refuse every new pod, which is an outage at the next rollout or scale-out.
// Source: limitRequestRatioConstraint in plugin/pkg/admission/limitranger, v1.37.2.
func podRatio(pod []inPod, together []*draft, most, podMost int64) {
	moves, had := false, false
	for _, c := range pod {
		moves = moves || c.moves()
		had = had || c.effectiveLimit() > 0
	}
	if !moves || !had {
		return // nothing is changed, or there is no limit to have a ratio
	}
	before := make([]Triple, len(together))
	for i, d := range together {
		before[i] = d.now
	}
	limit, request := podTotal(pod, (*draft).limitAtEnd), podTotal(pod, (*draft).requestAtEnd)
	if limit > 0 && !ratioAdmits(limit, request, most) && raise(together, ratioLeast(limit, most)) {
		for i, d := range together {
			if after := d.now; d.moves() && after != before[i] {
				d.now = before[i]
				d.step(StageLimitRange, FromMaxRatio, most, after)
			}
		}
		limit, request = podTotal(pod, (*draft).limitAtEnd), podTotal(pod, (*draft).requestAtEnd)
		if podMost > 0 && max(limit, request) > podMost {
			limit = 0
		}
	}
	if limit > 0 && ratioAdmits(limit, request, most) {
		return
	}
	for _, c := range pod {
		if c.moves() {
			c.refuse(BoundsConflict)
		}
	}
}

// ratioAdmits reports whether a limit is at most so many thousandths of a request, exactly and as the API server divides.
func ratioAdmits(limit, request, most int64) bool {
	least, ok := exact.MulDivCeil(limit, 1000, most)
	return ok && request > 0 && request >= least && !(float64(float64(limit)/float64(request))*1000 > float64(most))
}

// ratioLeast is the least request that a limit is admitted with.
func ratioLeast(limit, most int64) int64 {
	least, ok := exact.MulDivCeil(limit, 1000, most)
	if !ok {
		return math.MaxInt64
	}
	if !ratioAdmits(limit, least, most) { // the error of a float division
		least++
	}
	return least
}

func (d *draft) requestAtEnd() int64 {
	v, _ := d.requestNow()
	return v
}

func (d *draft) limitAtEnd() int64 {
	if !d.moves() {
		return d.effectiveLimit()
	}
	limit, _, _, ok := d.limitAfter(d.requestAtEnd())
	if !ok {
		return math.MaxInt64
	}
	return limit
}

// podTotal is what the API server counts for the pod: the containers and sidecars together, or an init container with the sidecars that started
// before it, whichever is more. Source: podRequests and podLimits in plugin/pkg/admission/limitranger, v1.37.2.
func podTotal(pod []inPod, amount func(*draft) int64) int64 {
	together, sidecars, starting := int64(0), int64(0), int64(0)
	add := func(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }
	for _, c := range pod {
		v := amount(c.draft)
		switch {
		case c.starts:
			starting = max(starting, add(sidecars, v))
		case c.first:
			sidecars = add(sidecars, v)
			fallthrough
		default:
			together = add(together, v)
		}
	}
	return max(together, starting)
}

// starting reads what the init containers have that the result does not name, where a LimitRange has a ratio for pods.
func (r *reader) starting(pod *corev1.PodSpec, names []string, ranges limitRanges) map[corev1.ResourceName]map[string]*draft {
	out := map[corev1.ResourceName]map[string]*draft{}
	if pod == nil {
		return out
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for _, res := range Resources() {
		if ranges.podRatio[res] == 0 {
			continue
		}
		out[res] = map[string]*draft{}
		for i := range pod.InitContainers {
			if name := pod.InitContainers[i].Name; !known[name] {
				d := &draft{out: &Amounts{Resource: res, Outcome: None}}
				spec, path := specOf(pod, name)
				r.present(d, spec, path, ranges)
				out[res][name] = d
			}
		}
	}
	return out
}

// inOrder lists one resource's drafts, the init containers in the order in which they start.
func inOrder(pod *corev1.PodSpec, res corev1.ResourceName, names []string, drafts []*draft, starting map[corev1.ResourceName]map[string]*draft) []inPod {
	var out []inPod
	byName := map[string]*draft{}
	for i, d := range drafts {
		if d.out.Resource == res {
			byName[names[i/2]] = d
			if pod == nil {
				out = append(out, inPod{draft: d})
			}
		}
	}
	if pod == nil {
		return out
	}
	for i := range pod.Containers {
		out = append(out, inPod{draft: byName[pod.Containers[i].Name]})
	}
	for i := range pod.InitContainers {
		c := &pod.InitContainers[i]
		d := byName[c.Name]
		if d == nil {
			d = starting[res][c.Name]
		}
		out = append(out, inPod{draft: d, starts: !restarts(c), first: true})
	}
	return out
}
