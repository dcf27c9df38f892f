package main

import (
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/metrics"
)

// Annotations in which autoscaling/v1 carries entries and behavior.
const (
	entriesAnnotation  = "metadata.annotations[autoscaling.alpha.kubernetes.io/metrics]"
	behaviorAnnotation = "metadata.annotations[autoscaling.alpha.kubernetes.io/behavior]"
)

// readAutoscalers finds the HPAs of both versions by what they scale. Each is held against the API server's rules, whatever it scales: one that
// cannot exist is refused, and is not taken for an HPA of nobody.
func (s *surroundings) readAutoscalers() (faults []fault) {
	keep := func(h manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler], path func(string) string) {
		errs := metrics.Validate(h.Object)
		for _, e := range errs {
			at := path(e.Field)
			faults = append(faults, faultAt(h.Field(at), at, e.ErrorBody()))
		}
		if len(errs) > 0 {
			s.refuse(h, h.Object.Spec.ScaleTargetRef, "is not valid")
			return
		}
		s.hpas = append(s.hpas, h)
	}
	for _, v2 := range s.objects.Autoscalers {
		keep(v2, func(path string) string { return path })
	}
	for _, v1 := range s.objects.AutoscalersV1 {
		hpa, err := metrics.FromV1(v1.Object)
		if err != nil {
			at, message, _ := strings.Cut(err.Error(), ": ") // the annotation comes first
			faults = append(faults, faultAt(v1.Field(at), at, message))
			s.refuse(manifest.As(v1, hpa), autoscalingv2.CrossVersionObjectReference(v1.Object.Spec.ScaleTargetRef), "could not be read")
			continue
		}
		keep(manifest.As(v1, hpa), func(path string) string { return pathInV1(path, v1.Object, len(hpa.Spec.Metrics)) })
	}
	sortByName(s.hpas)
	for _, h := range s.hpas {
		k := keyOf(h.Namespace, &h.Object.Spec.ScaleTargetRef)
		s.scalers[k] = append(s.scalers[k], h)
	}
	return faults
}

// refuse notes an HPA that is there but plays no part. What it scales counts as unknown unless it is named in full.
func (s *surroundings) refuse(h manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler], ref autoscalingv2.CrossVersionObjectReference, why string) {
	r := refusal{manifest.Refused{Origin: h.Origin, Identity: h.Identity}, why}
	if ref.Kind != "" && ref.Name != "" {
		r.Target = &ref
	}
	s.refused[h.Namespace] = append(s.refused[h.Namespace], r)
}

// pathInV1 is where a field of an HPA stands in its autoscaling/v1 form. entries is the number of its entries, of which that of cpu is the last.
func pathInV1(path string, v1 *autoscalingv1.HorizontalPodAutoscaler, entries int) string {
	root, index, _ := splitPath(strings.TrimPrefix(path, "spec."))
	switch {
	case root == "behavior":
		return behaviorAnnotation
	case root != "metrics":
		return path
	case index == entries-1 && v1.Spec.TargetCPUUtilizationPercentage != nil:
		return "spec.targetCPUUtilizationPercentage"
	}
	return entriesAnnotation
}
