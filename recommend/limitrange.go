package recommend

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// limitRanges is what all LimitRanges of the namespace come to together.
type limitRanges struct {
	container, pod map[corev1.ResourceName]bounds
	ratio          map[corev1.ResourceName]int64 // thousandths
	podRatio       map[corev1.ResourceName]int64 // likewise
	fallback       map[corev1.ResourceName]int64 // default limit
	request        map[corev1.ResourceName]int64 // default request
}

func (r *reader) limitRanges(list []corev1.LimitRange) limitRanges {
	if len(list) == 0 {
		return limitRanges{}
	}
	out := limitRanges{container: map[corev1.ResourceName]bounds{}, pod: map[corev1.ResourceName]bounds{},
		ratio: map[corev1.ResourceName]int64{}, podRatio: map[corev1.ResourceName]int64{}, fallback: map[corev1.ResourceName]int64{}, request: map[corev1.ResourceName]int64{}}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	// Where several set a default, the API server's order is undefined; the first by name wins.
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(list[a].Name, list[b].Name) })
	for _, i := range order {
		limit, request := map[corev1.ResourceName]int64{}, map[corev1.ResourceName]int64{}
		for j := range list[i].Spec.Limits {
			item := &list[i].Spec.Limits[j]
			path := field.NewPath("limitRanges").Index(i).Child("spec", "limits").Index(j)
			for _, name := range Resources() {
				switch item.Type {
				case corev1.LimitTypeContainer:
					out.container[name] = r.narrow(path, item, name, out.container[name])
					r.defaults(path, item, name, limit, request)
					r.ratio(path, item, name, out.ratio)
				case corev1.LimitTypePod:
					out.pod[name] = r.narrow(path, item, name, out.pod[name])
					r.ratio(path, item, name, out.podRatio)
				}
			}
		}
		for _, name := range Resources() {
			first(out.fallback, limit, name)
			first(out.request, request, name)
		}
	}
	for _, name := range Resources() {
		if impossible(out.container[name]) || impossible(out.pod[name]) {
			r.errs = append(r.errs, field.Invalid(field.NewPath("limitRanges"), string(name), "the smallest maximum is below the largest minimum"))
		}
	}
	return out
}

// defaults reads what one item gives to containers without amounts, as the API server completes it: max stands in for a missing default
// limit, the default limit or else min for a missing default request. A later item of one LimitRange overrides an earlier one.
// Source: SetDefaults_LimitRangeItem in pkg/apis/core/v1/defaults.go, v1.37.2.
func (r *reader) defaults(path *field.Path, item *corev1.LimitRangeItem, name corev1.ResourceName, limit, request map[corev1.ResourceName]int64) {
	set := func(into map[corev1.ResourceName]int64, door func(resource.Quantity, corev1.ResourceName) (int64, error), lists ...string) {
		for _, list := range lists {
			amounts := map[string]corev1.ResourceList{"default": item.Default, "defaultRequest": item.DefaultRequest, "max": item.Max, "min": item.Min}[list]
			if _, ok := amounts[name]; ok {
				if v, ok := r.amount(path.Child(list), amounts, name, door); ok {
					into[name] = v
				}
				return
			}
		}
	}
	set(limit, floorAmount, "default", "max")
	set(request, ceilAmount, "defaultRequest", "default", "max", "min")
}

// finished returns the pod with what the LimitRanges give to containers without amounts; the given one is not written to.
func (l limitRanges) finished(pod *corev1.PodSpec) *corev1.PodSpec {
	if len(l.fallback)+len(l.request) == 0 {
		return pod
	}
	out := pod.DeepCopy()
	for _, list := range [][]corev1.Container{out.Containers, out.InitContainers} {
		for i := range list {
			r := &list[i].Resources
			for _, name := range Resources() {
				_, requested := r.Requests[name]
				_, limited := r.Limits[name]
				if v, ok := l.request[name]; ok && !requested && !limited {
					r.Requests = with(r.Requests, name, v)
				}
				if v, ok := l.fallback[name]; ok && !limited {
					r.Limits = with(r.Limits, name, v)
				}
			}
		}
	}
	return out
}

func with(list corev1.ResourceList, name corev1.ResourceName, amount int64) corev1.ResourceList {
	if list == nil {
		list = corev1.ResourceList{}
	}
	list[name] = Quantity(name, amount)
	return list
}

// first takes over what is not there yet.
func first(into, from map[corev1.ResourceName]int64, name corev1.ResourceName) {
	if _, has := into[name]; has {
		return
	}
	if v, ok := from[name]; ok {
		into[name] = v
	}
}

func impossible(b bounds) bool { return b.most > 0 && b.least > b.most }

// ratio keeps the smallest of the largest ratios of limit to request; 0 is none.
func (r *reader) ratio(path *field.Path, item *corev1.LimitRangeItem, name corev1.ResourceName, into map[corev1.ResourceName]int64) {
	if v, ok := r.amount(path.Child("maxLimitRequestRatio"), item.MaxLimitRequestRatio, name, ratioAmount); ok && v > 0 {
		if old := into[name]; old == 0 || v < old {
			into[name] = v
		}
	}
}

func ratioAmount(q resource.Quantity, _ corev1.ResourceName) (int64, error) {
	return exact.FloorMilli(q)
}

func (r *reader) narrow(path *field.Path, item *corev1.LimitRangeItem, name corev1.ResourceName, b bounds) bounds {
	if v, ok := r.amount(path.Child("min"), item.Min, name, ceilAmount); ok {
		b.least = max(b.least, v)
	}
	if v, ok := r.most(path.Child("max"), item.Max, name); ok && v > 0 && (b.most == 0 || v < b.most) {
		b.most = v
	}
	return b
}
