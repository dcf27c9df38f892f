package metrics_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

const (
	hugePages = corev1.ResourceName(corev1.ResourceHugePagesPrefix + "2Mi")
	device    = corev1.ResourceName("example.com/device")
)

// resourceNames are the resources that the comparisons ask for; nothing ever requests the last one.
var resourceNames = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, hugePages, device, "example.com/none"}

// spellings are texts that people write, and those on which rounding and canonical forms turn.
var spellings = map[corev1.ResourceName][]string{
	corev1.ResourceCPU: {"0", "0.0", "1n", "999999n", "1000001n", "1u", "1500u", "1m", "12m", "100m", "250m", "0.1", "0.25", "0.0001", "1", "1.0", "1500m",
		"1.5", "2", "1e0", "1e-3", "123456789n", "64", "3k"},
	corev1.ResourceMemory: {"0", "1", "1m", "1n", "1500u", "64Mi", "128Mi", "128974848", "129e6", "129M", "1.1Gi", "0.3Ki", "7.7Mi", "1Gi", "1G", "1.5Gi", "512Mi",
		"1181116006400m", "4Ti", "0.5"},
	corev1.ResourceEphemeralStorage: {"0", "1Gi", "500M", "1.1Gi"},
	hugePages:                       {"0", "2Mi", "4Mi", "64Mi", "1.1Mi"},
	device:                          {"0", "1", "2", "500m"},
}

// drawQuantity draws from 0 to 64 Ti, so that no sum here leaves the range in which the real code is defined.
func drawQuantity(t *rapid.T, name corev1.ResourceName) resource.Quantity {
	switch rapid.IntRange(0, 9).Draw(t, "how") {
	default:
		return resource.MustParse(rapid.SampledFrom(spellings[name]).Draw(t, "text"))
	case 6, 7:
		return *resource.NewMilliQuantity(rapid.Int64Range(0, 4000).Draw(t, "milli"), resource.DecimalSI)
	case 8:
		scale := rapid.SampledFrom([]resource.Scale{resource.Nano, resource.Micro, resource.Milli}).Draw(t, "scale")
		return *resource.NewScaledQuantity(rapid.Int64Range(0, 5_000_000_000).Draw(t, "scaled"), scale)
	case 9:
		format := rapid.SampledFrom([]resource.Format{resource.BinarySI, resource.DecimalExponent}).Draw(t, "format")
		return *resource.NewQuantity(rapid.Int64Range(0, 64<<40).Draw(t, "whole"), format)
	}
}

// shape is what all containers of one pod have in common, so that both complete and patchy pods are frequent.
type shape struct {
	names []corev1.ResourceName // that the pod's lists hold
	set   int                   // percent of them that are given
	tidy  bool                  // limits are not below requests, as validation wants it
}

func drawShape(t *rapid.T) shape {
	s := shape{
		names: []corev1.ResourceName{corev1.ResourceCPU},
		set:   rapid.SampledFrom([]int{100, 95, 60}).Draw(t, "set"),
		tidy:  rapid.IntRange(0, 3).Draw(t, "tidy") > 0,
	}
	if rapid.IntRange(0, 3).Draw(t, "memory") > 0 {
		s.names = append(s.names, corev1.ResourceMemory)
	}
	if extra := rapid.IntRange(0, 7).Draw(t, "extra"); extra < 3 {
		s.names = append(s.names, []corev1.ResourceName{hugePages, device, corev1.ResourceEphemeralStorage}[extra])
	}
	return s
}

// drawRequirements gives each resource nothing, a request, a limit or both.
func (s shape) drawRequirements(t *rapid.T) (out corev1.ResourceRequirements) {
	for _, name := range s.names {
		if rapid.IntRange(0, 99).Draw(t, "given") >= s.set {
			continue
		}
		given := rapid.IntRange(0, 3).Draw(t, "which")
		request, limit := drawQuantity(t, name), resource.Quantity{}
		if given != 0 {
			limit = drawQuantity(t, name)
		}
		if s.tidy && (name == hugePages || name == device) {
			request = resource.MustParse(rapid.SampledFrom([]string{"0", "2Mi", "4Mi"}).Draw(t, "whole"))
			given = max(given, 1) // without a limit no pod is valid
			limit = request.DeepCopy()
		} else if s.tidy && request.Cmp(limit) > 0 {
			limit = request.DeepCopy()
		}
		if given != 3 {
			put(&out.Requests, name, request)
		}
		if given != 0 {
			put(&out.Limits, name, limit)
		}
	}
	return out
}

func put(list *corev1.ResourceList, name corev1.ResourceName, q resource.Quantity) {
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[name] = q
}

func (s shape) drawContainer(t *rapid.T, name string) corev1.Container {
	return corev1.Container{Name: name, Image: "image", Resources: s.drawRequirements(t)}
}

func (s shape) drawInitContainer(t *rapid.T, name string) corev1.Container {
	c := s.drawContainer(t, name)
	switch rapid.IntRange(0, 20).Draw(t, "restart") {
	default:
		c.RestartPolicy = ptr(corev1.ContainerRestartPolicyAlways)
	case 11, 12, 13, 14, 15, 16, 17, 18, 19: // ordinary
	case 20: // ordinary too
		c.RestartPolicy = ptr(corev1.ContainerRestartPolicyNever)
	}
	return c
}

func ptr[T any](v T) *T { return &v }

// drawTemplate draws a pod template with 1 to 4 containers, 0 to 3 init containers of both kinds, and possibly overhead and
// pod-level resources.
func (s shape) drawTemplate(t *rapid.T) *corev1.PodTemplateSpec {
	spec := corev1.PodSpec{}
	for i := range rapid.IntRange(1, 4).Draw(t, "containers") {
		spec.Containers = append(spec.Containers, s.drawContainer(t, fmt.Sprintf("c%d", i)))
	}
	for i := range rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "init containers") {
		spec.InitContainers = append(spec.InitContainers, s.drawInitContainer(t, fmt.Sprintf("i%d", i)))
	}
	if rapid.IntRange(0, 3).Draw(t, "overhead") == 0 {
		for _, name := range s.names {
			if rapid.Bool().Draw(t, "given") {
				put(&spec.Overhead, name, drawQuantity(t, name))
			}
		}
	}
	spec.Resources = s.drawPodLevel(t)
	return &corev1.PodTemplateSpec{Spec: spec}
}

// drawPodLevel draws nothing for half of the pods; in tidy pods amounts large enough for the containers, and only resources
// that the pod level supports.
func (s shape) drawPodLevel(t *rapid.T) *corev1.ResourceRequirements {
	level := rapid.IntRange(0, 9).Draw(t, "pod level")
	if level < 5 {
		return nil
	}
	wide := s
	wide.set = 70
	if level == 9 { // resources that no container names, or that the pod level does not support
		wide.names = []corev1.ResourceName{corev1.ResourceMemory, hugePages, device}
	}
	out := wide.drawRequirements(t)
	if !s.tidy {
		return &out
	}
	for _, list := range []corev1.ResourceList{out.Requests, out.Limits} {
		for name, q := range list {
			switch name {
			case device, corev1.ResourceEphemeralStorage:
				delete(list, name)
			case hugePages:
				list[name] = resource.MustParse("1Gi")
			default:
				q.Add(resource.MustParse("512Ti"))
				list[name] = q
			}
		}
	}
	return &out
}

// drawLimitRanges draws 0 to 3 LimitRanges with 0 to 2 items each; most items concern containers.
func (s shape) drawLimitRanges(t *rapid.T) []corev1.LimitRange {
	var out []corev1.LimitRange
	names := rapid.Permutation([]string{"a", "b", "c"}).Draw(t, "names")
	for i := range rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3}).Draw(t, "limit ranges") {
		limitRange := corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: names[i]}}
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			item := corev1.LimitRangeItem{Type: rapid.SampledFrom([]corev1.LimitType{
				corev1.LimitTypeContainer, corev1.LimitTypeContainer, corev1.LimitTypeContainer, corev1.LimitTypePod, corev1.LimitTypePersistentVolumeClaim, "",
			}).Draw(t, "type")}
			for _, list := range []*corev1.ResourceList{&item.Default, &item.DefaultRequest, &item.Max, &item.Min} {
				if rapid.IntRange(0, 2).Draw(t, "list") > 0 {
					continue
				}
				for _, name := range s.names {
					if rapid.IntRange(0, 2).Draw(t, "given") > 0 {
						put(list, name, drawQuantity(t, name))
					}
				}
			}
			limitRange.Spec.Limits = append(limitRange.Spec.Limits, item)
		}
		out = append(out, limitRange)
	}
	return out
}
