package rightsizetest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Objects are what a controller writes to: the pod template of the workload, its HPA, and the state that the controller keeps.
type Objects struct {
	Template *corev1.PodSpec
	HPA      *autoscalingv2.HorizontalPodAutoscaler
	State    *hpacouple.State
}

func (o Objects) copy() Objects {
	return Objects{Template: o.Template.DeepCopy(), HPA: o.HPA.DeepCopy(), State: o.State.DeepCopy()}
}

// Writer is what is checked by [CheckChange]: a controller that carries out a change, on a fake API server or in memory, and returns the
// objects as they are afterwards. An error means that it does not take this change.
type Writer func(objects Objects, c hpacouple.Change) (Objects, error)

// ChangeLaws returns the laws of [CheckChange].
func ChangeLaws() []Law { return []Law{LawA2, LawH3, LawH8, LawH11} }

// CheckChange checks laws of a writer on random changes that [hpacouple.Plan] makes, each as a subtest with the law's name; without names it
// checks all of [ChangeLaws].
//
//	A2    after the write both halves of the change are in force, and nothing else is different
//	H3    after the reverse everything is as it was before
//	H8    after the write another plan changes nothing
//	H11   after write and reverse another plan is the same plan, anchor included
func CheckChange(t *testing.T, write Writer, laws ...Law) {
	t.Helper()
	if len(laws) == 0 {
		laws = ChangeLaws()
	}
	for _, law := range laws {
		t.Run(string(law), func(t *testing.T) { CheckChangeLaw(t, write, law) })
	}
}

// CheckChangeLaw checks one law of [ChangeLaws].
func CheckChangeLaw(t TB, write Writer, law Law) {
	t.Helper()
	if !slices.Contains(ChangeLaws(), law) {
		t.Fatalf("%q is not a law of a change", law)
	}
	planned := Inputs().Filter(func(in hpacouple.Input) bool {
		r, errs := hpacouple.Plan(in)
		_, changes := hpacouple.ChangeOf(r)
		return len(errs) == 0 && changes && r.Outcome == hpacouple.Coordinate
	})
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t, planned)
		if in.HPA == nil { // a coordinated change has one, in whichever field it was given
			in.HPA, in.OtherHPAs = in.OtherHPAs[slices.IndexFunc(in.OtherHPAs, func(h *autoscalingv2.HorizontalPodAutoscaler) bool { return h != nil })], nil
		}
		drawRest(t, in.HPA)
		if in.Pod.Spec = stored(in.Pod.Spec); in.Pod.Spec == nil {
			t.Skip("the template cannot be stored")
		}
		in.State = States(in).Draw(t, "state")
		fail(t, in, write.law(t, in, law))
	})
}

// drawRest makes the HPA one that was read from a server, and gives it fields that are nobody's business, to see that they stay.
func drawRest(t *rapid.T, h *autoscalingv2.HorizontalPodAutoscaler) {
	if len(h.Spec.Metrics) == 0 {
		h.Spec.Metrics = []autoscalingv2.MetricSpec{utilization(corev1.ResourceCPU, 80)}
	}
	h.Spec.MinReplicas = ptrTo(rapid.Int32Range(1, 9).Draw(t, "minReplicas"))
	if rapid.Bool().Draw(t, "behavior") {
		h.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: ptrTo(rapid.Int32Range(0, 900).Draw(t, "window"))}}
	}
	h.Annotations = map[string]string{"example.com/owner": "team"}
}

// stored is a template as it comes back from a server, which keeps amounts in their canonical spelling.
func stored(spec *corev1.PodSpec) *corev1.PodSpec {
	var out corev1.PodSpec
	if err := json.Unmarshal([]byte(asJSON(spec)), &out); err != nil {
		return nil
	}
	return &out
}

func ptrTo[T any](v T) *T { return &v }

func (w Writer) law(t *rapid.T, in hpacouple.Input, law Law) *Violation {
	plan := PlannerOf(hpacouple.Plan)
	r := plan.run(t, in)
	c, ok := hpacouple.ChangeOf(r)
	if !ok {
		t.Skip("no change")
	}
	before := Objects{Template: in.Pod.Spec, HPA: in.HPA, State: in.State}
	after := w.run(t, before, c)
	switch law {
	case LawA2:
		return differs(LawA2, WriteInMemory(before.copy(), c), after)
	case LawH8:
		next := plan.run(t, withObjects(in, after))
		if next.Outcome != hpacouple.NoChange {
			return LawH8.broken("after the write the next plan is %s: %s", next.Outcome, changed(next))
		}
		return nil
	}
	back := w.run(t, after, c.Reverse())
	if law == LawH3 {
		want := before.copy()
		want.State = back.State // its fields are H11's subject
		return differs(LawH3, want, back)
	}
	again := plan.run(t, withObjects(in, back))
	if byName(r) != byName(again) {
		return LawH11.broken("the plan was\n  %s\nand is\n  %s", byName(r), byName(again))
	}
	return nil
}

func (w Writer) run(t *rapid.T, o Objects, c hpacouple.Change) Objects {
	out, err := w(o.copy(), c)
	if err != nil {
		t.Skipf("the writer does not take it: %v", err)
	}
	return out
}

func withObjects(in hpacouple.Input, o Objects) hpacouple.Input {
	out := *in.DeepCopy()
	out.Pod.Spec, out.HPA, out.State = o.Template.DeepCopy(), o.HPA.DeepCopy(), o.State.DeepCopy()
	return out
}

// differs compares what is stored, amounts by their text, and not what the API server adds (metadata but annotations, status).
func differs(law Law, want, got Objects) *Violation {
	for _, part := range []struct {
		name      string
		want, got any
	}{
		{"template", want.Template, got.Template},
		{"HPA", specOf(want.HPA), specOf(got.HPA)},
		{"annotations of the HPA", annotationsOf(want.HPA), annotationsOf(got.HPA)},
		{"state", want.State, got.State},
	} {
		if a, b := asJSON(part.want), asJSON(part.got); !assert.ObjectsAreEqual(a, b) {
			return law.broken("the %s should be\n  %s\nand is\n  %s", part.name, a, b)
		}
	}
	return nil
}

func specOf(h *autoscalingv2.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscalerSpec {
	if h == nil {
		return nil
	}
	return &h.Spec
}

func annotationsOf(h *autoscalingv2.HorizontalPodAutoscaler) map[string]string {
	if h == nil {
		return nil
	}
	return h.Annotations
}

// WriteInMemory is a writer without a server: it stores the change's state and sets each amount and target where the change names it. It writes
// to the objects that it is given.
func WriteInMemory(o Objects, c hpacouple.Change) Objects {
	if c.State != nil {
		o.State = c.State.DeepCopy()
	}
	for _, a := range c.Amounts {
		if r := resourcesAt(o.Template, a.AmountRef); r != nil && a.Kind == hpacouple.Limit {
			put(&r.Limits, a.Resource, a.To)
		} else if r != nil {
			put(&r.Requests, a.Resource, a.To)
		}
	}
	if o.HPA == nil {
		return o
	}
	for _, target := range c.Targets {
		for i := range o.HPA.Spec.Metrics {
			m := &o.HPA.Spec.Metrics[i]
			if m.Type != target.Type {
				continue
			}
			if m.Resource != nil && m.Resource.Name == target.Resource && target.Container == "" {
				m.Resource.Target.AverageUtilization = ptrTo(target.To)
			} else if k := m.ContainerResource; k != nil && k.Name == target.Resource && k.Container == target.Container {
				k.Target.AverageUtilization = ptrTo(target.To)
			}
		}
	}
	return o
}

func resourcesAt(spec *corev1.PodSpec, ref hpacouple.AmountRef) *corev1.ResourceRequirements {
	if spec == nil {
		return nil
	}
	list := spec.Containers
	switch ref.Place {
	case hpacouple.InPod:
		return spec.Resources
	case hpacouple.InInitContainers:
		list = spec.InitContainers
	}
	if k := slices.IndexFunc(list, func(c corev1.Container) bool { return c.Name == ref.Container }); k >= 0 {
		return &list[k].Resources
	}
	return nil
}

// put sets an amount, or takes it away where to is nil.
func put(list *corev1.ResourceList, name corev1.ResourceName, to *resource.Quantity) {
	if to == nil {
		delete(*list, name)
		return
	}
	set(list, name, *to)
}
