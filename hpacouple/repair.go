package hpacouple

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// clientSideApply is the manager under which kubectl apply writes.
const clientSideApply = "kubectl-client-side-apply"

// Repair returns the writes that undo what kubectl apply --server-side did in our manager's name to objects that were applied from a client:
// it moved every field to us, and from then on each body of ours would be refused. The entry gets its former name again; no value changes.
// Afterwards [Change.Writes] takes its fields as usual.
//
// Such an entry is known by the annotation kubectl.kubernetes.io/last-applied-configuration among its fields. Where the former name has an
// entry again that cannot be told apart any more, and nothing is done; [Release] takes our entry out. An empty fieldManager is the default, kerf.
// Errors: live objects that are missing or are others than the workload; managedFields that cannot be read.
// Source: docs/reference/ownership.md, rule 16.
func Repair(w Workload, live Live, fieldManager string) ([]Write, field.ErrorList) {
	errs := w.validate()
	if live.Meta == nil && live.HPA == nil {
		errs = append(errs, field.Required(field.NewPath("live"), "the live workload's metadata, the live HPA, or both"))
	}
	if live.HPA != nil {
		errs = append(errs, notScaled(w, live.HPA)...)
	}
	s, more := sceneOf(w, live, fieldManager, true)
	if errs = append(errs, more...); len(errs) > 0 {
		return nil, sorted(errs)
	}
	var writes []Write
	if live.HPA != nil {
		writes = append(writes, s.hpa.rename(s.hpaRef())...)
	}
	if live.Meta != nil {
		writes = append(writes, s.template.rename(s.workloadRef())...)
	}
	return writes, nil
}

func (o *owned) rename(ref ObjectRef) []Write {
	const update = metav1.ManagedFieldsOperationUpdate
	if o.ours().At("f:metadata", "f:annotations", "f:"+corev1.LastAppliedConfigAnnotation) == nil {
		return nil
	}
	mine := &o.entries[o.mine]
	if slices.ContainsFunc(o.entries, func(e ownedEntry) bool {
		return e.Manager == clientSideApply && e.Operation == update && e.APIVersion == mine.APIVersion
	}) {
		return nil
	}
	var p patch
	p.takeOut(mine, nil)
	p.op("replace", entryPointer(mine.index, "manager"), []byte(`"`+clientSideApply+`"`))
	p.op("replace", entryPointer(mine.index, "operation"), []byte(`"`+update+`"`))
	return []Write{{Object: ref, PatchType: JSONPatch, FieldManager: mine.Manager, Body: p.body()}}
}
