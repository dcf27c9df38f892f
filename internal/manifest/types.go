package manifest

import (
	"encoding/json"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Policy is a document of any kind whose spec.hpa has coordinate or
// targetBounds. It need not have a kind or a name.
type Policy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		HPA PolicyHPA `json:"hpa"`
	} `json:"spec"`
}

// PolicyHPA is what a policy says of coordination. Raw is the same as JSON, in
// the order of the document.
type PolicyHPA struct {
	Coordinate   bool            `json:"coordinate"`
	TargetBounds *TargetBounds   `json:"targetBounds"`
	Raw          json.RawMessage `json:"-"`
}

// TargetBounds are in percent; a side that is not given is nil.
type TargetBounds struct {
	MinUtilization *int32 `json:"minUtilization"`
	MaxUtilization *int32 `json:"maxUtilization"`
}

// VerticalPodAutoscaler is the part of the VPA's object of that name that
// matters beside an HPA.
type VerticalPodAutoscaler struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		TargetRef    autoscalingv2.CrossVersionObjectReference `json:"targetRef"`
		UpdatePolicy struct {
			UpdateMode string `json:"updateMode"` // empty if not given
		} `json:"updatePolicy"`
		ResourcePolicy struct {
			ContainerPolicies []ContainerPolicy `json:"containerPolicies"`
		} `json:"resourcePolicy"`
	} `json:"spec"`
	Status struct {
		Recommendation *struct {
			ContainerRecommendations []ContainerRecommendation `json:"containerRecommendations"`
		} `json:"recommendation"`
	} `json:"status"`
}

// ContainerPolicy says what a VPA does to a container; the name may be "*".
// ControlledResources is nil if not given, which means cpu and memory.
type ContainerPolicy struct {
	ContainerName       string                 `json:"containerName"`
	Mode                string                 `json:"mode"`
	ControlledResources *[]corev1.ResourceName `json:"controlledResources"`
}

// ContainerRecommendation is what a VPA recommends for a container.
type ContainerRecommendation struct {
	ContainerName string              `json:"containerName"`
	Target        corev1.ResourceList `json:"target"`
}

// PodMetrics is the usage of a pod as metrics.k8s.io gives it.
type PodMetrics struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Timestamp         metav1.Time        `json:"timestamp"`
	Window            metav1.Duration    `json:"window"`
	Containers        []ContainerMetrics `json:"containers"`
}

// ContainerMetrics is the usage of one container.
type ContainerMetrics struct {
	Name  string              `json:"name"`
	Usage corev1.ResourceList `json:"usage"`
}
