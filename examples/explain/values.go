package main

import (
	"fmt"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
)

// given are the values of --metric for one metric: those that name the HPA, or else those that do not.
func (in *surroundings) given(hpa *autoscalingv2.HorizontalPodAutoscaler, name string) (out []metricValue) {
	if name == "" {
		return nil
	}
	for _, prefix := range []string{hpa.Namespace + "/" + hpa.Name + ":", ""} {
		for _, v := range in.settings.metrics {
			rest, ok := strings.CutPrefix(v.name, prefix)
			if !ok {
				continue
			}
			if pod, one := strings.CutPrefix(rest, name+"@"); one {
				v.pod = pod
				out = append(out, v)
			} else if rest == name {
				out = append(out, v)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// checkMetrics looks for values that nothing measures, or that cannot be told apart. Whether an HPA's target is in the
// input does not matter.
func (in *surroundings) checkMetrics() (faults []string) {
	used := map[string]bool{}
	for _, hpa := range in.hpas {
		seen := map[string]bool{}
		for _, m := range metrics.Classify(&hpa.Spec) {
			given := in.given(hpa, m.Metric)
			keys := map[string]bool{}
			for _, v := range given {
				used[v.name] = true
				switch {
				case v.pod != "" && m.Type != autoscalingv2.PodsMetricSourceType:
					faults = append(faults, fmt.Sprintf("--metric %s: %s/%s measures it as %s, which has no pods", v.name, hpa.Namespace, hpa.Name, m.Type))
				case keys[v.name] && m.Type != autoscalingv2.ExternalMetricSourceType:
					faults = append(faults, fmt.Sprintf("--metric %s: given more than once, and %s/%s measures it as %s, which has one value", v.name, hpa.Namespace, hpa.Name, m.Type))
				}
				keys[v.name] = true
			}
			if seen[m.Metric] && len(given) > 0 {
				faults = append(faults, fmt.Sprintf("--metric %s: %s/%s has several metrics of that name, and all get these values", m.Metric, hpa.Namespace, hpa.Name))
			}
			seen[m.Metric] = true
		}
	}
	for _, v := range in.settings.metrics {
		if !used[v.name] {
			faults = append(faults, "--metric "+v.name+": no HPA has a Pods, Object or External metric of that name")
			used[v.name] = true
		}
	}
	return faults
}

// values are those of --metric.
func (in *surroundings) values(hpa *autoscalingv2.HorizontalPodAutoscaler, m metrics.Entry) (v replicas.MetricValues) {
	if m.Metric == "" {
		return v
	}
	given := in.given(hpa, m.Metric)
	if len(given) == 0 {
		return replicas.MetricValues{Error: "no value was given: --metric " + m.Metric + "=VALUE"}
	}
	for _, g := range given {
		q := g.value.DeepCopy()
		switch {
		case g.pod != "" && m.Type == autoscalingv2.PodsMetricSourceType:
			v.Pods = append(v.Pods, replicas.PodValue{Pod: g.pod, Value: q}) // later values replace earlier ones
		case g.pod != "":
		case m.Type == autoscalingv2.ObjectMetricSourceType:
			v.Object = &q
		case m.Type == autoscalingv2.ExternalMetricSourceType:
			v.External = append(v.External, q)
		case m.Type == autoscalingv2.PodsMetricSourceType:
			var all []replicas.PodValue
			for i := range in.pods {
				if in.pods[i].Namespace == hpa.Namespace {
					all = append(all, replicas.PodValue{Pod: in.pods[i].Name, Value: q})
				}
			}
			v.Pods = append(all, v.Pods...) // one pod's own value counts more, wherever it stands
		}
	}
	return v
}
