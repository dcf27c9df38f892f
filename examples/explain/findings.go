package main

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
	"github.com/kube-rightsize/rightsize/risk"
)

// conditions are those after the pass; where the pass left one alone, the HPA's own text stands.
func conditions(hpa *autoscalingv2.HorizontalPodAutoscaler, spec replicas.Spec, d *replicas.Decision, o replicas.Observation) []condition {
	out := []condition{}
	for _, kind := range replicas.ConditionTypes() {
		c := d.Conditions.Of(kind)
		if !c.Present() {
			continue
		}
		text := d.Message(spec, o, kind)
		for _, old := range hpa.Status.Conditions {
			if text == "" && old.Type == kind {
				text = old.Message
			}
		}
		out = append(out, condition{Type: string(kind), Status: string(c.Status), Reason: c.Reason, Message: text})
	}
	return out
}

// risks enters the findings of package risk.
func (in *surroundings) risks(i *item, hpa *autoscalingv2.HorizontalPodAutoscaler, t *target) {
	if t == nil || t.template == nil {
		return
	}
	input := risk.Input{Workload: risk.Object{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name}, SpecReplicas: t.replicas,
		TemplateLabels: t.template.Labels, HPA: hpa, OtherHPAs: in.hpas}
	input.Pod = metrics.Pod{Spec: &t.template.Spec}
	for _, l := range in.objects.LimitRanges {
		if l.Namespace == t.Namespace {
			input.Pod.LimitRanges = append(input.Pod.LimitRanges, *l.Object)
		}
	}
	for _, s := range in.objects.Services {
		input.Services = append(input.Services, *s.Object)
	}
	selector, err := labels.Parse(t.scale(nil).Status.Selector)
	for n := range in.pods {
		if p := &in.pods[n]; err == nil && p.Namespace == t.Namespace && !selector.Empty() && selector.Matches(labelsOf(p)) {
			input.Pods = append(input.Pods, *p)
		}
	}
	found := risk.Check(input)
	i.RiskFlags = append(i.RiskFlags, risk.Flags(found)...)
	for _, f := range found {
		i.Risks = append(i.Risks, finding{Flag: f.Flag, Sentence: f.Flag.Entry().Sentence, Object: f.Object.Kind + "/" + f.Object.Name,
			Field: f.Field, Found: f.Detail})
	}
}
