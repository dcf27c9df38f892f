package replicas

// Observation is what the controller sees in one pass.
type Observation struct {
	// Replicas is scale.spec.replicas: what the last writer asked for.
	Replicas int32 `json:"replicas"`
	// StatusReplicas is scale.status.replicas: how many pods there are.
	StatusReplicas int32 `json:"statusReplicas"`
	// ScaleError is why the scale could not be read. Nothing else is looked at then.
	ScaleError string `json:"scaleError,omitempty"`
	// Selector says what is wrong with the scale's pod selector; empty if it is sound.
	Selector SelectorProblem `json:"selector,omitempty"`
	// SelectorDetail is the text that goes with it.
	SelectorDetail string `json:"selectorDetail,omitempty"`
	// Readings of the metrics, one for each of Spec.Metrics, in that order.
	Readings []Reading `json:"readings,omitempty"`
	// UpdateError is why the scale could not be written, if it comes to that.
	UpdateError string `json:"updateError,omitempty"`
}

// Reading is one metric as it was read.
type Reading struct {
	// Error is why it could not be read.
	Error *MetricError `json:"error,omitempty"`
	// Pods that the selector lists. Object and External metrics with a Value target count the ready ones; with an
	// AverageValue target they read none.
	Pods []Pod `json:"pods,omitempty"`
	// Unlisted are samples, in thousandths, of pods that the selector does not list.
	Unlisted []int64 `json:"unlisted,omitempty"`
	// Values of an Object (the first counts) or External metric (each series), in thousandths.
	Values []int64 `json:"values,omitempty"`
	// OutOfRange says that a quantity, or a pod's sum over its containers, has more thousandths than an int64 holds. It
	// counts as the largest or smallest above.
	OutOfRange bool `json:"outOfRange,omitempty"`
	// Beyond is then the reading as upstream's integers have it, wrapped around. ReproduceOverflow takes it instead.
	Beyond *Reading `json:"beyond,omitempty"`
}

// SelectorProblem is a pod selector that stops every metric.
type SelectorProblem string

const (
	// SelectorMissing: the scale has no selector.
	SelectorMissing SelectorProblem = "missing"
	// SelectorInvalid: it cannot be parsed.
	SelectorInvalid SelectorProblem = "invalid"
	// SelectorAmbiguous: another HPA selects some of the pods. Both stop. Give the workloads distinct labels.
	SelectorAmbiguous SelectorProblem = "ambiguous"
)

// SelectorProblems lists every SelectorProblem.
func SelectorProblems() []SelectorProblem {
	return []SelectorProblem{SelectorMissing, SelectorInvalid, SelectorAmbiguous}
}

// Valid says whether x is in the closed list.
func (x SelectorProblem) Valid() bool { return member(x, SelectorProblems()) }

// MarshalText writes a member of the list, or nothing for "none", and refuses every other text.
func (x SelectorProblem) MarshalText() ([]byte, error) {
	return marshalOptional("selector problem", x, SelectorProblems())
}

// UnmarshalText reads a member of the list, or the empty text as "none", and refuses every other text.
func (x *SelectorProblem) UnmarshalText(text []byte) error {
	return unmarshalOptional("selector problem", x, text, SelectorProblems())
}
