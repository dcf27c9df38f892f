package recommend_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"
	vpa_api "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// streams returns how many random streams are compared: CONFORMANCE_STREAMS, else 20 000.
func streams(t testing.TB) int {
	text := os.Getenv("CONFORMANCE_STREAMS")
	if text == "" {
		return 20_000
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "CONFORMANCE_STREAMS")
	return n
}

// seed returns what the streams start from: CONFORMANCE_SEED, else 1. A failure names its stream, which depends on both.
func seed(t testing.TB) uint64 {
	text := os.Getenv("CONFORMANCE_SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, "CONFORMANCE_SEED")
	return n
}

// TestR2 sends the same random streams into the real VPA and into the library and compares what comes out of each part:
// histograms, decay, merging, checkpoints, OOM kills, the three bounds, rounding, capping and limits.
func TestR2(t *testing.T) {
	var recommended, none, capped, scaled, restored, memoryOnly int
	for n := range streams(t) {
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("stream %d of seed %d", n, seed(t))
				}
			}()
			r := rand.New(rand.NewPCG(seed(t), uint64(n)))
			s := drawSettings(r)
			s.use()
			w := drawWorkload(t, r, s)
			w.check(t, r, s)
			recommended += w.recommended
			none += w.none
			capped += w.capped
			scaled += w.scaled
			restored += w.restored
			memoryOnly += w.memoryOnly
		}()
	}
	t.Logf("amounts recommended %d, none %d, capped %d, limits scaled %d, checkpoints %d, memory alone %d", recommended, none, capped, scaled, restored, memoryOnly)
	for _, share := range []int{recommended, none, capped, scaled, restored} {
		require.Greater(t, share, streams(t)/100, "the streams do not reach a part")
	}
}

type workload struct {
	names                                                   []string
	merged                                                  map[string]pair
	recommended, none, capped, scaled, restored, memoryOnly int
}

func drawWorkload(t testing.TB, r *rand.Rand, s settings) *workload {
	w := &workload{merged: map[string]pair{}}
	for c := range 1 + r.IntN(3) {
		name := string(rune('a' + c))
		w.names = append(w.names, name)
		merged := newPair(t, s)
		for range 1 + r.IntN(2) { // revisions
			p := newPair(t, s)
			var instances []*instance
			for range 1 + r.IntN(3) {
				instances = append(instances, newInstance(p))
			}
			events := r.IntN(80)
			if r.IntN(50) == 0 {
				events = 2000
			}
			feed(t, r, s, instances, events)
			p.same(t)
			if merge := p.real.AggregateCPUUsage; merge != nil {
				before := *p.cpu
				merged.real.MergeContainerState(p.real)
				require.NoError(t, merged.cpu.Merge(p.cpu))
				require.NoError(t, merged.peaks.Merge(p.peaks))
				require.True(t, before.Equal(p.cpu), "merging wrote to its argument")
			}
		}
		merged.same(t)
		if r.IntN(4) == 0 {
			merged = w.restore(t, s, merged)
			merged.same(t)
		}
		w.merged[name] = merged
	}
	return w
}

// restore sends both through a checkpoint and JSON.
func (w *workload) restore(t testing.TB, s settings, p pair) pair {
	saved, err := p.real.SaveToCheckpoint()
	require.NoError(t, err)
	if saved.CPUHistogram.TotalWeight == 0 || len(saved.CPUHistogram.BucketWeights) == 0 || len(saved.MemoryHistogram.BucketWeights) == 0 {
		return p // an empty histogram keeps nothing; see TestEmptyCheckpoint
	}
	text, err := json.Marshal(saved)
	require.NoError(t, err)
	var back vpa_types.VerticalPodAutoscalerCheckpointStatus
	require.NoError(t, json.Unmarshal(text, &back))
	real := model.NewAggregateContainerState()
	require.NoError(t, real.LoadFromCheckpoint(&back))

	load := func(h *usage.Histogram, half time.Duration) *usage.Histogram {
		c, err := h.VPACheckpoint()
		require.NoError(t, err)
		text, err := json.Marshal(c)
		require.NoError(t, err)
		var back usage.VPACheckpoint
		require.NoError(t, json.Unmarshal(text, &back))
		back.ReferenceTimestamp = back.ReferenceTimestamp.Truncate(time.Second) // RFC 3339 of metav1.Time
		span := usage.Span{Count: h.Count(), First: h.First().Truncate(time.Second), Last: h.Last().Truncate(time.Second)}
		loaded, err := usage.FromVPACheckpoint(h.Layout(), half, back, span)
		require.NoError(t, err)
		return loaded
	}
	w.restored++
	return pair{real, load(p.cpu, s.cpuHalfLife), load(p.peaks, s.memoryHalfLife)}
}

// check draws a configuration, a policy and a pod, and compares the recommendation.
func (w *workload) check(t *testing.T, r *rand.Rand, s settings) {
	strategy, config, format := drawStrategy(r)
	states := model.ContainerNameToAggregateStateMap{}
	in := recommend.Input{Pod: &corev1.PodSpec{}}
	policy := &vpa_types.PodResourcePolicy{}
	for _, name := range w.names {
		p := w.merged[name]
		states[name] = p.real
		in.Usage = append(in.Usage, recommend.ContainerUsage{Name: name, CPU: p.cpu, MemoryPeaks: usage.Peaks{Of: p.peaks, Interval: s.interval}})
		in.Pod.Containers = append(in.Pod.Containers, corev1.Container{Name: name, Resources: drawResources(r)})
		if r.IntN(2) == 0 {
			least, most := drawBounds(r)
			mine := recommend.Policy{Container: name, MinAllowed: least, MaxAllowed: most}
			theirs := vpa_types.ContainerResourcePolicy{ContainerName: name, MinAllowed: least.DeepCopy(), MaxAllowed: most.DeepCopy()}
			if r.IntN(3) == 0 {
				only := []corev1.ResourceName{recommend.Resources()[r.IntN(2)]}
				mine.Controlled, theirs.ControlledResources = only, &only
			}
			in.Policies = append(in.Policies, mine)
			policy.ContainerPolicies = append(policy.ContainerPolicies, theirs)
			p.real.UpdateFromPolicy(&theirs)
		}
	}
	result, errs := recommend.Workload(in, strategy)
	require.Empty(t, errs)

	raw := logic.CreatePodResourceRecommender(config).GetRecommendedPodResources(states)
	uncapped := logic.MapToListOfRecommendedContainerResources(raw, format)
	capped, err := vpa_api.ApplyVPAPolicy(uncapped, policy, nil)
	require.NoError(t, err)
	require.Len(t, result.Containers, len(capped.ContainerRecommendations))
	for i, want := range capped.ContainerRecommendations {
		got := result.Containers[i]
		require.Equal(t, want.ContainerName, got.Name)
		p := w.merged[got.Name]
		spec := in.Pod.Containers[i].Resources
		limits, _ := vpa_api.GetProportionalLimit(spec.Limits.DeepCopy(), spec.Requests.DeepCopy(), want.Target.DeepCopy(), nil)
		for _, a := range []recommend.Amounts{got.CPU, got.Memory} {
			target, controlled := want.Target[a.Resource]
			if !controlled {
				require.Equal(t, recommend.NotControlled, a.Reason)
				continue
			}
			empty := a.Resource == corev1.ResourceCPU && p.cpu.Empty() || a.Resource == corev1.ResourceMemory && p.peaks.Empty()
			if empty { // DIVERGENCES.md: no data
				w.none++
				require.Equal(t, recommend.NoData, a.Reason)
				continue
			}
			require.Equal(t, recommend.Recommended, a.Outcome, "%v", a.Reason)
			w.recommended++
			equal(t, target, a, a.Request)
			equal(t, want.UncappedTarget[a.Resource], a, a.Uncapped)
			equal(t, want.LowerBound[a.Resource], a, a.Lower)
			equal(t, want.UpperBound[a.Resource], a, a.Upper)
			if a.Request != a.Uncapped {
				w.capped++
			}
			limit, has := limits[a.Resource]
			require.Equal(t, has, a.Limit.To != nil)
			if has {
				w.scaled++
				equal(t, limit, a, *a.Limit.To)
			}
		}
		if p.cpu.Empty() && !p.peaks.Empty() {
			w.memoryOnly++
		}
	}
}

func equal(t testing.TB, want resource.Quantity, a recommend.Amounts, got int64) {
	mine := recommend.Quantity(a.Resource, got)
	require.Zero(t, want.Cmp(mine), "%s: want %s, got %s", a.Resource, want.String(), mine.String())
}

// drawStrategy draws the recommender's flags for both sides.
func drawStrategy(r *rand.Rand) (recommend.Strategy, logic.RecommendationConfig, logic.RecommendationFormat) {
	s := recommend.VPA()
	if r.IntN(2) == 0 {
		share := func() recommend.PPM { return recommend.PPM(r.IntN(1_000_001)) }
		for _, rule := range []*recommend.Rule{&s.CPU, &s.Memory} {
			a, b, c := share(), share(), share()
			rule.Lower, rule.Target, rule.Upper = recommend.At(min(a, b, c)), recommend.At(max(min(a, b), min(max(a, b), c))), recommend.At(max(a, b, c))
			rule.Confidence = metav1.Duration{Duration: time.Duration(1+r.IntN(400_000)) * time.Second}
		}
		s.CPU.Margin = recommend.PPM(r.IntN(600_000))
		s.Memory.Margin = s.CPU.Margin
		s.CPU.PodMinimum = r.Int64N(300)
		s.Memory.PodMinimum = r.Int64N(1000) << 20
		if r.IntN(2) == 0 {
			s.CPU.Step = 1 + r.Int64N(120)
			s.Memory.Step = 1 + r.Int64N(1<<26)
		}
	}
	return s, logic.RecommendationConfig{
		SafetyMarginFraction: s.CPU.Margin.Float(),
		PodMinCPUMillicores:  float64(s.CPU.PodMinimum), PodMinMemoryMb: float64(s.Memory.PodMinimum >> 20),
		TargetCPUPercentile: s.CPU.Target.Quantile.Float(), LowerBoundCPUPercentile: s.CPU.Lower.Quantile.Float(),
		UpperBoundCPUPercentile: s.CPU.Upper.Quantile.Float(), ConfidenceIntervalCPU: s.CPU.Confidence.Duration,
		TargetMemoryPercentile: s.Memory.Target.Quantile.Float(), LowerBoundMemoryPercentile: s.Memory.Lower.Quantile.Float(),
		UpperBoundMemoryPercentile: s.Memory.Upper.Quantile.Float(), ConfidenceIntervalMemory: s.Memory.Confidence.Duration,
	}, logic.RecommendationFormat{RoundCPUMillicores: int(s.CPU.Step), RoundMemoryBytes: int(s.Memory.Step)}
}

// drawResources draws requests and limits in whole millicores and bytes: with fractions the library rounds a limit down where
// upstream rounds up.
func drawResources(r *rand.Rand) corev1.ResourceRequirements {
	out := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for _, name := range recommend.Resources() {
		request := 1 + r.Int64N(8000)
		if name == corev1.ResourceMemory {
			request = 1 + r.Int64N(1<<34)
		}
		limit := request * (1 + r.Int64N(9))
		if r.IntN(2) == 0 {
			limit = request + r.Int64N(request)
		}
		if r.IntN(5) > 0 {
			out.Requests[name] = recommend.Quantity(name, request)
		}
		if r.IntN(3) > 0 {
			out.Limits[name] = recommend.Quantity(name, limit)
		}
	}
	return out
}

func drawBounds(r *rand.Rand) (least, most corev1.ResourceList) {
	least, most = corev1.ResourceList{}, corev1.ResourceList{}
	for _, name := range recommend.Resources() {
		low := r.Int64N(2000)
		if name == corev1.ResourceMemory {
			low = r.Int64N(1 << 32)
		}
		if r.IntN(2) == 0 {
			least[name] = recommend.Quantity(name, low)
		}
		if r.IntN(2) == 0 {
			most[name] = recommend.Quantity(name, low+r.Int64N(low+1))
		}
	}
	return least, most
}
