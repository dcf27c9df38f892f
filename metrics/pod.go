package metrics

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// Pod is what is known about one pod of a workload: the template's spec, and what the cluster adds to it on the way to the pod that the HPA
// sees. For a pod that already runs, give its own spec and leave the rest empty.
type Pod struct {
	// Spec is the pod template's spec, or a pod's.
	Spec *corev1.PodSpec
	// LimitRanges are the ones of the namespace. Where several set a default for one resource the API server's order is undefined; here the
	// first by name wins.
	LimitRanges []corev1.LimitRange
	// Live is one of the workload's pods. It only adds what the template lacks: containers that were injected, by name, and the overhead of a
	// runtime class. Where both have a container the template wins.
	Live *corev1.Pod
}

// Role says how a container takes part in a pod.
type Role string

const (
	// RoleContainer is an ordinary container.
	RoleContainer Role = "container"
	// RoleSidecar is an init container with restartPolicy Always; it runs beside the containers and counts like them.
	RoleSidecar Role = "sidecar"
	// RoleInit is an init container that ends before the containers start.
	RoleInit Role = "init"
)

// Roles returns the closed list.
func Roles() []Role { return []Role{RoleContainer, RoleSidecar, RoleInit} }

// Source says where an amount came from. The empty source means that there is no amount.
type Source string

const (
	// SourceRequest: written in the container's requests.
	SourceRequest Source = "request"
	// SourceLimit: written as the limit; it stands in for a missing request when the pod is created.
	SourceLimit Source = "limit"
	// SourceLimitRange: filled in from a LimitRange when the pod is created.
	SourceLimitRange Source = "limit-range"
	// SourcePodLevel: written in the pod's own resources.
	SourcePodLevel Source = "pod-level"
)

// Sources returns the closed list.
func Sources() []Source {
	return []Source{SourceRequest, SourceLimit, SourceLimitRange, SourcePodLevel}
}

// Amount is an amount of one resource in thousandths (millicores, milli-bytes), rounded up to a whole thousandth.
type Amount struct {
	Milli  int64  `json:"milli"`
	Source Source `json:"source,omitempty"`
}

// Present says whether there is an amount at all; an amount of 0 is present.
func (a Amount) Present() bool { return a.Source != "" }

// Container is one container of the finished pod, for one resource.
type Container struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
	// Injected is true for a container that only the live pod has.
	Injected bool `json:"injected,omitempty"`
	// Request and Limit are the amounts that the finished pod has.
	Request Amount `json:"request"`
	Limit   Amount `json:"limit"`
}

// Containers returns the containers of the finished pod with their amounts of one resource: containers, then init containers, each list in
// the template's order with injected ones behind it.
//
// The amounts are those of the created pod: a limit stands in for a missing request of the same container, then LimitRange defaults fill
// what is still missing (with the LimitRange's own defaults: max stands in for a missing default, default or min for a missing
// defaultRequest). Ephemeral containers cannot have resources and are left out.
//
// Errors: an amount that is negative or whose thousandths do not fit in int64.
// Source: pkg/apis/core/v1/defaults.go (SetDefaults_Pod, SetDefaults_LimitRangeItem), plugin/pkg/admission/limitranger.
func (p Pod) Containers(name corev1.ResourceName) ([]Container, *field.Error) {
	if p.Spec == nil {
		return nil, nil
	}
	request, limit, err := limitRangeDefaults(p.LimitRanges, name)
	if err != nil {
		return nil, err
	}
	live := p.liveSpec()
	out := make([]Container, 0, len(p.Spec.Containers)+len(p.Spec.InitContainers))
	add := func(list []corev1.Container, init, injected bool, root ...string) *field.Error {
		for i := range list {
			c := &list[i]
			if injected && p.has(c.Name) {
				continue
			}
			role := RoleContainer
			if init {
				role = RoleInit
				if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
					role = RoleSidecar
				}
			}
			made, err := finish(c, name, request, limit, i, root)
			if err != nil {
				return err
			}
			made.Role, made.Injected = role, injected
			out = append(out, made)
		}
		return nil
	}
	for _, part := range []struct {
		list           []corev1.Container
		init, injected bool
		root           []string
	}{
		{p.Spec.Containers, false, false, []string{"template", "spec", "containers"}},
		{live.Containers, false, true, []string{"livePod", "spec", "containers"}},
		{p.Spec.InitContainers, true, false, []string{"template", "spec", "initContainers"}},
		{live.InitContainers, true, true, []string{"livePod", "spec", "initContainers"}},
	} {
		if err := add(part.list, part.init, part.injected, part.root...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

var nothing corev1.PodSpec

func (p Pod) liveSpec() *corev1.PodSpec {
	if p.Live == nil {
		return &nothing
	}
	return &p.Live.Spec
}

// has says whether the template itself has a container of that name.
func (p Pod) has(name string) bool {
	same := func(c corev1.Container) bool { return c.Name == name }
	return slices.ContainsFunc(p.Spec.Containers, same) || slices.ContainsFunc(p.Spec.InitContainers, same)
}

func finish(c *corev1.Container, name corev1.ResourceName, request, limit Amount, index int, root []string) (Container, *field.Error) {
	out := Container{Name: c.Name}
	var bad string
	var err error
	if out.Request, err = amount(c.Resources.Requests, name, SourceRequest); err != nil {
		bad = "requests"
	} else if out.Limit, err = amount(c.Resources.Limits, name, SourceLimit); err != nil {
		bad = "limits"
	}
	if err != nil {
		at := field.NewPath(root[0], root[1:]...).Index(index).Child("resources", bad).Key(string(name))
		return out, invalid(at, c.Resources, bad, name, err)
	}
	if !out.Request.Present() && out.Limit.Present() {
		out.Request = out.Limit
	}
	if !out.Limit.Present() {
		out.Limit = limit
	}
	if !out.Request.Present() {
		out.Request = request
	}
	return out, nil
}

func invalid(at *field.Path, r corev1.ResourceRequirements, list string, name corev1.ResourceName, err error) *field.Error {
	q := r.Limits[name]
	if list == "requests" {
		q = r.Requests[name]
	}
	return field.Invalid(at, text(q), err.Error())
}

// text prints a copy: String caches its answer in the quantity.
func text(q resource.Quantity) string {
	c := q.DeepCopy()
	return c.String()
}

func amount(list corev1.ResourceList, name corev1.ResourceName, source Source) (Amount, error) {
	q, ok := list[name]
	if !ok {
		return Amount{}, nil
	}
	m, err := exact.Milli(q)
	if err != nil {
		return Amount{}, err
	}
	return Amount{Milli: m, Source: source}, nil
}

// limitRangeDefaults returns the request and the limit that LimitRanges give to a container without them.
func limitRangeDefaults(ranges []corev1.LimitRange, name corev1.ResourceName) (request, limit Amount, bad *field.Error) {
	if len(ranges) == 0 {
		return request, limit, nil
	}
	order := make([]int, len(ranges))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(ranges[a].Name, ranges[b].Name) })
	for _, i := range order {
		r, l, err := ownDefaults(ranges[i].Spec.Limits, name, field.NewPath("limitRanges").Index(i).Child("spec", "limits"))
		if err != nil {
			return request, limit, err
		}
		if !request.Present() {
			request = r
		}
		if !limit.Present() {
			limit = l
		}
	}
	return request, limit, nil
}

// ownDefaults reads one LimitRange; a later item of type Container overrides an earlier one, as upstream's maps do.
func ownDefaults(items []corev1.LimitRangeItem, name corev1.ResourceName, at *field.Path) (request, limit Amount, bad *field.Error) {
	for i := range items {
		item := &items[i]
		if item.Type != corev1.LimitTypeContainer {
			continue
		}
		pick := func(lists ...corev1.ResourceList) Amount {
			for _, list := range lists {
				a, err := amount(list, name, SourceLimitRange)
				if err != nil {
					bad = field.Invalid(at.Index(i).Key(string(name)), text(list[name]), err.Error())
				}
				if a.Present() || bad != nil {
					return a
				}
			}
			return Amount{}
		}
		if l := pick(item.Default, item.Max); l.Present() {
			limit = l
		}
		if r := pick(item.DefaultRequest, item.Default, item.Max, item.Min); r.Present() {
			request = r
		}
		if bad != nil {
			return request, limit, bad
		}
	}
	return request, limit, nil
}
