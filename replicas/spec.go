package replicas

import (
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/metrics"
)

// Spec is what an HPA is told, with the settings of the controller that runs it. [FromHPA] makes one.
//
// Unset fields have the API server's defaults, except that Metrics is taken as it stands: without metrics no pass
// succeeds.
type Spec struct {
	// Namespace of the HPA. Only texts read it.
	Namespace string `json:"namespace,omitempty"`
	// MinReplicas nil means 1.
	MinReplicas *int32   `json:"minReplicas,omitempty"`
	MaxReplicas int32    `json:"maxReplicas"`
	Metrics     []Metric `json:"metrics,omitempty"`
	// Behavior nil selects the other of the two ways of limiting: a doubling per pass, without accounting over time.
	Behavior *Behavior `json:"behavior,omitempty"`
	Flags    Flags     `json:"flags,omitzero"`
	// ReproduceOverflow gives what upstream gives where its arithmetic leaves its range, as on amd64.
	ReproduceOverflow bool `json:"reproduceOverflow,omitempty"`
}

// Metric is one metric of an HPA. The target is one number; which field of the API decides is in Target.
type Metric struct {
	Type autoscalingv2.MetricSourceType `json:"type"`
	// Name of the metric; of the resource for Resource and ContainerResource.
	Name string `json:"name"`
	// Container of a ContainerResource metric.
	Container string `json:"container,omitempty"`
	// Object and ObjectName are the kind and the name of an Object metric's described object. Only texts read them.
	Object     string `json:"object,omitempty"`
	ObjectName string `json:"objectName,omitempty"`
	// Selector is the metric's selector as upstream prints it; empty is "nil". Only texts read it.
	Selector string `json:"selector,omitempty"`
	// Target says which target decides. Without one that the type reads, the metric fails.
	Target metrics.TargetKind `json:"target"`
	// Utilization in whole percent, for a Utilization target.
	Utilization int32 `json:"utilization,omitempty"`
	// Milli is the target in thousandths, for the other two.
	Milli int64 `json:"milli,omitempty"`
	// Beyond is set if the target has more thousandths than an int64 holds. Milli is then the largest int64, results
	// say OutOfRange.Quantity, and this is the number that upstream reads instead, as ReproduceOverflow does.
	Beyond *int64 `json:"beyond,omitempty"`
}

// Behavior limits scaling per direction.
type Behavior struct {
	ScaleUp   Rules `json:"scaleUp,omitzero"`
	ScaleDown Rules `json:"scaleDown,omitzero"`
}

// Rules are one direction's limits, with the names that autoscaling/v2 gives them: a behavior of an HPA reads as one, but
// for a tolerance in quotes, which is refused ([FromHPA] makes numbers of quantities).
type Rules struct {
	// StabilizationWindowSeconds nil: 0 up, the controller's flag down.
	StabilizationWindowSeconds *int32 `json:"stabilizationWindowSeconds,omitempty"`
	// SelectPolicy among the policies: Max, Min or Disabled. Empty means Max.
	SelectPolicy autoscalingv2.ScalingPolicySelect `json:"selectPolicy,omitempty"`
	// Policies nil or empty: Percent 100 per 15 s, and for scaleUp Pods 4 per 15 s as well.
	Policies []Policy `json:"policies,omitempty"`
	// Tolerance nil: the controller's flag.
	Tolerance *float64 `json:"tolerance,omitempty"`
}

// Policy allows a change per period. A policy of another type than Pods and Percent allows nothing and forbids
// nothing.
type Policy struct {
	Type          autoscalingv2.HPAScalingPolicyType `json:"type"`
	Value         int32                              `json:"value"`
	PeriodSeconds int32                              `json:"periodSeconds"`
}

// Flags are the settings of kube-controller-manager that the arithmetic reads. The zero value is its defaults.
type Flags struct {
	// Tolerance nil: 0.1 in both directions.
	Tolerance *float64 `json:"tolerance,omitempty"`
	// DownscaleStabilization nil: 5 minutes.
	DownscaleStabilization *time.Duration `json:"downscaleStabilization,omitempty"`
	// CPUInitializationPeriod nil: 5 minutes.
	CPUInitializationPeriod *time.Duration `json:"cpuInitializationPeriod,omitempty"`
	// InitialReadinessDelay nil: 30 seconds.
	InitialReadinessDelay *time.Duration `json:"initialReadinessDelay,omitempty"`
	// ScaleToZeroOff is the gate HPAScaleToZero switched off. It is on by default from 1.37.
	ScaleToZeroOff bool `json:"scaleToZeroOff,omitempty"`
}

// Upstream: pkg/controller/podautoscaler/config/v1alpha1/defaults.go.
const (
	defaultTolerance               = 0.1
	defaultDownscaleStabilization  = 5 * time.Minute
	defaultCPUInitializationPeriod = 5 * time.Minute
	defaultInitialReadinessDelay   = 30 * time.Second
)

// Min is minReplicas, defaulted.
func (s *Spec) Min() int32 { return or(s.MinReplicas, 1) }

// Calculator is the calculator of a pass with that many replicas in scale.spec and scale.status. A tolerance in
// behavior replaces the flag for its direction. Upstream: horizontal.go, tolerancesForHpa.
func (s *Spec) Calculator(current, status int32, now time.Time) Calculator {
	tolerance := or(s.Flags.Tolerance, defaultTolerance)
	c := Calculator{
		Current:                 current,
		Status:                  status,
		Tolerance:               Tolerance{Down: tolerance, Up: tolerance},
		CPUInitializationPeriod: or(s.Flags.CPUInitializationPeriod, defaultCPUInitializationPeriod),
		InitialReadinessDelay:   or(s.Flags.InitialReadinessDelay, defaultInitialReadinessDelay),
		Now:                     now,
		ReproduceOverflow:       s.ReproduceOverflow,
	}
	if s.Behavior != nil {
		c.Tolerance.Down = or(s.Behavior.ScaleDown.Tolerance, c.Tolerance.Down)
		c.Tolerance.Up = or(s.Behavior.ScaleUp.Tolerance, c.Tolerance.Up)
	}
	return c
}

// wakes says whether a metric exists that has a value while there are no pods.
func (s *Spec) wakes() bool {
	for i := range s.Metrics {
		switch s.Metrics[i].Type {
		case autoscalingv2.ObjectMetricSourceType, autoscalingv2.ExternalMetricSourceType:
			return true
		}
	}
	return false
}

func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
