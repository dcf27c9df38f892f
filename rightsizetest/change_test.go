package rightsizetest_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// writerFaults is one faulty writer for each law.
func writerFaults() map[rightsizetest.Law]rightsizetest.Writer {
	return map[rightsizetest.Law]rightsizetest.Writer{
		rightsizetest.LawA2: func(o rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) { // writes its own defaults along
			o = rightsizetest.WriteInMemory(o, c)
			o.HPA.Spec.Behavior = nil
			return o, nil
		},
		rightsizetest.LawH3: func(o rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) { // absent becomes 0
			for i := range c.Amounts {
				if c.Amounts[i].To == nil {
					c.Amounts[i].To = resource.NewQuantity(0, resource.DecimalSI)
				}
			}
			return rightsizetest.WriteInMemory(o, c), nil
		},
		rightsizetest.LawH8: func(o rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) { // writes the target alone
			c.Amounts = nil
			return rightsizetest.WriteInMemory(o, c), nil
		},
		rightsizetest.LawH11: func(o rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) { // forgets the state
			o = rightsizetest.WriteInMemory(o, c)
			o.State = &hpacouple.State{}
			return o, nil
		},
	}
}

func TestEveryChangeLawCatchesItsFault(t *testing.T) {
	planted := writerFaults()
	for _, law := range rightsizetest.ChangeLaws() {
		t.Run(string(law), func(t *testing.T) {
			faulty, ok := planted[law]
			caught(t, law, ok, func(t rightsizetest.TB) { rightsizetest.CheckChangeLaw(t, faulty, law) }, "recommended for ")
		})
	}
}
