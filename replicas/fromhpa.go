package replicas

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/metrics"
)

// FromHPA is the spec of an HPA, with the API server's defaults where the manifest leaves something out. Targets are
// rounded up to whole thousandths (Metric.Beyond says where those are no int64); tolerances become floats as upstream
// makes them, which is not always the nearest float (9m is 0.009000000000000001).
//
// Errors: no HPA, and a tolerance beyond float64. It does not look for what else the API server would refuse;
// metrics.Validate does.
func FromHPA(hpa *autoscalingv2.HorizontalPodAutoscaler, flags Flags) (Spec, field.ErrorList) {
	if hpa == nil {
		return Spec{}, field.ErrorList{field.Required(field.NewPath("spec"), "there is no HPA")}
	}
	hpa = metrics.Default(hpa)
	s := Spec{Namespace: hpa.Namespace, MinReplicas: hpa.Spec.MinReplicas, MaxReplicas: hpa.Spec.MaxReplicas, Flags: flags.clone()}
	for i, e := range metrics.Classify(&hpa.Spec) {
		s.Metrics = append(s.Metrics, fromEntry(&hpa.Spec.Metrics[i], e))
	}
	b := hpa.Spec.Behavior
	if b == nil {
		return s, nil
	}
	s.Behavior = &Behavior{ScaleUp: fromRules(b.ScaleUp), ScaleDown: fromRules(b.ScaleDown)}
	var errs field.ErrorList
	path := field.NewPath("spec", "behavior")
	if t := s.Behavior.ScaleUp.Tolerance; t != nil && !finite(*t) {
		errs = append(errs, field.Invalid(path.Child("scaleUp", "tolerance"), "(too large)", "must be a float64"))
	}
	if t := s.Behavior.ScaleDown.Tolerance; t != nil && !finite(*t) {
		errs = append(errs, field.Invalid(path.Child("scaleDown", "tolerance"), "(too large)", "must be a float64"))
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
func fromEntry(spec *autoscalingv2.MetricSpec, e metrics.Entry) Metric {
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
		return m
	}
	var out bool
	if m.Milli, out = milli(*e.Value); out {
		wrapped := wrappedMilli(*e.Value)
		m.Beyond = &wrapped
	}
	return m
}

// fromRules reads rules of the defaulted copy, so that it may keep pointers.
func fromRules(r *autoscalingv2.HPAScalingRules) Rules {
	if r == nil {
		return Rules{}
	}
	out := Rules{StabilizationWindowSeconds: r.StabilizationWindowSeconds}
	if r.SelectPolicy != nil {
		out.SelectPolicy = *r.SelectPolicy
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
