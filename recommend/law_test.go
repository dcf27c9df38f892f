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
	"github.com/kube-rightsize/rightsize/rightsizetest"
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

// The laws R1 to R10 stand in the kit, with the generators. Each is a property and a fuzz target of its name here.

var workload = rightsizetest.RecommenderOf(recommend.Workload)

// drawStrategy draws one that reads samples alone.
func drawStrategy(t *rapid.T) recommend.Strategy {
	s := rightsizetest.Strategies().Draw(t, "strategy")
	s.CPU.From, s.Memory.From, s.OOM.InPeaks = recommend.Samples, recommend.Samples, false
	return s
}

func amounts(r recommend.Result) []recommend.Amounts {
	var out []recommend.Amounts
	for _, c := range r.Containers {
		out = append(out, c.CPU, c.Memory)
	}
	return out
}

func TestR1(t *testing.T)  { rapid.Check(t, workload.Property(rightsizetest.LawR1)) }
func TestR3(t *testing.T)  { rapid.Check(t, workload.Property(rightsizetest.LawR3)) }
func TestR4(t *testing.T)  { rapid.Check(t, workload.Property(rightsizetest.LawR4)) }
func TestR5(t *testing.T)  { rapid.Check(t, workload.Property(rightsizetest.LawR5)) }
func TestR6(t *testing.T)  { rapid.Check(t, workload.Property(rightsizetest.LawR6)) }
func TestR7(t *testing.T)  { rapid.Check(t, workload.Property(rightsizetest.LawR7)) }
func TestR8(t *testing.T)  { rapid.Check(t, workload.Property(rightsizetest.LawR8)) }
func TestR9(t *testing.T)  { rapid.Check(t, workload.Property(rightsizetest.LawR9)) }
func TestR10(t *testing.T) { rapid.Check(t, workload.Property(rightsizetest.LawR10)) }

func FuzzR1(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(workload.Property(rightsizetest.LawR1))) }
func FuzzR3(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(workload.Property(rightsizetest.LawR3))) }
func FuzzR4(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(workload.Property(rightsizetest.LawR4))) }
func FuzzR5(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(workload.Property(rightsizetest.LawR5))) }
func FuzzR6(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(workload.Property(rightsizetest.LawR6))) }
func FuzzR7(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(workload.Property(rightsizetest.LawR7))) }
func FuzzR8(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(workload.Property(rightsizetest.LawR8))) }
func FuzzR9(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(workload.Property(rightsizetest.LawR9))) }
func FuzzR10(f *testing.F) { f.Fuzz(rapid.MakeFuzz(workload.Property(rightsizetest.LawR10))) }

// The input is not written to, equal inputs give equal results, and nothing panics.
func TestP(t *testing.T) {
	rightsizetest.CheckRecommend(t, workload, rightsizetest.LawP2, rightsizetest.LawP3, rightsizetest.LawP4, rightsizetest.LawP6)
}

// explained: what stands in the result hangs together.
func explained(t *rapid.T) {
	in, s := rightsizetest.UsageInputs().Draw(t, "usage"), rightsizetest.Strategies().Draw(t, "strategy")
	r, errs := recommend.Workload(in, s)
	require.Empty(t, errs)
	for _, a := range amounts(r) {
		require.Contains(t, recommend.Outcomes(), a.Outcome)
		if a.Outcome == recommend.None {
			require.Contains(t, recommend.Reasons(), a.Reason)
			require.Zero(t, a.Request)
			continue
		}
		require.Empty(t, a.Reason)
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
	var back recommend.Result
	require.NoError(t, json.Unmarshal(one, &back))
	require.Equal(t, r, back)
}

func TestExplained(t *testing.T) { rapid.Check(t, explained) }
func FuzzExplained(f *testing.F) { f.Fuzz(rapid.MakeFuzz(explained)) }

// TestSamplesAlone: a strategy that reads samples does not look at peaks.
func TestSamplesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, s := rightsizetest.UsageInputs().Draw(t, "usage"), drawStrategy(t)
		with, errs := recommend.Workload(in, s)
		require.Empty(t, errs)
		in.Usage = slices.Clone(in.Usage)
		for i := range in.Usage {
			in.Usage[i].CPUPeaks, in.Usage[i].MemoryPeaks = usage.Peaks{}, usage.Peaks{}
		}
		without, errs := recommend.Workload(in, s)
		require.Empty(t, errs)
		require.Equal(t, amounts(with), amounts(without))
	})
}

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
			require.LessOrEqual(t, a.Lower, a.Request)
			require.LessOrEqual(t, a.Request, a.Upper)
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

// TestBoundsEnclose: law R3 for views whose answers do not fit together.
func TestBoundsEnclose(t *testing.T) {
	rough, err := usage.NewHistogram(usage.VPACPU, 0)
	require.NoError(t, err)
	for i := range 500 {
		require.NoError(t, rough.Add(monday.Add(time.Duration(i)*time.Hour), 0.25, 1))
	}
	falling := &fallingView{Samples: samplesOf(t, []float64{0.1, 0.2}, 500*time.Hour)}
	for _, c := range []struct {
		why     string
		view    usage.View
		s       recommend.Strategy
		request int64
	}{
		{"the end of a bucket is above the largest value", rough, recommend.Peak(), 259},
		{"fewer samples than none, and the median above the rest: 199m x 1.15", falling, recommend.VPA(), 228},
	} {
		r, errs := recommend.Workload(recommend.Input{Usage: []recommend.ContainerUsage{{Name: "a", CPU: c.view}}}, c.s)
		require.Empty(t, errs, c.why)
		a := r.Containers[0].CPU
		require.Equal(t, c.request, a.Request, "%s: %v", c.why, a)
		require.LessOrEqual(t, a.Lower, a.Request, c.why)
		require.LessOrEqual(t, a.Request, a.Upper, c.why)
	}
}

// fallingView has quantiles that fall, and a negative count.
type fallingView struct{ *usage.Samples }

func (fallingView) Quantile(q float64) (float64, bool) { return max(2-2*q, 0), true }
func (fallingView) Count() int64                       { return -5 }

// limitsHold: no limit is below its request, whatever LimitRanges came after the workload: their defaults and maximums can be below the requests.
func limitsHold(t *rapid.T) {
	s := rapid.SampledFrom([]recommend.Strategy{recommend.VPA(), recommend.Peak()}).Draw(t, "strategy")
	s.MinSamples, s.MinSpan.Duration = 0, 0
	s.CPU.Limit = rapid.SampledFrom(recommend.LimitModes()).Draw(t, "limit")
	amount := func(label string) corev1.ResourceList {
		if rapid.Bool().Draw(t, "no "+label) {
			return nil
		}
		return corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, rapid.Int64Range(1, 3000).Draw(t, label))}
	}
	own := corev1.ResourceRequirements{Requests: amount("request"), Limits: amount("limit")}
	if request, limit := own.Requests.Cpu(), own.Limits.Cpu(); own.Limits != nil && request.Cmp(*limit) > 0 {
		own.Requests = own.Limits // the API server lets no limit below its request in
	}
	item := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: amount("default"), DefaultRequest: amount("default request"), Max: amount("max"),
		MaxLimitRequestRatio: rapid.SampledFrom([]corev1.ResourceList{nil, list("1", ""), list("1500m", ""), list("4", "")}).Draw(t, "ratio")}
	in := recommend.Input{Pod: &corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Resources: own}}}, LimitRanges: limitRange(item),
		Usage: one(recommend.ContainerUsage{CPU: samplesOf(t, []float64{float64(rapid.Int64Range(1, 4000).Draw(t, "use")) / 1000}, time.Hour)})}
	if rapid.Bool().Draw(t, "starts") {
		start := float64(rapid.Int64Range(0, 4000).Draw(t, "start")) / 1000
		in.Usage[0].StartupCPU = &start
	}
	if rapid.Bool().Draw(t, "throttled") {
		all := 1.0
		in.Usage[0].Events.Throttled = &all
	}
	r, errs := recommend.Workload(in, s)
	require.Empty(t, errs)
	a := r.Containers[0].CPU
	if a.Outcome != recommend.Recommended {
		return
	}
	if a.Limit.To != nil {
		require.LessOrEqual(t, a.Request, *a.Limit.To, "%+v", a)
		return
	}
	for _, given := range []corev1.ResourceList{item.Default, item.Max} { // what the API server gives instead
		if given != nil {
			require.LessOrEqual(t, a.Request, given.Cpu().MilliValue(), "%+v", a)
			return
		}
	}
}

func TestLimitsHold(t *testing.T) { rapid.Check(t, limitsHold) }
func FuzzLimitsHold(f *testing.F) { f.Fuzz(rapid.MakeFuzz(limitsHold)) }
