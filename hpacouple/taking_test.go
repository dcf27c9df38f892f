package hpacouple_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/risk"
)

// What is taken is returned, once, and kept over later changes.
func TestTaking(t *testing.T) {
	s, c := staged(t, "apply/kubectl-create")
	first, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
	require.Empty(t, errs)
	cpu := amountPath("containers[app].resources.requests.cpu")
	require.Equal(t, hpacouple.Taken{
		HPAUID: s.hpa.UID, WorkloadUID: s.deployment.UID, HPAName: "web", FieldManager: "kerf",
		Metrics: &hpacouple.TakenMetrics{Targets: []hpacouple.TakenTarget{{TargetRef: cpuEntry, Target: 50}},
			Owners: []risk.Owner{{Manager: "kubectl-create", Operation: "Update", APIVersion: "autoscaling/v2", Field: "spec.metrics"}}},
		Amounts: []hpacouple.TakenAmount{{AmountRef: cpu, Value: quantity("1"),
			Owners: []risk.Owner{{Manager: "kubectl-create", Operation: "Update", APIVersion: "apps/v1", Field: cpu.String()}}}},
	}, first.Taken)
	var read hpacouple.Taken
	require.NoError(t, json.Unmarshal([]byte(snapshot(t, first.Taken))[1:len(snapshot(t, first.Taken))-1], &read))
	require.Equal(t, snapshot(t, first.Taken), snapshot(t, read), "data to be stored")

	r := record(t)
	s.set(t, r, map[string]string{"hpa": "hpa-3", "deployment": "deployment-4"}) // as the server answered
	held := first.Taken.Confirm(s.whole(), "")
	require.True(t, held.Metrics.Held && held.Amounts[0].Held)
	require.False(t, first.Taken.Metrics.Held || first.Taken.Amounts[0].Held, "P2")
	require.Equal(t, first.Taken, first.Taken.Confirm(s.whole(), "nobody"), "another manager holds nothing")
	c.Amounts[0].From, c.Amounts[0].To = quantity("700m"), quantity("650m")
	c.Targets[0].From, c.Targets[0].To = 71, 76
	second, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Taken: held})
	require.Empty(t, errs)
	require.Equal(t, []string{hpaApply, podApply}, brief(second.Writes))
	require.Equal(t, held, second.Taken, "the first owner is remembered, not ourselves")
	for _, w := range second.Writes {
		require.NotContains(t, string(w.Body), "resourceVersion", "an unforced write need not fail where a status was written")
	}
}

// The second write was refused for good: the writes of the reverse take the first half back, and nothing else.
func TestHalfSentIsTakenBack(t *testing.T) {
	for _, row := range []struct {
		why     string
		arrived func(*stage)
		want    []string
	}{
		{"the HPA was written", func(s *stage) {
			*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 71
			s.hpa.ManagedFields = []metav1.ManagedFieldsEntry{entry("kerf", byApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
		}, []string{hpaApply}},
		{"the workload was", func(s *stage) {
			s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests = list("700m")
			s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kerf", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))}
		}, []string{podApply}},
		{"nothing was", func(*stage) {}, nil},
	} {
		s, c := staged(t, "apply/kubectl-create")
		first, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
		require.Empty(t, errs)
		row.arrived(s)
		got, errs := c.Reverse().Writes(s.whole(), hpacouple.WriteOptions{Taken: first.Taken})
		require.Empty(t, errs)
		require.Equal(t, row.want, brief(got.Writes), row.why)
		require.Empty(t, got.Stale, row.why)
		require.Equal(t, first.Taken.Metrics.Owners, got.Taken.Metrics.Owners, "what is remembered is for the release")
	}
}

// With Retake the memory follows the owners: a co-owner is added, and who had taken the field back is the one to whom it goes.
func TestRetaking(t *testing.T) {
	cpu := amountPath("containers[app].resources.requests.cpu")
	managers := func(owners []risk.Owner) (out []string) {
		for _, o := range owners {
			out = append(out, o.Manager)
		}
		return out
	}
	for _, row := range []struct {
		why    string
		change func(*stage, *hpacouple.Change)
		target int32
		value  string
		owners []string // of both
	}{
		{"somebody owns them as well", func(s *stage, c *hpacouple.Change) {
			s.hpa.ManagedFields = append(s.hpa.ManagedFields, entry("gitops", byApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`))
			s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("gitops", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`)))
			c.Amounts[0].From, c.Targets[0].From = quantity("700m"), 71
		}, 50, "1", []string{"kubectl-create", "gitops"}},
		{"somebody has edited them", func(s *stage, c *hpacouple.Change) {
			s.hpa.ManagedFields = []metav1.ManagedFieldsEntry{entry("kubectl-edit", byUpdate, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
			s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kubectl-edit", byUpdate, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))}
			*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 60
			s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("900m")
			c.Amounts[0].From, c.Targets[0].From = quantity("900m"), 60
		}, 60, "900m", []string{"kubectl-edit"}},
	} {
		s, taken := held(t)
		c := joint()
		c.Amounts[0].To, c.Targets[0].To = quantity("650m"), 76
		row.change(s, &c)
		got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Taken: taken, Retake: true})
		require.Empty(t, errs, row.why)
		require.Equal(t, []string{hpaForce, podForce}, brief(got.Writes), row.why)
		require.Equal(t, []hpacouple.TakenTarget{{TargetRef: cpuEntry, Target: row.target}}, got.Taken.Metrics.Targets, row.why)
		require.Equal(t, row.owners, managers(got.Taken.Metrics.Owners), row.why)
		require.Equal(t, cpu, got.Taken.Amounts[0].AmountRef)
		require.Equal(t, row.value, got.Taken.Amounts[0].Value.String(), row.why)
		require.Equal(t, row.owners, managers(got.Taken.Amounts[0].Owners), row.why)
	}
}

// What was taken away and is set again keeps its past: the value before us, not the absence that we made.
func TestClearedAndSetAgain(t *testing.T) {
	s, c := staged(t, "apply/kubectl-create")
	c.HPA, c.Targets, s.hpa = hpacouple.HPARef{}, nil, nil
	limits := amountPath("containers[app].resources.limits.cpu")
	resources := &s.deployment.Spec.Template.Spec.Containers[0].Resources
	resources.Limits = list("2")
	c.Amounts = []hpacouple.AmountChange{{AmountRef: limits, From: quantity("2")}}
	taken := hpacouple.Taken{}
	write := func() {
		got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Taken: taken})
		require.Empty(t, errs)
		require.Len(t, got.Writes, 1)
		taken = got.Taken
	}
	write()
	require.True(t, taken.Amounts[0].Cleared && !taken.Amounts[0].Held, "not known to have arrived")
	require.False(t, taken.Confirm(s.whole(), "").Amounts[0].Held, "nor while it stands")
	resources.Limits = nil
	taken = taken.Confirm(s.whole(), "")
	require.True(t, taken.Amounts[0].Cleared && taken.Amounts[0].Held)
	c.Amounts[0].From, c.Amounts[0].To = nil, quantity("3")
	write()
	write() // the first never arrived
	require.Equal(t, "2", taken.Amounts[0].Value.String())
	resources.Limits = list("3")
	s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kerf", byApply, "apps/v1", appFields(`{"f:limits":{"f:cpu":{}}}`)))
	taken = taken.Confirm(s.whole(), "")
	require.True(t, !taken.Amounts[0].Cleared && taken.Amounts[0].Held, "ours by now")
	require.Equal(t, "2", taken.Amounts[0].Value.String())
	c.Amounts[0].From, c.Amounts[0].To = quantity("3"), nil // ours: an apply leaves it out
	write()
	require.True(t, taken.Amounts[0].Cleared)
	require.Equal(t, "2", taken.Amounts[0].Value.String())
}
