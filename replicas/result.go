package replicas

import "math"

// Result is what one metric proposes.
type Result struct {
	// Replicas is the proposal.
	Replicas int32 `json:"replicas"`
	// Outcome says whether the formula gave it or what held the present count.
	Outcome Outcome `json:"outcome"`

	// Utilization in percent, truncated, as status shows it: of the first pass, before missing pods are filled in,
	// so not always the one that decided. Zero unless the target is a utilization.
	Utilization int64 `json:"utilization,omitempty"`
	// Milli is the value or average that status shows beside it, in thousandths.
	Milli int64 `json:"milli"`
	// Total is what the formula of an Object or External metric divides, in thousandths: the value or the sum of the
	// series, after what Capped and NegativeSum say. Zero for the others.
	Total int64 `json:"total,omitempty"`
	// NoAverage says that there is no average, since there are no replicas; Milli is then 0. Upstream writes the
	// smallest int64.
	NoAverage bool `json:"noAverage,omitempty"`

	// Ratio is value / target as it decided; FirstRatio the one before filling in. Both are 0 if Unbounded.
	Ratio      float64 `json:"ratio"`
	FirstRatio float64 `json:"firstRatio"`
	// Unbounded says that the ratio is no finite number: an average over no replicas (of scale.status).
	Unbounded bool `json:"unbounded,omitempty"`

	Pods Counts `json:"pods"`

	// Capped says that upstream's own guard cut the value or the proposal to the largest integer.
	Capped bool `json:"capped,omitempty"`
	// NegativeSum says that a running sum of an External AverageValue metric was below zero, which upstream takes
	// for an overflow: it proposes as if the value were the largest possible.
	NegativeSum bool `json:"negativeSum,omitempty"`
	// OutOfRange says where upstream's arithmetic leaves its range.
	OutOfRange OutOfRange `json:"outOfRange,omitzero"`
}

// Counts says how the listed pods took part. For a Value target only Ready is set.
type Counts struct {
	Ready   int `json:"ready"`
	Unready int `json:"unready"`
	Missing int `json:"missing"`
	Ignored int `json:"ignored"`
	// Filled is how many unready and missing pods got a value for the second pass.
	Filled int `json:"filled"`
	// Unlisted is how many samples belong to pods that the selector does not list.
	Unlisted int `json:"unlisted,omitempty"`
}

// OutOfRange says where upstream's arithmetic wraps or converts out of range. Its answer is another then, unless what
// wrapped did not decide. Unless ReproduceOverflow is set the result carries the mathematically right numbers, saturated
// at the type's ends.
type OutOfRange struct {
	// Quantity: a quantity that was read, a pod's sum over its containers or the target has more thousandths than an
	// int64 holds. The right answer is then that for the largest (or smallest) int64.
	Quantity bool `json:"quantity,omitempty"`
	// Sum: a sum, or a sum times 100, exceeds int64 (83.9 TiB of memory over all pods).
	Sum bool `json:"sum,omitempty"`
	// Utilization exceeds int32.
	Utilization bool `json:"utilization,omitempty"`
	// Average: the average that status shows is no int64.
	Average bool `json:"average,omitempty"`
	// Replicas: the proposal exceeds int32. Upstream then usually scales down, under the highest load.
	Replicas bool `json:"replicas,omitempty"`
	// Limit: a rate limit exceeds int32, or the period's start does, in any policy that was asked. Where that policy
	// decides, upstream's limit wraps: a sum of pods forbids every change, and the doubled count without a behavior
	// becomes the smallest int32.
	Limit bool `json:"limit,omitempty"`
}

// Any says whether anything was out of range.
func (o OutOfRange) Any() bool { return o != OutOfRange{} }

func (o *OutOfRange) merge(p OutOfRange) {
	o.Quantity = o.Quantity || p.Quantity
	o.Sum = o.Sum || p.Sum
	o.Utilization = o.Utilization || p.Utilization
	o.Average = o.Average || p.Average
	o.Replicas = o.Replicas || p.Replicas
	o.Limit = o.Limit || p.Limit
}

func (r *Result) setRatio(first, decided float64) {
	if finite(first) && finite(decided) {
		r.FirstRatio, r.Ratio = first, decided
		return
	}
	r.Unbounded = true
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// Outcome says what became of a metric's ratio.
type Outcome string

const (
	// OutcomeComputed: the formula's number, which may be the present count.
	OutcomeComputed Outcome = "computed"
	// OutcomeTolerance: the ratio is within tolerance; the present count stays.
	OutcomeTolerance Outcome = "within-tolerance"
	// OutcomeReversed: filling in unready and missing pods turned the ratio to the other side of 1.
	OutcomeReversed Outcome = "reversed"
	// OutcomeAgainst: the number would move against the ratio, because it counts other pods than the scale does.
	OutcomeAgainst Outcome = "against-ratio"
)

// Outcomes lists every Outcome.
func Outcomes() []Outcome {
	return []Outcome{OutcomeComputed, OutcomeTolerance, OutcomeReversed, OutcomeAgainst}
}

// Valid says whether x is in the closed list.
func (x Outcome) Valid() bool { return member(x, Outcomes()) }

// MarshalText refuses what is not in the closed list.
func (x Outcome) MarshalText() ([]byte, error) { return marshalMember("outcome", x, Outcomes()) }

// UnmarshalText refuses what is not in the closed list.
func (x *Outcome) UnmarshalText(text []byte) error {
	return unmarshalMember("outcome", x, text, Outcomes())
}
