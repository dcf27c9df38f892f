package replicas

import "fmt"

// Failure says why a metric gives no proposal.
type Failure string

const (
	// FailureUnavailable: the metrics API answered with an error. See to the API or its adapter.
	FailureUnavailable Failure = "unavailable"
	// FailureEmpty: the metrics API answered with nothing.
	FailureEmpty Failure = "empty"
	// FailureNoPods: the selector lists no pods.
	FailureNoPods Failure = "no-pods"
	// FailureNoSamples: no counted pod has a sample; all may be unready.
	FailureNoSamples Failure = "no-samples"
	// FailureZeroRequest: the requests of the pods with samples add up to 0, or none of them is listed.
	FailureZeroRequest Failure = "zero-request"
	// FailureMissingRequest: a counted container of a listed pod has no request. Add it.
	FailureMissingRequest Failure = "missing-request"
	// FailureMissingPodRequest: the pod-level requests have no such resource, nor has any container. Add it.
	FailureMissingPodRequest Failure = "missing-pod-request"
	// FailureUnknownContainer: a listed pod lacks the named container, as in a rollout that renames it.
	FailureUnknownContainer Failure = "unknown-container"
	// FailureRequestRange: a request is negative, or its sum exceeds int64; upstream would wrap.
	FailureRequestRange Failure = "request-range"
	// FailureTarget: the metric has no target of a kind that its type reads, or one that is not positive.
	FailureTarget Failure = "no-target"
	// FailureSelector: the metric's own label selector is invalid.
	FailureSelector Failure = "metric-selector"
	// FailureType: the metric source type is unknown.
	FailureType Failure = "unknown-type"
	// FailureUnread: the observation has no reading for the metric. The caller's mistake.
	FailureUnread Failure = "unread"
)

// Failures lists every Failure.
func Failures() []Failure {
	return []Failure{FailureUnavailable, FailureEmpty, FailureNoPods, FailureNoSamples, FailureZeroRequest,
		FailureMissingRequest, FailureMissingPodRequest, FailureUnknownContainer, FailureRequestRange, FailureTarget,
		FailureSelector, FailureType, FailureUnread}
}

// Valid says whether x is in the closed list.
func (x Failure) Valid() bool { return member(x, Failures()) }

// MarshalText refuses what is not in the closed list.
func (x Failure) MarshalText() ([]byte, error) { return marshalMember("failure", x, Failures()) }

// UnmarshalText refuses what is not in the closed list.
func (x *Failure) UnmarshalText(text []byte) error {
	return unmarshalMember("failure", x, text, Failures())
}

// MetricError is a metric that gives no proposal.
type MetricError struct {
	Failure   Failure `json:"failure"`
	Resource  string  `json:"resource,omitempty"`
	Container string  `json:"container,omitempty"`
	Pod       string  `json:"pod,omitempty"`
	// Detail is the text of an API's error, as it came.
	Detail string `json:"detail,omitempty"`
}

// Error is upstream's text where upstream has one. The text may change; the fields may not.
func (e *MetricError) Error() string {
	if e == nil {
		return "no error"
	}
	switch e.Failure {
	case FailureUnavailable, FailureSelector, FailureRequestRange:
		if e.Detail != "" {
			return e.Detail
		}
	case FailureEmpty:
		if e.Detail != "" {
			return e.Detail
		}
		return "no metrics returned"
	case FailureNoPods:
		return "no pods returned by selector while calculating replica count"
	case FailureNoSamples:
		return "did not receive metrics for targeted pods (pods might be unready)"
	case FailureZeroRequest:
		return "no metrics returned matched known pods"
	case FailureMissingRequest:
		return fmt.Sprintf("missing request for %s in container %s of Pod %s", e.Resource, e.Container, e.Pod)
	case FailureMissingPodRequest:
		return fmt.Sprintf("missing pod-level request for %s in Pod %s", e.Resource, e.Pod)
	case FailureUnknownContainer:
		return fmt.Sprintf("container %s not found in Pod %s", e.Container, e.Pod)
	}
	return "metric failed: " + string(e.Failure)
}
