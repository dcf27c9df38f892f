package rightsizetest_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
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

// One branch of a law is not all of it: what a writer may lose, one by one.
func TestWhatAWriterMayLose(t *testing.T) {
	for _, c := range []struct {
		why  string
		law  rightsizetest.Law
		lose func(live, o *rightsizetest.Objects, c hpacouple.Change)
	}{
		{"the coupled entry alone is written", rightsizetest.LawA2, func(_, o *rightsizetest.Objects, c hpacouple.Change) {
			o.HPA.Spec.Metrics = slices.DeleteFunc(o.HPA.Spec.Metrics, func(m autoscalingv2.MetricSpec) bool {
				return m.Resource == nil && m.ContainerResource == nil || m.Resource != nil && m.Resource.Target.AverageUtilization == nil
			})
		}},
		{"metrics[0] is written", rightsizetest.LawA2, func(live, o *rightsizetest.Objects, c hpacouple.Change) {
			if len(c.Targets) == 0 {
				return
			}
			o.HPA = live.HPA
			if r := o.HPA.Spec.Metrics[0].Resource; r != nil {
				r.Target.AverageUtilization = &c.Targets[0].To
			}
		}},
		{"labels", rightsizetest.LawA2, func(_, o *rightsizetest.Objects, _ hpacouple.Change) { o.HPA.Labels = nil }},
		{"annotations", rightsizetest.LawA2, func(_, o *rightsizetest.Objects, _ hpacouple.Change) { o.HPA.Annotations = nil }},
		{"the state", rightsizetest.LawA2, func(live, o *rightsizetest.Objects, _ hpacouple.Change) { o.State = live.State }},
		{"the target does not go back", rightsizetest.LawH3, func(live, o *rightsizetest.Objects, c hpacouple.Change) {
			if len(c.Targets) > 0 && c.Targets[0].To < c.Targets[0].From {
				o.HPA = live.HPA
			}
		}},
	} {
		t.Run(c.why, func(t *testing.T) {
			caught(t, c.law, true, func(t rightsizetest.TB) {
				rightsizetest.CheckChangeLaw(t, func(live rightsizetest.Objects, change hpacouple.Change) (rightsizetest.Objects, error) {
					was := rightsizetest.Objects{Template: live.Template.DeepCopy(), HPA: live.HPA.DeepCopy(), State: live.State.DeepCopy()}
					o := rightsizetest.WriteInMemory(live, change)
					if o.HPA != nil {
						c.lose(&was, &o, change)
					}
					return o, nil
				}, c.law)
			}, "recommended for ")
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
