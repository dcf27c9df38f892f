package replicas_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/replicas"
)

func resourceName(name string) corev1.ResourceName { return corev1.ResourceName(name) }

// calculatorText is the error as the real calculator words it.
func calculatorText(err error, m replicas.Metric) string {
	text := err.Error()
	e := err.(*replicas.MetricError)
	switch {
	case e.Failure == replicas.FailureEmpty && m.Type == autoscalingv2.PodsMetricSourceType:
		return "unable to get metric " + m.Name + ": no metrics returned from custom metrics API"
	case e.Failure == replicas.FailureEmpty:
		return "unable to get metrics for resource " + m.Name + ": no metrics returned from resource metrics API"
	case e.Failure == replicas.FailureNoPods && m.Target == "Value":
		return "unable to calculate ready pods: " + text
	}
	return text
}

// share counts what the cases were about. A kind of case under one percent is a fault of the generator.
type share map[string]int

func (s share) add(kind string, is bool) {
	if _, known := s[kind]; !known {
		s[kind] = 0
	}
	if is {
		s[kind]++
	}
}

func (s share) count(c *calculatorCase, a answer, r replicas.Result) {
	s["all"]++
	m := c.hpa.Spec.Metrics[0]
	s.add("type "+string(m.Type), true)
	s.reach(c)
	s.add("error", a.Error != "")
	s.add("error: missing request", strings.HasPrefix(a.Error, "missing request"))
	s.add("error: no samples", strings.HasPrefix(a.Error, "did not receive"))
	if a.Error != "" {
		return
	}
	for _, o := range replicas.Outcomes() {
		s.add("outcome "+string(o), r.Outcome == o)
	}
	s.add("filled in", r.Pods.Filled > 0)
	s.add("unready", r.Pods.Unready > 0)
	s.add("missing", r.Pods.Missing > 0)
	s.add("ignored", r.Pods.Ignored > 0)
	s.add("unlisted", r.Pods.Unlisted > 0)
	s.add("from zero", c.calculator.Current == 0)
	s.add("out of range", r.OutOfRange.Any())
	s.add("out of range at the border", r.OutOfRange.Quantity)
	s.add("edge of the tolerance", r.Ratio == 1.0+c.calculator.Tolerance.Up || r.Ratio == 1.0-c.calculator.Tolerance.Down)
}

// reach counts what was drawn, whatever came of it.
func (s share) reach(c *calculatorCase) {
	var deleted, podLevel, sidecar, overhead, uneven, unknown, tiny bool
	for i := range c.cluster.Pods {
		p := &c.cluster.Pods[i]
		deleted = deleted || p.DeletionTimestamp != nil
		podLevel = podLevel || p.Spec.Resources != nil
		overhead = overhead || p.Spec.Overhead != nil
		uneven = uneven || !reflect.DeepEqual(p.Spec, c.cluster.Pods[0].Spec)
		for _, container := range p.Spec.InitContainers {
			sidecar = sidecar || container.RestartPolicy != nil
		}
		for _, condition := range p.Status.Conditions {
			unknown = unknown || condition.Status == corev1.ConditionUnknown
		}
	}
	for i := range c.cluster.Resource {
		for _, container := range c.cluster.Resource[i].Containers {
			for _, q := range container.Usage {
				tiny = tiny || q.Cmp(*resource.NewMilliQuantity(q.MilliValue(), resource.DecimalSI)) != 0
			}
		}
	}
	s.add("drawn: a deleted pod", deleted)
	s.add("drawn: pod-level requests", podLevel)
	s.add("drawn: a sidecar", sidecar)
	s.add("drawn: overhead", overhead)
	s.add("drawn: pods of several specs", uneven)
	s.add("drawn: Ready Unknown", unknown)
	s.add("drawn: usage below a thousandth", tiny)
	s.add("drawn: an amount above 2^50 thousandths", c.largest() > 1<<50)
	target := c.hpa.Spec.Metrics[0]
	if target.Resource != nil && target.Resource.Target.AverageUtilization != nil {
		s.add("drawn: a target above 100 %", *target.Resource.Target.AverageUtilization > 100)
	}
}

func (s share) require(t *testing.T) {
	t.Helper()
	for _, kind := range slices.Sorted(maps.Keys(s)) {
		n := s[kind]
		percent := 100 * float64(n) / float64(s["all"])
		t.Logf("%-34s %9d  %6.2f %%", kind, n, percent)
		if percent < 1 && s["all"] >= 10_000 {
			t.Errorf("%s: only %.2f %%", kind, percent)
		}
	}
}

// pass counts one pass of a trace.
func (s share) pass(d *replicas.Decision, behavior bool) {
	s["all"]++
	for _, p := range replicas.Paths() {
		s.add("path "+string(p), d.Path == p)
	}
	s.add("rescaled", d.Rescale)
	s.add("refused", d.Refused)
	s.add("to zero", d.Rescale && d.Desired == 0)
	s.add("from zero", d.Rescale && d.Current == 0)
	s.add("with behavior", behavior)
	s.add("stabilized", d.Path == replicas.PathMetrics && d.Stabilized != d.Proposal)
	s.add("some metrics failed", d.Path == replicas.PathMetrics && d.Invalid > 0)
	for _, reason := range []string{replicas.ReasonTooFewReplicas, replicas.ReasonTooManyReplicas, replicas.ReasonScaleUpLimit, replicas.ReasonScaleDownLimit} {
		s.add("limited by "+reason, d.LimitedBy == reason)
	}
}
