package metrics

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// Basis says by which rule a request sum was made.
type Basis string

const (
	// BasisContainers: the sum over containers and sidecars.
	BasisContainers Basis = "containers"
	// BasisContainer: one named container alone.
	BasisContainer Basis = "container"
	// BasisPodLevel: the pod's own request of the resource, plus overhead. Container requests play no part.
	BasisPodLevel Basis = "pod-level"
	// BasisAggregate: the pod has requests of its own but not of this resource; the API server then fills in what the scheduler would
	// reserve, max(containers + sidecars, the largest init step), and the HPA adds the overhead.
	BasisAggregate Basis = "aggregate"
)

// Bases returns the closed list.
func Bases() []Basis {
	return []Basis{BasisContainers, BasisContainer, BasisPodLevel, BasisAggregate}
}

// Sum is a request sum: what the HPA divides usage by, for one pod, one resource and at most one container.
type Sum struct {
	Resource corev1.ResourceName `json:"resource"`
	// Container is set where one container alone counts.
	Container string `json:"container,omitempty"`
	Basis     Basis  `json:"basis"`
	// Milli is the sum in thousandths.
	Milli int64 `json:"milli"`
	// PodLevel is the pod's own request where the basis is pod-level.
	PodLevel Amount `json:"podLevel,omitzero"`
	// Overhead is the runtime class's overhead in thousandths where it counts (pod-level and aggregate), else 0.
	Overhead int64 `json:"overhead,omitempty"`
	// Terms are all containers of the pod, counted or not.
	Terms []Term `json:"terms"`
}

// Term is one container's part in a request sum.
type Term struct {
	Container
	// Counted says whether the container's request enters the sum. In an aggregate, init containers enter by their maximum.
	Counted bool `json:"counted"`
}

// MissingRequestError says that the HPA cannot compute utilization, because a request is missing.
type MissingRequestError struct {
	Resource corev1.ResourceName
	// Containers are the counted ones without a request, in pod order. Empty means that the pod as a whole has none.
	Containers []string
}

func (e *MissingRequestError) Error() string {
	if len(e.Containers) == 0 {
		return fmt.Sprintf("missing pod-level request for %s", e.Resource)
	}
	return fmt.Sprintf("missing request for %s in container %s", e.Resource, strings.Join(e.Containers, ", "))
}

// UnknownContainerError says that the pod has no container or sidecar of that name.
type UnknownContainerError struct{ Container string }

func (e *UnknownContainerError) Error() string {
	return fmt.Sprintf("container %s not found in the pod", e.Container)
}

// Requests returns the request sum of the finished pod as the HPA controller computes it.
//
//	container given:                  the request of that container or sidecar
//	pod has no requests of its own:   sum over containers and sidecars
//	pod has its own request:          that request + overhead
//	pod has other requests:           max(sum over containers and sidecars, largest init step) + overhead
//
// Units: thousandths (millicores, milli-bytes); each amount is rounded up to a whole thousandth before it is added, so the sum can be too
// large by less than one thousandth a container and utilization too small by as little.
//
// Limits: devices' claims on cpu and memory (DynamicResourceAllocation) are not seen, since the template does not hold them. Ordinary init
// containers and ephemeral containers do not count outside aggregates.
//
// Errors: [*MissingRequestError] where a counted container, or the pod, has no request (a request of 0 is one); [*UnknownContainerError];
// [*field.Error] for an amount or a sum that is negative or beyond int64.
//
// Source: pkg/controller/podautoscaler/replica_calculator.go (calculateRequests), component-helpers/resource (PodRequests), and the API
// server's defaults as in [Pod.Containers] and pkg/api/pod (DefaultPodLevelResources, on by default in 1.37).
func (p Pod) Requests(name corev1.ResourceName, container string) (Sum, error) {
	list, bad := p.Containers(name)
	if bad != nil {
		return Sum{Resource: name, Container: container, Basis: BasisContainers}, bad
	}
	return p.RequestsOf(list, name, container)
}

// RequestsOf is [Pod.Requests] for a caller who has the list of [Pod.Containers] for the resource already.
func (p Pod) RequestsOf(list []Container, name corev1.ResourceName, container string) (Sum, error) {
	s := Sum{Resource: name, Container: container, Basis: BasisContainers}
	s.Terms = make([]Term, len(list))
	for i := range list {
		s.Terms[i] = Term{Container: list[i], Counted: list[i].Role != RoleInit}
	}
	if container != "" {
		return s.one(container)
	}
	own, overhead, bad := p.own(name)
	if bad != nil {
		return s, bad
	}
	if p.podLevel() {
		s.Overhead = overhead.Milli
		return s.aggregate(own, overhead)
	}
	var missing []string
	for i := range s.Terms {
		if t := &s.Terms[i]; t.Counted && !t.Request.Present() {
			missing = append(missing, t.Name)
		}
	}
	if len(missing) > 0 {
		return s, &MissingRequestError{Resource: name, Containers: missing}
	}
	return s.total()
}

func (s Sum) one(container string) (Sum, error) {
	s.Basis = BasisContainer
	found, missing := false, false
	for i := range s.Terms {
		t := &s.Terms[i]
		t.Counted = !found && t.Role != RoleInit && t.Name == container
		found = found || t.Counted
		missing = missing || (t.Counted && !t.Request.Present())
	}
	switch {
	case !found:
		return s, &UnknownContainerError{Container: container}
	case missing:
		return s, &MissingRequestError{Resource: s.Resource, Containers: []string{container}}
	}
	return s.total()
}

func (s Sum) aggregate(own, overhead Amount) (Sum, error) {
	requested := false
	for i := range s.Terms {
		requested = requested || s.Terms[i].Request.Present()
	}
	switch {
	case own.Source == SourcePodLevel || (own.Present() && (!requested || hugePages(s.Resource))):
		s.Basis, s.PodLevel = BasisPodLevel, own
		for i := range s.Terms {
			s.Terms[i].Counted = false
		}
	case requested || overhead.Present():
		s.Basis = BasisAggregate
		for i := range s.Terms {
			s.Terms[i].Counted = true
		}
	default:
		s.Basis = BasisPodLevel
		return s, &MissingRequestError{Resource: s.Resource}
	}
	return s.total()
}

func (s Sum) total() (Sum, error) {
	m, ok := s.With(nil)
	if !ok {
		return s, field.Invalid(field.NewPath("template", "spec"), string(s.Resource), "the request sum "+exact.ErrRange.Error())
	}
	s.Milli = m
	return s, nil
}

// With returns the sum as it would be with other requests: request gives the new request of Terms[i] in thousandths; nil keeps all.
// Special cases: a negative request, or a sum beyond int64, is not ok.
func (s Sum) With(request func(i int) (milli int64)) (int64, bool) {
	if s.Basis == BasisPodLevel {
		return exact.Add(s.PodLevel.Milli, s.Overhead)
	}
	var sum, sidecars, step int64
	ok := true
	add := func(a, b int64) int64 {
		c, fits := exact.Add(a, b)
		ok = ok && fits && a >= 0 && b >= 0
		return c
	}
	for i := range s.Terms {
		t := &s.Terms[i]
		if !t.Counted {
			continue
		}
		m := t.Request.Milli
		if request != nil {
			m = request(i)
		}
		switch t.Role {
		case RoleInit: // runs beside the sidecars that were started before it
			step = max(step, add(m, sidecars))
		case RoleSidecar:
			sidecars = add(sidecars, m)
			sum = add(sum, m)
		default:
			sum = add(sum, m)
		}
	}
	return add(max(sum, step), s.Overhead), ok
}

// podLevel says whether the finished pod has requests of its own, so that the HPA takes the pod-level rules: the template gives a pod-level
// request of cpu, memory or huge pages, or gives any pod-level amount from which the API server makes one.
func (p Pod) podLevel() bool {
	if p.Spec == nil || p.Spec.Resources == nil {
		return false
	}
	r := p.Spec.Resources
	for name := range r.Requests {
		if supportedPodLevel(name) {
			return true
		}
	}
	if len(r.Requests)+len(r.Limits) == 0 {
		return false
	}
	for name := range r.Limits {
		if supportedPodLevel(name) {
			return true
		}
	}
	// Only names that the API server refuses are left; it would still fill in what the containers request.
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		others, err := p.Containers(name)
		for _, c := range others {
			if err == nil && c.Request.Present() {
				return true
			}
		}
	}
	return false
}

// hugePages cannot be overcommitted: the API server makes the pod-level request from the pod-level limit at once.
func hugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func supportedPodLevel(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || hugePages(name)
}

// own returns the pod's own request of a resource (its source is limit where only the pod-level limit is given) and the overhead.
func (p Pod) own(name corev1.ResourceName) (request, overhead Amount, bad *field.Error) {
	if p.Spec == nil {
		return request, overhead, nil
	}
	if supportedPodLevel(name) {
		var limit Amount
		if request, limit, bad = p.PodLevel(name); bad != nil {
			return request, overhead, bad
		}
		if !request.Present() && limit.Present() {
			request = limit
			request.Source = SourceLimit
		}
	}
	list := p.Spec.Overhead
	if list == nil {
		list = p.liveSpec().Overhead
	}
	overhead, err := amount(list, name, SourcePodLevel)
	if err != nil {
		return request, overhead, field.Invalid(field.NewPath("template", "spec", "overhead").Key(string(name)), text(list[name]), err.Error())
	}
	return request, overhead, nil
}

// PodLevel returns the pod's own request and limit of a resource as the template gives them, absent where it gives none.
// Errors: an amount that is negative or whose thousandths do not fit in int64.
func (p Pod) PodLevel(name corev1.ResourceName) (request, limit Amount, bad *field.Error) {
	if p.Spec == nil || p.Spec.Resources == nil {
		return request, limit, nil
	}
	r, at := p.Spec.Resources, field.NewPath("template", "spec", "resources")
	var err error
	if request, err = amount(r.Requests, name, SourcePodLevel); err != nil {
		return request, limit, (&badAmount{"requests", r.Requests[name], err}).at(at, name)
	}
	if limit, err = amount(r.Limits, name, SourcePodLevel); err != nil {
		return request, limit, (&badAmount{"limits", r.Limits[name], err}).at(at, name)
	}
	return request, limit, nil
}
