package usagefile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// The pseudo-resources of rows that hold a number of replicas, and the HPA's maxReplicas at that time.
const (
	replicas    corev1.ResourceName = "replicas"
	maxReplicas corev1.ResourceName = "maxReplicas"
)

// Resources are what rows can be about.
func Resources() []corev1.ResourceName {
	return []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, replicas, maxReplicas}
}

var errResource = errors.New("is none of cpu, memory, replicas and maxReplicas")

// metric is what a metric of Prometheus says.
type metric struct {
	resource corev1.ResourceName
	counter  bool   // its values are readings, not rates
	instead  string // for what is no use: what to do with it
}

// metricOf knows the metrics that are taken as use, and those that are near enough to be taken for it. cadvisor and OpenTelemetry tell of
// containers, kube-state-metrics of replicas. Ready or available replicas are not in the list: they are fewer than there are.
func metricOf(name string) (m metric, known bool) {
	switch name {
	case "container_cpu_usage_seconds_total":
		m = metric{resource: corev1.ResourceCPU, counter: true}
	case "container_cpu_usage":
		m.resource = corev1.ResourceCPU
	case "container_memory_working_set_bytes", "container_memory_usage_bytes":
		m.resource = corev1.ResourceMemory
	case "container_memory_rss", "container_memory_rss_bytes":
		m.instead = "leaves out files in memory, which count towards the limit; give the working set"
	case "kube_horizontalpodautoscaler_status_current_replicas", "kube_horizontalpodautoscaler_status_desired_replicas",
		"kube_hpa_status_current_replicas", "kube_hpa_status_desired_replicas", "kube_deployment_status_replicas", "kube_deployment_spec_replicas",
		"kube_statefulset_status_replicas", "kube_statefulset_replicas", "kube_replicaset_status_replicas", "kube_replicaset_spec_replicas":
		m.resource = replicas
	case "kube_horizontalpodautoscaler_spec_max_replicas", "kube_hpa_spec_max_replicas":
		m.resource = maxReplicas
	case "container_cpu_cfs_throttled_periods_total", "container_cpu_cfs_periods_total", "container_cpu_cfs_throttled_seconds_total":
		m.instead = "tells of throttling; name throttled containers with --throttled"
	case "container_oom_events_total", "kube_pod_container_status_last_terminated_reason", "kube_pod_container_status_terminated_reason":
		m.instead = "tells of OOM kills; name killed containers with --oom-killed, or give their Pods"
	default:
		return metric{}, false
	}
	return m, true
}

// meaning finds out what a series is. Its name decides; where it has none, or one that nobody knows, its label resource or what was said of the
// file does. Names of cadvisor and kube-state-metrics that are not in the list are refused whatever was said: requests, limits and throttling
// are no use. A recording rule (level:metric:operations) means what its metric means; one of a counter has to be a rate.
func meaning(labels map[string]string, of corev1.ResourceName) (metric, error) {
	name := labels["__name__"]
	parts := strings.Split(name, ":")
	for _, part := range parts {
		m, known := metricOf(part)
		switch {
		case !known:
			continue
		case m.instead != "":
			return metric{}, fmt.Errorf("metric %s %s", name, m.instead)
		case m.counter && len(parts) > 1:
			if m.counter = false; !strings.Contains(strings.Replace(name, part, "", 1), "rate") {
				return metric{}, fmt.Errorf("metric %s may be a counter or a rate; give the rate", name)
			}
		case m.resource == corev1.ResourceMemory && len(parts) > 1 && lower(strings.Replace(name, part, "", 1)):
			return metric{}, fmt.Errorf("metric %s lies below the peaks; give the memory itself, or its maximum", name)
		}
		return m, nil
	}
	for _, prefix := range []string{"container_", "kube_"} {
		if strings.HasPrefix(name, prefix) {
			return metric{}, fmt.Errorf("metric %s is none of those that are read as use or replicas", name)
		}
	}
	if strings.HasSuffix(name, "_total") {
		return metric{}, fmt.Errorf("metric %s is a counter that nobody knows; give its rate", name)
	}
	m := metric{resource: of}
	if label := labels["resource"]; label != "" {
		m.resource = corev1.ResourceName(label)
	}
	if m.resource == "" {
		return metric{}, errors.New("neither the metric's name nor the label resource says what a series is; give it with the file, as cpu=FILE")
	}
	return m, nil
}

// lower says whether the operations of a recording rule can make less of a value.
func lower(operations string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(operations, func(c rune) bool { return c == '_' || c == ':' }), func(word string) bool {
		return slices.Contains([]string{"avg", "min", "mean", "median"}, word) || strings.HasPrefix(word, "quantile")
	})
}

// named is the object that a series of replicas is about. kube-state-metrics' own pod is what the label pod may hold.
func named(labels map[string]string) string {
	for _, label := range []string{"horizontalpodautoscaler", "hpa", "deployment", "statefulset", "replicaset", "pod"} {
		if labels[label] != "" {
			return labels[label]
		}
	}
	return ""
}
