package metrics_test

import (
	"math"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// hpas draws HorizontalPodAutoscalers. hostile is the percent of fields that get anything but what they should hold.
type hpas struct{ hostile int }

func drawHPAs(t *rapid.T) hpas {
	return hpas{hostile: rapid.SampledFrom([]int{0, 0, 4, 20, 60}).Draw(t, "hostile")}
}

func (h hpas) bad(t *rapid.T) bool { return rapid.IntRange(0, 99).Draw(t, "bad") < h.hostile }

// chance is true for the given percent of draws.
func chance(t *rapid.T, percent int, label string) bool {
	return rapid.IntRange(0, 99).Draw(t, label) < percent
}

// pick draws from good, or now and then from bad.
func pick[T any](t *rapid.T, h hpas, label string, good, bad []T) T {
	if h.bad(t) {
		return rapid.SampledFrom(bad).Draw(t, label)
	}
	return rapid.SampledFrom(good).Draw(t, label)
}

// maybe draws a pointer: nil for the given percent of good draws, and for half of the bad ones.
func maybe[T any](t *rapid.T, h hpas, label string, absent int, draw func() T) *T {
	if h.bad(t) {
		absent = 50
	}
	if chance(t, absent, label+" absent") {
		return nil
	}
	v := draw()
	return &v
}

var (
	goodNames = []string{"web", "a", "queue-length", "http_requests", "Metric.Name", strings.Repeat("n", 300)}
	badNames  = []string{"", ".", "..", "a/b", "100%", "%2f", "/", "a b", "naïve", "\x00", "-x"}

	goodKinds = []string{"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "Service"}

	goodVersions = []string{"apps/v1", "v1.example.com/v1", "apps/v1"}
	badVersions  = []string{"", "v1", "apps/v1/x", "/", "/v1", "apps/", "//"}

	goodLabels = []string{"app", "c0", "a", "main", strings.Repeat("c", 63)}
	badLabels  = []string{"", "App", "a.b", "-a", "a-", "a_b", strings.Repeat("c", 64), "ä"}

	goodResources = []corev1.ResourceName{"cpu", "memory", "cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "nvidia.com/gpu", "example.com/device"}
	badResources  = []corev1.ResourceName{"", "gpu", "storage", "pods", "services", "services.nodeports", "requests.cpu", "limits.memory", "requests.hugepages-2Mi",
		"hugepages-", "requests.nvidia.com/gpu", "kubernetes.io/foo", "node.kubernetes.io/x", "a/b/c", "/x", "x/", "a b", "a b/c", "-x", "Upper.com/x",
		"attachable-volumes-aws", "count/pods.v1", "example.com/" + corev1.ResourceName(strings.Repeat("d", 64)), corev1.ResourceName(strings.Repeat("r", 64)),
		"requests.storage", "persistentvolumeclaims", "cpu ", "CPU", "_", "requests.", "limits.", "hugepages-2Mi/x", "a.kubernetes.io"}

	goodQuantities = []string{"1", "100m", "1500m", "1n", "0.5", "2e3", "1Gi", "1.1Gi", "9223372036854775807", "5k"}
	badQuantities  = []string{"0", "-1", "-1n", "-0", "0.0", "-1Gi", "1e18", "-9223372036854775808", "100000000000000000000", "0.0000000001"}

	extremes = []int32{0, -1, math.MinInt32, math.MaxInt32, 1800, 1801, 3600, 3601, 2}
)

func (h hpas) name(t *rapid.T, label string) string { return pick(t, h, label, goodNames, badNames) }

func (h hpas) quantity(t *rapid.T, label string) resource.Quantity {
	return resource.MustParse(pick(t, h, label, goodQuantities, badQuantities))
}

func (h hpas) whole(t *rapid.T, label string, most int32) int32 {
	if h.bad(t) {
		return rapid.SampledFrom(extremes).Draw(t, label)
	}
	return rapid.Int32Range(1, most).Draw(t, label)
}

// resource draws a known name, a known wrong one, or one put together from parts on which the rules for names turn.
func (h hpas) resource(t *rapid.T) corev1.ResourceName {
	if !h.bad(t) {
		return rapid.SampledFrom(goodResources).Draw(t, "resource")
	}
	if rapid.Bool().Draw(t, "known") {
		return rapid.SampledFrom(badResources).Draw(t, "resource")
	}
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"requests.", "limits.", "hugepages-", "kubernetes.io/", "kubernetes.io", "/", ".", "-", "cpu", "storage", "pods",
		"x", "X", "example.com", "2Mi", "services", " ", strings.Repeat("y", 60)}), 1, 4).Draw(t, "parts")
	return corev1.ResourceName(strings.Join(parts, ""))
}

func (h hpas) reference(t *rapid.T) autoscalingv2.CrossVersionObjectReference {
	return autoscalingv2.CrossVersionObjectReference{
		Kind:       pick(t, h, "kind", goodKinds, badNames),
		Name:       h.name(t, "name"),
		APIVersion: pick(t, h, "apiVersion", goodVersions, badVersions),
	}
}

func (h hpas) identifier(t *rapid.T) autoscalingv2.MetricIdentifier {
	out := autoscalingv2.MetricIdentifier{Name: h.name(t, "metric")}
	out.Selector = maybe(t, h, "selector", 70, func() metav1.LabelSelector {
		s := metav1.LabelSelector{MatchLabels: map[string]string{"app": h.name(t, "label")}}
		if rapid.Bool().Draw(t, "expression") {
			s.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "k", Operator: metav1.LabelSelectorOpIn, Values: []string{h.name(t, "value")}}}
		}
		return s
	})
	return out
}

// target draws the kinds of target that fits lists, or any mixture.
func (h hpas) target(t *rapid.T, fits ...autoscalingv2.MetricTargetType) (out autoscalingv2.MetricTarget) {
	all := []autoscalingv2.MetricTargetType{autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType}
	out.Type = rapid.SampledFrom(fits).Draw(t, "fits")
	filled := out.Type
	if h.bad(t) {
		filled = rapid.SampledFrom(all).Draw(t, "filled")
		out.Type = rapid.SampledFrom(append(all, "", "utilization", "Other")).Draw(t, "type")
	}
	absent := func(kind autoscalingv2.MetricTargetType) int {
		if kind == filled {
			return 0
		}
		return 100
	}
	out.AverageUtilization = maybe(t, h, "utilization", absent(autoscalingv2.UtilizationMetricType), func() int32 { return h.whole(t, "percent", 300) })
	out.Value = maybe(t, h, "value", absent(autoscalingv2.ValueMetricType), func() resource.Quantity { return h.quantity(t, "quantity") })
	out.AverageValue = maybe(t, h, "average", absent(autoscalingv2.AverageValueMetricType), func() resource.Quantity { return h.quantity(t, "quantity") })
	return out
}

func (h hpas) metric(t *rapid.T) (out autoscalingv2.MetricSpec) {
	kinds := []autoscalingv2.MetricSourceType{autoscalingv2.ResourceMetricSourceType, autoscalingv2.ContainerResourceMetricSourceType,
		autoscalingv2.PodsMetricSourceType, autoscalingv2.ObjectMetricSourceType, autoscalingv2.ExternalMetricSourceType}
	out.Type = rapid.SampledFrom(kinds).Draw(t, "metric type")
	filled := out.Type
	if h.bad(t) {
		filled = rapid.SampledFrom(append(kinds, "")).Draw(t, "filled")
		out.Type = rapid.SampledFrom(append(kinds, "", "resource", "Other")).Draw(t, "type")
	}
	with := func(kind autoscalingv2.MetricSourceType) bool {
		if h.bad(t) {
			return rapid.Bool().Draw(t, "with")
		}
		return kind == filled
	}
	const utilization, value, average = autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType
	if with(autoscalingv2.ResourceMetricSourceType) {
		out.Resource = &autoscalingv2.ResourceMetricSource{Name: h.resource(t), Target: h.target(t, utilization, utilization, average)}
	}
	if with(autoscalingv2.ContainerResourceMetricSourceType) {
		out.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{Name: h.resource(t), Container: pick(t, h, "container", goodLabels, badLabels),
			Target: h.target(t, utilization, utilization, average)}
	}
	if with(autoscalingv2.PodsMetricSourceType) {
		out.Pods = &autoscalingv2.PodsMetricSource{Metric: h.identifier(t), Target: h.target(t, average)}
	}
	if with(autoscalingv2.ObjectMetricSourceType) {
		out.Object = &autoscalingv2.ObjectMetricSource{DescribedObject: h.reference(t), Metric: h.identifier(t), Target: h.target(t, value, average)}
	}
	if with(autoscalingv2.ExternalMetricSourceType) {
		out.External = &autoscalingv2.ExternalMetricSource{Metric: h.identifier(t), Target: h.target(t, value, average)}
	}
	return out
}

func (h hpas) rules(t *rapid.T) (out autoscalingv2.HPAScalingRules) {
	out.StabilizationWindowSeconds = maybe(t, h, "window", 50, func() int32 { return h.whole(t, "seconds", 3600) })
	out.SelectPolicy = maybe(t, h, "select", 50, func() autoscalingv2.ScalingPolicySelect {
		return pick(t, h, "select policy", []autoscalingv2.ScalingPolicySelect{autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect,
			autoscalingv2.DisabledPolicySelect}, []autoscalingv2.ScalingPolicySelect{"", "max", "Other"})
	})
	out.Tolerance = maybe(t, h, "tolerance", 60, func() resource.Quantity {
		return resource.MustParse(pick(t, h, "tolerance", []string{"0", "0.1", "50m", "0.05", "1", "9m", "2"}, badQuantities))
	})
	switch n := rapid.IntRange(0, 4).Draw(t, "policies"); {
	case n == 4 && h.bad(t):
		out.Policies = []autoscalingv2.HPAScalingPolicy{}
	default:
		for range n {
			out.Policies = append(out.Policies, autoscalingv2.HPAScalingPolicy{
				Type: pick(t, h, "policy", []autoscalingv2.HPAScalingPolicyType{autoscalingv2.PodsScalingPolicy, autoscalingv2.PercentScalingPolicy},
					[]autoscalingv2.HPAScalingPolicyType{"", "pods", "Other"}),
				Value:         h.whole(t, "value", 200),
				PeriodSeconds: h.whole(t, "period", 1800),
			})
		}
	}
	return out
}

// hpa draws a HorizontalPodAutoscaler as people write it, without the API server's defaults.
func (h hpas) hpa(t *rapid.T) *autoscalingv2.HorizontalPodAutoscaler {
	out := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "hpa"}}
	if chance(t, 20, "annotated") {
		out.Annotations = map[string]string{"example.com/note": "kept"}
	}
	spec := &out.Spec
	spec.ScaleTargetRef = h.reference(t)
	spec.MaxReplicas = h.whole(t, "max", 50)
	spec.MinReplicas = maybe(t, h, "min", 30, func() int32 {
		if h.bad(t) {
			return rapid.SampledFrom(extremes).Draw(t, "min")
		}
		return rapid.Int32Range(0, max(0, spec.MaxReplicas)).Draw(t, "min")
	})
	for range rapid.SampledFrom([]int{0, 1, 1, 2, 3}).Draw(t, "metrics") {
		spec.Metrics = append(spec.Metrics, h.metric(t))
	}
	spec.Behavior = maybe(t, h, "behavior", 50, func() (out autoscalingv2.HorizontalPodAutoscalerBehavior) {
		out.ScaleUp = maybe(t, h, "up", 30, func() autoscalingv2.HPAScalingRules { return h.rules(t) })
		out.ScaleDown = maybe(t, h, "down", 30, func() autoscalingv2.HPAScalingRules { return h.rules(t) })
		return out
	})
	return out
}
