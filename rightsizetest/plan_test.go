package rightsizetest_test

import (
	"testing"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

func TestPlan(t *testing.T) { rightsizetest.CheckPlan(t, rightsizetest.PlannerOf(hpacouple.Plan)) }
