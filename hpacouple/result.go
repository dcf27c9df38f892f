package hpacouple

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// +kubebuilder:object:generate=true

// Result is a plan: plain data that shares nothing with its input.
type Result struct {
	Workload Workload `json:"workload"`
	Outcome  Outcome  `json:"outcome"`
	// SkipReason is the first of SkipReasons. Both are empty unless the outcome is Skip.
	SkipReason skipreason.Skip `json:"skipReason,omitempty"`
	// +listType=atomic
	SkipReasons []skipreason.Skip `json:"skipReasons,omitempty"`
	// Cause says why the target is out of bounds, where that is among the skip reasons.
	Cause bounds.Cause `json:"cause,omitempty"`
	// Missing names the containers whose missing request is the skip reason missing-request. A pod-level request has the empty name.
	// +listType=atomic
	Missing []string `json:"missing,omitempty"`
	// RiskFlags in the order of [skipreason.RiskFlags], each once.
	// +listType=atomic
	RiskFlags []skipreason.RiskFlag `json:"riskFlags,omitempty"`
	// Findings say where the flags come from: object, field, number.
	// +listType=atomic
	Findings []risk.Finding `json:"findings,omitempty"`
	// HPA is the HPA that was given as Input.HPA; its name is empty where there is none.
	HPA HPARef `json:"hpa"`
	// Targets are the coupled entries of the HPA (of all HPAs, if there are several), in their order.
	// +listType=atomic
	Targets []TargetPlan `json:"targets,omitempty"`
	// Containers are what was asked for and what counts, in the order of the pod, cpu before memory.
	// +listType=atomic
	Containers []ContainerPlan `json:"containers,omitempty"`
	// Working is the arithmetic, where there is a coupled resource that can be coordinated.
	Working *Working `json:"working,omitempty"`
	// Footprints are the requests of one pod before, as recommended and after, cpu before memory: what the plan saves, whatever its outcome.
	// +listType=atomic
	Footprints []Footprint `json:"footprints,omitempty"`
	// Standing says what the pair in force is in the eyes of the state; empty where there was none or nothing could be compared.
	Standing Standing `json:"standing,omitempty"`
	// State is the state to store before the plan is carried out; nil where none was given.
	State *State `json:"state,omitempty"`
	// Observed is what the plan was made for; [Admit] compares it with the live objects.
	Observed Observed `json:"observed"`
}

// +kubebuilder:object:generate=true

// HPARef names an HPA object.
type HPARef struct {
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name,omitempty"`
	UID       types.UID `json:"uid,omitempty"`
}

// +kubebuilder:object:generate=true

// TargetPlan is one coupled entry of an HPA.
type TargetPlan struct {
	// HPA is the name of the HPA whose entry it is.
	HPA       string                         `json:"hpa,omitempty"`
	Type      autoscalingv2.MetricSourceType `json:"type"`
	Resource  corev1.ResourceName            `json:"resource"`
	Container string                         `json:"container,omitempty"`
	// From and To are whole percent. They are equal unless the outcome is Coordinate.
	From int32 `json:"from"`
	To   int32 `json:"to"`
	// Exact is T x R / R' for the requests that will be written, as a fraction; with an anchor T0 x R0 / R'.
	Exact Fraction `json:"exact"`
	// Wanted is the same for the settled requests, before any was moved to keep the target in bounds, as a fraction; empty where no request
	// sum is known.
	Wanted Fraction `json:"wanted,omitempty"`
}

// +kubebuilder:object:generate=true

// ContainerPlan is one container and resource.
type ContainerPlan struct {
	Name     string              `json:"name"`
	Role     metrics.Role        `json:"role"`
	Injected bool                `json:"injected,omitempty"`
	Resource corev1.ResourceName `json:"resource"`
	// From is the request in force, nil where there is none; Source says whether a limit or a LimitRange stands in for it.
	From   *resource.Quantity `json:"from,omitempty"`
	Source metrics.Source     `json:"source,omitempty"`
	// Recommended is what was asked for, nil where nothing was.
	Recommended *resource.Quantity `json:"recommended,omitempty"`
	// Settled is the request that the container would get for itself (bounds.Settle), nil where there is none.
	Settled *resource.Quantity `json:"settled,omitempty"`
	// To is the final request. On Skip and NoChange it is From.
	To *resource.Quantity `json:"to,omitempty"`
	// BoundBy says which rule set To.
	BoundBy bounds.Rule `json:"boundBy"`
	// LimitFrom and LimitTo are the limits before and after, nil where there is none; LimitAsked is the limit that was asked for.
	LimitFrom  *resource.Quantity `json:"limitFrom,omitempty"`
	LimitAsked *resource.Quantity `json:"limitAsked,omitempty"`
	LimitTo    *resource.Quantity `json:"limitTo,omitempty"`
	// LimitDefaulted says that the limit was asked to be taken away and that a LimitRange gives one again: LimitTo is not written.
	LimitDefaulted bool `json:"limitDefaulted,omitempty"`
	// Locked says that the request must not decrease.
	Locked bool `json:"locked,omitempty"`
	// Counted says that the request is part of the request sum of the coupled resource.
	Counted bool `json:"counted,omitempty"`
}

// Changes says whether the final request differs from the one in force.
func (c ContainerPlan) Changes() bool {
	if c.From == nil || c.To == nil {
		return c.From != c.To
	}
	return compare(*c.From, *c.To) != 0
}

// +kubebuilder:object:generate=true

// Working is the arithmetic of one coordinated entry, in thousandths and whole percent.
type Working struct {
	Resource corev1.ResourceName `json:"resource"`
	// Basis says by which rule the request sums were made.
	Basis metrics.Basis `json:"basis"`
	// Old, Wanted and New are the request sums before, with the settled requests, and with the final ones.
	Old    int64 `json:"old"`
	Wanted int64 `json:"wanted"`
	New    int64 `json:"new"`
	// Anchor is the pair whose product is kept, with the present requests of injected containers; nil where there is no state: then it is the
	// pair in force.
	Anchor *bounds.Pair `json:"anchor,omitempty"`
	// Bounds are the effective target bounds with the rule that set each side.
	Bounds bounds.Interval `json:"bounds"`
	// Acted says which bound held the target, and Needed the request sum that it asked for.
	Acted  bounds.Rule `json:"acted,omitempty"`
	Needed int64       `json:"needed,omitempty"`
	// Reach says whether the pair that will be in force can scale out.
	Reach bounds.Reach `json:"reach"`
}

// +kubebuilder:object:generate=true

// Footprint is what one pod requests of a resource in its containers and sidecars.
type Footprint struct {
	Resource corev1.ResourceName `json:"resource"`
	From     resource.Quantity   `json:"from"`
	// Recommended is the sum of the settled requests as if every resource were in auto-patch: what the recommendation would save.
	Recommended resource.Quantity `json:"recommended"`
	To          resource.Quantity `json:"to"`
}

// +kubebuilder:object:generate=true

// Observed is the state that a plan was made for.
type Observed struct {
	HPA HPARef `json:"hpa"`
	// Entries are the HPA's entries after the API server's defaults.
	// +listType=atomic
	Entries []metrics.Entry `json:"entries,omitempty"`
	// ScaleTarget is what the HPA scales.
	ScaleTarget autoscalingv2.CrossVersionObjectReference `json:"scaleTarget,omitzero"`
	// Tolerance is behavior.scaleUp.tolerance, empty where there is none.
	Tolerance string `json:"tolerance,omitempty"`
	// Amounts are the written requests and limits of the template's containers, and of the pod itself (without a name).
	// +listType=atomic
	Amounts []ObservedAmount `json:"amounts,omitempty"`
	// Sums are the request sums of the coupled entries as the template alone gives them.
	// +listType=atomic
	Sums []ObservedSum `json:"sums,omitempty"`
}

// +kubebuilder:object:generate=true

// ObservedSum is the request sum of one coupled entry, without LimitRanges and injected containers.
type ObservedSum struct {
	Resource  corev1.ResourceName `json:"resource"`
	Container string              `json:"container,omitempty"`
	// Milli is the sum in thousandths, 0 where there is none.
	Milli int64 `json:"milli,omitempty"`
	// Missing names the containers without a request.
	// +listType=atomic
	Missing []string `json:"missing,omitempty"`
}

// +kubebuilder:object:generate=true

// ObservedAmount is a written request and limit of one container and resource; nil means that it is absent.
type ObservedAmount struct {
	Container string              `json:"container"`
	Resource  corev1.ResourceName `json:"resource"`
	Request   *resource.Quantity  `json:"request,omitempty"`
	Limit     *resource.Quantity  `json:"limit,omitempty"`
}
