package recommend

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// The doors from quantities to amounts. Requests round up, as the API server and the scheduler read them; limits round
// down, so that a request below them is below what was written.

func ceilAmount(q resource.Quantity, name corev1.ResourceName) (int64, error) {
	m, err := exact.Milli(q)
	if err != nil || name == corev1.ResourceCPU {
		return m, err
	}
	whole, _ := exact.MulDivCeil(m, 1, 1000)
	return whole, nil
}

func floorAmount(q resource.Quantity, name corev1.ResourceName) (int64, error) {
	m, err := exact.FloorMilli(q)
	if err != nil || name == corev1.ResourceCPU {
		return m, err
	}
	return m / 1000, nil
}

// reader collects what cannot be read, by path.
type reader struct{ errs field.ErrorList }

// amount reads one resource of a list; 0 when it is not there. An amount above 1e14 is an error: sums must fit.
func (r *reader) amount(path *field.Path, list corev1.ResourceList, name corev1.ResourceName,
	door func(resource.Quantity, corev1.ResourceName) (int64, error)) (int64, bool) {
	q, ok := list[name]
	if !ok {
		return 0, false
	}
	v, err := door(q, name)
	if err == nil && v > maxAmount {
		err = exact.ErrRange
	}
	if err != nil {
		r.errs = append(r.errs, field.Invalid(path.Key(string(name)), q.DeepCopy(), err.Error()))
		return 0, false
	}
	return v, true
}

// specOf finds a container, or a restartable init container, in the pod.
func specOf(pod *corev1.PodSpec, name string) (*corev1.Container, *field.Path) {
	if pod == nil {
		return nil, nil
	}
	spec := field.NewPath("pod", "spec")
	for i := range pod.Containers {
		if pod.Containers[i].Name == name {
			return &pod.Containers[i], spec.Child("containers").Index(i)
		}
	}
	for i := range pod.InitContainers {
		if pod.InitContainers[i].Name == name {
			return &pod.InitContainers[i], spec.Child("initContainers").Index(i)
		}
	}
	return nil, nil
}

// present fills in what the container has now. A missing request is the limit, as the API server makes it.
func (r *reader) present(d *draft, c *corev1.Container, path *field.Path, ranges limitRanges) {
	name := d.out.Resource
	if limit, ok := ranges.fallback[name]; ok && limit > 0 {
		d.defaultLimit = &limit
	}
	if c == nil {
		return
	}
	requests, limits := path.Child("resources", "requests"), path.Child("resources", "limits")
	if v, ok := r.amount(limits, c.Resources.Limits, name, floorAmount); ok && v > 0 {
		up, _ := ceilAmount(c.Resources.Limits[name], name)
		d.limit, d.ratioLimit = &v, &up
		from := v
		d.out.Limit.From = &from
	}
	v, ok := r.amount(requests, c.Resources.Requests, name, ceilAmount)
	if ok {
		d.scaleRequest = v
	} else if d.ratioLimit != nil {
		v, ok = *d.ratioLimit, true
	} else if w, has := ranges.request[name]; has {
		v, ok = w, true
		d.scaleRequest = v // the limit is the LimitRange's too, and so is their ratio
	} else if d.defaultLimit != nil {
		v, ok = *d.defaultLimit, true // what a LimitRange without a default request gives
	}
	if ok {
		present := v
		d.request, d.out.Present = &v, &present
	}
}

// limitRanges is what all LimitRanges of the namespace come to together.
type limitRanges struct {
	container, pod map[corev1.ResourceName]bounds
	ratio          map[corev1.ResourceName]int64 // thousandths
	fallback       map[corev1.ResourceName]int64 // default limit
	request        map[corev1.ResourceName]int64 // default request
}

func (r *reader) limitRanges(list []corev1.LimitRange) limitRanges {
	if len(list) == 0 {
		return limitRanges{}
	}
	out := limitRanges{container: map[corev1.ResourceName]bounds{}, pod: map[corev1.ResourceName]bounds{},
		ratio: map[corev1.ResourceName]int64{}, fallback: map[corev1.ResourceName]int64{}, request: map[corev1.ResourceName]int64{}}
	for i := range list {
		for j := range list[i].Spec.Limits {
			item := &list[i].Spec.Limits[j]
			path := field.NewPath("limitRanges").Index(i).Child("spec", "limits").Index(j)
			for _, name := range Resources() {
				switch item.Type {
				case corev1.LimitTypeContainer:
					out.container[name] = r.narrow(path, item, name, out.container[name])
					if v, ok := r.amount(path.Child("default"), item.Default, name, floorAmount); ok {
						out.fallback[name] = v
					}
					if v, ok := r.amount(path.Child("defaultRequest"), item.DefaultRequest, name, ceilAmount); ok {
						out.request[name] = v
					}
					if v, ok := r.amount(path.Child("maxLimitRequestRatio"), item.MaxLimitRequestRatio, name, ratioAmount); ok && v > 0 {
						if old := out.ratio[name]; old == 0 || v < old {
							out.ratio[name] = v
						}
					}
				case corev1.LimitTypePod:
					out.pod[name] = r.narrow(path, item, name, out.pod[name])
				}
			}
		}
	}
	for _, name := range Resources() {
		if impossible(out.container[name]) || impossible(out.pod[name]) {
			r.errs = append(r.errs, field.Invalid(field.NewPath("limitRanges"), string(name), "the smallest maximum is below the largest minimum"))
		}
	}
	return out
}

func impossible(b bounds) bool { return b.most > 0 && b.least > b.most }

func ratioAmount(q resource.Quantity, _ corev1.ResourceName) (int64, error) {
	return exact.FloorMilli(q)
}

func (r *reader) narrow(path *field.Path, item *corev1.LimitRangeItem, name corev1.ResourceName, b bounds) bounds {
	if v, ok := r.amount(path.Child("min"), item.Min, name, ceilAmount); ok {
		b.least = max(b.least, v)
	}
	if v, ok := r.amount(path.Child("max"), item.Max, name, floorAmount); ok && v > 0 && (b.most == 0 || v < b.most) {
		b.most = v
	}
	return b
}

// podRange keeps the sums over the pod within the LimitRange items for pods. Containers that are not recommended for keep
// their present amounts. Above the maximum, what may move is cut in proportion and rounded down; below the minimum it is
// raised in proportion and rounded up. The maximum is one on limits where every container has one, otherwise on requests.
func podRange(all []*draft, b bounds) {
	var moving []*draft
	var fixedRequests, fixedLimits, requests, limits int64
	everyLimit := true
	for _, d := range all {
		if d.out.Outcome != Recommended {
			if d.request != nil {
				fixedRequests += *d.request
			}
			fixedLimits += d.effectiveLimit()
			everyLimit = everyLimit && d.effectiveLimit() > 0
			continue
		}
		moving = append(moving, d)
		requests += d.now.Request
		limit, _ := d.limitFor(d.now.Request)
		limits = min(limits, math.MaxInt64/2) + min(limit, math.MaxInt64/2)
		everyLimit = everyLimit && limit > 0
	}
	sum, fixed := requests, fixedRequests
	if everyLimit {
		sum, fixed = limits, fixedLimits
	}
	if room := b.most - fixed; b.most > 0 && sum > room && room > 0 {
		for _, d := range moving {
			if everyLimit && d.rule.Limit != KeepRatio {
				continue // its limit stays, and its request is below that
			}
			d.step(StageLimitRange, FromPodMax, b.most, d.now.each(func(v int64) int64 {
				cut, _ := exact.MulDivFloor(v, room, sum)
				return max(cut, 1)
			}))
		}
	}
	if lack := b.least - fixedRequests; requests > 0 && requests < lack {
		for _, d := range moving {
			d.step(StageLimitRange, FromPodMin, b.least, d.now.each(func(v int64) int64 {
				raised, ok := exact.MulDivCeil(v, lack, requests)
				if !ok {
					return v
				}
				return raised
			}))
		}
	}
}
