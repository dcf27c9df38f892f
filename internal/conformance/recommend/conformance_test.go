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
	total := counts{}
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
			for what, n := range w.counts {
				total[what] += n
			}
		}()
	}
	t.Log(total)
	for _, what := range []string{"recommended", "without data", "capped", "limit scaled", "restored", "memory alone", "off", "not controlled",
		"policy for others", "capped by the global maximum", "capped at a fraction", "limit of a fraction", "limit 0", "beyond the last bucket"} {
		require.Greater(t, total[what], streams(t)/200, "the streams do not reach: %s", what)
	}
}

// counts say how often the streams reached what they are to reach.
type counts map[string]int

type workload struct {
	counts
	names  []string
	merged map[string]pair
}

func drawWorkload(t testing.TB, r *rand.Rand, s settings) *workload {
	w := &workload{counts: counts{}, merged: map[string]pair{}}
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
		return p // an empty histogram keeps nothing
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
	w.counts["restored"]++
	return pair{real, load(p.cpu, s.cpuHalfLife), load(p.peaks, s.memoryHalfLife)}
}

// check draws a configuration, policies and a pod, and compares the recommendation.
func (w *workload) check(t *testing.T, r *rand.Rand, s settings) {
	strategy, config, format := drawStrategy(r)
	strategy.PeakInterval.Duration = s.interval
	in := recommend.Input{Pod: &corev1.PodSpec{}, MaxAllowed: drawGlobal(r)}
	policy := &vpa_types.PodResourcePolicy{}
	for _, name := range w.names {
		p := w.merged[name]
		in.Usage = append(in.Usage, recommend.ContainerUsage{Name: name, CPU: p.cpu, MemoryPeaks: usage.Peaks{Of: p.peaks, Interval: s.interval}})
		in.Pod.Containers = append(in.Pod.Containers, corev1.Container{Name: name, Resources: drawResources(r)})
		if r.IntN(2) == 0 {
			drawPolicy(r, name, &in, policy)
		}
	}
	if r.IntN(3) == 0 {
		drawPolicy(r, "*", &in, policy)
	}
	states := model.ContainerNameToAggregateStateMap{}
	for _, name := range w.names { // GetContainerNameToAggregateStateMap
		own := vpa_api.GetContainerResourcePolicy(name, policy)
		if own != nil && own.Mode != nil && *own.Mode == vpa_types.ContainerScalingModeOff {
			continue
		}
		w.merged[name].real.UpdateFromPolicy(own)
		states[name] = w.merged[name].real
	}
	result, errs := recommend.Workload(in, strategy)
	require.Empty(t, errs)

	raw := logic.CreatePodResourceRecommender(config).GetRecommendedPodResources(states)
	uncapped := logic.MapToListOfRecommendedContainerResources(raw, format)
	capped, err := vpa_api.ApplyVPAPolicy(uncapped, policy, in.MaxAllowed.DeepCopy())
	require.NoError(t, err)
	require.Len(t, result.Containers, len(w.names))
	for i, got := range result.Containers {
		require.Equal(t, w.names[i], got.Name)
		want := vpa_api.GetRecommendationForContainer(got.Name, capped)
		if want == nil {
			w.counts["off"]++
			require.Equal(t, recommend.NotControlled, got.CPU.Reason)
			require.Equal(t, recommend.NotControlled, got.Memory.Reason)
			continue
		}
		own := vpa_api.GetContainerResourcePolicy(got.Name, policy)
		if own != nil && own.ContainerName == "*" {
			w.counts["policy for others"]++
		}
		w.compare(t, in.Pod.Containers[i].Resources, own, in.MaxAllowed, got, want, strategy)
		if p := w.merged[got.Name]; p.cpu.Empty() && !p.peaks.Empty() {
			w.counts["memory alone"]++
		}
	}
}

// compare compares one container's amounts.
func (w *workload) compare(t *testing.T, spec corev1.ResourceRequirements, own *vpa_types.ContainerResourcePolicy, global corev1.ResourceList,
	got recommend.Container, want *vpa_types.RecommendedContainerResources, strategy recommend.Strategy) {
	p := w.merged[got.Name]
	for _, a := range []recommend.Amounts{got.CPU, got.Memory} {
		if _, controlled := want.Target[a.Resource]; !controlled {
			w.counts["not controlled"]++
			require.Equal(t, recommend.NotControlled, a.Reason)
			continue
		}
		real, rule := p.real.AggregateCPUUsage, strategy.CPU
		if a.Resource == corev1.ResourceMemory {
			real, rule = p.real.AggregateMemoryPeaks, strategy.Memory
		}
		if real.IsEmpty() { // DIVERGENCES.md: no sample at all
			w.counts["without data"]++
			require.Equal(t, recommend.NoData, a.Reason)
			continue
		}
		if beyondLast(real, rule.Upper.Quantile.Float()) { // DIVERGENCES.md: the last bucket; no lower percentile is beyond it alone
			w.counts["beyond the last bucket"]++
			require.Equal(t, recommend.AmountOutOfRange, a.Reason)
			continue
		}
		require.Equal(t, recommend.Recommended, a.Outcome, "%v", a.Reason)
		w.counts["recommended"]++
		require.True(t, sameAmount(want.UncappedTarget[a.Resource], a, a.Uncapped))
		var least, most resource.Quantity
		if own != nil {
			least, most = own.MinAllowed[a.Resource], own.MaxAllowed[a.Resource]
			if _, ok := own.MaxAllowed[a.Resource]; !ok {
				most = global[a.Resource]
			}
		} else {
			most = global[a.Resource]
		}
		for _, x := range []struct {
			want corev1.ResourceList
			got  int64
		}{{want.Target, a.Request}, {want.LowerBound, a.Lower}, {want.UpperBound, a.Upper}} {
			q := x.want[a.Resource]
			if whole(q, a.Resource) {
				require.True(t, sameAmount(q, a, x.got), "%s: want %s, got %d", a.Resource, q.String(), x.got)
				continue
			}
			// DIVERGENCES.md: bounds with fractions
			w.counts["capped at a fraction"]++
			switch {
			case q.Cmp(least) == 0:
				require.Equal(t, roundedUp(q, a.Resource), x.got)
			case q.Cmp(most) == 0:
				require.Equal(t, roundedUp(q, a.Resource)-1, x.got)
			default:
				require.Fail(t, "a fraction that is no bound", q.String())
			}
		}
		if a.Request != a.Uncapped {
			w.counts["capped"]++
			if most := global[a.Resource]; !most.IsZero() && a.CappedBy == recommend.FromMaxAllowed && (own == nil || own.MaxAllowed == nil) {
				w.counts["capped by the global maximum"]++
			}
		}
		mine := corev1.ResourceList{a.Resource: recommend.Quantity(a.Resource, a.Request)}
		limits, _ := vpa_api.GetProportionalLimit(spec.Limits.DeepCopy(), spec.Requests.DeepCopy(), mine, nil)
		limit, has := limits[a.Resource]
		require.Equal(t, has, a.Limit.To != nil)
		written, asked := spec.Limits[a.Resource]
		if asked && written.IsZero() {
			w.counts["limit 0"]++
			require.False(t, has)
		}
		if has {
			w.counts["limit scaled"]++
			if !whole(written, a.Resource) {
				w.counts["limit of a fraction"]++
			}
			require.True(t, sameAmount(limit, a, *a.Limit.To), "%s: want %s, got %d", a.Resource, limit.String(), *a.Limit.To)
		}
	}
}

func sameAmount(want resource.Quantity, a recommend.Amounts, got int64) bool {
	return want.Cmp(recommend.Quantity(a.Resource, got)) == 0
}

func roundedUp(q resource.Quantity, name corev1.ResourceName) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

func whole(q resource.Quantity, name corev1.ResourceName) bool {
	return q.Cmp(recommend.Quantity(name, roundedUp(q, name))) == 0
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

// quantityOf makes a quantity of an amount, and one in four times of half a unit less.
func quantityOf(r *rand.Rand, name corev1.ResourceName, amount int64) resource.Quantity {
	if amount == 0 || r.IntN(4) > 0 {
		return recommend.Quantity(name, amount)
	}
	if name == corev1.ResourceCPU {
		return resource.MustParse(strconv.FormatInt(amount*1000-500, 10) + "u")
	}
	return resource.MustParse(strconv.FormatInt(amount*1000-500, 10) + "m")
}

// drawResources draws requests and limits, zeros and fractions among them.
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
		if r.IntN(20) == 0 {
			request = 0
		}
		if r.IntN(20) == 0 {
			limit = 0
		}
		if r.IntN(5) > 0 {
			out.Requests[name] = quantityOf(r, name, request)
		}
		if r.IntN(3) > 0 {
			out.Limits[name] = quantityOf(r, name, limit)
		}
	}
	return out
}

// drawPolicy draws a container's policy, or the one for all others, for both sides.
func drawPolicy(r *rand.Rand, name string, in *recommend.Input, policy *vpa_types.PodResourcePolicy) {
	least, most := drawBounds(r)
	mine := recommend.Policy{Container: name, MinAllowed: least, MaxAllowed: most}
	theirs := vpa_types.ContainerResourcePolicy{ContainerName: name, MinAllowed: least.DeepCopy(), MaxAllowed: most.DeepCopy()}
	if r.IntN(2) == 0 {
		mine.MaxAllowed, theirs.MaxAllowed = nil, nil
	}
	if r.IntN(3) == 0 {
		only := []corev1.ResourceName{recommend.Resources()[r.IntN(2)]}
		mine.Controlled, theirs.ControlledResources = only, &only
	}
	switch r.IntN(8) {
	case 0:
		off := vpa_types.ContainerScalingModeOff
		mine.Off, theirs.Mode = true, &off
	case 1:
		auto := vpa_types.ContainerScalingModeAuto
		theirs.Mode = &auto
	}
	in.Policies = append(in.Policies, mine)
	policy.ContainerPolicies = append(policy.ContainerPolicies, theirs)
}

// drawGlobal draws the flags container-recommendation-max-allowed-cpu and -memory, above all that drawBounds draws as a minimum.
func drawGlobal(r *rand.Rand) corev1.ResourceList {
	if r.IntN(3) > 0 {
		return nil
	}
	out := corev1.ResourceList{}
	if r.IntN(3) > 0 {
		out[corev1.ResourceCPU] = quantityOf(r, corev1.ResourceCPU, 2002+r.Int64N(2000))
	}
	if r.IntN(3) > 0 {
		out[corev1.ResourceMemory] = quantityOf(r, corev1.ResourceMemory, 2+1<<32+r.Int64N(1<<32))
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
		low = max(low, 1)
		if r.IntN(2) == 0 {
			least[name] = quantityOf(r, name, low)
		}
		if r.IntN(2) == 0 { // at least one whole unit above, so that rounding inwards leaves an amount
			most[name] = quantityOf(r, name, low+1+r.Int64N(low+1))
			if r.IntN(10) == 0 {
				most[name] = quantityOf(r, name, 0) // no maximum, not even the global one
			}
		}
	}
	return least, most
}
