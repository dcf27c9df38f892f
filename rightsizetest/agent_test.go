package rightsizetest_test

import (
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

func admit(plan hpacouple.Result, a hpacouple.Admission) (bool, error) {
	v, errs := hpacouple.Admit(plan, a)
	return v.Allowed, errs.ToAggregate()
}

func TestAdmit(t *testing.T) { rightsizetest.CheckAdmit(t, admit) }

func TestEveryAdmitLawCatchesItsFault(t *testing.T) {
	calls := 0
	planted := map[rightsizetest.Law]rightsizetest.Admitter{
		rightsizetest.LawA5: func(plan hpacouple.Result, a hpacouple.Admission) (bool, error) { // widens the bounds, as the hub does
			if a.Policy.Spec.HPA != nil {
				a.Policy.Spec.HPA.TargetBounds = nil
			}
			return admit(plan, a)
		},
		rightsizetest.LawA7: func(plan hpacouple.Result, a hpacouple.Admission) (bool, error) { // finds out by trying
			a.MayPatchHPA = true
			return admit(plan, a)
		},
		rightsizetest.LawA9: func(plan hpacouple.Result, a hpacouple.Admission) (bool, error) { // off is off
			allowed, err := admit(plan, a)
			return allowed && a.Policy.Coordinates(), err
		},
		rightsizetest.LawP2: func(plan hpacouple.Result, a hpacouple.Admission) (bool, error) { // defaults the policy
			if a.Policy.Spec.HPA != nil && a.Policy.Spec.HPA.TargetBounds == nil {
				a.Policy.Spec.HPA.TargetBounds = &hpacouple.TargetBounds{}
			}
			return admit(plan, a)
		},
		rightsizetest.LawP3: func(plan hpacouple.Result, a hpacouple.Admission) (bool, error) { // every other one
			calls++
			allowed, err := admit(plan, a)
			return allowed && calls%2 == 0, err
		},
		rightsizetest.LawP4: func(plan hpacouple.Result, a hpacouple.Admission) (bool, error) { // a change has a target
			if a.Policy.Coordinates() && plan.Outcome == hpacouple.Coordinate && plan.Targets[0].To > 0 {
				return admit(plan, a)
			}
			return admit(plan, a)
		},
	}
	for _, law := range rightsizetest.AdmitLaws() {
		t.Run(string(law), func(t *testing.T) {
			faulty, ok := planted[law]
			caught(t, law, ok, func(t rightsizetest.TB) { rightsizetest.CheckAdmitLaw(t, faulty, law) }, "  policy ")
		})
	}
	failed, _ := record(t, func(t rightsizetest.TB) { rightsizetest.CheckAdmitLaw(t, admit, rightsizetest.LawH1) })
	require.True(t, failed)
}

func writeInMemory(o rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) {
	return rightsizetest.WriteInMemory(o, c), nil
}

func keep(o rightsizetest.Objects) (rightsizetest.Objects, error) { return o, nil }

func TestRelease(t *testing.T) { rightsizetest.CheckRelease(t, writeInMemory, keep) }

func TestEveryReleaseLawCatchesItsFault(t *testing.T) {
	planted := map[rightsizetest.Law]rightsizetest.Releaser{
		rightsizetest.LawA10: func(o rightsizetest.Objects) (rightsizetest.Objects, error) { // an empty apply, of a sole owner
			if o.HPA != nil {
				eighty := int32(80)
				o.HPA.Spec.Metrics = []autoscalingv2.MetricSpec{{Type: "Resource", Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{Type: "Utilization", AverageUtilization: &eighty}}}}
			}
			return o, nil
		},
		rightsizetest.LawP3: func(o rightsizetest.Objects) (rightsizetest.Objects, error) { // doubles the limits each time
			for i := range o.Template.Containers {
				for name, q := range o.Template.Containers[i].Resources.Limits {
					q.Add(q)
					o.Template.Containers[i].Resources.Limits[name] = q
				}
			}
			return o, nil
		},
	}
	for _, law := range rightsizetest.ReleaseLaws() {
		t.Run(string(law), func(t *testing.T) {
			faulty, ok := planted[law]
			caught(t, law, ok, func(t rightsizetest.TB) { rightsizetest.CheckReleaseLaw(t, writeInMemory, faulty, law) }, "recommended for ")
		})
	}
	failed, _ := record(t, func(t rightsizetest.TB) {
		rightsizetest.CheckReleaseLaw(t, writeInMemory, keep, rightsizetest.LawH1)
	})
	require.True(t, failed)
}
