package rightsizetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Admitter is what is checked by [CheckAdmit]: an agent that says whether a plan may be carried out. An error is an answer too: it is not.
type Admitter func(plan hpacouple.Result, a hpacouple.Admission) (allowed bool, err error)

// AdmitLaws returns the laws of [CheckAdmit].
func AdmitLaws() []Law { return []Law{LawA5, LawA7, LawA9, LawP2, LawP3, LawP4} }

// CheckAdmit checks laws of an agent on random plans, policies and live objects, each as a subtest with the law's name; without names it
// checks all of [AdmitLaws].
//
//	A5    nothing is coordinated unless the policy says so, and no target leaves the policy's bounds
//	A7    a skip reason, a missing permission and objects that are no longer as they were planned for block; nothing else but A5 does
//	A9    a plan that changes no target of an HPA is allowed
func CheckAdmit(t *testing.T, admit Admitter, laws ...Law) {
	t.Helper()
	if len(laws) == 0 {
		laws = AdmitLaws()
	}
	for _, law := range laws {
		t.Run(string(law), func(t *testing.T) { CheckAdmitLaw(t, admit, law) })
	}
}

// CheckAdmitLaw checks one law of [AdmitLaws].
func CheckAdmitLaw(t TB, admit Admitter, law Law) {
	t.Helper()
	rapid.Check(t, admit.Property(law))
}

// Property is one law of [AdmitLaws] for rapid.Check, or for a fuzz target by rapid.MakeFuzz.
func (f Admitter) Property(law Law) func(*rapid.T) {
	cases := admissions()
	switch law {
	case LawP2, LawP3, LawP4:
		cases = rapid.OneOf(cases, hostileAdmissions())
	}
	return func(t *rapid.T) {
		if !slices.Contains(AdmitLaws(), law) {
			t.Fatalf("%q is not a law of an agent", law)
		}
		c := cases.Draw(t, "admission")
		found(t, c, f.law(c, law))
	}
}

// admission is a plan that an agent is asked about, and what stands against it.
type admission struct {
	in      hpacouple.Input
	plan    hpacouple.Result
	a       hpacouple.Admission
	touched string // what somebody has changed since
}

// Policies of agents: off, on, with bounds on either side.
func agentPolicies() *rapid.Generator[hpacouple.Policy] {
	return rapid.Custom(func(t *rapid.T) (p hpacouple.Policy) {
		if oneIn(t, 8, "no policy") {
			return p
		}
		p.Spec.HPA = &hpacouple.HPAPolicy{Coordinate: !oneIn(t, 6, "off")}
		if rapid.Bool().Draw(t, "bounds") {
			b := &hpacouple.TargetBounds{}
			least := rapid.Int32Range(1, 80).Draw(t, "min")
			if rapid.Bool().Draw(t, "has min") {
				b.MinUtilization = &least
			}
			if rapid.Bool().Draw(t, "has max") {
				b.MaxUtilization = ptrTo(least + rapid.Int32Range(0, 60).Draw(t, "above"))
			}
			p.Spec.HPA.TargetBounds = b
		}
		return p
	})
}

func admissions() *rapid.Generator[admission] {
	return rapid.Custom(func(t *rapid.T) (c admission) {
		p := Changes().Draw(t, "change")
		if oneIn(t, 3, "whatever the outcome") {
			p.Input = Inputs().Draw(t, "input")
			r, errs := hpacouple.Plan(*p.Input.DeepCopy())
			if len(errs) > 0 {
				return c
			}
			p.Plan = r
		}
		c = admission{in: p.Input, plan: p.Plan}
		c.a = hpacouple.Admission{Policy: agentPolicies().Draw(t, "policy"), MayPatchHPA: !oneIn(t, 8, "read-only")}
		one, _ := hpaOf(c.in)
		c.a.Live = hpacouple.Live{Template: c.in.Pod.Spec.DeepCopy(), HPA: one.DeepCopy()}
		if c.plan.Outcome == hpacouple.Coordinate && oneIn(t, 6, "touched") {
			e, _ := coupledEntry(c.in)
			c.touched = rapid.SampledFrom([]string{"target", "request"}).Draw(t, "touched")
			if c.touched == "target" {
				c.a.Live.HPA.Spec.Metrics = []autoscalingv2.MetricSpec{utilization(e.Resource, e.Utilization+1)}
			} else {
				r := &c.a.Live.Template.Containers[0].Resources
				q := r.Requests[e.Resource].DeepCopy()
				q.Add(bytes(1 << 30))
				set(&r.Requests, e.Resource, q)
				then := *c.in.DeepCopy()
				then.Pod.Spec = c.a.Live.Template.DeepCopy()
				was, _ := pairOf(c.in)
				if now, ok := pairOf(then); ok && now.requests == was.requests { // a request of the pod itself holds
					c.touched, c.a.Live.Template = "", c.in.Pod.Spec.DeepCopy()
				}
			}
		}
		return c
	}).Filter(func(c admission) bool { return c.plan.Outcome != "" })
}

// hostileAdmissions draws plans and policies that nobody has made.
func hostileAdmissions() *rapid.Generator[admission] {
	return rapid.Custom(func(t *rapid.T) admission {
		c := admissions().Draw(t, "sound")
		c.in = HostileInputs().Draw(t, "input")
		c.plan.Outcome = rapid.SampledFrom(append(hpacouple.Outcomes(), "", "x")).Draw(t, "outcome")
		if rapid.Bool().Draw(t, "no targets") {
			c.plan.Targets = nil
		}
		if rapid.Bool().Draw(t, "live") {
			c.a.Live = hpacouple.Live{Template: c.in.Pod.Spec, HPA: c.in.HPA}
		}
		if rapid.Bool().Draw(t, "bounds") {
			edge := rapid.SampledFrom([]int32{0, -1, 50, 1<<31 - 1, -1 << 31})
			c.a.Policy.Spec.HPA = &hpacouple.HPAPolicy{Coordinate: true, TargetBounds: &hpacouple.TargetBounds{MinUtilization: ptrTo(edge.Draw(t, "min")), MaxUtilization: ptrTo(edge.Draw(t, "max"))}}
		}
		return c
	})
}

// String describes the plan's input and the admission.
func (c admission) String() string {
	text := fmt.Sprintf("%s\n  the plan: %s", Describe(c.in), byName(c.plan))
	text += fmt.Sprintf("\n  policy %s, may patch HPAs: %t", asJSON(c.a.Policy), c.a.MayPatchHPA)
	if c.touched != "" {
		text += "\n  somebody has changed the " + c.touched + " since"
	}
	return text
}

// GoString is how rapid prints a draw.
func (c admission) GoString() string { return "\n" + c.String() }

// copy copies what an agent could write to.
func (c admission) copy() (hpacouple.Result, hpacouple.Admission) {
	a := hpacouple.Admission{Policy: *c.a.Policy.DeepCopy(), MayPatchHPA: c.a.MayPatchHPA}
	a.Live = hpacouple.Live{Meta: c.a.Live.Meta.DeepCopy(), Template: c.a.Live.Template.DeepCopy(), HPA: c.a.Live.HPA.DeepCopy()}
	return *c.plan.DeepCopy(), a
}

// leaves says whether a target moves to where the policy does not allow it: min and max alone, not widened.
func (c admission) leaves() bool {
	if c.a.Policy.Spec.HPA == nil || c.a.Policy.Spec.HPA.TargetBounds == nil {
		return false
	}
	b := c.a.Policy.Spec.HPA.TargetBounds
	return slices.ContainsFunc(c.plan.Targets, func(t hpacouple.TargetPlan) bool {
		return t.From != t.To && (b.MinUtilization != nil && t.To < *b.MinUtilization || b.MaxUtilization != nil && t.To > *b.MaxUtilization)
	})
}

func (f Admitter) ask(plan hpacouple.Result, a hpacouple.Admission) (allowed bool, broken *Violation) {
	defer func() {
		if v := recover(); v != nil {
			broken = LawP4.broken("panic: %v", v)
		}
	}()
	allowed, err := f(plan, a)
	return allowed && err == nil, nil
}

func (f Admitter) law(c admission, law Law) *Violation {
	plan, a := c.copy()
	allowed, broken := f.ask(plan, a)
	if broken != nil || law == LawP4 {
		return broken
	}
	coordinates := c.plan.Outcome == hpacouple.Coordinate
	on := c.a.Policy.Spec.HPA != nil && c.a.Policy.Spec.HPA.Coordinate
	switch law {
	case LawP2:
		before, beforeA := c.copy()
		if !assert.ObjectsAreEqual(before, plan) || !assert.ObjectsAreEqual(beforeA, a) {
			return law.broken("plan and admission are now\n  %s\n  %s", byName(plan), asJSON(a))
		}
	case LawP3:
		if again, _ := f.ask(c.copy()); again != allowed {
			return law.broken("first %t, then %t", allowed, again)
		}
	case LawA5:
		if coordinates && allowed && (!on || c.leaves()) {
			return law.broken("it is allowed")
		}
	case LawA7:
		blocked := c.plan.Outcome == hpacouple.Skip || coordinates && (!c.a.MayPatchHPA || c.touched != "")
		if blocked && allowed {
			return law.broken("it is allowed")
		}
		if coordinates && on && !c.leaves() && !blocked && !allowed {
			return law.broken("it is blocked, and nothing stands against it")
		}
	case LawA9:
		if (c.plan.Outcome == hpacouple.Uncoupled || c.plan.Outcome == hpacouple.NoChange) && !allowed {
			return law.broken("it is %s, and blocked", c.plan.Outcome)
		}
	}
	return nil
}
