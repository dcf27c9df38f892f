package replicas

import (
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
)

// The generators of this file draw what a cluster may hold, so that passes come to the metrics and beyond; those of
// generators_test.go draw anything.

func plausibleMetric() *rapid.Generator[Metric] {
	return rapid.Custom(func(t *rapid.T) Metric {
		m := Metric{Type: rapid.SampledFrom([]autoscalingv2.MetricSourceType{"Resource", "Resource", "ContainerResource", "Pods", "Object", "External"}).Draw(t, "type"),
			Name: rapid.SampledFrom([]string{"cpu", "memory"}).Draw(t, "name"), Target: metrics.TargetAverageValue, Milli: rapid.Int64Range(1, 4000).Draw(t, "milli")}
		switch {
		case perPod(m.Type) && m.Type != autoscalingv2.PodsMetricSourceType && rapid.IntRange(0, 3).Draw(t, "utilization") > 0:
			m.Target, m.Utilization, m.Milli = metrics.TargetUtilization, rapid.Int32Range(20, 200).Draw(t, "percent"), 0
		case !perPod(m.Type) && rapid.Bool().Draw(t, "value"):
			m.Target = metrics.TargetValue
		}
		return m
	})
}

func perPod(kind autoscalingv2.MetricSourceType) bool {
	return kind != autoscalingv2.ObjectMetricSourceType && kind != autoscalingv2.ExternalMetricSourceType
}

func plausibleRules() *rapid.Generator[Rules] {
	return rapid.Custom(func(t *rapid.T) Rules {
		r := Rules{StabilizationWindowSeconds: pointer(rapid.SampledFrom([]int32{0, 0, 15, 60, 300})).Draw(t, "window"),
			SelectPolicy: rapid.SampledFrom([]autoscalingv2.ScalingPolicySelect{"", "", "Max", "Min", "Min", "Disabled"}).Draw(t, "select"),
			Tolerance:    pointer(rapid.Float64Range(0, 0.5)).Draw(t, "tolerance")}
		for range rapid.IntRange(0, 2).Draw(t, "policies") {
			r.Policies = append(r.Policies, Policy{Type: rapid.SampledFrom([]autoscalingv2.HPAScalingPolicyType{"Pods", "Percent"}).Draw(t, "policy"),
				Value: rapid.Int32Range(1, 100).Draw(t, "value"), PeriodSeconds: rapid.SampledFrom([]int32{15, 60, 300}).Draw(t, "period")})
		}
		return r
	})
}

func plausibleSpec() *rapid.Generator[Spec] {
	return rapid.Custom(func(t *rapid.T) Spec {
		lowest := rapid.Int32Range(0, 5).Draw(t, "min")
		s := Spec{MinReplicas: &lowest, MaxReplicas: lowest + rapid.Int32Range(1, 40).Draw(t, "room"),
			Metrics: rapid.SliceOfN(plausibleMetric(), 1, 3).Draw(t, "metrics")}
		s.Flags.DownscaleStabilization = pointer(rapid.SampledFrom([]time.Duration{0, 15 * time.Second, time.Minute})).Draw(t, "stabilization")
		if rapid.Bool().Draw(t, "behavior") {
			s.Behavior = &Behavior{ScaleUp: plausibleRules().Draw(t, "up"), ScaleDown: plausibleRules().Draw(t, "down")}
		}
		return s
	})
}

// recent is a time of the last minutes, in any zone.
func recent() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		at := noon.Add(-15 * time.Second * time.Duration(rapid.IntRange(0, 24).Draw(t, "ago")))
		if rapid.IntRange(0, 3).Draw(t, "zone") == 0 {
			return at.In(time.FixedZone("", 3600*rapid.IntRange(-11, 11).Draw(t, "hours")))
		}
		return at
	})
}

func plausibleState() *rapid.Generator[State] {
	return rapid.Custom(func(t *rapid.T) State {
		var s State
		for range rapid.IntRange(0, 4).Draw(t, "recommendations") {
			s.Recommendations = append(s.Recommendations, Recommendation{Replicas: rapid.Int32Range(0, 40).Draw(t, "replicas"), At: recent().Draw(t, "at")})
		}
		event := rapid.Custom(func(t *rapid.T) ScaleEvent {
			return ScaleEvent{Change: rapid.Int32Range(1, 10).Draw(t, "change"), At: recent().Draw(t, "at")}
		})
		s.ScaleUps, s.ScaleDowns = rapid.SliceOfN(event, 0, 2).Draw(t, "ups"), rapid.SliceOfN(event, 0, 2).Draw(t, "downs")
		if rapid.Bool().Draw(t, "zero") {
			s.Conditions.ScaledToZero = Condition{Status: corev1.ConditionTrue, Reason: ReasonScaledToZero, LastTransition: recent().Draw(t, "transition")}
		}
		return s
	})
}

// plausiblePods are n pods, most of them ready and sampled; half of the time near the first utilization target.
func plausiblePods(t *rapid.T, n int32, spec *Spec) (pods []Pod) {
	pods = readyPods(int(n), rapid.Int64Range(50, 2000).Draw(t, "request"), 0)
	level := rapid.Int64Range(0, 6000).Draw(t, "usage")
	if m := spec.Metrics[0]; m.Utilization > 0 && rapid.Bool().Draw(t, "near") {
		level = firstRequest(pods) * int64(m.Utilization) / 100 * rapid.Int64Range(70, 110).Draw(t, "per cent") / 100
	}
	sound := rapid.IntRange(0, 2).Draw(t, "sound") == 1
	for i := range pods {
		p := &pods[i]
		p.Sample.Milli = level + rapid.Int64Range(0, level/8).Draw(t, "noise")
		if sound {
			continue
		}
		switch rapid.IntRange(0, 7).Draw(t, "state") {
		case 0:
			p.Sampled, p.Sample = false, Sample{}
		case 1:
			p.Ready, p.Started, p.ReadyChanged = corev1.ConditionFalse, noon.Add(-time.Minute), recent().Draw(t, "changed")
		case 2:
			p.Phase = rapid.SampledFrom([]corev1.PodPhase{"Pending", "Failed", "Succeeded"}).Draw(t, "phase")
		}
	}
	return pods
}

func firstRequest(pods []Pod) int64 {
	if len(pods) == 0 {
		return 0
	}
	return pods[0].Request
}

// lawCase is one pass that may happen.
type lawCase struct {
	Spec        Spec
	State       State
	Observation Observation
}

func plausibleCase() *rapid.Generator[lawCase] {
	return rapid.Custom(func(t *rapid.T) lawCase {
		c := lawCase{Spec: plausibleSpec().Draw(t, "spec"), State: plausibleState().Draw(t, "state")}
		current := rapid.Int32Range(c.Spec.Min(), c.Spec.MaxReplicas).Draw(t, "current")
		if rapid.IntRange(0, 5).Draw(t, "zero") == 1 {
			return zeroCase(t)
		}
		if rapid.IntRange(0, 9).Draw(t, "elsewhere") == 0 {
			current = rapid.Int32Range(0, c.Spec.MaxReplicas+5).Draw(t, "anywhere")
		}
		c.Observation = Observation{Replicas: current, StatusReplicas: current}
		switch rapid.IntRange(0, 29).Draw(t, "trouble") {
		case 0:
			c.Observation.ScaleError = "gone"
		case 1:
			c.Observation.UpdateError = "refused"
		case 2:
			c.Observation.Selector = rapid.SampledFrom(SelectorProblems()).Draw(t, "selector")
		case 3, 4:
			c.Observation.StatusReplicas = rapid.Int32Range(0, 40).Draw(t, "status")
		}
		listed := current
		if rapid.Bool().Draw(t, "more or fewer") {
			listed = rapid.Int32Range(0, 4*current+4).Draw(t, "listed")
		}
		pods := plausiblePods(t, listed, &c.Spec)
		for i := range c.Spec.Metrics {
			m := &c.Spec.Metrics[i]
			r := Reading{}
			switch {
			case rapid.IntRange(0, 19).Draw(t, "failing") == 0:
				r.Error = &MetricError{Failure: FailureUnavailable, Detail: "down"}
			case perPod(m.Type):
				r.Pods = pods
				if rapid.IntRange(0, 9).Draw(t, "gone") == 0 {
					r.Unlisted = []int64{rapid.Int64Range(0, 6000).Draw(t, "unlisted")}
				}
			default:
				r.Pods = pods
				most := m.Milli * int64(2*current+2)
				r.Values = rapid.SliceOfN(rapid.Int64Range(0, most), 1, 2).Draw(t, "values")
				if rapid.IntRange(0, 7).Draw(t, "idle") == 0 {
					r.Values = []int64{0}
				}
			}
			c.Observation.Readings = append(c.Observation.Readings, r)
		}
		return c
	})
}

// zeroCase is a consumer that goes to zero, is there, or wakes.
func zeroCase(t *rapid.T) lawCase {
	c := lawCase{Spec: queueSpec(1000, 0, 10)}
	window := time.Duration(0)
	c.Spec.Flags.DownscaleStabilization = &window
	current := rapid.Int32Range(0, 3).Draw(t, "current")
	c.State.Recommendations = []Recommendation{{Replicas: current, At: noon.Add(-DefaultStep)}}
	c.State.Conditions.ScaledToZero = Condition{Status: corev1.ConditionTrue, LastTransition: noon.Add(-time.Minute)}
	c.Observation = Observation{Replicas: current, StatusReplicas: current,
		Readings: []Reading{{Values: []int64{1000 * rapid.Int64Range(0, 5).Draw(t, "queue")}}}}
	return c
}
