package hpacouple

import "k8s.io/apimachinery/pkg/util/validation/field"

// +kubebuilder:object:generate=true

// Policy is the agent's policy (protocol A5), as it stands in a resource of any kind:
//
//	spec:
//	  hpa:
//	    coordinate: true
//	    targetBounds:
//	      minUtilization: 50
//	      maxUtilization: 85
//
// The zero value is the default: coordination is off.
type Policy struct {
	Spec PolicySpec `json:"spec"`
}

// +kubebuilder:object:generate=true

// PolicySpec holds the part of the policy that is about HPAs.
type PolicySpec struct {
	HPA *HPAPolicy `json:"hpa,omitempty"`
}

// +kubebuilder:object:generate=true

// HPAPolicy says whether requests and HPA targets may be changed together, and within which targets.
type HPAPolicy struct {
	// Coordinate switches coordination on. Default: off.
	Coordinate bool `json:"coordinate,omitempty"`
	// TargetBounds are enforced by the agent and are not widened. Default: open.
	TargetBounds *TargetBounds `json:"targetBounds,omitempty"`
}

// +kubebuilder:object:generate=true

// TargetBounds are target utilizations in whole percent; a side that is not given is open.
type TargetBounds struct {
	MinUtilization *int32 `json:"minUtilization,omitempty"`
	MaxUtilization *int32 `json:"maxUtilization,omitempty"`
}

// Coordinates says whether the policy switches coordination on.
func (p Policy) Coordinates() bool { return p.Spec.HPA != nil && p.Spec.HPA.Coordinate }

// Allows says whether a target is within the policy's bounds.
func (p Policy) Allows(target int32) bool {
	if p.Spec.HPA == nil || p.Spec.HPA.TargetBounds == nil {
		return true
	}
	b := p.Spec.HPA.TargetBounds
	return (b.MinUtilization == nil || target >= *b.MinUtilization) && (b.MaxUtilization == nil || target <= *b.MaxUtilization)
}

// Validate returns what cannot be meant: a bound below 1, or a minimum above the maximum.
func (p Policy) Validate() (errs field.ErrorList) {
	if p.Spec.HPA == nil || p.Spec.HPA.TargetBounds == nil {
		return nil
	}
	at, b := field.NewPath("spec", "hpa", "targetBounds"), p.Spec.HPA.TargetBounds
	if b.MinUtilization != nil && *b.MinUtilization < 1 {
		errs = append(errs, field.Invalid(at.Child("minUtilization"), *b.MinUtilization, "must be at least 1"))
	}
	if b.MaxUtilization != nil && *b.MaxUtilization < 1 {
		errs = append(errs, field.Invalid(at.Child("maxUtilization"), *b.MaxUtilization, "must be at least 1"))
	}
	if b.MinUtilization != nil && b.MaxUtilization != nil && *b.MinUtilization > *b.MaxUtilization {
		errs = append(errs, field.Invalid(at.Child("maxUtilization"), *b.MaxUtilization, "must be at least minUtilization"))
	}
	return errs
}
