package replicas

import (
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kube-rightsize/rightsize/metrics"
)

// Observe is what the controller would see in one pass over the HPA. The pods are those of the HPA's namespace that the
// scale's selector matches, whoever owns them. Usage is rounded up to whole thousandths per container, before it is
// added up; a pod's request sum is metrics.Pod.Requests of its own spec. The pods are those that the API server stores,
// with requests filled in from limits and rounded up to whole thousandths.
//
// Nothing fails here: what is missing or unreadable becomes the Error of the metric's reading. Usage or a value beyond
// int64 thousandths counts as the largest, with Reading.OutOfRange, and Reading.Beyond has what upstream reads. A
// request beyond int64, alone or in the sum, or below zero has no such number: the metric fails with request-range,
// with ReproduceOverflow too.
//
// Upstream: metrics/client.go, replica_calculator.go, validateAndParseSelector.
func Observe(hpa *autoscalingv2.HorizontalPodAutoscaler, cluster Cluster) Observation {
	o := Observation{Replicas: cluster.Scale.Spec.Replicas, StatusReplicas: cluster.Scale.Status.Replicas}
	if hpa == nil {
		return o
	}
	hpa = metrics.Default(hpa)
	v := view{hpa: hpa, cluster: &cluster}
	o.Selector, o.SelectorDetail = v.selectPods()
	for i := range hpa.Spec.Metrics {
		r := v.reading(i)
		if r.OutOfRange {
			v.wrap = true
			wrapped := v.reading(i)
			r.Beyond, v.wrap = &wrapped, false
		}
		o.Readings = append(o.Readings, r)
	}
	return o
}

// view is a cluster as one HPA sees it.
type view struct {
	hpa     *autoscalingv2.HorizontalPodAutoscaler
	cluster *Cluster
	match   labels.Selector
	pods    []*corev1.Pod   // that the selector lists
	known   map[string]bool // pods of the namespace, by name; true if listed
	wrap    bool            // numbers beyond int64 as upstream has them
}

// milli is a quantity in thousandths.
func (v *view) milli(q resource.Quantity, r *Reading) int64 {
	if v.wrap {
		return wrappedMilli(q)
	}
	m, out := milli(q)
	r.OutOfRange = r.OutOfRange || out
	return m
}

func (v *view) selectPods() (SelectorProblem, string) {
	text := v.cluster.Scale.Status.Selector
	if text == "" {
		return SelectorMissing, ""
	}
	var err error
	if v.match, err = labels.Parse(text); err != nil {
		v.match = nil
		return SelectorInvalid, fmt.Sprintf("couldn't convert selector into a corresponding internal selector object: %v", err)
	}
	v.known = make(map[string]bool, len(v.cluster.Pods))
	v.pods = make([]*corev1.Pod, 0, len(v.cluster.Pods))
	for i := range v.cluster.Pods {
		p := &v.cluster.Pods[i]
		if p.Namespace != v.hpa.Namespace {
			continue
		}
		listed := v.match.Matches(labels.Set(p.Labels))
		v.known[p.Name] = listed
		if listed {
			v.pods = append(v.pods, p)
		}
	}
	for _, r := range v.cluster.Rivals {
		if other, err := labels.Parse(r.Selector); r.Selector != "" && err == nil && v.anyMatch(other) {
			return SelectorAmbiguous, fmt.Sprintf("pods by selector %s are controlled by more than one HPA (e.g. %s and %s)", text, v.hpa.Name, r.Name)
		}
	}
	return "", ""
}

func (v *view) anyMatch(selector labels.Selector) bool {
	for _, p := range v.pods {
		if selector.Matches(labels.Set(p.Labels)) {
			return true
		}
	}
	return false
}

// reading is the i-th metric.
func (v *view) reading(i int) Reading {
	if v.match == nil {
		return Reading{}
	}
	m := &v.hpa.Spec.Metrics[i]
	switch {
	case m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil:
		return v.resource(m.Resource.Name, "", m.Resource.Target.AverageValue == nil)
	case m.Type == autoscalingv2.ContainerResourceMetricSourceType && m.ContainerResource != nil:
		c := m.ContainerResource
		return v.resource(c.Name, c.Container, c.Target.AverageValue == nil)
	}
	var values MetricValues
	if i < len(v.cluster.Values) {
		values = v.cluster.Values[i]
	}
	var selector *metav1.LabelSelector
	switch {
	case m.Type == autoscalingv2.PodsMetricSourceType && m.Pods != nil:
		selector = m.Pods.Metric.Selector
	case m.Type == autoscalingv2.ObjectMetricSourceType && m.Object != nil:
		selector = m.Object.Metric.Selector
	case m.Type == autoscalingv2.ExternalMetricSourceType && m.External != nil:
		selector = m.External.Metric.Selector
	default:
		return Reading{Error: &MetricError{Failure: FailureType, Detail: string(m.Type)}}
	}
	if _, err := metav1.LabelSelectorAsSelector(selector); err != nil {
		return Reading{Error: &MetricError{Failure: FailureSelector, Detail: err.Error()}}
	}
	if values.Error != "" {
		return Reading{Error: &MetricError{Failure: FailureUnavailable, Detail: values.Error}}
	}
	if m.Type == autoscalingv2.PodsMetricSourceType {
		return v.podValues(values.Pods)
	}
	return v.values(values, m.Type)
}

// resource is the reading of a Resource or ContainerResource metric.
func (v *view) resource(name corev1.ResourceName, container string, requests bool) Reading {
	if v.cluster.ResourceError != "" {
		return Reading{Error: &MetricError{Failure: FailureUnavailable, Detail: v.cluster.ResourceError}}
	}
	var r Reading
	samples := make(map[string]Sample, len(v.cluster.Resource))
	items := 0
	for i := range v.cluster.Resource {
		m := &v.cluster.Resource[i]
		if !v.served(m) {
			continue
		}
		items++
		usage, ok := v.usage(m.Containers, name, container, &r)
		if ok {
			samples[m.Name] = Sample{Milli: usage, At: m.Timestamp.Time, Window: m.Window.Duration}
		}
	}
	if items == 0 {
		return Reading{Error: &MetricError{Failure: FailureEmpty}}
	}
	r.Pods = make([]Pod, 0, len(v.pods))
	for _, p := range v.pods {
		pod := fromPod(p)
		if requests {
			setRequest(&pod, p, name, container)
		}
		if s, ok := samples[p.Name]; ok {
			pod.Sampled, pod.Sample = true, s
		}
		r.Pods = append(r.Pods, pod)
	}
	for i := range v.cluster.Resource {
		m := &v.cluster.Resource[i]
		if s, ok := samples[m.Name]; ok && !v.known[m.Name] {
			r.Unlisted = append(r.Unlisted, s.Milli)
			delete(samples, m.Name)
		}
	}
	return r
}

// served says whether the metrics API, asked with the selector, would give the item: pods that are known by the pod's
// labels, others by the item's own.
func (v *view) served(m *PodMetrics) bool {
	if m.Namespace != v.hpa.Namespace {
		return false
	}
	if listed, known := v.known[m.Name]; known {
		return listed
	}
	return v.match.Matches(labels.Set(m.Labels))
}

// podMetricWindow is the window of a Pods sample that names none.
const podMetricWindow = time.Minute

// podValues is the reading of a Pods metric. A later value of a pod replaces an earlier one.
func (v *view) podValues(values []PodValue) Reading {
	var r Reading
	samples := make(map[string]Sample, len(values))
	for i := range values {
		p := &values[i]
		if listed, known := v.known[p.Pod]; known && !listed {
			continue
		}
		s := Sample{At: p.Timestamp.Time, Window: podMetricWindow}
		if p.WindowSeconds != nil {
			s.Window = time.Duration(*p.WindowSeconds) * time.Second
		}
		s.Milli = v.milli(p.Value, &r)
		samples[p.Pod] = s
	}
	if len(samples) == 0 {
		return Reading{Error: &MetricError{Failure: FailureEmpty}}
	}
	r.Pods = make([]Pod, 0, len(v.pods))
	for _, p := range v.pods {
		pod := fromPod(p)
		pod.Sample, pod.Sampled = samples[p.Name]
		r.Pods = append(r.Pods, pod)
	}
	for i := range values {
		name := values[i].Pod
		if s, ok := samples[name]; ok && !v.known[name] {
			r.Unlisted = append(r.Unlisted, s.Milli)
			delete(samples, name)
		}
	}
	return r
}

// values is the reading of an Object or External metric.
func (v *view) values(values MetricValues, kind autoscalingv2.MetricSourceType) Reading {
	list := values.External
	if kind == autoscalingv2.ObjectMetricSourceType {
		list = nil
		if values.Object != nil {
			list = []resource.Quantity{*values.Object}
		}
	}
	if len(list) == 0 {
		return Reading{Error: &MetricError{Failure: FailureEmpty}}
	}
	var r Reading
	for i := range list {
		r.Values = append(r.Values, v.milli(list[i], &r))
	}
	for _, p := range v.pods {
		r.Pods = append(r.Pods, fromPod(p))
	}
	return r
}
