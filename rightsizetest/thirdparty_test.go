package rightsizetest_test

import (
	"testing"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// A third party's whole test: its planner, its controller and its recommender keep all laws. Put your own functions in place of the three. The
// README shows it.
func TestThirdParty(t *testing.T) {
	myPlanner := rightsizetest.PlannerOf(hpacouple.Plan)
	myController := func(live rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) {
		return rightsizetest.WriteInMemory(live, c), nil
	}
	myRecommender := rightsizetest.RecommenderOf(recommend.Workload)
	rightsizetest.CheckPlan(t, myPlanner)
	rightsizetest.CheckChange(t, myController)
	rightsizetest.CheckRecommend(t, myRecommender)
}
