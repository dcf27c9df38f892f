package rightsizetest

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// lawA6: the outcome follows from the input. It is computed here from the objects alone; what the plan says about its working is not asked.
func lawA6(in hpacouple.Input, r hpacouple.Result) *Violation {
	if !coupled(in) {
		if r.Outcome != hpacouple.Uncoupled {
			return LawA6.broken("no HPA measures the utilization of what may be changed, but the outcome is %s", r.Outcome)
		}
		return nil
	}
	if r.Outcome == hpacouple.Uncoupled {
		return LawA6.broken("an HPA measures the utilization of what may be changed, but the outcome is %s", r.Outcome)
	}
	_, single := coupledEntry(in)
	for _, skip := range []struct {
		reason skipreason.Skip
		stands bool
	}{{skipreason.MaxReplicasReached, in.MaxReplicasReached}, {skipreason.UnsupportedMetrics, !single}, {skipreason.MissingRequest, single && missing(in)}} {
		given := slices.Contains(r.SkipReasons, skip.reason)
		if skip.stands && (!given || r.Outcome != hpacouple.Skip) {
			return LawA6.broken("%s stands, but the outcome is %s with %v", skip.reason, r.Outcome, r.SkipReasons)
		}
		if given && !skip.stands && (single || skip.reason != skipreason.MissingRequest) {
			return LawA6.broken("%s does not stand, but is given", skip.reason)
		}
	}
	if !in.MaxReplicasReached && plain(in) && r.Outcome != hpacouple.Coordinate {
		return LawA6.broken("requests change, no limit or lock stands in the way, and the target fits the bounds, but the outcome is %s with %v", r.Outcome, r.SkipReasons)
	}
	return nil
}

// plainInputs draws what leaves no choice, and neighbours of it.
func plainInputs() *rapid.Generator[hpacouple.Input] {
	return rapid.Custom(func(t *rapid.T) hpacouple.Input {
		in := hpacouple.Input{Workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"},
			HPA: hpa(utilization(corev1.ResourceCPU, rapid.Int32Range(45, 85).Draw(t, "target")))}
		in.Pod.Spec = &corev1.PodSpec{}
		for _, name := range []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "containers")] {
			now := rapid.Int64Range(100, 2000).Draw(t, name)
			in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": milli(now)}}})
			if rapid.Bool().Draw(t, name+" is recommended for") {
				in.Recommendations = append(in.Recommendations, hpacouple.Recommendation{Container: name, Requests: corev1.ResourceList{"cpu": milli(now * rapid.Int64Range(60, 140).Draw(t, name+" percent") / 100)}})
			}
		}
		return in
	})
}

// coupled says whether any entry of any HPA of the workload depends on requests that may be changed.
func coupled(in hpacouple.Input) bool {
	if in.Workload.Kind == "DaemonSet" {
		return false
	}
	for _, h := range append([]*autoscalingv2.HorizontalPodAutoscaler{in.HPA}, in.OtherHPAs...) {
		if h == nil {
			continue
		}
		for _, e := range metrics.Classify(&h.Spec) {
			if e.Coupled() && (in.Options.AutoPatch == nil || slices.Contains(in.Options.AutoPatch, e.Resource)) {
				return true
			}
		}
	}
	return false
}

// missing says whether the one entry has no request sum, or a sum of nothing.
func missing(in hpacouple.Input) bool {
	_, ok := pairOf(in)
	return !ok
}

// plain says whether the input is one of those that leave no choice: containers with requests alone, recommendations for the HPA's resource a step
// and more away from them, and a target well inside the bounds. Its sums are made by hand.
func plain(in hpacouple.Input) bool {
	e, ok := coupledEntry(in)
	if !ok || in.State != nil || in.Pod.Spec == nil || len(in.Pod.Spec.InitContainers) > 0 || in.Pod.Spec.Resources != nil || in.Pod.Spec.Overhead != nil ||
		len(in.Pod.LimitRanges) > 0 || in.Pod.Live != nil || len(in.Options.Steps) > 0 {
		return false
	}
	var before, after int64
	changes := false
	for _, c := range in.Pod.Spec.Containers {
		q, ok := c.Resources.Requests[e.Resource]
		if !ok || len(c.Resources.Limits) > 0 || len(c.Resources.Claims) > 0 {
			return false
		}
		now := q.MilliValue()
		to := now
		for _, rec := range in.Recommendations {
			if rec.Container != c.Name {
				continue
			}
			if len(rec.Limits)+len(rec.UnsetLimits)+len(rec.KeepRatio) > 0 || rec.Throttled || rec.OOMKilled {
				return false
			}
			if asked, ok := rec.Requests[e.Resource]; ok {
				to = asked.MilliValue()
			}
		}
		if to <= 0 || now <= 0 || to > 1<<50 || now > 1<<50 {
			return false
		}
		step := stepOf(in, e.Resource)
		if to > now+step || to < now-step {
			changes = true
		} else if to != now {
			return false // rounding decides
		}
		before, after = before+now, after+to
	}
	b := limitsOf(in, e.Utilization)
	target, ok := bounds.Target(e.Utilization, before, after)
	return changes && ok && target > b.lo+1 && target < b.hi-1 && before > 100*stepOf(in, e.Resource) && e.Resource != corev1.ResourceName("")
}
