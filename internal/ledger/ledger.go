// Package ledger is what the programs here remember of a workload between two runs: the last change, whose fields were taken, and the anchor.
// It stands in an annotation of the workload, which belongs to a field manager of its own: a body of the manager of the change holds all that
// the manager owns, and an annotation that it forgot would be given up. See docs/decisions/what-programs-remember.md.
package ledger

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
)

// Annotation holds the ledger of a workload.
const Annotation = "kube-rightsize.github.io/ledger"

// Ledger is what is remembered of one workload. The zero value remembers nothing.
type Ledger struct {
	// Change is the last change that was written and not rolled back.
	Change *hpacouple.Change `json:"change,omitempty"`
	// Unfinished says that some of its writes have not been answered; the rest of them comes before a new plan.
	Unfinished bool `json:"unfinished,omitempty"`
	// Anchor is the state to plan from.
	Anchor *hpacouple.State `json:"anchor,omitempty"`
	// Workload is the workload's own uid, empty where it is not known. A copy of the workload is another one, and its annotation says nothing.
	Workload types.UID `json:"workloadUID,omitempty"`
	// Refused is the change that the API server has refused for good, as [Fingerprint]: it is not sent again and again.
	Refused string `json:"refused,omitempty"`
	// Taken is what was taken from whom.
	Taken hpacouple.Taken `json:"taken"`
}

// Empty says whether nothing is remembered.
func (l Ledger) Empty() bool {
	return l.Change == nil && l.Anchor == nil && l.Taken.Metrics == nil && len(l.Taken.Amounts) == 0
}

// Forgotten says that the manager of the changes owns fields of these objects while nothing is remembered: the ledger was lost. What stands there
// may be half a change.
func (l Ledger) Forgotten(manager string, objects ...*metav1.ObjectMeta) bool {
	if !l.Empty() {
		return false
	}
	return slices.ContainsFunc(objects, func(o *metav1.ObjectMeta) bool { return Applies(manager, o) })
}

// Applies says whether the manager owns something in the object by apply.
func Applies(manager string, o *metav1.ObjectMeta) bool {
	return slices.ContainsFunc(o.ManagedFields, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == manager && e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == ""
	})
}

// Read reads the ledger of a workload that the manager of the changes keeps there; it is empty where there is none. It is read strictly: a ledger that is
// not understood is no reason to forget what it says.
//
// An annotation that somebody else has written is no ledger of ours, whatever it says: kubectl rollout undo puts that of an older revision back, and a
// copied workload comes with the first one's. It is then left unread, and by names who wrote it. Where managedFields are not known, or name nobody, the
// annotation is believed.
func Read(meta *metav1.ObjectMeta, changes string) (l Ledger, by string, err error) {
	text, ok := meta.Annotations[Annotation]
	if !ok {
		return l, "", nil
	}
	if by = writer(meta.ManagedFields, Manager(changes)); by != "" {
		return l, by, nil
	}
	l, err = parse(text)
	return l, "", err
}

// writer is who owns the annotation, empty where the manager does, or nobody.
func writer(list []metav1.ManagedFieldsEntry, manager string) (other string) {
	for _, e := range list {
		if e.Subresource != "" || e.FieldsV1 == nil {
			continue
		}
		tree, ok := fieldsv1.Parse(e.FieldsV1.Raw)
		if !ok || tree.At("f:metadata", "f:annotations", "f:"+Annotation) == nil {
			continue
		}
		if e.Manager == manager && e.Operation == metav1.ManagedFieldsOperationApply {
			return ""
		}
		other = e.Manager
	}
	return other
}

func parse(text string) (l Ledger, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return Ledger{}, fmt.Errorf("is not a ledger: %w", err)
	}
	if d.More() {
		return Ledger{}, fmt.Errorf("is not a ledger: something follows it")
	}
	return l, l.validate()
}

// Of is the ledger for a workload with this uid: one that was copied or restored with its annotations is another, and nothing is remembered of it.
func (l Ledger) Of(workload types.UID) Ledger {
	for _, known := range []types.UID{l.Workload, l.Taken.WorkloadUID} {
		if known != "" && workload != "" && known != workload {
			return Ledger{}
		}
	}
	l.Workload = workload
	return l
}

// Noticed marks as held what somebody has taken since the change was begun. kubectl rollout undo puts the annotations of the old revision back,
// and with them the ledger as it stood before our writes were answered: by that ledger they never arrived, and the next would be forced. now is the
// memory that the writes of the change return today: an owner in it who was not there before has written since. Before the first change our
// manager applies nothing to the workload; where it does, the first write has arrived.
func (l Ledger) Noticed(now hpacouple.Taken, manager string, workload *metav1.ObjectMeta) Ledger {
	l.Taken = *l.Taken.DeepCopy()
	if m := l.Taken.Metrics; m != nil && now.Metrics != nil && !slices.Equal(m.Owners, now.Metrics.Owners) {
		m.Held = true
	}
	held := func(a hpacouple.TakenAmount) bool { return a.Held }
	arrived := !slices.ContainsFunc(l.Taken.Amounts, held) && Applies(manager, workload)
	for i := range l.Taken.Amounts {
		a := &l.Taken.Amounts[i]
		j := slices.IndexFunc(now.Amounts, func(b hpacouple.TakenAmount) bool { return b.AmountRef == a.AmountRef })
		if arrived || (j >= 0 && !slices.Equal(a.Owners, now.Amounts[j].Owners)) {
			a.Held = true
		}
	}
	return l
}

// Fingerprint tells one change from another.
func Fingerprint(c hpacouple.Change) string {
	c.State = nil
	text, _ := json.Marshal(c) // a valid change has a text
	h := fnv.New64a()
	_, _ = h.Write(text)
	return fmt.Sprintf("%x", h.Sum64())
}

func (l *Ledger) validate() error {
	states := map[string]*hpacouple.State{"anchor": l.Anchor}
	if l.Change != nil {
		if errs := l.Change.Validate(); len(errs) > 0 {
			return fmt.Errorf("change.%w", errs[0])
		}
		states["change.state"] = l.Change.State
	}
	for _, name := range []string{"anchor", "change.state"} {
		if s := states[name]; s != nil {
			if errs := s.Validate(field.NewPath(name)); len(errs) > 0 {
				return errs[0]
			}
		}
	}
	return nil
}

// Text is the annotation's value, empty where nothing is remembered.
func (l Ledger) Text() (string, error) {
	if l.Empty() {
		return "", nil
	}
	text, err := json.Marshal(l)
	return string(text), err
}

// Begin returns the ledger to store before the writes of a change are sent: they may be answered, or not.
func (l Ledger) Begin(c hpacouple.Change, taken hpacouple.Taken) Ledger {
	change := c.DeepCopy()
	change.State = kept(c.State)
	return Ledger{Workload: l.Workload, Change: change, Unfinished: true, Anchor: kept(c.State), Taken: taken}
}

// Finished returns the ledger once all writes of the change have been answered.
func (l Ledger) Finished(taken hpacouple.Taken) Ledger {
	l.Unfinished, l.Taken = false, taken
	return l
}

// RolledBack returns the ledger once the last change was rolled back. The pair that was rolled back stays known in the state as pending: a write
// of it that is still on its way is no person's edit.
func (l Ledger) RolledBack(taken hpacouple.Taken) Ledger {
	if l.Change != nil {
		l.Anchor = kept(l.Change.State)
	}
	return Ledger{Workload: l.Workload, Anchor: l.Anchor, Taken: taken}
}

// Seen returns the ledger after a plan that writes nothing: what the plan and the live objects show to be so.
func (l Ledger) Seen(state *hpacouple.State, taken hpacouple.Taken) Ledger {
	l.Anchor, l.Taken = kept(state), taken
	return l
}

// Released returns the ledger after a release: what is still to be remembered, and nothing to plan from.
func (l Ledger) Released(taken hpacouple.Taken) Ledger {
	return Ledger{Workload: l.Workload, Taken: taken}
}

// kept is a copy of the state, nil where there is nothing in it.
func kept(s *hpacouple.State) *hpacouple.State {
	if s == nil || s.Empty() {
		return nil
	}
	return s.DeepCopy()
}

// State is the state to plan from; where none is kept an anchor begins.
func (l Ledger) State() *hpacouple.State {
	if l.Anchor == nil {
		return &hpacouple.State{}
	}
	return l.Anchor.DeepCopy()
}
