package rightsizetest

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// WriteInMemory is a writer without a server: it stores the change's state and sets each amount and target where the change names it. It writes
// to the objects that it is given.
func WriteInMemory(o Objects, c hpacouple.Change) Objects {
	if c.State != nil {
		o.State = c.State.DeepCopy()
	}
	for _, a := range c.Amounts {
		if r := resourcesAt(o.Template, a.AmountRef); r != nil && a.Kind == hpacouple.Limit {
			put(&r.Limits, a.Resource, a.To)
		} else if r != nil {
			put(&r.Requests, a.Resource, a.To)
		}
	}
	if o.HPA == nil {
		return o
	}
	for _, target := range c.Targets {
		for i := range o.HPA.Spec.Metrics {
			m := &o.HPA.Spec.Metrics[i]
			if m.Type != target.Type {
				continue
			}
			if m.Resource != nil && m.Resource.Name == target.Resource && target.Container == "" {
				m.Resource.Target.AverageUtilization = ptrTo(target.To)
			} else if k := m.ContainerResource; k != nil && k.Name == target.Resource && k.Container == target.Container {
				k.Target.AverageUtilization = ptrTo(target.To)
			}
		}
	}
	return o
}

func resourcesAt(spec *corev1.PodSpec, ref hpacouple.AmountRef) *corev1.ResourceRequirements {
	if spec == nil {
		return nil
	}
	list := spec.Containers
	switch ref.Place {
	case hpacouple.InPod:
		return spec.Resources
	case hpacouple.InInitContainers:
		list = spec.InitContainers
	}
	if k := slices.IndexFunc(list, func(c corev1.Container) bool { return c.Name == ref.Container }); k >= 0 {
		return &list[k].Resources
	}
	return nil
}

// put sets an amount, or takes it away where to is nil.
func put(list *corev1.ResourceList, name corev1.ResourceName, to *resource.Quantity) {
	if to == nil {
		delete(*list, name)
		return
	}
	set(list, name, *to)
}
