package risk

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// ReplicaFloor is the fewest replicas of a served workload whose pods can be replaced one by one without an outage.
const ReplicaFloor int32 = 2

// singleReplica raises single-replica: minReplicas is 1, which it also is when it is not given, and a Service selects the pods. Too few
// replicas hurt as an outage, too many as money; minReplicas 0 has its own flags.
// Source: protocol B6; pkg/apis/autoscaling/v2/defaults.go.
func (c *checker) singleReplica() {
	least := metrics.MinReplicas(&c.in.HPA.Spec)
	if least < 1 || least >= ReplicaFloor {
		return
	}
	if service, served := c.service(); served {
		c.add(skipreason.FlagSingleReplica, c.hpa, "spec.minReplicas", decimal(least), "Service "+service+" selects the pods")
	}
}

// service returns the first Service by name that selects the pods of the template: same namespace, not of type ExternalName, a selector that
// is not empty and whose every label the template carries.
func (c *checker) service() (name string, ok bool) {
	for i := range c.in.Services {
		s := &c.in.Services[i]
		if !sameNamespace(s.Namespace, c.in.Workload.Namespace) || s.Spec.Type == corev1.ServiceTypeExternalName || len(s.Spec.Selector) == 0 {
			continue
		}
		if labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(c.in.TemplateLabels)) && (!ok || s.Name < name) {
			name, ok = s.Name, true
		}
	}
	return name, ok
}

// atMaxReplicas raises at-max-replicas: maxReplicas is at least 1 and status.currentReplicas or status.desiredReplicas is at or above it; or
// condition ScalingLimited is True with reason TooManyReplicas while the workload does not stand at zero (the controller leaves that
// condition as it was when it stops computing). minReplicas = maxReplicas raises it as well: nothing is scaled.
// Source: protocol B6; convertDesiredReplicasWithRules and stabilization in pkg/controller/podautoscaler/horizontal.go.
func (c *checker) atMaxReplicas() {
	most, status := c.in.HPA.Spec.MaxReplicas, &c.in.HPA.Status
	for _, count := range []struct {
		field string
		value int32
	}{{"status.currentReplicas", status.CurrentReplicas}, {"status.desiredReplicas", status.DesiredReplicas}} {
		if most >= 1 && count.value >= most {
			c.add(skipreason.FlagAtMaxReplicas, c.hpa, count.field, decimal(count.value), fmt.Sprintf("maxReplicas is %d", most))
		}
	}
	i, limited := condition(c.in.HPA, autoscalingv2.ScalingLimited)
	if limited != nil && limited.Status == corev1.ConditionTrue && limited.Reason == "TooManyReplicas" && ZeroState(c.in.SpecReplicas, c.in.HPA) == Active {
		c.add(skipreason.FlagAtMaxReplicas, c.hpa, conditionField(i), limited.Reason, fmt.Sprintf("maxReplicas is %d", most))
	}
}

// condition returns the HPA's first condition of a type and its index, or nil.
func condition(hpa *autoscalingv2.HorizontalPodAutoscaler, kind autoscalingv2.HorizontalPodAutoscalerConditionType) (int, *autoscalingv2.HorizontalPodAutoscalerCondition) {
	for i := range hpa.Status.Conditions {
		if hpa.Status.Conditions[i].Type == kind {
			return i, &hpa.Status.Conditions[i]
		}
	}
	return 0, nil
}

func conditionField(i int) string { return fmt.Sprintf("status.conditions[%d]", i) }
