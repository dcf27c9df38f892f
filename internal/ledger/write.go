package ledger

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Manager is the field manager of the annotation, beside the manager of the changes.
func Manager(changes string) string { return changes + "-ledger" }

// Guard ties a write to an object as it was read; an empty value does not.
type Guard struct {
	UID             types.UID `json:"uid,omitempty"`
	ResourceVersion string    `json:"resourceVersion,omitempty"`
}

// Annotate returns the apply of one annotation, of which the manager owns nothing else. It is forced: the annotation is ours by its name. An empty
// value takes the annotation away, which has to be there, by a JSON patch: leaving it out of an apply would not, where somebody else owns it by
// now, as kubectl rollout undo does.
func Annotate(object hpacouple.ObjectRef, guard Guard, manager, annotation, value string) (hpacouple.Write, error) {
	if value == "" {
		return remove(object, guard, manager, annotation)
	}
	type metadata struct {
		Annotations map[string]string `json:"annotations,omitempty"`
		Name        string            `json:"name"`
		Guard       `json:",inline"`
	}
	body := struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Metadata   metadata `json:"metadata"`
	}{object.APIVersion, object.Kind, metadata{Name: object.Name, Guard: guard, Annotations: map[string]string{annotation: value}}}
	text, err := json.Marshal(body)
	return hpacouple.Write{Object: object, PatchType: hpacouple.ApplyPatch, FieldManager: manager, Force: true, Body: text}, err
}

// remove takes the annotation away, from the object that the guard names.
func remove(object hpacouple.ObjectRef, guard Guard, manager, annotation string) (hpacouple.Write, error) {
	type step struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value string `json:"value,omitempty"`
	}
	var steps []step
	for _, test := range []struct{ path, value string }{{"/metadata/uid", string(guard.UID)}, {"/metadata/resourceVersion", guard.ResourceVersion}} {
		if test.value != "" {
			steps = append(steps, step{"test", test.path, test.value})
		}
	}
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(annotation)
	text, err := json.Marshal(append(steps, step{Op: "remove", Path: "/metadata/annotations/" + escaped}))
	return hpacouple.Write{Object: object, PatchType: hpacouple.JSONPatch, FieldManager: manager, Body: text}, err
}
