package metrics

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// TargetKind is the kind of target that the HPA controller will use for an entry. The controller reads the field that is set, for most
// types without a look at target.type, and so does this package.
type TargetKind string

const (
	// TargetUtilization: a whole percent of the pods' requests. Only this kind couples an HPA to requests.
	TargetUtilization TargetKind = "Utilization"
	// TargetAverageValue: an amount per pod.
	TargetAverageValue TargetKind = "AverageValue"
	// TargetValue: an amount in all.
	TargetValue TargetKind = "Value"
	// TargetUnusable: the controller fails on this entry at run time (an Object entry of type Utilization, an entry without its source).
	TargetUnusable TargetKind = "Unusable"
)

// TargetKinds returns the closed list.
func TargetKinds() []TargetKind {
	return []TargetKind{TargetUtilization, TargetAverageValue, TargetValue, TargetUnusable}
}

// +kubebuilder:object:generate=true

// Entry is one entry of spec.metrics in plain words.
type Entry struct {
	// Index is the entry's place in spec.metrics. Find entries by type and name when writing, never by index: clients of autoscaling/v1 reorder.
	Index int `json:"index"`
	// Type is spec.metrics[i].type.
	Type autoscalingv2.MetricSourceType `json:"type"`
	// Resource is set for Resource and ContainerResource entries.
	Resource corev1.ResourceName `json:"resource,omitempty"`
	// Container is set for ContainerResource entries.
	Container string `json:"container,omitempty"`
	// Metric is the metric's name for Pods, Object and External entries.
	Metric string `json:"metric,omitempty"`
	// Target is the kind of target in force.
	Target TargetKind `json:"target"`
	// Utilization is the target in whole percent where Target is Utilization, else 0.
	Utilization int32 `json:"utilization,omitempty"`
	// Value is the target where Target is AverageValue or Value, else zero. It is a copy.
	Value *resource.Quantity `json:"value,omitempty"`
}

// Coupled says whether the entry makes scaling depend on the requests of cpu or memory: a Resource or ContainerResource entry for one of
// them with a utilization target (protocol A1). Raw values, Pods, Object and External entries do not depend on requests.
func (e Entry) Coupled() bool {
	return e.Target == TargetUtilization && (e.Resource == corev1.ResourceCPU || e.Resource == corev1.ResourceMemory)
}

// Classify returns the entries of an HPA in the order of spec.metrics, after the API server's default: no metrics is cpu utilization 80.
// It is total: an entry that the API server would refuse is classified by what is there, as Unusable where nothing is.
//
// Which field decides, as in the controller (pkg/controller/podautoscaler/horizontal.go, computeStatusFor...): Resource and
// ContainerResource use averageValue if present, else averageUtilization; Pods uses averageValue; External uses averageValue if present,
// else value; Object needs type and field to agree.
func Classify(spec *autoscalingv2.HorizontalPodAutoscalerSpec) []Entry {
	if spec == nil {
		return nil
	}
	list := spec.Metrics
	if len(list) == 0 {
		return []Entry{{Type: autoscalingv2.ResourceMetricSourceType, Resource: corev1.ResourceCPU, Target: TargetUtilization, Utilization: DefaultCPUUtilization}}
	}
	entries := make([]Entry, len(list))
	for i := range list {
		entries[i] = classify(&list[i])
		entries[i].Index = i
	}
	return entries
}

func classify(m *autoscalingv2.MetricSpec) Entry {
	e := Entry{Type: m.Type, Target: TargetUnusable}
	switch {
	case m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil:
		e.Resource = m.Resource.Name
		e.setResource(&m.Resource.Target)
	case m.Type == autoscalingv2.ContainerResourceMetricSourceType && m.ContainerResource != nil:
		e.Resource, e.Container = m.ContainerResource.Name, m.ContainerResource.Container
		e.setResource(&m.ContainerResource.Target)
	case m.Type == autoscalingv2.PodsMetricSourceType && m.Pods != nil:
		e.Metric = m.Pods.Metric.Name
		e.setValue(TargetAverageValue, m.Pods.Target.AverageValue)
	case m.Type == autoscalingv2.ObjectMetricSourceType && m.Object != nil:
		e.Metric = m.Object.Metric.Name
		switch m.Object.Target.Type {
		case autoscalingv2.ValueMetricType:
			e.setValue(TargetValue, m.Object.Target.Value)
		case autoscalingv2.AverageValueMetricType:
			e.setValue(TargetAverageValue, m.Object.Target.AverageValue)
		}
	case m.Type == autoscalingv2.ExternalMetricSourceType && m.External != nil:
		e.Metric = m.External.Metric.Name
		if m.External.Target.AverageValue != nil {
			e.setValue(TargetAverageValue, m.External.Target.AverageValue)
		} else {
			e.setValue(TargetValue, m.External.Target.Value)
		}
	}
	return e
}

func (e *Entry) setResource(t *autoscalingv2.MetricTarget) {
	switch {
	case t.AverageValue != nil:
		e.setValue(TargetAverageValue, t.AverageValue)
	case t.AverageUtilization != nil:
		e.Target, e.Utilization = TargetUtilization, *t.AverageUtilization
	}
}

func (e *Entry) setValue(kind TargetKind, q *resource.Quantity) {
	if q != nil {
		c := q.DeepCopy()
		e.Target, e.Value = kind, &c
	}
}
