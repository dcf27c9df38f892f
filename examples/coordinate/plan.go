package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
)

// coordinate plans every workload that has new requests and holds the plans against the policies.
func coordinate(d documents, s settings) report {
	around, faults := survey(&d.objects)
	tasks, notes, unmatched := assign(workloads(&d.objects), &around, d.rows, s)
	r := newReport()
	r.Notes = append(r.Notes, notes...)
	r.Errors = append(r.Errors, slices.Concat(d.faults, faults, unmatched)...)
	measure(tasks, &around, d, s, &r)
	for _, t := range tasks {
		t.settleWishes()
	}
	r.undoes, r.manager, r.unpriced = s.undoes(), s.manager(), s.unpriced
	r.Notes = append(r.Notes, around.strays(tasks)...)
	r.Notes = append(r.Notes, skipped(&d.objects)...)
	left := 0
	for _, t := range tasks {
		if !s.undoes() && t.measured != nil && len(t.measured.broken) > 0 {
			continue // said in Errors
		}
		item, ok, faults := t.item(s, around.policies[t.Namespace])
		r.Errors = append(r.Errors, faults...)
		if ok {
			r.Items = append(r.Items, item)
		} else if len(faults) == 0 {
			left++
			for _, n := range t.usageNotes {
				r.Notes = append(r.Notes, t.String()+": "+n)
			}
		}
	}
	if left > 0 && r.undoes {
		r.Notes = append(r.Notes, fmt.Sprintf("with nothing to undo, so left alone: %d of %d workloads", left, len(tasks)))
	} else if left > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("without new requests, so not planned: %d of %d workloads", left, len(tasks)))
	}
	return r
}

// item is what the report says of one workload; ok is false where nothing is asked of it, or faults stand against it.
func (t *task) item(s settings, p policy) (i item, ok bool, faults []fault) {
	asked := len(t.wishes) > 0
	if s.undoes() {
		asked = t.rollsBack || t.releases
	}
	if !asked {
		return i, false, nil
	}
	if len(t.faults) > 0 {
		return i, false, t.faults
	}
	var err error
	by := ""
	if t.ledger, by, err = ledger.Read(t.meta, s.manager()); err != nil {
		return i, false, []fault{faultAt(t.origin, "metadata.annotations["+ledger.Annotation+"]", err.Error())}
	}
	t.ledger = t.ledger.Of(t.meta.UID)
	if by != "" {
		t.notes = append(t.notes, "the annotation "+ledger.Annotation+" is left unread: "+by+" has written it, as kubectl rollout undo and copies do")
	}
	if s.undoes() {
		i, ok = t.undo(s)
		return i, ok, nil
	}
	if i, ok = t.finish(s); ok {
		return i, true, nil
	}
	i, faults = t.plan(s, p)
	return i, len(faults) == 0, faults
}

// plan plans and admits one workload.
func (t *task) plan(s settings, p policy) (item, []fault) {
	if len(t.conflicts) > 0 {
		return item{}, t.conflicts
	}
	in := t.input(s)
	result, errs := hpacouple.Plan(in)
	if len(errs) > 0 {
		return item{}, t.place(in, errs)
	}
	switch {
	case p.unknown:
		t.notes = append(t.notes, "the policy of namespace "+t.Namespace+" is not known, so coordination counts as off, with --coordinate too")
		p.Policy = hpacouple.Policy{}
	case s.coordinate:
		on := hpacouple.HPAPolicy{Coordinate: true}
		if p.Spec.HPA != nil {
			on.TargetBounds = p.Spec.HPA.TargetBounds
		}
		p.Spec.HPA = &on
	}
	live := t.liveObjects(in.HPA)
	verdict, errs := hpacouple.Admit(result, hpacouple.Admission{Policy: p.Policy, MayPatchHPA: !s.readOnly, Live: live})
	if len(errs) > 0 {
		return item{}, t.place(in, errs)
	}
	t.notes = append(t.notes, t.usageNotes...)
	i := newItem(t, in, result, verdict)
	i.policyUnknown = p.unknown
	t.explain(&i, s)
	t.sends(&i, s, verdict, live)
	i.sortNotes()
	return i, nil
}

// input is the question to the library.
func (t *task) input(s settings) hpacouple.Input {
	in := hpacouple.Input{
		Workload:           t.Workload,
		Meta:               t.meta,
		Pod:                metrics.Pod{Spec: &t.template.Spec},
		TemplateLabels:     t.template.Labels,
		Recommendations:    t.recommendations(),
		State:              t.ledger.State(),
		MaxReplicasReached: t.atMax,
		Surroundings:       t.surroundings(),
		Options:            s.options,
	}
	if s.version != "" {
		c := risk.Component{Version: s.version}
		in.Surroundings.ControlPlane = &risk.ControlPlane{APIServer: c, ControllerManager: c}
	}
	if t.live != nil {
		in.Pod.Live = t.live.Object
	}
	for _, r := range t.ranges {
		in.Pod.LimitRanges = append(in.Pod.LimitRanges, *r.Object)
	}
	for i, h := range t.hpas {
		if i == 0 {
			in.HPA = h.Object
		} else {
			in.OtherHPAs = append(in.OtherHPAs, h.Object)
		}
	}
	return in
}

// surroundings are what the risk flags are raised from. Of several VerticalPodAutoscalers the first that changes requests is asked.
func (t *task) surroundings() hpacouple.Surroundings {
	out := hpacouple.Surroundings{SpecReplicas: t.replicas}
	for _, v := range t.services {
		out.Services = append(out.Services, *v.Object)
	}
	for _, p := range t.pods {
		out.Pods = append(out.Pods, *p.Object)
	}
	for _, v := range t.recommends {
		if out.VPA == nil || out.VPA.UpdateMode == "Off" {
			out.VPA = vpaOf(v.Object)
		}
	}
	return out
}

func vpaOf(v *manifest.VerticalPodAutoscaler) *risk.VPA {
	out := &risk.VPA{Object: risk.Object{Kind: v.Kind, Namespace: v.Namespace, Name: v.Name}, UpdateMode: v.Spec.UpdatePolicy.UpdateMode}
	for _, p := range v.Spec.ResourcePolicy.ContainerPolicies {
		c := risk.VPAContainer{Name: p.ContainerName, Mode: p.Mode}
		if p.ControlledResources != nil {
			c.ControlledResources = append([]corev1.ResourceName{}, *p.ControlledResources...)
		}
		out.Containers = append(out.Containers, c)
	}
	return out
}

// recommendations are the wishes and facts, container by container.
func (t *task) recommendations() []hpacouple.Recommendation {
	found := map[string]*hpacouple.Recommendation{}
	of := func(name string) *hpacouple.Recommendation {
		if found[name] == nil {
			found[name] = &hpacouple.Recommendation{Container: name, Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
		}
		return found[name]
	}
	for _, w := range t.wishes {
		if w.keepsRatio {
			of(w.container).KeepRatio = append(of(w.container).KeepRatio, w.resource)
		}
		switch {
		case w.keepsRatio && w.amount.IsZero():
		case w.isLimit:
			of(w.container).Limits[w.resource] = w.amount
		default:
			of(w.container).Requests[w.resource] = w.amount
		}
	}
	for _, name := range t.throttled {
		of(name).Throttled = true
	}
	for _, name := range t.oomKilled {
		of(name).OOMKilled = true
	}
	var out []hpacouple.Recommendation
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, *found[name])
	}
	return out
}

// place says where in the documents or flags the faults are that the library found.
func (t *task) place(in hpacouple.Input, errs field.ErrorList) (faults []fault) {
	for _, e := range errs {
		f := t.placeOne(in, e.Field)
		f.Message = strings.TrimPrefix(f.Message+": ", ": ") + e.ErrorBody() + " (" + t.String() + ")"
		faults = append(faults, f)
	}
	return faults
}

func (t *task) placeOne(in hpacouple.Input, path string) fault {
	root, index, rest := splitPath(path)
	switch root {
	case "template":
		at := strings.TrimPrefix("spec.template."+rest, ".")
		return faultAt(t.field(at), at, "")
	case "state":
		return faultAt(t.origin, "metadata.annotations["+ledger.Annotation+"].anchor."+rest, "")
	case "livePod":
		switch {
		case t.live == nil:
		case t.cleaned: // its containers have other numbers
			return faultAt(t.live.Origin, "", "")
		default:
			return faultAt(t.live.Field(rest), rest, "")
		}
	case "hpa":
		if len(t.hpas) > 0 {
			return faultAt(t.hpas[0].Field(rest), rest, "")
		}
	case "otherHPAs":
		if index+1 < len(t.hpas) {
			return faultAt(t.hpas[index+1].Field(rest), rest, "")
		}
	case "limitRanges":
		if index < len(t.ranges) {
			return faultAt(t.ranges[index].Field(rest), rest, "")
		}
	case "recommendations":
		if index >= len(in.Recommendations) {
			return t.placeSum(path)
		}
		for _, k := range asks(in.Recommendations[index].Container) {
			if w, ok := t.asked[k]; ok && (rest == "container" || rest == k.list()+"["+string(k.resource)+"]") {
				return w.source
			}
		}
	}
	return faultAt(t.origin, path, "")
}

// placeSum places a fault of all recommendations together, recommendations[cpu].requests: at the pod's own amount, with what was asked for.
func (t *task) placeSum(path string) fault {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		for _, isLimit := range []bool{false, true} {
			k := ask{resource: name, isLimit: isLimit}
			if path != "recommendations["+string(name)+"]."+k.list() {
				continue
			}
			var asked []string
			for _, w := range t.wishes {
				if w.resource == name && w.isLimit == isLimit && !slices.Contains(asked, w.source.String()) {
					asked = append(asked, w.source.String())
				}
			}
			at := "spec.template.spec.resources." + k.list() + "[" + string(name) + "]"
			return faultAt(t.field(at), at, "with "+listed(asked))
		}
	}
	const containers = "spec.template.spec.containers"
	return faultAt(t.field(containers), containers, "")
}

// splitPath cuts root[index].rest; index is beyond every list where there is none.
func splitPath(path string) (root string, index int, rest string) {
	index = 1<<31 - 2
	root, rest, _ = strings.Cut(path, ".")
	if name, number, ok := strings.Cut(root, "["); ok {
		root = name
		if i, err := strconv.Atoi(strings.TrimSuffix(number, "]")); err == nil && i >= 0 {
			index = i
		}
	}
	return root, index, rest
}

// strays names HPAs and VPAs that scale nothing among the documents.
func (s *surroundings) strays(tasks []*task) (notes []string) {
	known := map[key]bool{}
	for _, t := range tasks {
		known[key{t.Kind, t.Namespace, t.Name}] = true
	}
	for _, r := range s.objects.Refused { // a fault already
		known[key{r.Kind, r.Namespace, r.Name}] = true
	}
	stray := func(kind, namespace, name string, ref *autoscalingv2.CrossVersionObjectReference) {
		if !known[keyOf(namespace, ref)] {
			notes = append(notes, fmt.Sprintf("%s %s/%s scales %s %s, which is not among the workloads that were read", kind, namespace, name, ref.Kind, ref.Name))
		}
	}
	for _, h := range s.hpas {
		stray("HorizontalPodAutoscaler", h.Namespace, h.Name, &h.Object.Spec.ScaleTargetRef)
	}
	for _, v := range s.objects.VerticalAutoscalers {
		stray("VerticalPodAutoscaler", v.Namespace, v.Name, &v.Object.Spec.TargetRef)
	}
	slices.Sort(notes)
	return notes
}
