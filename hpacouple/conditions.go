package hpacouple

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// The types of the conditions that this package makes.
const (
	// ConditionPlanned is True where there is a plan (outcomes Coordinate, NoChange, Uncoupled), False where it was skipped.
	ConditionPlanned = "Planned"
	// ConditionAdmitted is True where the change may be carried out, False where it is blocked.
	ConditionAdmitted = "Admitted"
)

const (
	reasonUnknown = "Unknown"
	reasonAllowed = "Allowed"
)

// ConditionReasons returns the closed list of reasons of a condition type; nil for another type. Each matches the pattern of the API,
// ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$.
func ConditionReasons(conditionType string) (reasons []string) {
	switch conditionType {
	case ConditionPlanned:
		for _, o := range Outcomes() {
			if o != Skip {
				reasons = append(reasons, string(o))
			}
		}
		for _, s := range skipreason.Skips() {
			reasons = append(reasons, camelCase(string(s)))
		}
	case ConditionAdmitted:
		reasons = []string{reasonAllowed}
		for _, b := range skipreason.Blocks() {
			reasons = append(reasons, string(b))
		}
	default:
		return nil
	}
	return append(reasons, reasonUnknown)
}

// camelCase turns max-replicas-reached into MaxReplicasReached.
func camelCase(word string) string {
	var b strings.Builder
	for _, part := range strings.Split(word, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// Condition returns the plan's outcome as a condition of type [ConditionPlanned].
//
//	Coordinate, NoChange, Uncoupled   True, the outcome as reason
//	Skip                              False, the first skip reason in CamelCase
//	anything else                     Unknown (a result that Plan did not return)
//
// observedGeneration is the generation of the object that carries the condition; at becomes lastTransitionTime, and whoever stores the
// condition keeps the old time where the status stays (meta.SetStatusCondition does). The message is for people and may change.
func (r Result) Condition(observedGeneration int64, at metav1.Time) metav1.Condition {
	c := metav1.Condition{Type: ConditionPlanned, Status: metav1.ConditionUnknown, Reason: reasonUnknown, Message: "there is no plan",
		ObservedGeneration: observedGeneration, LastTransitionTime: at}
	switch {
	case r.Outcome == Skip && r.SkipReason.Valid():
		c.Status, c.Reason = metav1.ConditionFalse, camelCase(string(r.SkipReason))
		c.Message = string(r.SkipReason) + ": " + r.SkipReason.Entry().Sentence
		if s := r.Cause.Sentence(); s != "" {
			c.Message += " Cause: " + s + "."
		}
	case r.Outcome.Valid() && r.Outcome != Skip:
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, string(r.Outcome), r.sentence()
	}
	return c
}

// sentence says in a few words what an outcome other than Skip means.
func (r Result) sentence() string {
	switch r.Outcome {
	case Uncoupled:
		return "no HPA entry depends on these requests"
	case NoChange:
		return "no request changes"
	}
	words := make([]string, 0, len(r.Targets))
	for _, t := range r.Targets {
		words = append(words, fmt.Sprintf("%s target %d to %d percent", t.Resource, t.From, t.To))
	}
	return "requests change, and with them the target of HPA " + r.HPA.Name + ": " + strings.Join(words, ", ")
}

// Condition returns the verdict as a condition of type [ConditionAdmitted].
//
//	allowed    True, reason Allowed
//	blocked    False, reason HPACoupled; the message begins with the cause
//	neither    Unknown (a verdict that Admit did not return)
//
// Arguments as in [Result.Condition].
func (v Verdict) Condition(observedGeneration int64, at metav1.Time) metav1.Condition {
	c := metav1.Condition{Type: ConditionAdmitted, Status: metav1.ConditionUnknown, Reason: reasonUnknown, Message: "there is no verdict",
		ObservedGeneration: observedGeneration, LastTransitionTime: at}
	switch {
	case v.Allowed:
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, reasonAllowed, "the plan may be carried out"
	case v.Reason.Valid():
		c.Status, c.Reason = metav1.ConditionFalse, string(v.Reason)
		c.Message = string(v.Cause) + ": " + v.Cause.Entry().Sentence
	}
	return c
}
