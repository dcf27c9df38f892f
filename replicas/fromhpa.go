package replicas

import (
	"math"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// FromHPA is the spec of an HPA, with the API server's defaults where the manifest leaves something out. Targets are
// rounded up to whole thousandths; tolerances become floats as upstream makes them, which is not always the nearest
// float (9m is 0.009000000000000001).
//
// Errors: no HPA, and targets with more thousandths than an int64 holds. It does not look for what else the API server
// would refuse; metrics.Validate does.
func FromHPA(hpa *autoscalingv2.HorizontalPodAutoscaler, flags Flags) (Spec, field.ErrorList) {
	if hpa == nil {
		return Spec{}, field.ErrorList{field.Required(field.NewPath("spec"), "there is no HPA")}
	}
	hpa = metrics.Default(hpa)
	s := Spec{Namespace: hpa.Namespace, MinReplicas: hpa.Spec.MinReplicas, MaxReplicas: hpa.Spec.MaxReplicas, Flags: flags.clone()}
	var errs field.ErrorList
	for i, e := range metrics.Classify(&hpa.Spec) {
		m, err := fromEntry(&hpa.Spec.Metrics[i], e)
		if err != nil {
			errs = append(errs, field.Invalid(field.NewPath("spec", "metrics").Index(i), e.Value.String(), err.Error()))
		}
		s.Metrics = append(s.Metrics, m)
	}
	if b := hpa.Spec.Behavior; b != nil {
		s.Behavior = &Behavior{ScaleUp: fromRules(b.ScaleUp), ScaleDown: fromRules(b.ScaleDown)}
	}
	return s, errs
}

func (f Flags) clone() Flags {
	f.Tolerance = copied(f.Tolerance)
	f.DownscaleStabilization = copied(f.DownscaleStabilization)
	f.CPUInitializationPeriod = copied(f.CPUInitializationPeriod)
	f.InitialReadinessDelay = copied(f.InitialReadinessDelay)
	return f
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// fromEntry reads a metric of the defaulted copy, so that it may read quantities.
func fromEntry(spec *autoscalingv2.MetricSpec, e metrics.Entry) (Metric, error) {
	m := Metric{Type: e.Type, Name: e.Metric, Container: e.Container, Target: e.Target, Utilization: e.Utilization}
	if e.Resource != "" {
		m.Name = string(e.Resource)
	}
	switch {
	case spec.Type == autoscalingv2.ObjectMetricSourceType && spec.Object != nil:
		m.Object, m.ObjectName = spec.Object.DescribedObject.Kind, spec.Object.DescribedObject.Name
		m.Selector = spec.Object.Metric.Selector.String()
	case spec.Type == autoscalingv2.ExternalMetricSourceType && spec.External != nil:
		m.Selector = spec.External.Metric.Selector.String()
	}
	if e.Value == nil {
		return m, nil
	}
	v, out := milli(*e.Value)
	m.Milli = v
	if out {
		return m, exact.ErrRange
	}
	return m, nil
}

func fromRules(r *autoscalingv2.HPAScalingRules) Rules {
	if r == nil {
		return Rules{}
	}
	out := Rules{WindowSeconds: copied(r.StabilizationWindowSeconds)}
	if r.SelectPolicy != nil {
		out.Select = *r.SelectPolicy
	}
	for _, p := range r.Policies {
		out.Policies = append(out.Policies, Policy{Type: p.Type, Value: p.Value, PeriodSeconds: p.PeriodSeconds})
	}
	if r.Tolerance != nil {
		t := r.Tolerance.AsApproximateFloat64()
		out.Tolerance = &t
	}
	return out
}

// milli is a quantity in thousandths, rounded away from zero as upstream does, saturated at the ends of int64.
func milli(q resource.Quantity) (v int64, out bool) {
	if q.Sign() >= 0 {
		v, err := exact.Milli(q)
		if err != nil {
			return math.MaxInt64, true
		}
		return v, false
	}
	positive := q.DeepCopy()
	positive.Neg()
	v, err := exact.Milli(positive)
	if err != nil {
		// The approximation keeps monstrous exponents out of the comparison.
		lowest := q.AsApproximateFloat64() > -1e16 && q.Cmp(*resource.NewMilliQuantity(math.MinInt64, resource.DecimalSI)) == 0
		return math.MinInt64, !lowest
	}
	return -v, false
}

// FromStatus is the state as a restarted controller has it: what an HPA's status holds. Recommendations and scale
// events are nowhere in the API.
func FromStatus(status autoscalingv2.HorizontalPodAutoscalerStatus) State {
	s := State{CurrentReplicas: status.CurrentReplicas, DesiredReplicas: status.DesiredReplicas}
	if status.LastScaleTime != nil {
		s.LastScaleTime = moment(status.LastScaleTime.Time)
	}
	for _, c := range status.Conditions {
		if p := s.Conditions.at(c.Type); p != nil {
			*p = Condition{Status: c.Status, Reason: c.Reason, LastTransition: moment(c.LastTransitionTime.Time)}
		}
	}
	return s
}
