package recommend

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/usage"
)

// Input is one workload and what was measured about it. Nothing in it is written to.
type Input struct {
	// Pod is the template's spec: names, present requests and limits. Nil means that they are not known: then there is no step
	// limit, no hold, no limit and no saving.
	Pod         *corev1.PodSpec
	LimitRanges []corev1.LimitRange // of the namespace
	// Usage holds what was measured, one entry per container. A container without an entry gets no recommendation, and does
	// not share the pod's minimum. Neither does an init container that ends before the containers start.
	Usage []ContainerUsage
	// Window leaves out OOM kills outside it. Views that can be cut (usage.Samples) are cut; one that reaches outside and
	// cannot be cut is an error. The zero window holds everything.
	Window usage.Window
	// Policies bound the recommendation per container: the one with its exact name, otherwise the one named "*".
	Policies []Policy
	// MaxAllowed bounds resources for which a container's policy has no maximum.
	MaxAllowed corev1.ResourceList
	// MemoryScaled says that an HPA scales the workload on memory utilization.
	MemoryScaled bool
	// Replicas and Prices are for the savings.
	Replicas int32
	Prices   Prices
}

// ContainerUsage is what was measured about one container, pooled over its pods.
type ContainerUsage struct {
	Name string
	// CPU and Memory are the measurements; nil is none. Cores and bytes.
	CPU, Memory usage.View
	// MemoryPeaks are the largest per instance and interval, CPUPeaks likewise.
	CPUPeaks, MemoryPeaks usage.Peaks
	Events                usage.Events
	// StartupCPU is the most cores that were used while the container started; nil is not known. A quantile over days does
	// not see a start of a minute, but the limit must leave room for it.
	StartupCPU *float64
}

// Policy is what the workload's owner allows for one container, as in a VPA's resource policy.
type Policy struct {
	Container  string                // name, or "*" for every container that has no policy of its own
	Off        bool                  // no recommendation; the container does not share the pod's minimum
	Controlled []corev1.ResourceName // nil: cpu and memory
	// MinAllowed and MaxAllowed bound request and bounds. Zero is no bound. A maximum below the minimum is an error.
	MinAllowed, MaxAllowed corev1.ResourceList
}

// Prices are what requests cost, in millionths of a currency unit: for one core for one hour, for one GiB for one hour.
type Prices struct {
	CPU    int64 `json:"cpu,omitempty"`
	Memory int64 `json:"memory,omitempty"`
}

// Resources are the resources that are recommended for, in the order of results.
func Resources() []corev1.ResourceName {
	return []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}
}
