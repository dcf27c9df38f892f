package rightsizetest

import (
	"encoding/json"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Planned is a change with what it was made of.
type Planned struct {
	Input  hpacouple.Input
	Plan   hpacouple.Result
	Change hpacouple.Change
}

// Objects are what the change is to be written to, and the state before it. They are the input's own.
func (p Planned) Objects() Objects { return objectsOf(p.Input) }

// GoString describes the input.
func (p Planned) GoString() string { return "\n" + Describe(p.Input) }

// Changes draws changes of requests and target together, and now and then of requests alone, as [hpacouple.Plan] makes them: with objects as
// they come from a server, canonical amounts and fields that are nobody's business, and with a state.
func Changes() *rapid.Generator[Planned] {
	return rapid.Custom(func(t *rapid.T) (p Planned) {
		in := Inputs().Draw(t, "input")
		if in.HPA == nil { // it may stand in either field
			if k := slices.IndexFunc(in.OtherHPAs, func(h *autoscalingv2.HorizontalPodAutoscaler) bool { return h != nil }); k >= 0 {
				in.HPA, in.OtherHPAs = in.OtherHPAs[k], slices.Delete(slices.Clone(in.OtherHPAs), k, k+1)
			}
		}
		if in.HPA != nil {
			drawRest(t, in.HPA)
		}
		if in.Pod.Spec = stored(in.Pod.Spec); in.Pod.Spec == nil {
			return p
		}
		in.State = States(in).Draw(t, "state")
		r, errs := hpacouple.Plan(*in.DeepCopy())
		c, ok := hpacouple.ChangeOf(r)
		if len(errs) > 0 || !ok || r.Outcome != hpacouple.Coordinate && !oneIn(t, 4, "alone") {
			return p
		}
		return Planned{Input: in, Plan: r, Change: c}
	}).Filter(func(p Planned) bool { return p.Plan.Outcome != "" })
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

// HostileChanges draws changes with anything in them that the types allow: words of no list, names of nobody, amounts and targets that
// cannot be, one thing twice.
func HostileChanges() *rapid.Generator[hpacouple.Change] {
	word := rapid.SampledFrom([]string{"", "app", "cpu", "memory", "a\"b", "\xff", "k:{}", "x/y~z"})
	return rapid.Custom(func(t *rapid.T) (c hpacouple.Change) {
		if rapid.Bool().Draw(t, "began well") {
			p := Changes().Draw(t, "change")
			c = *p.Change.DeepCopy()
		}
		if oneIn(t, 3, "names") {
			c.Workload = hpacouple.Workload{APIVersion: word.Draw(t, "version"), Kind: word.Draw(t, "kind"), Name: word.Draw(t, "name")}
			c.HPA.Name, c.Strategy = word.Draw(t, "hpa"), hpacouple.Strategy(word.Draw(t, "strategy"))
		}
		for range rapid.IntRange(0, 3).Draw(t, "amounts") {
			a := hpacouple.AmountChange{AmountRef: hpacouple.AmountRef{Place: rapid.SampledFrom(append(hpacouple.Places(), "", "x")).Draw(t, "place"), Container: word.Draw(t, "container"),
				Resource: corev1.ResourceName(word.Draw(t, "resource")), Kind: rapid.SampledFrom(append(hpacouple.AmountKinds(), "", "x")).Draw(t, "kind")}}
			if rapid.Bool().Draw(t, "from") {
				a.From = ptrTo(hostileQuantities().Draw(t, "from"))
			}
			if rapid.Bool().Draw(t, "to") {
				a.To = ptrTo(hostileQuantities().Draw(t, "to"))
			}
			c.Amounts = append(c.Amounts, a)
		}
		target := rapid.SampledFrom([]int32{50, 0, -1, 1<<31 - 1})
		for range rapid.IntRange(0, 2).Draw(t, "targets") {
			c.Targets = append(c.Targets, hpacouple.TargetChange{TargetRef: hpacouple.TargetRef{Type: rapid.SampledFrom([]autoscalingv2.MetricSourceType{"Resource", "ContainerResource", "Pods", ""}).Draw(t, "type"),
				Resource: corev1.ResourceName(word.Draw(t, "resource")), Container: word.Draw(t, "container")}, From: target.Draw(t, "from"), To: target.Draw(t, "to")})
		}
		if rapid.Bool().Draw(t, "stateful") {
			c.State = HostileStates().Draw(t, "state")
		}
		return c
	})
}
