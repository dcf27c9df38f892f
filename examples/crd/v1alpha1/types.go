// Package v1alpha1 is an example of a custom resource that keeps what the library returns: the types are embedded as they are, with their deep
// copies and their schema.
//
// Reasons are texts in the schema, not enumerations: an object that a newer library has written must pass the schema of an older release.
//
// +kubebuilder:object:generate=true
// +groupName=example.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Rightsizing is one workload's rightsizing.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Rightsizing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   RightsizingSpec   `json:"spec"`
	Status RightsizingStatus `json:"status,omitempty"`
}

// RightsizingSpec says what is wished for, and what is allowed.
type RightsizingSpec struct {
	Workload hpacouple.Workload `json:"workload"`
	// HPA is the policy of coordination.
	HPA *hpacouple.HPAPolicy `json:"hpa,omitempty"`
	// Options of the planner.
	Options hpacouple.Options `json:"options,omitempty"`
	// +listType=map
	// +listMapKey=container
	Recommendations []hpacouple.Recommendation `json:"recommendations,omitempty"`
	// Recommended is what the plan says of the HPA.
	Recommended *hpacouple.RecommendationHPA `json:"recommended,omitempty"`
}

// RightsizingStatus is what was planned and done.
type RightsizingStatus struct {
	hpacouple.RecommendationHPAStatus `json:",inline"`
	// State is kept from one plan to the next.
	State *hpacouple.State `json:"state,omitempty"`
	// Plan is the last one, Verdict what the agent said to it.
	Plan    *hpacouple.Result  `json:"plan,omitempty"`
	Verdict *hpacouple.Verdict `json:"verdict,omitempty"`
	// Change is the one that is in force or under way, Taken what was taken over for it.
	Change *hpacouple.Change `json:"change,omitempty"`
	Taken  *hpacouple.Taken  `json:"taken,omitempty"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// RightsizingList is a list of them.
// +kubebuilder:object:root=true
type RightsizingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Rightsizing `json:"items"`
}
