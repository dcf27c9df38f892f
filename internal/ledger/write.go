package ledger

import (
	"encoding/json"

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

// Annotate returns the apply of one annotation, of which the manager owns nothing else; an empty value takes it away. It is forced: the
// annotation is ours by its name.
func Annotate(object hpacouple.ObjectRef, guard Guard, manager, annotation, value string) (hpacouple.Write, error) {
	type metadata struct {
		Annotations map[string]string `json:"annotations,omitempty"`
		Name        string            `json:"name"`
		Guard       `json:",inline"`
	}
	body := struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Metadata   metadata `json:"metadata"`
	}{object.APIVersion, object.Kind, metadata{Name: object.Name, Guard: guard}}
	if value != "" {
		body.Metadata.Annotations = map[string]string{annotation: value}
	}
	text, err := json.Marshal(body)
	return hpacouple.Write{Object: object, PatchType: hpacouple.ApplyPatch, FieldManager: manager, Force: true, Body: text}, err
}
