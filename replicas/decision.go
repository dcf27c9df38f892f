package replicas

import "time"

// Decision is what one pass decides, with the numbers on the way.
type Decision struct {
	At   time.Time `json:"at"`
	Path Path      `json:"path"`

	// Current is scale.spec.replicas before, Desired after. They are equal unless Rescale.
	Current int32 `json:"current"`
	Desired int32 `json:"desired"`
	// Rescale says that the scale is written. Refused says that the write failed: Desired was asked for in vain.
	Rescale bool `json:"rescale"`
	Refused bool `json:"refused,omitempty"`
	// Reason of the rescale event; empty without a rescale.
	Reason RescaleReason `json:"reason,omitempty"`

	// Metrics has one entry for each metric, if metrics were read.
	Metrics []MetricDecision `json:"metrics,omitempty"`
	// Invalid is how many of them failed, FirstInvalid the first of those, -1 if none did. A failed metric next to a
	// valid one that does not scale down is an error all the same.
	Invalid      int `json:"invalid,omitempty"`
	FirstInvalid int `json:"firstInvalid"`
	// Driver is the metric that the condition and the event name; -1 if there is none. It is the first with the largest
	// proposal; where proposals so far are 0, each later one replaces them, so that at 0 it is the last.
	Driver int `json:"driver"`
	// Proposal is the largest proposal, not below 0. Stabilized is the same after the stabilization windows.
	Proposal   int32 `json:"proposal"`
	Stabilized int32 `json:"stabilized"`
	// LimitedBy says what cut or lifted Stabilized, in the words of the condition ScalingLimited; empty if nothing.
	LimitedBy string `json:"limitedBy,omitempty"`
	// Limit is the rate limit in the direction of Stabilized; RateLimited says that one was computed.
	Limit       int32 `json:"limit,omitempty"`
	RateLimited bool  `json:"rateLimited,omitempty"`

	// Conditions after the pass.
	Conditions Conditions `json:"conditions"`
	// OutOfRange says where upstream's arithmetic leaves its range, in any metric or limit.
	OutOfRange OutOfRange `json:"outOfRange,omitzero"`
}

// Replicas is what the scale holds after the pass.
func (d *Decision) Replicas() int32 {
	if d.Refused {
		return d.Current
	}
	return d.Desired
}

// Failed says that upstream's reconcile pass ends with an error.
func (d *Decision) Failed() bool {
	return d.Refused || d.Invalid > 0 || d.Path == PathNoScale || d.Path == PathSelector || d.Path == PathFailed
}

// MetricDecision is one metric's proposal, or why there is none.
type MetricDecision struct {
	Result Result       `json:"result,omitzero"`
	Error  *MetricError `json:"error,omitempty"`
}

// Path says which way a pass took.
type Path string

const (
	// PathNoScale: the scale could not be read; nothing was done.
	PathNoScale Path = "no-scale"
	// PathPaused: zero replicas that the HPA has not made itself. Nothing is read until somebody scales up.
	PathPaused Path = "paused"
	// PathAboveMax and PathBelowMin: the count is put to the bound at once; no metric, window or policy is read.
	PathAboveMax Path = "above-max"
	PathBelowMin Path = "below-min"
	// PathSelector: the pod selector is unusable; nothing was done.
	PathSelector Path = "selector"
	// PathFailed: every metric failed, or some did and the others would scale down; nothing was done.
	PathFailed Path = "metrics-failed"
	// PathMetrics: the metrics decided.
	PathMetrics Path = "metrics"
)

// Paths lists every Path.
func Paths() []Path {
	return []Path{PathNoScale, PathPaused, PathAboveMax, PathBelowMin, PathSelector, PathFailed, PathMetrics}
}

// Valid says whether x is in the closed list.
func (x Path) Valid() bool { return member(x, Paths()) }

// MarshalText refuses what is not in the closed list.
func (x Path) MarshalText() ([]byte, error) { return marshalMember("path", x, Paths()) }

// UnmarshalText refuses what is not in the closed list.
func (x *Path) UnmarshalText(text []byte) error { return unmarshalMember("path", x, text, Paths()) }

// RescaleReason is the reason in the rescale event.
type RescaleReason string

const (
	// RescaleAboveTarget: the driving metric is above its target.
	RescaleAboveTarget RescaleReason = "metric-above-target"
	// RescaleBelowTarget: all metrics are below their targets.
	RescaleBelowTarget RescaleReason = "all-metrics-below-target"
	// RescaleAboveMax: the count was above maxReplicas.
	RescaleAboveMax RescaleReason = "above-max-replicas"
	// RescaleBelowMin: the count was below minReplicas.
	RescaleBelowMin RescaleReason = "below-min-replicas"
	// RescaleUnstated: the metrics want the present count, and an earlier, higher recommendation moved it. The event's
	// reason is empty.
	RescaleUnstated RescaleReason = "unstated"
)

// RescaleReasons lists every RescaleReason.
func RescaleReasons() []RescaleReason {
	return []RescaleReason{RescaleAboveTarget, RescaleBelowTarget, RescaleAboveMax, RescaleBelowMin, RescaleUnstated}
}

// Valid says whether x is in the closed list.
func (x RescaleReason) Valid() bool { return member(x, RescaleReasons()) }

// MarshalText writes a member of the list, or nothing for "none", and refuses every other text.
func (x RescaleReason) MarshalText() ([]byte, error) {
	return marshalOptional("rescale reason", x, RescaleReasons())
}

// UnmarshalText reads a member of the list, or the empty text as "none", and refuses every other text.
func (x *RescaleReason) UnmarshalText(text []byte) error {
	return unmarshalOptional("rescale reason", x, text, RescaleReasons())
}
