package hpacouple

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// +kubebuilder:object:generate=true

// RecommendationHPA is spec.hpa of a RightsizingRecommendation, to be embedded in a custom resource: protocol A6 and A11.
type RecommendationHPA struct {
	// Name of the HPA.
	Name string `json:"name"`
	// Resource that its coupled entry measures.
	Resource corev1.ResourceName `json:"resource"`
	// Target that goes with the recommended requests, in whole percent; the present one where the change is skipped.
	// +kubebuilder:validation:Minimum=1
	Target int32 `json:"target"`
	// SkipReason says why the HPA holds the recommendation back; empty where it does not.
	// +optional
	SkipReason skipreason.Skip `json:"skipReason,omitempty"`
}

// +kubebuilder:object:generate=true

// RecommendationHPAStatus is the HPA's part of a RightsizingRecommendation's status, to be embedded inline.
type RecommendationHPAStatus struct {
	// PreviousHPATarget is the target that was replaced, in whole percent; absent where none was.
	// +optional
	PreviousHPATarget *int32 `json:"previousHPATarget,omitempty"`
}

// RecommendationHPAOf returns spec.hpa for a plan, nil where no HPA is coupled to what may be changed (outcome Uncoupled). Of several coupled
// entries, which are skipped, it shows the first.
func RecommendationHPAOf(plan Result) *RecommendationHPA {
	if !plan.Outcome.Valid() || plan.Outcome == Uncoupled || len(plan.Targets) == 0 {
		return nil
	}
	t := plan.Targets[0]
	return &RecommendationHPA{Name: cmp.Or(t.HPA, plan.HPA.Name), Resource: t.Resource, Target: t.To, SkipReason: plan.SkipReason}
}

// RecommendationHPAStatus returns the status for an applied change. After a rollback it is that of the reversed change: the target which the
// rollback replaced.
func (c Change) RecommendationHPAStatus() RecommendationHPAStatus {
	for _, t := range c.Targets {
		if t.From != t.To {
			from := t.From
			return RecommendationHPAStatus{PreviousHPATarget: &from}
		}
	}
	return RecommendationHPAStatus{}
}
