package hpacouple

import (
	"cmp"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// Admission is what the agent knows when it is asked to apply a plan.
type Admission struct {
	// Policy is the one that governs the workload; the zero value has coordination off.
	Policy Policy
	// MayPatchHPA: the agent has permission to patch HPAs. In read-only mode it has none.
	MayPatchHPA bool
	// Live holds the objects as they are now.
	Live Live
}

// Live holds the objects as they are now. [Admit] needs it for a plan with the outcome Coordinate, and writes are built from it.
type Live struct {
	// Meta is the live workload's metadata, managedFields included. Writes need it.
	Meta *metav1.ObjectMeta
	// Template is the live workload's pod template spec.
	Template *corev1.PodSpec
	// HPA is the live HPA.
	HPA *autoscalingv2.HorizontalPodAutoscaler
}

// +kubebuilder:object:generate=true

// Verdict is the agent's answer.
type Verdict struct {
	// Allowed says that the plan may be carried out. Where the outcome is NoChange or Uncoupled nothing about the HPA is done.
	Allowed bool `json:"allowed"`
	// Reason is HPACoupled where the plan is blocked, else empty.
	Reason skipreason.Block `json:"reason,omitempty"`
	// Cause is the first of Causes; both are empty where the plan is allowed.
	Cause skipreason.BlockCause `json:"cause,omitempty"`
	// +listType=atomic
	Causes []skipreason.BlockCause `json:"causes,omitempty"`
	// Record says what was allowed or blocked, entry by entry. Blocking leaves the plan as it is: To still shows what would be done.
	// +listType=atomic
	Record []Record `json:"record,omitempty"`
}

// +kubebuilder:object:generate=true

// Record is what the agent writes down for one coupled entry.
type Record struct {
	Reason     skipreason.Block      `json:"reason,omitempty"`
	Cause      skipreason.BlockCause `json:"cause,omitempty"`
	HPA        string                `json:"hpa"`
	Resource   corev1.ResourceName   `json:"resource"`
	TargetFrom int32                 `json:"targetFrom"`
	TargetTo   int32                 `json:"targetTo"`
}

// Admit holds a plan against the policy and the live objects: the agent's part of protocol A.
//
// Uncoupled and NoChange are allowed: nothing about the HPA is done. Skip and Coordinate are blocked, with all causes that hold in the order
// of [skipreason.BlockCauses]:
//
//	coordination-off   the policy does not switch coordination on
//	skip-reason        the plan is skipped
//	policy-bounds      T' != T and T' is outside the policy's bounds, which are not widened
//	read-only          the agent may not patch HPAs
//	stale              the live template or HPA is not the one that was planned for (Observed)
//
// A skipped plan is not held against live objects, since nothing would be written; neither are Uncoupled and NoChange: where an HPA may have come
// since, plan again first. LimitRanges and injected containers are not seen here ([Observe]). Errors: a policy that cannot be meant; live objects that
// are missing for a plan to coordinate; a result whose outcome is not in the list. Source: protocol A5, A7, A9.
func Admit(plan Result, a Admission) (Verdict, field.ErrorList) {
	errs := a.Policy.Validate()
	if !plan.Outcome.Valid() {
		errs = append(errs, field.NotSupported(field.NewPath("plan", "outcome"), plan.Outcome, Outcomes()))
	}
	if plan.Outcome == Coordinate {
		if a.Live.Template == nil {
			errs = append(errs, field.Required(field.NewPath("live", "template"), "the live pod template"))
		}
		if a.Live.HPA == nil {
			errs = append(errs, field.Required(field.NewPath("live", "hpa"), "the live HPA"))
		}
	}
	if len(errs) > 0 {
		return Verdict{}, errs
	}
	v := Verdict{Causes: a.causes(plan)}
	if v.Allowed = len(v.Causes) == 0; !v.Allowed {
		v.Reason, v.Cause = skipreason.HPACoupled, v.Causes[0]
	}
	for _, t := range plan.Targets {
		v.Record = append(v.Record, Record{Reason: v.Reason, Cause: v.Cause, HPA: cmp.Or(t.HPA, plan.HPA.Name), Resource: t.Resource, TargetFrom: t.From, TargetTo: t.To})
	}
	return v, nil
}

func (a Admission) causes(plan Result) (causes []skipreason.BlockCause) {
	if plan.Outcome != Skip && plan.Outcome != Coordinate {
		return nil
	}
	block := func(c skipreason.BlockCause, when bool) {
		if when {
			causes = append(causes, c)
		}
	}
	outside := false
	for _, t := range plan.Targets {
		outside = outside || (t.To != t.From && !a.Policy.Allows(t.To))
	}
	block(skipreason.CauseCoordinationOff, !a.Policy.Coordinates())
	block(skipreason.CauseSkipReason, plan.Outcome == Skip)
	block(skipreason.CausePolicyBounds, outside)
	block(skipreason.CauseReadOnly, !a.MayPatchHPA)
	block(skipreason.CauseStale, plan.Outcome == Coordinate && !plan.Observed.Same(Observe(a.Live.Template, a.Live.HPA)))
	return causes
}
