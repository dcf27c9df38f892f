package recommend_test

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/skipreason"
	"github.com/kube-rightsize/rightsize/usage"
)

var monday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

func samplesOf(t require.TestingT, values []float64, step time.Duration) *usage.Samples {
	points := make([]usage.Point, len(values))
	for i, v := range values {
		points[i] = usage.Point{Time: monday.Add(time.Duration(i) * step), Value: v}
	}
	s, _, err := usage.NewSamples(points, usage.Window{}, usage.NearestRank)
	require.NoError(t, err)
	return s
}

func drawStrategy(t *rapid.T) recommend.Strategy {
	s := rapid.SampledFrom([]recommend.Strategy{recommend.VPA(), recommend.Peak()}).Draw(t, "preset")
	s.Arithmetic = rapid.SampledFrom(recommend.Arithmetics()).Draw(t, "arithmetic")
	s.MinSamples, s.MinSpan.Duration = int64(rapid.IntRange(0, 5).Draw(t, "min samples")), 0
	s.Hold = rapid.Bool().Draw(t, "hold")
	s.OOM.InPeaks = false
	for i, r := range []*recommend.Rule{&s.CPU, &s.Memory} {
		r.From = recommend.Samples
		q := []int{rapid.IntRange(0, 1_000_000).Draw(t, "q"), rapid.IntRange(0, 1_000_000).Draw(t, "q"), rapid.IntRange(0, 1_000_000).Draw(t, "q")}
		slices.Sort(q)
		r.Lower, r.Target, r.Upper = recommend.At(recommend.PPM(q[0])), recommend.At(recommend.PPM(max(q[1], 1))), recommend.At(recommend.PPM(max(q[2], 1)))
		if rapid.Bool().Draw(t, "max") {
			r.Upper = recommend.Statistic{Max: true}
		}
		r.Margin = recommend.PPM(rapid.IntRange(0, 600_000).Draw(t, "margin"))
		r.Minimum = int64(rapid.IntRange(0, 50).Draw(t, "minimum"))
		r.Step = rapid.SampledFrom([]int64{0, 1, 10, 1 << 20}).Draw(t, "step")
		if i == 0 {
			r.Step = min(r.Step, 25)
		}
		r.Limit = rapid.SampledFrom(recommend.LimitModes()).Draw(t, "limit")
		r.MaxRaise = recommend.PPM(rapid.SampledFrom([]int{0, 0, 100_000, 3_000_000}).Draw(t, "raise"))
		r.MaxCut = recommend.PPM(rapid.SampledFrom([]int{0, 0, 100_000, 900_000}).Draw(t, "cut"))
	}
	return s
}

func drawPod(t *rapid.T) *corev1.PodSpec {
	pod := &corev1.PodSpec{}
	for _, name := range []string{"app", "proxy"} {
		r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
		for _, res := range recommend.Resources() {
			scale := int64(1)
			if res == corev1.ResourceMemory {
				scale = 1 << 20
			}
			request := rapid.Int64Range(1, 4000).Draw(t, "request") * scale
			if rapid.IntRange(0, 3).Draw(t, "requested") > 0 {
				r.Requests[res] = recommend.Quantity(res, request)
			}
			if rapid.Bool().Draw(t, "limited") {
				r.Limits[res] = recommend.Quantity(res, request*rapid.Int64Range(1, 8).Draw(t, "ratio"))
			}
		}
		pod.Containers = append(pod.Containers, corev1.Container{Name: name, Resources: r})
	}
	return pod
}

func drawInput(t *rapid.T) recommend.Input {
	in := recommend.Input{Pod: drawPod(t), Replicas: int32(rapid.IntRange(0, 100).Draw(t, "replicas")), Prices: recommend.Prices{CPU: 31_611, Memory: 4_237}}
	for _, c := range in.Pod.Containers {
		cpu := rapid.SliceOfN(rapid.Float64Range(0, 4), 0, 20).Draw(t, "cpu")
		memory := rapid.SliceOfN(rapid.Float64Range(0, 8e9), 0, 20).Draw(t, "memory")
		u := recommend.ContainerUsage{Name: c.Name, CPU: samplesOf(t, cpu, time.Hour), Memory: samplesOf(t, memory, time.Hour)}
		for range rapid.IntRange(0, 2).Draw(t, "kills") {
			u.Events.OOMKills = append(u.Events.OOMKills, usage.OOMKill{Time: monday, Request: rapid.Int64Range(0, 1<<32).Draw(t, "killed at")})
		}
		if rapid.Bool().Draw(t, "throttling known") {
			throttled := rapid.Float64Range(0, 0.2).Draw(t, "throttled")
			u.Events.Throttled = &throttled
		}
		in.Usage = append(in.Usage, u)
	}
	if rapid.Bool().Draw(t, "policy") {
		low := rapid.Int64Range(0, 2000).Draw(t, "min")
		in.Policies = []recommend.Policy{{Container: "*",
			MinAllowed: corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, low)},
			MaxAllowed: corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, low+rapid.Int64Range(0, 2000).Draw(t, "max"))}}}
	}
	return in
}

// scaledUp returns the input with every measurement k times as large.
func scaledUp(t *rapid.T, in recommend.Input, k float64) recommend.Input {
	more := in
	more.Usage = slices.Clone(in.Usage)
	for i, u := range in.Usage {
		for _, v := range []struct {
			from usage.View
			into *usage.View
		}{{u.CPU, &more.Usage[i].CPU}, {u.Memory, &more.Usage[i].Memory}} {
			var values []float64
			for _, p := range v.from.(*usage.Samples).Points() {
				values = append(values, p.Value*k)
			}
			*v.into = samplesOf(t, values, time.Hour)
		}
	}
	return more
}

func amounts(r recommend.Result) []recommend.Amounts {
	var out []recommend.Amounts
	for _, c := range r.Containers {
		out = append(out, c.CPU, c.Memory)
	}
	return out
}

// lawR1: more usage never gives a smaller request.
func lawR1(t *rapid.T) {
	in, s := drawInput(t), drawStrategy(t)
	less, errs := recommend.Workload(in, s)
	require.Empty(t, errs)
	more, errs := recommend.Workload(scaledUp(t, in, rapid.Float64Range(1, 3).Draw(t, "k")), s)
	require.Empty(t, errs)
	for i, a := range amounts(less) {
		b := amounts(more)[i]
		require.Equal(t, a.Outcome, b.Outcome)
		require.LessOrEqual(t, a.Request, b.Request)
		require.LessOrEqual(t, a.Lower, b.Lower)
		require.LessOrEqual(t, a.Upper, b.Upper)
	}
}

func TestR1(t *testing.T) { rapid.Check(t, lawR1) }
func FuzzR1(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawR1)) }

// lawR3: lower <= request <= upper, and what stands in the result hangs together.
func lawR3(t *rapid.T) {
	in, s := drawInput(t), drawStrategy(t)
	was, err := json.Marshal(in.Pod)
	require.NoError(t, err)
	r, errs := recommend.Workload(in, s)
	require.Empty(t, errs)
	now, err := json.Marshal(in.Pod)
	require.NoError(t, err)
	require.Equal(t, string(was), string(now), "the input is written to")
	for _, a := range amounts(r) {
		require.Contains(t, recommend.Outcomes(), a.Outcome)
		if a.Outcome == recommend.None {
			require.Contains(t, recommend.Reasons(), a.Reason)
			require.Zero(t, a.Request)
			continue
		}
		require.Empty(t, a.Reason)
		require.LessOrEqual(t, a.Lower, a.Request)
		require.LessOrEqual(t, a.Request, a.Upper)
		if s.Arithmetic == recommend.Exact {
			require.Positive(t, a.Request)
		}
		if a.Limit.To != nil {
			require.LessOrEqual(t, a.Request, *a.Limit.To)
		}
		require.Equal(t, a.Request < a.Uncapped, a.CappedBy != "", "%+v", a)
		last := recommend.Triple{}
		stage := 0
		for _, step := range a.Steps {
			require.Equal(t, last, step.Before, "steps do not join up")
			last = step.After
			at := slices.Index(recommend.Stages(), step.Stage)
			require.GreaterOrEqual(t, at, stage, "steps are out of order")
			stage = at
			require.Contains(t, recommend.Causes(), step.Cause)
			require.NotEmpty(t, step.String())
		}
		require.Equal(t, last, recommend.Triple{Request: a.Request, Lower: a.Lower, Upper: a.Upper})
	}
	for _, f := range r.Flags {
		require.True(t, f.Valid())
	}
	one, err := json.Marshal(r)
	require.NoError(t, err)
	again, errs := recommend.Workload(in, s)
	require.Empty(t, errs)
	two, err := json.Marshal(again)
	require.NoError(t, err)
	require.Equal(t, string(one), string(two))
	var back recommend.Result
	require.NoError(t, json.Unmarshal(one, &back))
	require.Equal(t, r, back)
}

func TestR3(t *testing.T) { rapid.Check(t, lawR3) }
func FuzzR3(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawR3)) }

// monotone: a higher quantile, margin or minimum never gives a smaller request.
func monotone(t *rapid.T) {
	in, s := drawInput(t), drawStrategy(t)
	less, errs := recommend.Workload(in, s)
	require.Empty(t, errs)
	more := s
	switch rapid.IntRange(0, 2).Draw(t, "what") {
	case 0:
		for _, r := range []*recommend.Rule{&more.CPU, &more.Memory} {
			r.Target = recommend.At(max(r.Target.Quantile, recommend.PPM(rapid.IntRange(0, 1_000_000).Draw(t, "quantile"))))
			r.Upper = recommend.Statistic{Max: true}
		}
	case 1:
		more.CPU.Margin += recommend.PPM(rapid.IntRange(0, 1_000_000).Draw(t, "margin"))
		more.Memory.Margin = max(more.Memory.Margin, more.CPU.Margin)
	case 2:
		more.CPU.Minimum += 100
		more.Memory.Minimum += 1 << 28
	}
	larger, errs := recommend.Workload(in, more)
	require.Empty(t, errs)
	for i, a := range amounts(less) {
		require.LessOrEqual(t, a.Request, amounts(larger)[i].Request)
	}
}

func TestMonotone(t *testing.T) { rapid.Check(t, monotone) }
func FuzzMonotone(f *testing.F) { f.Fuzz(rapid.MakeFuzz(monotone)) }

// exactTwin computes request = ceil(q) + ceil(ceil(q) x margin), up to the minimum and a multiple of the step, in rationals
// and with a sorted list.
func exactTwin(t *rapid.T) {
	milli := rapid.SliceOfN(rapid.IntRange(0, 5000), 1, 30).Draw(t, "millicores")
	values := make([]float64, len(milli))
	for i, m := range milli {
		values[i] = float64(m) / 1000
	}
	s := recommend.Peak()
	s.MinSamples, s.MinSpan.Duration = 0, 0
	q := rapid.Int64Range(1, 1_000_000).Draw(t, "q")
	s.CPU.Lower, s.CPU.Target = recommend.At(0), recommend.At(recommend.PPM(q))
	s.CPU.Margin = recommend.PPM(rapid.IntRange(0, 2_000_000).Draw(t, "margin"))
	s.CPU.Minimum = rapid.Int64Range(0, 300).Draw(t, "minimum")
	s.CPU.Step = rapid.Int64Range(0, 100).Draw(t, "step")
	r, errs := recommend.Workload(recommend.Input{Usage: []recommend.ContainerUsage{{Name: "a", CPU: samplesOf(t, values, time.Hour)}}}, s)
	require.Empty(t, errs)

	slices.Sort(milli)
	rank := 1
	for big.NewRat(int64(rank), 1).Cmp(new(big.Rat).Mul(big.NewRat(q, 1_000_000), big.NewRat(int64(len(milli)), 1))) < 0 {
		rank++
	}
	want := big.NewInt(int64(milli[rank-1]))
	margin := new(big.Int).Mul(want, big.NewInt(int64(s.CPU.Margin)))
	margin.Add(margin, big.NewInt(999_999)).Div(margin, big.NewInt(1_000_000))
	want.Add(want, margin)
	for want.Int64() < max(s.CPU.Minimum, 1) || s.CPU.Step > 1 && want.Int64()%s.CPU.Step != 0 {
		want.Add(want, big.NewInt(1))
	}
	require.Equal(t, want.Int64(), r.Containers[0].CPU.Request)
	require.Equal(t, recommend.NoData, r.Containers[0].Memory.Reason)
}

func TestExactTwin(t *testing.T) { rapid.Check(t, exactTwin) }
func FuzzExactTwin(f *testing.F) { f.Fuzz(rapid.MakeFuzz(exactTwin)) }

// TestOrder: the order of usage, policies and LimitRanges does not matter.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, s := drawInput(t), drawStrategy(t)
		first, errs := recommend.Workload(in, s)
		require.Empty(t, errs)
		slices.Reverse(in.Usage)
		second, errs := recommend.Workload(in, s)
		require.Empty(t, errs)
		require.Equal(t, first, second)
	})
}

// hostileView answers anything.
type hostileView struct{ r *rand.Rand }

func (h hostileView) number() float64 {
	return []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 1e308, 1e15, 1e14, 0.3}[h.r.IntN(9)]
}
func (h hostileView) Quantile(float64) (float64, bool) { return h.number(), h.r.IntN(3) > 0 }
func (h hostileView) Max() (float64, bool)             { return h.number(), h.r.IntN(3) > 0 }
func (h hostileView) Count() int64                     { return []int64{0, -1, 1, math.MaxInt64}[h.r.IntN(4)] }
func (h hostileView) First() time.Time                 { return time.Unix(h.r.Int64(), 0) }
func (h hostileView) Last() time.Time                  { return time.Unix(-h.r.Int64(), 0) }

// TestHostile: nothing panics, and whatever comes out is in range.
func TestHostile(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(1, seed))
		v := hostileView{r}
		s := recommend.VPA()
		if r.IntN(2) == 0 {
			s = recommend.Peak()
		}
		if r.IntN(4) == 0 {
			s.CPU.Margin, s.Memory.Step, s.OOM.Bump = recommend.PPM(r.Int32()), r.Int64(), recommend.PPM(r.Int32())
		}
		pod := &corev1.PodSpec{Containers: []corev1.Container{{Name: "a"}, {Name: "a"}, {}}}
		in := recommend.Input{Usage: []recommend.ContainerUsage{{Name: "a", CPU: v, Memory: v, MemoryPeaks: usage.Peaks{Of: v, Interval: 24 * time.Hour},
			Events: usage.Events{OOMKills: []usage.OOMKill{{Request: r.Int64() >> r.IntN(64)}}}}}, Replicas: r.Int32(),
			Prices: recommend.Prices{CPU: r.Int64(), Memory: r.Int64()}}
		if r.IntN(2) == 0 {
			in.Pod = pod
		}
		result, errs := recommend.Workload(in, s)
		if len(errs) > 0 {
			continue
		}
		for _, a := range amounts(result) {
			require.GreaterOrEqual(t, a.Request, int64(0))
			require.GreaterOrEqual(t, a.Upper, int64(0))
		}
	}
	_, errs := recommend.Workload(recommend.Input{}, recommend.Strategy{})
	require.NotEmpty(t, errs)
	result, errs := recommend.Workload(recommend.Input{}, recommend.VPA())
	require.Empty(t, errs)
	require.Empty(t, result.Containers)
	require.Empty(t, recommend.VPA().Validate(field.NewPath("s")))
	require.Empty(t, recommend.Peak().Validate(field.NewPath("s")))
	require.True(t, skipreason.FlagHeap.Valid())
}
