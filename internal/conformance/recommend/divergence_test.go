package recommend_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"
	vpautil "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/util"
	vpa_api "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

var noon = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

// vpaConfig is the recommender's default configuration.
func vpaConfig() logic.RecommendationConfig {
	return logic.RecommendationConfig{SafetyMarginFraction: 0.15, PodMinCPUMillicores: 25, PodMinMemoryMb: 250,
		TargetCPUPercentile: 0.9, LowerBoundCPUPercentile: 0.5, UpperBoundCPUPercentile: 0.95, ConfidenceIntervalCPU: 24 * time.Hour,
		TargetMemoryPercentile: 0.9, LowerBoundMemoryPercentile: 0.5, UpperBoundMemoryPercentile: 0.95, ConfidenceIntervalMemory: 24 * time.Hour}
}

// steady is a container that used the same for a while.
func steady(t testing.TB, milli, bytes int64) pair {
	s := defaults()
	s.use()
	p := newPair(t, s)
	i := newInstance(p)
	for n := range 3000 {
		at := noon.Add(time.Duration(n) * time.Minute)
		i.cpuSample(t, at, milli)
		i.memorySample(t, s.rule(), at, bytes)
	}
	p.same(t)
	return p
}

func (p pair) input() recommend.Input {
	return recommend.Input{Usage: []recommend.ContainerUsage{{Name: "a", CPU: p.cpu, MemoryPeaks: usage.Peaks{Of: p.peaks, Interval: 24 * time.Hour}}}}
}

func (p pair) states() model.ContainerNameToAggregateStateMap {
	return model.ContainerNameToAggregateStateMap{"a": p.real}
}

func TestNoData(t *testing.T) {
	s := defaults()
	s.use()
	p := newPair(t, s)
	raw := logic.CreatePodResourceRecommender(vpaConfig()).GetRecommendedPodResources(p.states())
	require.Equal(t, model.ResourceAmount(25), raw["a"].Target[model.ResourceCPU])
	require.Equal(t, model.ResourceAmount(250<<20), raw["a"].Target[model.ResourceMemory])

	result, errs := recommend.Workload(p.input(), recommend.VPA())
	require.Empty(t, errs)
	for _, a := range []recommend.Amounts{result.Containers[0].CPU, result.Containers[0].Memory} {
		require.Equal(t, recommend.None, a.Outcome)
		require.Equal(t, recommend.NoData, a.Reason)
		require.Zero(t, a.Request)
	}
}

func TestMaxBelowMin(t *testing.T) {
	p := steady(t, 250, 500<<20)
	least := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}
	most := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	raw := logic.CreatePodResourceRecommender(vpaConfig()).GetRecommendedPodResources(p.states())
	list := logic.MapToListOfRecommendedContainerResources(raw, logic.RecommendationFormat{RoundCPUMillicores: 1, RoundMemoryBytes: 1})
	capped, err := vpa_api.ApplyVPAPolicy(list, &vpa_types.PodResourcePolicy{ContainerPolicies: []vpa_types.ContainerResourcePolicy{
		{ContainerName: "a", MinAllowed: least, MaxAllowed: most}}}, nil)
	require.NoError(t, err)
	require.Equal(t, int64(1000), capped.ContainerRecommendations[0].Target.Cpu().MilliValue())

	in := p.input()
	in.Policies = []recommend.Policy{{Container: "a", MinAllowed: least, MaxAllowed: most}}
	_, errs := recommend.Workload(in, recommend.VPA())
	require.Len(t, errs, 1)
	require.Equal(t, "policies[0].maxAllowed[cpu]", errs[0].Field)
}

func TestFractionalLimit(t *testing.T) {
	limit := resource.MustParse("1100500u")
	require.Equal(t, int64(1101), limit.MilliValue())
	p := steady(t, 3000, 500<<20)
	in := p.input()
	in.Pod = &corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceCPU: limit}}}}}
	s := recommend.VPA()
	s.CPU.Limit = recommend.Keep
	result, errs := recommend.Workload(in, s)
	require.Empty(t, errs)
	require.Equal(t, int64(1100), result.Containers[0].CPU.Request)
	require.Equal(t, recommend.FromLimit, result.Containers[0].CPU.CappedBy)
}

func TestLimitOverflow(t *testing.T) {
	p := steady(t, 3000, 1<<39)
	list := corev1.ResourceList{corev1.ResourceMemory: *resource.NewQuantity(1, resource.BinarySI)}
	most := corev1.ResourceList{corev1.ResourceMemory: *resource.NewQuantity(9e13, resource.BinarySI)}
	target := corev1.ResourceList{corev1.ResourceMemory: *resource.NewQuantity(1<<39, resource.BinarySI)}
	limits, notes := vpa_api.GetProportionalLimit(most, list, target, nil)
	require.Equal(t, int64(math.MaxInt64), limits.Memory().Value())
	require.NotEmpty(t, notes)

	in := p.input()
	in.Pod = &corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Resources: corev1.ResourceRequirements{Requests: list, Limits: most}}}}
	_, errs := recommend.Workload(in, recommend.VPA())
	require.Len(t, errs, 1)
	require.Equal(t, "containers[a].memory.limit", errs[0].Field)
}

func TestMergeLeavesArgument(t *testing.T) {
	options := model.GetAggregationsConfig().CPUHistogramOptions
	old, young := vpautil.NewDecayingHistogram(options, time.Hour), vpautil.NewDecayingHistogram(options, time.Hour)
	old.AddSample(1, 1, noon)
	young.AddSample(1, 1, noon.Add(200*time.Hour))
	before, err := old.SaveToChekpoint()
	require.NoError(t, err)
	young.Merge(old)
	after, err := old.SaveToChekpoint()
	require.NoError(t, err)
	require.NotEqual(t, before.ReferenceTimestamp, after.ReferenceTimestamp)

	mine, other := new(usage.Histogram), new(usage.Histogram)
	for h, at := range map[*usage.Histogram]time.Time{mine: noon.Add(200 * time.Hour), other: noon} {
		fresh, err := usage.NewHistogram(usage.VPACPU, time.Hour)
		require.NoError(t, err)
		require.NoError(t, fresh.Add(at, 1, 1))
		*h = *fresh
	}
	copied := other.Clone()
	require.NoError(t, mine.Merge(other))
	require.True(t, copied.Equal(other))
}

func TestTimes(t *testing.T) {
	s := defaults()
	s.use()
	p := newPair(t, s)
	i := newInstance(p)
	old := time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC)
	require.True(t, i.real.AddSample(&model.ContainerUsageSample{MeasureStart: old, Usage: 1, Resource: model.ResourceCPU}))
	require.ErrorIs(t, usage.AddCPU(i.cpu, &i.mine, old, 0.001), usage.ErrTime)
	require.ErrorIs(t, usage.AddCPU(i.cpu, &i.mine, time.Time{}, 0.001), usage.ErrTime)
	require.ErrorIs(t, usage.AddCPU(i.cpu, &i.mine, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), 0.001), usage.ErrTime)
}

func TestHugeMemory(t *testing.T) {
	s := defaults()
	s.use()
	i := newInstance(newPair(t, s))
	huge := int64(math.MaxInt64)
	require.True(t, i.real.AddSample(&model.ContainerUsageSample{MeasureStart: noon, Usage: model.ResourceAmount(huge), Resource: model.ResourceMemory}))
	require.ErrorIs(t, s.rule().Add(i.peaks, &i.mine, noon, huge), usage.ErrValue)
}

func TestCheckpointWithoutReference(t *testing.T) {
	real := vpautil.NewDecayingHistogram(model.GetAggregationsConfig().CPUHistogramOptions, time.Hour)
	require.NoError(t, real.LoadFromCheckpoint(&vpa_types.HistogramCheckpoint{BucketWeights: map[int]uint32{3: 10000}, TotalWeight: 5}))
	require.NotZero(t, real.Percentile(0.5))
	real.AddSample(1, 0.1, noon)
	require.InDelta(t, 1, real.Percentile(0), 0.1, "what was loaded has vanished")

	_, err := usage.FromVPACheckpoint(usage.VPACPU, time.Hour, usage.VPACheckpoint{BucketWeights: map[int]uint32{3: 10000}, TotalWeight: 5}, usage.Span{})
	require.ErrorIs(t, err, usage.ErrEncoding)
}

func TestPercentileOrder(t *testing.T) {
	p := steady(t, 250, 500<<20)
	config := vpaConfig()
	config.LowerBoundCPUPercentile = 0.99
	require.NotEmpty(t, logic.CreatePodResourceRecommender(config).GetRecommendedPodResources(p.states()))
	s := recommend.VPA()
	s.CPU.Lower = recommend.At(990_000)
	_, errs := recommend.Workload(p.input(), s)
	require.Len(t, errs, 1)
	require.Equal(t, "strategy.cpu.lower", errs[0].Field)
}

func TestHumanizedMemory(t *testing.T) {
	p := steady(t, 250, 500<<20)
	raw := logic.CreatePodResourceRecommender(vpaConfig()).GetRecommendedPodResources(p.states())
	list := logic.MapToListOfRecommendedContainerResources(raw, logic.RecommendationFormat{HumanizeMemory: true, RoundCPUMillicores: 1, RoundMemoryBytes: 1})
	fraction := list.ContainerRecommendations[0].Target.Memory()
	require.NotZero(t, fraction.MilliValue()%1000, fraction.String())
	s := recommend.VPA()
	s.Memory.Step = 1 << 20
	result, errs := recommend.Workload(p.input(), s)
	require.Empty(t, errs)
	require.Equal(t, int64(600<<20), result.Containers[0].Memory.Request)
}

func TestHalfLives(t *testing.T) {
	for _, d := range []time.Duration{-time.Hour, time.Nanosecond, 367 * 24 * time.Hour} {
		_, err := usage.NewHistogram(usage.VPACPU, d)
		require.ErrorIs(t, err, usage.ErrHalfLife)
		require.NotNil(t, vpautil.NewDecayingHistogram(model.GetAggregationsConfig().CPUHistogramOptions, d))
	}
}

func TestPodLimitRange(t *testing.T) {
	p := steady(t, 250, 60<<30)
	in := p.input()
	in.Pod = &corev1.PodSpec{}
	in.Usage = nil
	for _, name := range []string{"a", "b", "c"} {
		in.Usage = append(in.Usage, recommend.ContainerUsage{Name: name, CPU: p.cpu, MemoryPeaks: usage.Peaks{Of: p.peaks, Interval: 24 * time.Hour}})
		q := corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}
		in.Pod.Containers = append(in.Pod.Containers, corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: q, Limits: q}})
	}
	in.LimitRanges = []corev1.LimitRange{{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
		{Type: corev1.LimitTypePod, Max: corev1.ResourceList{corev1.ResourceMemory: *resource.NewQuantity(123480309760, resource.BinarySI)}}}}}}
	result, errs := recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	for _, c := range result.Containers {
		require.Equal(t, int64(41160103253), c.Memory.Request)
		require.Equal(t, int64(41160103253), *c.Memory.Limit.To)
		require.Equal(t, recommend.FromPodMax, c.Memory.CappedBy)
	}
}
