package recommend_test

import (
	"math"
	"os"
	"strings"
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

// TestLastBucket: real percentiles end at the start of the last bucket, however much was used.
func TestLastBucket(t *testing.T) {
	p := steady(t, 5_000_000, 500<<20)
	raw := logic.CreatePodResourceRecommender(vpaConfig()).GetRecommendedPodResources(p.states())
	require.Equal(t, model.ResourceAmount(1174275), raw["a"].Target[model.ResourceCPU], "1174 cores for one that uses 5000")
	result, errs := recommend.Workload(p.input(), recommend.VPA())
	require.Empty(t, errs)
	require.Equal(t, recommend.AmountOutOfRange, result.Containers[0].CPU.Reason)
}

// TestFractionalBounds: the real code writes a bound with a fraction as the request.
func TestFractionalBounds(t *testing.T) {
	p := steady(t, 3000, 500<<20)
	most := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1100500u")}
	raw := logic.CreatePodResourceRecommender(vpaConfig()).GetRecommendedPodResources(p.states())
	list := logic.MapToListOfRecommendedContainerResources(raw, logic.RecommendationFormat{RoundCPUMillicores: 1, RoundMemoryBytes: 1})
	capped, err := vpa_api.ApplyVPAPolicy(list, nil, most.DeepCopy())
	require.NoError(t, err)
	require.Equal(t, "1100500u", capped.ContainerRecommendations[0].Target.Cpu().String())
	in := p.input()
	in.MaxAllowed = most
	result, errs := recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	require.Equal(t, int64(1100), result.Containers[0].CPU.Request)
	in.MaxAllowed = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128m")}
	_, errs = recommend.Workload(in, recommend.VPA())
	require.Len(t, errs, 1, "an eighth of a byte allows nothing")
}

// TestMinimumShared: the real code also shares the pod's minimum with containers that were not measured.
func TestMinimumShared(t *testing.T) {
	p := steady(t, 1, 1<<20)
	states := p.states()
	states["b"] = model.NewAggregateContainerState()
	raw := logic.CreatePodResourceRecommender(vpaConfig()).GetRecommendedPodResources(states)
	require.Equal(t, model.ResourceAmount(12), raw["a"].Target[model.ResourceCPU])
	in := p.input()
	result, errs := recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	require.Equal(t, int64(25), result.Containers[0].CPU.Request)
}

// TestPeakRules: the real code takes any ratio and increase.
func TestPeakRules(t *testing.T) {
	s := defaults()
	s.bumpRatio, s.minBump = 0.5, -1000
	s.use()
	defer defaults().use()
	i := newInstance(newPair(t, s))
	require.NoError(t, i.real.RecordOOM(noon, 1000))
	require.ErrorIs(t, s.rule().OOM(i.peaks, &i.mine, noon, 1000), usage.ErrPeakRule)
}

// underLimitRange recommends for one pod on both sides: its containers use 3 cores and 60 GiB each.
func underLimitRange(t *testing.T, item corev1.LimitRangeItem, policy *vpa_types.PodResourcePolicy, own ...corev1.ResourceRequirements) (map[string]vpa_types.RecommendedContainerResources, recommend.Input) {
	p := steady(t, 3000, 60<<30)
	c := &admission{strategy: recommend.VPA(), policy: policy, states: model.ContainerNameToAggregateStateMap{}}
	c.in.Pod = &corev1.PodSpec{}
	for i, r := range own {
		name := string(rune('a' + i))
		c.in.Usage = append(c.in.Usage, recommend.ContainerUsage{Name: name, CPU: p.cpu, MemoryPeaks: usage.Peaks{Of: p.peaks, Interval: 24 * time.Hour}})
		c.in.Pod.Containers = append(c.in.Pod.Containers, corev1.Container{Name: name, Resources: r})
		c.states[name] = p.real
	}
	c.in.LimitRanges = []corev1.LimitRange{{ObjectMeta: metav1.ObjectMeta{Name: "r", Namespace: "n"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}}}
	if policy == nil {
		c.policy = &vpa_types.PodResourcePolicy{}
	} else {
		for _, one := range policy.ContainerPolicies {
			c.in.Policies = append(c.in.Policies, recommend.Policy{Container: one.ContainerName, MinAllowed: one.MinAllowed, MaxAllowed: one.MaxAllowed})
		}
	}
	c.complete()
	return c.admitted(t), c.in
}

func at(real map[string]vpa_types.RecommendedContainerResources, name string) *corev1.ResourceList {
	target := real[name].Target
	return &target
}

func cores(text string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(text)}
}

func memory(text string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(text)}
}

// TestPolicyAgainstLimitRange: in the real code the policy wins, and the API server refuses the pod.
func TestPolicyAgainstLimitRange(t *testing.T) {
	policy := &vpa_types.PodResourcePolicy{ContainerPolicies: []vpa_types.ContainerResourcePolicy{{ContainerName: "a", MaxAllowed: cores("200m")}}}
	real, in := underLimitRange(t, corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: cores("300m")}, policy, corev1.ResourceRequirements{})
	require.Equal(t, "200m", at(real, "a").Cpu().String())
	result, errs := recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	require.Equal(t, recommend.BoundsConflict, result.Containers[0].CPU.Reason)
}

// TestTinyRatio: a bound that rounds down to nothing is none in the real code, and the API server refuses the pod.
func TestTinyRatio(t *testing.T) {
	own := corev1.ResourceRequirements{Requests: cores("1m"), Limits: cores("5")}
	real, in := underLimitRange(t, corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: cores("4")}, nil, own)
	require.Equal(t, int64(3481), at(real, "a").Cpu().MilliValue(), "with a limit of 17 405 cores")
	result, errs := recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	require.Equal(t, int64(1), result.Containers[0].CPU.Request)
	require.Equal(t, int64(4000), *result.Containers[0].CPU.Limit.To)
}

// TestPodMaximumOfNothing: the real code cuts memory to less than nothing.
func TestPodMaximumOfNothing(t *testing.T) {
	same := corev1.ResourceRequirements{Requests: memory("1Gi"), Limits: memory("1Gi")}
	real, in := underLimitRange(t, corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: memory("1")}, nil, same, same)
	require.Equal(t, int64(-1), at(real, "a").Memory().Value())
	result, errs := recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	require.Equal(t, recommend.BoundsConflict, result.Containers[0].Memory.Reason)
}

// TestPodMinimum: the real code keeps it only where there are limits, and rounds memory down.
func TestPodMinimum(t *testing.T) {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("20"), corev1.ResourceMemory: *resource.NewQuantity(300<<30+1, resource.BinarySI)}}
	same := corev1.ResourceRequirements{Requests: memory("1Gi"), Limits: memory("1Gi")}
	real, in := underLimitRange(t, item, nil, same, same)
	result, errs := recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	for _, c := range result.Containers {
		theirs := at(real, c.Name)
		require.Equal(t, int64(3481), theirs.Cpu().MilliValue(), "almost 7 cores together")
		require.Equal(t, int64(10_000), c.CPU.Request)
		require.Equal(t, int64(150<<30), theirs.Memory().Value(), "one byte less together")
		require.Equal(t, int64(150<<30+1), c.Memory.Request)
	}
}

// TestPodMaximumRequests: the real code looks at the sum of limits alone, and cuts also who has none.
func TestPodMaximumRequests(t *testing.T) {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: cores("4")}
	real, in := underLimitRange(t, item, nil, corev1.ResourceRequirements{}, corev1.ResourceRequirements{})
	require.Equal(t, int64(3481), at(real, "a").Cpu().MilliValue(), "almost 7 cores together")
	result, errs := recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	require.Equal(t, int64(2000), result.Containers[0].CPU.Request)

	real, in = underLimitRange(t, item, nil, corev1.ResourceRequirements{Requests: cores("1"), Limits: cores("2")}, corev1.ResourceRequirements{Requests: cores("1")})
	require.Equal(t, int64(2000), at(real, "a").Cpu().MilliValue())
	require.Equal(t, int64(2000), at(real, "b").Cpu().MilliValue())
	result, errs = recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	require.Equal(t, int64(1459), result.Containers[0].CPU.Request, "2000m by its limit, then 4 cores shared by requests")
	require.Equal(t, int64(2540), result.Containers[1].CPU.Request)
}

// TestLimitsThatStay: for RequestsOnly the real code scales a container's maximum by the ratio of a limit that does not move.
func TestLimitsThatStay(t *testing.T) {
	only := vpa_types.ContainerControlledValuesRequestsOnly
	policy := &vpa_types.PodResourcePolicy{ContainerPolicies: []vpa_types.ContainerResourcePolicy{{ContainerName: "a", ControlledValues: &only}}}
	real, in := underLimitRange(t, corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: cores("4")}, policy,
		corev1.ResourceRequirements{Requests: cores("1"), Limits: cores("4")})
	require.Equal(t, int64(1000), at(real, "a").Cpu().MilliValue())
	s := recommend.VPA()
	s.CPU.Limit = recommend.Keep
	result, errs := recommend.Workload(in, s)
	require.Empty(t, errs)
	require.Equal(t, int64(3481), result.Containers[0].CPU.Request)
}

// TestPodMaximumEqual: three equal shares of a pod's maximum are equal on both sides, rounded down.
func TestPodMaximumEqual(t *testing.T) {
	same := corev1.ResourceRequirements{Requests: memory("1Gi"), Limits: memory("1Gi")}
	real, in := underLimitRange(t, corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: memory("123480309760")}, nil, same, same, same)
	result, errs := recommend.Workload(in, recommend.VPA())
	require.Empty(t, errs)
	for _, c := range result.Containers {
		require.Equal(t, int64(41160103253), at(real, c.Name).Memory().Value())
		require.Equal(t, int64(41160103253), c.Memory.Request)
		require.Equal(t, int64(41160103253), *c.Memory.Limit.To)
		require.Equal(t, recommend.FromPodMax, c.Memory.CappedBy)
	}
}

// TestDivergencesAreAsserted: each row of DIVERGENCES.md names a test of this file, or the one of pods' ratios.
func TestDivergencesAreAsserted(t *testing.T) {
	list, err := os.ReadFile("DIVERGENCES.md")
	require.NoError(t, err)
	source, err := os.ReadFile("divergence_test.go")
	require.NoError(t, err)
	ratios, err := os.ReadFile("podratio_test.go")
	require.NoError(t, err)
	source = append(source, ratios...)
	rows := 0
	for _, line := range strings.Split(string(list), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| what |") || strings.HasPrefix(line, "| --- |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		require.Len(t, cells, 5, line)
		require.Contains(t, string(source), "func "+cells[4]+"(t *testing.T)", line)
		rows++
	}
	require.Equal(t, 22, rows)
}
