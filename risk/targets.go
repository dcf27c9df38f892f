package risk

import (
	"fmt"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

const (
	// ComfortableLow and ComfortableHigh are the ends of the comfortable range of a cpu target, in whole percent; both belong to it.
	ComfortableLow  int32 = 50
	ComfortableHigh int32 = 70
	// SaturatedTarget is the cpu target, in whole percent, from which the pods use up what they requested before the HPA scales out: with the
	// default tolerance it is the lowest target whose scale-out trigger is 100.
	SaturatedTarget int32 = 90
)

// Saturates says whether pods use all that they requested before the HPA scales out: the target is 90 or more, or usage of 99 percent does
// not yet scale out, that is, 99 / target <= 1 + tolerance in float64, as the controller compares. Targets and utilization are whole percent,
// so the second condition says that the scale-out trigger is 100 or more; with a tolerance of up to 0.1 it adds nothing to the first.
//
// Special cases: a target below 1 is false. A tolerance that is not a number adds nothing.
// Limit: limits are not looked at. Above its request a pod uses what the node has left over, which nobody promises.
// Source: (tolerances).isWithin in pkg/controller/podautoscaler/replica_calculator.go.
func Saturates(target int32, tolerance float64) bool {
	if target < 1 {
		return false
	}
	return target >= SaturatedTarget || float64(99)/float64(target) <= 1.0+tolerance
}

// ScaleUpTolerance is the tolerance that the controller uses on the way up: behavior.scaleUp.tolerance of the HPA, else cluster, the controller's
// flag --horizontal-pod-autoscaler-tolerance, else its default 0.1; as the float64 that the controller makes of it.
// Special case: no HPA leaves cluster. Source: pkg/controller/podautoscaler/horizontal.go (tolerancesForHpa).
func ScaleUpTolerance(hpa *autoscalingv2.HorizontalPodAutoscaler, cluster *resource.Quantity) float64 {
	tolerance := cluster
	if hpa != nil && hpa.Spec.Behavior != nil && hpa.Spec.Behavior.ScaleUp != nil && hpa.Spec.Behavior.ScaleUp.Tolerance != nil {
		tolerance = hpa.Spec.Behavior.ScaleUp.Tolerance
	}
	if tolerance == nil {
		return 0.1
	}
	q := tolerance.DeepCopy()
	return q.AsApproximateFloat64()
}

// targets raises, for each Resource or ContainerResource entry with a utilization target,
//
//   - memory-utilization: it is for memory, which most programs do not give back when load is spread;
//   - target-uncomfortable: it is for cpu and below 50 or above 70;
//   - target-near-saturation: it is for cpu and [Saturates], with behavior.scaleUp.tolerance or else the controller's.
//
// Source: protocol B6.
func (c *checker) targets() {
	for _, e := range c.entries {
		if e.Target != metrics.TargetUtilization {
			continue
		}
		field, number := targetField(&c.in.HPA.Spec, e), decimal(e.Utilization)
		switch e.Resource {
		case corev1.ResourceMemory:
			c.add(skipreason.FlagMemoryUtilization, c.hpa, field, number, "scales on memory utilization")
		case corev1.ResourceCPU:
			if e.Utilization < ComfortableLow || e.Utilization > ComfortableHigh {
				c.add(skipreason.FlagTargetUncomfortable, c.hpa, field, number, fmt.Sprintf("comfortable is %d to %d percent", ComfortableLow, ComfortableHigh))
			}
			if Saturates(e.Utilization, ScaleUpTolerance(c.in.HPA, c.in.Tolerance)) {
				c.add(skipreason.FlagTargetNearSaturation, c.hpa, field, number, "the HPA scales out when requests are used up")
			}
		}
	}
}

// singleMetric raises single-metric: the HPA has exactly one entry, and a container runs out of what it does not measure: the entry is for cpu
// and a container was OOM-killed, or it is for memory and a container was throttled. A raw value counts like a utilization. The API server's
// default is an entry for cpu.
// Source: protocol B6.
func (c *checker) singleMetric() {
	if len(c.entries) != 1 {
		return
	}
	short, what := c.in.OOMKilled, "OOM-killed: "
	switch c.entries[0].Resource {
	case corev1.ResourceCPU:
	case corev1.ResourceMemory:
		short, what = c.in.Throttled, "throttled: "
	default:
		return
	}
	if len(short) > 0 {
		names := slices.Compact(slices.Sorted(slices.Values(short)))
		c.add(skipreason.FlagSingleMetric, c.hpa, "spec.metrics", string(c.entries[0].Resource), what+strings.Join(names, ", "))
	}
}
