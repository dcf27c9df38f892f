package replicas

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cluster is what the API server and the metrics APIs say about one HPA's surroundings.
type Cluster struct {
	// Scale is the scale subresource of the HPA's target.
	Scale autoscalingv1.Scale
	// Pods of the namespace, at least those that the scale's selector matches. Others are left out.
	Pods []corev1.Pod
	// Resource is the answer of metrics.k8s.io for the namespace; ResourceError, if there was none.
	Resource      []PodMetrics
	ResourceError string
	// Values are the answers about the HPA's Pods, Object and External metrics, by their place in spec.metrics.
	Values []MetricValues
	// Rivals are the other HPAs of the namespace.
	Rivals []Rival
}

// PodMetrics is one item of metrics.k8s.io, field for field.
type PodMetrics struct {
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

// MetricValues is the answer of a metrics API about one metric.
type MetricValues struct {
	// Error, if the API gave no values.
	Error string `json:"error,omitempty"`
	// Pods of a Pods metric.
	Pods []PodValue `json:"pods,omitempty"`
	// Object is the value of an Object metric; other types do not look at it.
	Object *resource.Quantity `json:"object,omitempty"`
	// External are the values of an External metric's series; other types do not look at it.
	External []resource.Quantity `json:"external,omitempty"`
}

// PodValue is the value of a Pods metric for one pod.
type PodValue struct {
	Pod       string            `json:"pod"`
	Timestamp metav1.Time       `json:"timestamp,omitzero"`
	Value     resource.Quantity `json:"value"`
	// WindowSeconds nil means 60.
	WindowSeconds *int64 `json:"windowSeconds,omitempty"`
}

// Rival is another HPA and the pod selector of its target.
type Rival struct {
	Name     string
	Selector string
}
