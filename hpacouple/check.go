package hpacouple

import (
	"slices"
	"strconv"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
)

// readOptions fills in the defaults and refuses what cannot be meant.
func (p *planner) readOptions() {
	o := &p.in.Options
	at := func(name string) *field.Path { return field.NewPath("options", name) }
	p.allowed = o.AutoPatch
	if p.allowed == nil {
		p.allowed = allSized[:]
	}
	for i, name := range o.AutoPatch {
		if !sized(name) {
			p.errs = append(p.errs, field.NotSupported(at("autoPatch").Index(i), name, resources()))
		}
	}
	p.bounds = bounds.DefaultTarget()
	if o.MinUtilization != 0 {
		p.bounds.Lo, p.bounds.LoBy = int64(o.MinUtilization), bounds.RuleOption
	}
	if o.MaxUtilization != 0 {
		p.bounds.Hi, p.bounds.HiBy = int64(o.MaxUtilization), bounds.RuleOption
	}
	if p.bounds.Lo < 1 {
		p.errs = append(p.errs, field.Invalid(at("minUtilization"), p.bounds.Lo, "must be at least 1"))
	}
	if p.bounds.Empty() {
		p.errs = append(p.errs, field.Invalid(at("maxUtilization"), p.bounds.Hi, "must be at least minUtilization, "+strconv.FormatInt(p.bounds.Lo, 10)))
	}
	p.steps = [2]int64{1, 1 << 20 * 1000}
	for name, q := range o.Steps {
		m, err := exact.Milli(q)
		whole, _ := exact.FloorMilli(q)
		switch {
		case !sized(name):
			p.errs = append(p.errs, field.NotSupported(at("steps").Key(string(name)), name, resources()))
		case err != nil:
			p.errs = append(p.errs, field.Invalid(at("steps").Key(string(name)), text(q), err.Error()))
		case m < 1 || m != whole || m%unit(name) != 0:
			p.errs = append(p.errs, field.Invalid(at("steps").Key(string(name)), text(q), "must be a whole number of millicores or bytes, at least 1"))
		default:
			p.steps[index(name)] = m
		}
	}
	p.nodes = [2]int64{-1, -1}
	for i, name := range allSized {
		q, ok := o.LargestNode[name]
		if !ok {
			continue
		}
		m, err := exact.FloorMilli(q)
		if err != nil {
			p.errs = append(p.errs, field.Invalid(at("largestNode").Key(string(name)), text(q), err.Error()))
			continue
		}
		p.nodes[i] = m
	}
	if o.Tolerance != nil && o.Tolerance.Sign() < 0 {
		p.errs = append(p.errs, field.Invalid(at("tolerance"), text(*o.Tolerance), "must not be negative"))
	}
}

func sized(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory
}

// checkInput refuses what a cluster cannot hold and recommendations that cannot be meant. Amounts are checked where they are read.
func (p *planner) checkInput() {
	p.oneHPA()
	if p.in.Pod.Spec == nil {
		p.errs = append(p.errs, field.Required(field.NewPath("template", "spec"), "a pod template"))
		return
	}
	var names nameIndex
	for _, part := range []struct {
		list []corev1.Container
		name string
	}{{p.in.Pod.Spec.Containers, "containers"}, {p.in.Pod.Spec.InitContainers, "initContainers"}} {
		for i := range part.list {
			if name := part.list[i].Name; names.add(name, i) {
				p.errs = append(p.errs, field.Duplicate(field.NewPath("template", "spec", part.name).Index(i).Child("name"), name))
			}
		}
	}
	p.checkRecommendations(&names)
	if p.in.State != nil {
		p.errs = append(p.errs, p.in.State.Validate(field.NewPath("state"))...)
	}
	for i, hpa := range p.in.OtherHPAs {
		p.checkHPA(hpa, func() *field.Path { return field.NewPath("otherHPAs").Index(i) })
	}
	if p.in.HPA != nil {
		p.checkHPA(p.in.HPA, func() *field.Path { return field.NewPath("hpa") })
	}
}

func (p *planner) checkRecommendations(names *nameIndex) {
	for i := range p.in.Recommendations {
		r := &p.in.Recommendations[i]
		at := func(name string) *field.Path { return field.NewPath("recommendations").Index(i).Child(name) }
		if p.asked.add(r.Container, i) {
			p.errs = append(p.errs, field.Duplicate(at("container"), r.Container))
			continue
		}
		if _, known := names.find(r.Container); !known {
			p.errs = append(p.errs, field.Invalid(at("container"), r.Container, p.whyUnknown(r.Container)))
		}
		for _, list := range []struct {
			amounts corev1.ResourceList
			name    string
		}{{r.Requests, "requests"}, {r.Limits, "limits"}} {
			for name := range list.amounts {
				if !sized(name) {
					p.errs = append(p.errs, field.NotSupported(at(list.name).Key(string(name)), name, resources()))
				}
			}
		}
		for k, name := range r.KeepRatio {
			if !sized(name) {
				p.errs = append(p.errs, field.NotSupported(at("keepRatio").Index(k), name, resources()))
			}
		}
		for k, name := range r.UnsetLimits {
			if !sized(name) {
				p.errs = append(p.errs, field.NotSupported(at("unsetLimits").Index(k), name, resources()))
			}
		}
	}
}

func (p *planner) whyUnknown(name string) string {
	specs := []*corev1.PodSpec{p.in.Pod.Spec}
	if live := p.in.Pod.Live; live != nil {
		specs = append(specs, &live.Spec)
		for _, c := range append(append([]corev1.Container{}, live.Spec.Containers...), live.Spec.InitContainers...) {
			if c.Name == name {
				return "is injected into pods; the template does not hold it, so its requests cannot be changed there"
			}
		}
	}
	for _, spec := range specs {
		for _, c := range spec.EphemeralContainers {
			if c.Name == name {
				return "is an ephemeral container, which has no requests"
			}
		}
	}
	return "the template has no container of that name"
}

// checkHPA refuses an HPA that the API server would refuse, and one for another workload.
func (p *planner) checkHPA(hpa *autoscalingv2.HorizontalPodAutoscaler, at func() *field.Path) {
	for _, e := range metrics.Validate(hpa) {
		e.Field = at().String() + "." + e.Field
		p.errs = append(p.errs, e)
	}
	if hpa == nil {
		return
	}
	ref, w := hpa.Spec.ScaleTargetRef, p.in.Workload
	other := ref.Kind != w.Kind || ref.Name != w.Name ||
		(hpa.Namespace != "" && w.Namespace != "" && hpa.Namespace != w.Namespace) ||
		(ref.APIVersion != "" && w.APIVersion != "" && groupOf(ref.APIVersion) != groupOf(w.APIVersion))
	if other {
		p.errs = append(p.errs, field.Invalid(at().Child("spec", "scaleTargetRef"), named(ref.APIVersion, hpa.Namespace, ref.Kind, ref.Name),
			"is not this workload, "+named(w.APIVersion, w.Namespace, w.Kind, w.Name)))
	}
}

// named writes an object's name with its group where that is known: apps/default/Deployment/web.
func named(apiVersion string, parts ...string) string {
	if group := groupOf(apiVersion); group != "" {
		parts = append([]string{group}, parts...)
	}
	return strings.Join(parts, "/")
}

// groupOf returns the group of an apiVersion, or the text itself where it is none.
func groupOf(apiVersion string) string {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return apiVersion
	}
	return gv.Group
}

// oneHPA makes the first HPA that is there *the* HPA and drops repetitions, so that the order and the field in which a caller gives them do not
// matter. The input is the caller's; its slice is not written to.
func (p *planner) oneHPA() {
	if p.in.HPA != nil && len(p.in.OtherHPAs) == 0 {
		return
	}
	var list []*autoscalingv2.HorizontalPodAutoscaler
	for _, hpa := range append([]*autoscalingv2.HorizontalPodAutoscaler{p.in.HPA}, p.in.OtherHPAs...) {
		if hpa != nil && !slices.Contains(list, hpa) {
			list = append(list, hpa)
		}
	}
	if len(list) > 0 {
		p.in.HPA, p.in.OtherHPAs = list[0], list[1:]
	}
}
