package metrics

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// +kubebuilder:object:generate=true

// Pod is what is known about one pod of a workload: the template's spec, and what the cluster adds to it on the way to the pod that the HPA
// sees. For a pod that already runs, give its own spec and leave the rest empty.
type Pod struct {
	// Spec is the pod template's spec, or a pod's.
	Spec *corev1.PodSpec
	// LimitRanges are the ones of the namespace. Where several set a default for one resource the API server's order is undefined; here the
	// first by name wins.
	LimitRanges []corev1.LimitRange
	// Live is one of the workload's pods. It only adds what the template lacks: containers that were injected, by name, and the overhead of a
	// runtime class. Where both have a container the template wins. Give a pod of the present template: a container that an older revision had
	// and the template dropped would count as injected.
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
	// Format is how the amount was written.
	Format resource.Format `json:"format,omitempty"`
}

// Present says whether there is an amount at all; an amount of 0 is present.
func (a Amount) Present() bool { return a.Source != "" }

// Quantity returns the amount as a quantity with canonical text, nil where there is none.
func (a Amount) Quantity() *resource.Quantity {
	if !a.Present() {
		return nil
	}
	q := exact.Quantity(a.Milli, a.Format)
	return &q
}

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

// Containers returns the containers of the finished pod with their amounts of one resource: containers, then init containers. Injected
// containers stand behind the template's; an injected init container stands before the first of the template's init containers that follows
// it in the live pod, since the order of init containers decides an aggregate.
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
	request, limit, bad := limitRangeDefaults(p.LimitRanges, name)
	if bad != nil {
		return nil, bad
	}
	out := make([]Container, 0, len(p.Spec.Containers)+len(p.Spec.InitContainers))
	add := func(list []corev1.Container, i int, injected bool, kind string) {
		c := &list[i]
		made, err := finish(c, name, request, limit)
		if err != nil && bad == nil {
			root := "template"
			if injected {
				root = "livePod"
			}
			bad = err.at(field.NewPath(root, "spec", kind).Index(i).Child("resources"), name)
		}
		made.Role, made.Injected = role(c, kind == "initContainers"), injected
		out = append(out, made)
	}
	for i := range p.Spec.Containers {
		add(p.Spec.Containers, i, false, "containers")
	}
	live := p.liveSpec()
	for i := range live.Containers {
		if !p.has(live.Containers[i].Name) {
			add(live.Containers, i, true, "containers")
		}
	}
	next := 0 // the first init container of the live pod that has no place yet
	for i := range p.Spec.InitContainers {
		name := p.Spec.InitContainers[i].Name
		if indexOf(live.InitContainers[next:], name) >= 0 {
			for ; live.InitContainers[next].Name != name; next++ {
				if !p.has(live.InitContainers[next].Name) {
					add(live.InitContainers, next, true, "initContainers")
				}
			}
			next++
		}
		add(p.Spec.InitContainers, i, false, "initContainers")
	}
	for ; next < len(live.InitContainers); next++ {
		if !p.has(live.InitContainers[next].Name) {
			add(live.InitContainers, next, true, "initContainers")
		}
	}
	if bad != nil {
		return nil, bad
	}
	return out, nil
}

func role(c *corev1.Container, init bool) Role {
	switch {
	case !init:
		return RoleContainer
	case c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways:
		return RoleSidecar
	}
	return RoleInit
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
	return indexOf(p.Spec.Containers, name) >= 0 || indexOf(p.Spec.InitContainers, name) >= 0
}

// indexOf finds a container by name without copying any, -1 for none.
func indexOf(list []corev1.Container, name string) int {
	for i := range list {
		if list[i].Name == name {
			return i
		}
	}
	return -1
}

// badAmount is an amount that cannot be counted.
type badAmount struct {
	list  string // requests or limits
	value resource.Quantity
	err   error
}

func (b *badAmount) at(resources *field.Path, name corev1.ResourceName) *field.Error {
	return field.Invalid(resources.Child(b.list).Key(string(name)), text(b.value), b.err.Error())
}

// finish gives a container the amounts that it has in the created pod.
func finish(c *corev1.Container, name corev1.ResourceName, request, limit Amount) (Container, *badAmount) {
	out := Container{Name: c.Name}
	var err error
	if out.Request, err = amount(c.Resources.Requests, name, SourceRequest); err != nil {
		return out, &badAmount{"requests", c.Resources.Requests[name], err}
	}
	if out.Limit, err = amount(c.Resources.Limits, name, SourceLimit); err != nil {
		return out, &badAmount{"limits", c.Resources.Limits[name], err}
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
	return Amount{Milli: m, Source: source, Format: q.Format}, nil
}

// Defaults returns the request and the limit that the LimitRanges give to a container that has neither. Errors: as in [Pod.Containers].
func (p Pod) Defaults(name corev1.ResourceName) (request, limit Amount, bad *field.Error) {
	return limitRangeDefaults(p.LimitRanges, name)
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
		lists := [...]struct {
			name    string
			amounts corev1.ResourceList
			limit   bool // stands for the default limit
		}{{"defaultRequest", item.DefaultRequest, false}, {"default", item.Default, true}, {"max", item.Max, true}, {"min", item.Min, false}}
		var r, l Amount
		for _, list := range lists {
			a, err := amount(list.amounts, name, SourceLimitRange)
			if err != nil {
				return request, limit, field.Invalid(at.Index(i).Child(list.name).Key(string(name)), text(list.amounts[name]), err.Error())
			}
			if !r.Present() {
				r = a
			}
			if !l.Present() && list.limit {
				l = a
			}
		}
		if r.Present() {
			request = r
		}
		if l.Present() {
			limit = l
		}
	}
	return request, limit, nil
}
