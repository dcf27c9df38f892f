package main

import (
	"fmt"
	"math/big"
	"strconv"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
)

// explainMetric is one metric's arithmetic with the numbers put in.
func explainMetric(spec *replicas.Spec, c *replicas.Calculator, d *replicas.Decision, n int, reading *replicas.Reading) metric {
	m, got := &spec.Metrics[n], &d.Metrics[n]
	out := metric{Type: string(m.Type), Name: m.Name, Container: m.Container, Drives: d.Driver == n, Steps: []string{}}
	name := ""
	if perResource(m) {
		name = m.Name
	}
	out.Target = quantity(name, m.Milli) + per(m)
	if m.Target == metrics.TargetUtilization {
		out.Target = strconv.Itoa(int(m.Utilization)) + "%"
	}
	if perResource(m) || m.Type == autoscalingv2.PodsMetricSourceType {
		out.count(c, corev1.ResourceName(name), reading.Pods)
	}
	if got.Error != nil {
		out.Error = got.Error.Error()
		return out
	}
	r := &got.Result
	out.Proposal, out.Ratio, out.Outcome = &r.Replicas, r.Ratio, string(r.Outcome)
	out.Pods = podCounts{Ready: r.Pods.Ready, Unready: r.Pods.Unready, Missing: r.Pods.Missing, Ignored: r.Pods.Ignored}
	out.Value = quantity(name, r.Milli) + per(m)
	if m.Target == metrics.TargetUtilization {
		out.Value = strconv.FormatInt(r.Utilization, 10) + "%"
	}
	switch {
	case m.Target == metrics.TargetUtilization:
		out.utilization(c, m, reading, r)
	case perResource(m) || m.Type == autoscalingv2.PodsMetricSourceType:
		out.step("average of %d samples = %s; %s / %s = %s", r.Pods.Ready+r.Pods.Unlisted, quantity(name, r.Milli), quantity(name, r.Milli), quantity(name, m.Milli), ratio(r.FirstRatio))
	case m.Target == metrics.TargetValue:
		out.step("%s / %s = %s", quantity(name, r.Milli), quantity(name, m.Milli), ratio(r.Ratio))
	case c.Status == 0:
		out.step("%s / %s, from zero without tolerance", sum(reading.Values), quantity(name, m.Milli))
	default:
		out.step("%s / (%s x %d replicas in status) = %s", sum(reading.Values), quantity(name, m.Milli), c.Status, ratio(r.Ratio))
	}
	out.filled(m, r)
	out.decided(c, m, r, reading)
	return out
}

func perResource(m *replicas.Metric) bool {
	return m.Type == autoscalingv2.ResourceMetricSourceType || m.Type == autoscalingv2.ContainerResourceMetricSourceType
}

func per(m *replicas.Metric) string {
	if m.Target == metrics.TargetAverageValue {
		return " per pod"
	}
	return ""
}

func (m *metric) step(format string, args ...any) {
	m.Steps = append(m.Steps, fmt.Sprintf(format, args...))
}

// count says which pods do not count, and why.
func (m *metric) count(c *replicas.Calculator, name corev1.ResourceName, pods []replicas.Pod) {
	for i := range pods {
		class, cause := c.Class(name, pods[i])
		switch class {
		case replicas.ClassReady:
			m.Pods.Ready++
			continue
		case replicas.ClassUnready:
			m.Pods.Unready++
		case replicas.ClassMissing:
			m.Pods.Missing++
		case replicas.ClassIgnored:
			m.Pods.Ignored++
		}
		m.Uncounted = append(m.Uncounted, uncounted{Pod: pods[i].Name, Class: string(class), Cause: string(cause)})
	}
}

func (m *metric) utilization(c *replicas.Calculator, from *replicas.Metric, reading *replicas.Reading, r *replicas.Result) {
	var usage, request []int64
	for i := range reading.Pods {
		if class, _ := c.Class(corev1.ResourceName(from.Name), reading.Pods[i]); class == replicas.ClassReady {
			usage = append(usage, reading.Pods[i].Sample.Milli)
			request = append(request, reading.Pods[i].Request)
		}
	}
	m.step("%s used of %s requested by %d pods = %d %%; %d / %d = %s", sumOf(from.Name, usage), sumOf(from.Name, request), r.Pods.Ready,
		r.Utilization, r.Utilization, from.Utilization, ratio(r.FirstRatio))
}

// filled says what unready and missing pods were taken to use.
func (m *metric) filled(from *replicas.Metric, r *replicas.Result) {
	if r.Pods.Filled == 0 {
		return
	}
	what := "nothing"
	if r.FirstRatio < 1 {
		what = "the target"
		if from.Target == metrics.TargetUtilization {
			what = strconv.Itoa(int(max(100, from.Utilization))) + " % of its request"
		}
	}
	m.step("each of %d pods without a usable sample is taken to use %s: the ratio becomes %s", r.Pods.Filled, what, ratio(r.Ratio))
}

// decided says what became of the ratio.
func (m *metric) decided(c *replicas.Calculator, from *replicas.Metric, r *replicas.Result, reading *replicas.Reading) {
	band := fmt.Sprintf("%s..%s", ratio(1.0-c.Tolerance.Down), ratio(1.0+c.Tolerance.Up))
	external := from.Type == autoscalingv2.ObjectMetricSourceType || from.Type == autoscalingv2.ExternalMetricSourceType
	switch {
	case r.Outcome == replicas.OutcomeTolerance:
		m.step("%s is within the tolerance of %s: %d", ratio(r.Ratio), band, r.Replicas)
	case r.Outcome == replicas.OutcomeReversed:
		m.step("%s is on the other side of 1: %d stays", ratio(r.Ratio), r.Replicas)
	case r.Outcome == replicas.OutcomeAgainst:
		m.step("the pods that count would move it against the ratio: %d stays", r.Replicas)
	case external && from.Target == metrics.TargetAverageValue:
		m.step("outside the tolerance of %s: ceil(%s / %s) = %d", band, sum(reading.Values), quantity("", from.Milli), r.Replicas)
	case c.Current == 0:
		m.step("from zero without tolerance: ceil(%s) = %d", ratio(r.Ratio), r.Replicas)
	default:
		pods := r.Pods.Ready
		if !external && r.Pods.Filled > 0 {
			pods += r.Pods.Filled + r.Pods.Unlisted
		}
		m.step("outside the tolerance of %s: ceil(%s x %d pods) = %d", band, ratio(r.Ratio), pods, r.Replicas)
	}
	switch {
	case r.NegativeSum:
		m.step("a sum below zero is taken for an overflow: the largest value there is")
	case r.Capped:
		m.step("cut to the largest number there is")
	}
	if r.OutOfRange.Any() && !r.NoAverage {
		m.step("the controller's arithmetic leaves its range here, and its answer may be another")
	}
}

// limitedBy is what held the wanted count back.
func limitedBy(d *replicas.Decision) string {
	switch {
	case d.LimitedBy != "":
		return d.LimitedBy
	case d.Path != replicas.PathMetrics || d.Stabilized == d.Proposal:
		return ""
	case d.Proposal >= d.Current:
		return replicas.ReasonScaleUpStabilized
	}
	return replicas.ReasonScaleDownStabilized
}

// steps say how the count came about after the metrics.
func (in *surroundings) steps(spec *replicas.Spec, d *replicas.Decision) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch d.Path {
	case replicas.PathNoScale:
		add("the scale cannot be read: nothing is done")
	case replicas.PathPaused:
		add("zero replicas that the HPA has not made itself: paused until somebody scales up")
	case replicas.PathAboveMax:
		add("%d is above maxReplicas: %d at once; no metric is read", d.Current, d.Desired)
	case replicas.PathBelowMin:
		add("%d is below minReplicas: %d at once; no metric is read", d.Current, d.Desired)
	case replicas.PathSelector:
		add("the pod selector is unusable: nothing is done")
	case replicas.PathFailed:
		add("%d of %d metrics failed, and no other wants more: nothing is done", d.Invalid, len(spec.Metrics))
	case replicas.PathMetrics:
		if d.Invalid > 0 {
			add("%d of %d metrics failed; since the others do not want fewer, they decide", d.Invalid, len(spec.Metrics))
		}
		add("the largest proposal is %d", d.Proposal)
		if d.Stabilized != d.Proposal {
			add("the stabilization window makes it %d; of the past it knows the present count alone", d.Stabilized)
		}
		if d.LimitedBy != "" {
			add("%s makes it %d", d.LimitedBy, d.Desired)
		}
	}
	return out
}

func ratio(f float64) string { return strconv.FormatFloat(f, 'f', 4, 64) }

func sum(values []int64) string { return sumOf("", values) }

// sumOf adds without overflow; what does not fit in a quantity is shown as a number.
func sumOf(name string, values []int64) string {
	total := new(big.Int)
	for _, v := range values {
		total.Add(total, big.NewInt(v))
	}
	if total.IsInt64() {
		return quantity(name, total.Int64())
	}
	return total.String() + "m"
}
