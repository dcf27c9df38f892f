package change

import (
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Whatever became of one half since the change, neither a rollback nor a release with the values moves the other half alone.
func TestNoHalfGoesBack(t *testing.T) {
	edit := func(c *cluster, request string) {
		body := `{"spec":{"template":{"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"` + request + `"}}}]}}}}`
		require.NoError(c.t, c.patch(deployKind, string(types.StrategicMergePatchType), "kubectl-edit", false, body))
	}
	apply := func(c *cluster, request string) {
		body := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"` + request + `"}}}]}}}}`
		require.NoError(c.t, c.patch(deployKind, string(types.ApplyPatchType), "gitops", false, body))
	}
	for _, row := range []struct {
		why    string
		absent bool // the request was absent, and its limit stood in
		since  func(*cluster)
		wants  string // of the rollback
		kept   int
	}{
		{"nothing happened", false, func(*cluster) {}, "written", 0},
		{"nothing happened, and the request was absent", true, func(*cluster) {}, "written", 0},
		{"a person edited the request", false, func(c *cluster) { edit(c, "600m") }, "stale", 2},
		{"a person edited the request that was absent", true, func(c *cluster) { edit(c, "600m") }, "stale", 2},
		{"an applier owns it as well", false, func(c *cluster) { apply(c, "700m") }, "contested", 2},
		{"an applier owns the one that was absent as well", true, func(c *cluster) { apply(c, "700m") }, "contested", 2},
		{"a person edited the target", false, func(c *cluster) {
			require.NoError(c.t, c.patch(hpaKind, string(types.MergePatchType), "kubectl-edit", false,
				`{"spec":{"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}}]}}`))
		}, "stale", 2},
		{"a person lowered the limit", false, func(c *cluster) {
			require.NoError(c.t, c.patch(deployKind, string(types.StrategicMergePatchType), "kubectl-edit", false,
				`{"spec":{"template":{"spec":{"containers":[{"name":"app","resources":{"limits":{"cpu":"800m"}}}]}}}}`))
		}, "stale", 2},
		{"a person put the old request back", false, func(c *cluster) { edit(c, "1") }, "written", 0},
	} {
		r := record(t)
		var c *cluster
		for _, st := range r.Stories {
			if st.Name == "apply/kubectl-create" {
				h, d := decode(t, r, st.Before)
				resources := &d.Spec.Template.Spec.Containers[0].Resources
				resources.Limits = resources.Requests.DeepCopy()
				if row.absent {
					resources.Requests = nil
					d.ManagedFields = nil
				}
				c = newCluster(t, h, d)
			}
		}
		if row.absent && apiServer != nil {
			d := c.deployment()
			require.Empty(t, d.Spec.Template.Spec.Containers[0].Resources.Requests, "a server defaults pods, not templates")
		}
		old, new := resource.MustParse("1"), resource.MustParse("700m")
		change := hpacouple.Change{Workload: workload, HPA: hpacouple.HPARef{Namespace: namespace, Name: name}, Strategy: hpacouple.Rollout,
			Amounts: []hpacouple.AmountChange{{AmountRef: cpuRequest, To: &new}},
			Targets: []hpacouple.TargetChange{{TargetRef: hpacouple.TargetRef{Type: autoscalingv2.ResourceMetricSourceType, Resource: "cpu"}, From: 50, To: 71}}}
		if !row.absent {
			change.Amounts[0].From = &old
		}
		before := c.values()
		got, errs := change.Writes(c.live(), hpacouple.WriteOptions{NoManagedFields: true})
		require.Empty(t, errs, row.why)
		c.send(got.Writes)
		taken := got.Taken.Confirm(c.live(), "")
		row.since(c)
		now := c.values()
		back, errs := change.Reverse().Writes(c.live(), hpacouple.WriteOptions{Taken: taken})
		require.Empty(t, errs, row.why)
		outcome := "written"
		if len(back.Stale) > 0 {
			outcome = "stale"
		} else if len(back.Contested) > 0 {
			outcome = "contested"
		}
		require.Equal(t, row.wants, outcome, row.why)
		require.Equal(t, outcome == "written", len(back.Writes) > 0, row.why)
		o := hpacouple.ReleaseOptions{Taken: taken, Back: true}
		kept := 0
		for again := true; again; {
			released, errs := hpacouple.Release(workload, c.live(), o)
			require.Empty(t, errs, row.why)
			c.send(released.Writes)
			again, kept, o.Taken = released.Again, len(released.Kept), released.Taken
		}
		require.Equal(t, row.kept, kept, row.why)
		if row.kept > 0 {
			require.Equal(t, now, c.values(), row.why)
		} else {
			require.Equal(t, before, c.values(), row.why)
		}
		require.Empty(t, ours(c.hpa().ManagedFields), row.why)
		require.Empty(t, ours(c.deployment().ManagedFields), row.why)
		require.Equal(t, hpacouple.Taken{}, o.Taken, "nothing stays for ever")
	}
}
