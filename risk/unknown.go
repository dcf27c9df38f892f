package risk

import (
	"cmp"
	"errors"
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// unknownMetrics raises metric-unknown in four ways, which can hold together:
//
//   - condition ScalingActive is False with a reason other than ScalingDisabled: the last pass failed (metric not readable, selector empty
//     or shared with another HPA);
//   - an item of status.currentMetrics has no type: the controller leaves the item of a metric that it could not read empty, also when the
//     other metrics let it go on, where no condition shows it;
//   - an entry that the controller cannot use: an Object entry of type Utilization, an entry without its source or target;
//   - a utilization entry whose request sum cannot be computed from the pod: a counted container has no request of the resource, the container
//     of a ContainerResource entry does not exist, or the sum is 0. Who is hurt: the HPA never scales on that metric, and never in while it
//     fails. Not asked where the pod's spec was not given or has no containers; amounts that the API server would refuse raise nothing.
//
// Source: protocol B6, C3, C5; computeReplicasForMetrics in pkg/controller/podautoscaler/horizontal.go, calculateRequests in
// replica_calculator.go, GetResourceUtilizationRatio in metrics/utilization.go.
func (c *checker) unknownMetrics() {
	if i, active := condition(c.in.HPA, autoscalingv2.ScalingActive); failing(active) {
		c.add(skipreason.FlagMetricUnknown, c.hpa, conditionField(i), cmp.Or(active.Reason, "False"), "ScalingActive is False")
	}
	for i := range c.in.HPA.Status.CurrentMetrics {
		if c.in.HPA.Status.CurrentMetrics[i].Type == "" {
			c.add(skipreason.FlagMetricUnknown, c.hpa, fmt.Sprintf("status.currentMetrics[%d]", i), "empty", "the last pass could not read this metric")
		}
	}
	for _, e := range c.entries {
		switch e.Target {
		case metrics.TargetUnusable:
			c.add(skipreason.FlagMetricUnknown, c.hpa, fmt.Sprintf("spec.metrics[%d]", e.Index), cmp.Or(string(e.Type), "empty"), "the controller cannot use this entry")
		case metrics.TargetUtilization:
			c.requests(e)
		}
	}
}

// failing says whether a ScalingActive condition reports a failed pass.
func failing(active *autoscalingv2.HorizontalPodAutoscalerCondition) bool {
	return active != nil && active.Status == corev1.ConditionFalse && active.Reason != "ScalingDisabled"
}

// plainlyRequested says that every container and init container of a pod without resources of its own and without injected ones has a written
// request above 0, so that no sum has to be made.
func plainlyRequested(pod *metrics.Pod, name corev1.ResourceName) bool {
	if pod.Live != nil || pod.Spec.Resources != nil || len(pod.Spec.Containers) == 0 {
		return false
	}
	for _, list := range [...][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range list {
			if q := list[i].Resources.Requests[name]; q.Sign() <= 0 {
				return false
			}
		}
	}
	return true
}

func (c *checker) requests(e metrics.Entry) {
	if c.in.Pod.Spec == nil || (e.Container == "" && plainlyRequested(&c.in.Pod, e.Resource)) {
		return
	}
	sum, err := c.in.Pod.Requests(e.Resource, e.Container)
	if err == nil && sum.Milli > 0 {
		return
	}
	var missing *metrics.MissingRequestError
	var absent *metrics.UnknownContainerError
	switch {
	case len(sum.Terms) == 0:
	case errors.As(err, &absent):
		c.add(skipreason.FlagMetricUnknown, c.hpa, fmt.Sprintf("spec.metrics[%d].containerResource.container", e.Index), e.Container, "the pod has no such container")
	case errors.As(err, &missing) && len(missing.Containers) > 0:
		for _, t := range sum.Terms {
			if t.Counted && !t.Request.Present() {
				object, field := c.containerField(t.Container)
				c.add(skipreason.FlagMetricUnknown, object, field+".resources.requests."+string(e.Resource), "absent", fmt.Sprintf("no %s request", e.Resource))
			}
		}
	case errors.As(err, &missing):
		c.add(skipreason.FlagMetricUnknown, c.in.Workload, "spec.template.spec.resources.requests."+string(e.Resource), "absent", fmt.Sprintf("no %s request", e.Resource))
	case err == nil && sum.Milli == 0:
		c.add(skipreason.FlagMetricUnknown, c.in.Workload, "spec.template.spec", "0", fmt.Sprintf("the %s requests add up to 0", e.Resource))
	}
}

// containerField names a container of the finished pod: in the template, or in the live pod where it was injected.
func (c *checker) containerField(t metrics.Container) (Object, string) {
	list := "initContainers"
	if t.Role == metrics.RoleContainer {
		list = "containers"
	}
	if t.Injected && c.in.Pod.Live != nil {
		live := c.in.Pod.Live
		return Object{Kind: "Pod", Namespace: live.Namespace, Name: live.Name}, fmt.Sprintf("spec.%s[name=%q]", list, t.Name)
	}
	return c.in.Workload, fmt.Sprintf("spec.template.spec.%s[name=%q]", list, t.Name)
}

// neverComputed raises never-computed: ScalingActive is False with a reason other than ScalingDisabled, and status has neither lastScaleTime
// nor an item of currentMetrics with a type. An HPA without the condition has not been looked at yet, which raises nothing.
// Limit: an HPA that only lifted the count to minReplicas has a lastScaleTime without ever having computed; it is not found.
// Source: protocol B6; setCurrentReplicasAndMetricsInStatus in pkg/controller/podautoscaler/horizontal.go.
func (c *checker) neverComputed() {
	status := &c.in.HPA.Status
	i, active := condition(c.in.HPA, autoscalingv2.ScalingActive)
	if !failing(active) || status.LastScaleTime != nil {
		return
	}
	for j := range status.CurrentMetrics {
		if status.CurrentMetrics[j].Type != "" {
			return
		}
	}
	c.add(skipreason.FlagNeverComputed, c.hpa, conditionField(i), cmp.Or(active.Reason, "False"), "status has no lastScaleTime and no current metrics")
}
