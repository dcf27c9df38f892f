package replicas

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
)

// evaluate computes the proposal of every metric and the largest of them; ok says that the pass may go on with it.
// A pass fails if all metrics fail, or if some fail and the others would scale down: what cannot be read may be what
// holds the count up. Upstream: horizontal.go, computeReplicasForMetrics.
func (d *Decision) evaluate(s *Spec, o *Observation, c *Calculator) (ok bool) {
	if cap(d.Metrics) < len(s.Metrics) {
		d.Metrics = make([]MetricDecision, len(s.Metrics))
	}
	d.Metrics = d.Metrics[:len(s.Metrics)]
	largest := int32(0)
	for i := range s.Metrics {
		m := &d.Metrics[i]
		var reading *Reading
		if i < len(o.Readings) {
			reading = &o.Readings[i]
		}
		var err error
		m.Result, err = c.metric(&s.Metrics[i], reading)
		d.OutOfRange.merge(m.Result.OutOfRange) // of a failure as well: upstream may not fail
		if err != nil {
			*m = MetricDecision{Error: asMetricError(err)}
			d.Invalid++
			if d.FirstInvalid < 0 {
				d.FirstInvalid = i
			}
			continue
		}
		if largest == 0 || m.Result.Replicas > largest {
			largest, d.Driver = m.Result.Replicas, i
		}
	}
	if d.Invalid == len(s.Metrics) || (d.Invalid > 0 && largest < d.Current) {
		d.Driver = -1
		return false
	}
	d.Proposal = max(largest, 0)
	return true
}

// asMetricError copies, so that a result shares nothing with its input.
func asMetricError(err error) *MetricError {
	if e, ok := err.(*MetricError); ok && e != nil {
		c := *e
		return &c
	}
	return &MetricError{Failure: FailureUnavailable, Detail: err.Error()}
}

// metric is the proposal of one metric. What is wrong with the spec comes before what is wrong with the reading, but
// for the selector of an Object metric.
func (c *Calculator) metric(m *Metric, reading *Reading) (Result, error) {
	if reading == nil {
		return Result{}, &MetricError{Failure: FailureUnread}
	}
	unreadable := reading.Error != nil && reading.Error.Failure == FailureSelector && m.Type == autoscalingv2.ObjectMetricSourceType
	if !unreadable && !m.targeted() {
		return Result{}, m.untargeted()
	}
	if reading.Error != nil {
		return Result{}, reading.Error
	}
	target := MilliTarget(m.Milli)
	beyond := reading.OutOfRange
	if m.Beyond != nil && m.Target != metrics.TargetUtilization {
		beyond = true
		if c.ReproduceOverflow {
			target = MilliTarget(*m.Beyond)
		}
	}
	if c.ReproduceOverflow && reading.Beyond != nil {
		reading = reading.Beyond
	}
	r, err := c.read(m, reading, target)
	r.OutOfRange.Quantity = beyond
	return r, err
}

// targeted says whether the metric's type reads the target that it has.
func (m *Metric) targeted() bool {
	switch m.Type {
	case autoscalingv2.ResourceMetricSourceType, autoscalingv2.ContainerResourceMetricSourceType:
		return m.Target == metrics.TargetUtilization || m.Target == metrics.TargetAverageValue
	case autoscalingv2.ObjectMetricSourceType, autoscalingv2.ExternalMetricSourceType:
		return m.Target == metrics.TargetValue || m.Target == metrics.TargetAverageValue
	case autoscalingv2.PodsMetricSourceType:
		return m.Target == metrics.TargetAverageValue
	}
	return false
}

func (m *Metric) untargeted() *MetricError {
	if failedReason(m.Type) == ReasonInvalidMetricSourceType {
		return &MetricError{Failure: FailureType, Detail: string(m.Type)}
	}
	return &MetricError{Failure: FailureTarget}
}

// read is the proposal of a metric that has a target and was read.
func (c *Calculator) read(m *Metric, reading *Reading, target MilliTarget) (Result, error) {
	resource, average := corev1.ResourceName(m.Name), m.Target == metrics.TargetAverageValue
	switch m.Type {
	case autoscalingv2.ResourceMetricSourceType, autoscalingv2.ContainerResourceMetricSourceType:
		if average {
			return c.ResourceAverage(resource, reading.Pods, reading.Unlisted, target)
		}
		return c.Utilization(resource, reading.Pods, reading.Unlisted, m.Utilization)
	case autoscalingv2.PodsMetricSourceType:
		return c.PodsAverage(reading.Pods, reading.Unlisted, target)
	case autoscalingv2.ExternalMetricSourceType:
		if average {
			return c.ExternalAverage(reading.Values, target)
		}
		return c.ExternalValue(reading.Values, reading.Pods, target)
	}
	if len(reading.Values) == 0 {
		return Result{}, &MetricError{Failure: FailureEmpty}
	}
	if average {
		return c.ObjectAverage(reading.Values[0], target)
	}
	return c.ObjectValue(reading.Values[0], reading.Pods, target)
}
