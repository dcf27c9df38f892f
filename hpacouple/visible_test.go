package hpacouple_test

import (
	"bytes"
	"log/slog"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/skipreason"
)

var (
	at       = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	conforms = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)
)

func TestConditions(t *testing.T) {
	for _, row := range []struct {
		name    string
		result  hpacouple.Result
		status  metav1.ConditionStatus
		reason  string
		message string
		why     string
	}{
		{"coordinate", hpacouple.Result{Outcome: hpacouple.Coordinate, HPA: hpacouple.HPARef{Name: "web"}, Targets: []hpacouple.TargetPlan{{Resource: "cpu", From: 50, To: 71}}},
			metav1.ConditionTrue, "Coordinate", "requests change, and with them the target of HPA web: cpu target 50 to 71 percent", "there is a plan"},
		{"no change", hpacouple.Result{Outcome: hpacouple.NoChange}, metav1.ConditionTrue, "NoChange", "no request changes", "nothing to do is no failure"},
		{"uncoupled", hpacouple.Result{Outcome: hpacouple.Uncoupled}, metav1.ConditionTrue, "Uncoupled", "no HPA entry depends on these requests", "requests may change alone"},
		{"skip", hpacouple.Result{Outcome: hpacouple.Skip, SkipReason: skipreason.TargetOutOfBounds, Cause: bounds.CauseLimit}, metav1.ConditionFalse, "TargetOutOfBounds",
			"target-out-of-bounds: No requests and target exist that keep the product inside the bounds, under the limits and above what must not decrease." +
				" Cause: the limits after the change leave no room for requests that keep the target in bounds.", "the word of the protocol stands first in the message"},
		{"no plan", hpacouple.Result{}, metav1.ConditionUnknown, "Unknown", "there is no plan", "Plan has returned errors"},
		{"skip without a reason", hpacouple.Result{Outcome: hpacouple.Skip}, metav1.ConditionUnknown, "Unknown", "there is no plan", "no plan of ours"},
	} {
		c := row.result.Condition(7, at)
		require.Equal(t, metav1.Condition{Type: "Planned", Status: row.status, Reason: row.reason, Message: row.message, ObservedGeneration: 7, LastTransitionTime: at}, c, row.why)
	}
	for _, row := range []struct {
		verdict hpacouple.Verdict
		status  metav1.ConditionStatus
		reason  string
		message string
	}{
		{hpacouple.Verdict{Allowed: true}, metav1.ConditionTrue, "Allowed", "the plan may be carried out"},
		{hpacouple.Verdict{Reason: skipreason.HPACoupled, Cause: skipreason.CauseReadOnly}, metav1.ConditionFalse, "HPACoupled", "read-only: The agent has no permission to patch HPAs."},
		{hpacouple.Verdict{}, metav1.ConditionUnknown, "Unknown", "there is no verdict"},
	} {
		c := row.verdict.Condition(7, at)
		require.Equal(t, metav1.Condition{Type: "Admitted", Status: row.status, Reason: row.reason, Message: row.message, ObservedGeneration: 7, LastTransitionTime: at}, c)
	}
	require.Nil(t, hpacouple.ConditionReasons("Ready"))
	require.Len(t, hpacouple.ConditionReasons(hpacouple.ConditionPlanned), len(hpacouple.Outcomes())-1+len(skipreason.Skips())+1)
	for _, kind := range []string{hpacouple.ConditionPlanned, hpacouple.ConditionAdmitted} {
		for _, reason := range hpacouple.ConditionReasons(kind) {
			require.Regexp(t, conforms, reason)
		}
	}
}

// Every plan and verdict has a condition, labels and a log line, all of closed lists.
func lawVisible(t *rapid.T) {
	in := rightsizetest.StatefulInputs().Draw(t, "in")
	if in.HPA == nil && len(in.OtherHPAs) > 0 {
		in.HPA, in.OtherHPAs = in.OtherHPAs[0], nil
	}
	r, errs := hpacouple.Plan(in)
	if len(errs) > 0 {
		return
	}
	v, errs := hpacouple.Admit(r, hpacouple.Admission{MayPatchHPA: rapid.Bool().Draw(t, "mayPatch"), Live: hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA}})
	require.Empty(t, errs)
	var conditions []metav1.Condition
	for _, c := range []metav1.Condition{r.Condition(1, at), v.Condition(1, at)} {
		require.Contains(t, hpacouple.ConditionReasons(c.Type), c.Reason)
		require.NotEqual(t, metav1.ConditionUnknown, c.Status)
		require.NotEmpty(t, c.Message)
		require.Less(t, len(c.Message), 32768)
		require.True(t, meta.SetStatusCondition(&conditions, c))
	}
	require.Len(t, conditions, 2)
	for _, x := range []struct {
		labels []hpacouple.Label
		values []string
	}{{hpacouple.PlanLabels(), r.LabelValues()}, {hpacouple.AdmissionLabels(), v.LabelValues()}} {
		require.Len(t, x.values, len(x.labels))
		for i, l := range x.labels {
			require.Contains(t, l.Values, x.values[i], l.Name)
		}
	}
	require.Equal(t, string(r.Outcome), r.LabelValues()[0])
	require.Equal(t, r.SkipReason == "", r.LabelValues()[1] == "none")
}

func TestVisible(t *testing.T) { rapid.Check(t, lawVisible) }

func TestLabels(t *testing.T) {
	for _, labels := range [][]hpacouple.Label{hpacouple.PlanLabels(), hpacouple.AdmissionLabels(), hpacouple.RiskLabels()} {
		for _, l := range labels {
			require.Regexp(t, `^[a-z_]+$`, l.Name)
			require.NotContains(t, l.Values, "")
			require.Len(t, slices.Compact(slices.Sorted(slices.Values(l.Values))), len(l.Values))
		}
	}
	require.Equal(t, []string{"none", "none", "none", "none"}, hpacouple.Result{Outcome: "x", SkipReason: "y"}.LabelValues(), "no word of the lists")
	require.Equal(t, []string{"false", "HPACoupled", "stale"}, hpacouple.Verdict{Reason: skipreason.HPACoupled, Cause: skipreason.CauseStale}.LabelValues())
}

func TestLogLines(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	in := input(50, box{"app", "1000m", "", "700m", ""})
	in.State = &hpacouple.State{}
	r, _ := hpacouple.Plan(in)
	c, ok := hpacouple.ChangeOf(r)
	require.True(t, ok)
	v, _ := hpacouple.Admit(r, hpacouple.Admission{})
	log.Info("planned", "plan", r)
	log.Info("change", "change", c)
	log.Info("asked", "verdict", v)
	v, _ = hpacouple.Admit(r, hpacouple.Admission{Live: hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA}})
	log.Info("asked", "verdict", v)
	require.Equal(t, `level=INFO msg=planned plan.workload.kind=Deployment plan.workload.namespace=default plan.workload.name=web plan.outcome=Coordinate plan.standing=begun plan.hpa=web plan.cpu.hpa=web plan.cpu.container="" plan.cpu.targetFrom=50 plan.cpu.targetTo=71 plan.cpu.targetExact=500/7 plan.requestSum.from=1000 plan.requestSum.to=700 plan.requestSum.boundBy="" plan.riskFlags="[hpa-coupled ownership-unknown target-uncomfortable]"
level=INFO msg=change change.workload.kind=Deployment change.workload.namespace=default change.workload.name=web change.hpa=web change.app.requests.cpu.from=1 change.app.requests.cpu.to=700m change.target.cpu.from=50 change.target.cpu.to=71
level=INFO msg=asked verdict.allowed=false
level=INFO msg=asked verdict.allowed=false verdict.reason=HPACoupled verdict.cause=coordination-off
`, out.String())
	slog.New(slog.NewJSONHandler(&out, nil)).Info("empty", "plan", hpacouple.Result{}, "verdict", hpacouple.Verdict{}, "change", hpacouple.Change{})
}
