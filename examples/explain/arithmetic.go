package main

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
)

// working is one metric's way from the reading to the proposal.
type working struct {
	metric     *replicas.Metric
	calculator *replicas.Calculator
	reading    *replicas.Reading
	result     *replicas.Result // without overflows
}

// explainMetric is one metric's arithmetic with the numbers put in. The steps are those of the right numbers; where the
// controller's integers leave their range, the last step says what it makes of them, and the proposal is the controller's.
func explainMetric(w working, theirs, exact *replicas.MetricDecision) metric {
	m := w.metric
	out := metric{Type: string(m.Type), Name: m.Name, Container: m.Container, Steps: []string{}}
	out.Target = w.target()
	if perPod(m) {
		out.count(w.calculator, resourceOf(m), w.reading.Pods)
		out.Pods.Unlisted = len(w.reading.Unlisted)
	}
	if exact.Error == nil {
		w.result = &exact.Result
		out.explain(w)
	}
	overflow := !sameAnswer(theirs, exact)
	if theirs.Error != nil {
		out.Error, out.Value, out.Ratio, out.Outcome = theirs.Error.Error(), "", nil, ""
	} else {
		w.result = &theirs.Result
		out.set(w)
	}
	if overflow {
		out.overflow(w, theirs, exact)
	}
	return out
}

func sameAnswer(a, b *replicas.MetricDecision) bool {
	if a.Error != nil || b.Error != nil {
		return a.Error != nil && b.Error != nil
	}
	return a.Result.Replicas == b.Result.Replicas && a.Result.Utilization == b.Result.Utilization &&
		(a.Result.Milli == b.Result.Milli || a.Result.NoAverage)
}

// set enters the controller's answer.
func (m *metric) set(w working) {
	r := w.result
	m.Proposal, m.Outcome = &r.Replicas, string(r.Outcome)
	if !r.Unbounded {
		m.Ratio = &r.Ratio
	}
	m.Pods.Filled = r.Pods.Filled
	if !perPod(w.metric) {
		m.Pods.Ready = r.Pods.Ready
	}
	m.Value = w.value()
}

// overflow says what the controller's integers make of the metric, and what would be right.
func (m *metric) overflow(w working, theirs, exact *replicas.MetricDecision) {
	if exact.Error == nil {
		m.ExactProposal = &exact.Result.Replicas
	}
	switch {
	case theirs.Error != nil:
		m.step("but the controller's integers overflow here, and it fails instead")
	case exact.Error != nil:
		m.step("the controller's integers overflow here: it takes %s for the value and wants %d (on amd64), where the numbers have no answer: %v", m.Value, *m.Proposal, exact.Error)
	default:
		m.step("but the controller's integers overflow here: it takes %s for the value and wants %d (on amd64), not %d", m.Value, *m.Proposal, exact.Result.Replicas)
	}
}

// value is what status shows; empty if there is none.
func (w working) value() string {
	switch r := w.result; {
	case w.metric.Target == metrics.TargetUtilization:
		return strconv.FormatInt(r.Utilization, 10) + "%"
	case r.NoAverage:
		return ""
	default:
		return w.amount(r.Milli) + w.per()
	}
}

func (w working) target() string {
	if w.metric.Target == metrics.TargetUtilization {
		return strconv.Itoa(int(w.metric.Utilization)) + "%"
	}
	return w.amount(w.metric.Milli) + w.per()
}

func (w working) per() string {
	if w.metric.Target == metrics.TargetAverageValue {
		return " per pod"
	}
	return ""
}

func (w working) amount(milli int64) string { return quantity(string(resourceOf(w.metric)), milli) }

func resourceOf(m *replicas.Metric) corev1.ResourceName {
	if m.Type == autoscalingv2.ResourceMetricSourceType || m.Type == autoscalingv2.ContainerResourceMetricSourceType {
		return corev1.ResourceName(m.Name)
	}
	return ""
}

func perPod(m *replicas.Metric) bool {
	return resourceOf(m) != "" || m.Type == autoscalingv2.PodsMetricSourceType
}

func (m *metric) step(format string, args ...any) {
	m.Steps = append(m.Steps, fmt.Sprintf(format, args...))
}

// count says which pods count, and which do not and why.
func (m *metric) count(c *replicas.Calculator, name corev1.ResourceName, pods []replicas.Pod) {
	for i := range pods {
		class, cause := c.Class(name, pods[i])
		switch class {
		case replicas.ClassReady:
			m.Pods.Ready++
			m.Counted = append(m.Counted, pods[i].Name)
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

// explain enters the steps of the formula.
func (m *metric) explain(w working) {
	from, r, c := w.metric, w.result, w.calculator
	average := from.Target == metrics.TargetAverageValue
	if w.reading.OutOfRange {
		m.step("an amount has more thousandths than 64 bits hold: the largest that they hold stands for it")
	}
	if from.Beyond != nil {
		m.step("the target has more thousandths than 64 bits hold: the largest that they hold stands for it")
	}
	switch {
	case from.Target == metrics.TargetUtilization:
		m.utilization(w)
	case perPod(from):
		m.step("average of %s = %s; %s / %s = %s", several(r.Pods.Ready+r.Pods.Unlisted, "sample"), w.amount(r.Milli), w.amount(r.Milli), w.amount(from.Milli), ratio(r.FirstRatio))
		m.filled(w)
	default:
		m.total(w)
		switch {
		case !average:
			m.step("%s / %s = %s", w.amount(r.Total), w.amount(from.Milli), ratio(r.Ratio))
		case c.Status == 0:
			m.step("no replicas in status, so that there is neither an average nor a tolerance: ceil(%s / %s) = %d", w.amount(r.Total), w.amount(from.Milli), r.Replicas)
			m.capped(r)
			return
		default:
			m.step("%s / (%s x %d replicas in status) = %s", w.amount(r.Total), w.amount(from.Milli), c.Status, ratio(r.Ratio))
		}
	}
	m.decided(w)
	m.capped(r)
}

// total says what stands for the value of an Object or External metric, where that is not plain.
func (m *metric) total(w working) {
	values := w.reading.Values
	sum := new(big.Int)
	var shown []string
	for _, v := range values {
		sum.Add(sum, big.NewInt(v))
		if len(shown) < 8 {
			shown = append(shown, w.amount(v))
		}
	}
	if len(shown) < len(values) {
		shown = append(shown, "...")
	}
	plus := strings.Join(shown, " + ")
	total := w.amount(w.result.Total)
	switch {
	case w.metric.Type == autoscalingv2.ObjectMetricSourceType:
	case w.result.NegativeSum:
		m.step("%s: a sum below zero on the way is taken for an overflow, and the largest number there is stands for the sum: %s", plus, total)
	case !sum.IsInt64() || sum.Int64() != w.result.Total:
		m.step("%s is cut to the largest number there is: %s", plus, total)
	case len(values) > 1:
		m.step("%s = %s", plus, total)
	}
}

func (m *metric) capped(r *replicas.Result) {
	if r.Capped && !r.NegativeSum && r.Replicas == largestCount {
		m.step("cut to the largest count there is")
	}
}

const largestCount = 1<<31 - 1

func (m *metric) utilization(w working) {
	r, name := w.result, w.metric.Name
	var usage, request []int64
	for i := range w.reading.Pods {
		if class, _ := w.calculator.Class(corev1.ResourceName(name), w.reading.Pods[i]); class == replicas.ClassReady {
			usage = append(usage, w.reading.Pods[i].Sample.Milli)
			request = append(request, w.reading.Pods[i].Request)
		}
	}
	m.step("%s used of %s requested by %s = %d %%; %d / %d = %s", sumOf(name, usage), sumOf(name, request), several(r.Pods.Ready, "pod"),
		r.Utilization, r.Utilization, w.metric.Utilization, ratio(r.FirstRatio))
	m.filled(w)
}

// filled says what unready and missing pods were taken to use.
func (m *metric) filled(w working) {
	r := w.result
	if r.Pods.Filled == 0 {
		return
	}
	what := "nothing"
	if r.FirstRatio < 1 {
		what = "the target"
		if w.metric.Target == metrics.TargetUtilization {
			what = strconv.Itoa(int(max(100, w.metric.Utilization))) + " % of its request"
		}
	}
	m.step("%s without a usable sample, taken to use %s each: the ratio becomes %s", several(r.Pods.Filled, "pod"), what, ratio(r.Ratio))
}

// decided says what became of the ratio.
func (m *metric) decided(w working) {
	r, c, from := w.result, w.calculator, w.metric
	shown, band := around(r.Ratio, 1.0-c.Tolerance.Down, 1.0+c.Tolerance.Up)
	switch {
	case r.Outcome == replicas.OutcomeTolerance:
		m.step("%s is within the tolerance of %s: %d", shown, band, r.Replicas)
		return
	case r.Outcome == replicas.OutcomeReversed:
		m.step("%s is on the other side of 1: %d stays", ratio(r.Ratio), r.Replicas)
		return
	case r.Outcome == replicas.OutcomeAgainst:
		m.step("the pods that count would move it against the ratio: %d stays", r.Replicas)
		return
	}
	outside := fmt.Sprintf("%s is outside the tolerance of %s", shown, band)
	switch {
	case !perPod(from) && from.Target == metrics.TargetAverageValue:
		m.step("%s: ceil(%s / %s) = %d", outside, w.amount(r.Total), w.amount(from.Milli), r.Replicas)
	case !perPod(from) && c.Current == 0:
		m.step("from zero without tolerance: ceil(%s) = %d", factor(r.Ratio, 1, r.Replicas), r.Replicas)
	case !perPod(from):
		m.step("%s: ceil(%s x %s) = %d", outside, factor(r.Ratio, r.Pods.Ready, r.Replicas), several(r.Pods.Ready, "ready pod"), r.Replicas)
	default:
		pods, unlisted := r.Pods.Ready, ""
		if r.Pods.Filled > 0 { // unlisted ones count in the second pass alone
			pods += r.Pods.Filled + r.Pods.Unlisted
			if r.Pods.Unlisted > 0 {
				unlisted = fmt.Sprintf(", %d of them not listed by the selector", r.Pods.Unlisted)
			}
		}
		m.step("%s: ceil(%s x %s%s) = %d", outside, factor(r.Ratio, pods, r.Replicas), several(pods, "pod"), unlisted, r.Replicas)
	}
}

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
