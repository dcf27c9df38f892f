package risk

import (
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// State says whether a workload stands at zero pods, and who put it there. The zero value is not a member of the list.
type State string

const (
	// Active: spec.replicas is not 0.
	Active State = "active"
	// IdleByHPA: the HPA took the workload to zero, goes on evaluating, and may wake it.
	IdleByHPA State = "idle-by-hpa"
	// ManualPause: a person took it to zero; the HPA leaves it alone.
	ManualPause State = "manual-pause"
)

// States returns the closed list.
func States() []State { return []State{Active, IdleByHPA, ManualPause} }

// UnmarshalText reads a member of the list and refuses every other text.
func (s *State) UnmarshalText(text []byte) error {
	if !slices.Contains(States(), State(text)) {
		return fmt.Errorf("unknown state %q", text)
	}
	*s = State(text)
	return nil
}

// ScaledToZero is the condition by which an HPA remembers that it took the workload to zero (since Kubernetes 1.36).
const ScaledToZero autoscalingv2.HorizontalPodAutoscalerConditionType = "ScaledToZero"

// ZeroState says which of the three states a workload is in.
//
//	spec.replicas is not 0, or not given     active, whatever the status says
//	spec.replicas is 0, ScaledToZero True    idle-by-hpa
//	spec.replicas is 0 otherwise             manual-pause (no condition, False, Unknown, or no HPA)
//
// Taking a pause for idle would wake what a person stopped; taking idle for a pause would leave it asleep.
// Limit: a controller manager below 1.36 has no such condition and treats every zero with minReplicas 0 as its own.
// Source: shouldComputeMetricsForZeroReplicas in pkg/controller/podautoscaler/horizontal.go.
func ZeroState(specReplicas *int32, hpa *autoscalingv2.HorizontalPodAutoscaler) State {
	if specReplicas == nil || *specReplicas != 0 {
		return Active
	}
	if hpa != nil {
		if _, c := condition(hpa, ScaledToZero); c != nil && c.Status == corev1.ConditionTrue {
			return IdleByHPA
		}
	}
	return ManualPause
}

// NeverWakes says whether a behavior allows no step up from zero pods, so that an HPA with minReplicas 0 never wakes the workload:
//
//	no behavior           false: the limit is max(2 x 0, 4) = 4
//	selectPolicy Disabled true
//	selectPolicy Min      true if one policy is not a Pods policy with a value above 0
//	else (Max)            true if no policy is one
//
// A Percent policy allows ceil(0 x (1 + percent/100)) = 0. A policies list that is not given is the API server's default, 4 pods and 100
// percent per 15 seconds: with Max it wakes, with Min it does not. A list that is there but empty, which the API server refuses, does what the
// controller would do with it.
// Limit: while the removal of the pods is younger than a Percent policy's period, that policy still counts them and allows a step.
// Source: calculateScaleUpLimitWithScalingRules in pkg/controller/podautoscaler/horizontal.go; pkg/apis/autoscaling/v2/defaults.go.
func NeverWakes(behavior *autoscalingv2.HorizontalPodAutoscalerBehavior) bool {
	if behavior == nil {
		return false
	}
	hpa := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{Behavior: behavior}}
	up := metrics.Default(hpa).Spec.Behavior.ScaleUp
	step := func(p autoscalingv2.HPAScalingPolicy) bool {
		return p.Type == autoscalingv2.PodsScalingPolicy && p.Value > 0
	}
	stuck := func(p autoscalingv2.HPAScalingPolicy) bool { return !step(p) }
	switch *up.SelectPolicy {
	case autoscalingv2.DisabledPolicySelect:
		return true
	case autoscalingv2.MinChangePolicySelect:
		return slices.ContainsFunc(up.Policies, stuck)
	}
	return !slices.ContainsFunc(up.Policies, step)
}

// manualPause raises manual-pause: [ZeroState] is manual-pause. A controller manager that is known to be below 1.36 has no ScaledToZero
// condition; with minReplicas 0 its zero is not called a pause.
// Source: protocol C2.
func (c *checker) manualPause() {
	if ZeroState(c.in.SpecReplicas, c.in.HPA) != ManualPause {
		return
	}
	if c.in.ControlPlane != nil && metrics.MinReplicas(&c.in.HPA.Spec) == 0 {
		if v, err := version.ParseGeneric(c.in.ControlPlane.ControllerManager.Version); err == nil && v.LessThan(version.MajorMinor(1, 36)) {
			return
		}
	}
	c.add(skipreason.FlagManualPause, c.in.Workload, "spec.replicas", "0", "the HPA has no condition ScaledToZero with status True")
}

// toZero raises, where minReplicas is 0,
//
//   - scale-to-zero;
//   - zero-without-buffer: a Service selects the pods, as in single-replica. Who is hurt: whoever sends a request while no pod is there;
//   - never-wakes: [NeverWakes], or no entry is of type Object or External, so that nothing is left to measure at zero (the API server refuses
//     to create such an HPA);
//   - zero-needs-gate: see [Component.lacksGate], for both components of a control plane that was given. A controller manager below 1.36 does
//     not read the gate yet, but the next upgrade makes it do so, and it is asked for all the same.
//
// Source: protocol C1 to C5; hasObjectOrExternalMetrics in pkg/controller/podautoscaler/horizontal.go; pkg/features/kube_features.go.
func (c *checker) toZero() {
	spec := &c.in.HPA.Spec
	if metrics.MinReplicas(spec) != 0 {
		return
	}
	c.add(skipreason.FlagScaleToZero, c.hpa, "spec.minReplicas", "0", "the HPA may take the workload to zero pods")
	if service, served := c.service(); served {
		c.add(skipreason.FlagZeroWithoutBuffer, c.hpa, "spec.minReplicas", "0", "Service "+service+" selects the pods")
	}
	if NeverWakes(spec.Behavior) {
		c.add(skipreason.FlagNeverWakes, c.hpa, "spec.behavior.scaleUp", "0", "the policies allow 0 pods more than 0")
	}
	wakes := func(e metrics.Entry) bool {
		return e.Type == autoscalingv2.ObjectMetricSourceType || e.Type == autoscalingv2.ExternalMetricSourceType
	}
	if !slices.ContainsFunc(c.entries, wakes) {
		c.add(skipreason.FlagNeverWakes, c.hpa, "spec.metrics", "0", "there is no Object or External metric to measure at zero pods")
	}
	if p := c.in.ControlPlane; p != nil {
		c.gate("kube-apiserver", p.APIServer)
		c.gate("kube-controller-manager", p.ControllerManager)
	}
}

func (c *checker) gate(name string, component Component) {
	if component.lacksGate() {
		number := component.Version
		if component.HPAScaleToZero != nil {
			number = "false"
		}
		c.add(skipreason.FlagZeroNeedsGate, Object{Kind: "Component", Name: name}, "featureGates.HPAScaleToZero", number, name+" does not have HPAScaleToZero on")
	}
}

// +kubebuilder:object:generate=true

// ControlPlane is what is known about the two components that read the feature gate HPAScaleToZero.
type ControlPlane struct {
	APIServer         Component `json:"apiServer"`
	ControllerManager Component `json:"controllerManager"`
}

// +kubebuilder:object:generate=true

// Component is one component of the control plane.
type Component struct {
	// Version is its Kubernetes version, such as "v1.37.2" or "1.36.4-gke.100"; empty or unreadable means not known.
	Version string `json:"version,omitempty"`
	// HPAScaleToZero is its feature gate where it is set; nil means the default of the version.
	HPAScaleToZero *bool `json:"hpaScaleToZero,omitempty"`
}

// lacksGate says whether the component is known to run without HPAScaleToZero: it is set to false, or it is not set and the version is below
// 1.37, which switched it on by default. Not known is not lacking.
func (c Component) lacksGate() bool {
	if c.HPAScaleToZero != nil {
		return !*c.HPAScaleToZero
	}
	v, err := version.ParseGeneric(c.Version)
	return err == nil && v.LessThan(version.MajorMinor(1, 37))
}
