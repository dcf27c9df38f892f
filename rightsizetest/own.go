package rightsizetest

import (
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
	"github.com/kube-rightsize/rightsize/usage"
)

// UsageQuantile is this module's quantile of raw points, as an example of what [CheckQuantile] takes.
func UsageQuantile(method usage.Method) Quantile {
	return func(values []float64, q float64) (float64, bool) {
		points := make([]usage.Point, len(values))
		for i, v := range values {
			points[i] = usage.Point{Time: began().Add(time.Duration(i) * time.Minute), Value: v}
		}
		s, _, err := usage.NewSamples(points, usage.Window{}, method)
		if err != nil {
			return 0, false
		}
		return s.Quantile(q)
	}
}

// UsageHistogram is this module's histogram with its binary encoding, as an example of what [CheckHistogram] takes. Values are drawn as far as
// the layout states its error. A layout or half-life that does not exist gives histograms that take nothing.
func UsageHistogram(layout usage.Layout, halfLife time.Duration) Histogram[*usage.Histogram] {
	return Histogram[*usage.Histogram]{
		New: func() *usage.Histogram {
			h, err := usage.NewHistogram(layout, halfLife)
			if err != nil {
				return nil
			}
			return h
		},
		Add:      (*usage.Histogram).Add,
		Merge:    (*usage.Histogram).Merge,
		Quantile: (*usage.Histogram).Quantile,
		Encode:   (*usage.Histogram).MarshalBinary,
		Decode: func(data []byte) (*usage.Histogram, error) {
			h := new(usage.Histogram)
			return h, h.UnmarshalBinary(data)
		},
		Equal:    (*usage.Histogram).Equal,
		Error:    (*usage.Histogram).ErrorBound,
		HalfLife: halfLife,
		Largest:  map[usage.Layout]float64{usage.VPACPU: 1000, usage.VPAMemory: 1e12}[layout],
	}
}

// Step is this module's pass of the HPA, [replicas.Step], as an example of what [CheckReplicas] takes.
func Step(p Pass) int32 {
	now, long := began(), began().Add(-time.Hour)
	spec := replicas.Spec{MinReplicas: &p.Min, MaxReplicas: p.Max, Metrics: []replicas.Metric{{Type: autoscalingv2.ResourceMetricSourceType,
		Name: string(corev1.ResourceCPU), Target: metrics.TargetUtilization, Utilization: p.Target}}}
	state := replicas.State{Recommendations: []replicas.Recommendation{{Replicas: 1, At: long}}} // has left the window
	seen := replicas.Observation{Replicas: int32(len(p.Pods)), StatusReplicas: int32(len(p.Pods)), Readings: make([]replicas.Reading, 1)}
	for _, pod := range p.Pods {
		seen.Readings[0].Pods = append(seen.Readings[0].Pods, replicas.Pod{Phase: corev1.PodRunning, Ready: corev1.ConditionTrue, Started: long, ReadyChanged: long,
			Request: pod.Request, Sampled: true, Sample: replicas.Sample{Milli: pod.Usage, At: now, Window: 30 * time.Second}})
	}
	_, d := replicas.Step(spec, state, seen, now)
	return d.Replicas()
}
