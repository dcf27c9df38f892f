package rightsizetest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// writerFaults is one faulty writer for each law.
func writerFaults() map[rightsizetest.Law]rightsizetest.Writer {
	return map[rightsizetest.Law]rightsizetest.Writer{
		rightsizetest.LawA2: func(o rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) { // writes its own defaults along
			o = rightsizetest.WriteInMemory(o, c)
			if o.HPA != nil {
				o.HPA.Spec.Behavior = nil
			}
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
		rightsizetest.LawH5: func(o rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) { // stores the state of its first change alone
			first := o.State
			o = rightsizetest.WriteInMemory(o, c)
			if first != nil && first.Applied != nil {
				o.State = first
			}
			return o, nil
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

func TestWriteInMemory(t *testing.T) {
	rightsizetest.CheckChange(t, writeInMemory)
}

// Changes draws what can be meant, and of every kind enough; what HostileChanges draws is refused or harmless.
func TestChangeShares(t *testing.T) {
	const draws = 500
	seen := map[string]int{}
	for i := range draws {
		p := rightsizetest.Changes().Example(i)
		require.Empty(t, p.Change.Validate())
		seen[string(p.Plan.Outcome)]++
		for _, a := range p.Change.Amounts {
			seen[string(a.Kind)]++
			if a.From == nil || a.To == nil {
				seen["absent"]++
			}
		}
		if p.Change.State != nil {
			seen["anchored"]++
		}
		c := rightsizetest.HostileChanges().Example(i)
		_, _, _ = c.Validate(), c.Reverse(), c.Events()
		_, _ = c.Writes(hpacouple.Live{Template: p.Input.Pod.Spec, HPA: p.Input.HPA}, hpacouple.WriteOptions{})
		if len(c.Validate()) > 0 {
			seen["refused"]++
		}
	}
	for _, kind := range []string{"Coordinate", "Uncoupled", "requests", "limits", "absent", "anchored", "refused"} {
		t.Logf("%-12s %5.1f %%", kind, 100*float64(seen[kind])/draws)
		require.Greater(t, seen[kind], draws/100, kind)
	}
}
