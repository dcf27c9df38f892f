package risk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// Owner is a manager's claim on one field that a coordinated change writes.
type Owner struct {
	Manager    string                            `json:"manager"`
	Operation  metav1.ManagedFieldsOperationType `json:"operation"`
	APIVersion string                            `json:"apiVersion"`
	// Field is the path of the field in the spelling of the claim's apiVersion: spec.metrics, spec.targetCPUUtilizationPercentage
	// (autoscaling/v1), spec.template.spec.containers[name="app"].resources.requests.cpu, or the same of initContainers and limits, or
	// spec.template.spec.resources.requests.cpu for the pod's own.
	Field string `json:"field"`
}

// Owners lists who else owns what a coordinated change writes: the metrics of an HPA, and the cpu and memory requests and limits of a
// workload's pod template. The list is sorted by field, manager, operation and apiVersion; nothing appears twice.
//
// "Else" is any manager of another name than fieldManager, whatever its operation; an empty fieldManager leaves out nobody but managers
// without a name. Entries with a subresource (status, scale) own none of these fields and are passed over. Owning an empty map (requests: {})
// is not owning an amount in it.
//
// complete is false where the list can be too short: there are no entries at all (kubectl hides them without --show-managed-fields), or an
// entry of another manager cannot be read. What can be read is listed all the same.
//
// Source: managedFields as recorded from kube-apiserver v1.37.2 (testdata/owners.json);
// sigs.k8s.io/structured-merge-diff/fieldpath, serialize-pe.go.
func Owners(managedFields []metav1.ManagedFieldsEntry, fieldManager string) (others []Owner, complete bool) {
	complete = len(managedFields) > 0
	for i := range managedFields {
		e := &managedFields[i]
		if e.Subresource != "" || e.Manager == fieldManager {
			continue
		}
		fields, ok := claims(e)
		complete = complete && ok
		for _, field := range fields {
			others = append(others, Owner{Manager: e.Manager, Operation: e.Operation, APIVersion: e.APIVersion, Field: field})
		}
	}
	slices.SortFunc(others, func(a, b Owner) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.APIVersion, b.APIVersion))
	})
	return slices.Compact(others), complete
}

// claims returns the fields of interest in one entry; ok is false where a part of it cannot be read.
func claims(e *metav1.ManagedFieldsEntry) (fields []string, ok bool) {
	if e.FieldsV1 == nil || (e.FieldsType != "" && e.FieldsType != "FieldsV1") {
		return nil, false
	}
	r := reader{ok: true}
	spec := r.child(r.parse(e.FieldsV1.Raw), "f:spec")
	if _, owned := spec["f:metrics"]; owned && e.APIVersion != "autoscaling/v1" { // in v1 there is no such path, and claiming it has no effect
		r.fields = append(r.fields, "spec.metrics")
	}
	if _, owned := spec["f:targetCPUUtilizationPercentage"]; owned {
		r.fields = append(r.fields, "spec.targetCPUUtilizationPercentage")
	}
	pod := r.child(r.child(spec, "f:template"), "f:spec")
	r.amounts(pod, "spec.template.spec")
	for _, list := range []string{"containers", "initContainers"} {
		items := r.child(pod, "f:"+list)
		for _, key := range slices.Sorted(maps.Keys(items)) {
			if name, is := containerKey(key); is {
				r.amounts(r.child(items, key), "spec.template.spec."+list+"[name="+strconv.Quote(name)+"]")
			}
		}
	}
	return r.fields, r.ok
}

// reader walks down a fieldsV1 tree and remembers whether all that it met was an object.
type reader struct {
	fields []string
	ok     bool
}

type node map[string]json.RawMessage

func (r *reader) parse(raw []byte) (n node) {
	if err := json.Unmarshal(raw, &n); err != nil || n == nil {
		r.ok = false
		return nil
	}
	return n
}

func (r *reader) child(n node, key string) node {
	raw, is := n[key]
	if !is {
		return nil
	}
	return r.parse(raw)
}

// amounts adds the cpu and memory requests and limits below a container or a pod spec.
func (r *reader) amounts(n node, at string) {
	resources := r.child(n, "f:resources")
	for _, list := range []string{"requests", "limits"} {
		amounts := r.child(resources, "f:"+list)
		for _, name := range []string{"cpu", "memory"} {
			if _, owned := amounts["f:"+name]; owned {
				r.fields = append(r.fields, at+".resources."+list+"."+name)
			}
		}
	}
}

// containerKey reads the list key k:{"name":"app"}.
func containerKey(key string) (name string, ok bool) {
	if len(key) < 2 || key[:2] != "k:" {
		return "", false
	}
	var parts map[string]any
	if json.Unmarshal([]byte(key[2:]), &parts) != nil {
		return "", false
	}
	name, ok = parts["name"].(string)
	return name, ok
}

// managedElsewhere raises, for a workload with an HPA,
//
//   - hpa-managed-elsewhere: the HPA has an owner reference that is a controller or names something other than the workload (a ScaledObject,
//     which writes its own values back); or the workload has a controller; or another manager owns a field of [Owners] in one of them;
//   - ownership-unknown: [Owners] of one of them is not complete. Nothing is asked of a workload whose metadata were not given.
//
// An HPA that is owned by its own workload, without controller, is only deleted with it.
// Source: rules of server-side apply, field ownership; metadata.ownerReferences.
func (c *checker) managedElsewhere() {
	c.owned(c.hpa, &c.in.HPA.ObjectMeta, true)
	if c.in.WorkloadMeta != nil {
		c.owned(c.in.Workload, c.in.WorkloadMeta, false)
	}
}

func (c *checker) owned(object Object, meta *metav1.ObjectMeta, hpa bool) {
	for i := range meta.OwnerReferences {
		ref := &meta.OwnerReferences[i]
		controller := ref.Controller != nil && *ref.Controller
		stranger := ref.Kind != c.in.Workload.Kind || ref.Name != c.in.Workload.Name
		if controller || (hpa && stranger) {
			c.add(skipreason.FlagHPAManagedElsewhere, object, fmt.Sprintf("metadata.ownerReferences[%d]", i), ref.Kind+"/"+ref.Name, "belongs to another object, which may write it again")
		}
	}
	others, complete := Owners(meta.ManagedFields, cmp.Or(c.in.FieldManager, DefaultFieldManager))
	for _, o := range others {
		c.add(skipreason.FlagHPAManagedElsewhere, object, o.Field, o.Manager, fmt.Sprintf("owned by %s (%s, %s)", o.Manager, o.Operation, o.APIVersion))
	}
	if !complete {
		detail := "there are no managedFields"
		if len(meta.ManagedFields) > 0 {
			detail = "an entry of managedFields cannot be read"
		}
		c.add(skipreason.FlagOwnershipUnknown, object, "metadata.managedFields", strconv.Itoa(len(meta.ManagedFields)), detail)
	}
}
