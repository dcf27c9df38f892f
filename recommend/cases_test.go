package recommend_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/skipreason"
	"github.com/kube-rightsize/rightsize/usage"
)

const (
	mi = int64(1) << 20
	gi = int64(1) << 30
)

// plain is a strategy without margin, minimum of data or floors: the request is the statistic.
func plain() recommend.Strategy {
	s := recommend.Peak()
	s.MinSamples, s.MinSpan.Duration = 0, 0
	s.CPU.Target = recommend.Statistic{Max: true}
	s.Memory.Margin, s.Memory.Step, s.Memory.Minimum = 0, 1, 0
	return s
}

func list(cpu, memory string) corev1.ResourceList {
	out := corev1.ResourceList{}
	if cpu != "" {
		out[corev1.ResourceCPU] = resource.MustParse(cpu)
	}
	if memory != "" {
		out[corev1.ResourceMemory] = resource.MustParse(memory)
	}
	return out
}

func podOf(resources ...corev1.ResourceRequirements) *corev1.PodSpec {
	pod := &corev1.PodSpec{}
	for i, r := range resources {
		pod.Containers = append(pod.Containers, corev1.Container{Name: string(rune('a' + i)), Resources: r})
	}
	return pod
}

func resources(requests, limits corev1.ResourceList) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Requests: requests, Limits: limits}
}

// flat is n samples of one value, a minute apart.
func flat(t *testing.T, value float64, n int) *usage.Samples {
	values := make([]float64, n)
	for i := range values {
		values[i] = value
	}
	return samplesOf(t, values, time.Minute)
}

func one(u recommend.ContainerUsage) []recommend.ContainerUsage {
	u.Name = "a"
	return []recommend.ContainerUsage{u}
}

// TestReports holds what users of recommenders have reported in public. Rows about measurements alone are in package usage.
//
//	C01  github.com/kubernetes/autoscaler/issues/7770
//	C02  github.com/kubernetes/autoscaler/issues/9521
//	C04  github.com/kubernetes/autoscaler/issues/4981
//	C06  github.com/kubernetes/autoscaler/issues/3078
//	C11  github.com/robusta-dev/krr/issues/356
//	C12  github.com/knative/operator/issues/2158
//	C13  github.com/kruize/autotune/pull/811
//	C14  github.com/kubernetes/autoscaler/issues/7726
//	C16  github.com/kubernetes/autoscaler/issues/5569
//	C18  github.com/kubernetes/autoscaler/issues/3930
//	C20  github.com/kubernetes/autoscaler/issues/4205
//	C22  github.com/kubernetes/autoscaler/pull/10176
//	C23  github.com/kubernetes/autoscaler/issues/3319
//	C25  github.com/kubernetes/autoscaler/issues/1812
//	C26  github.com/cozystack/cozystack/pull/2920
//	C28  github.com/Tight-Line/ballast/issues/48
//	C29  github.com/google/kube-startup-cpu-boost/issues/107
//	C30  github.com/devantler-tech/platform/pull/1850
//	C32  github.com/deckhouse/deckhouse/pull/22509
//	C37  github.com/SAP/SapMachine/issues/1023
func TestReports(t *testing.T) {
	for _, c := range []struct {
		id, why  string
		in       recommend.Input
		strategy func(*recommend.Strategy)
		cpu      int64 // request; 0: none
		memory   int64
		reason   recommend.Reason // of both, where there is no request
		flags    []skipreason.RiskFlag
		without  []skipreason.RiskFlag
		check    func(*testing.T, recommend.Result)
	}{
		{id: "C01", why: "whole bytes, never a fraction of one",
			in: recommend.Input{Usage: one(recommend.ContainerUsage{Memory: flat(t, 2007897210, 3)})}, memory: 2007897210},
		{id: "C01", why: "or whole Mi, rounded up",
			in:       recommend.Input{Usage: one(recommend.ContainerUsage{Memory: flat(t, 2007897210, 3)})},
			strategy: func(s *recommend.Strategy) { s.Memory.Step = mi }, memory: 1915 * mi},
		{id: "C02", why: "a cap below what is needed: no more with every kill, and a person is told",
			in: recommend.Input{Pod: podOf(resources(list("", "1Gi"), nil)),
				Policies: []recommend.Policy{{Container: "a", MaxAllowed: list("", "1Gi")}},
				Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(gi), 200), Events: usage.Events{OOMKills: []usage.OOMKill{
					{Time: monday, Request: gi}, {Time: monday, Request: gi}, {Time: monday, Request: gi}, {Time: monday, Request: gi}, {Time: monday, Request: gi}}}})},
			strategy: func(s *recommend.Strategy) { s.OOM.Bump = recommend.Whole }, memory: gi,
			flags: []skipreason.RiskFlag{skipreason.FlagCappedBelowPeak, skipreason.FlagOOMKilled},
			check: func(t *testing.T, r recommend.Result) {
				require.Equal(t, 2*gi, r.Containers[0].Memory.Uncapped)
				require.Equal(t, recommend.FromMaxAllowed, r.Containers[0].Memory.CappedBy)
			}},
		{id: "C04", why: "a kill before any sample is evidence",
			in: recommend.Input{Usage: one(recommend.ContainerUsage{Events: usage.Events{OOMKills: []usage.OOMKill{
				{Time: monday, Request: 64 * mi}, {Time: monday, Request: 64 * mi}, {Time: monday, Request: 64 * mi}}}})}, memory: 164 * mi},
		{id: "C06", why: "a kill older than the newest sample counts",
			in: recommend.Input{Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(400*mi), 1),
				Events: usage.Events{OOMKills: []usage.OOMKill{{Time: monday.Add(-11 * time.Second), Request: 454 * mi}}}})}, memory: 554 * mi},
		{id: "C11", why: "floors of 10m and 100Mi",
			in:       recommend.Input{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.0008, 3), Memory: flat(t, float64(9*mi), 3)})},
			strategy: func(s *recommend.Strategy) { s.CPU.Minimum, s.Memory.Minimum = 10, 100*mi }, cpu: 10, memory: 100 * mi},
		{id: "C11", why: "lower floors: whole millicores rounded up, never 0 and never 800u",
			in:       recommend.Input{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.0008, 3), Memory: flat(t, float64(9*mi), 3)})},
			strategy: func(s *recommend.Strategy) { s.CPU.Minimum, s.Memory.Minimum = 1, 16*mi }, cpu: 1, memory: 16 * mi},
		{id: "C12", why: "no request of zero for an HPA to divide by, even without any floor",
			in:       recommend.Input{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0, 3)})},
			strategy: func(s *recommend.Strategy) { s.CPU.Minimum = 0 }, cpu: 1},
		{id: "C13", why: "all-zero usage: the floor, and idle",
			in: recommend.Input{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0, 4)})}, cpu: 1,
			flags: []skipreason.RiskFlag{skipreason.FlagIdle}},
		{id: "C14", why: "an empty history is not zero use: 512Mi stay, not the floor",
			in:       recommend.Input{Pod: podOf(resources(list("", "512Mi"), nil)), Usage: one(recommend.ContainerUsage{Memory: new(usage.Histogram)})},
			strategy: func(s *recommend.Strategy) { s.Memory.Minimum = 10 * mi }, reason: recommend.NoData,
			check: func(t *testing.T, r recommend.Result) { require.Equal(t, 512*mi, *r.Containers[0].Memory.Present) }},
		{id: "C16", why: "one sample: no change",
			in:       recommend.Input{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.023, 1), Memory: flat(t, 163.4e6, 1)})},
			strategy: func(s *recommend.Strategy) { s.MinSamples = 100 }, reason: recommend.TooFewSamples},
		{id: "C16", why: "two samples in a minute: no change",
			in:       recommend.Input{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.023, 2), Memory: flat(t, 163.4e6, 2)})},
			strategy: func(s *recommend.Strategy) { s.MinSpan.Duration = time.Hour }, reason: recommend.TooShort},
		{id: "C16", why: "upstream's history is that of cpu: without it no span is known",
			in:       recommend.Input{Usage: one(recommend.ContainerUsage{Memory: flat(t, 163.4e6, 500)})},
			strategy: func(s *recommend.Strategy) { s.Arithmetic, s.MinSpan.Duration = recommend.Upstream, time.Hour }, reason: recommend.TooShort},
		{id: "C18", why: "the ratio multiplies the limit",
			in:       recommend.Input{Pod: podOf(resources(list("", "512Mi"), list("", "4Gi"))), Usage: one(recommend.ContainerUsage{Memory: flat(t, 4066212754, 3)})},
			strategy: func(s *recommend.Strategy) { s.Memory.Limit = recommend.KeepRatio }, memory: 4066212754,
			check: func(t *testing.T, r recommend.Result) {
				require.Equal(t, int64(32529702032), *r.Containers[0].Memory.Limit.To)
			}},
		{id: "C18", why: "or the limit stays, and the request fits",
			in:     recommend.Input{Pod: podOf(resources(list("", "512Mi"), list("", "4Gi"))), Usage: one(recommend.ContainerUsage{Memory: flat(t, 4066212754, 3)})},
			memory: 4066212754,
			check: func(t *testing.T, r recommend.Result) {
				require.Equal(t, 4*gi, *r.Containers[0].Memory.Limit.To)
				require.Equal(t, recommend.Keep, r.Containers[0].Memory.Limit.Mode)
			}},
		{id: "C20", why: "10.35 cores do not fit under a limit of 10 that stays",
			in:       recommend.Input{Pod: podOf(resources(list("10", ""), list("10", ""))), Usage: one(recommend.ContainerUsage{CPU: flat(t, 9, 3)})},
			strategy: func(s *recommend.Strategy) { s.CPU.Margin = 150_000 }, cpu: 10_000,
			check: func(t *testing.T, r recommend.Result) {
				require.Equal(t, int64(10_350), r.Containers[0].CPU.Uncapped)
				require.Equal(t, recommend.FromLimit, r.Containers[0].CPU.CappedBy)
			}},
		{id: "C22", why: "a fractional limit caps at the whole millicore below",
			in:  recommend.Input{Pod: podOf(resources(list("1", ""), list("1100500u", ""))), Usage: one(recommend.ContainerUsage{CPU: flat(t, 1.101, 3)})},
			cpu: 1100},
		{id: "C25", why: "a limit that stays and maxLimitRequestRatio: the request stays above a quarter of it",
			in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", ""))), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.1, 3)}),
				LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("4", "")})},
			cpu: 250},
		{id: "C25", why: "or the limit falls with the request",
			in: recommend.Input{Pod: podOf(resources(list("100m", ""), list("1", ""))), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.1, 3)}),
				LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("4", "")})},
			strategy: func(s *recommend.Strategy) { s.CPU.Limit = recommend.KeepRatio }, cpu: 100,
			check: func(t *testing.T, r recommend.Result) { require.Equal(t, int64(400), *r.Containers[0].CPU.Limit.To) }},
		{id: "C26", why: "whole millicores, rounded up",
			in: recommend.Input{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.25/7, 3)})}, cpu: 36},
		{id: "C28", why: "one request of a Guaranteed pod: it becomes Burstable, and not in place",
			in:  recommend.Input{Pod: podOf(resources(list("500m", "1Gi"), list("500m", "1Gi"))), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.3, 3)})},
			cpu: 300, flags: []skipreason.RiskFlag{skipreason.FlagQoSChange},
			check: qos(corev1.PodQOSGuaranteed, corev1.PodQOSBurstable, true)},
		{id: "C28", why: "BestEffort gains a request",
			in:  recommend.Input{Pod: podOf(resources(nil, nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.1, 3)})},
			cpu: 100, flags: []skipreason.RiskFlag{skipreason.FlagQoSChange},
			check: qos(corev1.PodQOSBestEffort, corev1.PodQOSBurstable, true)},
		{id: "C28", why: "Burstable stays Burstable",
			in:  recommend.Input{Pod: podOf(resources(list("500m", "1Gi"), nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.3, 3)})},
			cpu: 300, without: []skipreason.RiskFlag{skipreason.FlagQoSChange},
			check: qos(corev1.PodQOSBurstable, corev1.PodQOSBurstable, false)},
		{id: "C29", why: "a request raised to its limit makes the pod Guaranteed",
			in:  recommend.Input{Pod: podOf(resources(list("500m", "1Gi"), list("1", "1Gi"))), Usage: one(recommend.ContainerUsage{CPU: flat(t, 1, 3)})},
			cpu: 1000, flags: []skipreason.RiskFlag{skipreason.FlagQoSChange},
			check: qos(corev1.PodQOSBurstable, corev1.PodQOSGuaranteed, true)},
		{id: "C30", why: "a limit that would fall below the start-up peak does not",
			in: recommend.Input{Pod: podOf(resources(list("50m", ""), list("200m", ""))),
				Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.0044, 3), StartupCPU: number(0.2)})},
			strategy: func(s *recommend.Strategy) { s.CPU.Limit, s.CPU.Minimum = recommend.KeepRatio, 15 }, cpu: 15,
			flags: []skipreason.RiskFlag{skipreason.FlagLimitBelowStartup},
			check: func(t *testing.T, r recommend.Result) { require.Equal(t, int64(200), *r.Containers[0].CPU.Limit.To) }},
		{id: "C32", why: "steps of 64Mi",
			in:       recommend.Input{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.333, 3), Memory: flat(t, float64(70*mi), 3)})},
			strategy: func(s *recommend.Strategy) { s.CPU.Step, s.Memory.Step = 10, 64*mi }, cpu: 340, memory: 128 * mi},
		{id: "C32", why: "steps of 16Mi",
			in:       recommend.Input{Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(70*mi), 3)})},
			strategy: func(s *recommend.Strategy) { s.Memory.Step = 16 * mi }, memory: 80 * mi},
		{id: "C37", why: "memory that does not follow load, under an HPA on memory",
			in:     recommend.Input{MemoryScaled: true, Pod: podOf(resources(list("", "4Gi"), nil)), Usage: one(recommend.ContainerUsage{Memory: flat(t, 3.9*float64(gi), 3)})},
			memory: 4187593114, flags: []skipreason.RiskFlag{skipreason.FlagMemoryIndependent}},
		{id: "C37", why: "without such an HPA nobody is told",
			in:     recommend.Input{Usage: one(recommend.ContainerUsage{Memory: flat(t, 3.9*float64(gi), 3)})},
			memory: 4187593114, without: []skipreason.RiskFlag{skipreason.FlagMemoryIndependent}},
	} {
		t.Run(c.id+" "+c.why, func(t *testing.T) {
			s := plain()
			if c.strategy != nil {
				c.strategy(&s)
			}
			r, errs := recommend.Workload(c.in, s)
			require.Empty(t, errs)
			got := r.Containers[0]
			for _, x := range []struct {
				want int64
				got  recommend.Amounts
			}{{c.cpu, got.CPU}, {c.memory, got.Memory}} {
				require.Equal(t, x.want, x.got.Request, "%v", x.got.Steps)
				if x.want == 0 && c.reason != "" && x.got.Reason != recommend.NoData {
					require.Equal(t, c.reason, x.got.Reason)
				}
			}
			for _, f := range c.flags {
				require.Contains(t, r.Flags, f)
			}
			for _, f := range c.without {
				require.NotContains(t, r.Flags, f)
			}
			if c.check != nil {
				c.check(t, r)
			}
		})
	}
}

func number(v float64) *float64 { return &v }

func limitRange(items ...corev1.LimitRangeItem) []corev1.LimitRange {
	return []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: items}}}
}

func qos(from, to corev1.PodQOSClass, refused bool) func(*testing.T, recommend.Result) {
	return func(t *testing.T, r recommend.Result) {
		require.Equal(t, recommend.QoS{From: from, To: to, InPlaceRefused: refused}, r.QoS)
	}
}

// TestC23: each share is rounded down, so that the sum stays within the pod's maximum.
func TestC23(t *testing.T) {
	q := list("", "1Gi")
	in := recommend.Input{Pod: podOf(resources(q, q), resources(q, q), resources(q, q)),
		LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: corev1.ResourceList{corev1.ResourceMemory: *resource.NewQuantity(123480309760, resource.BinarySI)}})}
	for _, name := range []string{"a", "b", "c"} {
		in.Usage = append(in.Usage, recommend.ContainerUsage{Name: name, Memory: flat(t, 60*float64(gi), 3)})
	}
	s := plain()
	s.Memory.Limit = recommend.KeepRatio
	r, errs := recommend.Workload(in, s)
	require.Empty(t, errs)
	sum := int64(0)
	for _, c := range r.Containers {
		require.Equal(t, int64(41160103253), c.Memory.Request)
		sum += *c.Memory.Limit.To
	}
	require.Equal(t, int64(123480309759), sum)
}

// TestPodRangeFixed: containers that are not recommended for keep what they have, and the others share what is left.
func TestPodRangeFixed(t *testing.T) {
	pod := podOf(resources(list("100m", ""), nil), resources(list("400m", ""), nil), resources(list("100m", ""), nil))
	u := []recommend.ContainerUsage{{Name: "a", CPU: flat(t, 0.3, 3)}, {Name: "c", CPU: flat(t, 0.9, 3)}}
	for _, c := range []struct {
		why  string
		item corev1.LimitRangeItem
		want []int64
	}{
		{"1000m less 400m, shared 1 to 3", corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: list("1", "")}, []int64{150, 0, 450}},
		{"2000m less 400m, shared 1 to 3", corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: list("2", "")}, []int64{400, 0, 1200}},
		{"within both", corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: list("1600m", ""), Max: list("1600m", "")}, []int64{300, 0, 900}},
	} {
		r, errs := recommend.Workload(recommend.Input{Pod: pod, Usage: u, LimitRanges: limitRange(c.item)}, plain())
		require.Empty(t, errs)
		for i, want := range c.want {
			require.Equal(t, want, r.Containers[i].CPU.Request, c.why)
		}
	}
}

// TestC16VPA: VPA itself has no minimum of data. The upper bound is absurd, the limit is not made of it, and it is flagged.
func TestC16VPA(t *testing.T) {
	for _, c := range []struct {
		samples int
		factor  string
	}{{1, "Inf"}, {2, "1441"}} {
		cpu, err := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
		require.NoError(t, err)
		peaks, err := usage.NewHistogram(usage.VPAMemory, 24*time.Hour)
		require.NoError(t, err)
		var instance usage.Instance
		for i := range c.samples {
			at := monday.Add(time.Duration(i) * time.Minute)
			require.NoError(t, usage.AddCPU(cpu, &instance, at, 0.02))
			require.NoError(t, usage.VPAPeakRule().Add(peaks, &instance, at, 130e6))
		}
		r, errs := recommend.Workload(recommend.Input{Pod: podOf(resources(list("20m", "100Mi"), list("40m", "200Mi"))),
			Usage: one(recommend.ContainerUsage{CPU: cpu, MemoryPeaks: usage.Peaks{Of: peaks, Interval: 24 * time.Hour}})}, recommend.VPA())
		require.Empty(t, errs)
		got := r.Containers[0]
		require.Contains(t, got.Flags, skipreason.FlagFewSamples)
		require.Less(t, *got.CPU.Limit.To, int64(100))
		if c.factor == "Inf" {
			require.Equal(t, int64(1e14), got.CPU.Upper)
			require.Equal(t, int64(1e14), got.Memory.Upper)
			require.Zero(t, got.CPU.Confidence)
		} else {
			require.Equal(t, int64(23*1441), got.CPU.Upper)
		}
	}
}

// TestSteady250m: 250m for 8 days of minutes is 296m: the bucket's end is 258.4m, truncated to 258m, plus trunc(38.7m).
func TestSteady250m(t *testing.T) {
	cpu, err := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
	require.NoError(t, err)
	var instance usage.Instance
	for i := range 8 * 24 * 60 {
		require.NoError(t, usage.AddCPU(cpu, &instance, monday.Add(time.Duration(i)*time.Minute), 0.25))
	}
	r, errs := recommend.Workload(recommend.Input{Usage: one(recommend.ContainerUsage{CPU: cpu})}, recommend.VPA())
	require.Empty(t, errs)
	require.Equal(t, int64(296), r.Containers[0].CPU.Request)
}

// TestSpecialRows are the edges of stages that no report is about.
func TestSpecialRows(t *testing.T) {
	type in = recommend.Input
	throttled := usage.Events{Throttled: number(0.2)}
	for _, c := range []struct {
		why      string
		in       recommend.Input
		strategy func(*recommend.Strategy)
		cpu      int64
		memory   int64
	}{
		{why: "a throttled container keeps its request", cpu: 500,
			in: in{Pod: podOf(resources(list("500m", ""), nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.1, 3), Events: throttled})}},
		{why: "unless the strategy leaves that to others", cpu: 100, strategy: func(s *recommend.Strategy) { s.Hold = false },
			in: in{Pod: podOf(resources(list("500m", ""), nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.1, 3), Events: throttled})}},
		{why: "the limit wins over the hold", cpu: 400,
			in: in{Pod: podOf(resources(list("500m", ""), list("400m", ""))), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.1, 3), Events: throttled})}},
		{why: "a cut of at most 10 %", cpu: 900, strategy: func(s *recommend.Strategy) { s.CPU.MaxCut = 100_000 },
			in: in{Pod: podOf(resources(list("1", ""), nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.1, 3)})}},
		{why: "a raise of at most 10 %", cpu: 1100, strategy: func(s *recommend.Strategy) { s.CPU.MaxRaise = 100_000 },
			in: in{Pod: podOf(resources(list("1", ""), nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 3, 3)})}},
		{why: "a raise of at most 10 % is not made larger by rounding", cpu: 110, strategy: func(s *recommend.Strategy) { s.CPU.MaxRaise, s.CPU.Step = 100_000, 64 },
			in: in{Pod: podOf(resources(list("100m", ""), nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 3, 3)})}},
		{why: "a raise of at most 10 % on the way to a minimum", cpu: 3, strategy: func(s *recommend.Strategy) { s.CPU.MaxRaise, s.CPU.PodMinimum = 100_000, 25 },
			in: in{Pod: podOf(resources(list("2m", ""), nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.001, 3)})}},
		{why: "a fifth above what was killed, rounded up: 1.2 x 524 288 001 is 629 145 601.2", memory: 629_145_602,
			in: in{Usage: one(recommend.ContainerUsage{Memory: flat(t, 1, 3), Events: usage.Events{OOMKills: []usage.OOMKill{{Time: monday, Request: 524_288_001}}}})}},
		{why: "of several kills the costliest, judged by the highest use that was seen as well", memory: 1288490189,
			in: in{Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(gi), 3), Events: usage.Events{OOMKills: []usage.OOMKill{{Time: monday, Request: 400 * mi}}}})}},
		{why: "a kill with a highest use of its own is judged by that", memory: gi,
			in: in{Usage: one(recommend.ContainerUsage{Memory: flat(t, float64(gi), 3), Events: usage.Events{OOMKills: []usage.OOMKill{{Time: monday, Request: 400 * mi, Peak: 500 * mi}}}})}},
		{why: "what a sum of floats adds to 300m is their own error", cpu: 300, in: in{Usage: one(recommend.ContainerUsage{CPU: flat(t, math.Nextafter(0.3, 1), 3)})}},
		{why: "a missing request is the limit", cpu: 900, strategy: func(s *recommend.Strategy) { s.CPU.MaxCut = 100_000 },
			in: in{Pod: podOf(resources(nil, list("1", ""))), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.1, 3)})}},
		{why: "a LimitRange's minimum", cpu: 50,
			in: in{Pod: podOf(resources(nil, nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.01, 3)}),
				LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: list("50m", "")})}},
		{why: "a LimitRange's maximum, in the ratio of a limit that scales", cpu: 500, strategy: func(s *recommend.Strategy) { s.CPU.Limit = recommend.KeepRatio },
			in: in{Pod: podOf(resources(list("100m", ""), list("200m", ""))), Usage: one(recommend.ContainerUsage{CPU: flat(t, 3, 3)}),
				LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: list("1", "")})}},
		{why: "a default limit caps like one of its own", cpu: 300,
			in: in{Pod: podOf(resources(list("100m", ""), nil)), Usage: one(recommend.ContainerUsage{CPU: flat(t, 3, 3)}),
				LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: list("300m", "")})}},
		{why: "a pod's minimum", memory: 64 * mi,
			in: in{Pod: podOf(resources(nil, nil)), Usage: one(recommend.ContainerUsage{Memory: flat(t, 1000, 3)}),
				LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: list("", "64Mi")})}},
		{why: "0.296 cores are 296m, whatever the float says", cpu: 296, in: in{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.296, 3)})}},
		{why: "the largest amount", cpu: 100_000_000_000_000, in: in{Usage: one(recommend.ContainerUsage{CPU: flat(t, 1e11, 3)})}},
		{why: "above the largest amount there is none", cpu: 0, in: in{Usage: one(recommend.ContainerUsage{CPU: flat(t, 1.1e11, 3)})}},
		{why: "the policy for all others", cpu: 70,
			in: in{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.01, 3)}), Policies: []recommend.Policy{{Container: "*", MinAllowed: list("70m", "")}, {Container: "b", MinAllowed: list("90m", "")}}}},
		{why: "a zero maximum is none", cpu: 10,
			in: in{Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.01, 3)}), Policies: []recommend.Policy{{Container: "a", MaxAllowed: list("0", "")}}}},
		{why: "kills outside the window are left out", memory: 100,
			in: in{Usage: one(recommend.ContainerUsage{Memory: flat(t, 100, 3), Events: usage.Events{OOMKills: []usage.OOMKill{{Time: monday.Add(-time.Hour), Request: gi}}}}),
				Window: usage.Window{Start: monday}}},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := plain()
			if c.strategy != nil {
				c.strategy(&s)
			}
			r, errs := recommend.Workload(c.in, s)
			require.Empty(t, errs)
			require.Equal(t, c.cpu, r.Containers[0].CPU.Request, "%v", r.Containers[0].CPU.Steps)
			require.Equal(t, c.memory, r.Containers[0].Memory.Request, "%v", r.Containers[0].Memory.Steps)
		})
	}
}

// TestRefused are inputs that no cluster holds, by field path.
func TestRefused(t *testing.T) {
	fixed := view{1, 100, monday, monday.Add(time.Hour)} // cannot be cut
	type in = recommend.Input
	for _, c := range []struct {
		field string
		in    recommend.Input
		s     func(*recommend.Strategy)
	}{
		{field: "usage[0].name", in: in{Usage: []recommend.ContainerUsage{{}}}},
		{field: "usage[1].name", in: in{Usage: []recommend.ContainerUsage{{Name: "a"}, {Name: "a"}}}},
		{field: "usage[0].name", in: in{Pod: podOf(), Usage: one(recommend.ContainerUsage{})}},
		{field: "usage[0].events.throttled", in: in{Usage: one(recommend.ContainerUsage{Events: usage.Events{Throttled: number(1.5)}})}},
		{field: "usage[0].events.oomKills[0]", in: in{Usage: one(recommend.ContainerUsage{Events: usage.Events{OOMKills: []usage.OOMKill{{Request: -1}}}})}},
		{field: "usage[0].memoryPeaks.interval", in: in{Usage: one(recommend.ContainerUsage{MemoryPeaks: usage.Peaks{Of: flat(t, 1, 1), Interval: time.Minute}})},
			s: func(s *recommend.Strategy) {
				s.Memory.From, s.PeakInterval.Duration = recommend.Peaks, 24*time.Hour
			}},
		{field: "usage[0].cpuPeaks.interval", in: in{Usage: one(recommend.ContainerUsage{CPUPeaks: usage.Peaks{Of: flat(t, 1, 1)}})},
			s: func(s *recommend.Strategy) {
				s.CPU.From, s.PeakInterval.Duration = recommend.Peaks, time.Hour
			}},
		{field: "usage[0].cpu", in: in{Usage: one(recommend.ContainerUsage{CPU: fixed}), Window: usage.Window{Start: monday.Add(time.Second)}}},   // reaches out before
		{field: "usage[0].memory", in: in{Usage: one(recommend.ContainerUsage{Memory: fixed}), Window: usage.Window{End: monday.Add(time.Hour)}}}, // and behind
		{field: "usage[0].memoryPeaks", in: in{Usage: one(recommend.ContainerUsage{MemoryPeaks: usage.Peaks{Of: fixed}}), Window: usage.Window{Start: monday.Add(time.Second)}}},
		{field: "replicas", in: in{Replicas: -1}},
		{field: "prices.cpu", in: in{Prices: recommend.Prices{CPU: -1}}},
		{field: "prices.memory", in: in{Prices: recommend.Prices{Memory: -1}}},
		{field: "window", in: in{Window: usage.Window{Start: monday, End: monday}}},
		{field: "policies[0].container", in: in{Policies: []recommend.Policy{{}}}},
		{field: "policies[0].controlled[0]", in: in{Policies: []recommend.Policy{{Container: "a", Controlled: []corev1.ResourceName{"disk"}}}}},
		{field: "policies[0].maxAllowed[cpu]", in: in{Usage: one(recommend.ContainerUsage{}), Policies: []recommend.Policy{{Container: "a", MinAllowed: list("2", ""), MaxAllowed: list("1", "")}}}},
		{field: "policies[0].minAllowed[cpu]", in: in{Usage: one(recommend.ContainerUsage{}), Policies: []recommend.Policy{{Container: "a", MinAllowed: list("-2", "")}}}},
		{field: "policies[0].maxAllowed[memory]", in: in{Usage: one(recommend.ContainerUsage{}), Policies: []recommend.Policy{{Container: "a", MaxAllowed: list("", "128m")}}}},
		{field: "maxAllowed[cpu]", in: in{Usage: one(recommend.ContainerUsage{}), MaxAllowed: list("500u", "")}},
		{field: "limitRanges[0].spec.limits[0].max[memory]", in: in{LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: list("", "128m")})}},
		{field: "pod.spec.containers[0].resources.requests[memory]", in: in{Pod: podOf(resources(list("", "-1"), nil))}},
		{field: "pod.spec.containers[0].resources.limits[cpu]", in: in{Pod: podOf(resources(nil, list("1e18", "")))}},
		{field: "limitRanges", in: in{LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypePod, Min: list("2", ""), Max: list("1", "")})}},
		{field: "strategy.arithmetic", s: func(s *recommend.Strategy) { s.Arithmetic = "" }},
		{field: "strategy.cpu.limit", s: func(s *recommend.Strategy) { s.CPU.Limit = "" }},
		{field: "strategy.cpu.from", s: func(s *recommend.Strategy) { s.CPU.From = "guess" }},
		{field: "strategy.memory.target.quantile", s: func(s *recommend.Strategy) { s.Memory.Target.Quantile = 1_000_001 }},
		{field: "strategy.memory.target", s: func(s *recommend.Strategy) {
			s.Memory.Target, s.Memory.Lower = recommend.Statistic{}, recommend.Statistic{}
		}},
		{field: "strategy.cpu.margin", s: func(s *recommend.Strategy) { s.CPU.Margin = -1 }},
		{field: "strategy.cpu.maxCut", s: func(s *recommend.Strategy) { s.CPU.MaxCut = 1_000_001 }},
		{field: "strategy.window", s: func(s *recommend.Strategy) { s.Window.Duration = 0; s.MinSpan.Duration = 0 }},
		{field: "strategy.peakInterval", s: func(s *recommend.Strategy) { s.CPU.From = recommend.Peaks }},
		{field: "strategy.minSpan", s: func(s *recommend.Strategy) { s.MinSpan.Duration = -1 }},
		{field: "strategy.oom.bump", s: func(s *recommend.Strategy) { s.OOM.Bump = -1 }},
	} {
		s := recommend.Peak()
		if c.s != nil {
			c.s(&s)
		}
		r, errs := recommend.Workload(c.in, s)
		require.NotEmpty(t, errs, c.field)
		require.Equal(t, c.field, errs[0].Field)
		require.Empty(t, r.Containers)
	}
}

// TestSavings: 700m and 1Gi less per pod, 3 pods, at prices per core and per GiB.
func TestSavings(t *testing.T) {
	in := recommend.Input{Pod: podOf(resources(list("1", "3Gi"), nil)), Replicas: 3, Prices: recommend.Prices{CPU: 30_000, Memory: 4_000},
		Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.3, 3), Memory: flat(t, 2*float64(gi), 3)})}
	r, errs := recommend.Workload(in, plain())
	require.Empty(t, errs)
	require.Equal(t, int64(700), r.Savings.CPUMilli)
	require.Equal(t, gi, r.Savings.MemoryBytes)
	require.Equal(t, int64(3*(700*30_000+4_000*1000)), *r.Savings.PerHour) // 0.075 per hour
	in.Prices = recommend.Prices{}
	r, errs = recommend.Workload(in, plain())
	require.Empty(t, errs)
	require.Nil(t, r.Savings.PerHour)
}
