package main

import "github.com/kube-rightsize/rightsize/skipreason"

// report is the answer for all HPAs that were read.
type report struct {
	Items  []item   `json:"items"`
	Errors []string `json:"errors,omitempty"`
}

// item is one HPA.
type item struct {
	HPA    string `json:"hpa"`
	Target string `json:"target"`
	At     string `json:"at"`
	// Path says which way the pass took; metrics, if the metrics decided.
	Path            string `json:"path"`
	CurrentReplicas int32  `json:"currentReplicas"`
	// WantedReplicas is the largest proposal of the metrics, before windows and limits; absent if no metrics were read.
	WantedReplicas *int32 `json:"wantedReplicas,omitempty"`
	// StabilizedReplicas is the same after the stabilization windows, RateLimit how far policies let it go; absent as above.
	StabilizedReplicas *int32 `json:"stabilizedReplicas,omitempty"`
	RateLimit          *int32 `json:"rateLimit,omitempty"`
	DesiredReplicas    int32  `json:"desiredReplicas"`
	// ExactWantedReplicas and ExactDesiredReplicas are what they would be if the controller's integers did not overflow;
	// absent if that makes no difference.
	ExactWantedReplicas  *int32 `json:"exactWantedReplicas,omitempty"`
	ExactDesiredReplicas *int32 `json:"exactDesiredReplicas,omitempty"`
	MinReplicas          int32  `json:"minReplicas"`
	MaxReplicas          int32  `json:"maxReplicas"`

	Metrics []metric `json:"metrics"`
	// LimitedBy is the reason in the words of the HPA's conditions; empty if nothing held the wanted count back.
	LimitedBy string   `json:"limitedBy"`
	Steps     []string `json:"steps"`
	Event     string   `json:"event,omitempty"`
	Error     string   `json:"error,omitempty"`
	// Refused is what the API server would refuse in this HPA.
	Refused    []string              `json:"refused,omitempty"`
	Conditions []condition           `json:"conditions"`
	RiskFlags  []skipreason.RiskFlag `json:"riskFlags"`
	Risks      []finding             `json:"risks,omitempty"`
}

// metric is one metric of an HPA.
type metric struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	Container string `json:"container"`
	// Proposal is null if the metric failed; Error says why.
	Proposal *int32 `json:"proposal"`
	// ExactProposal is what it would be if the controller's integers did not overflow; absent if they do not.
	ExactProposal *int32 `json:"exactProposal,omitempty"`
	// Value is what status shows, Ratio the one that decided: empty and null if there is none, as without replicas.
	Value   string   `json:"value"`
	Target  string   `json:"target"`
	Ratio   *float64 `json:"ratio"`
	Outcome string   `json:"outcome,omitempty"`
	Drives  bool     `json:"drives"`
	// Steps are the arithmetic with the numbers put in.
	Steps []string  `json:"steps"`
	Error string    `json:"error,omitempty"`
	Pods  podCounts `json:"pods"`
	// Counted are the pods that counted with their sample.
	Counted []string `json:"counted,omitempty"`
	// Uncounted are the pods that did not count with their sample, and why.
	Uncounted []uncounted `json:"uncounted,omitempty"`
}

type podCounts struct {
	Ready   int `json:"ready"`
	Unready int `json:"unready"`
	Missing int `json:"missing"`
	Ignored int `json:"ignored"`
	// Filled is how many of the unready and missing ones were taken to use something or nothing.
	Filled int `json:"filled"`
	// Unlisted is how many samples belong to pods that the selector does not list.
	Unlisted int `json:"unlisted"`
}

type uncounted struct {
	Pod   string `json:"pod"`
	Class string `json:"class"`
	Cause string `json:"cause"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type finding struct {
	Flag     skipreason.RiskFlag `json:"flag"`
	Sentence string              `json:"sentence"`
	Object   string              `json:"object"`
	Field    string              `json:"field"`
	Found    string              `json:"found"`
}
