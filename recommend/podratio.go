package recommend

import (
	"math"
	"slices"

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
	limit, request := podTotal(pod, (*draft).limitAtEnd), podTotal(pod, (*draft).requestAtEnd)
	if limit > 0 && !ratioAdmits(limit, request, most) {
		for _, group := range raisable(pod, together, limit) {
			if raiseTo(group, ratioLeast(limit, most), most) {
				break
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

// raisable lists what can be raised together, in the order to try it: an init container, with the sidecars before it, whose limits are the pod's;
// what runs together; the other init containers.
func raisable(pod []inPod, together []*draft, limit int64) [][]*draft {
	var first, last [][]*draft
	var sidecars []inPod
	for _, c := range pod {
		if c.first && !c.starts {
			sidecars = append(sidecars, c)
		}
		if !c.starts {
			continue
		}
		alone := append(slices.Clone(sidecars), c)
		group := make([]*draft, len(alone))
		for i := range alone {
			group[i] = alone[i].draft
		}
		if podTotal(alone, (*draft).limitAtEnd) >= limit {
			first = append(first, group)
		} else {
			last = append(last, group)
		}
	}
	return append(append(first, together), last...)
}

// raiseTo raises a group to a sum, or leaves it as it is.
func raiseTo(group []*draft, least, ratio int64) bool {
	before := make([]Triple, len(group))
	for i, d := range group {
		before[i] = d.now
	}
	done := raise(group, least)
	for i, d := range group {
		after := d.now
		d.now = before[i]
		if done && d.moves() && after != before[i] {
			d.step(StageLimitRange, FromMaxRatio, ratio, after)
		}
	}
	return done
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
