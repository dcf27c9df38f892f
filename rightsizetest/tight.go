package rightsizetest

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// drawTight draws one container whose recommendation does not fit, or nearly so, for a cause that chance seldom finds: a locked raise, limits
// that keep usage below the trigger, an init container that decides the request sum.
func drawTight(t *rapid.T, in *hpacouple.Input) {
	present, target := rapid.Int64Range(50, 4000).Draw(t, "present"), rapid.Int32Range(40, 90).Draw(t, "T")
	app := corev1.Container{Name: "c0", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": milli(present)}}}
	ask := hpacouple.Recommendation{Container: "c0", Requests: corev1.ResourceList{}}
	*in = hpacouple.Input{Workload: in.Workload, HPA: hpa(utilization("cpu", target))}
	in.Pod.Spec = &corev1.PodSpec{}
	kind := rapid.SampledFrom([]string{"lock", "reach", "init"}).Draw(t, "kind")
	percent := rapid.Int64Range(90, 250).Draw(t, "percent of what fits") // mostly it does not fit
	switch kind {
	case "lock":
		ask.Throttled = true
		ask.Requests["cpu"] = milli(max(present*int64(target)/40*percent/100, 1))
	case "reach":
		in.Options.MinUtilization, in.Options.MaxUtilization = 40, rapid.Int32Range(120, 180).Draw(t, "max")
		app.Resources.Limits = corev1.ResourceList{"cpu": milli(present * 3)}
		ask.Requests["cpu"] = milli(max(present*int64(target)/int64(in.Options.MaxUtilization)*100/percent, 1))
		ask.Limits = corev1.ResourceList{"cpu": milli(max(present*int64(target)*rapid.Int64Range(80, 130).Draw(t, "limit")/10000, 1))}
	case "init":
		in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{"memory": resource.MustParse("64Gi")}}
		step := app.DeepCopy()
		step.Name = "i0"
		step.Resources.Requests["cpu"] = milli(present * rapid.Int64Range(95, 150).Draw(t, "step") / 100) // giving back to the container alone may do
		in.Pod.Spec.InitContainers = []corev1.Container{*step}
		ask.Requests["cpu"] = milli(max(present*int64(target)/90*100/percent, 1))
		in.Recommendations = []hpacouple.Recommendation{{Container: "i0", Requests: corev1.ResourceList{"cpu": ask.Requests["cpu"].DeepCopy()}}}
	}
	in.Pod.Spec.Containers = []corev1.Container{app}
	if limit, ok := ask.Limits["cpu"]; ok && limit.Cmp(ask.Requests["cpu"]) < 0 {
		ask.Requests["cpu"] = limit.DeepCopy()
	}
	in.Recommendations = append(in.Recommendations, ask)
}
