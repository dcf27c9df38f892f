package hpacouple_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// What is remembered of requests and target is one pair that was in force: with a half that somebody chose goes the other half of that time.
func TestRememberedPair(t *testing.T) {
	const requestIs = `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:name":{},"f:resources":{"f:requests":{"f:cpu":{}}}}}}}}}`
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, apiVersion, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: apiVersion, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
	}
	for _, row := range []struct {
		name, why          string
		request            string
		target             int32
		requestBy, targets string // who owns them now
		wantRequest        string
		wantTarget         int32
	}{
		{name: "edited request", request: "303m", target: 71, requestBy: "kubectl-edit", targets: "kerf", wantRequest: "303m", wantTarget: 71, why: "303m at 50 was never in force"},
		{name: "edited target", request: "700m", target: 60, requestBy: "kerf", targets: "kubectl-edit", wantRequest: "700m", wantTarget: 60, why: "1 at 60 was never in force"},
		{name: "request put back", request: "1", target: 71, requestBy: "kubectl-rollout", targets: "kerf", wantRequest: "1", wantTarget: 50, why: "kubectl rollout undo chooses nothing new"},
		{name: "nobody edited", request: "700m", target: 71, requestBy: "kerf", targets: "kerf", wantRequest: "1", wantTarget: 50, why: "the memory is of the first change"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w, live := deployed()
			first, errs := changed(w, live).Writes(live, hpacouple.WriteOptions{})
			require.Empty(t, errs)
			held := first.Taken
			held.Metrics.Held, held.Amounts[0].Held = true, true

			live.Template.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse(row.request)}
			*live.HPA.Spec.Metrics[0].Resource.Target.AverageUtilization = row.target
			operation := map[bool]metav1.ManagedFieldsOperationType{true: metav1.ManagedFieldsOperationApply, false: metav1.ManagedFieldsOperationUpdate}
			live.Meta.ManagedFields = []metav1.ManagedFieldsEntry{entry(row.requestBy, operation[row.requestBy == "kerf"], "apps/v1", requestIs)}
			live.HPA.ManagedFields = []metav1.ManagedFieldsEntry{entry(row.targets, operation[row.targets == "kerf"], "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}

			q, to := resource.MustParse(row.request), resource.MustParse("620m")
			c := changed(deployed())
			c.Amounts[0].From, c.Amounts[0].To = &q, &to
			c.Targets[0].From, c.Targets[0].To = row.target, 81
			second, errs := c.Writes(live, hpacouple.WriteOptions{Taken: held, Retake: true})
			require.Empty(t, errs)
			require.Empty(t, second.Stale)
			require.Equal(t, row.wantRequest, second.Taken.Amounts[0].Value.String(), row.why)
			require.Equal(t, row.wantTarget, second.Taken.Metrics.Targets[0].Target, row.why)
		})
	}
}
