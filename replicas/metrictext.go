package replicas

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/metrics"
)

// driver names a metric as the condition and the event do.
func (s *Spec) driver(i int) string {
	if i < 0 || i >= len(s.Metrics) {
		return ""
	}
	m := &s.Metrics[i]
	utilization := m.Target == metrics.TargetUtilization
	switch m.Type {
	case autoscalingv2.ResourceMetricSourceType:
		if utilization {
			return m.Name + " resource utilization (percentage of request)"
		}
		return m.Name + " resource"
	case autoscalingv2.ContainerResourceMetricSourceType:
		if utilization {
			return m.Name + " container resource utilization (percentage of request)"
		}
		return m.Name + " resource"
	case autoscalingv2.PodsMetricSourceType:
		return "pods metric " + m.Name
	case autoscalingv2.ObjectMetricSourceType:
		if m.Target == metrics.TargetValue {
			return m.Object + " metric " + m.Name
		}
	}
	return "external metric " + m.Name + "(" + m.selector() + ")"
}

func (m *Metric) selector() string {
	if m.Selector == "" {
		return "nil"
	}
	return m.Selector
}

// conditionText is the error of one metric as the condition shows it.
func (m *Metric) conditionText(namespace string, e *MetricError) string {
	if e == nil {
		return ""
	}
	text := m.readText(namespace, e)
	untargeted := e.Failure == FailureTarget && !m.targeted()
	switch m.Type {
	case autoscalingv2.ResourceMetricSourceType, autoscalingv2.ContainerResourceMetricSourceType:
		switch {
		case untargeted:
			return "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set"
		case m.Target == metrics.TargetAverageValue:
			return "failed to get " + m.Name + " usage: " + text
		}
		return "failed to get " + m.Name + " utilization: " + text
	case autoscalingv2.ObjectMetricSourceType:
		if untargeted {
			return "invalid object metric source: neither a value target nor an average value target was set"
		}
	case autoscalingv2.ExternalMetricSourceType:
		if untargeted {
			return "invalid external metric source: neither a value target nor an average value target was set"
		}
	case autoscalingv2.PodsMetricSourceType:
	default:
		return fmt.Sprintf("unknown metric source type %q", string(m.Type))
	}
	return text
}

// errorText is the error of one metric as the pass's error shows it.
func (m *Metric) errorText(namespace string, e *MetricError) string {
	if e == nil {
		return ""
	}
	text := m.conditionText(namespace, e)
	switch wrapped := m.targeted() && e.Failure != FailureTarget; m.Type {
	case autoscalingv2.ResourceMetricSourceType:
		return "failed to get " + m.Name + " resource metric value: " + text
	case autoscalingv2.ContainerResourceMetricSourceType:
		return "failed to get " + m.Container + " container metric value: " + text
	case autoscalingv2.PodsMetricSourceType:
		return "failed to get pods metric value: " + text
	case autoscalingv2.ObjectMetricSourceType:
		if wrapped && e.Failure != FailureSelector && m.Target == metrics.TargetAverageValue {
			text = "failed to get " + m.Name + " object metric: " + text
		}
		return "failed to get object metric value: " + text
	case autoscalingv2.ExternalMetricSourceType:
		switch {
		case wrapped && m.Target == metrics.TargetAverageValue:
			text = "failed to get " + m.Name + " external metric: " + text
		case wrapped:
			text = "failed to get external metric " + m.Name + ": " + text
		}
		return "failed to get " + m.Name + " external metric value: " + text
	}
	return text
}

// readText is the error of the calculator.
func (m *Metric) readText(namespace string, e *MetricError) string {
	if e.Failure == FailureNoPods && m.Target == metrics.TargetValue {
		return "unable to calculate ready pods: " + e.Error()
	}
	if e.Failure != FailureUnavailable && e.Failure != FailureEmpty {
		return e.Error()
	}
	api, read := "custom", "unable to get metric "+m.Name
	switch m.Type {
	case autoscalingv2.ResourceMetricSourceType, autoscalingv2.ContainerResourceMetricSourceType:
		api, read = "resource", "unable to get metrics for resource "+m.Name
	case autoscalingv2.ObjectMetricSourceType:
		read += fmt.Sprintf(" on %s %s/%s", m.Object, namespace, m.ObjectName)
	case autoscalingv2.ExternalMetricSourceType:
		api, read = "external", fmt.Sprintf("unable to get external metric %s/%s/%s", namespace, m.Name, m.selector())
	}
	if e.Detail != "" {
		return read + ": " + e.Detail
	}
	return read + ": no metrics returned from " + api + " metrics API"
}
