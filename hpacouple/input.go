package hpacouple

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
)

// +kubebuilder:object:generate=true

// Workload names the object whose pods are resized.
type Workload struct {
	// APIVersion is compared with the HPA's reference by its group where both are given.
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// +kubebuilder:object:generate=true

// Recommendation is what the hub wants for one container, and what it knows about it.
type Recommendation struct {
	// Container is a container, a sidecar or an init container of the template.
	Container string `json:"container"`
	// Requests are the recommended requests of cpu and memory; a resource that is not there is left as it is. They must be above 0.
	Requests corev1.ResourceList `json:"requests,omitempty"`
	// Limits are the limits after the change; a resource that is not there keeps its limit. They travel with requests: where no request of
	// the workload changes, no limit does.
	Limits corev1.ResourceList `json:"limits,omitempty"`
	// KeepRatio are the resources whose limit goes with the request, whatever the plan makes of the request:
	//
	//	limit after = max(final request, limit before x final request / request before), rounded down to whole millicores or bytes
	//
	// A limit in Limits is then the least that it becomes. The limit of a locked container (Throttled, OOMKilled) does not decrease; one without
	// a limit gets none; with a present request of 0 there is no ratio, and the limit stays unless the request passes it.
	// +listType=set
	KeepRatio []corev1.ResourceName `json:"keepRatio,omitempty"`
	// UnsetLimits are the resources whose limit is taken away.
	// +listType=set
	UnsetLimits []corev1.ResourceName `json:"unsetLimits,omitempty"`
	// Throttled: the container was throttled, its cpu request must not decrease.
	Throttled bool `json:"throttled,omitempty"`
	// OOMKilled: the container was OOM-killed, its memory request must not decrease.
	OOMKilled bool `json:"oomKilled,omitempty"`
}

// +kubebuilder:object:generate=true

// Input is everything that [Plan] looks at.
type Input struct {
	// Workload must be the one that the HPA's scaleTargetRef names.
	Workload Workload
	// Meta is the workload's metadata, for who owns its fields. nil means that nobody asks.
	Meta *metav1.ObjectMeta
	// Pod is the pod template with what the cluster adds to it.
	Pod metrics.Pod
	// TemplateLabels are the labels of the pod template.
	TemplateLabels map[string]string
	// HPA is the HPA of the workload, as it was read or written by hand; nil means that there is none.
	HPA *autoscalingv2.HorizontalPodAutoscaler
	// OtherHPAs are further HPAs of the same workload. Kubernetes stops them all.
	OtherHPAs []*autoscalingv2.HorizontalPodAutoscaler
	// Recommendations, at most one per container.
	Recommendations []Recommendation
	// State is what was kept from the last plan, so that rounded targets do not drift. nil keeps the product of the pair in force, plan by plan;
	// the empty state begins an anchor.
	State *State
	// MaxReplicasReached: the HPA was at maxReplicas in the recommendation window.
	MaxReplicasReached bool
	// Surroundings are what else is known, for the risk flags. Nothing in it is needed for a plan.
	Surroundings Surroundings
	// Options are the caller's choices; the zero value is the default.
	Options Options
}

// +kubebuilder:object:generate=true

// Surroundings are what else is known about the workload; they raise risk flags and decide nothing. The zero value of each field means "not
// known" (see [risk.Input]).
type Surroundings struct {
	// SpecReplicas is spec.replicas of the workload.
	SpecReplicas *int32
	// VPA is the VerticalPodAutoscaler that targets the workload.
	VPA *risk.VPA
	// Services of the namespace.
	Services []corev1.Service
	// Pods are the workload's pods.
	Pods []corev1.Pod
	// NodeZones gives the zone of each node.
	NodeZones map[string]string
	// ControlPlane is what is known about the control plane's components.
	ControlPlane *risk.ControlPlane
}

// +kubebuilder:object:generate=true

// Options are the caller's choices. The zero value of each field is its default.
type Options struct {
	// AutoPatch are the resources that may be changed. Default (nil): cpu and memory. An empty list means none.
	// +listType=set
	// +optional
	AutoPatch []corev1.ResourceName `json:"autoPatch,omitzero"`
	// MinUtilization and MaxUtilization are the hub's target bounds in whole percent. Default: 40 and 90.
	MinUtilization int32 `json:"minUtilization,omitempty"`
	MaxUtilization int32 `json:"maxUtilization,omitempty"`
	// Steps are the rounding steps of cpu and memory requests. Default: 1m and 1Mi. A memory step is a whole number of bytes.
	Steps corev1.ResourceList `json:"steps,omitempty"`
	// Tolerance is the cluster's --horizontal-pod-autoscaler-tolerance; behavior.scaleUp.tolerance of the HPA goes before it. Default: 0.1.
	Tolerance *resource.Quantity `json:"tolerance,omitempty"`
	// LargestNode is the allocatable amount of the largest node, for the flag request-beyond-node. Default: unknown.
	LargestNode corev1.ResourceList `json:"largestNode,omitempty"`
	// FieldManager is the manager whose ownership is ours. Default: [risk.DefaultFieldManager], kerf (protocol A2).
	FieldManager string `json:"fieldManager,omitempty"`
}
