package metrics

import (
	"encoding/json"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

// Annotations in which autoscaling/v1 carries what its fields cannot hold.
const (
	metricsAnnotation    = "autoscaling.alpha.kubernetes.io/metrics"
	statusesAnnotation   = "autoscaling.alpha.kubernetes.io/current-metrics"
	conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions"
	behaviorAnnotation   = "autoscaling.alpha.kubernetes.io/behavior"
	downAnnotation       = "autoscaling.alpha.kubernetes.io/scale-down-tolerance"
	upAnnotation         = "autoscaling.alpha.kubernetes.io/scale-up-tolerance"
)

// FromV1 returns an autoscaling/v1 object as autoscaling/v2, as the API server converts it: metrics, behavior and conditions come from their
// annotations, which are then dropped, and the cpu target comes last in the list of metrics (cpu 80 if there is no metric at all).
//
// Errors: an annotation that cannot be read. The API server ignores such an annotation and goes on without it, which would hide metrics from
// the decision; here it is refused.
// Limits: status.currentMetrics holds the cpu utilization alone. The API server gives the behavior of a v1 object no defaults, so a new one without
// policies would be refused there and is not by [Validate]; stored objects cannot look like that. Special cases: nil gives nil.
// Source: pkg/apis/autoscaling/v1/conversion.go.
func FromV1(hpa *autoscalingv1.HorizontalPodAutoscaler) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	if hpa == nil {
		return nil, nil
	}
	in := hpa.DeepCopy()
	out := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: in.ObjectMeta}
	out.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference(in.Spec.ScaleTargetRef)
	out.Spec.MinReplicas, out.Spec.MaxReplicas = in.Spec.MinReplicas, in.Spec.MaxReplicas

	var others []autoscalingv1.MetricSpec
	if err := readAnnotation(in.Annotations, metricsAnnotation, &others); err != nil {
		return nil, err
	}
	for i := range others {
		out.Spec.Metrics = append(out.Spec.Metrics, entryFromV1(&others[i]))
	}
	if target := in.Spec.TargetCPUUtilizationPercentage; target != nil {
		cpu := defaultMetrics()
		*cpu[0].Resource.Target.AverageUtilization = *target
		out.Spec.Metrics = append(out.Spec.Metrics, cpu...)
	}
	if len(out.Spec.Metrics) == 0 {
		out.Spec.Metrics = defaultMetrics()
	}

	var behavior autoscalingv2.HorizontalPodAutoscalerBehavior
	if err := readAnnotation(in.Annotations, behaviorAnnotation, &behavior); err != nil {
		return nil, err
	}
	if behavior.ScaleUp != nil || behavior.ScaleDown != nil {
		out.Spec.Behavior = &behavior
	}

	out.Status = autoscalingv2.HorizontalPodAutoscalerStatus{
		ObservedGeneration: in.Status.ObservedGeneration,
		LastScaleTime:      in.Status.LastScaleTime,
		CurrentReplicas:    in.Status.CurrentReplicas,
		DesiredReplicas:    in.Status.DesiredReplicas,
	}
	if u := in.Status.CurrentCPUUtilizationPercentage; u != nil {
		out.Status.CurrentMetrics = []autoscalingv2.MetricStatus{{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricStatus{
				Name:    corev1.ResourceCPU,
				Current: autoscalingv2.MetricValueStatus{AverageUtilization: u},
			},
		}}
	}
	var conditions []autoscalingv2.HorizontalPodAutoscalerCondition // the v1 type has the same JSON form
	if err := readAnnotation(in.Annotations, conditionsAnnotation, &conditions); err != nil {
		return nil, err
	}
	out.Status.Conditions = conditions

	for _, name := range []string{metricsAnnotation, statusesAnnotation, conditionsAnnotation, behaviorAnnotation, downAnnotation, upAnnotation} {
		delete(out.Annotations, name)
	}
	return out, nil
}

func readAnnotation(annotations map[string]string, name string, into any) error {
	text, ok := annotations[name]
	if !ok {
		return nil
	}
	if monstrous(text) {
		return fmt.Errorf("metadata.annotations[%s]: a number has an exponent of more than three digits", name)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("metadata.annotations[%s]: %w", name, err)
	}
	return nil
}

// monstrous says whether text holds a decimal exponent of four or more digits. Parsing such a quantity can take minutes (1e-999999999).
func monstrous(text string) bool {
	for i := 1; i < len(text); i++ {
		if (text[i] != 'e' && text[i] != 'E') || text[i-1] != '.' && (text[i-1] < '0' || text[i-1] > '9') {
			continue
		}
		j := i + 1
		if j < len(text) && (text[j] == '+' || text[j] == '-') {
			j++
		}
		digits := 0
		for ; j < len(text) && text[j] >= '0' && text[j] <= '9'; j++ {
			digits++
		}
		if digits > 3 {
			return true
		}
	}
	return false
}

func entryFromV1(m *autoscalingv1.MetricSpec) autoscalingv2.MetricSpec {
	out := autoscalingv2.MetricSpec{Type: autoscalingv2.MetricSourceType(m.Type)}
	if s := m.Resource; s != nil {
		out.Resource = &autoscalingv2.ResourceMetricSource{Name: s.Name, Target: autoscalingv2.MetricTarget{
			Type: autoscalingv2.AverageValueMetricType, AverageValue: s.TargetAverageValue, AverageUtilization: s.TargetAverageUtilization}}
		if s.TargetAverageUtilization != nil {
			out.Resource.Target.Type = autoscalingv2.UtilizationMetricType
		}
	}
	if s := m.ContainerResource; s != nil {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{Name: s.Name, Container: s.Container, Target: autoscalingv2.MetricTarget{
			Type: autoscalingv2.AverageValueMetricType, AverageValue: s.TargetAverageValue, AverageUtilization: s.TargetAverageUtilization}}
		if s.TargetAverageUtilization != nil {
			out.ContainerResource.Target.Type = autoscalingv2.UtilizationMetricType
		}
	}
	if s := m.Pods; s != nil {
		out.Pods = &autoscalingv2.PodsMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: s.MetricName, Selector: s.Selector},
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &s.TargetAverageValue}}
	}
	if s := m.Object; s != nil {
		target := autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: &s.TargetValue}
		if s.AverageValue != nil {
			target = autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: s.AverageValue}
			if !s.TargetValue.IsZero() {
				target.Value = &s.TargetValue
			}
		}
		out.Object = &autoscalingv2.ObjectMetricSource{
			DescribedObject: autoscalingv2.CrossVersionObjectReference(s.Target),
			Metric:          autoscalingv2.MetricIdentifier{Name: s.MetricName, Selector: s.Selector},
			Target:          target}
	}
	if s := m.External; s != nil {
		target := autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, Value: s.TargetValue, AverageValue: s.TargetAverageValue}
		if s.TargetValue != nil {
			target.Type = autoscalingv2.ValueMetricType
		}
		out.External = &autoscalingv2.ExternalMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: s.MetricName, Selector: s.MetricSelector}, Target: target}
	}
	return out
}
