package recommend

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// Result is the recommendation for one workload. It holds facts; texts are made of them.
type Result struct {
	Containers []Container           `json:"containers"` // in the pod's order; without a pod in the order of Usage
	QoS        QoS                   `json:"qos"`
	Flags      []skipreason.RiskFlag `json:"flags,omitempty"`
	// Savings are those of the containers and sidecars. An init container that ends before they start holds nothing while the pod runs.
	Savings Savings `json:"savings"`
}

// Container is the recommendation for one container.
type Container struct {
	Name    string                `json:"name"`
	CPU     Amounts               `json:"cpu"`
	Memory  Amounts               `json:"memory"`
	Facts   Facts                 `json:"facts"`
	Flags   []skipreason.RiskFlag `json:"flags,omitempty"`
	Savings Savings               `json:"savings"`
}

// Amounts is the recommendation for one resource: millicores or bytes.
type Amounts struct {
	Resource corev1.ResourceName `json:"resource"`
	Outcome  Outcome             `json:"outcome"`
	Reason   Reason              `json:"reason,omitempty"` // with outcome none
	// Present is the request as it stands; nil is absent or not known.
	Present *int64 `json:"present,omitempty"`
	// Request, Lower and Upper are set with outcome recommended. Uncapped is the request before policy, LimitRange and limit.
	// Lower and Upper say how far the present request may be off before it is worth a change. Upper is never a limit: with
	// little history it is absurdly large on purpose.
	Request  int64 `json:"request,omitempty"`
	Lower    int64 `json:"lower,omitempty"`
	Upper    int64 `json:"upper,omitempty"`
	Uncapped int64 `json:"uncapped,omitempty"`
	// Confidence is how many intervals of history there are, in thousandths, rounded down.
	Confidence int64 `json:"confidence,omitempty"`
	// CappedBy is the last cause that made the request smaller than Uncapped.
	CappedBy Cause `json:"cappedBy,omitempty"`
	Limit    Limit `json:"limit"`
	// Steps explain the request: what each stage found and made of it.
	Steps []Step `json:"steps,omitempty"`
}

// Limit says what becomes of the limit.
type Limit struct {
	Mode LimitMode `json:"mode"`
	From *int64    `json:"from,omitempty"` // nil: there is none
	To   *int64    `json:"to,omitempty"`   // nil: there is none afterwards
	// By is what made To another amount than the mode alone would: a LimitRange, the start-up peak, or a fact. Empty: nothing did.
	By Cause `json:"by,omitempty"`
}

// Facts are what forbids a request to fall.
type Facts struct {
	Throttled bool  `json:"throttled,omitempty"` // cpu must not decrease
	OOMKilled bool  `json:"oomKilled,omitempty"` // memory must not decrease
	OOMKills  int64 `json:"oomKills,omitempty"`
}

// Step is what one stage did to the request and its bounds.
type Step struct {
	Stage Stage `json:"stage"`
	// Cause is where Value came from: the quantile in millionths, an amount, a share in millionths, or the history in
	// thousandths of an interval.
	Cause  Cause  `json:"cause"`
	Value  int64  `json:"value"`
	Before Triple `json:"before"`
	After  Triple `json:"after"`
}

// Triple is a request with its bounds.
type Triple struct {
	Request int64 `json:"request"`
	Lower   int64 `json:"lower"`
	Upper   int64 `json:"upper"`
}

// Acted reports whether the step changed anything.
func (s Step) Acted() bool { return s.Before != s.After }

// String describes the step in one line, with bare amounts. The wording may change.
func (s Step) String() string {
	text := string(s.Stage) + " (" + string(s.Cause) + " " + strconv.FormatInt(s.Value, 10) + "): "
	if s.Before.Request == s.After.Request {
		return text + "keeps " + strconv.FormatInt(s.After.Request, 10)
	}
	return text + strconv.FormatInt(s.Before.Request, 10) + " -> " + strconv.FormatInt(s.After.Request, 10)
}

// QoS is the pod's class before and after. Both are empty when the pod is not known.
type QoS struct {
	From corev1.PodQOSClass `json:"from,omitempty"`
	To   corev1.PodQOSClass `json:"to,omitempty"`
	// InPlaceRefused says that running pods cannot be resized to the new values: a class is fixed for a pod's life. New pods
	// made from the template get the new class.
	InPlaceRefused bool `json:"inPlaceRefused,omitempty"`
}

// Savings are what a change of requests frees: present minus recommended. Negative is more than before.
type Savings struct {
	CPUMilli    int64 `json:"cpuMilli"`    // per pod
	MemoryBytes int64 `json:"memoryBytes"` // per pod
	// PerHour is for all replicas, in thousand-millionths of a currency unit, rounded down: a saving is never overstated. Nil when
	// no price is given or the product does not fit.
	PerHour *int64 `json:"perHour,omitempty"`
}
