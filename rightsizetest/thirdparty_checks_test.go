package rightsizetest_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/usage"
)

// The other checks that a third party may want. Put your own function in place of each.
func TestThirdPartyChecks(t *testing.T) {
	mySums := func(oldRequests int64, oldTarget int32, recommended int64) (int64, int32) {
		target, ok := hpacouple.Target(oldTarget, oldRequests, recommended)
		if !ok || target < 40 || target > 90 {
			return oldRequests, oldTarget // rather nothing than half
		}
		return recommended, target
	}
	myAgent := func(plan hpacouple.Result, a hpacouple.Admission) (bool, error) {
		verdict, errs := hpacouple.Admit(plan, a)
		return verdict.Allowed, errs.ToAggregate()
	}
	myController := func(live rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) {
		return rightsizetest.WriteInMemory(live, c), nil
	}
	myRelease := func(live rightsizetest.Objects) (rightsizetest.Objects, error) { return live, nil } // gives up ownership, no value
	rightsizetest.CheckSums(t, mySums, rightsizetest.SumBounds{})
	rightsizetest.CheckAdmit(t, myAgent, rightsizetest.LawA5, rightsizetest.LawA7)
	rightsizetest.CheckRelease(t, myController, myRelease)
	rightsizetest.CheckReplicas(t, rightsizetest.Step)
	rightsizetest.CheckQuantile(t, rightsizetest.UsageQuantile(usage.Lower), usage.Lower)
	rightsizetest.CheckHistogram(t, rightsizetest.UsageHistogram(usage.Fine, 0), rightsizetest.LawM1, rightsizetest.LawQ1)

	// One law as a property: for a subtest of one's own, or for a fuzz target by rapid.MakeFuzz.
	t.Run("planning again", rapid.MakeCheck(rightsizetest.PlannerOf(hpacouple.Plan).Property(rightsizetest.LawH8)))
}
