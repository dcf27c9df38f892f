package hpacouple

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
	"github.com/kube-rightsize/rightsize/risk"
)

// owned is the managedFields of one object, read. Entries of subresources own nothing that a change writes and are left out; they keep their
// place in the list.
type owned struct {
	entries []ownedEntry
	mine    int // our entry's place in entries, -1 for none

	resourceVersion string // of the object
}

type ownedEntry struct {
	*metav1.ManagedFieldsEntry
	index int // the place in managedFields
	tree  fieldsv1.Node
}

// readOwned reads managedFields. An entry that cannot be read is an error: what it owns could be lost.
func readOwned(list []metav1.ManagedFieldsEntry, ours string, at *field.Path) (o owned, bad *field.Error) {
	o = owned{entries: make([]ownedEntry, 0, len(list)), mine: -1}
	for i := range list {
		e := &list[i]
		if e.Subresource != "" {
			continue
		}
		read := ownedEntry{ManagedFieldsEntry: e, index: i}
		ok := readable(e.Operation, e.APIVersion) && e.FieldsV1 != nil && (e.FieldsType == "" || e.FieldsType == "FieldsV1")
		if ok {
			read.tree, ok = fieldsv1.Parse(e.FieldsV1.Raw)
		}
		if !ok {
			return o, field.Invalid(at.Index(i), e.Manager, "is not a set of fields (FieldsV1)")
		}
		if e.Manager == ours && e.Operation == metav1.ManagedFieldsOperationApply {
			if o.mine >= 0 {
				return o, field.Duplicate(at.Index(i), fmt.Sprintf("%s (%s)", e.Manager, e.Operation))
			}
			o.mine = len(o.entries)
		}
		o.entries = append(o.entries, read)
	}
	return o, nil
}

// readable says whether an API server can read an entry.
func readable(op metav1.ManagedFieldsOperationType, apiVersion string) bool {
	return apiVersion != "" && (op == metav1.ManagedFieldsOperationApply || op == metav1.ManagedFieldsOperationUpdate)
}

// ours is the tree of our own entry, nil where there is none.
func (o *owned) ours() *fieldsv1.Node {
	if o.mine < 0 {
		return nil
	}
	return &o.entries[o.mine].tree
}

// place finds one field in the set of an entry of some apiVersion.
type place interface {
	in(apiVersion string, tree *fieldsv1.Node) *fieldsv1.Node
	path(apiVersion string) []string // from the root
	spelled(apiVersion string) string
}

// others are the entries of everybody else that own a field, in the order of managedFields.
func (o *owned) others(f place) (list []risk.Owner) {
	for i := range o.entries {
		e := &o.entries[i]
		if i != o.mine && f.in(e.APIVersion, &e.tree) != nil {
			list = append(list, risk.Owner{Manager: e.Manager, Operation: e.Operation, APIVersion: e.APIVersion, Field: f.spelled(e.APIVersion)})
		}
	}
	return list
}

// has says whether our own entry owns a field.
func (o *owned) has(f place) bool {
	return o.mine >= 0 && f.in(o.entries[o.mine].APIVersion, &o.entries[o.mine].tree) != nil
}

// metricsPlace is spec.metrics of an HPA, one field whatever it holds. autoscaling/v1 spells it otherwise.
type metricsPlace struct{}

const (
	metricsField  = "spec.metrics"
	autoscalingV1 = "autoscaling/v1"
	autoscalingV2 = "autoscaling/v2"
	hpaKind       = "HorizontalPodAutoscaler"
)

func (metricsPlace) path(apiVersion string) []string {
	if apiVersion == autoscalingV1 {
		return []string{"f:spec", "f:targetCPUUtilizationPercentage"}
	}
	return []string{"f:spec", "f:metrics"}
}

func (metricsPlace) in(apiVersion string, tree *fieldsv1.Node) *fieldsv1.Node {
	if apiVersion == autoscalingV1 {
		return tree.Child("f:spec").Child("f:targetCPUUtilizationPercentage")
	}
	return tree.Child("f:spec").Child("f:metrics")
}

func (metricsPlace) spelled(apiVersion string) string {
	if apiVersion == autoscalingV1 {
		return "spec.targetCPUUtilizationPercentage"
	}
	return metricsField
}

// podSpec is the pod template's spec in a workload's set.
func podSpec(tree *fieldsv1.Node) *fieldsv1.Node {
	return tree.Child("f:spec").Child("f:template").Child("f:spec")
}

func (a AmountRef) in(_ string, tree *fieldsv1.Node) *fieldsv1.Node {
	return a.list(tree).Child("f:" + string(a.Resource))
}

// list is the list of requests or limits that the amount stands in.
func (a AmountRef) list(tree *fieldsv1.Node) *fieldsv1.Node {
	at := podSpec(tree)
	if a.Place != InPod {
		at = at.Child("f:" + string(a.Place)).Item(a.Container)
	}
	return at.Child("f:resources").Child("f:" + string(a.Kind))
}

func (a AmountRef) path(string) []string {
	path := []string{"f:spec", "f:template", "f:spec"}
	if a.Place != InPod {
		path = append(path, "f:"+string(a.Place), fieldsv1.ItemKey(a.Container))
	}
	return append(path, "f:resources", "f:"+string(a.Kind), "f:"+string(a.Resource))
}

func (a AmountRef) spelled(string) string { return a.String() }
