package rightsizetest

import (
	"math"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
)

func milli(m int64) resource.Quantity { return *resource.NewMilliQuantity(m, resource.DecimalSI) }

func bytes(b int64) resource.Quantity { return *resource.NewQuantity(b, resource.BinarySI) }

// oneIn is true about once in n draws, and no longer once a failing draw has been made small.
func oneIn(t *rapid.T, n int, label string) bool { return rapid.IntRange(0, n-1).Draw(t, label) == n-1 }

// amountOf draws a request of one resource: small, usual, off the step, fractional.
func amountOf(t *rapid.T, name corev1.ResourceName, label string) resource.Quantity {
	if name == corev1.ResourceCPU {
		return milli(rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(50, 4000), rapid.Int64Range(1, 300000)).Draw(t, label))
	}
	switch rapid.IntRange(0, 5).Draw(t, label+"-kind") {
	case 5:
		return resource.MustParse(rapid.SampledFrom([]string{"1.1Gi", "1G", "128M", "1000000500m", "999"}).Draw(t, label))
	case 4:
		return bytes(rapid.Int64Range(1, 1<<33).Draw(t, label))
	}
	return bytes(rapid.Int64Range(1, 4096).Draw(t, label) << 20)
}

func drawContainer(t *rapid.T, name string) corev1.Container {
	c := corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}}
	for _, r := range []corev1.ResourceName{"cpu", "memory"} {
		request := amountOf(t, r, name+"-"+string(r))
		switch rapid.IntRange(0, 12).Draw(t, name+"-shape") {
		case 12: // neither
			if oneIn(t, 3, "absent") {
				continue
			}
			c.Resources.Requests[r] = request
		case 4, 5: // the limit alone
			c.Resources.Limits[r] = request
		case 9, 10: // guaranteed
			c.Resources.Requests[r], c.Resources.Limits[r] = request, request
		case 6, 7, 8: // a limit above
			limit := request.DeepCopy()
			limit.Add(amountOf(t, r, name+"-above"))
			c.Resources.Requests[r], c.Resources.Limits[r] = request, limit
		case 11: // a request of nothing
			c.Resources.Requests[r] = milli(0)
		default:
			c.Resources.Requests[r] = request
		}
	}
	return c
}

// near draws a recommendation that is above, below or equal to what is there.
func near(t *rapid.T, present resource.Quantity, name corev1.ResourceName) resource.Quantity {
	m := present.MilliValue()
	if m == 0 {
		return amountOf(t, name, "rec")
	}
	switch rapid.IntRange(0, 9).Draw(t, "near") {
	case 9:
		return present.DeepCopy()
	case 7, 8:
		return amountOf(t, name, "rec")
	}
	percent := rapid.Int64Range(5, 260).Draw(t, "percent")
	if m > math.MaxInt64/260 {
		percent = min(percent, 100)
	}
	to := max(m/100*percent+m%100*percent/100, 1)
	if name == corev1.ResourceMemory {
		return bytes(max(to/1000, 1))
	}
	return milli(to)
}

func drawEntry(t *rapid.T, kind int) autoscalingv2.MetricSpec {
	target := rapid.OneOf(rapid.Int32Range(40, 90), rapid.Int32Range(1, 120), rapid.SampledFrom([]int32{300, 500, 1})).Draw(t, "T")
	value := resource.MustParse("100m")
	raw := autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &value}
	switch kind {
	case 0:
		return utilization("memory", target)
	case 1:
		m := utilization("cpu", target)
		m.Resource.Target = raw
		return m
	case 2:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ContainerResourceMetricSourceType, ContainerResource: &autoscalingv2.ContainerResourceMetricSource{
			Name: "cpu", Container: "c0", Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}
	case 3:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: "queue"}, Target: raw}}
	}
	return utilization("cpu", target)
}

func utilization(name corev1.ResourceName, target int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: name, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}
}

func hpa(entries ...autoscalingv2.MetricSpec) *autoscalingv2.HorizontalPodAutoscaler {
	h := &autoscalingv2.HorizontalPodAutoscaler{}
	h.Name, h.Namespace = "web", "default"
	h.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	h.Spec.MaxReplicas = 10
	h.Spec.Metrics = entries
	return h
}
