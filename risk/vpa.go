package risk

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// +kubebuilder:object:generate=true

// VPA is what matters here of a VerticalPodAutoscaler, without a dependency on its API.
type VPA struct {
	Object Object `json:"object"`
	// UpdateMode is spec.updatePolicy.updateMode. Only "Off" keeps the VPA from changing requests; empty means the default, Recreate, and
	// Initial changes them when a pod is created.
	UpdateMode string `json:"updateMode,omitempty"`
	// Containers are spec.resourcePolicy.containerPolicies.
	Containers []VPAContainer `json:"containers,omitempty"`
}

// +kubebuilder:object:generate=true

// VPAContainer is one container policy of a VPA.
type VPAContainer struct {
	// Name is containerName; "*" stands for all containers that have no policy of their own.
	Name string `json:"name"`
	// Mode is mode; "Off" leaves the container alone.
	Mode string `json:"mode,omitempty"`
	// ControlledResources is controlledResources. Nil (not given) means cpu and memory; an empty list means none.
	ControlledResources []corev1.ResourceName `json:"controlledResources"`
}

// Controls says whether a VPA changes the request of a resource in a container: its update mode is not Off, and the container's policy has
// neither mode Off nor a list of controlled resources without this one. The policy is the first of the container's name, else the last of name
// "*", else the default, which controls cpu and memory; a named policy takes nothing from "*".
//
// Special cases: nil is false; a resource other than cpu and memory is false.
// Source: GetContainerResourcePolicy in vertical-pod-autoscaler v1.8.1, pkg/utils/vpa/api.go; pkg/apis/autoscaling.k8s.io/v1/types.go.
func Controls(vpa *VPA, container string, name corev1.ResourceName) bool {
	if vpa == nil || vpa.UpdateMode == "Off" || (name != corev1.ResourceCPU && name != corev1.ResourceMemory) {
		return false
	}
	var policy VPAContainer
	for _, p := range vpa.Containers {
		if p.Name == container {
			policy = p
			break
		}
		if p.Name == "*" {
			policy = p
		}
	}
	return policy.Mode != "Off" && (policy.ControlledResources == nil || slices.Contains(policy.ControlledResources, name))
}

// vpaOverlap raises vpa-overlap: a VPA [Controls] a resource that a Resource or ContainerResource entry measures by utilization, in a container
// or sidecar of the pod (of a ContainerResource entry: in its container). Where the pod's spec was not given, a container without a policy of
// its own, and those that have one, stand for its containers.
// Source: protocol B6.
func (c *checker) vpaOverlap() {
	vpa := c.in.VPA
	if vpa == nil {
		return
	}
	for _, e := range c.entries {
		if e.Target != metrics.TargetUtilization {
			continue
		}
		containers := []string{e.Container}
		if e.Container == "" {
			containers = c.containers()
		}
		var overlap []string
		for _, name := range containers {
			if Controls(vpa, name, e.Resource) {
				overlap = append(overlap, name)
			}
		}
		if len(overlap) > 0 {
			slices.Sort(overlap)
			c.add(skipreason.FlagVPAOverlap, vpa.Object, "spec.resourcePolicy.containerPolicies", string(e.Resource), "changes requests of "+strings.Join(slices.Compact(overlap), ", "))
		}
	}
}

// containers names the containers and sidecars of the finished pod, or what a VPA's policies tell of them.
func (c *checker) containers() (names []string) {
	if c.in.Pod.Spec == nil {
		names = []string{"*"}
		for _, p := range c.in.VPA.Containers {
			names = append(names, p.Name)
		}
		return names
	}
	// The resource plays no part in the names, and one that nobody has cannot fail.
	list, _ := c.in.Pod.Containers("")
	for _, t := range list {
		if t.Role != metrics.RoleInit {
			names = append(names, t.Name)
		}
	}
	return names
}
