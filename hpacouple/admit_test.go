package hpacouple_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// The policy of the protocol, letter by letter.
const examplePolicy = `
spec:
  hpa:
    coordinate: true
    targetBounds:
      minUtilization: 50
      maxUtilization: 85
`

func policy(t *testing.T, text string) (p hpacouple.Policy) {
	t.Helper()
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &p))
	return p
}

func TestAdmit(t *testing.T) {
	on := "spec: {hpa: {coordinate: true}}"
	lower := input(50, box{"app", "1000m", "", "700m", ""})
	b01 := input(70, box{"app", "500m", "1000m", "300m", ""})
	atMax := input(50, box{"app", "1000m", "", "700m", ""})
	atMax.MaxReplicasReached = true
	for _, row := range []struct {
		name     string
		in       hpacouple.Input
		policy   string
		readOnly bool
		touch    func(*hpacouple.Live)
		causes   []skipreason.BlockCause
		why      string
	}{
		{name: "on", in: lower, policy: on, why: "everything is as it should be"},
		{name: "the protocol's policy allows 71", in: lower, policy: examplePolicy, why: "50..85"},
		{name: "off by default", in: lower, policy: "spec: {}", causes: []skipreason.BlockCause{skipreason.CauseCoordinationOff}, why: "A5"},
		{name: "the protocol's policy blocks 90", in: b01, policy: examplePolicy, causes: []skipreason.BlockCause{skipreason.CausePolicyBounds}, why: "B01: 90 > 85"},
		{name: "read only", in: lower, policy: on, readOnly: true, causes: []skipreason.BlockCause{skipreason.CauseReadOnly}, why: "A2"},
		{name: "skipped", in: atMax, policy: on, causes: []skipreason.BlockCause{skipreason.CauseSkipReason}, why: "A7"},
		{name: "everything at once", in: b01, policy: "spec: {hpa: {targetBounds: {maxUtilization: 60}}}", readOnly: true, touch: func(l *hpacouple.Live) { l.Template.Containers[0].Name = "other" },
			causes: []skipreason.BlockCause{skipreason.CauseCoordinationOff, skipreason.CausePolicyBounds, skipreason.CauseReadOnly, skipreason.CauseStale}, why: "all causes in order"},
		{name: "target edited", in: lower, policy: on, touch: func(l *hpacouple.Live) { *l.HPA.Spec.Metrics[0].Resource.Target.AverageUtilization = 60 }, causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "somebody moved the target"},
		{name: "metric added", in: lower, policy: on, touch: func(l *hpacouple.Live) { l.HPA.Spec.Metrics = append(l.HPA.Spec.Metrics, utilization("memory", 80)) }, causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "one target is not enough any more"},
		{name: "request edited", in: lower, policy: on, touch: func(l *hpacouple.Live) { l.Template.Containers[0].Resources.Requests = cpuList("900m") }, causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "the product is another"},
		{name: "limit added", in: lower, policy: on, touch: func(l *hpacouple.Live) { l.Template.Containers[0].Resources.Limits = cpuList("2") }, causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "reachability may be another"},
		{name: "pod-level request added", in: lower, policy: on, touch: func(l *hpacouple.Live) {
			l.Template.Resources = &corev1.ResourceRequirements{Requests: cpuList("4")}
		}, causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "the request sum is 4000m whatever the containers say"},
		{name: "container without request added", in: lower, policy: on, touch: func(l *hpacouple.Live) {
			l.Template.Containers = append(l.Template.Containers, corev1.Container{Name: "new"})
		}, causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "the HPA is blind then"},
		{name: "init container became a sidecar", in: withInit(""), policy: on, touch: func(l *hpacouple.Live) { *l.Template.InitContainers[0].RestartPolicy = "Always" },
			causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "it counts now"},
		{name: "sidecar became an init container", in: withInit("Always"), policy: on, touch: func(l *hpacouple.Live) { *l.Template.InitContainers[0].RestartPolicy = "" },
			causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "it counts no more"},
		{name: "HPA scales another workload", in: lower, policy: on, touch: func(l *hpacouple.Live) { l.HPA.Spec.ScaleTargetRef.Name = "other" },
			causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "its target is another workload's"},
		{name: "HPA of another namespace", in: lower, policy: on, touch: func(l *hpacouple.Live) { l.HPA.Namespace = "stage" },
			causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "another object of the same name"},
		{name: "tolerance given", in: lower, policy: on, touch: func(l *hpacouple.Live) {
			q := resource.MustParse("3")
			l.HPA.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{Tolerance: &q}}
		}, causes: []skipreason.BlockCause{skipreason.CauseStale}, why: "the scale-out trigger is another"},
		{name: "other spelling", in: lower, policy: on, touch: func(l *hpacouple.Live) { l.Template.Containers[0].Resources.Requests = cpuList("1") }, why: "1000m is 1"},
		{name: "replicas edited", in: lower, policy: on, touch: func(l *hpacouple.Live) { l.HPA.Spec.MaxReplicas = 99 }, why: "the plan does not depend on it"},
		{name: "recreated", in: lower, policy: on, touch: func(l *hpacouple.Live) { l.HPA.UID = "new" }, why: "the plan did not know a uid"},
		{name: "nothing to do", in: input(50, box{"app", "1000m", "", "1000m", ""}), policy: "spec: {}", why: "NoChange is allowed whatever the policy"},
	} {
		t.Run(row.name, func(t *testing.T) {
			plan, errs := hpacouple.Plan(row.in)
			require.Empty(t, errs)
			live := hpacouple.Live{Template: row.in.Pod.Spec.DeepCopy(), HPA: row.in.HPA.DeepCopy()}
			if row.touch != nil {
				row.touch(&live)
			}
			v, errs := hpacouple.Admit(plan, hpacouple.Admission{Policy: policy(t, row.policy), MayPatchHPA: !row.readOnly, Live: live})
			require.Empty(t, errs)
			require.Equal(t, row.causes, v.Causes, row.why)
			require.Equal(t, len(row.causes) == 0, v.Allowed)
			if !v.Allowed {
				require.Equal(t, skipreason.HPACoupled, v.Reason)
				require.Equal(t, row.causes[0], v.Cause)
				require.Equal(t, plan.Targets[0].To, v.Record[0].TargetTo, "blocking leaves the plan as it is")
			}
			text, err := json.Marshal(v)
			require.NoError(t, err)
			var back hpacouple.Verdict
			require.NoError(t, json.Unmarshal(text, &back))
			require.Equal(t, v, back)
		})
	}
}

func withInit(policy corev1.ContainerRestartPolicy) hpacouple.Input {
	in := input(50, box{"app", "1000m", "", "700m", ""})
	in.Pod.Spec.InitContainers = []corev1.Container{{Name: "init", RestartPolicy: &policy, Resources: corev1.ResourceRequirements{Requests: cpuList("100m")}}}
	return in
}

func TestAdmitOtherUID(t *testing.T) {
	in := input(50, box{"app", "1000m", "", "700m", ""})
	in.HPA.UID = "a"
	plan, errs := hpacouple.Plan(in)
	require.Empty(t, errs)
	live := hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA.DeepCopy()}
	live.HPA.UID = "b"
	v, errs := hpacouple.Admit(plan, hpacouple.Admission{Policy: policy(t, examplePolicy), MayPatchHPA: true, Live: live})
	require.Empty(t, errs)
	require.Equal(t, skipreason.CauseStale, v.Cause, "another object of the same name")
}

func TestAdmitRefusesWhatCannotBeMeant(t *testing.T) {
	plan, _ := hpacouple.Plan(input(50, box{"app", "1000m", "", "700m", ""}))
	for _, row := range []struct {
		name, policy string
		plan         hpacouple.Result
		want         string
	}{
		{"crossed bounds", "spec: {hpa: {coordinate: true, targetBounds: {minUtilization: 80, maxUtilization: 60}}}", plan, "spec.hpa.targetBounds.maxUtilization"},
		{"bound of 0", "spec: {hpa: {targetBounds: {minUtilization: 0}}}", plan, "spec.hpa.targetBounds.minUtilization"},
		{"no live objects", "spec: {}", plan, "live.template"},
		{"no plan", "spec: {}", hpacouple.Result{}, "plan.outcome"},
	} {
		v, errs := hpacouple.Admit(row.plan, hpacouple.Admission{Policy: policy(t, row.policy), MayPatchHPA: true})
		require.NotEmpty(t, errs, row.name)
		require.Equal(t, hpacouple.Verdict{}, v, row.name)
		var fields []string
		for _, e := range errs {
			fields = append(fields, e.Field)
		}
		require.Contains(t, fields, row.want, row.name)
	}
}

// A9: the HPA is on cpu and only memory is in auto-patch: memory changes alone, the target stays, and no policy is asked.
func TestOnlyTheHPAsResourceMatters(t *testing.T) {
	in := input(50, box{"app", "1000m", "", "700m", ""})
	in.Recommendations[0].Requests["memory"] = resource.MustParse("256Mi")
	in.Pod.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("512Mi")
	in.Options.AutoPatch = []corev1.ResourceName{"memory"}
	plan, errs := hpacouple.Plan(in)
	require.Empty(t, errs)
	require.Equal(t, hpacouple.Uncoupled, plan.Outcome)
	require.Equal(t, []skipreason.RiskFlag{skipreason.FlagHPACoupled}, plan.RiskFlags[:1], "A1: whatever else is decided")
	require.Equal(t, plan.Targets[0].From, plan.Targets[0].To)
	require.Equal(t, "1", plan.Containers[0].To.String())
	require.Equal(t, "256Mi", plan.Containers[1].To.String())
	v, errs := hpacouple.Admit(plan, hpacouple.Admission{})
	require.Empty(t, errs)
	require.True(t, v.Allowed)
}

// However a caller gives the HPAs, the plan is the same: the first that is there is the HPA, and repetitions are none.
func TestHPAsInAnyField(t *testing.T) {
	want, errs := hpacouple.Plan(input(50, box{"app", "1000m", "", "700m", ""}))
	require.Empty(t, errs)
	alone := input(50, box{"app", "1000m", "", "700m", ""})
	alone.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{nil, alone.HPA}
	alone.HPA = nil
	twice := input(50, box{"app", "1000m", "", "700m", ""})
	twice.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{twice.HPA}
	for _, in := range []hpacouple.Input{alone, twice} {
		got, errs := hpacouple.Plan(in)
		require.Empty(t, errs)
		require.Equal(t, want, got)
	}
}

// On a skip the containers that count are listed, the one without a request too.
func TestSkipListsWhatCounts(t *testing.T) {
	in := input(50, box{"app", "1000m", "", "700m", ""}, box{"side", "", "", "", ""})
	plan, errs := hpacouple.Plan(in)
	require.Empty(t, errs)
	require.Equal(t, skipreason.MissingRequest, plan.SkipReason)
	require.Len(t, plan.Containers, 2)
	require.True(t, plan.Containers[0].Counted && plan.Containers[1].Counted)
	require.Nil(t, plan.Containers[1].From)
}

// A limit alone moves nothing, so the trigger of the present target under the new limit is nobody's business.
func TestLimitAloneIsNoChange(t *testing.T) {
	in := input(95, box{"app", "1", "2", "", "1"})
	plan, errs := hpacouple.Plan(in)
	require.Empty(t, errs)
	require.Equal(t, hpacouple.NoChange, plan.Outcome)
	require.Equal(t, "2", plan.Containers[0].LimitTo.String())
}

// A step that is no whole number of millicores is refused, not rounded.
func TestStepsAreWhole(t *testing.T) {
	in := input(50, box{"app", "1", "", "700m", ""})
	in.Options.Steps = cpuList("500u")
	_, errs := hpacouple.Plan(in)
	require.Len(t, errs, 1)
	require.Equal(t, "options.steps[cpu]", errs[0].Field)
}

// A8: what the recommendation would save is in the plan although its resource is not in auto-patch.
func TestFootprintOutsideAutoPatch(t *testing.T) {
	in := input(50, box{"app", "1000m", "", "700m", ""})
	in.Options.AutoPatch = []corev1.ResourceName{"memory"}
	plan, errs := hpacouple.Plan(in)
	require.Empty(t, errs)
	cpu := plan.Footprints[0]
	require.Equal(t, []string{"1", "700m", "1"}, []string{cpu.From.String(), cpu.Recommended.String(), cpu.To.String()})
}
