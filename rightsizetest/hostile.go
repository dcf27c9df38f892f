package rightsizetest

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// HostileInputs draws anything that the types allow: nil, empty, zero, negative, overflowing, duplicate, unknown.
func HostileInputs() *rapid.Generator[hpacouple.Input] {
	return rapid.Custom(func(t *rapid.T) hpacouple.Input {
		in := hpacouple.Input{Workload: hpacouple.Workload{Kind: rapid.SampledFrom([]string{"", "Deployment", "DaemonSet"}).Draw(t, "kind"), Name: "web", Namespace: "default"}}
		if !oneIn(t, 8, "noSpec") {
			in.Pod.Spec = HostileTemplates().Draw(t, "spec")
		}
		if oneIn(t, 3, "live") {
			in.Pod.Live = &corev1.Pod{Spec: *HostileTemplates().Draw(t, "liveSpec")}
		}
		if oneIn(t, 3, "ranges") {
			in.Pod.LimitRanges = []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
				{Type: rapid.SampledFrom([]corev1.LimitType{"Container", "Pod", ""}).Draw(t, "type"), Default: hostileLists().Draw(t, "d"), DefaultRequest: hostileLists().Draw(t, "dr"), Max: hostileLists().Draw(t, "max"), Min: hostileLists().Draw(t, "min")}}}}}
		}
		in.Recommendations = HostileRecommendations().Draw(t, "recs")
		if !oneIn(t, 5, "noHPA") {
			in.HPA = hostileHPA(t)
		}
		if oneIn(t, 5, "others") {
			in.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{nil, hostileHPA(t)}
		}
		in.MaxReplicasReached = rapid.Bool().Draw(t, "atMax")
		in.Options = hpacouple.Options{MinUtilization: rapid.SampledFrom([]int32{0, 1, 40, -1, 1 << 30}).Draw(t, "min"), MaxUtilization: rapid.SampledFrom([]int32{0, 1, 90, -1, 1<<31 - 1}).Draw(t, "max")}
		if oneIn(t, 3, "steps") {
			in.Options.Steps = hostileLists().Draw(t, "steps")
		}
		if oneIn(t, 3, "node") {
			in.Options.LargestNode = hostileLists().Draw(t, "node")
		}
		if oneIn(t, 3, "tolerance") {
			q := hostileQuantities().Draw(t, "tolerance")
			in.Options.Tolerance = &q
		}
		if oneIn(t, 5, "patch") {
			in.Options.AutoPatch = rapid.SliceOfN(rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", "x"}), 0, 3).Draw(t, "autoPatch")
		}
		return in
	})
}

func hostileHPA(t *rapid.T) *autoscalingv2.HorizontalPodAutoscaler {
	h := hpa()
	h.Spec.MaxReplicas = rapid.SampledFrom([]int32{0, 1, 10, -1, 1<<31 - 1}).Draw(t, "max")
	if oneIn(t, 3, "min") {
		least := rapid.SampledFrom([]int32{0, 1, 20, -1}).Draw(t, "minReplicas")
		h.Spec.MinReplicas = &least
	}
	target := func() autoscalingv2.MetricTarget {
		out := autoscalingv2.MetricTarget{Type: rapid.SampledFrom([]autoscalingv2.MetricTargetType{"Utilization", "AverageValue", "Value", ""}).Draw(t, "type")}
		if oneIn(t, 2, "u") {
			u := rapid.SampledFrom([]int32{0, 1, 50, 80, 500, -1, 1<<31 - 1}).Draw(t, "u")
			out.AverageUtilization = &u
		}
		if oneIn(t, 4, "v") {
			q := hostileQuantities().Draw(t, "v")
			out.Value = &q
		}
		if oneIn(t, 4, "av") {
			q := hostileQuantities().Draw(t, "av")
			out.AverageValue = &q
		}
		return out
	}
	for range rapid.IntRange(0, 2).Draw(t, "entries") {
		m := autoscalingv2.MetricSpec{Type: rapid.SampledFrom([]autoscalingv2.MetricSourceType{"Resource", "Resource", "ContainerResource", "Pods", "Object", "External", "", "X"}).Draw(t, "source")}
		if !oneIn(t, 5, "resource") {
			m.Resource = &autoscalingv2.ResourceMetricSource{Name: rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", "", "x/y"}).Draw(t, "name"), Target: target()}
		}
		if oneIn(t, 5, "container") {
			m.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{Name: "cpu", Container: rapid.SampledFrom([]string{"", "a", "zz"}).Draw(t, "c"), Target: target()}
		}
		if oneIn(t, 5, "pods") {
			m.Pods = &autoscalingv2.PodsMetricSource{Target: target()}
		}
		if oneIn(t, 5, "object") {
			m.Object = &autoscalingv2.ObjectMetricSource{Target: target()}
		}
		if oneIn(t, 5, "external") {
			m.External = &autoscalingv2.ExternalMetricSource{Target: target()}
		}
		h.Spec.Metrics = append(h.Spec.Metrics, m)
	}
	if oneIn(t, 3, "behavior") {
		q := hostileQuantities().Draw(t, "tolerance")
		h.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{Tolerance: &q}}
	}
	if oneIn(t, 8, "other") {
		h.Spec.ScaleTargetRef.Name = "other"
	}
	return h
}

// HostileHPAs draws HPAs of the Deployment default/web with anything in them that the types allow.
func HostileHPAs() *rapid.Generator[*autoscalingv2.HorizontalPodAutoscaler] {
	return rapid.Custom(func(t *rapid.T) *autoscalingv2.HorizontalPodAutoscaler { return hostileHPA(t) })
}

func hostileQuantities() *rapid.Generator[resource.Quantity] {
	texts := []string{"0", "1", "1m", "0.1m", "1n", "1E", "7Ei", "100E", "1e400", "-1", "-9.5Gi", "-1n", "9223372036854775", "9223372036854775807", "9223372036854775.807", "128m", "1.1Gi", "500m", "1000m", "2"}
	return rapid.Custom(func(t *rapid.T) resource.Quantity { return resource.MustParse(rapid.SampledFrom(texts).Draw(t, "q")) })
}

// hostileNames draws names of containers that may be there, twice, or not at all.
func hostileNames() *rapid.Generator[string] { return rapid.SampledFrom([]string{"", "a", "b", "c"}) }

// HostileTemplates draws pod templates with anything in them that the types allow.
func HostileTemplates() *rapid.Generator[*corev1.PodSpec] {
	container := rapid.Custom(func(t *rapid.T) corev1.Container {
		c := corev1.Container{Name: hostileNames().Draw(t, "name"), Resources: corev1.ResourceRequirements{Requests: hostileLists().Draw(t, "requests"), Limits: hostileLists().Draw(t, "limits")}}
		if oneIn(t, 2, "policy") {
			c.RestartPolicy = ptrTo(rapid.SampledFrom([]corev1.ContainerRestartPolicy{"Always", "", "Never"}).Draw(t, "restart"))
		}
		return c
	})
	return rapid.Custom(func(t *rapid.T) *corev1.PodSpec {
		s := &corev1.PodSpec{Containers: rapid.SliceOfN(container, 0, 3).Draw(t, "containers"), InitContainers: rapid.SliceOfN(container, 0, 2).Draw(t, "inits"), Overhead: hostileLists().Draw(t, "overhead")}
		if oneIn(t, 3, "podLevel") {
			s.Resources = &corev1.ResourceRequirements{Requests: hostileLists().Draw(t, "podRequests"), Limits: hostileLists().Draw(t, "podLimits")}
		}
		return s
	})
}

// HostileRecommendations draws recommendations for anybody, twice, of any amounts and resources.
func HostileRecommendations() *rapid.Generator[[]hpacouple.Recommendation] {
	resources := rapid.SliceOfN(rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", "x"}), 0, 2)
	one := rapid.Custom(func(t *rapid.T) hpacouple.Recommendation {
		return hpacouple.Recommendation{Container: hostileNames().Draw(t, "rec"), Requests: hostileLists().Draw(t, "recRequests"), Limits: hostileLists().Draw(t, "recLimits"),
			KeepRatio: resources.Draw(t, "keepRatio"), UnsetLimits: resources.Draw(t, "unset"), Throttled: rapid.Bool().Draw(t, "throttled"), OOMKilled: rapid.Bool().Draw(t, "oom")}
	})
	return rapid.SliceOfN(one, 0, 3)
}

func hostileLists() *rapid.Generator[corev1.ResourceList] {
	return rapid.Custom(func(t *rapid.T) corev1.ResourceList {
		if oneIn(t, 4, "nil") {
			return nil
		}
		out := corev1.ResourceList{}
		for _, name := range []corev1.ResourceName{"cpu", "memory", "ephemeral-storage", "", "hugepages-2Mi"} {
			if oneIn(t, 2, "has") {
				out[name] = hostileQuantities().Draw(t, "amount")
			}
		}
		return out
	})
}
