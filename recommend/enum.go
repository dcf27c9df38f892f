package recommend

import (
	"fmt"
	"slices"
)

// word is a member of one of this package's closed lists.
type word interface{ ~string }

func encode[T word](v T, kind string, values []T) ([]byte, error) {
	if !slices.Contains(values, v) {
		return nil, fmt.Errorf("recommend: unknown %s %q", kind, string(v))
	}
	return []byte(v), nil
}

func decode[T word](into *T, text []byte, kind string, values []T) error {
	if !slices.Contains(values, T(text)) {
		return fmt.Errorf("recommend: unknown %s %q", kind, text)
	}
	*into = T(text)
	return nil
}

// Source says which measurements a statistic is taken of.
type Source string

const (
	Samples Source = "samples" // every measurement
	Peaks   Source = "peaks"   // the largest one per container instance and interval
)

// Sources returns the closed list.
func Sources() []Source { return []Source{Samples, Peaks} }

// MarshalText refuses a source that is not in the list.
func (s Source) MarshalText() ([]byte, error) { return encode(s, "source", Sources()) }

// UnmarshalText refuses a source that is not in the list.
func (s *Source) UnmarshalText(text []byte) error { return decode(s, text, "source", Sources()) }

// Arithmetic says how floats become amounts.
type Arithmetic string

const (
	// Upstream is VPA's: float64, truncated after every stage, at most 1e14, and the confidence of both resources taken
	// from the cpu samples. Truncation takes up to one unit per stage away from the container.
	Upstream Arithmetic = "upstream"
	// Exact rounds every stage up to a whole unit, in integers where there is no measurement involved, and takes each
	// resource's confidence from its own samples. It costs at most one unit per stage and takes nothing away.
	Exact Arithmetic = "exact"
)

// Arithmetics returns the closed list.
func Arithmetics() []Arithmetic { return []Arithmetic{Upstream, Exact} }

// MarshalText refuses what is not in the list.
func (a Arithmetic) MarshalText() ([]byte, error) { return encode(a, "arithmetic", Arithmetics()) }

// UnmarshalText refuses what is not in the list.
func (a *Arithmetic) UnmarshalText(text []byte) error {
	return decode(a, text, "arithmetic", Arithmetics())
}

// LimitMode says what becomes of a container's limit.
type LimitMode string

const (
	// KeepRatio scales the limit with the request, as VPA does by default. A raised request multiplies the limit too:
	// 512Mi of 4Gi raised to 4Gi makes a limit of 32Gi.
	KeepRatio LimitMode = "keep-ratio"
	// Keep leaves the limit alone and caps the request at it.
	Keep LimitMode = "keep"
	// Unset removes the limit.
	Unset LimitMode = "unset"
)

// LimitModes returns the closed list.
func LimitModes() []LimitMode { return []LimitMode{KeepRatio, Keep, Unset} }

// MarshalText refuses what is not in the list.
func (m LimitMode) MarshalText() ([]byte, error) { return encode(m, "limit mode", LimitModes()) }

// UnmarshalText refuses what is not in the list.
func (m *LimitMode) UnmarshalText(text []byte) error {
	return decode(m, text, "limit mode", LimitModes())
}

// Outcome says whether there is a recommendation.
type Outcome string

const (
	Recommended Outcome = "recommended"
	None        Outcome = "none" // the request stays as it is; Reason says why
)

// Outcomes returns the closed list.
func Outcomes() []Outcome { return []Outcome{Recommended, None} }

// MarshalText refuses what is not in the list.
func (o Outcome) MarshalText() ([]byte, error) { return encode(o, "outcome", Outcomes()) }

// UnmarshalText refuses what is not in the list.
func (o *Outcome) UnmarshalText(text []byte) error { return decode(o, text, "outcome", Outcomes()) }

// Reason says why there is no recommendation, and what to do about it.
type Reason string

const (
	NoData           Reason = "no-data"             // no sample and no OOM kill: check that the container is measured
	MissingQuantile  Reason = "missing-quantile"    // the view does not have what the strategy needs: see Needs
	MissingSpan      Reason = "missing-span"        // the view does not say from when to when it was measured, which the strategy needs
	TooFewSamples    Reason = "too-few-samples"     // wait, or lower MinSamples
	TooShort         Reason = "too-short"           // wait, or lower MinSpan
	NotControlled    Reason = "not-controlled"      // the policy leaves this container or resource alone
	AmountOutOfRange Reason = "amount-out-of-range" // the use does not fit an amount: check the units of the samples
	BoundsConflict   Reason = "bounds-conflict"     // no amount keeps both the policy and the LimitRanges: change one of them
)

// Reasons returns the closed list.
func Reasons() []Reason {
	return []Reason{NoData, MissingQuantile, MissingSpan, TooFewSamples, TooShort, NotControlled, AmountOutOfRange, BoundsConflict}
}

// MarshalText refuses what is not in the list, except that no reason is the empty text.
func (r Reason) MarshalText() ([]byte, error) {
	if r == "" {
		return nil, nil
	}
	return encode(r, "reason", Reasons())
}

// UnmarshalText refuses what is not in the list, except that no reason is the empty text.
func (r *Reason) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*r = ""
		return nil
	}
	return decode(r, text, "reason", Reasons())
}

// Stage names a part of the pipeline, in its order.
type Stage string

const (
	StageQuantile   Stage = "quantile"
	StageMargin     Stage = "margin"
	StageConfidence Stage = "confidence"
	StageOOM        Stage = "oom"
	StageHold       Stage = "hold"
	StageMinimum    Stage = "minimum"
	StageRounding   Stage = "rounding"
	StageStepLimit  Stage = "step-limit"
	StagePolicy     Stage = "policy"
	StageLimitRange Stage = "limit-range"
	StageLimit      Stage = "limit"
)

// Stages returns the closed list, in the order of the pipeline.
func Stages() []Stage {
	return []Stage{StageQuantile, StageMargin, StageConfidence, StageOOM, StageHold, StageMinimum, StageRounding,
		StageStepLimit, StagePolicy, StageLimitRange, StageLimit}
}

// MarshalText refuses what is not in the list.
func (s Stage) MarshalText() ([]byte, error) { return encode(s, "stage", Stages()) }

// UnmarshalText refuses what is not in the list.
func (s *Stage) UnmarshalText(text []byte) error { return decode(s, text, "stage", Stages()) }

// Cause says where the number that a step worked with came from.
type Cause string

const (
	FromSamples      Cause = "samples"
	FromPeaks        Cause = "peaks"
	FromOOMKill      Cause = "oom-kill"
	FromThrottling   Cause = "throttling"
	FromRequest      Cause = "present-request"
	FromStrategy     Cause = "strategy"
	FromHistory      Cause = "history-length"
	FromMinAllowed   Cause = "min-allowed"
	FromMaxAllowed   Cause = "max-allowed"
	FromContainerMin Cause = "limit-range-container-min"
	FromContainerMax Cause = "limit-range-container-max"
	FromPodMin       Cause = "limit-range-pod-min"
	FromPodMax       Cause = "limit-range-pod-max"
	FromMaxRatio     Cause = "limit-range-max-ratio"
	FromLimit        Cause = "limit"
	FromStartup      Cause = "start-up-peak"
)

// Causes returns the closed list.
func Causes() []Cause {
	return []Cause{FromSamples, FromPeaks, FromOOMKill, FromThrottling, FromRequest, FromStrategy, FromHistory,
		FromMinAllowed, FromMaxAllowed, FromContainerMin, FromContainerMax, FromPodMin, FromPodMax, FromMaxRatio,
		FromLimit, FromStartup}
}

// MarshalText refuses what is not in the list, except that no cause is the empty text.
func (c Cause) MarshalText() ([]byte, error) {
	if c == "" {
		return nil, nil
	}
	return encode(c, "cause", Causes())
}

// UnmarshalText refuses what is not in the list, except that no cause is the empty text.
func (c *Cause) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*c = ""
		return nil
	}
	return decode(c, text, "cause", Causes())
}
