package replicas

import (
	"math"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
)

// edge64 likes the ends of int64 as much as everyday numbers.
func edge64() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(0, 5000), rapid.Int64Range(0, 1<<40), rapid.Int64(),
		rapid.SampledFrom([]int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MaxInt64 / 100, math.MaxInt64/100 + 1}))
}

func edge32() *rapid.Generator[int32] {
	return rapid.OneOf(rapid.Int32Range(0, 200), rapid.Int32(), rapid.SampledFrom([]int32{0, 1, -1, math.MaxInt32, math.MinInt32}))
}

// anyFloat draws what rapid's own generators never do.
func anyFloat() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64Range(0, 2), rapid.Float64(),
		rapid.SampledFrom([]float64{0, 0.1, 1, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}))
}

func anyTime() *rapid.Generator[time.Time] {
	return rapid.OneOf(
		rapid.Map(rapid.Int64Range(-2000, 10), func(s int64) time.Time { return noon.Add(time.Duration(s) * time.Second) }),
		rapid.Map(rapid.Int64(), func(n int64) time.Time { return time.Unix(0, n).UTC() }),
		rapid.Just(time.Time{}))
}

func anyPod() *rapid.Generator[Pod] {
	return rapid.Custom(func(t *rapid.T) Pod {
		p := Pod{
			Phase:        rapid.SampledFrom([]corev1.PodPhase{"Running", "Running", "Running", "Pending", "Failed", "Succeeded", ""}).Draw(t, "phase"),
			Deleted:      rapid.IntRange(0, 9).Draw(t, "deleted") == 0,
			Ready:        rapid.SampledFrom([]corev1.ConditionStatus{"True", "True", "False", "Unknown", ""}).Draw(t, "ready"),
			ReadyChanged: anyTime().Draw(t, "ready changed"),
			Started:      anyTime().Draw(t, "started"),
			Request:      edge64().Draw(t, "request"),
			Sampled:      rapid.IntRange(0, 4).Draw(t, "sampled") > 0,
		}
		if p.Sampled {
			p.Sample = Sample{Milli: edge64().Draw(t, "milli"), At: anyTime().Draw(t, "at"), Window: time.Duration(rapid.Int64().Draw(t, "window"))}
		}
		if rapid.IntRange(0, 30).Draw(t, "unrequested") == 0 {
			p.Unrequested = &MetricError{Failure: FailureMissingRequest, Container: "side"}
		}
		return p
	})
}

func pointer[T any](g *rapid.Generator[T]) *rapid.Generator[*T] {
	return rapid.Custom(func(t *rapid.T) *T {
		if rapid.Bool().Draw(t, "nil") {
			return nil
		}
		v := g.Draw(t, "value")
		return &v
	})
}

func anyMetric() *rapid.Generator[Metric] {
	return rapid.Custom(func(t *rapid.T) Metric {
		return Metric{
			Type: rapid.SampledFrom([]autoscalingv2.MetricSourceType{"Resource", "Resource", "ContainerResource", "Pods", "Object", "External", "External", "Guess"}).Draw(t, "type"),
			Name: rapid.SampledFrom([]string{"cpu", "memory"}).Draw(t, "name"),
			Target: rapid.SampledFrom([]metrics.TargetKind{metrics.TargetUtilization, metrics.TargetAverageValue, metrics.TargetAverageValue,
				metrics.TargetValue, metrics.TargetUnusable, ""}).Draw(t, "target"),
			Utilization: edge32().Draw(t, "utilization"),
			Milli:       edge64().Draw(t, "milli"),
		}
	})
}

func anyRules(tolerance *rapid.Generator[float64]) *rapid.Generator[Rules] {
	return rapid.Custom(func(t *rapid.T) Rules {
		r := Rules{
			StabilizationWindowSeconds: pointer(edge32()).Draw(t, "window"),
			SelectPolicy:               rapid.SampledFrom([]autoscalingv2.ScalingPolicySelect{"", "Max", "Min", "Disabled", "Guess"}).Draw(t, "select"),
			Tolerance:                  pointer(tolerance).Draw(t, "tolerance"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "policies") {
			r.Policies = append(r.Policies, Policy{
				Type:          rapid.SampledFrom([]autoscalingv2.HPAScalingPolicyType{"Pods", "Percent", "Guess"}).Draw(t, "policy"),
				Value:         edge32().Draw(t, "value"),
				PeriodSeconds: edge32().Draw(t, "period"),
			})
		}
		return r
	})
}

func anySpec(tolerance *rapid.Generator[float64]) *rapid.Generator[Spec] {
	return rapid.Custom(func(t *rapid.T) Spec {
		s := Spec{
			MinReplicas:       pointer(edge32()).Draw(t, "min"),
			MaxReplicas:       edge32().Draw(t, "max"),
			Metrics:           rapid.SliceOfN(anyMetric(), 0, 3).Draw(t, "metrics"),
			ReproduceOverflow: rapid.Bool().Draw(t, "reproduce"),
		}
		duration := rapid.Map(edge64(), func(n int64) time.Duration { return time.Duration(n) })
		s.Flags = Flags{Tolerance: pointer(tolerance).Draw(t, "tolerance"), DownscaleStabilization: pointer(duration).Draw(t, "stabilization"),
			CPUInitializationPeriod: pointer(duration).Draw(t, "initialization"), InitialReadinessDelay: pointer(duration).Draw(t, "delay"),
			ScaleToZeroOff: rapid.IntRange(0, 9).Draw(t, "off") == 0}
		if rapid.Bool().Draw(t, "behavior") {
			s.Behavior = &Behavior{ScaleUp: anyRules(tolerance).Draw(t, "up"), ScaleDown: anyRules(tolerance).Draw(t, "down")}
		}
		return s
	})
}

func anyState() *rapid.Generator[State] {
	return rapid.Custom(func(t *rapid.T) State {
		var s State
		for range rapid.IntRange(0, 4).Draw(t, "recommendations") {
			s.Recommendations = append(s.Recommendations, Recommendation{Replicas: edge32().Draw(t, "replicas"), At: anyTime().Draw(t, "at")})
		}
		event := rapid.Custom(func(t *rapid.T) ScaleEvent {
			return ScaleEvent{Change: edge32().Draw(t, "change"), At: anyTime().Draw(t, "at"), Outdated: rapid.IntRange(0, 4).Draw(t, "outdated") == 0}
		})
		s.ScaleUps = rapid.SliceOfN(event, 0, 3).Draw(t, "ups")
		s.ScaleDowns = rapid.SliceOfN(event, 0, 3).Draw(t, "downs")
		if rapid.Bool().Draw(t, "zero") {
			s.Conditions.ScaledToZero = Condition{Status: corev1.ConditionTrue, Reason: ReasonScaledToZero, LastTransition: anyTime().Draw(t, "transition")}
		}
		return s
	})
}

func anyObservation(readings int) *rapid.Generator[Observation] {
	return rapid.Custom(func(t *rapid.T) Observation {
		o := Observation{Replicas: edge32().Draw(t, "replicas"), StatusReplicas: edge32().Draw(t, "status")}
		switch rapid.IntRange(0, 20).Draw(t, "trouble") {
		case 1:
			o.ScaleError = "gone"
		case 2:
			o.UpdateError = "refused"
		case 3:
			o.Selector = rapid.SampledFrom(SelectorProblems()).Draw(t, "selector")
		case 4:
			readings = max(0, readings-1)
		}
		for range readings {
			r := Reading{Pods: rapid.SliceOfN(anyPod(), 0, 5).Draw(t, "pods"), Unlisted: rapid.SliceOfN(edge64(), 0, 2).Draw(t, "unlisted"),
				Values: rapid.SliceOfN(edge64(), 0, 3).Draw(t, "values")}
			if rapid.IntRange(0, 9).Draw(t, "failing") == 0 {
				r.Error = &MetricError{Failure: rapid.SampledFrom(Failures()).Draw(t, "failure")}
			}
			o.Readings = append(o.Readings, r)
		}
		return o
	})
}
