package hpacouple

import (
	"cmp"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
	"github.com/kube-rightsize/rightsize/risk"
)

// scene is the live objects, read and checked: what writes and releases are built from.
type scene struct {
	workload Workload
	live     Live
	manager  string

	template, hpa owned // who owns what
}

// sceneOf reads the live objects. The HPA is looked at if there is one.
func sceneOf(w Workload, live Live, manager string, noManagedFields bool) (s scene, errs field.ErrorList) {
	s = scene{workload: w, live: live, manager: cmp.Or(manager, risk.DefaultFieldManager), template: owned{mine: -1}, hpa: owned{mine: -1}}
	at := field.NewPath("live")
	read := func(meta *metav1.ObjectMeta, at *field.Path) owned {
		if len(meta.ManagedFields) == 0 && !noManagedFields {
			errs = append(errs, field.Required(at.Child("managedFields"),
				"without them what our manager owns would be given up unseen; set noManagedFields where the object really has none"))
		}
		o, bad := readOwned(meta.ManagedFields, s.manager, at.Child("managedFields"))
		if o.resourceVersion = meta.ResourceVersion; bad != nil {
			errs = append(errs, bad)
		}
		return o
	}
	if live.Meta != nil {
		s.template = read(live.Meta, at.Child("meta"))
		if live.Meta.Name != w.Name || (w.Namespace != "" && live.Meta.Namespace != "" && live.Meta.Namespace != w.Namespace) {
			errs = append(errs, field.Invalid(at.Child("meta", "name"), live.Meta.Namespace+"/"+live.Meta.Name, "is not the workload, "+w.Namespace+"/"+w.Name))
		}
		if !s.template.listsByName(w) {
			errs = append(errs, field.NotSupported(field.NewPath("workload", "kind"), w.APIVersion+" "+w.Kind, byNameKinds()))
		}
	}
	if live.HPA != nil {
		s.hpa = read(&live.HPA.ObjectMeta, at.Child("hpa", "metadata"))
	}
	return s, errs
}

// scaledBy says whether an HPA's scaleTargetRef names the workload. What is not said is taken for granted.
func (w Workload) scaledBy(hpa *autoscalingv2.HorizontalPodAutoscaler) bool {
	ref := hpa.Spec.ScaleTargetRef
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return same(ref.Kind, w.Kind) && same(ref.Name, w.Name) && same(hpa.Namespace, w.Namespace) &&
		(ref.APIVersion == "" || groupOf(ref.APIVersion) == groupOf(w.APIVersion))
}

// byNameKinds are the kinds whose schema is known: an apply merges their containers by name.
func byNameKinds() []string {
	return []string{"apps Deployment", "apps StatefulSet", "apps ReplicaSet", "apps DaemonSet", "v1 ReplicationController"}
}

// listsByName says whether an apply merges containers by name. Of other kinds only managedFields can tell: where the list is one atomic field
// an apply with one container would replace them all.
func (o *owned) listsByName(w Workload) bool {
	kind := groupOf(w.APIVersion) + " " + w.Kind
	if w.APIVersion == "v1" {
		kind = "v1 " + w.Kind
	}
	if slices.Contains(byNameKinds(), kind) {
		return true
	}
	for i := range o.entries {
		if list := podSpec(&o.entries[i].tree).Child("f:containers"); list != nil {
			return slices.ContainsFunc(list.Children, func(n fieldsv1.Node) bool { _, ok := fieldsv1.ItemName(n.Key); return ok })
		}
	}
	return false
}

func (s *scene) hpaRef() ObjectRef {
	return ObjectRef{APIVersion: autoscalingV2, Kind: hpaKind, Namespace: s.live.HPA.Namespace, Name: s.live.HPA.Name}
}

// namespace is the one of the live objects where the workload names none.
func (s *scene) namespace() string {
	switch {
	case s.workload.Namespace != "":
	case s.live.Meta != nil:
		return s.live.Meta.Namespace
	case s.live.HPA != nil:
		return s.live.HPA.Namespace
	}
	return s.workload.Namespace
}

func (s *scene) workloadRef() ObjectRef {
	return ObjectRef{APIVersion: s.workload.APIVersion, Kind: s.workload.Kind, Namespace: s.namespace(), Name: s.workload.Name}
}

// container finds a container of the live template; for the pod's own amounts it is the pod's resources alone.
func (s *scene) resources(ref AmountRef) (r *corev1.ResourceRequirements, index int) {
	list := s.live.Template.Containers
	switch ref.Place {
	case InPod:
		if s.live.Template.Resources == nil {
			return &corev1.ResourceRequirements{}, 0
		}
		return s.live.Template.Resources, 0
	case InInitContainers:
		list = s.live.Template.InitContainers
	}
	for i := range list {
		if list[i].Name == ref.Container {
			return &list[i].Resources, i
		}
	}
	return nil, -1
}

func amountList(r *corev1.ResourceRequirements, kind AmountKind) corev1.ResourceList {
	if kind == Limit {
		return r.Limits
	}
	return r.Requests
}

// draft is one change on its way to writes.
type draft struct {
	scene
	change *Change
	o      *WriteOptions
	out    Writing
	taken  Taken
	errs   field.ErrorList
}

func draftOf(c *Change, live Live, o WriteOptions) (*draft, field.ErrorList) {
	errs := c.validate(nil)
	at := field.NewPath("live")
	if live.Template == nil {
		errs = append(errs, field.Required(at.Child("template"), "the live pod template"))
	}
	if live.Meta == nil {
		errs = append(errs, field.Required(at.Child("meta"), "the live workload's metadata"))
	}
	if c.HPA.Name == "" {
		live.HPA = nil // not part of the change
	} else if live.HPA == nil {
		errs = append(errs, field.Required(at.Child("hpa"), "the live HPA"))
	} else if ref := refOf(live.HPA); ref.Name != c.HPA.Name || (c.HPA.Namespace != "" && ref.Namespace != c.HPA.Namespace) {
		errs = append(errs, field.Invalid(at.Child("hpa", "metadata", "name"), ref.Namespace+"/"+ref.Name, "is not the HPA of the change, "+c.HPA.Namespace+"/"+c.HPA.Name))
	}
	errs = append(errs, o.Taken.check(live, o.FieldManager)...)
	s, more := sceneOf(c.Workload, live, cmp.Or(o.FieldManager, o.Taken.FieldManager), o.NoManagedFields)
	if errs = append(errs, more...); len(errs) > 0 {
		return nil, sorted(errs)
	}
	d := &draft{scene: s, change: c, o: &o, taken: o.Taken.of(live)}
	d.taken.FieldManager = s.manager
	if d.taken.Metrics != nil && d.scene.hpa.has(metricsPlace{}) {
		d.taken.Metrics.Held = true
	}
	d.taken.confirmAmounts(&d.template, &d.scene)
	if c.HPA.UID != "" && live.HPA != nil && live.HPA.UID != "" && live.HPA.UID != c.HPA.UID {
		d.out.Stale = append(d.out.Stale, "metadata.uid")
	}
	if live.HPA != nil && !c.Workload.scaledBy(live.HPA) {
		d.out.Stale = append(d.out.Stale, "spec.scaleTargetRef")
	}
	return d, nil
}

// unremembered lists what is ours and has no past.
func (d *draft) unremembered() (list []string) {
	if d.scene.hpa.has(metricsPlace{}) && d.taken.Metrics == nil {
		list = append(list, metricsField)
	}
	for _, ref := range amountsOf(d.template.ours(), nil) {
		if d.taken.amount(ref) == nil {
			list = append(list, ref.String())
		}
	}
	return list
}

// claim says what writing a field asks for: nothing (it is ours, or nobody's), force, or more than may be done.
func (d *draft) claim(o *owned, f place, remembered bool) (others []risk.Owner, force, allowed bool) {
	others = o.others(f)
	switch {
	case len(others) == 0:
		// With managedFields stripped the server makes an owner of all that stands there.
		return others, len(o.entries) == 0, true
	case d.o.Retake:
		return others, true, true
	case o.has(f) || remembered:
		d.out.Contested = append(d.out.Contested, others...)
		return others, false, false
	}
	return others, true, true
}
