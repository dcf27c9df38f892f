package rightsizetest

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

// Describe prints an input for a person: workload, HPA, containers with what is recommended, state and options, a line each.
func Describe(in hpacouple.Input) string {
	c := in.DeepCopy() // printing a quantity writes to it
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	line("%s %s/%s, at maxReplicas: %t", c.Workload.Kind, c.Workload.Namespace, c.Workload.Name, c.MaxReplicasReached)
	if c.HPA == nil {
		line("no HPA")
	} else {
		line("HPA: %s", describeHPA(c))
	}
	for i, h := range c.OtherHPAs {
		line("other HPA %d: %s", i, asJSON(h))
	}
	if s := c.Pod.Spec; s != nil {
		for _, part := range []struct {
			kind string
			list []corev1.Container
		}{{"container", s.Containers}, {"init container", s.InitContainers}} {
			for i := range part.list {
				k := &part.list[i]
				always := ""
				if k.RestartPolicy != nil {
					always = " restartPolicy " + string(*k.RestartPolicy)
				}
				line("%s %s%s: requests %s limits %s", part.kind, k.Name, always, amounts(k.Resources.Requests), amounts(k.Resources.Limits))
			}
		}
		if s.Resources != nil {
			line("pod: requests %s limits %s", amounts(s.Resources.Requests), amounts(s.Resources.Limits))
		}
		if s.Overhead != nil {
			line("overhead %s", amounts(s.Overhead))
		}
	} else {
		line("no template")
	}
	if c.Pod.Live != nil {
		for _, k := range c.Pod.Live.Spec.Containers {
			line("live pod's container %s: requests %s limits %s", k.Name, amounts(k.Resources.Requests), amounts(k.Resources.Limits))
		}
	}
	for _, r := range c.Pod.LimitRanges {
		line("limit range: %s", asJSON(r.Spec))
	}
	for _, r := range c.Recommendations {
		line("recommended for %s: requests %s limits %s keep ratio %v unset %v throttled %t OOM-killed %t", r.Container, amounts(r.Requests), amounts(r.Limits), r.KeepRatio, r.UnsetLimits, r.Throttled, r.OOMKilled)
	}
	if c.State != nil {
		line("state: %s", asJSON(c.State))
	}
	if o := asJSON(c.Options); o != "{}" {
		line("options: %s", o)
	}
	return strings.TrimRight(b.String(), "\n")
}

func describeHPA(c *hpacouple.Input) string {
	entries := metrics.Classify(&c.HPA.Spec)
	if len(entries) == 1 && entries[0].Coupled() {
		text := fmt.Sprintf("%s %s %d %%", entries[0].Type, entries[0].Resource, entries[0].Utilization)
		if entries[0].Container != "" {
			text += " of container " + entries[0].Container
		}
		if c.HPA.Spec.Behavior == nil {
			return text
		}
		return text + " behavior " + asJSON(c.HPA.Spec.Behavior)
	}
	return asJSON(c.HPA.Spec)
}

// amounts prints cpu before memory before what else there is.
func amounts(list corev1.ResourceList) string {
	if len(list) == 0 {
		return "-"
	}
	return asJSON(list) // keys are sorted
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
