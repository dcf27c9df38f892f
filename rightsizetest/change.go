package rightsizetest

import (
	"fmt"
	"maps"
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
// objects as they are afterwards. objects.HPA is nil where a change has no target and no HPA was given. An error means that it does not take
// this change.
type Writer func(objects Objects, c hpacouple.Change) (Objects, error)

// ChangeLaws returns the laws of [CheckChange].
func ChangeLaws() []Law { return []Law{LawA2, LawH3, LawH5, LawH8, LawH11} }

// CheckChange checks laws of a writer on random changes that [hpacouple.Plan] makes, each as a subtest with the law's name; without names it
// checks all of [ChangeLaws].
//
//	A2    after the write both halves of the change are in force, and nothing else is different
//	H3    after the reverse everything is as it was before
//	H5    after any number of changes, each planned with the state that the last one left, the product is that of the anchor
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
	rapid.Check(t, write.Property(law))
}

// Property is one law of [ChangeLaws] for rapid.Check, or for a fuzz target by rapid.MakeFuzz.
func (w Writer) Property(law Law) func(*rapid.T) {
	return func(t *rapid.T) {
		if !slices.Contains(ChangeLaws(), law) {
			t.Fatalf("%q is not a law of a change", law)
		}
		p := Changes().Draw(t, "change")
		if law == LawH5 {
			w.lawH5(t, p)
			return
		}
		fail(t, p.Input, w.law(t, p, law))
	}
}

func (w Writer) law(t *rapid.T, p Planned, law Law) *Violation {
	plan := PlannerOf(hpacouple.Plan)
	before := p.Objects()
	if law == LawA2 || law == LawH3 { // these plan no more, so the HPA may hold what Plan would skip
		before = crowded(t, before)
	}
	after := w.run(t, p.Input, before, p.Change)
	switch law {
	case LawA2:
		return differs(LawA2, WriteInMemory(before.copy(), p.Change), after)
	case LawH8:
		next := plan.run(t, withObjects(p.Input, after))
		if text := changed(next); text != "" || p.Plan.Outcome == hpacouple.Coordinate && next.Outcome != hpacouple.NoChange {
			return LawH8.broken("after the write the next plan is %s: %s", next.Outcome, text)
		}
		return nil
	}
	back := w.run(t, p.Input, after, p.Change.Reverse())
	if law == LawH3 {
		want := before.copy()
		want.State = back.State // its fields are H11's subject
		return differs(LawH3, want, back)
	}
	again := plan.run(t, withObjects(p.Input, back))
	if byName(p.Plan) != byName(again) {
		return LawH11.broken("the plan was\n  %s\nand is\n  %s", byName(p.Plan), byName(again))
	}
	return nil
}

// lawH5 lets the writer carry out one change after another.
func (w Writer) lawH5(t *rapid.T, p Planned) {
	in := p.Input
	in.State = &hpacouple.State{}
	began, ok := pairOf(in)
	if !ok {
		t.Skip("no pair")
	}
	for i := range rapid.IntRange(1, 8).Draw(t, "changes") {
		in.Recommendations = Recommendations(in.Pod.Spec).Draw(t, fmt.Sprintf("change %d", i))
		r, errs := hpacouple.Plan(*in.DeepCopy())
		if len(errs) > 0 {
			continue
		}
		c, ok := hpacouple.ChangeOf(r)
		if !ok {
			in.State = r.State
			continue
		}
		was, _ := pairOf(in)
		next := withObjects(in, w.run(t, in, objectsOf(in), c))
		now, ok := pairOf(next)
		if !ok {
			fail(t, in, LawH5.broken("there is no request sum or no target any more"))
		}
		if !maps.Equal(was.counted, now.counted) {
			fail(t, in, drift(began.product(), in, now))
		}
		in = next
	}
}

// run carries out a change on a copy. A panic is a broken law, whichever is checked.
func (w Writer) run(t *rapid.T, in hpacouple.Input, o Objects, c hpacouple.Change) Objects {
	out, err := func() (out Objects, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &panicked{v}
			}
		}()
		return w(o.copy(), *c.DeepCopy())
	}()
	if crash, is := err.(*panicked); is {
		fail(t, in, LawP4.broken("%v", crash))
	}
	if err != nil {
		t.Skipf("the writer does not take it: %v", err)
	}
	return out
}

func objectsOf(in hpacouple.Input) Objects {
	return Objects{Template: in.Pod.Spec, HPA: in.HPA, State: in.State}
}

func withObjects(in hpacouple.Input, o Objects) hpacouple.Input {
	out := *in.DeepCopy()
	out.Pod.Spec, out.HPA, out.State = o.Template.DeepCopy(), o.HPA.DeepCopy(), o.State.DeepCopy()
	return out
}

// differs compares what is stored, amounts by their text, and not what the API server adds (metadata but labels and annotations, status).
func differs(law Law, want, got Objects) *Violation {
	for _, part := range []struct {
		name      string
		want, got any
	}{
		{"template", want.Template, got.Template},
		{"HPA", specOf(want.HPA), specOf(got.HPA)},
		{"annotations of the HPA", annotationsOf(want.HPA), annotationsOf(got.HPA)},
		{"labels of the HPA", labelsOf(want.HPA), labelsOf(got.HPA)},
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

func labelsOf(h *autoscalingv2.HorizontalPodAutoscaler) map[string]string {
	if h == nil {
		return nil
	}
	return h.Labels
}

// crowded gives the HPA labels and entries that are nobody's business, before and behind the coupled one: a writer must keep them.
func crowded(t *rapid.T, o Objects) Objects {
	o = o.copy()
	if o.HPA == nil {
		return o
	}
	o.HPA.Labels = map[string]string{"example.com/team": "shop"}
	five := resource.MustParse("5")
	value := autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &five}
	named := autoscalingv2.MetricIdentifier{Name: "queue"}
	raw := corev1.ResourceMemory
	for _, e := range []autoscalingv2.MetricSpec{
		{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{Metric: named, Target: value}},
		{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{Metric: named, Target: value}},
		{Type: autoscalingv2.ObjectMetricSourceType, Object: &autoscalingv2.ObjectMetricSource{Metric: named, Target: value,
			DescribedObject: autoscalingv2.CrossVersionObjectReference{APIVersion: "v1", Kind: "Service", Name: "web"}}},
		{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: raw, Target: value}},
	} {
		if e.Resource != nil && slices.ContainsFunc(o.HPA.Spec.Metrics, func(m autoscalingv2.MetricSpec) bool { return m.Resource != nil && m.Resource.Name == raw }) {
			continue // one entry a resource
		}
		switch rapid.IntRange(0, 2).Draw(t, string(e.Type)+" entry") {
		case 1:
			o.HPA.Spec.Metrics = append(o.HPA.Spec.Metrics, *e.DeepCopy())
		case 2:
			o.HPA.Spec.Metrics = slices.Insert(o.HPA.Spec.Metrics, 0, *e.DeepCopy())
		}
	}
	return o
}
