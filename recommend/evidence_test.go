package recommend_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/skipreason"
	"github.com/kube-rightsize/rightsize/usage"
)

// TestKillOfUnknownAmount: what nobody knows is no small number.
func TestKillOfUnknownAmount(t *testing.T) {
	const gib = int64(1 << 30)
	for _, c := range []struct {
		why      string
		pod      *corev1.PodSpec
		kill     usage.OOMKill
		strategy recommend.Strategy
		reason   recommend.Reason
		memory   int64
	}{
		{why: "nothing is known", strategy: recommend.Peak(), reason: recommend.NoData},
		{why: "nothing is known, VPA", strategy: recommend.VPA(), reason: recommend.NoData},
		{why: "a container without a request", pod: podOf(resources(nil, nil)), strategy: recommend.Peak(), reason: recommend.NoData},
		{why: "the limit that it was killed at", kill: usage.OOMKill{Limit: 10 * gib}, strategy: recommend.Peak(), memory: 12 * gib},
		{why: "the request goes before the limit", kill: usage.OOMKill{Request: 5 * gib, Limit: 10 * gib}, strategy: recommend.Peak(), memory: 6 * gib},
		{why: "the highest use", kill: usage.OOMKill{Peak: 5 * gib, Limit: 10 * gib}, strategy: recommend.Peak(), memory: 6 * gib},
		{why: "the present request stands in", pod: podOf(resources(list("", "5Gi"), nil)), strategy: recommend.Peak(), memory: 6 * gib},
	} {
		c.strategy.MinSamples, c.strategy.MinSpan.Duration = 0, 0
		in := recommend.Input{Pod: c.pod, Usage: one(recommend.ContainerUsage{Events: usage.Events{OOMKills: []usage.OOMKill{c.kill}}})}
		r, errs := recommend.Workload(in, c.strategy)
		require.Empty(t, errs, c.why)
		require.Equal(t, c.reason, r.Containers[0].Memory.Reason, c.why)
		require.Equal(t, c.memory, r.Containers[0].Memory.Request, c.why)
	}
}

// TestLimitsThatHold: with Hold a limit whose fact holds does not fall, and a limit of a LimitRange goes with its default request.
func TestLimitsThatHold(t *testing.T) {
	throttled := 0.5
	held := recommend.VPA()
	held.Hold = true
	defaults := limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: list("1", ""), DefaultRequest: list("100m", "")})
	capped := []recommend.Policy{{Container: "a", MaxAllowed: list("400m", "")}}
	for _, c := range []struct {
		why       string
		in        recommend.Input
		strategy  recommend.Strategy
		throttled *float64
		request   int64
		limit     int64
		by        recommend.Cause
	}{
		{why: "in the present ratio", strategy: recommend.VPA(), in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", "")))}, request: 296, limit: 592},
		{why: "held", strategy: held, throttled: &throttled, in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", "")))}, request: 500, limit: 1000},
		{why: "held above the owner's policy", strategy: held, throttled: &throttled, in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", ""))), Policies: capped},
			request: 400, limit: 1000, by: recommend.FromThrottling},
		{why: "without Hold whoever coordinates the change holds it", strategy: recommend.VPA(), throttled: &throttled,
			in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", "")))}, request: 296, limit: 592},
		{why: "a default limit goes with its default request", strategy: recommend.VPA(), in: recommend.Input{Pod: podOf(resources(nil, nil)), LimitRanges: defaults}, request: 296, limit: 2960},
		{why: "a LimitRange's largest ratio", strategy: recommend.VPA(), in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", ""))),
			LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("1500m", "")})},
			request: 296, limit: 444, by: recommend.FromMaxRatio},
	} {
		h, err := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
		require.NoError(t, err)
		for i := range 8 * 24 * 60 {
			require.NoError(t, h.Add(monday.Add(time.Duration(i)*time.Minute), 0.25, usage.VPASampleWeight))
		}
		c.in.Usage = one(recommend.ContainerUsage{CPU: h, Events: usage.Events{Throttled: c.throttled}})
		r, errs := recommend.Workload(c.in, c.strategy)
		require.Empty(t, errs, c.why)
		cpu := r.Containers[0].CPU
		require.Equal(t, c.request, cpu.Request, c.why)
		require.Equal(t, c.limit, *cpu.Limit.To, c.why)
		require.Equal(t, c.by, cpu.Limit.By, c.why)
	}
}

// view is given by its parts, to stand for whatever a caller may write.
type view struct {
	value       float64
	count       int64
	first, last time.Time
}

func (v view) Quantile(float64) (float64, bool) { return v.value, true }
func (v view) Max() (float64, bool)             { return v.value, true }
func (v view) Count() int64                     { return v.count }
func (v view) First() time.Time                 { return v.first }
func (v view) Last() time.Time                  { return v.last }

// TestUnusableViews: what a view does not know, or says beyond all amounts, is no recommendation.
func TestUnusableViews(t *testing.T) {
	vpaHistogram := func(values ...float64) usage.View {
		h, err := usage.NewHistogram(usage.VPACPU, 0)
		require.NoError(t, err)
		for i, v := range values {
			require.NoError(t, h.Add(monday.Add(time.Duration(i)*time.Hour), v, 1))
		}
		return h
	}
	week := func(v float64) view { return view{v, 20_000, monday, monday.Add(7 * 24 * time.Hour)} }
	table, err := usage.NewQuantiles(usage.Table{Count: 20_000, Quantiles: []usage.QuantileValue{{Q: 0.5, Value: 0.1}, {Q: 0.9, Value: 0.2}, {Q: 0.95, Value: 0.25}}})
	require.NoError(t, err)
	half := func(first, last time.Time) usage.View {
		q, err := usage.NewQuantiles(usage.Table{Count: 20_000, Quantiles: table.Listed(), First: first, Last: last})
		require.NoError(t, err)
		return q
	}
	largest := recommend.VPA()
	largest.CPU.Lower, largest.CPU.Target, largest.CPU.Upper = recommend.Statistic{Max: true}, recommend.Statistic{Max: true}, recommend.Statistic{Max: true}
	sure := recommend.VPA()
	sure.CPU.Confidence.Duration = 0
	long := recommend.Peak()
	long.CPU.Upper = recommend.At(950_000)
	long.CPU.Target = recommend.At(900_000)
	for _, c := range []struct {
		why      string
		cpu      usage.View
		strategy recommend.Strategy
		reason   recommend.Reason
	}{
		{why: "a view without times has no history to widen bounds by", cpu: table, strategy: recommend.VPA(), reason: recommend.MissingSpan},
		{why: "nor one without a first time", cpu: half(time.Time{}, monday), strategy: recommend.VPA(), reason: recommend.MissingSpan},
		{why: "nor one without a last time, which a custom view may leave out", cpu: view{1, 20_000, monday, time.Time{}}, strategy: recommend.VPA(), reason: recommend.MissingSpan},
		{why: "nor a span that may be long enough", cpu: table, strategy: long, reason: recommend.MissingSpan},
		{why: "where nothing asks for its span it is enough", cpu: table, strategy: sure},
		{why: "the last bucket has no end", cpu: vpaHistogram(5000, 5000, 5000), strategy: recommend.VPA(), reason: recommend.AmountOutOfRange},
		{why: "but the largest value is known whatever its bucket", cpu: vpaHistogram(5000, 5000, 5000), strategy: largest},
		{why: "neither has it in the largest of all", cpu: usage.MaxOf(vpaHistogram(1, 1, 1), vpaHistogram(5000, 5000, 5000)), strategy: recommend.VPA(), reason: recommend.AmountOutOfRange},
		{why: "the last bucket but one ends where it starts", cpu: vpaHistogram(1020, 1020, 1020), strategy: recommend.VPA()},
		{why: "one wild sample in twenty is above every quantile that is asked for", cpu: vpaHistogram(append(make([]float64, 19), 5000)...), strategy: recommend.VPA()},
		{why: "infinite", cpu: week(math.Inf(1)), strategy: recommend.VPA(), reason: recommend.AmountOutOfRange},
		{why: "negative", cpu: week(-1), strategy: recommend.VPA(), reason: recommend.AmountOutOfRange},
		{why: "NaN", cpu: week(math.NaN()), strategy: recommend.VPA(), reason: recommend.AmountOutOfRange},
		{why: "above all amounts", cpu: week(2e11), strategy: recommend.VPA(), reason: recommend.AmountOutOfRange},
		{why: "the same, usable", cpu: week(2), strategy: recommend.VPA()},
	} {
		r, errs := recommend.Workload(recommend.Input{Usage: one(recommend.ContainerUsage{CPU: c.cpu})}, c.strategy)
		require.Empty(t, errs, c.why)
		require.Equal(t, c.reason, r.Containers[0].CPU.Reason, c.why)
		require.Equal(t, c.reason == "", r.Containers[0].CPU.Outcome == recommend.Recommended, c.why)
	}
}

// TestCappedBelowPeak: whatever keeps memory below what was needed is told.
func TestCappedBelowPeak(t *testing.T) {
	kill := usage.Events{OOMKills: []usage.OOMKill{{Time: monday, Request: gi}}}
	slow := func(s *recommend.Strategy) { s.Memory.MaxRaise = 100_000 }
	for _, c := range []struct {
		why      string
		in       recommend.Input
		strategy func(*recommend.Strategy)
		flag     bool
	}{
		{why: "a bound on one step keeps it below what the kill showed", strategy: slow, flag: true,
			in: recommend.Input{Pod: podOf(resources(list("", "1Gi"), nil)), Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(gi), 3), Events: kill})}},
		{why: "a bound on one step that leaves enough", strategy: func(s *recommend.Strategy) { s.Memory.MaxRaise = 500_000 },
			in: recommend.Input{Pod: podOf(resources(list("", "1Gi"), nil)), Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(gi), 3), Events: kill})}},
		{why: "the limit", flag: true,
			in: recommend.Input{Pod: podOf(resources(list("", "1Gi"), list("", "1Gi"))), Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(gi), 3), Events: kill})}},
		{why: "a cap at the largest use itself", in: recommend.Input{Policies: []recommend.Policy{{Container: "a", MaxAllowed: list("", "1Gi")}},
			Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(gi), 3)})}, strategy: func(s *recommend.Strategy) { s.Memory.Margin = 150_000 }},
		{why: "a cap one byte below it", flag: true, in: recommend.Input{Policies: []recommend.Policy{{Container: "a", MaxAllowed: list("", "1073741823")}},
			Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(gi), 3)})}, strategy: func(s *recommend.Strategy) { s.Memory.Margin = 150_000 }},
		{why: "a quantile below the largest is meant", strategy: func(s *recommend.Strategy) { s.Memory.Target, s.Memory.Lower = recommend.At(500_000), recommend.At(0) },
			in: recommend.Input{Usage: one(recommend.ContainerUsage{Memory: samplesOf(t, []float64{1e8, 1e8, 9e8}, time.Hour)})}},
	} {
		s := plain()
		if c.strategy != nil {
			c.strategy(&s)
		}
		r, errs := recommend.Workload(c.in, s)
		require.Empty(t, errs, c.why)
		require.Equal(t, c.flag, slices.Contains(r.Containers[0].Flags, skipreason.FlagCappedBelowPeak), c.why)
	}
}

// TestMemoryIndependentFrom: the thresholds themselves count, 90 % of memory and 50 % of cpu.
func TestMemoryIndependentFrom(t *testing.T) {
	for _, c := range []struct {
		why         string
		memory, cpu float64 // medians; the largest is 1000
		flag        bool
	}{
		{"both at the threshold", 900, 500, true},
		{"memory falls a little further", 899, 500, false},
		{"cpu stays a little higher", 900, 501, false},
	} {
		of := func(median float64) *usage.Samples { return samplesOf(t, []float64{median, median, 1000}, time.Hour) }
		r, errs := recommend.Workload(recommend.Input{MemoryScaled: true, Usage: one(recommend.ContainerUsage{CPU: of(c.cpu), Memory: of(c.memory)})}, plain())
		require.Empty(t, errs, c.why)
		require.Equal(t, c.flag, slices.Contains(r.Containers[0].Flags, skipreason.FlagMemoryIndependent), c.why)
	}
}

// TestPeaksThatMissTheLargestUse: a sample of 0 bytes at the start of an interval hides the rest of it from the peaks, as in VPA, but not from
// whoever reads the result.
func TestPeaksThatMissTheLargestUse(t *testing.T) {
	for _, c := range []struct {
		why     string
		first   int64 // bytes of the first sample; the others are 900Mi
		request int64
		flag    bool
	}{
		{"hidden: the pod's minimum", 0, 250 * mi, true},
		{"seen: 1.15 of the bucket that ends at 1e7 (1.05^36 - 1) / 0.05", 1, 1102117711, false},
	} {
		rule, instance := usage.VPAPeakRule(), usage.Instance{}
		memory, err := usage.NewHistogram(usage.Fine, 0)
		require.NoError(t, err, c.why)
		peaks, err := usage.NewHistogram(usage.VPAMemory, 24*time.Hour)
		require.NoError(t, err, c.why)
		for i := range 200 {
			at, bytes := monday.Add(time.Duration(i)*5*time.Minute), int64(900*mi)
			if i == 0 {
				bytes = c.first
			}
			require.NoError(t, memory.Add(at, float64(bytes), 1), c.why)
			require.NoError(t, rule.Add(peaks, &instance, at, bytes), c.why)
		}
		r, errs := recommend.Workload(recommend.Input{Usage: one(recommend.ContainerUsage{Memory: memory,
			MemoryPeaks: usage.Peaks{Of: peaks, Interval: rule.Interval}})}, recommend.VPA())
		require.Empty(t, errs, c.why)
		require.Equal(t, c.request, r.Containers[0].Memory.Request, c.why)
		require.Equal(t, c.flag, slices.Contains(r.Containers[0].Flags, skipreason.FlagCappedBelowPeak), c.why)
	}
}

// TestStartupLimit: a limit that would fall below the start-up peak stays as high as it was, within what the LimitRange allows.
func TestStartupLimit(t *testing.T) {
	for _, c := range []struct {
		why   string
		items []corev1.LimitRangeItem
		limit int64
		by    recommend.Cause
	}{
		{why: "without a LimitRange", limit: 800, by: recommend.FromStartup},
		{why: "not above a container's maximum", items: []corev1.LimitRangeItem{containerItem("", "600m")}, limit: 600, by: recommend.FromStartup},
		{why: "not above the largest ratio", items: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("3", "")}}, limit: 300, by: recommend.FromStartup},
		{why: "nor below the request", items: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("500m", "")}}, limit: 100, by: recommend.FromMaxRatio},
	} {
		s := plain()
		s.CPU.Limit = recommend.KeepRatio
		in := recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", ""))), LimitRanges: limitRange(c.items...),
			Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.1, 3), StartupCPU: number(0.8)})}
		r, errs := recommend.Workload(in, s)
		require.Empty(t, errs, c.why)
		got := r.Containers[0].CPU
		require.Equal(t, int64(100), got.Request, c.why)
		require.Equal(t, c.limit, *got.Limit.To, c.why)
		require.Equal(t, c.by, got.Limit.By, c.why)
		require.Contains(t, r.Flags, skipreason.FlagLimitBelowStartup, c.why)
	}
}

// TestWindows: what can be cut is cut, what lies within is taken, and a peak may stand at the end of an interval behind the window.
func TestWindows(t *testing.T) {
	fixed := view{1e9, 100, monday, monday.Add(time.Hour)}
	window := usage.Window{Start: monday, End: monday.Add(time.Hour + time.Second)}
	short := usage.Window{Start: monday, End: monday.Add(90 * time.Second)}
	rising := samplesOf(t, []float64{1e9, 2e9, 3e9}, time.Minute)
	for _, c := range []struct {
		why    string
		use    recommend.ContainerUsage
		window usage.Window
		memory int64
	}{
		{"within", recommend.ContainerUsage{Memory: fixed}, window, 1e9},
		{"samples are cut", recommend.ContainerUsage{Memory: rising}, short, 2e9},
		{"so that one below the last is the largest", recommend.ContainerUsage{Memory: rising}, usage.Window{}, 3e9},
		{"peaks beside them may reach out behind", recommend.ContainerUsage{Memory: rising, MemoryPeaks: usage.Peaks{Of: fixed}}, short, 2e9},
	} {
		r, errs := recommend.Workload(recommend.Input{Usage: one(c.use), Window: c.window}, plain())
		require.Empty(t, errs, c.why)
		require.Equal(t, c.memory, r.Containers[0].Memory.Request, c.why)
	}
}

// TestFewSamples: either resource alone raises the flag.
func TestFewSamples(t *testing.T) {
	many, few := view{0.5, 100, monday, monday.Add(24 * time.Hour)}, view{0.5, 99, monday, monday.Add(24 * time.Hour)}
	brief := view{0.5, 100, monday, monday.Add(24*time.Hour - 1)}
	for _, c := range []struct {
		why         string
		cpu, memory usage.View
		flag        bool
	}{
		{"enough of both", many, many, false},
		{"few of cpu", few, many, true},
		{"few of memory", many, few, true},
		{"less than a day of cpu", brief, many, true},
		{"less than a day of memory", many, brief, true},
		{"nothing of memory", many, nil, false},
	} {
		r, errs := recommend.Workload(recommend.Input{Usage: one(recommend.ContainerUsage{CPU: c.cpu, Memory: c.memory})}, plain())
		require.Empty(t, errs, c.why)
		require.Equal(t, c.flag, slices.Contains(r.Containers[0].Flags, skipreason.FlagFewSamples), c.why)
	}
}

// TestAllocations: 8 days of minutes of cpu and memory, and the recommendation, allocate the two histograms and the result alone.
func TestAllocations(t *testing.T) {
	const most = 50
	allocations := testing.AllocsPerRun(5, func() {
		cpu, _ := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
		peaks, _ := usage.NewHistogram(usage.VPAMemory, 24*time.Hour)
		rule := usage.VPAPeakRule()
		var instance usage.Instance
		for i := range 8 * 24 * 60 {
			at := monday.Add(time.Duration(i) * time.Minute)
			if usage.AddCPU(cpu, &instance, at, float64(i%997)/1000) != nil || rule.Add(peaks, &instance, at, int64(i%1009)<<20) != nil {
				t.Fatal("refused")
			}
		}
		r, errs := recommend.Workload(recommend.Input{Usage: one(recommend.ContainerUsage{CPU: cpu,
			MemoryPeaks: usage.Peaks{Of: peaks, Interval: 24 * time.Hour}})}, recommend.VPA())
		if len(errs) > 0 || r.Containers[0].Memory.Outcome != recommend.Recommended {
			t.Fatal(errs)
		}
	})
	t.Logf("%v allocations", allocations)
	require.LessOrEqual(t, allocations, float64(most))
}
