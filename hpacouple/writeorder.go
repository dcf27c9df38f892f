package hpacouple

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// Order says which of the two halves of a change is written first. The zero value is not a member of the list.
type Order string

const (
	// TargetFirst: the HPA, then the workload.
	TargetFirst Order = "target-first"
	// RequestsFirst: the workload, then the HPA.
	RequestsFirst Order = "requests-first"
)

// Orders returns the closed list.
func Orders() []Order { return []Order{TargetFirst, RequestsFirst} }

// Valid says whether o is a member of the list.
func (o Order) Valid() bool { return slices.Contains(Orders(), o) }

// MarshalText writes a member of the list and refuses every other text.
func (o Order) MarshalText() ([]byte, error) { return marshalWord(o, Orders(), "order") }

// UnmarshalText reads a member of the list and refuses every other text.
func (o *Order) UnmarshalText(text []byte) error {
	return unmarshalWord(o, text, Orders(), "order")
}

// Ordering is the order of the two writes, and what protects the time between them.
type Ordering struct {
	First Order `json:"first"`
	// Safe says that the time between the writes moves no replicas beyond what the change itself does, as long as it is shorter than Window or
	// scaling down is disabled.
	Safe bool `json:"safe"`
	// Window is the HPA's scale-down window in seconds.
	Window int32 `json:"window"`
}

// defaultScaleDownWindow is the controller's --horizontal-pod-autoscaler-downscale-stabilization, in seconds.
const defaultScaleDownWindow = 300

// SafeOrder returns the order in which the halves of a change are written.
//
//	targets rise (requests fall)   the target first
//	targets fall (requests rise)   the requests first
//
// Both let the HPA see too low a utilization for a while. It then wants fewer replicas, and the scale-down window holds that back; the other
// order lets it want more, which happens at once and stays for the whole window (money). Window is behavior.scaleDown's; without one it is
// 300 s, the controller's default (an HPA cannot tell whether the cluster has another). Not safe: a window of 0 unless scaling down is
// disabled, where replicas are taken away under load (an outage), and entries that disagree. The order is then the same, or target first.
//
// Where a change keeps the pair, the sign of the targets is the opposite of that of the request sum. Where it does not (it puts back what a half
// change or an edit moved, as an anchor has it) both can fall, or rise. Then the change itself moves replicas, and between the writes the number at
// which the HPA scales lies between the old one and the new: neither order adds anything. Where no target changes there is one write, and the order says nothing.
// Source: HPA rule 84 (docs/reference/hpa-semantics.md).
func SafeOrder(targets []TargetChange, behavior *autoscalingv2.HorizontalPodAutoscalerBehavior) Ordering {
	rise, fall := false, false
	for _, t := range targets {
		rise = rise || t.To > t.From
		fall = fall || t.To < t.From
	}
	o := Ordering{First: TargetFirst, Window: defaultScaleDownWindow}
	if fall && !rise {
		o.First = RequestsFirst
	}
	disabled := false
	if behavior != nil && behavior.ScaleDown != nil {
		down := behavior.ScaleDown
		if down.StabilizationWindowSeconds != nil {
			o.Window = *down.StabilizationWindowSeconds
		}
		disabled = down.SelectPolicy != nil && *down.SelectPolicy == autoscalingv2.DisabledPolicySelect
	}
	o.Safe = (o.Window > 0 || disabled) && !(rise && fall)
	return o
}
