package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

// scene is a workload as it was read, with what is around it.
type scene struct {
	workload hpacouple.Workload
	meta     *metav1.ObjectMeta
	template *corev1.PodTemplateSpec
	replicas *int32
	rolling  bool                                     // a rollout is on its way
	hpas     []*autoscalingv2.HorizontalPodAutoscaler // that scale it
	all      []*autoscalingv2.HorizontalPodAutoscaler // of the namespace
	pod      metrics.Pod
}

// live are the objects that are written, with the HPA of that name; the empty name is the first.
func (s *scene) live(hpa string) hpacouple.Live {
	l := hpacouple.Live{Meta: s.meta, Template: &s.template.Spec}
	for _, h := range s.hpas {
		if hpa == "" || h.Name == hpa {
			l.HPA = h
			break
		}
	}
	return l
}

// read reads from the API server itself. A cache may be behind, and may lack managedFields; what is missing there would be given up unseen.
func (r *Reconciler) read(ctx context.Context, key types.NamespacedName) (*scene, error) {
	s := &scene{workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: r.Kind, Namespace: key.Namespace, Name: key.Name}}
	var selector *metav1.LabelSelector
	switch r.Kind {
	case "Deployment":
		d, err := r.Clients.AppsV1().Deployments(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		s.meta, s.template, s.replicas, selector = &d.ObjectMeta, &d.Spec.Template, d.Spec.Replicas, d.Spec.Selector
		s.rolling = deploying(d)
	case "StatefulSet":
		d, err := r.Clients.AppsV1().StatefulSets(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		s.meta, s.template, s.replicas, selector = &d.ObjectMeta, &d.Spec.Template, d.Spec.Replicas, d.Spec.Selector
		s.rolling = updating(d)
	default:
		return nil, fmt.Errorf("workloads of kind %s are not known", r.Kind)
	}
	hpas, err := r.Clients.AutoscalingV2().HorizontalPodAutoscalers(key.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range hpas.Items {
		h := &hpas.Items[i]
		s.all = append(s.all, h)
		if h.Spec.ScaleTargetRef.Kind == r.Kind && h.Spec.ScaleTargetRef.Name == key.Name {
			s.hpas = append(s.hpas, h)
		}
	}
	ranges, err := r.Clients.CoreV1().LimitRanges(key.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	s.pod = metrics.Pod{Spec: &s.template.Spec, LimitRanges: ranges.Items}
	s.pod.Live, err = r.youngest(ctx, key.Namespace, selector)
	return s, err
}

// youngest is the youngest pod that runs, which shows what was injected; nil where none does.
func (r *Reconciler) youngest(ctx context.Context, namespace string, selector *metav1.LabelSelector) (*corev1.Pod, error) {
	pods, err := r.Clients.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(selector)})
	if err != nil {
		return nil, err
	}
	var found *corev1.Pod
	for i := range pods.Items {
		p := &pods.Items[i]
		younger := found == nil || found.CreationTimestamp.Before(&p.CreationTimestamp)
		if p.DeletionTimestamp == nil && p.Status.Phase == corev1.PodRunning && younger {
			found = p
		}
	}
	return found, nil
}

// send sends a write as the library built it.
func (r *Reconciler) send(ctx context.Context, w hpacouple.Write) error { return r.patch(ctx, w) }

func (r *Reconciler) patch(ctx context.Context, w hpacouple.Write, dryRun ...string) (err error) {
	o := metav1.PatchOptions{FieldManager: w.FieldManager, DryRun: dryRun}
	if w.PatchType == hpacouple.ApplyPatch {
		o.Force = &w.Force
	}
	name, as := w.Object.Name, types.PatchType(w.PatchType)
	switch w.Object.Kind {
	case "HorizontalPodAutoscaler":
		_, err = r.Clients.AutoscalingV2().HorizontalPodAutoscalers(w.Object.Namespace).Patch(ctx, name, as, w.Body, o)
	case "Deployment":
		_, err = r.Clients.AppsV1().Deployments(w.Object.Namespace).Patch(ctx, name, as, w.Body, o)
	case "StatefulSet":
		_, err = r.Clients.AppsV1().StatefulSets(w.Object.Namespace).Patch(ctx, name, as, w.Body, o)
	default:
		err = fmt.Errorf("writes of kind %s are not known", w.Object.Kind)
	}
	if err != nil {
		return fmt.Errorf("write of %s %s: %w", w.Object.Kind, name, err)
	}
	return nil
}

// deploying says whether a rollout of the Deployment is on its way. One that has missed its deadline is not waited for: a change may be its cure. Where
// no controller has ever looked at it there are no pods.
func deploying(d *appsv1.Deployment) bool {
	if d.Status.ObservedGeneration == 0 || d.Spec.Paused {
		return false
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentProgressing {
			return c.Status == corev1.ConditionTrue && (c.Reason != "NewReplicaSetAvailable" || d.Status.ObservedGeneration < d.Generation)
		}
	}
	return false
}

// updating is that for a StatefulSet. One that is updated by hand, or up to a partition, is not waited for.
func updating(s *appsv1.StatefulSet) bool {
	u := s.Spec.UpdateStrategy
	byHand := u.Type == appsv1.OnDeleteStatefulSetStrategyType || (u.RollingUpdate != nil && u.RollingUpdate.Partition != nil && *u.RollingUpdate.Partition > 0)
	return !byHand && s.Status.CurrentRevision != s.Status.UpdateRevision && s.Status.UpdatedReplicas < s.Status.Replicas
}
