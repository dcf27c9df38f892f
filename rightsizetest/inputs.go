package rightsizetest

import (
	"fmt"
	"math"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Inputs draws what clusters hold, biased to where rules act. Every outcome, skip reason, acting bound and cause has a share of more than a
// percent.
func Inputs() *rapid.Generator[hpacouple.Input] {
	return rapid.Custom(func(t *rapid.T) hpacouple.Input {
		in := hpacouple.Input{Workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"}}
		in.Pod.Spec = drawTemplate(t)
		if oneIn(t, 12, "live") {
			in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "mesh", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": amountOf(t, "cpu", "mesh"), "memory": bytes(64 << 20)}}}}}}
		}
		if oneIn(t, 12, "limitRange") {
			in.Pod.LimitRanges = []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer,
				DefaultRequest: corev1.ResourceList{"cpu": milli(100), "memory": bytes(128 << 20)}}}}}}
		}
		in.Recommendations = drawRecommendations(t, in.Pod.Spec)
		if !oneIn(t, 20, "noHPA") {
			in.HPA = drawHPA(t)
		}
		if oneIn(t, 40, "otherHPA") {
			in.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{drawHPA(t)}
		}
		in.MaxReplicasReached = oneIn(t, 25, "atMax")
		drawOptions(t, &in.Options)
		if oneIn(t, 8, "tight") {
			drawTight(t, &in)
		}
		return in
	})
}

// Templates draws pod templates: one to three containers, sometimes init containers and sidecars, sometimes requests of the pod itself; requests
// missing, 0, equal to their limit, fractional, off the step, near the end of int64.
func Templates() *rapid.Generator[*corev1.PodSpec] { return rapid.Custom(drawTemplate) }

// Recommendations draws one recommendation for each container of a template, near what is there, or none at all; with limits, limits in their
// ratio, limits taken away, and containers that must not decrease. The template is not written to.
func Recommendations(template *corev1.PodSpec) *rapid.Generator[[]hpacouple.Recommendation] {
	return rapid.Custom(func(t *rapid.T) []hpacouple.Recommendation { return drawRecommendations(t, template) })
}

// HPAs draws HPAs of the Deployment default/web that the API server would take: mostly one cpu utilization entry, else memory, raw values,
// one container alone, an external metric, several, or none.
func HPAs() *rapid.Generator[*autoscalingv2.HorizontalPodAutoscaler] { return rapid.Custom(drawHPA) }

func drawHPA(t *rapid.T) *autoscalingv2.HorizontalPodAutoscaler {
	switch rapid.IntRange(0, 18).Draw(t, "hpa") {
	case 17, 18:
		return hpa(drawEntry(t, rapid.IntRange(0, 3).Draw(t, "kind")))
	case 16:
		return hpa(drawEntry(t, 9), drawEntry(t, rapid.IntRange(0, 3).Draw(t, "kind")))
	case 15:
		return hpa() // the default metrics
	}
	return hpa(drawEntry(t, 9))
}

func drawTemplate(t *rapid.T) *corev1.PodSpec {
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
	if oneIn(t, 40, "huge") {
		drawHuge(t, &spec.Containers[0].Resources)
	}
	if oneIn(t, 25, "podLevel") {
		total := bytes(1 << 44)
		spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{"memory": total}}
		if rapid.Bool().Draw(t, "podLevelCPU") {
			spec.Resources.Requests["cpu"] = resource.MustParse("100000")
		}
	}
	return spec
}

// drawHuge draws a request whose thousandths are near the end of int64, alone or together with others.
func drawHuge(t *rapid.T, r *corev1.ResourceRequirements) {
	name := rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory"}).Draw(t, "huge resource")
	ends := rapid.SampledFrom([]int64{math.MaxInt64, math.MaxInt64 / 2, 1 << 62, math.MaxInt64 / 90}).Draw(t, "end")
	delete(r.Limits, name)
	r.Requests[name] = milli(ends - rapid.Int64Range(0, 5000).Draw(t, "below the end"))
}

func drawRecommendations(t *rapid.T, spec *corev1.PodSpec) (out []hpacouple.Recommendation) {
	if spec == nil {
		return nil
	}
	for _, c := range append(slices.Clone(spec.Containers), spec.InitContainers...) {
		out = append(out, drawRecommendation(t, c))
	}
	if oneIn(t, 4, "none") {
		out = out[:0]
	}
	return out
}

func drawRecommendation(t *rapid.T, c corev1.Container) hpacouple.Recommendation {
	rec := hpacouple.Recommendation{Container: c.Name, Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{},
		Throttled: oneIn(t, 5, "throttled"), OOMKilled: oneIn(t, 5, "oom")}
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
		case 7:
			rec.Limits[r] = to.DeepCopy()
		case 6:
			limit := to.DeepCopy()
			limit.Add(amountOf(t, r, "limitAbove"))
			rec.Limits[r] = limit
		case 5:
			rec.UnsetLimits = append(rec.UnsetLimits, r)
		case 4:
			rec.KeepRatio = append(rec.KeepRatio, r)
		case 3: // the ratio, but at least a limit
			rec.KeepRatio = append(rec.KeepRatio, r)
			rec.Limits[r] = amountOf(t, r, "least")
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
	case 9:
		o.AutoPatch = []corev1.ResourceName{"memory"}
	case 8:
		o.AutoPatch = []corev1.ResourceName{"cpu"}
	}
}
