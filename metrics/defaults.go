package metrics

import autoscalingv2 "k8s.io/api/autoscaling/v2"

const (
	// DefaultCPUUtilization is the target of an HPA without metrics, in whole percent.
	DefaultCPUUtilization int32 = 80
	// DefaultMinReplicas is the minimum of an HPA without minReplicas.
	DefaultMinReplicas int32 = 1
	// DefaultScaleDownWindowSeconds is the scale-down stabilization window where none is given. It is a flag of the controller manager
	// (--horizontal-pod-autoscaler-downscale-stabilization), not a default of the API server, so [Default] leaves it open.
	DefaultScaleDownWindowSeconds int32 = 300
)

// Default returns a copy of hpa with what the API server fills in: no metrics becomes cpu utilization 80, no minReplicas becomes 1, and a
// behavior that is there gets its unset fields (scale up: window 0, selectPolicy Max, 4 pods or 100 percent per 15 seconds; scale down:
// selectPolicy Max, 100 percent per 15 seconds). No behavior stays no behavior, which is not the same as an empty one.
//
// Special cases: nil gives nil. A policies list that is there but empty stays empty, and [Validate] refuses it.
// Source: pkg/apis/autoscaling/v2/defaults.go.
func Default(hpa *autoscalingv2.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscaler {
	if hpa == nil {
		return nil
	}
	out := hpa.DeepCopy()
	if out.Spec.MinReplicas == nil {
		least := DefaultMinReplicas
		out.Spec.MinReplicas = &least
	}
	if len(out.Spec.Metrics) == 0 {
		out.Spec.Metrics = defaultMetrics()
	}
	if b := out.Spec.Behavior; b != nil {
		window, period := int32(0), int32(15)
		b.ScaleUp = fill(b.ScaleUp, &window, []autoscalingv2.HPAScalingPolicy{
			{Type: autoscalingv2.PodsScalingPolicy, Value: 4, PeriodSeconds: period},
			{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: period},
		})
		b.ScaleDown = fill(b.ScaleDown, nil, []autoscalingv2.HPAScalingPolicy{
			{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: period},
		})
	}
	return out
}

// MinReplicas returns spec.minReplicas with its default.
func MinReplicas(spec *autoscalingv2.HorizontalPodAutoscalerSpec) int32 {
	if spec == nil || spec.MinReplicas == nil {
		return DefaultMinReplicas
	}
	return *spec.MinReplicas
}

func defaultMetrics() []autoscalingv2.MetricSpec {
	target := DefaultCPUUtilization
	return []autoscalingv2.MetricSpec{{
		Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{
			Name:   "cpu",
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target},
		},
	}}
}

func fill(rules *autoscalingv2.HPAScalingRules, window *int32, policies []autoscalingv2.HPAScalingPolicy) *autoscalingv2.HPAScalingRules {
	if rules == nil {
		rules = &autoscalingv2.HPAScalingRules{}
	}
	if rules.SelectPolicy == nil {
		most := autoscalingv2.MaxChangePolicySelect
		rules.SelectPolicy = &most
	}
	if rules.StabilizationWindowSeconds == nil {
		rules.StabilizationWindowSeconds = window
	}
	if rules.Policies == nil {
		rules.Policies = policies
	}
	return rules
}
