package hpacouple_test

import (
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

// The generators come in two kinds: valid draws what clusters hold, biased to where rules act; hostile draws anything that the types allow.

func milli(m int64) resource.Quantity { return *resource.NewMilliQuantity(m, resource.DecimalSI) }

func bytes(b int64) resource.Quantity { return *resource.NewQuantity(b, resource.BinarySI) }

func oneIn(t *rapid.T, n int, label string) bool { return rapid.IntRange(0, n-1).Draw(t, label) == 0 }

// amountOf draws a request of one resource: small, usual, off the step, fractional.
func amountOf(t *rapid.T, name corev1.ResourceName, label string) resource.Quantity {
	if name == corev1.ResourceCPU {
		return milli(rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(50, 4000), rapid.Int64Range(1, 300000)).Draw(t, label))
	}
	switch rapid.IntRange(0, 5).Draw(t, label+"-kind") {
	case 0:
		return resource.MustParse(rapid.SampledFrom([]string{"1.1Gi", "1G", "128M", "1000000500m", "999"}).Draw(t, label))
	case 1:
		return bytes(rapid.Int64Range(1, 1<<33).Draw(t, label))
	}
	return bytes(rapid.Int64Range(1, 4096).Draw(t, label) << 20)
}

func drawContainer(t *rapid.T, name string) corev1.Container {
	c := corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}}
	for _, r := range []corev1.ResourceName{"cpu", "memory"} {
		request := amountOf(t, r, name+"-"+string(r))
		switch rapid.IntRange(0, 11).Draw(t, name+"-shape") {
		case 0: // neither
			if oneIn(t, 3, "absent") {
				continue
			}
			c.Resources.Requests[r] = request
		case 1: // the limit alone
			c.Resources.Limits[r] = request
		case 2, 3: // guaranteed
			c.Resources.Requests[r], c.Resources.Limits[r] = request, request
		case 4, 5, 6: // a limit above
			limit := request.DeepCopy()
			limit.Add(amountOf(t, r, name+"-above"))
			c.Resources.Requests[r], c.Resources.Limits[r] = request, limit
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
	case 0:
		return present.DeepCopy()
	case 1, 2:
		return amountOf(t, name, "rec")
	}
	percent := rapid.Int64Range(5, 260).Draw(t, "percent")
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

// valid draws an input that a cluster could hold.
func valid() *rapid.Generator[hpacouple.Input] {
	return rapid.Custom(func(t *rapid.T) hpacouple.Input {
		in := hpacouple.Input{Workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"}}
		spec := &corev1.PodSpec{}
		for i := range rapid.IntRange(1, 3).Draw(t, "containers") {
			spec.Containers = append(spec.Containers, drawContainer(t, fmt.Sprintf("c%d", i)))
		}
		for i := range rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2}).Draw(t, "inits") {
			c := drawContainer(t, fmt.Sprintf("i%d", i))
			if rapid.Bool().Draw(t, "sidecar") {
				always := corev1.ContainerRestartPolicyAlways
				c.RestartPolicy = &always
			}
			spec.InitContainers = append(spec.InitContainers, c)
		}
		if oneIn(t, 25, "podLevel") {
			total := bytes(1 << 44)
			spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{"memory": total}}
			if rapid.Bool().Draw(t, "podLevelCPU") {
				spec.Resources.Requests["cpu"] = resource.MustParse("100000")
			}
		}
		in.Pod.Spec = spec
		if oneIn(t, 12, "live") {
			in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "mesh", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": amountOf(t, "cpu", "mesh"), "memory": bytes(64 << 20)}}}}}}
		}
		if oneIn(t, 12, "limitRange") {
			in.Pod.LimitRanges = []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer,
				DefaultRequest: corev1.ResourceList{"cpu": milli(100), "memory": bytes(128 << 20)}}}}}}
		}
		for _, c := range append(slices.Clone(spec.Containers), spec.InitContainers...) {
			in.Recommendations = append(in.Recommendations, drawRecommendation(t, c))
		}
		if oneIn(t, 4, "none") {
			in.Recommendations = in.Recommendations[:0]
		}
		switch rapid.IntRange(0, 19).Draw(t, "hpa") {
		case 0: // no HPA
		case 1, 2:
			in.HPA = hpa(drawEntry(t, rapid.IntRange(0, 3).Draw(t, "kind")))
		case 3:
			in.HPA = hpa(drawEntry(t, 9), drawEntry(t, rapid.IntRange(0, 3).Draw(t, "kind")))
		case 4:
			in.HPA = hpa() // the default metrics
		default:
			in.HPA = hpa(drawEntry(t, 9))
		}
		in.MaxReplicasReached = oneIn(t, 25, "atMax")
		drawOptions(t, &in.Options)
		return in
	})
}

func drawRecommendation(t *rapid.T, c corev1.Container) hpacouple.Recommendation {
	rec := hpacouple.Recommendation{Container: c.Name, Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{},
		Throttled: oneIn(t, 8, "throttled"), OOMKilled: oneIn(t, 8, "oom")}
	for _, r := range []corev1.ResourceName{"cpu", "memory"} {
		present, ok := c.Resources.Requests[r]
		if !ok {
			present = c.Resources.Limits[r]
		}
		if oneIn(t, 5, "leave") {
			continue
		}
		to := near(t, present, r)
		rec.Requests[r] = to
		switch rapid.IntRange(0, 7).Draw(t, "limit") {
		case 0:
			rec.Limits[r] = to.DeepCopy()
		case 1:
			limit := to.DeepCopy()
			limit.Add(amountOf(t, r, "limitAbove"))
			rec.Limits[r] = limit
		case 2:
			rec.UnsetLimits = append(rec.UnsetLimits, r)
		}
	}
	return rec
}

func drawOptions(t *rapid.T, o *hpacouple.Options) {
	if oneIn(t, 4, "bounds") {
		o.MinUtilization = rapid.Int32Range(1, 80).Draw(t, "min")
		o.MaxUtilization = o.MinUtilization + rapid.Int32Range(40, 120).Draw(t, "span")
	}
	if oneIn(t, 4, "steps") {
		o.Steps = corev1.ResourceList{"cpu": milli(rapid.SampledFrom([]int64{1, 10, 50}).Draw(t, "cpuStep")), "memory": bytes(rapid.SampledFrom([]int64{1, 1 << 20, 1 << 24}).Draw(t, "memoryStep"))}
	}
	switch rapid.IntRange(0, 9).Draw(t, "autoPatch") {
	case 0:
		o.AutoPatch = []corev1.ResourceName{"memory"}
	case 1:
		o.AutoPatch = []corev1.ResourceName{"cpu"}
	}
}

// hostile draws anything that the types allow.
func hostile() *rapid.Generator[hpacouple.Input] {
	texts := []string{"0", "1", "1m", "0.1m", "1n", "1E", "7Ei", "100E", "1e400", "-1", "-9.5Gi", "-1n", "9223372036854775", "9223372036854775807", "9223372036854775.807", "128m", "1.1Gi", "500m", "1000m", "2"}
	quantity := rapid.Custom(func(t *rapid.T) resource.Quantity { return resource.MustParse(rapid.SampledFrom(texts).Draw(t, "q")) })
	list := rapid.Custom(func(t *rapid.T) corev1.ResourceList {
		if oneIn(t, 4, "nil") {
			return nil
		}
		out := corev1.ResourceList{}
		for _, name := range []corev1.ResourceName{"cpu", "memory", "ephemeral-storage", "", "hugepages-2Mi"} {
			if oneIn(t, 2, "has") {
				out[name] = quantity.Draw(t, "amount")
			}
		}
		return out
	})
	name := rapid.SampledFrom([]string{"", "a", "b", "c"})
	container := rapid.Custom(func(t *rapid.T) corev1.Container {
		c := corev1.Container{Name: name.Draw(t, "name"), Resources: corev1.ResourceRequirements{Requests: list.Draw(t, "requests"), Limits: list.Draw(t, "limits")}}
		if oneIn(t, 2, "policy") {
			p := rapid.SampledFrom([]corev1.ContainerRestartPolicy{"Always", "", "Never"}).Draw(t, "restart")
			c.RestartPolicy = &p
		}
		return c
	})
	spec := rapid.Custom(func(t *rapid.T) corev1.PodSpec {
		s := corev1.PodSpec{Containers: rapid.SliceOfN(container, 0, 3).Draw(t, "containers"), InitContainers: rapid.SliceOfN(container, 0, 2).Draw(t, "inits"), Overhead: list.Draw(t, "overhead")}
		if oneIn(t, 3, "podLevel") {
			s.Resources = &corev1.ResourceRequirements{Requests: list.Draw(t, "podRequests"), Limits: list.Draw(t, "podLimits")}
		}
		return s
	})
	return rapid.Custom(func(t *rapid.T) hpacouple.Input {
		in := hpacouple.Input{Workload: hpacouple.Workload{Kind: rapid.SampledFrom([]string{"", "Deployment", "DaemonSet"}).Draw(t, "kind"), Name: "web", Namespace: "default"}}
		if !oneIn(t, 8, "noSpec") {
			s := spec.Draw(t, "spec")
			in.Pod.Spec = &s
		}
		if oneIn(t, 3, "live") {
			in.Pod.Live = &corev1.Pod{Spec: spec.Draw(t, "liveSpec")}
		}
		if oneIn(t, 3, "ranges") {
			in.Pod.LimitRanges = []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
				{Type: rapid.SampledFrom([]corev1.LimitType{"Container", "Pod", ""}).Draw(t, "type"), Default: list.Draw(t, "d"), DefaultRequest: list.Draw(t, "dr"), Max: list.Draw(t, "max"), Min: list.Draw(t, "min")}}}}}
		}
		for range rapid.IntRange(0, 3).Draw(t, "recs") {
			in.Recommendations = append(in.Recommendations, hpacouple.Recommendation{Container: name.Draw(t, "rec"), Requests: list.Draw(t, "recRequests"), Limits: list.Draw(t, "recLimits"),
				UnsetLimits: rapid.SliceOfN(rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", "x"}), 0, 2).Draw(t, "unset"), Throttled: rapid.Bool().Draw(t, "throttled"), OOMKilled: rapid.Bool().Draw(t, "oom")})
		}
		if !oneIn(t, 5, "noHPA") {
			in.HPA = hostileHPA(t, quantity)
		}
		if oneIn(t, 5, "others") {
			in.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{nil, hostileHPA(t, quantity)}
		}
		in.MaxReplicasReached = rapid.Bool().Draw(t, "atMax")
		in.Options = hpacouple.Options{MinUtilization: rapid.SampledFrom([]int32{0, 1, 40, -1, 1 << 30}).Draw(t, "min"), MaxUtilization: rapid.SampledFrom([]int32{0, 1, 90, -1, 1<<31 - 1}).Draw(t, "max")}
		if oneIn(t, 3, "steps") {
			in.Options.Steps = list.Draw(t, "steps")
		}
		if oneIn(t, 3, "node") {
			in.Options.LargestNode = list.Draw(t, "node")
		}
		if oneIn(t, 3, "tolerance") {
			q := quantity.Draw(t, "tolerance")
			in.Options.Tolerance = &q
		}
		if oneIn(t, 5, "patch") {
			in.Options.AutoPatch = rapid.SliceOfN(rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", "x"}), 0, 3).Draw(t, "autoPatch")
		}
		return in
	})
}

func hostileHPA(t *rapid.T, quantity *rapid.Generator[resource.Quantity]) *autoscalingv2.HorizontalPodAutoscaler {
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
			q := quantity.Draw(t, "v")
			out.Value = &q
		}
		if oneIn(t, 4, "av") {
			q := quantity.Draw(t, "av")
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
		q := quantity.Draw(t, "tolerance")
		h.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{Tolerance: &q}}
	}
	if oneIn(t, 8, "other") {
		h.Spec.ScaleTargetRef.Name = "other"
	}
	return h
}

// copyInput is a deep copy, to see that an input was not written to and that a result does not share with it.
func copyInput(in hpacouple.Input) hpacouple.Input {
	out := in
	out.Pod = metrics.Pod{Spec: in.Pod.Spec.DeepCopy(), Live: in.Pod.Live.DeepCopy()}
	if in.Pod.LimitRanges != nil {
		out.Pod.LimitRanges = (&corev1.LimitRangeList{Items: in.Pod.LimitRanges}).DeepCopy().Items
	}
	out.HPA = in.HPA.DeepCopy()
	out.OtherHPAs = nil
	for _, h := range in.OtherHPAs {
		out.OtherHPAs = append(out.OtherHPAs, h.DeepCopy())
	}
	out.Recommendations = slices.Clone(in.Recommendations)[:0]
	for _, r := range in.Recommendations {
		r.Requests, r.Limits, r.UnsetLimits = r.Requests.DeepCopy(), r.Limits.DeepCopy(), slices.Clone(r.UnsetLimits)
		out.Recommendations = append(out.Recommendations, r)
	}
	out.Meta, out.State = in.Meta.DeepCopy(), in.State.DeepCopy()
	out.Options.AutoPatch = slices.Clone(in.Options.AutoPatch)
	out.Options.Steps, out.Options.LargestNode = in.Options.Steps.DeepCopy(), in.Options.LargestNode.DeepCopy()
	if q := in.Options.Tolerance; q != nil {
		c := q.DeepCopy()
		out.Options.Tolerance = &c
	}
	return out
}
