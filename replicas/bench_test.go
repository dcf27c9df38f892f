package replicas

import (
	"fmt"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
)

// readyPods are pods that have run for an hour.
func readyPods(n int, request, usage int64) []Pod {
	pods := make([]Pod, n)
	for i := range pods {
		pods[i] = Pod{Name: fmt.Sprint("pod-", i), Phase: corev1.PodRunning, Ready: corev1.ConditionTrue,
			Started: noon.Add(-time.Hour), ReadyChanged: noon.Add(-time.Hour), Request: request,
			Sampled: true, Sample: Sample{Milli: usage, At: noon, Window: 30 * time.Second}}
	}
	return pods
}

func cpuSpec(target, lowest, highest int32) Spec {
	return Spec{MinReplicas: &lowest, MaxReplicas: highest, Metrics: []Metric{{Type: autoscalingv2.ResourceMetricSourceType,
		Name: "cpu", Target: metrics.TargetUtilization, Utilization: target}}}
}

func queueSpec(target int64, lowest, highest int32) Spec {
	return Spec{MinReplicas: &lowest, MaxReplicas: highest, Metrics: []Metric{{Type: autoscalingv2.ExternalMetricSourceType,
		Name: "queue_consumer_lag", Target: metrics.TargetAverageValue, Milli: target}}}
}

func BenchmarkUtilization(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint("pods=", n), func(b *testing.B) {
			pods := readyPods(n, 1000, 800)
			spec := cpuSpec(60, 1, 5000)
			c := spec.Calculator(int32(n), int32(n), noon)
			b.ReportAllocs()
			for b.Loop() {
				if r, err := c.Utilization("cpu", pods, nil, 60); err != nil || r.Utilization != 80 {
					b.Fatal(r, err)
				}
			}
		})
	}
}

func BenchmarkStep(b *testing.B) {
	for _, withBehavior := range []bool{false, true} {
		b.Run(fmt.Sprint("behavior=", withBehavior), func(b *testing.B) {
			spec := cpuSpec(60, 1, 100)
			if withBehavior {
				spec.Behavior = &Behavior{}
			}
			o := Observation{Replicas: 10, StatusReplicas: 10, Readings: []Reading{{Pods: readyPods(10, 1000, 600)}}}
			var state State
			now := noon
			for range 100 { // as long a memory as a controller has that has run for a while
				state, _ = Step(spec, state, o, now)
				now = now.Add(DefaultStep)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, d := Step(spec, state, o, now); d.Desired != 10 {
					b.Fatal(d)
				}
			}
		})
	}
}

// week is 7 days of a daily swing with noise, as usage of all pods together.
func week(lowest, highest int64) []int64 {
	out := make([]int64, 7*24*240)
	noise := uint64(1)
	for i := range out {
		noise = noise*6364136223846793005 + 1442695040888963407
		day := int64(i % (24 * 240))
		swing := min(day, 24*240-day) * 1000 / (12 * 240)
		out[i] = lowest + (highest-lowest)*swing/1000 + int64(noise>>33)%(lowest/5+1)
	}
	return out
}

func BenchmarkReplayWeek(b *testing.B) {
	run := Run{Spec: cpuSpec(60, 2, 20), Replicas: 4, Start: noon, Loads: []Load{{Request: 1000, Total: week(1500, 9000)}}}
	b.ReportAllocs()
	for b.Loop() {
		if h, err := Replay(run); err != nil || len(h.Decisions) != 40320 {
			b.Fatal(err)
		}
	}
}
