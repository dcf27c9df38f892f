package main

import (
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// target is what an HPA scales.
type target struct {
	manifest.Identity
	replicas *int32
	status   int32
	selector *metav1.LabelSelector
	template *corev1.PodTemplateSpec
}

func targets(o *manifest.Objects) (all []target) {
	for _, s := range o.Deployments {
		d := s.Object
		all = append(all, target{s.Identity, d.Spec.Replicas, d.Status.Replicas, d.Spec.Selector, &d.Spec.Template})
	}
	for _, s := range o.StatefulSets {
		d := s.Object
		all = append(all, target{s.Identity, d.Spec.Replicas, d.Status.Replicas, d.Spec.Selector, &d.Spec.Template})
	}
	for _, s := range o.ReplicaSets {
		d := s.Object
		all = append(all, target{s.Identity, d.Spec.Replicas, d.Status.Replicas, d.Spec.Selector, &d.Spec.Template})
	}
	return all
}

// targetOf finds what the HPA scales; nil if it is not in the input.
func targetOf(hpa *autoscalingv2.HorizontalPodAutoscaler, all []target) *target {
	ref := hpa.Spec.ScaleTargetRef
	for i := range all {
		t := &all[i]
		if t.Kind == ref.Kind && t.Name == ref.Name && t.Namespace == hpa.Namespace && (ref.APIVersion == "" || group(ref.APIVersion) == group(t.APIVersion)) {
			return t
		}
	}
	return nil
}

// group is an apiVersion without its version.
func group(apiVersion string) string {
	g, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return g
}

// scale is the target's scale subresource. A manifest without a status has as many pods as are listed.
func (t *target) scale(pods []corev1.Pod) (s autoscalingv1.Scale) {
	s.Spec.Replicas = 1
	if t.replicas != nil {
		s.Spec.Replicas = *t.replicas
	}
	selector, err := metav1.LabelSelectorAsSelector(t.selector)
	if err == nil && t.selector != nil {
		s.Status.Selector = selector.String()
	}
	s.Status.Replicas = t.status
	if t.status != 0 || err != nil {
		return s
	}
	for i := range pods {
		p := &pods[i]
		ended := p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded
		if p.Namespace == t.Namespace && !ended && selector.Matches(labelsOf(p)) {
			s.Status.Replicas++
		}
	}
	return s
}

// of says whether --replicas speaks of an HPA.
func (v scaleValue) of(hpa *autoscalingv2.HorizontalPodAutoscaler) bool {
	return v.hpa == hpa.Name || v.hpa == hpa.Namespace+"/"+hpa.Name
}

// target is what an HPA scales: from the input, or from --replicas; nil if nobody says it.
func (in *surroundings) target(hpa *autoscalingv2.HorizontalPodAutoscaler) *target {
	if t := targetOf(hpa, in.targets); t != nil {
		return t
	}
	ref := hpa.Spec.ScaleTargetRef
	for i := range in.scales {
		if v := &in.scales[i]; v.of(hpa) {
			return &target{Identity: manifest.Identity{APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: hpa.Namespace, Name: ref.Name},
				replicas: &v.replicas, status: v.replicas, selector: v.selector}
		}
	}
	return nil
}

// checkReplicas refuses what --replicas says of nobody, or of what is in the input.
func (in *surroundings) checkReplicas() (faults []string) {
	for _, v := range in.scales {
		found := false
		for _, hpa := range in.hpas {
			if !v.of(hpa) {
				continue
			}
			found = true
			if t := targetOf(hpa, in.targets); t != nil {
				faults = append(faults, "--replicas "+v.hpa+": "+t.Kind+" "+t.Name+" is in the input and says it itself")
			}
		}
		if !found {
			faults = append(faults, "--replicas "+v.hpa+": there is no HorizontalPodAutoscaler of that name")
		}
	}
	return faults
}
