package recommend_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// TestPodRatioIsAdmitted gives the real LimitRanger pods as they are recommended under a largest ratio of limit to request, for pods with init
// containers and sidecars: none that is recommended is refused. Nor is one left out that would have been admitted as it was.
func TestPodRatioIsAdmitted(t *testing.T) {
	total := counts{}
	for n := range streams(t) / 4 {
		r := rand.New(rand.NewPCG(seed(t)^0x12, uint64(n)))
		in, s := drawRatio(t, r)
		got, errs := recommend.Workload(in, s)
		require.Empty(t, errs)
		refused := func(pod *corev1.PodSpec) error {
			real := &core.Pod{}
			require.NoError(t, legacyscheme.Scheme.Convert(&corev1.Pod{Spec: *pod}, real, nil))
			return limitranger.PodValidateLimitFunc(&in.LimitRanges[0], real)
		}
		after := in.Pod.DeepCopy()
		outcome := recommend.Outcome("")
		for _, list := range [][]corev1.Container{after.Containers, after.InitContainers} {
			for i := range list {
				for j := range got.Containers {
					if a := got.Containers[j].CPU; got.Containers[j].Name == list[i].Name && a.Reason != recommend.NoData {
						outcome = a.Outcome
						if a.Outcome == recommend.Recommended {
							list[i].Resources.Requests[corev1.ResourceCPU] = recommend.Quantity(corev1.ResourceCPU, a.Request)
							list[i].Resources.Limits[corev1.ResourceCPU] = recommend.Quantity(corev1.ResourceCPU, *a.Limit.To)
						}
					}
				}
			}
		}
		switch {
		case outcome == recommend.Recommended:
			require.NoError(t, refused(after), "stream %d of seed %d: %+v", n, seed(t), got)
			total["admitted"]++
			for _, c := range got.Containers {
				for _, step := range c.CPU.Steps {
					if step.Cause == recommend.FromMaxRatio {
						total["raised"]++
					}
				}
			}
		case outcome == "":
			total["no use"]++
		case refused(in.Pod) != nil:
			total["refused before and left alone"]++
		default:
			total["admitted before and left alone"]++
			require.Equal(t, recommend.KeepRatio, s.CPU.Limit, "limits that stay let the present requests stay")
		}
	}
	t.Log(total)
	for _, what := range []string{"admitted", "raised", "refused before and left alone", "admitted before and left alone"} {
		require.Positive(t, total[what], "the streams do not reach: %s", what)
	}
}

func drawRatio(t *testing.T, r *rand.Rand) (recommend.Input, recommend.Strategy) {
	s := recommend.Peak()
	s.MinSamples, s.MinSpan.Duration = 0, 0
	s.CPU.Limit = []recommend.LimitMode{recommend.Keep, recommend.KeepRatio}[r.IntN(2)]
	in := recommend.Input{Pod: &corev1.PodSpec{}}
	draw := func(name string) corev1.Container {
		request := 1 + r.Int64N(2000)
		limit := request + r.Int64N(3*request)
		if r.IntN(2) == 0 {
			sample := usage.Point{Time: noon, Value: float64(1+r.Int64N(2000)) / 1000}
			cpu, _, err := usage.NewSamples([]usage.Point{sample}, usage.Window{}, usage.NearestRank)
			require.NoError(t, err)
			in.Usage = append(in.Usage, recommend.ContainerUsage{Name: name, CPU: cpu})
		}
		return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, request)},
			Limits:   corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, limit)}}}
	}
	for i := range 1 + r.IntN(3) {
		in.Pod.Containers = append(in.Pod.Containers, draw(string(rune('a'+i))))
	}
	always := corev1.ContainerRestartPolicyAlways
	for i := range r.IntN(3) {
		c := draw(string(rune('p' + i)))
		if r.IntN(2) == 0 {
			c.RestartPolicy = &always
		}
		in.Pod.InitContainers = append(in.Pod.InitContainers, c)
	}
	if len(in.Usage) > 0 && r.IntN(3) == 0 { // hold what a start took
		start := float64(r.Int64N(4000)) / 1000
		in.Usage[0].StartupCPU = &start
	}
	in.LimitRanges = []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypePod,
		MaxLimitRequestRatio: corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, 1000+r.Int64N(4000))}}}}}}
	return in, s
}
