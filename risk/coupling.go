package risk

import (
	"strconv"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// Targets says whether an HPA names the workload in scaleTargetRef: same namespace, kind and name. The group is not compared, since one kind
// has had several. Special case: nil is false.
func Targets(hpa *autoscalingv2.HorizontalPodAutoscaler, workload Object) bool {
	if hpa == nil {
		return false
	}
	ref := &hpa.Spec.ScaleTargetRef
	return sameNamespace(hpa.Namespace, workload.Namespace) && ref.Kind == workload.Kind && ref.Name == workload.Name
}

// ours returns the HPAs of the workload, each once: the given one first, then the others that name the workload.
func (c *checker) ours() (list []*autoscalingv2.HorizontalPodAutoscaler) {
	add := func(hpa *autoscalingv2.HorizontalPodAutoscaler) {
		for _, known := range list {
			if known.Name == hpa.Name && sameNamespace(known.Namespace, hpa.Namespace) {
				return
			}
		}
		list = append(list, hpa)
	}
	if c.in.HPA != nil {
		add(c.in.HPA)
	}
	for _, hpa := range c.in.OtherHPAs {
		if Targets(hpa, c.in.Workload) {
			add(hpa)
		}
	}
	return list
}

// coupled raises hpa-coupled: an entry of any HPA of the workload is a Resource or ContainerResource entry for cpu or memory with a
// utilization target, whatever else is decided.
// Source: protocol A1; computeStatusForResourceMetricGeneric in pkg/controller/podautoscaler/horizontal.go.
func (c *checker) coupled() {
	for _, hpa := range c.list {
		object := Object{Kind: "HorizontalPodAutoscaler", Namespace: hpa.Namespace, Name: hpa.Name}
		entries := c.entries
		if hpa != c.in.HPA {
			entries = metrics.Classify(&hpa.Spec)
		}
		for _, e := range entries {
			if e.Coupled() {
				c.add(skipreason.FlagHPACoupled, object, targetField(&hpa.Spec, e), decimal(e.Utilization), scalesOn(e.Resource))
			}
		}
	}
}

// ambiguous raises hpa-ambiguous: two or more HPAs name the workload. The controller then finds that more than one HPA selects the pods, and
// stops them all (ScalingActive False, AmbiguousSelector).
// Source: validateAndParseSelector in pkg/controller/podautoscaler/horizontal.go.
func (c *checker) ambiguous() {
	list := c.list
	if len(list) < 2 {
		return
	}
	for _, hpa := range list {
		object := Object{Kind: "HorizontalPodAutoscaler", Namespace: hpa.Namespace, Name: hpa.Name}
		c.add(skipreason.FlagHPAAmbiguous, object, "spec.scaleTargetRef", strconv.Itoa(len(list)), "names the same workload as another HPA")
	}
}

func scalesOn(name corev1.ResourceName) string {
	if name == corev1.ResourceMemory {
		return "scales on memory utilization"
	}
	return "scales on cpu utilization"
}

// targetField is the path of an entry's utilization target. The API server's default has no place of its own.
func targetField(spec *autoscalingv2.HorizontalPodAutoscalerSpec, e metrics.Entry) string {
	if len(spec.Metrics) == 0 {
		return "spec.metrics"
	}
	if e.Index == 0 && e.Type == autoscalingv2.ResourceMetricSourceType {
		return "spec.metrics[0].resource.target.averageUtilization" // the usual one
	}
	source := "resource"
	if e.Type == autoscalingv2.ContainerResourceMetricSourceType {
		source = "containerResource"
	}
	return "spec.metrics[" + strconv.Itoa(e.Index) + "]." + source + ".target.averageUtilization"
}

func decimal(n int32) string { return strconv.FormatInt(int64(n), 10) }
