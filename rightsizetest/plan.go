package rightsizetest

import (
	"fmt"
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// TB is what a check needs of a test. *testing.T is one.
type TB = rapid.TB

// Planner is what is checked: whatever turns an input into requests and a target. Of the result the laws read the outcome with its reasons,
// From and To of Targets, and of each container Name, Injected, Resource, From, To, LimitFrom, LimitTo and BoundBy; H5 and H11 also State.
// An error means that the planner does not take this input; a law is only checked where the planner takes most of what is drawn.
type Planner func(hpacouple.Input) (hpacouple.Result, error)

// PlannerOf makes a planner of a function that returns a list of errors, as [hpacouple.Plan] does.
func PlannerOf(plan func(hpacouple.Input) (hpacouple.Result, field.ErrorList)) Planner {
	return func(in hpacouple.Input) (hpacouple.Result, error) {
		r, errs := plan(in)
		return r, errs.ToAggregate()
	}
}

// CheckPlan checks laws of a planner on random inputs, each as a subtest with the law's name; without names it checks all of [PlanLaws]. A
// law that is broken fails its subtest with the smallest input that was found for it. The number of inputs is rapid's: -rapid.checks.
func CheckPlan(t *testing.T, plan Planner, laws ...Law) {
	t.Helper()
	if len(laws) == 0 {
		laws = PlanLaws()
	}
	for _, law := range laws {
		t.Run(string(law), func(t *testing.T) { CheckPlanLaw(t, plan, law) })
	}
}

// CheckPlanLaw checks one law of [PlanLaws].
func CheckPlanLaw(t TB, plan Planner, law Law) {
	t.Helper()
	rapid.Check(t, plan.Property(law))
}

// Property is one law of [PlanLaws] for rapid.Check, or for a fuzz target by rapid.MakeFuzz.
func (p Planner) Property(law Law) func(*rapid.T) {
	plan := p.safe()
	asked := func(f func(hpacouple.Input, hpacouple.Result) *Violation) func(*rapid.T) {
		return plan.planned(StatefulInputs(), f)
	}
	switch law {
	case LawA6:
		return func(t *rapid.T) {
			plan.planned(rapid.OneOf(StatefulInputs(), plainInputs()), lawA6)(t)
		}
	case LawH1, LawH1b:
		return plan.planned(Inputs(), func(in hpacouple.Input, r hpacouple.Result) *Violation {
			if v := lawProduct(in, r); v != nil && v.Law == law {
				return v
			}
			return nil
		})
	case LawH2:
		return asked(lawH2)
	case LawH4:
		return asked(lawH4)
	case LawH5:
		return plan.lawH5
	case LawH6:
		return asked(lawH6)
	case LawH7:
		return asked(lawH7)
	case LawH8:
		return asked(plan.lawH8)
	case LawH9:
		return plan.lawH9
	case LawH10:
		return plan.lawH10
	case LawH11:
		return asked(plan.lawH11)
	case LawP2:
		return plan.hostile(plan.lawP2)
	case LawP3:
		return plan.hostile(plan.lawP3)
	case LawP4:
		return plan.hostile(plan.lawP4)
	case LawP6:
		return asked(lawP6)
	}
	return func(t *rapid.T) { t.Fatalf("%q is not a law of a plan", law) }
}

// hostileOrNot draws hostile inputs, with and without states, and sound ones.
func hostileOrNot() *rapid.Generator[hpacouple.Input] {
	hostile := rapid.Custom(func(t *rapid.T) hpacouple.Input {
		in := HostileInputs().Draw(t, "hostile")
		in.State = HostileStates().Draw(t, "state")
		return in
	})
	return rapid.OneOf(hostile, StatefulInputs())
}

// panicked is a planner's panic, as an error.
type panicked struct{ value any }

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// safe turns a panic into an error.
func (p Planner) safe() Planner {
	return func(in hpacouple.Input) (r hpacouple.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &panicked{v}
			}
		}()
		return p(in)
	}
}

// drawn prints itself: rapid shows every draw of the smallest failure.
type drawn struct{ in hpacouple.Input }

// String describes the input.
func (d drawn) String() string { return Describe(d.in) }

// GoString is how rapid prints a draw.
func (d drawn) GoString() string { return "\n" + d.String() }

func draw(t *rapid.T, g *rapid.Generator[hpacouple.Input]) hpacouple.Input {
	return rapid.Map(g, func(in hpacouple.Input) drawn { return drawn{in} }).Draw(t, "input").in
}

// run plans and leaves out the draw where the planner does not take it. A panic is a broken law, whichever is checked.
func (p Planner) run(t *rapid.T, in hpacouple.Input) hpacouple.Result {
	r, err := p(in)
	if crash, is := err.(*panicked); is {
		fail(t, in, LawP4.broken("%v", crash))
	}
	if err != nil {
		t.Skipf("the planner does not take it: %v", err)
	}
	return r
}

func fail(t *rapid.T, in hpacouple.Input, v *Violation) { found(t, drawn{in}, v) }

// planned draws inputs, plans, and asks the law about the plan.
func (p Planner) planned(inputs *rapid.Generator[hpacouple.Input], f func(hpacouple.Input, hpacouple.Result) *Violation) func(*rapid.T) {
	return func(t *rapid.T) {
		in := draw(t, inputs)
		r := p.run(t, *in.DeepCopy()) // a planner that writes to its input breaks P2, not the law that is asked for
		fail(t, in, f(in, r))
	}
}

// hostile draws anything; errors are answers there.
func (p Planner) hostile(f func(hpacouple.Input) *Violation) func(*rapid.T) {
	return func(t *rapid.T) {
		in := draw(t, hostileOrNot())
		fail(t, in, p.lawP4(*in.DeepCopy()))
		fail(t, in, f(in))
	}
}

// lawH5 makes a number of changes, each applied with its state, and compares the product with the first one. Where a bound held the requests
// back, or the requests alone could not follow, the anchor is still the first pair: the next change makes up for it.
func (p Planner) lawH5(t *rapid.T) {
	in := draw(t, coupledInputs())
	first := in
	in.State = &hpacouple.State{}
	began, ok := pairOf(in)
	if !ok {
		t.Skip("no pair")
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "changes") {
		in.Recommendations = Recommendations(in.Pod.Spec).Draw(t, fmt.Sprintf("change %d", i))
		r := p.run(t, *in.DeepCopy())
		was, _ := pairOf(in)
		next := Apply(in, r)
		now, ok := pairOf(next)
		if !ok {
			t.Skip("no pair")
		}
		if !maps.Equal(was.counted, now.counted) {
			fail(t, in, drift(began.product(), in, now))
		}
		if r.State == nil {
			fail(t, first, LawH5.broken("the planner returns no state"))
		}
		in = next
	}
}

// coupledInputs draws inputs with one utilization entry that can be coordinated.
func coupledInputs() *rapid.Generator[hpacouple.Input] {
	return Inputs().Filter(func(in hpacouple.Input) bool {
		_, ok := pairOf(in)
		return ok
	})
}

func (p Planner) lawH9(t *rapid.T) {
	in := draw(t, StatefulInputs())
	other := *in.DeepCopy()
	r := p.run(t, *in.DeepCopy())
	other.Pod.Spec.Containers = reorder(t, other.Pod.Spec.Containers, "order of containers")
	other.Recommendations = reorder(t, other.Recommendations, "order of recommendations")
	s := p.run(t, other)
	if byName(r) != byName(s) {
		fail(t, in, LawH9.broken("the plan is\n  %s\nand in another order\n  %s", byName(r), byName(s)))
	}
}

// reorder draws an order of a list.
func reorder[T any](t *rapid.T, list []T, label string) []T {
	places := make([]int, len(list))
	for i := range places {
		places[i] = i
	}
	out := make([]T, 0, len(list))
	for _, i := range rapid.Permutation(places).Draw(t, label) {
		out = append(out, list[i])
	}
	return out
}

func (p Planner) lawH10(t *rapid.T) {
	in := hpacouple.Input{Workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"}}
	in.Pod.Spec = &corev1.PodSpec{}
	in.HPA = hpa(utilization(corev1.ResourceCPU, rapid.Int32Range(40, 90).Draw(t, "T")))
	k := rapid.SampledFrom([]int64{2, 3, 10, 1000}).Draw(t, "k")
	large := *in.DeepCopy()
	for i := range rapid.IntRange(1, 3).Draw(t, "n") {
		name := fmt.Sprintf("c%d", i)
		from, to := rapid.Int64Range(1, 3000).Draw(t, "from"), rapid.Int64Range(1, 3000).Draw(t, "to")
		add := func(in *hpacouple.Input, k int64) {
			in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": milli(from * k)}}})
			in.Recommendations = append(in.Recommendations, hpacouple.Recommendation{Container: name, Requests: corev1.ResourceList{"cpu": milli(to * k)}})
		}
		add(&in, 1)
		add(&large, k)
	}
	was, _ := pairOf(in)
	b := limitsOf(in, was.target)
	a, okA := pairOf(Apply(in, p.run(t, *in.DeepCopy())))
	c, okC := pairOf(Apply(large, p.run(t, *large.DeepCopy())))
	inside := func(x int32) bool { return b.lo < x && x < b.hi }
	if okA && okC && inside(a.target) && inside(c.target) && a.target != c.target {
		fail(t, in, LawH10.broken("the target is %d, and with all numbers times %d it is %d", a.target, k, c.target))
	}
}
