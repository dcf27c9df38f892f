package hpacouple

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/skipreason"
	"github.com/kube-rightsize/rightsize/usage"
)

// Measured is what was measured about a workload, and how requests are to be made of it.
type Measured struct {
	// Strategy says how: recommend.VPA(), recommend.Peak(), or one's own.
	Strategy recommend.Strategy
	// Containers hold the usage windows. A container that is not there keeps its requests.
	Containers []recommend.ContainerUsage
	// Replicas is what the window shows about replicas: at maxReplicas nobody knows what would have been used (max-replicas-reached).
	Replicas usage.Replicas
	// Window, Policies and MaxAllowed are those of recommend.Input.
	Window     usage.Window
	Policies   []recommend.Policy
	MaxAllowed corev1.ResourceList
	// Count and Prices are for the savings: how many replicas, and what a core and a GiB cost for an hour.
	Count  int32
	Prices recommend.Prices
}

// UsagePlan is a plan with the recommendation that it was made of.
type UsagePlan struct {
	Plan Result `json:"plan"`
	// Recommendation explains each request, whatever the plan's outcome.
	Recommendation recommend.Result `json:"recommendation"`
	// Planned is what the plan itself saves; Recommendation.Savings is what would be saved if nothing stood against it.
	Planned recommend.Savings `json:"planned"`
}

// FromUsage is the whole way in one call: usage windows, pod template and HPA in; requests and target that go together out.
//
//	recommend.Workload   what each container needs
//	RecommendationFor    how that is asked for: a limit that keeps its ratio goes with the request that the plan settles on
//	Plan                 what the HPA makes of it
//
// in.Recommendations may name further containers; naming one twice is an error, as in Plan. The flags few-samples, idle, capped-below-peak,
// limit-below-startup, memory-independent and heap are added to the plan's.
//
// Errors are those of both, by field path. The input is not written to. Laws: those of Plan and of recommend.Workload.
func FromUsage(in Input, m Measured) (UsagePlan, field.ErrorList) {
	result, errs := recommend.Workload(recommend.Input{
		Pod: in.Pod.Spec, LimitRanges: in.Pod.LimitRanges, Usage: m.Containers, Window: m.Window, Policies: m.Policies,
		MaxAllowed: m.MaxAllowed, MemoryScaled: scalesMemory(in), Replicas: m.Count, Prices: m.Prices,
	}, m.Strategy)
	if len(errs) > 0 {
		return UsagePlan{}, errs
	}
	in.Recommendations = slices.Clone(in.Recommendations)
	for i := range result.Containers {
		if r, ok := RecommendationFor(result.Containers[i]); ok {
			in.Recommendations = append(in.Recommendations, r)
		}
	}
	in.MaxReplicasReached = in.MaxReplicasReached || m.Replicas.Reached
	plan, errs := Plan(in)
	if len(errs) > 0 {
		return UsagePlan{}, errs
	}
	plan.RiskFlags = withMeasured(plan.RiskFlags, result.Flags)
	return UsagePlan{Plan: plan, Recommendation: result, Planned: planned(plan.Footprints).At(m.Prices, m.Count)}, nil
}

// scalesMemory says whether the HPA has a utilization entry for memory.
func scalesMemory(in Input) bool {
	if in.HPA == nil {
		return false
	}
	return slices.ContainsFunc(metrics.Classify(&in.HPA.Spec), func(e metrics.Entry) bool {
		return e.Coupled() && e.Resource == corev1.ResourceMemory
	})
}

// withMeasured adds the flags that only measurements show, in the order of the list.
func withMeasured(flags, measured []skipreason.RiskFlag) []skipreason.RiskFlag {
	only := []skipreason.RiskFlag{skipreason.FlagFewSamples, skipreason.FlagIdle, skipreason.FlagCappedBelowPeak,
		skipreason.FlagLimitBelowStartup, skipreason.FlagMemoryIndependent, skipreason.FlagHeap}
	var out []skipreason.RiskFlag
	for _, f := range skipreason.RiskFlags() {
		if slices.Contains(flags, f) || slices.Contains(only, f) && slices.Contains(measured, f) {
			out = append(out, f)
		}
	}
	return out
}

// planned returns the footprint's fall, rounded down to whole millicores and bytes.
func planned(footprints []Footprint) recommend.Savings {
	var s recommend.Savings
	for _, f := range footprints {
		s = s.Add(f.Resource, f.From, f.To)
	}
	return s
}
