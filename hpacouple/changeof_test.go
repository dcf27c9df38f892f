package hpacouple_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

// What an injector added is not in the template: a change that named it would be stale for ever.
func TestInjectedContainersAreNoChange(t *testing.T) {
	plan := hpacouple.Result{Outcome: hpacouple.Uncoupled, Containers: []hpacouple.ContainerPlan{
		{Name: "app", Role: metrics.RoleContainer, Resource: "cpu", From: quantity("1"), To: quantity("700m")},
		{Name: "mesh", Role: metrics.RoleContainer, Resource: "cpu", Injected: true, From: quantity("100m"), To: quantity("50m")},
	}}
	c, ok := hpacouple.ChangeOf(plan)
	require.True(t, ok)
	require.Len(t, c.Amounts, 1)
	require.Equal(t, "app", c.Amounts[0].Container)
	plan.Containers = plan.Containers[1:]
	_, ok = hpacouple.ChangeOf(plan)
	require.False(t, ok, "nothing else changes")
}

// The change of a plan knows the HPA by its uid: one made anew under its name is another.
func TestChangeOfKnowsItsHPA(t *testing.T) {
	w, live := deployed()
	c := changed(w, live)
	require.Equal(t, live.HPA.UID, c.HPA.UID)
	live.HPA = live.HPA.DeepCopy()
	live.HPA.UID = "new"
	got, errs := c.Writes(live, hpacouple.WriteOptions{})
	require.Empty(t, errs)
	require.Equal(t, []string{"metadata.uid"}, got.Stale)
	require.Empty(t, got.Writes)
}

// In a log absent is "-", on the side where it is.
func TestChangeLogsAbsence(t *testing.T) {
	cpu := amountPath("containers[app].resources.requests.cpu")
	for _, row := range []struct {
		a    hpacouple.AmountChange
		want string
	}{
		{hpacouple.AmountChange{AmountRef: cpu, To: quantity("700m")}, "c.app.requests.cpu.from=- c.app.requests.cpu.to=700m"},
		{hpacouple.AmountChange{AmountRef: cpu, From: quantity("700m")}, "c.app.requests.cpu.from=700m c.app.requests.cpu.to=-"},
	} {
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, nil)).Info("", "c", hpacouple.Change{Workload: web, Amounts: []hpacouple.AmountChange{row.a}})
		require.Contains(t, b.String(), row.want)
	}
}

// No change is a nil pointer: the zero value has no strategy, and cannot be stored.
func TestNoChangeIsAPointer(t *testing.T) {
	_, err := json.Marshal(hpacouple.Change{})
	require.ErrorContains(t, err, "strategy")
	text, err := json.Marshal(struct {
		Change *hpacouple.Change `json:"change,omitempty"`
	}{})
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(text))
}
