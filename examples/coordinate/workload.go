package main

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// workload is an object with a pod template.
type workload struct {
	hpacouple.Workload
	origin   manifest.Origin
	field    func(path string) manifest.Origin // where a field of it stands
	meta     *metav1.ObjectMeta
	template *corev1.PodTemplateSpec
	selector *metav1.LabelSelector
	replicas *int32
	revision string // of a StatefulSet's present template
}

func (w *workload) String() string { return w.Kind + " " + w.Namespace + "/" + w.Name }

// is says whether a scope names the workload.
func (w *workload) is(s scope) bool {
	return (s.kind == "" || s.kind == w.Kind) && (s.name == "" || s.name == w.Name) && (s.namespace == "" || s.namespace == w.Namespace)
}

// has says whether the template has a container of that name.
func (w *workload) has(container string) bool { return hasContainer(&w.template.Spec, container) }

func hasContainer(spec *corev1.PodSpec, name string) bool {
	same := func(c corev1.Container) bool { return c.Name == name }
	return slices.ContainsFunc(spec.Containers, same) || slices.ContainsFunc(spec.InitContainers, same)
}

// workloads lists what can be resized, by namespace, kind and name. A ReplicaSet with a controller is not listed: its controller is.
func workloads(o *manifest.Objects) []*workload {
	var all []*workload
	add := func(field func(string) manifest.Origin, id manifest.Identity, w workload) {
		w.Workload = hpacouple.Workload{APIVersion: id.APIVersion, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
		w.origin, w.field = field(""), field
		all = append(all, &w)
	}
	for i := range o.Deployments {
		s, d := &o.Deployments[i], o.Deployments[i].Object
		add(s.Field, s.Identity, workload{meta: &d.ObjectMeta, template: &d.Spec.Template, selector: d.Spec.Selector, replicas: d.Spec.Replicas})
	}
	for i := range o.StatefulSets {
		s, d := &o.StatefulSets[i], o.StatefulSets[i].Object
		add(s.Field, s.Identity, workload{meta: &d.ObjectMeta, template: &d.Spec.Template, selector: d.Spec.Selector, replicas: d.Spec.Replicas, revision: d.Status.UpdateRevision})
	}
	for i := range o.ReplicaSets {
		s, d := &o.ReplicaSets[i], o.ReplicaSets[i].Object
		if metav1.GetControllerOfNoCopy(d) == nil {
			add(s.Field, s.Identity, workload{meta: &d.ObjectMeta, template: &d.Spec.Template, selector: d.Spec.Selector, replicas: d.Spec.Replicas})
		}
	}
	for i := range o.DaemonSets {
		s, d := &o.DaemonSets[i], o.DaemonSets[i].Object
		add(s.Field, s.Identity, workload{meta: &d.ObjectMeta, template: &d.Spec.Template, selector: d.Spec.Selector})
	}
	slices.SortStableFunc(all, func(a, b *workload) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return all
}
