package hpacouple_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/skipreason"
)

func TestEvents(t *testing.T) {
	in := input(50, box{name: "app", request: "1", to: "700m"})
	in.HPA.Name = "web"
	plan, errs := hpacouple.Plan(in)
	require.Empty(t, errs)
	c, ok := hpacouple.ChangeOf(plan)
	require.True(t, ok)
	details := hpacouple.EventDetails{HPA: "web", Resource: "cpu", TargetFrom: "50", TargetTo: "71"}
	require.Equal(t, []hpacouple.Event{{Type: "Normal", Reason: "Applied", Details: details, Message: "requests and the cpu target of HPA web changed together: 50% to 71%"}}, c.Events())
	text, err := json.Marshal(c.Events()[0].Details)
	require.NoError(t, err)
	require.JSONEq(t, `{"hpa":"web","hpaResource":"cpu","hpaTargetFrom":"50","hpaTargetTo":"71"}`, string(text))
	require.Equal(t, map[string]string{"hpa": "web", "hpaResource": "cpu", "hpaTargetFrom": "50", "hpaTargetTo": "71"}, details.Annotations())
	require.Equal(t, []hpacouple.Record{{HPA: "web", Resource: "cpu", TargetFrom: 50, TargetTo: 71}}, c.Records())
	require.Equal(t, "71", c.Reverse().Events()[0].Details.TargetFrom, "a rollback is a change")

	v, errs := hpacouple.Admit(plan, hpacouple.Admission{Live: hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA}})
	require.Empty(t, errs)
	require.Equal(t, []hpacouple.Event{{Type: "Warning", Reason: "HPACoupled", Cause: skipreason.CauseCoordinationOff, Details: details,
		Message: "not changed (coordination-off): the cpu target of HPA web would go from 50% to 71%"}}, v.Events(), "blocked: the target that would be")
	v.Allowed = true
	require.Empty(t, v.Events(), "nothing has been applied yet")

	in.HPA = nil
	plan, _ = hpacouple.Plan(in)
	c, ok = hpacouple.ChangeOf(plan)
	require.True(t, ok)
	require.Empty(t, c.Events(), "requests alone")
}

// Event, record, log line and recommendation name the HPA whose entry it is, which need not be the first.
func TestTheHPAOfTheEntry(t *testing.T) {
	in, three := input(50, box{name: "app", request: "1", to: "700m"}), resource.MustParse("3")
	second := in.HPA.DeepCopy()
	in.HPA.Name, second.Name = "first", "second"
	in.HPA.Spec.Metrics = []autoscalingv2.MetricSpec{{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{
		Metric: autoscalingv2.MetricIdentifier{Name: "queue"}, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: &three}}}}
	in.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{second}
	plan, errs := hpacouple.Plan(in)
	require.Empty(t, errs)
	require.Equal(t, hpacouple.Skip, plan.Outcome)
	require.Equal(t, "first", plan.HPA.Name)
	require.Len(t, plan.Targets, 1)
	require.Equal(t, "second", plan.Targets[0].HPA)
	v, errs := hpacouple.Admit(plan, hpacouple.Admission{})
	require.Empty(t, errs)
	require.Equal(t, "second", v.Record[0].HPA)
	require.Equal(t, "second", v.Events()[0].Details.HPA)
	require.Equal(t, "second", hpacouple.RecommendationHPAOf(plan).Name)
	require.Contains(t, fmt.Sprint(plan.LogValue()), "hpa=second")
}

func TestRecommendationHPA(t *testing.T) {
	in := input(50, box{name: "app", request: "1", to: "700m"})
	in.HPA.Name = "web"
	plan, _ := hpacouple.Plan(in)
	require.Equal(t, &hpacouple.RecommendationHPA{Name: "web", Resource: "cpu", Target: 71}, hpacouple.RecommendationHPAOf(plan))
	c, _ := hpacouple.ChangeOf(plan)
	require.Equal(t, int32(50), *c.RecommendationHPAStatus().PreviousHPATarget)
	in.MaxReplicasReached = true
	plan, _ = hpacouple.Plan(in)
	require.Equal(t, &hpacouple.RecommendationHPA{Name: "web", Resource: "cpu", Target: 50, SkipReason: skipreason.MaxReplicasReached}, hpacouple.RecommendationHPAOf(plan), "the present target")
	in.MaxReplicasReached, in.Options.AutoPatch = false, append(in.Options.AutoPatch, "memory")
	plan, _ = hpacouple.Plan(in)
	require.Equal(t, hpacouple.Uncoupled, plan.Outcome)
	require.Nil(t, hpacouple.RecommendationHPAOf(plan), "the HPA holds nothing back")
	require.Nil(t, hpacouple.RecommendationHPAOf(hpacouple.Result{}), "no plan")
	require.Nil(t, hpacouple.Change{Targets: []hpacouple.TargetChange{{From: 50, To: 50}}}.RecommendationHPAStatus().PreviousHPATarget, "nothing was replaced")
	status := c.RecommendationHPAStatus()
	copied := status.DeepCopy()
	*copied.PreviousHPATarget = 1
	require.Equal(t, int32(50), *status.PreviousHPATarget)
	require.Nil(t, (*hpacouple.RecommendationHPA)(nil).DeepCopy())
}

func TestRules(t *testing.T) {
	verbs := map[bool][]string{false: {"get", "patch"}, true: {"get"}}
	for readOnly, want := range verbs {
		rules := hpacouple.Rules(readOnly)
		require.Equal(t, rbacv1.PolicyRule{APIGroups: []string{"autoscaling"}, Resources: []string{"horizontalpodautoscalers"}, Verbs: want}, rules[0])
		require.Len(t, rules, 3)
		for _, r := range rules {
			require.Equal(t, want, r.Verbs)
		}
	}
	rules := hpacouple.Rules(false)
	rules[0].Verbs[0] = "delete"
	require.Equal(t, "get", rules[1].Verbs[0], "nothing is shared")
}
