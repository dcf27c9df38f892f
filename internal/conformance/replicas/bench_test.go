package replicas_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"

	"github.com/kube-rightsize/rightsize/replicas"
)

// samples is a metrics client that clones a map, since the calculator deletes from it.
type samples struct {
	metricsclient.MetricsClient
	info metricsclient.PodMetricsInfo
}

func (s samples) GetResourceMetric(context.Context, corev1.ResourceName, string, labels.Selector, string) (metricsclient.PodMetricsInfo, time.Time, error) {
	return maps.Clone(s.info), time.Time{}, nil
}

func cpuHPA(target int32) *autoscalingv2.HorizontalPodAutoscaler {
	hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}}
	hpa.Spec.Metrics = []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}}
	return hpa
}

// BenchmarkUtilization runs the real GetResourceReplicas and the library on the same pods. What upstream does in one
// call, the library does in two: Observe selects pods, finds their samples and adds up requests (and containers, which
// upstream's metrics client does before the call); Utilization groups and computes. The indexer's lister and the clone
// of the samples' map are part of upstream's side, since a pass pays for them.
func BenchmarkUtilization(b *testing.B) {
	now := time.Now()
	for _, n := range []int{1, 10, 100, 1000} {
		c := alike(n, resource.MustParse("1Gi"), resource.MustParse("800Mi"))
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		info := metricsclient.PodMetricsInfo{}
		for i := range c.Pods {
			p := &c.Pods[i]
			p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("1")
			if err := indexer.Add(p); err != nil {
				b.Fatal(err)
			}
			info[p.Name] = metricsclient.PodMetric{Timestamp: now, Window: 30 * time.Second, Value: 800}
			c.Resource[i].Containers[0].Usage[corev1.ResourceCPU] = resource.MustParse("800m")
		}
		b.Run(fmt.Sprintf("pods=%d/upstream", n), func(b *testing.B) {
			calculator := podautoscaler.NewReplicaCalculator(samples{info: info}, corelisters.NewPodLister(indexer), 5*time.Minute, 30*time.Second)
			selector, tolerance, ctx := labels.SelectorFromSet(labels.Set{"app": "x"}), tolerances(replicas.Tolerance{Down: 0.1, Up: 0.1}), quiet()
			b.ReportAllocs()
			for b.Loop() {
				if _, u, _, _, err := calculator.GetResourceReplicas(ctx, int32(n), 60, corev1.ResourceCPU, tolerance, namespace, selector, ""); err != nil || u != 80 {
					b.Fatal(u, err)
				}
			}
		})
		b.Run(fmt.Sprintf("pods=%d/library", n), func(b *testing.B) {
			pods := replicas.Observe(cpuHPA(60), c).Readings[0].Pods
			spec := replicas.Spec{}
			calculator := spec.Calculator(int32(n), int32(n), now)
			b.ReportAllocs()
			for b.Loop() {
				if r, err := calculator.Utilization(corev1.ResourceCPU, pods, nil, 60); err != nil || r.Utilization != 80 {
					b.Fatal(r, err)
				}
			}
		})
		b.Run(fmt.Sprintf("pods=%d/library-observe", n), func(b *testing.B) {
			hpa := cpuHPA(60)
			b.ReportAllocs()
			for b.Loop() {
				if o := replicas.Observe(hpa, c); len(o.Readings[0].Pods) != n {
					b.Fatal(o)
				}
			}
		})
	}
}
