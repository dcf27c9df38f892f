package rightsizetest_test

import (
	"testing"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// A third party's whole test: its planner keeps all laws, and so does its controller. Put your own functions in place of the two.
func TestThirdParty(t *testing.T) {
	myPlanner := rightsizetest.PlannerOf(hpacouple.Plan)
	myController := func(live rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) {
		return rightsizetest.WriteInMemory(live, c), nil
	}
	rightsizetest.CheckPlan(t, myPlanner)
	rightsizetest.CheckChange(t, myController)
}
