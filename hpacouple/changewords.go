package hpacouple

import (
	"fmt"
	"slices"
)

// Strategy is how a change reaches the pods. The zero value is not a member of the list.
type Strategy string

// Rollout replaces pods. It is the one strategy of a coordinated change (protocol A3): an in-place resize changes requests pod by pod under a
// target that is already another.
const Rollout Strategy = "Rollout"

// Strategies returns the closed list.
func Strategies() []Strategy { return []Strategy{Rollout} }

// Valid says whether s is a member of the list.
func (s Strategy) Valid() bool { return slices.Contains(Strategies(), s) }

// MarshalText writes a member of the list and refuses every other text.
func (s Strategy) MarshalText() ([]byte, error) { return marshalWord(s, Strategies(), "strategy") }

// UnmarshalText reads a member of the list and refuses every other text.
func (s *Strategy) UnmarshalText(text []byte) error {
	return unmarshalWord(s, text, Strategies(), "strategy")
}

// Place says where in a pod template an amount stands. The zero value is not a member of the list.
type Place string

const (
	// InContainers: in an item of spec.containers.
	InContainers Place = "containers"
	// InInitContainers: in an item of spec.initContainers; sidecars stand there as well.
	InInitContainers Place = "initContainers"
	// InPod: in the pod's own spec.resources. The container's name is empty.
	InPod Place = "pod"
)

// Places returns the closed list.
func Places() []Place { return []Place{InContainers, InInitContainers, InPod} }

// Valid says whether p is a member of the list.
func (p Place) Valid() bool { return slices.Contains(Places(), p) }

// MarshalText writes a member of the list and refuses every other text.
func (p Place) MarshalText() ([]byte, error) { return marshalWord(p, Places(), "place") }

// UnmarshalText reads a member of the list and refuses every other text.
func (p *Place) UnmarshalText(text []byte) error {
	return unmarshalWord(p, text, Places(), "place")
}

// AmountKind says whether an amount is a request or a limit. The zero value is not a member of the list.
type AmountKind string

const (
	// Request: resources.requests.
	Request AmountKind = "requests"
	// Limit: resources.limits.
	Limit AmountKind = "limits"
)

// AmountKinds returns the closed list.
func AmountKinds() []AmountKind { return []AmountKind{Request, Limit} }

// Valid says whether k is a member of the list.
func (k AmountKind) Valid() bool { return slices.Contains(AmountKinds(), k) }

// MarshalText writes a member of the list and refuses every other text.
func (k AmountKind) MarshalText() ([]byte, error) {
	return marshalWord(k, AmountKinds(), "kind of amount")
}

// UnmarshalText reads a member of the list and refuses every other text.
func (k *AmountKind) UnmarshalText(text []byte) error {
	return unmarshalWord(k, text, AmountKinds(), "kind of amount")
}

// PatchType is the content type of a write. The zero value is not a member of the list. Both are words of types.PatchType.
type PatchType string

const (
	// ApplyPatch: server-side apply.
	ApplyPatch PatchType = "application/apply-patch+yaml"
	// JSONPatch: RFC 6902; a failed test leaves everything as it was.
	JSONPatch PatchType = "application/json-patch+json"
)

// PatchTypes returns the closed list.
func PatchTypes() []PatchType { return []PatchType{ApplyPatch, JSONPatch} }

// Valid says whether p is a member of the list.
func (p PatchType) Valid() bool { return slices.Contains(PatchTypes(), p) }

// MarshalText writes a member of the list and refuses every other text.
func (p PatchType) MarshalText() ([]byte, error) { return marshalWord(p, PatchTypes(), "patch type") }

// UnmarshalText reads a member of the list and refuses every other text.
func (p *PatchType) UnmarshalText(text []byte) error {
	return unmarshalWord(p, text, PatchTypes(), "patch type")
}

func marshalWord[W ~string](w W, all []W, what string) ([]byte, error) {
	if !slices.Contains(all, w) {
		return nil, fmt.Errorf("unknown %s %q", what, string(w))
	}
	return []byte(w), nil
}

func unmarshalWord[W ~string](w *W, text []byte, all []W, what string) error {
	if !slices.Contains(all, W(text)) {
		return fmt.Errorf("unknown %s %q", what, string(text))
	}
	*w = W(text)
	return nil
}
