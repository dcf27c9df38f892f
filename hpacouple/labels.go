package hpacouple

import (
	"strconv"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// Label is a label of a caller's metric, with the closed list of its values.
type Label struct {
	Name   string
	Values []string
}

// none stands for "there is none" in a label, since an empty label is no label.
const none = "none"

// PlanLabels returns the labels of a metric that counts plans: outcome, skip_reason, cause, standing. Names of workloads, containers and HPAs
// are not among them, so the number of series has a bound.
func PlanLabels() []Label {
	return []Label{
		{Name: "outcome", Values: words(Outcomes(), false)},
		{Name: "skip_reason", Values: words(skipreason.Skips(), true)},
		{Name: "cause", Values: words(bounds.Causes(), true)},
		{Name: "standing", Values: words(Standings(), true)},
	}
}

// LabelValues returns the plan's values of [PlanLabels], in their order. A word that is not in its list is none.
func (r Result) LabelValues() []string {
	return values(PlanLabels(), string(r.Outcome), string(r.SkipReason), string(r.Cause), string(r.Standing))
}

// AdmissionLabels returns the labels of a metric that counts verdicts: allowed, reason, cause.
func AdmissionLabels() []Label {
	return []Label{
		{Name: "allowed", Values: []string{"true", "false"}},
		{Name: "reason", Values: words(skipreason.Blocks(), true)},
		{Name: "cause", Values: words(skipreason.BlockCauses(), true)},
	}
}

// LabelValues returns the verdict's values of [AdmissionLabels], in their order. A word that is not in its list is none.
func (v Verdict) LabelValues() []string {
	return values(AdmissionLabels(), strconv.FormatBool(v.Allowed), string(v.Reason), string(v.Cause))
}

// RiskLabels returns the label of a metric with one series for each risk flag: flag.
func RiskLabels() []Label {
	return []Label{{Name: "flag", Values: words(skipreason.RiskFlags(), false)}}
}

func words[W ~string](list []W, orNone bool) (out []string) {
	for _, w := range list {
		out = append(out, string(w))
	}
	if orNone {
		out = append(out, none)
	}
	return out
}

func values(labels []Label, found ...string) []string {
	for i, l := range labels {
		known := false
		for _, v := range l.Values {
			known = known || v == found[i]
		}
		if !known {
			found[i] = none
		}
	}
	return found
}
