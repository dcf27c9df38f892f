package rightsizetest

import (
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/recommend"
)

// Strategies draws strategies that are valid and have a minimum above 0: either preset with other quantiles, margins, sources, minimums, steps,
// step limits and limit modes. Few samples are enough for them.
func Strategies() *rapid.Generator[recommend.Strategy] {
	return rapid.Custom(func(t *rapid.T) recommend.Strategy {
		s := rapid.SampledFrom([]recommend.Strategy{recommend.VPA(), recommend.Peak()}).Draw(t, "preset")
		s.Arithmetic = rapid.SampledFrom(recommend.Arithmetics()).Draw(t, "arithmetic")
		s.MinSamples, s.MinSpan = rapid.Int64Range(0, 5).Draw(t, "min samples"), metav1.Duration{}
		s.PeakInterval = metav1.Duration{Duration: 24 * time.Hour}
		s.Hold = rapid.Bool().Draw(t, "hold")
		s.OOM.InPeaks = rapid.Bool().Draw(t, "kills are in the peaks")
		drawRule(t, &s.CPU, 25)
		drawRule(t, &s.Memory, 1<<20)
		return s
	})
}

// quantiles draws those that people choose, and others.
func quantiles() *rapid.Generator[recommend.PPM] {
	return rapid.OneOf(rapid.SampledFrom([]recommend.PPM{500_000, 900_000, 950_000, 990_000, 250_000, 750_000, recommend.Whole}),
		rapid.Map(rapid.IntRange(1, 1_000_000), func(q int) recommend.PPM { return recommend.PPM(q) }))
}

func drawRule(t *rapid.T, r *recommend.Rule, step int64) {
	q := rapid.SliceOfN(quantiles(), 3, 3).Draw(t, "quantiles")
	slices.Sort(q)
	r.From = rapid.SampledFrom(recommend.Sources()).Draw(t, "from")
	r.Lower, r.Target, r.Upper = recommend.At(q[0]), recommend.At(q[1]), recommend.At(q[2])
	if oneIn(t, 3, "the largest") {
		r.Upper = recommend.Statistic{Max: true}
		if rapid.Bool().Draw(t, "as target") {
			r.Target = r.Upper
		}
	}
	r.Margin = recommend.PPM(rapid.IntRange(0, 600_000).Draw(t, "margin"))
	r.Confidence.Duration = time.Duration(rapid.IntRange(0, 24).Draw(t, "confidence")) * time.Hour
	r.PodMinimum = rapid.Int64Range(0, 50).Draw(t, "pod minimum") * step
	r.Minimum = rapid.Int64Range(1, 50*step).Draw(t, "minimum")
	r.Step = rapid.SampledFrom([]int64{0, 1, step}).Draw(t, "rounding step")
	r.Limit = rapid.SampledFrom(recommend.LimitModes()).Draw(t, "limit")
	r.MaxRaise = recommend.PPM(rapid.SampledFrom([]int{0, 0, 100_000, 3_000_000}).Draw(t, "raise"))
	r.MaxCut = recommend.PPM(rapid.SampledFrom([]int{0, 0, 100_000, 900_000}).Draw(t, "cut"))
}

// HostileStrategies draws strategies with anything in them that the types allow; often enough they are valid.
func HostileStrategies() *rapid.Generator[recommend.Strategy] {
	ppm := rapid.SampledFrom([]recommend.PPM{0, 1, 900_000, recommend.Whole, recommend.Whole + 1, -1, math.MaxInt32, math.MinInt32})
	amount := rapid.SampledFrom([]int64{0, 1, 1 << 20, 1e14, 1e14 + 1, -1, math.MaxInt64, math.MinInt64})
	duration := rapid.SampledFrom([]time.Duration{0, 1, time.Hour, 24 * time.Hour, -1, math.MaxInt64, math.MinInt64})
	return rapid.Custom(func(t *rapid.T) recommend.Strategy {
		s := Strategies().Draw(t, "sound")
		if oneIn(t, 20, "zero") {
			return recommend.Strategy{}
		}
		spoilt := func(label string) bool { return oneIn(t, 40, label) }
		if spoilt("arithmetic") {
			s.Arithmetic = "guess"
		}
		for _, r := range []*recommend.Rule{&s.CPU, &s.Memory} {
			for _, of := range []*recommend.Statistic{&r.Lower, &r.Target, &r.Upper} {
				if spoilt("statistic") {
					of.Quantile, of.Max = ppm.Draw(t, "quantile"), rapid.Bool().Draw(t, "max")
				}
			}
			for _, of := range []*recommend.PPM{&r.Margin, &r.MaxRaise, &r.MaxCut} {
				if spoilt("share") {
					*of = ppm.Draw(t, "share")
				}
			}
			for _, of := range []*int64{&r.PodMinimum, &r.Minimum, &r.Step} {
				if spoilt("amount") {
					*of = amount.Draw(t, "amount")
				}
			}
			if spoilt("words") {
				r.From, r.Limit = "", "guess"
			}
			if spoilt("confidence") {
				r.Confidence.Duration = duration.Draw(t, "confidence")
			}
		}
		for _, of := range []*time.Duration{&s.Window.Duration, &s.PeakInterval.Duration, &s.MinSpan.Duration} {
			if spoilt("duration") {
				*of = duration.Draw(t, "duration")
			}
		}
		if spoilt("kills") {
			s.OOM.Bump, s.OOM.MinBump, s.ThrottledAbove, s.MinSamples = ppm.Draw(t, "bump"), amount.Draw(t, "least bump"), ppm.Draw(t, "throttled above"), amount.Draw(t, "min samples")
		}
		return s
	})
}

// Policies draws at most one policy for each container, and at times one for all others: bounds of cpu and memory, resources that are not
// controlled, containers that are switched off.
func Policies(containers ...string) *rapid.Generator[[]recommend.Policy] {
	return rapid.Custom(func(t *rapid.T) (out []recommend.Policy) {
		for _, name := range append([]string{"*"}, containers...) {
			if !oneIn(t, 8, "policy") {
				continue
			}
			p := recommend.Policy{Container: name, Off: oneIn(t, 12, "off"), MinAllowed: corev1.ResourceList{}, MaxAllowed: corev1.ResourceList{}}
			if oneIn(t, 12, "controlled") {
				p.Controlled = rapid.SliceOfNDistinct(rapid.SampledFrom(recommend.Resources()), 0, 2, rapid.ID[corev1.ResourceName]).Draw(t, "resources")
			}
			for _, r := range recommend.Resources() {
				unit := unitIn(r)
				least := rapid.Int64Range(0, 2000).Draw(t, "min")
				if rapid.Bool().Draw(t, "has min") {
					p.MinAllowed[r] = recommend.Quantity(r, least*unit)
				}
				if rapid.Bool().Draw(t, "has max") {
					p.MaxAllowed[r] = recommend.Quantity(r, (least+rapid.Int64Range(1, 2000).Draw(t, "above min"))*unit)
				}
			}
			out = append(out, p)
		}
		return out
	})
}

// unitIn is a handy amount: a millicore, or a MiB in bytes.
func unitIn(name corev1.ResourceName) int64 {
	if name == corev1.ResourceMemory {
		return 1 << 20
	}
	return 1
}

// HostilePolicies draws policies for anybody, twice, with any amounts.
func HostilePolicies() *rapid.Generator[[]recommend.Policy] {
	one := rapid.Custom(func(t *rapid.T) recommend.Policy {
		return recommend.Policy{Container: rapid.SampledFrom([]string{"", "*", "app", "proxy", "nobody"}).Draw(t, "container"), Off: rapid.Bool().Draw(t, "off"),
			Controlled: rapid.SliceOfN(rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", "", "x/y"}), 0, 3).Draw(t, "controlled"),
			MinAllowed: hostileLists().Draw(t, "min"), MaxAllowed: hostileLists().Draw(t, "max")}
	})
	return rapid.SliceOfN(one, 0, 3)
}
