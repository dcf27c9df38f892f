package hpacouple

import (
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// EventReason is the reason of an event. The zero value is not a member of the list.
type EventReason string

const (
	// ReasonApplied: the writes of a change have been answered.
	ReasonApplied EventReason = "Applied"
	// ReasonBlocked: the agent refused the change. The text is that of [skipreason.HPACoupled].
	ReasonBlocked = EventReason(skipreason.HPACoupled)
)

// EventReasons returns the closed list.
func EventReasons() []EventReason { return []EventReason{ReasonApplied, ReasonBlocked} }

// Valid says whether r is a member of the list.
func (r EventReason) Valid() bool { return slices.Contains(EventReasons(), r) }

// MarshalText writes a member of the list and refuses every other text.
func (r EventReason) MarshalText() ([]byte, error) {
	return marshalWord(r, EventReasons(), "event reason")
}

// UnmarshalText reads a member of the list and refuses every other text.
func (r *EventReason) UnmarshalText(text []byte) error {
	return unmarshalWord(r, text, EventReasons(), "event reason")
}

// Event is what is made visible of a change: protocol A11.
type Event struct {
	// Type is Normal or Warning, as in a Kubernetes event.
	Type   string      `json:"type"`
	Reason EventReason `json:"reason"`
	// Cause says why a change was blocked.
	Cause   skipreason.BlockCause `json:"cause,omitempty"`
	Details EventDetails          `json:"details"`
	// Message is text for people, made from the details. It may change.
	Message string `json:"message"`
}

// EventDetails are the details of an event, strings as Kubernetes wants them.
type EventDetails struct {
	HPA        string `json:"hpa"`
	Resource   string `json:"hpaResource"`
	TargetFrom string `json:"hpaTargetFrom"`
	TargetTo   string `json:"hpaTargetTo"`
}

// Annotations returns the details under their keys, for an event's annotations.
func (d EventDetails) Annotations() map[string]string {
	return map[string]string{"hpa": d.HPA, "hpaResource": d.Resource, "hpaTargetFrom": d.TargetFrom, "hpaTargetTo": d.TargetTo}
}

// Records returns what an agent writes down for an applied change, entry by entry: the counterpart of [Verdict].Record.
func (c Change) Records() (records []Record) {
	for _, t := range c.Targets {
		records = append(records, Record{HPA: c.HPA.Name, Resource: t.Resource, TargetFrom: t.From, TargetTo: t.To})
	}
	return records
}

// Events returns the events of an applied change, one for each entry of the HPA; none where requests changed alone.
func (c Change) Events() []Event { return events(c.Records()) }

// Events returns the events of a blocked change, one for each entry of the HPA, with the target that would be; none where it was allowed,
// since nothing has been applied yet.
func (v Verdict) Events() []Event {
	if v.Allowed {
		return nil
	}
	return events(v.Record)
}

func events(records []Record) (out []Event) {
	for _, r := range records {
		e := Event{Type: corev1.EventTypeNormal, Reason: ReasonApplied, Cause: r.Cause, Details: EventDetails{
			HPA: r.HPA, Resource: string(r.Resource), TargetFrom: strconv.Itoa(int(r.TargetFrom)), TargetTo: strconv.Itoa(int(r.TargetTo))}}
		e.Message = fmt.Sprintf("requests and the %s target of HPA %s changed together: %s%% to %s%%", e.Details.Resource, e.Details.HPA, e.Details.TargetFrom, e.Details.TargetTo)
		if r.Reason != "" {
			e.Type, e.Reason = corev1.EventTypeWarning, ReasonBlocked
			e.Message = fmt.Sprintf("not changed (%s): the %s target of HPA %s would go from %s%% to %s%%", r.Cause, e.Details.Resource, e.Details.HPA, e.Details.TargetFrom, e.Details.TargetTo)
		}
		out = append(out, e)
	}
	return out
}

// Rules are the permissions that the writes of this package need: get and patch, nothing else, on HPAs and on the kinds of workloads whose
// schema is known. readOnly leaves patch out. Source: docs/reference/ownership.md, rule 15; protocol A2.
func Rules(readOnly bool) []rbacv1.PolicyRule {
	verbs := []string{"get", "patch"}
	if readOnly {
		verbs = verbs[:1]
	}
	rule := func(group string, resources ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: slices.Clone(verbs)}
	}
	return []rbacv1.PolicyRule{
		rule("autoscaling", "horizontalpodautoscalers"),
		rule("apps", "daemonsets", "deployments", "replicasets", "statefulsets"),
		rule("", "replicationcontrollers"),
	}
}
