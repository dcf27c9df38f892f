package metrics_test

import (
	"math"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
)

// Draws of anything that the types allow, with a liking for what is nearly right.

const pages = corev1.ResourceName(corev1.ResourceHugePagesPrefix + "2Mi")

func some(t *rapid.T, percent int, label string) bool {
	return rapid.IntRange(0, 99).Draw(t, label) < percent
}

func ptr[T any](v T) *T { return &v }

func maybe[T any](t *rapid.T, percent int, label string, draw func() T) *T {
	if !some(t, percent, label) {
		return nil
	}
	return ptr(draw())
}

// drawQuantity draws usual amounts, or anything that parses.
func drawQuantity(t *rapid.T, hostile bool) resource.Quantity {
	texts := []string{"1", "100m", "500m", "250m", "2", "0", "1n", "0.1m", "1000001n", "1Gi", "1.1Gi", "128M", "1e3"}
	if hostile {
		texts = append(texts, "-1", "-1n", "-1e400", "1E", "7Ei", "1e400", "9223372036854775", "9223372036854775.807", "9223372036854775.808", "4611686018427387.904", "9223372036854775807")
	}
	return resource.MustParse(rapid.SampledFrom(texts).Draw(t, "quantity"))
}

func drawList(t *rapid.T, percent int, hostile bool) corev1.ResourceList {
	if !some(t, percent, "list") {
		return nil
	}
	list := corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{"cpu", "memory", pages, "ephemeral-storage", ""} {
		if some(t, 60, "has") {
			list[name] = drawQuantity(t, hostile)
		}
	}
	return list
}

func drawContainers(t *rapid.T, names []string, most, present int, hostile bool) (out []corev1.Container) {
	for range rapid.IntRange(0, most).Draw(t, "containers") {
		c := corev1.Container{Name: rapid.SampledFrom(names).Draw(t, "name")}
		c.Resources.Requests, c.Resources.Limits = drawList(t, present, hostile), drawList(t, 20, hostile)
		c.RestartPolicy = maybe(t, 50, "policy", func() corev1.ContainerRestartPolicy {
			return rapid.SampledFrom([]corev1.ContainerRestartPolicy{"Always", "Always", "Never", "OnFailure", ""}).Draw(t, "restart")
		})
		out = append(out, c)
	}
	return out
}

// unique drops the containers whose name was there before.
func unique(seen map[string]bool, list []corev1.Container) (out []corev1.Container) {
	for _, c := range list {
		if !seen[c.Name] {
			out = append(out, c)
		}
		seen[c.Name] = true
	}
	return out
}

func drawSpec(t *rapid.T, hostile bool) corev1.PodSpec {
	names := []string{"a", "b", "c", "d", "e"}
	present := rapid.SampledFrom([]int{30, 95, 100}).Draw(t, "present")
	s := corev1.PodSpec{Containers: drawContainers(t, names, 3, present, hostile), InitContainers: drawContainers(t, names, 4, present, hostile), Overhead: drawList(t, 25, hostile)}
	seen := map[string]bool{}
	s.Containers = unique(seen, s.Containers)
	s.InitContainers = unique(seen, s.InitContainers)
	s.Resources = maybe(t, 40, "pod-level", func() corev1.ResourceRequirements {
		if some(t, 15, "unsupported alone") { // the API server refuses such names, and fills in what the containers request all the same
			return corev1.ResourceRequirements{Requests: corev1.ResourceList{"x": drawQuantity(t, hostile)}}
		}
		return corev1.ResourceRequirements{Requests: drawList(t, 50, hostile), Limits: drawList(t, 40, hostile)}
	})
	return s
}

func drawLimitRanges(t *rapid.T, hostile bool) (out []corev1.LimitRange) {
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "limit ranges") {
		r := corev1.LimitRange{}
		r.Name = rapid.SampledFrom([]string{"z", "m", "a", ""}).Draw(t, "limit range")
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			r.Spec.Limits = append(r.Spec.Limits, corev1.LimitRangeItem{
				Type:           rapid.SampledFrom([]corev1.LimitType{"Container", "Container", "Container", "Pod", ""}).Draw(t, "type"),
				DefaultRequest: drawList(t, 30, hostile), Default: drawList(t, 30, hostile), Max: drawList(t, 30, hostile), Min: drawList(t, 30, hostile)})
		}
		out = append(out, r)
	}
	return out
}

// drawPod draws a pod whose containers have different names, as the API server demands; nil stands everywhere now and then.
func drawPod(t *rapid.T) metrics.Pod {
	hostile := some(t, 40, "hostile")
	p := metrics.Pod{Spec: maybe(t, 97, "spec", func() corev1.PodSpec { return drawSpec(t, hostile) }), LimitRanges: drawLimitRanges(t, hostile)}
	p.Live = maybe(t, 30, "live", func() corev1.Pod { return corev1.Pod{Spec: drawSpec(t, hostile)} })
	return p
}

func copyPod(p metrics.Pod) metrics.Pod { return *p.DeepCopy() }

func drawTarget(t *rapid.T) autoscalingv2.MetricTarget {
	return autoscalingv2.MetricTarget{
		Type: rapid.SampledFrom([]autoscalingv2.MetricTargetType{"Utilization", "AverageValue", "Value", "", "utilization"}).Draw(t, "target type"),
		AverageUtilization: maybe(t, 60, "utilization", func() int32 {
			return rapid.SampledFrom([]int32{1, 50, 80, 500, 0, -1, math.MaxInt32, math.MinInt32}).Draw(t, "percent")
		}),
		AverageValue: maybe(t, 30, "average value", func() resource.Quantity { return drawQuantity(t, true) }),
		Value:        maybe(t, 30, "value", func() resource.Quantity { return drawQuantity(t, true) }),
	}
}

func drawWord(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"", "web", "a/b", "..", "%", "-x", "A", strings.Repeat("n", 300), "\x00", "apps/v1", "cpu", "memory", "x.io/gpu", "hugepages-2Mi"}).Draw(t, label)
}

func drawMetric(t *rapid.T) autoscalingv2.MetricSpec {
	const one = 35
	return autoscalingv2.MetricSpec{
		Type: rapid.SampledFrom([]autoscalingv2.MetricSourceType{"Resource", "ContainerResource", "Pods", "Object", "External", "", "resource"}).Draw(t, "type"),
		Resource: maybe(t, 60, "resource", func() autoscalingv2.ResourceMetricSource {
			return autoscalingv2.ResourceMetricSource{Name: corev1.ResourceName(drawWord(t, "name")), Target: drawTarget(t)}
		}),
		ContainerResource: maybe(t, one, "container", func() autoscalingv2.ContainerResourceMetricSource {
			return autoscalingv2.ContainerResourceMetricSource{Name: corev1.ResourceName(drawWord(t, "name")), Container: drawWord(t, "container"), Target: drawTarget(t)}
		}),
		Pods: maybe(t, one, "pods", func() autoscalingv2.PodsMetricSource {
			return autoscalingv2.PodsMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: drawWord(t, "metric")}, Target: drawTarget(t)}
		}),
		Object: maybe(t, one, "object", func() autoscalingv2.ObjectMetricSource {
			return autoscalingv2.ObjectMetricSource{DescribedObject: drawReference(t), Metric: autoscalingv2.MetricIdentifier{Name: drawWord(t, "metric")}, Target: drawTarget(t)}
		}),
		External: maybe(t, one, "external", func() autoscalingv2.ExternalMetricSource {
			return autoscalingv2.ExternalMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: drawWord(t, "metric")}, Target: drawTarget(t)}
		}),
	}
}

func drawReference(t *rapid.T) autoscalingv2.CrossVersionObjectReference {
	return autoscalingv2.CrossVersionObjectReference{Kind: drawWord(t, "kind"), Name: drawWord(t, "name"), APIVersion: drawWord(t, "apiVersion")}
}

func drawRules(t *rapid.T) autoscalingv2.HPAScalingRules {
	number := rapid.SampledFrom([]int32{0, 1, -1, 15, 1800, 1801, 3600, 3601, math.MaxInt32, math.MinInt32})
	r := autoscalingv2.HPAScalingRules{
		StabilizationWindowSeconds: maybe(t, 50, "window", func() int32 { return number.Draw(t, "seconds") }),
		SelectPolicy: maybe(t, 50, "select", func() autoscalingv2.ScalingPolicySelect {
			return rapid.SampledFrom([]autoscalingv2.ScalingPolicySelect{"Max", "Min", "Disabled", "", "max"}).Draw(t, "policy")
		}),
		Tolerance: maybe(t, 50, "tolerance", func() resource.Quantity { return drawQuantity(t, true) }),
	}
	if some(t, 60, "policies") {
		r.Policies = []autoscalingv2.HPAScalingPolicy{}
		for range rapid.IntRange(0, 2).Draw(t, "n") {
			r.Policies = append(r.Policies, autoscalingv2.HPAScalingPolicy{Type: rapid.SampledFrom([]autoscalingv2.HPAScalingPolicyType{"Pods", "Percent", ""}).Draw(t, "type"),
				Value: number.Draw(t, "value"), PeriodSeconds: number.Draw(t, "period")})
		}
	}
	return r
}

func drawHPA(t *rapid.T) *autoscalingv2.HorizontalPodAutoscaler {
	if some(t, 3, "nil") {
		return nil
	}
	h := &autoscalingv2.HorizontalPodAutoscaler{}
	h.Name = "web"
	replicas := rapid.SampledFrom([]int32{0, 1, 10, -1, math.MaxInt32, math.MinInt32})
	h.Spec.ScaleTargetRef = drawReference(t)
	h.Spec.MaxReplicas = replicas.Draw(t, "max")
	h.Spec.MinReplicas = maybe(t, 60, "min", func() int32 { return replicas.Draw(t, "minReplicas") })
	for range rapid.IntRange(0, 3).Draw(t, "entries") {
		h.Spec.Metrics = append(h.Spec.Metrics, drawMetric(t))
	}
	h.Spec.Behavior = maybe(t, 50, "behavior", func() autoscalingv2.HorizontalPodAutoscalerBehavior {
		return autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: maybe(t, 60, "up", func() autoscalingv2.HPAScalingRules { return drawRules(t) }),
			ScaleDown: maybe(t, 60, "down", func() autoscalingv2.HPAScalingRules { return drawRules(t) })}
	})
	return h
}

func drawV1(t *rapid.T) *autoscalingv1.HorizontalPodAutoscaler {
	if some(t, 3, "nil") {
		return nil
	}
	h := &autoscalingv1.HorizontalPodAutoscaler{}
	h.Name = "web"
	h.Spec.MaxReplicas = rapid.Int32().Draw(t, "max")
	h.Spec.MinReplicas = maybe(t, 50, "min", func() int32 { return rapid.Int32().Draw(t, "minReplicas") })
	h.Spec.TargetCPUUtilizationPercentage = maybe(t, 50, "target", func() int32 { return rapid.Int32().Draw(t, "percent") })
	h.Status.CurrentCPUUtilizationPercentage = maybe(t, 50, "current", func() int32 { return rapid.Int32().Draw(t, "now") })
	for _, name := range annotations {
		if some(t, 50, name) {
			if h.Annotations == nil {
				h.Annotations = map[string]string{"kept": "yes"}
			}
			h.Annotations[name] = rapid.OneOf(rapid.SampledFrom(annotationTexts), rapid.String()).Draw(t, "text")
		}
	}
	return h
}

var annotations = []string{"autoscaling.alpha.kubernetes.io/metrics", "autoscaling.alpha.kubernetes.io/current-metrics", "autoscaling.alpha.kubernetes.io/conditions",
	"autoscaling.alpha.kubernetes.io/behavior", "autoscaling.alpha.kubernetes.io/scale-down-tolerance", "autoscaling.alpha.kubernetes.io/scale-up-tolerance"}

var annotationTexts = []string{"", "null", "[]", "{}", "[null]", "[{}]", "x", "{", `{"ScaleUp":{}}`, `{"ScaleDown":{"StabilizationWindowSeconds":60,"Tolerance":"1e-9999"}}`,
	`[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":60}}]`, `[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"-1e400"}}]`,
	`[{"type":"Pods","pods":{"metricName":"q"}}]`, `[{"type":"Object","object":{"targetValue":"0","averageValue":"3"}}]`, `[{"type":"External"}]`, `[{"type":"Resource","resource":null}]`,
	`[{"type":"AbleToScale","status":"True","reason":"ReadyForNewScale"}]`}
