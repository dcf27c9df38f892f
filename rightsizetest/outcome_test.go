package rightsizetest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// idle is a planner that does nothing and always says the same.
func idle(outcome hpacouple.Outcome, skips ...skipreason.Skip) rightsizetest.Planner {
	return func(in hpacouple.Input) (hpacouple.Result, error) {
		r, err := plan(in)
		if err != nil {
			return r, err
		}
		out := hpacouple.Result{Workload: r.Workload, Outcome: outcome, SkipReasons: skips, HPA: r.HPA, Observed: r.Observed, State: r.State}
		if len(skips) > 0 {
			out.SkipReason = skips[0]
		}
		return out, nil
	}
}

// Whoever never does anything keeps every product, and is no planner.
func TestIdlePlanners(t *testing.T) {
	for name, planner := range map[string]rightsizetest.Planner{
		"never a change":       idle(hpacouple.NoChange),
		"always unsupported":   idle(hpacouple.Skip, skipreason.UnsupportedMetrics),
		"always at maximum":    idle(hpacouple.Skip, skipreason.MaxReplicasReached),
		"always missing":       idle(hpacouple.Skip, skipreason.MissingRequest),
		"always out of bounds": idle(hpacouple.Skip, skipreason.TargetOutOfBounds),
		"never coupled":        idle(hpacouple.Uncoupled),
		"coordinates nothing": func(in hpacouple.Input) (hpacouple.Result, error) {
			r, err := plan(in)
			if err == nil && r.Outcome == hpacouple.Coordinate {
				r.Outcome, r.SkipReason, r.SkipReasons = hpacouple.Skip, skipreason.TargetOutOfBounds, []skipreason.Skip{skipreason.TargetOutOfBounds}
			}
			return r, err
		},
		"blind to maxReplicas": func(in hpacouple.Input) (hpacouple.Result, error) {
			in.MaxReplicasReached = false
			return plan(in)
		},
		"blind to all but the first HPA": func(in hpacouple.Input) (hpacouple.Result, error) {
			if in.HPA != nil {
				in.OtherHPAs = nil
			}
			return plan(in)
		},
		"blind to HPAs": func(in hpacouple.Input) (hpacouple.Result, error) {
			in.HPA, in.OtherHPAs = nil, nil
			return plan(in)
		},
	} {
		t.Run(name, func(t *testing.T) {
			failed, text := record(t, func(r rightsizetest.TB) { rightsizetest.CheckPlanLaw(r, planner, rightsizetest.LawA6) })
			require.True(t, failed)
			require.Contains(t, text, "law A6 is broken")
		})
	}
}
