package metrics

import (
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what the API server of v1.37 would refuse in the spec of a new HPA, after its defaults ([Default]), as errors with field
// paths. An empty list means that it would be accepted, with HPAScaleToZero on (the default since 1.37).
//
// Accepted, although it looks wrong: a target above 100; a target.type that does not fit the field that is set; a value beside a
// utilization; duplicate entries; any resource name in a Resource entry.
// Limits: metadata is not checked. Special cases: nil is one error.
// Source: pkg/apis/autoscaling/validation/validation.go.
func Validate(hpa *autoscalingv2.HorizontalPodAutoscaler) field.ErrorList {
	root := &place{name: "spec", index: -1}
	if hpa == nil {
		return field.ErrorList{field.Required(root.path(), "no HorizontalPodAutoscaler")}
	}
	spec := &hpa.Spec
	least := MinReplicas(spec)
	var errs field.ErrorList
	if least < 0 {
		errs = append(errs, field.Invalid(root.Child("minReplicas"), least, "must be greater than or equal to 0"))
	}
	if spec.MaxReplicas == 0 {
		errs = append(errs, field.Required(root.Child("maxReplicas"), "must be set and greater than 0"))
	} else if spec.MaxReplicas < 0 {
		errs = append(errs, field.Invalid(root.Child("maxReplicas"), spec.MaxReplicas, "must be greater than or equal to 1"))
	}
	if spec.MaxReplicas < least {
		errs = append(errs, field.Invalid(root.Child("maxReplicas"), spec.MaxReplicas, "must be greater than or equal to `minReplicas`"))
	}
	ref := spec.ScaleTargetRef
	errs = append(errs, validateReference(ref, root.in("scaleTargetRef"), ref.Kind == "ReplicationController")...)
	errs = append(errs, validateEntries(spec, root.in("metrics"))...)
	if b := spec.Behavior; b != nil {
		errs = append(errs, validateRules(b.ScaleUp, root.in("behavior").in("scaleUp"))...)
		errs = append(errs, validateRules(b.ScaleDown, root.in("behavior").in("scaleDown"))...)
	}
	return errs
}

func validateReference(ref autoscalingv2.CrossVersionObjectReference, at *place, emptyGroup bool) field.ErrorList {
	errs := append(validateSegment(ref.Kind, at, "kind", ""), validateSegment(ref.Name, at, "name", "")...)
	group, err := schema.ParseGroupVersion(ref.APIVersion)
	switch {
	case err != nil:
		errs = append(errs, field.Invalid(at.Child("apiVersion"), ref.APIVersion, err.Error()))
	case group.Group == "" && !emptyGroup:
		errs = append(errs, field.Invalid(at.Child("apiVersion"), ref.APIVersion, "apiVersion must specify API group"))
	}
	return errs
}

// validateSegment refuses an empty text and one that cannot be a segment of a URL path.
func validateSegment(text string, parent *place, name, required string) (errs field.ErrorList) {
	if text == "" {
		return field.ErrorList{field.Required(parent.Child(name), required)}
	}
	for _, msg := range path.IsValidPathSegmentName(text) {
		errs = append(errs, field.Invalid(parent.Child(name), text, msg))
	}
	return errs
}

func validateEntries(spec *autoscalingv2.HorizontalPodAutoscalerSpec, at *place) (errs field.ErrorList) {
	wakes := false
	for i := range spec.Metrics {
		m := &spec.Metrics[i]
		errs = append(errs, validateEntry(m, at.at(i))...)
		wakes = wakes || m.Type == autoscalingv2.ObjectMetricSourceType || m.Type == autoscalingv2.ExternalMetricSourceType
	}
	if MinReplicas(spec) == 0 && !wakes {
		errs = append(errs, field.Forbidden(at.path(), "must specify at least one Object or External metric to support scaling to zero replicas"))
	}
	return errs
}

var sourceTypes = []string{"ContainerResource", "External", "Object", "Pods", "Resource"}

// validateEntry checks the first source that is there, in the order in which the API server looks for them, then that it is the type's and
// the only one.
func validateEntry(m *autoscalingv2.MetricSpec, at *place) (errs field.ErrorList) {
	if m.Type == "" {
		errs = append(errs, field.Required(at.Child("type"), "must specify a metric source type"))
	}
	switch {
	case m.Object != nil:
		errs = append(errs, validateObject(m.Object, at.in("object"))...)
	case m.External != nil:
		errs = append(errs, validateExternal(m.External, at.in("external"))...)
	case m.Pods != nil:
		errs = append(errs, validatePods(m.Pods, at.in("pods"))...)
	case m.Resource != nil:
		errs = append(errs, validateResource(m.Resource, at.in("resource"))...)
	case m.ContainerResource != nil:
		errs = append(errs, validateContainerResource(m.ContainerResource, at.in("containerResource"))...)
	}
	sources := [...]struct {
		of    autoscalingv2.MetricSourceType
		name  string
		there bool
	}{
		{autoscalingv2.ObjectMetricSourceType, "object", m.Object != nil},
		{autoscalingv2.ExternalMetricSourceType, "external", m.External != nil},
		{autoscalingv2.PodsMetricSourceType, "pods", m.Pods != nil},
		{autoscalingv2.ResourceMetricSourceType, "resource", m.Resource != nil},
		{autoscalingv2.ContainerResourceMetricSourceType, "containerResource", m.ContainerResource != nil},
	}
	count, expected := 0, ""
	for _, s := range sources {
		if s.there {
			count++
		}
		if s.of == m.Type {
			expected = s.name
			if !s.there {
				errs = append(errs, field.Required(at.Child(s.name), "must populate information for the given metric source"))
			}
		}
	}
	if expected == "" { // twice, as the validation function has it; the API server drops repetitions when it answers
		errs = append(errs, field.NotSupported(at.Child("type"), string(m.Type), sourceTypes), field.NotSupported(at.Child("type"), string(m.Type), sourceTypes))
	}
	for _, s := range sources {
		if count != 1 && s.there && s.name != expected {
			errs = append(errs, field.Forbidden(at.Child(s.name), "must populate the given metric source only"))
		}
	}
	return errs
}

func validateObject(s *autoscalingv2.ObjectMetricSource, at *place) field.ErrorList {
	errs := validateReference(s.DescribedObject, at.in("describedObject"), true)
	errs = append(errs, validateSegment(s.Metric.Name, at.in("metric"), "name", "must specify a metric name")...)
	errs = append(errs, validateTarget(&s.Target, at.in("target"))...)
	if s.Target.Value == nil && s.Target.AverageValue == nil {
		errs = append(errs, field.Required(at.Child("target", "averageValue"), "must set either a target value or averageValue"))
	}
	return errs
}

func validateExternal(s *autoscalingv2.ExternalMetricSource, at *place) field.ErrorList {
	errs := validateSegment(s.Metric.Name, at.in("metric"), "name", "must specify a metric name")
	errs = append(errs, validateTarget(&s.Target, at.in("target"))...)
	if s.Target.Value == nil && s.Target.AverageValue == nil {
		errs = append(errs, field.Required(at.Child("target", "averageValue"), "must set either a target value for metric or a per-pod target"))
	}
	if s.Target.Value != nil && s.Target.AverageValue != nil {
		errs = append(errs, field.Forbidden(at.Child("target", "value"), "may not set both a target value for metric and a per-pod target"))
	}
	return errs
}

func validatePods(s *autoscalingv2.PodsMetricSource, at *place) field.ErrorList {
	errs := validateSegment(s.Metric.Name, at.in("metric"), "name", "must specify a metric name")
	errs = append(errs, validateTarget(&s.Target, at.in("target"))...)
	if s.Target.AverageValue == nil {
		errs = append(errs, field.Required(at.Child("target", "averageValue"), "must specify a positive target averageValue"))
	}
	return errs
}

func validateResource(s *autoscalingv2.ResourceMetricSource, at *place) (errs field.ErrorList) {
	if s.Name == "" {
		errs = append(errs, field.Required(at.Child("name"), "must specify a resource name"))
	}
	return append(errs, validateResourceTarget(&s.Target, at.in("target"))...)
}

func validateContainerResource(s *autoscalingv2.ContainerResourceMetricSource, at *place) (errs field.ErrorList) {
	if s.Name == "" {
		errs = append(errs, field.Required(at.Child("name"), "must specify a resource name"))
	} else {
		errs = append(errs, validateContainerResourceName(s.Name, at.in("name"))...)
	}
	if s.Container == "" {
		errs = append(errs, field.Required(at.Child("container"), "must specify a container"))
	} else {
		for _, msg := range validation.IsDNS1123Label(s.Container) {
			errs = append(errs, field.Invalid(at.Child("container"), s.Container, msg))
		}
	}
	return append(errs, validateResourceTarget(&s.Target, at.in("target"))...)
}

func validateResourceTarget(t *autoscalingv2.MetricTarget, at *place) field.ErrorList {
	errs := validateTarget(t, at)
	if t.AverageUtilization == nil && t.AverageValue == nil {
		errs = append(errs, field.Required(at.Child("averageUtilization"), "must set either a target raw value or a target utilization"))
	}
	if t.AverageUtilization != nil && t.AverageValue != nil {
		errs = append(errs, field.Forbidden(at.Child("averageValue"), "may not set both a target raw value and a target utilization"))
	}
	return errs
}

func validateTarget(t *autoscalingv2.MetricTarget, at *place) (errs field.ErrorList) {
	if t.Type == "" {
		errs = append(errs, field.Required(at.Child("type"), "must specify a metric target type"))
	}
	switch t.Type {
	case autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType:
	default:
		errs = append(errs, field.Invalid(at.Child("type"), t.Type, "must be either Utilization, Value, or AverageValue"))
	}
	errs = append(errs, positive(t.Value, at, "value")...)
	errs = append(errs, positive(t.AverageValue, at, "averageValue")...)
	if t.AverageUtilization != nil && *t.AverageUtilization < 1 {
		errs = append(errs, field.Invalid(at.Child("averageUtilization"), *t.AverageUtilization, "must be greater than 0"))
	}
	return errs
}

func positive(q *resource.Quantity, parent *place, name string) field.ErrorList {
	if q == nil || q.Sign() > 0 {
		return nil
	}
	c := q.DeepCopy()
	return field.ErrorList{field.Invalid(parent.Child(name), c.String(), "must be positive")}
}

// validateContainerResourceName follows ValidateContainerResourceName of pkg/apis/core/validation: the resources that a container can
// request, or an extended resource.
func validateContainerResourceName(name corev1.ResourceName, at *place) (errs field.ErrorList) {
	text := string(name)
	for _, msg := range validation.IsQualifiedName(text) {
		errs = append(errs, field.Invalid(at.path(), name, msg))
	}
	if !strings.Contains(text, "/") {
		return append(errs, validateStandardName(name, at, len(errs) == 0)...)
	}
	if !strings.Contains(text, corev1.ResourceDefaultNamespacePrefix) && !extended(text) {
		errs = append(errs, field.Invalid(at.path(), name, "doesn't follow extended resource name standard"))
	}
	return errs
}

func validateStandardName(name corev1.ResourceName, at *place, qualified bool) (errs field.ErrorList) {
	if strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
		return nil
	}
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return nil
	}
	if qualified && !standardName(name) {
		errs = append(errs, field.Invalid(at.path(), name, "must be a standard resource type or fully qualified"))
	}
	return append(errs, field.Invalid(at.path(), name, "must be a standard resource for containers"))
}

// standardName knows the names without a slash that some Kubernetes object may count.
func standardName(name corev1.ResourceName) bool {
	switch name {
	case corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceRequestsEphemeralStorage,
		corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory, corev1.ResourceLimitsEphemeralStorage,
		corev1.ResourcePods, corev1.ResourceQuotas, corev1.ResourceServices, corev1.ResourceReplicationControllers,
		corev1.ResourceSecrets, corev1.ResourceConfigMaps, corev1.ResourcePersistentVolumeClaims, corev1.ResourceStorage,
		corev1.ResourceRequestsStorage, corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers:
		return true
	}
	return strings.HasPrefix(string(name), corev1.ResourceRequestsHugePagesPrefix)
}

// extended says whether a name with a slash is an extended resource's.
func extended(name string) bool {
	if strings.HasPrefix(name, corev1.DefaultResourceRequestsPrefix) {
		return false
	}
	return len(validation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+name)) == 0
}
