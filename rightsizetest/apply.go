package rightsizetest

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Apply writes a plan into a copy of its input, as a controller would write it into the objects, and puts the plan's state in place of the
// input's. Injected containers are not in the template and are left alone; an HPA without metrics gets its entry. Neither argument is written
// to.
func Apply(in hpacouple.Input, r hpacouple.Result) hpacouple.Input {
	out := in.DeepCopy()
	if r.State != nil {
		out.State = r.State.DeepCopy()
	}
	if out.Pod.Spec != nil {
		writeContainers(out.Pod.Spec.Containers, r.Containers)
		writeContainers(out.Pod.Spec.InitContainers, r.Containers)
	}
	one, several := hpaOf(*out)
	if one == nil || several || len(r.Targets) != 1 {
		return *out
	}
	to := r.Targets[0].To
	switch list := one.Spec.Metrics; {
	case len(list) == 1 && list[0].Type == autoscalingv2.ResourceMetricSourceType && list[0].Resource != nil:
		list[0].Resource.Target.AverageUtilization = &to
	case len(list) == 0:
		one.Spec.Metrics = []autoscalingv2.MetricSpec{utilization(corev1.ResourceCPU, to)}
	}
	return *out
}

func writeContainers(list []corev1.Container, plans []hpacouple.ContainerPlan) {
	for i := range list {
		res := &list[i].Resources
		for _, c := range plans {
			if c.Name != list[i].Name || c.Injected {
				continue
			}
			limitMoves := (c.LimitFrom == nil) != (c.LimitTo == nil) || (c.LimitFrom != nil && c.LimitFrom.Cmp(*c.LimitTo) != 0)
			if limitMoves && c.LimitTo == nil {
				delete(res.Limits, c.Resource)
			} else if limitMoves {
				set(&res.Limits, c.Resource, *c.LimitTo)
			}
			if (limitMoves || c.Changes()) && c.To != nil {
				set(&res.Requests, c.Resource, *c.To)
			}
		}
	}
}

func set(list *corev1.ResourceList, name corev1.ResourceName, q resource.Quantity) {
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[name] = q.DeepCopy()
}
