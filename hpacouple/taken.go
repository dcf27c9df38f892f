package hpacouple

import (
	"cmp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/risk"
)

// +kubebuilder:object:generate=true

// Taken is what our manager took over, as it was before: data to be stored, because once a field is taken neither its owner nor its value can
// be read any more. A field that is not in it is not remembered; one without owners belonged to nobody.
type Taken struct {
	// HPAUID and WorkloadUID are the objects' own; what was taken from an object that is gone is forgotten.
	HPAUID      types.UID `json:"hpaUID,omitempty"`
	WorkloadUID types.UID `json:"workloadUID,omitempty"`
	// HPAName is the name of the HPA whose metrics were taken, in the workload's namespace: it may scale another workload by the time of the
	// release. Memories that were stored without it are of the HPA that is given.
	HPAName string `json:"hpaName,omitempty"`
	// FieldManager is in whose name the fields were taken.
	FieldManager string `json:"fieldManager,omitempty"`
	// Metrics is spec.metrics of the HPA, nil where that was not taken.
	Metrics *TakenMetrics `json:"metrics,omitempty"`
	// Amounts are the workload's.
	// +listType=atomic
	Amounts []TakenAmount `json:"amounts,omitempty"`
}

// +kubebuilder:object:generate=true

// TakenMetrics is spec.metrics as it was: one field whatever it holds.
type TakenMetrics struct {
	// Targets are the utilization targets of that list.
	// +listType=atomic
	Targets []TakenTarget `json:"targets,omitempty"`
	// Held says that the field has been seen as ours since ([Taken.Confirm]).
	Held bool `json:"held,omitempty"`
	// Owners with the field's spelling in their apiVersion.
	// +listType=atomic
	Owners []risk.Owner `json:"owners,omitempty"`
}

// TakenTarget is one target as it was, in whole percent.
type TakenTarget struct {
	TargetRef `json:",inline"`
	Target    int32 `json:"target"`
}

// +kubebuilder:object:generate=true

// TakenAmount is one request or limit as it was; nil is absent.
type TakenAmount struct {
	AmountRef `json:",inline"`
	Value     *resource.Quantity `json:"value,omitempty"`
	// Cleared says that the amount was taken away by us.
	Cleared bool `json:"cleared,omitempty"`
	// Held says that the amount has been seen as ours since, or as absent where it was cleared ([Taken.Confirm]).
	Held bool `json:"held,omitempty"`
	// +listType=atomic
	Owners []risk.Owner `json:"owners,omitempty"`
}

// of is a copy for the live objects: without what was taken from others of their name.
func (t *Taken) of(live Live) (out Taken) {
	t.DeepCopyInto(&out)
	other := func(known *types.UID, is types.UID) bool {
		other := *known != "" && is != "" && *known != is
		if is != "" {
			*known = is
		}
		return other
	}
	if live.HPA != nil {
		if other(&out.HPAUID, live.HPA.UID) {
			out.Metrics = nil
		}
		out.HPAName = cmp.Or(live.HPA.Name, out.HPAName)
	}
	if live.Meta != nil && other(&out.WorkloadUID, live.Meta.UID) {
		out.Amounts = nil
	}
	return out
}

// WithoutHPA is the memory once the HPA is gone: the API server has none of that name (HPAName). Nothing of it can be given back, and the
// requests can go back without a target: by [Release] with Back, or by the reverse of the change without its HPA and Targets. A new HPA of the same name needs no such call, its uid tells.
func (t Taken) WithoutHPA() (out Taken) {
	if len(t.Amounts) == 0 {
		return out
	}
	t.DeepCopyInto(&out)
	out.HPAUID, out.HPAName, out.Metrics = "", "", nil
	return out
}

// others is what is to be remembered of a list that was released for some resources: the targets of the others, whose requests are still ours
// and cannot go back without them.
func (m *TakenMetrics) others(released func(corev1.ResourceName) bool) *TakenMetrics {
	if m == nil {
		return nil
	}
	var left TakenMetrics
	for _, t := range m.Targets {
		if !released(t.Resource) {
			left.Targets = append(left.Targets, t)
		}
	}
	if len(left.Targets) == 0 {
		return nil
	}
	return &left
}

// knows says whether a target of the resource is remembered.
func (m *TakenMetrics) knows(name corev1.ResourceName) bool {
	return m != nil && slices.ContainsFunc(m.Targets, func(t TakenTarget) bool { return t.Resource == name })
}

// namesOther says whether the metrics that are remembered are another HPA's, by its name.
func (t *Taken) namesOther(live Live) bool {
	return t.Metrics != nil && t.HPAName != "" && live.HPA != nil && live.HPA.Name != t.HPAName
}

// check returns what cannot be meant by a memory together with the live objects and a field manager.
func (t *Taken) check(live Live, fieldManager string) (errs field.ErrorList) {
	at := field.NewPath("taken")
	if t.namesOther(live) {
		errs = append(errs, field.Invalid(at.Child("hpaName"), t.HPAName,
			"its metrics are ours, and the HPA given is "+strconv.Quote(live.HPA.Name)+": release them first, or forget them where it is gone (WithoutHPA)"))
	}
	if t.FieldManager != "" && fieldManager != "" && t.FieldManager != fieldManager {
		errs = append(errs, field.Invalid(at.Child("fieldManager"), t.FieldManager, "is not "+strconv.Quote(fieldManager)+": release first what was taken in its name"))
	}
	return append(errs, t.Validate()...)
}

// Confirm returns the memory after the writes were sent: what the live objects show to be ours is marked as held. From then on it counts as
// taken back where it is ours no more. Store it when the writes have been answered; without it the next write cannot tell a write of its own
// that never arrived from an owner who has taken the field back, and forces once more. A half that is not given, or that is another HPA's than
// the one remembered, is left as it is. An empty fieldManager is the one in whose name the fields were taken.
func (t Taken) Confirm(live Live, fieldManager string) Taken {
	if t.namesOther(live) {
		live.HPA = nil
	}
	out := t.of(live)
	manager := cmp.Or(fieldManager, out.FieldManager, risk.DefaultFieldManager)
	if live.HPA != nil && out.Metrics != nil {
		if o, bad := readOwned(live.HPA.ManagedFields, manager, nil); bad == nil && o.has(metricsPlace{}) {
			out.Metrics.Held = true
		}
	}
	if live.Meta == nil {
		return out
	}
	o, bad := readOwned(live.Meta.ManagedFields, manager, nil)
	if bad != nil {
		return out
	}
	out.confirmAmounts(&o, &scene{live: live})
	return out
}

func (t *Taken) confirmAmounts(o *owned, s *scene) {
	for i := range t.Amounts {
		a := &t.Amounts[i]
		if o.has(a.AmountRef) {
			a.Held, a.Cleared = true, false
		} else if a.Cleared && s.live.Template != nil {
			r, _ := s.resources(a.AmountRef)
			a.Held = a.Held || (r != nil && liveAmount(r, a.AmountRef) == nil)
		}
	}
}

// held is the memory of an amount that has been ours, nil where there is none.
func (t *Taken) held(ref AmountRef) *TakenAmount {
	if a := t.amount(ref); a != nil && a.Held {
		return a
	}
	return nil
}

// amount is the memory of one amount, nil where there is none.
func (t *Taken) amount(ref AmountRef) *TakenAmount {
	for i := range t.Amounts {
		if t.Amounts[i].AmountRef == ref {
			return &t.Amounts[i]
		}
	}
	return nil
}

// remember stores what stood in a field and who owned it. A field that is ours keeps its memory; who claims it as well is added.
func (t *Taken) remember(a TakenAmount, ours bool) {
	known := t.amount(a.AmountRef)
	switch {
	case known == nil:
		t.Amounts = append(t.Amounts, a)
	case ours:
		known.Owners = withOwners(known.Owners, a.Owners)
	default:
		*known = a
	}
}

// clear says that a remembered amount is taken away by us; what was absent before us leaves nothing to say.
func (t *Taken) clear(ref AmountRef) {
	if a := t.amount(ref); a != nil && a.Value != nil {
		a.Cleared = true
	}
}

func withOwners(known, more []risk.Owner) []risk.Owner {
	for _, o := range more {
		if !slices.Contains(known, o) {
			known = append(known, o)
		}
	}
	return known
}
