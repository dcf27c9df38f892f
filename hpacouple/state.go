package hpacouple

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// StateVersion is the version of [State] that this package writes and reads.
const StateVersion = "v1"

// +kubebuilder:object:generate=true

// State is what a caller keeps about a workload from one plan to the next, so that rounded targets do not drift: the pair of requests and
// target that the user chose, and the two pairs that are known to be ours. It is plain data; keep it as JSON in an annotation or as a field of
// a status.
//
// Give [Plan] the stored state and store the one that it returns before the first write of the change; never write an older plan after a newer
// state was stored. The empty state, &State{}, begins: the pair in force becomes the anchor. Delete the state when the workload is released.
//
// It is the state of two objects and knows their uids: on another workload of the same name, or a copy with its annotations, it begins anew, and
// an HPA that was made again is a person's edit. A uid that the caller does not give is not compared.
//
// Only the resource of the coupled entry is in it. Requests are those of the finished pod's containers that the template holds; injected
// containers are not, since they come and go without anybody's choice.
type State struct {
	// Version is StateVersion; a state of another version is refused. It is empty only in the empty state.
	Version string `json:"version"`
	// WorkloadUID and HPAUID are those of the objects that the state is about; empty where they were not known.
	WorkloadUID types.UID `json:"workloadUID,omitempty"`
	HPAUID      types.UID `json:"hpaUID,omitempty"`
	// Resource is the one that the HPA's coupled entry measures.
	Resource corev1.ResourceName `json:"resource"`
	// Anchor is R0 and T0: the pair that the user chose. Each plan keeps its product.
	Anchor AnchorPair `json:"anchor"`
	// Applied is the last pair of ours that was seen in force; nil where there is none.
	Applied *AnchorPair `json:"applied,omitempty"`
	// Previous are the pairs of ours that were in force before the applied one, the last first, at most four: kubectl rollout undo puts the
	// requests of one of them back.
	// +listType=atomic
	Previous []AnchorPair `json:"previous,omitempty"`
	// Pending is the pair of the last plan that has not been seen in force; nil where there is none.
	Pending *AnchorPair `json:"pending,omitempty"`
}

// +kubebuilder:object:generate=true

// AnchorPair is requests and target that belong together.
type AnchorPair struct {
	// Target is in whole percent.
	Target int32 `json:"target"`
	// Requests of the template's containers that count, by name. A pod-level request has the empty name and stands alone.
	// +listType=map
	// +listMapKey=container
	Requests []AnchorRequest `json:"requests,omitempty"`
	// Half says that a newer plan replaced this one when only half of it had been seen in force.
	Half bool `json:"half,omitempty"`
}

// +kubebuilder:object:generate=true

// AnchorRequest is the request of one container.
type AnchorRequest struct {
	Container string            `json:"container"`
	Request   resource.Quantity `json:"request"`
}

// Empty says whether s is the state to begin with, as nil is.
func (s *State) Empty() bool {
	return s == nil || s.Version == "" && s.WorkloadUID == "" && s.HPAUID == "" && s.Resource == "" && s.Applied == nil && len(s.Previous) == 0 && s.Pending == nil &&
		s.Anchor.Target == 0 && !s.Anchor.Half && len(s.Anchor.Requests) == 0
}

// Validate returns what cannot be meant, with paths below at: another version, another resource than cpu and memory, a target below 1, a
// container that is named twice, a request that is negative or whose thousandths pass int64, pairs that are not about the same containers.
// The empty state is valid, and so is nil.
func (s *State) Validate(at *field.Path) (errs field.ErrorList) {
	if s.Empty() {
		return nil
	}
	_, errs = readState(s, at)
	return errs
}

// halves is a pair as it is compared: thousandths by container.
type halves struct {
	target   int32
	requests map[string]int64
	half     bool
}

func (h *halves) equal(o *halves) bool {
	return h != nil && o != nil && h.target == o.target && maps.Equal(h.requests, o.requests)
}

// knownState is a valid state, read.
type knownState struct {
	anchor, applied, pending *halves
	previous                 []*halves // the last first
}

// readState reads a state that is not empty.
func readState(s *State, at *field.Path) (k knownState, errs field.ErrorList) {
	if s.Version != StateVersion {
		errs = append(errs, field.NotSupported(at.Child("version"), s.Version, []string{StateVersion}))
	}
	if !sized(s.Resource) {
		errs = append(errs, field.NotSupported(at.Child("resource"), s.Resource, resources()))
	}
	read := func(pair *AnchorPair, at *field.Path) *halves {
		if pair == nil {
			return nil
		}
		h, bad := readPair(pair, at)
		errs = append(errs, bad...)
		if len(bad) == 0 && k.anchor != nil && !sameNames(h.requests, k.anchor.requests) {
			errs = append(errs, field.Invalid(at.Child("requests"), fmt.Sprint(sortedNames(h.requests)), "must name the anchor's containers"))
		}
		return h
	}
	k.anchor = read(&s.Anchor, at.Child("anchor"))
	k.applied = read(s.Applied, at.Child("applied"))
	for i := range s.Previous {
		k.previous = append(k.previous, read(&s.Previous[i], at.Child("previous").Index(i)))
	}
	k.pending = read(s.Pending, at.Child("pending"))
	return k, errs
}

func readPair(p *AnchorPair, at *field.Path) (*halves, field.ErrorList) {
	var errs field.ErrorList
	h := &halves{target: p.Target, requests: make(map[string]int64, len(p.Requests)), half: p.Half}
	if p.Target < 1 {
		errs = append(errs, field.Invalid(at.Child("target"), p.Target, "must be at least 1"))
	}
	if len(p.Requests) == 0 {
		errs = append(errs, field.Required(at.Child("requests"), "the requests that go with the target"))
	}
	for i := range p.Requests {
		r := &p.Requests[i]
		m, err := exact.Milli(r.Request)
		if err != nil {
			errs = append(errs, field.Invalid(at.Child("requests").Index(i).Child("request"), text(r.Request), err.Error()))
		}
		if _, again := h.requests[r.Container]; again {
			errs = append(errs, field.Duplicate(at.Child("requests").Index(i).Child("container"), r.Container))
		}
		h.requests[r.Container] = m
	}
	return h, errs
}

func sameNames(a, b map[string]int64) bool {
	return slices.Equal(sortedNames(a), sortedNames(b))
}

func sortedNames(m map[string]int64) []string { return slices.Sorted(maps.Keys(m)) }

// pair is the pair as data, by name.
func (h *halves) pair(name corev1.ResourceName) *AnchorPair {
	if h == nil {
		return nil
	}
	format := resource.DecimalSI
	if name == corev1.ResourceMemory {
		format = resource.BinarySI
	}
	out := &AnchorPair{Target: h.target, Half: h.half, Requests: make([]AnchorRequest, 0, len(h.requests))}
	for _, container := range sortedNames(h.requests) {
		out.Requests = append(out.Requests, AnchorRequest{Container: container, Request: exact.Quantity(h.requests[container], format)})
	}
	return out
}
