package hpacouple

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/metrics"
)

// hpa returns the write of the HPA, nil where its targets need none.
func (d *draft) hpa() *Write {
	if d.live.HPA == nil {
		return nil
	}
	list := liveMetrics(&d.live.HPA.Spec)
	pending := make([]TargetChange, 0, len(d.change.Targets))
	for _, t := range d.change.Targets {
		if t.From == t.To {
			continue
		}
		switch now, ok := targetIn(list, t.TargetRef); {
		case !ok || (now != t.From && now != t.To):
			d.out.Stale = append(d.out.Stale, metricsField+": "+t.TargetRef.String())
		case now == t.From:
			pending = append(pending, t)
		}
	}
	if len(pending) == 0 || len(d.out.Stale) > 0 {
		return nil
	}
	others, force, ok := d.claim(&d.scene.hpa, metricsPlace{}, d.taken.Metrics != nil && d.taken.Metrics.Held)
	if !ok {
		return nil
	}
	ours := d.scene.hpa.has(metricsPlace{})
	switch {
	case !ours:
		d.taken.Metrics = metricsBefore(list)
		d.taken.Metrics.Owners = others
	case d.taken.Metrics != nil:
		d.taken.Metrics.Owners = withOwners(d.taken.Metrics.Owners, others)
	}
	body, errs := d.hpaBody(withTargets(list, pending), force)
	d.errs = append(d.errs, errs...)
	return &Write{Object: d.hpaRef(), PatchType: ApplyPatch, FieldManager: d.manager, Force: force, Body: body}
}

// liveMetrics is the list that the API server has: a manifest without metrics gets the default.
func liveMetrics(spec *autoscalingv2.HorizontalPodAutoscalerSpec) []autoscalingv2.MetricSpec {
	if len(spec.Metrics) > 0 {
		return spec.Metrics
	}
	target := metrics.DefaultCPUUtilization
	return []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: "cpu", Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}}
}

// targetOf is the target of an entry and its name; nil where that is no utilization of a resource. One below 1 is none that an API server has.
func targetOf(m *autoscalingv2.MetricSpec) (ref TargetRef, target *autoscalingv2.MetricTarget) {
	switch {
	case m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil:
		ref, target = TargetRef{Type: m.Type, Resource: m.Resource.Name}, &m.Resource.Target
	case m.Type == autoscalingv2.ContainerResourceMetricSourceType && m.ContainerResource != nil:
		ref, target = TargetRef{Type: m.Type, Resource: m.ContainerResource.Name, Container: m.ContainerResource.Container}, &m.ContainerResource.Target
	}
	if target == nil || target.AverageValue != nil || target.AverageUtilization == nil || *target.AverageUtilization < 1 {
		return TargetRef{}, nil
	}
	return ref, target
}

// targetIn finds the one entry of that name; ok is false where there is none, or several.
func targetIn(list []autoscalingv2.MetricSpec, ref TargetRef) (now int32, ok bool) {
	for i := range list {
		if is, target := targetOf(&list[i]); target != nil && is == ref {
			if ok {
				return 0, false
			}
			now, ok = *target.AverageUtilization, true
		}
	}
	return now, ok
}

// withTargets is a copy of the list with other targets.
func withTargets(list []autoscalingv2.MetricSpec, changes []TargetChange) []autoscalingv2.MetricSpec {
	out := make([]autoscalingv2.MetricSpec, len(list))
	for i := range list {
		list[i].DeepCopyInto(&out[i])
		ref, target := targetOf(&out[i])
		for _, t := range changes {
			if target != nil && ref == t.TargetRef {
				to := t.To
				target.AverageUtilization = &to
			}
		}
	}
	return out
}

// metricsBefore is what is to be remembered of a list.
func metricsBefore(list []autoscalingv2.MetricSpec) *TakenMetrics {
	t := &TakenMetrics{}
	for i := range list {
		if ref, target := targetOf(&list[i]); target != nil {
			t.Targets = append(t.Targets, TakenTarget{TargetRef: ref, Target: *target.AverageUtilization})
		}
	}
	return t
}
