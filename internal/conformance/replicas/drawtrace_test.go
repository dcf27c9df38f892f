package replicas_test

import (
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// hpaCase draws an HPA as a user writes it. Two in three have External metrics alone, of which proposals of any size are
// cheap to make.
func (d draw) hpaCase() *autoscalingv2.HorizontalPodAutoscaler {
	hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "hpa", UID: "u", Generation: 1}}
	hpa.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "target"}
	hpa.Spec.MaxReplicas = one[int32](d, 1, 5, 10, 30, 100, 100)
	if d.percent(80) {
		hpa.Spec.MinReplicas = ptr(min(hpa.Spec.MaxReplicas, one[int32](d, 0, 0, 0, 0, 1, 2, 3)))
	}
	hpa.Spec.Metrics = d.metrics()
	hpa.Spec.Behavior = d.behavior()
	if d.percent(10) {
		hpa.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.ScaledToZero, Status: corev1.ConditionTrue}}
	}
	return hpa
}

func (d draw) metrics() (list []autoscalingv2.MetricSpec) {
	if d.percent(5) {
		return nil
	}
	if d.percent(65) {
		return []autoscalingv2.MetricSpec{{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: "queue"}, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType,
				AverageValue: ptr(resource.MustParse(one(d, "1", "10", "30", "100m")))}}}}
	}
	for i := range one(d, 1, 2, 3) {
		m := d.metric()
		switch {
		case m.Pods != nil:
			m.Pods.Metric.Name = fmt.Sprint("m", i)
		case m.Object != nil:
			m.Object.Metric.Name = fmt.Sprint("m", i)
		case m.External != nil:
			m.External.Metric.Name = fmt.Sprint("m", i)
		}
		if d.percent(4) {
			d.spoil(&m)
		}
		list = append(list, m)
	}
	return list
}

// spoil makes a metric that fails at run time.
func (d draw) spoil(m *autoscalingv2.MetricSpec) {
	invalid := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}
	switch {
	case m.Pods != nil:
		m.Pods.Metric.Selector = invalid
	case m.Object != nil && d.percent(50):
		m.Object.Metric.Selector = invalid
	case m.Object != nil:
		m.Object.Target.Type = autoscalingv2.UtilizationMetricType
	case m.External != nil && d.percent(50):
		m.External.Metric.Selector = invalid
	case m.External != nil:
		m.External.Target = autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType}
	case m.Resource != nil:
		m.Resource.Target = autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType}
	case d.percent(50):
		m.Type = "Guess"
	}
}

// behavior draws none in two cases of five.
func (d draw) behavior() *autoscalingv2.HorizontalPodAutoscalerBehavior {
	if d.percent(40) {
		return nil
	}
	return &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: d.rules(), ScaleDown: d.rules()}
}

func (d draw) rules() *autoscalingv2.HPAScalingRules {
	if d.percent(20) {
		return nil
	}
	r := &autoscalingv2.HPAScalingRules{}
	if d.percent(70) {
		r.StabilizationWindowSeconds = ptr(one[int32](d, 0, 0, 15, 30, 60, 300))
	}
	if d.percent(50) {
		r.SelectPolicy = ptr(one(d, autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect, autoscalingv2.MinChangePolicySelect, autoscalingv2.DisabledPolicySelect))
	}
	if d.percent(70) {
		for range 1 + d.IntN(3) {
			r.Policies = append(r.Policies, autoscalingv2.HPAScalingPolicy{
				Type:          one(d, autoscalingv2.PodsScalingPolicy, autoscalingv2.PercentScalingPolicy),
				Value:         one[int32](d, 1, 2, 4, 7, 10, 42, 50, 90, 100, 150, 900, 1+d.Int32N(200)),
				PeriodSeconds: one[int32](d, 15, 15, 30, 60, 60, 90, 300, 1800)})
		}
	}
	if d.percent(30) {
		r.Tolerance = ptr(resource.MustParse(one(d, "0", "0.05", "0.1", "570m", "9m", "1", "2")))
	}
	return r
}

// pause draws the time to the next pass: mostly the sync period, else an age at which something expires.
func (d draw) pause(hpa *autoscalingv2.HorizontalPodAutoscaler, f flags) time.Duration {
	if d.percent(60) {
		return 15 * time.Second
	}
	wait := one(d, 0, time.Second, 30*time.Second, 45*time.Second, time.Minute, 90*time.Second, 5*time.Minute, f.downscaleStabilization)
	if b := hpa.Spec.Behavior; b != nil && d.percent(50) {
		for _, r := range []*autoscalingv2.HPAScalingRules{b.ScaleUp, b.ScaleDown} {
			if r != nil && r.StabilizationWindowSeconds != nil && d.percent(50) {
				wait = time.Duration(*r.StabilizationWindowSeconds) * time.Second
			}
			if r != nil && len(r.Policies) > 0 && d.percent(50) {
				wait = time.Duration(one(d, r.Policies...).PeriodSeconds) * time.Second
			}
		}
	}
	switch d.IntN(6) {
	case 0:
		wait += time.Second
	case 1:
		wait = max(0, wait-time.Second)
	case 2:
		wait = max(0, wait-15*time.Second)
	}
	return wait
}
