package recommend

import (
	"slices"

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

// most reads a maximum, rounded down; 0 is none. One of less than a whole unit (128m of memory is an eighth of a byte) is an error: it allows
// nothing.
func (r *reader) most(path *field.Path, list corev1.ResourceList, name corev1.ResourceName) (int64, bool) {
	v, ok := r.amount(path, list, name, floorAmount)
	if q := list[name]; ok && v == 0 && q.Sign() > 0 {
		r.errs = append(r.errs, field.Invalid(path.Key(string(name)), q.DeepCopy(), "must be 0, which is no maximum, or at least one millicore or byte"))
		return 0, false
	}
	return v, ok
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

// role says when a container runs.
type role int

const (
	beside    role = iota // together with the others: containers and sidecars
	startOnly             // an init container that ends before the containers start
)

func roleOf(pod *corev1.PodSpec, name string) role {
	if pod == nil || slices.ContainsFunc(pod.Containers, func(c corev1.Container) bool { return c.Name == name }) {
		return beside
	}
	for i := range pod.InitContainers {
		if c := &pod.InitContainers[i]; c.Name == name && !restarts(c) {
			return startOnly
		}
	}
	return beside
}

// restarts reports whether an init container is a sidecar.
func restarts(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
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
	}
	if ok {
		present := v
		d.request, d.out.Present = &v, &present
	}
}
