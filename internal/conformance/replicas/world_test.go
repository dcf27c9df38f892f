package replicas_test

import (
	"context"
	"errors"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	metricsapi "k8s.io/metrics/pkg/apis/metrics/v1beta1"

	"github.com/kube-rightsize/rightsize/replicas"
)

// world is what the real code sees: a cluster, served by in-memory listers and metrics APIs.
type world struct {
	cluster replicas.Cluster
	hpa     *autoscalingv2.HorizontalPodAutoscaler // whose metrics the values belong to
}

// pods is a lister in the order of the cluster, so that "the first pod" means the same on both sides.
type pods struct{ *world }

func (p pods) List(labels.Selector) ([]*corev1.Pod, error) {
	return nil, errors.New("not by namespace")
}

func (p pods) Pods(string) corelisters.PodNamespaceLister { return namespacedPods{world: p.world} }

type namespacedPods struct {
	corelisters.PodNamespaceLister
	world *world
}

func (p namespacedPods) List(selector labels.Selector) (out []*corev1.Pod, err error) {
	for i := range p.world.cluster.Pods {
		pod := &p.world.cluster.Pods[i]
		if selector.Matches(labels.Set(pod.Labels)) {
			out = append(out, pod)
		}
	}
	return out, nil
}

func (w *world) GetResourceMetric(ctx context.Context, resource corev1.ResourceName, _ string, _ labels.Selector, container string) (metricsclient.PodMetricsInfo, time.Time, error) {
	if w.cluster.ResourceError != "" {
		return nil, time.Time{}, errors.New(w.cluster.ResourceError)
	}
	if len(w.cluster.Resource) == 0 {
		return nil, time.Time{}, errors.New("no metrics returned from resource metrics API")
	}
	items := make([]metricsapi.PodMetrics, len(w.cluster.Resource))
	for i := range items {
		from := &w.cluster.Resource[i]
		items[i] = metricsapi.PodMetrics{ObjectMeta: from.ObjectMeta, Timestamp: from.Timestamp, Window: from.Window}
		for _, c := range from.Containers {
			items[i].Containers = append(items[i].Containers, metricsapi.ContainerMetrics{Name: c.Name, Usage: c.Usage})
		}
	}
	if container != "" {
		return getContainerMetrics(ctx, items, resource, container), time.Time{}, nil
	}
	return getPodMetrics(ctx, items, resource), time.Time{}, nil
}

// values are those of the HPA's first metric of that type and name. Traces never repeat a name.
func (w *world) values(kind autoscalingv2.MetricSourceType, name string) *replicas.MetricValues {
	for i := range w.hpa.Spec.Metrics {
		m := &w.hpa.Spec.Metrics[i]
		if m.Type != kind {
			continue
		}
		switch {
		case m.Pods != nil && m.Pods.Metric.Name == name, m.Object != nil && m.Object.Metric.Name == name,
			m.External != nil && m.External.Metric.Name == name:
			return &w.cluster.Values[i]
		}
	}
	return &replicas.MetricValues{Error: "no such metric"}
}

func (w *world) GetRawMetric(name, _ string, _, _ labels.Selector) (metricsclient.PodMetricsInfo, time.Time, error) {
	v := w.values(autoscalingv2.PodsMetricSourceType, name)
	if v.Error != "" {
		return nil, time.Time{}, errors.New(v.Error)
	}
	if len(v.Pods) == 0 {
		return nil, time.Time{}, errors.New("no metrics returned from custom metrics API")
	}
	out := metricsclient.PodMetricsInfo{}
	for _, p := range v.Pods {
		out[p.Pod] = metricsclient.PodMetric{Timestamp: p.Timestamp.Time, Window: time.Minute, Value: p.Value.MilliValue()}
	}
	return out, time.Time{}, nil
}

func (w *world) GetObjectMetric(name, _ string, _ *autoscalingv2.CrossVersionObjectReference, _ labels.Selector) (int64, time.Time, error) {
	v := w.values(autoscalingv2.ObjectMetricSourceType, name)
	if v.Error != "" {
		return 0, time.Time{}, errors.New(v.Error)
	}
	return v.Object.MilliValue(), time.Time{}, nil
}

func (w *world) GetExternalMetric(name, _ string, _ labels.Selector) ([]int64, time.Time, error) {
	v := w.values(autoscalingv2.ExternalMetricSourceType, name)
	if v.Error != "" {
		return nil, time.Time{}, errors.New(v.Error)
	}
	if len(v.External) == 0 {
		return nil, time.Time{}, errors.New("no metrics returned from external metrics API")
	}
	var out []int64
	for i := range v.External {
		out = append(out, v.External[i].MilliValue())
	}
	return out, time.Time{}, nil
}
