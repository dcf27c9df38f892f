package recommend

import (
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/usage"
)

// PPM is a share in millionths: 950_000 is 95 %. It is an integer because strategies are written into files and objects
// that allow no floats; every decimal of up to six places is exact.
type PPM int32

// Whole is the share 1.
const Whole PPM = 1_000_000

// Float returns the share as the float nearest to it, the one that a literal such as 0.95 gives.
func (p PPM) Float() float64 { return float64(p) / 1e6 }

// Statistic is the number that is taken of the measurements: a quantile, or the largest one.
type Statistic struct {
	Quantile PPM  `json:"quantile,omitempty"`
	Max      bool `json:"max,omitempty"` // instead of a quantile: the largest value, which a histogram knows exactly
}

// words are what errors print: "quantile 0.9", "maximum".
func (s Statistic) words() string {
	quantile := "quantile " + strconv.FormatFloat(s.Quantile.Float(), 'f', -1, 64)
	switch {
	case s.Max && s.Quantile != 0:
		return "maximum and " + quantile
	case s.Max:
		return "maximum"
	}
	return quantile
}

// At returns the statistic that is a quantile.
func At(quantile PPM) Statistic { return Statistic{Quantile: quantile} }

// Strategy sets what the stages do. The zero value is not valid: it must be chosen what requests are for. Start from
// VPA() or Peak() and change fields; Validate tells by field path what cannot be.
type Strategy struct {
	Name       string     `json:"name,omitempty"`
	Arithmetic Arithmetic `json:"arithmetic"`
	CPU        Rule       `json:"cpu"`
	Memory     Rule       `json:"memory"`

	// Window is how much history the strategy is meant for. Needs and the queries use it; the pipeline uses what it is given.
	Window metav1.Duration `json:"window"`
	// PeakInterval is the length of the intervals that have one peak each. Peaks of shorter ones are refused: their quantiles are lower.
	PeakInterval metav1.Duration `json:"peakInterval,omitempty"`

	// MinSamples and MinSpan are the least data for a recommendation. Zero asks for one sample.
	MinSamples int64           `json:"minSamples,omitempty"`
	MinSpan    metav1.Duration `json:"minSpan,omitempty"`

	OOM OOM `json:"oom"`

	// ThrottledAbove is the share of throttled periods above which a container counts as throttled: its cpu request must
	// not fall. Zero means that any throttling counts.
	ThrottledAbove PPM `json:"throttledAbove,omitempty"`
	// Hold keeps the recommendation for throttled cpu and OOM-killed memory from falling below the present request. Without it
	// the facts are reported, and whoever coordinates the change still keeps the request.
	Hold bool `json:"hold,omitempty"`
}

// Rule sets the stages for one resource. Amounts are millicores or bytes.
type Rule struct {
	From   Source    `json:"from"`
	Target Statistic `json:"target"`
	Lower  Statistic `json:"lower"`
	Upper  Statistic `json:"upper"`
	// Margin is added: amount + amount x margin.
	Margin PPM `json:"margin,omitempty"`
	// Confidence is the interval that counts as one unit of history: with c units the upper bound is multiplied by 1 + 1/c, the
	// lower one by (1 + 0.001/c)^-2. Zero leaves the bounds alone.
	Confidence metav1.Duration `json:"confidence,omitempty"`
	// PodMinimum is shared evenly by the pod's containers that are recommended for; Minimum is for each container.
	PodMinimum int64 `json:"podMinimum,omitempty"`
	Minimum    int64 `json:"minimum,omitempty"`
	// MaxRaise and MaxCut bound the change in one go, as a share of the present request. Zero is no bound. They go after Step and the minimums:
	// a request that is far below its minimum gets there in several steps, and one on its way need not be a multiple of Step.
	MaxRaise PPM `json:"maxRaise,omitempty"`
	MaxCut   PPM `json:"maxCut,omitempty"`
	// Step rounds up to its multiples; zero and one are whole millicores or bytes.
	Step  int64     `json:"step,omitempty"`
	Limit LimitMode `json:"limit"`
}

// OOM sets what an OOM kill is worth: with used = max(request at the kill, highest use known before it),
//
//	needed = max(used + MinBump, used x (1 + Bump)).
//
// Several kills do not add up.
type OOM struct {
	// InPeaks says that the kills are in the memory peaks already (usage.PeakRule.OOM), as VPA has it. Then the stage acts only
	// where there are no peaks at all, or where they say themselves that they hold use alone (usage.Peaks.UseOnly).
	InPeaks bool  `json:"inPeaks,omitempty"`
	Bump    PPM   `json:"bump,omitempty"`
	MinBump int64 `json:"minBump,omitempty"`
}

// needed is what a container needs that was killed while it used so much. Upstream is usage.PeakRule; Exact rounds up.
func (o OOM) needed(used int64, a Arithmetic) int64 {
	if a == Upstream {
		return usage.PeakRule{Interval: time.Second, BumpRatio: (Whole + o.Bump).Float(), MinBump: o.MinBump}.Needed(used)
	}
	return used + max(o.MinBump, scaled(used, o.Bump, Exact))
}

const day = 24 * time.Hour

// VPA is what VPA's recommender 1.8 computes with its default flags: p90 of cpu samples and of daily memory peaks plus
// 15 %, bounds from p50 and p95, at least 25 millicores and 250 MiB per pod, limits scaled with requests. The views should
// be usage.Histogram of the layouts VPACPU and VPAMemory with a half-life of 24 h, the peaks made by usage.VPAPeakRule.
//
// It has no minimum of data: one sample gives a request, and an upper bound of a hundred terabytes.
func VPA() Strategy {
	cpu := Rule{From: Samples, Target: At(900_000), Lower: At(500_000), Upper: At(950_000), Margin: 150_000,
		Confidence: metav1.Duration{Duration: day}, PodMinimum: 25, Step: 1, Limit: KeepRatio}
	memory := cpu
	memory.From, memory.PodMinimum = Peaks, 250<<20
	return Strategy{Name: "vpa", Arithmetic: Upstream, CPU: cpu, Memory: memory,
		Window: metav1.Duration{Duration: 8 * day}, PeakInterval: metav1.Duration{Duration: day},
		OOM: OOM{InPeaks: true, Bump: 200_000, MinBump: 100 << 20}, ThrottledAbove: 50_000}
}

// Peak is p95 of cpu samples and the largest memory use plus 15 %, over two weeks, with 100 samples over 3 hours at least.
// Bounds are p50 and the largest value for cpu. Requests are at least 1 millicore and 1 MiB, memory in whole MiB; limits
// stay, and requests stay below them. Throttled and OOM-killed containers do not fall.
func Peak() Strategy {
	cpu := Rule{From: Samples, Target: At(950_000), Lower: At(500_000), Upper: Statistic{Max: true}, Minimum: 1, Step: 1, Limit: Keep}
	memory := Rule{From: Samples, Target: Statistic{Max: true}, Lower: Statistic{Max: true}, Upper: Statistic{Max: true},
		Margin: 150_000, Minimum: 1 << 20, Step: 1 << 20, Limit: Keep}
	return Strategy{Name: "peak", Arithmetic: Exact, CPU: cpu, Memory: memory,
		Window: metav1.Duration{Duration: 14 * day}, MinSamples: 100, MinSpan: metav1.Duration{Duration: 3 * time.Hour},
		OOM: OOM{Bump: 200_000, MinBump: 100 << 20}, ThrottledAbove: 50_000, Hold: true}
}

// String returns the number of millionths.
func (p PPM) String() string { return strconv.FormatInt(int64(p), 10) }
