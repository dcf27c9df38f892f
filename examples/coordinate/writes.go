package main

import (
	"fmt"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// action is what is done to a workload.
type action string

const (
	actChange         action = "change"
	actFinish         action = "finish" // the rest of a change that was begun
	actRollback       action = "rollback"
	actRelease        action = "release"
	actReleaseAndBack action = "rollback-and-release"
)

// sending is what is to be sent, and what stands against it. Lists are never null.
type sending struct {
	// Writes in the order in which to send them; none where the plan is blocked or nothing is to be written.
	Writes []hpacouple.Write `json:"writes"`
	// Order of the two halves of a change, null where there is one half.
	Order *hpacouple.Ordering `json:"order"`
	// Again says that more is to be written: send, read the objects again, and run again.
	Again bool `json:"again"`
	// Contested are claims of others, for which nothing is written; Stale are fields that hold neither the old nor the new value.
	Contested []risk.Owner `json:"contested"`
	Stale     []string     `json:"stale"`
	// Stays are fields that were to be taken away and Kept those whose value was to go back, and that somebody else holds by now.
	Stays []string `json:"stays"`
	Kept  []string `json:"kept"`
	// Ledger is the last write of all, under a manager of its own: the annotation that remembers what the others did. None where it stays.
	Ledger []hpacouple.Write `json:"ledger"`
	// Event and Record are those of the change, to be made once Writes have been answered, or of its being blocked, for the first coupled entry;
	// null where no HPA is coupled, where nothing can be written, and where more is to be written first.
	Event  *hpacouple.Event  `json:"event"`
	Record *hpacouple.Record `json:"record"`
	// Anchor is the state to keep for the next plan, null where there is none, and Standing what the present pair is in its eyes.
	Anchor   *hpacouple.State   `json:"anchor"`
	Standing hpacouple.Standing `json:"standing"`
}

func newSending() sending {
	return sending{Writes: []hpacouple.Write{}, Contested: []risk.Owner{}, Stale: []string{}, Stays: []string{}, Kept: []string{}, Ledger: []hpacouple.Write{}}
}

// sends adds the writes of an admitted plan.
func (t *task) sends(i *item, s settings, verdict hpacouple.Verdict, live hpacouple.Live) {
	i.Standing = i.plan.Standing
	if i.Anchor = i.plan.State; i.Anchor != nil && i.Anchor.Empty() {
		i.Anchor = nil
	}
	if !verdict.Allowed {
		i.tell(verdict.Events(), verdict.Record)
		return
	}
	change, ok := hpacouple.ChangeOf(i.plan)
	if !ok {
		t.remember(i, s, live, t.ledger.Seen(i.plan.State, t.ledger.Taken.Confirm(live, s.options.FieldManager)))
		return
	}
	if t.ledger.Forgotten(s.manager(), metasOf(live)...) {
		if !s.beginAnew {
			i.tell(change.Events(), change.Records())
			i.Notes = append(i.Notes, s.manager()+" owns fields already and nothing is remembered of that: what stands there now may be half a change. Send the ledger that was printed with it, release the workload, or give --begin-anew: then it counts as the user's choice")
			i.blocked(skipreason.CauseStale)
			return
		}
		i.Notes = append(i.Notes, s.manager()+" owns fields already and nothing is remembered of that: what stands there now, be it half a change, counts as the user's choice")
	}
	if w, ok := t.writes(i, s, change, live); ok {
		if !w.Again && len(w.Writes) > 0 { // otherwise nothing has happened yet
			i.tell(change.Events(), change.Records())
		}
		next := t.ledger.Begin(change, w.Taken)
		t.remember(i, s, live, next)
	}
}

func (i *item) tell(events []hpacouple.Event, records []hpacouple.Record) {
	if len(events) > 0 {
		i.Event = &events[0]
	}
	if len(records) > 0 {
		i.Record = &records[0]
	}
}

// writes adds the writes of a change; ok is false where there can be none.
func (t *task) writes(i *item, s settings, change hpacouple.Change, live hpacouple.Live) (w hpacouple.Writing, ok bool) {
	unmanaged, ok := i.readable(live)
	if !ok {
		return w, false
	}
	w, errs := change.Writes(live, hpacouple.WriteOptions{FieldManager: s.options.FieldManager, Taken: t.ledger.Taken, Retake: s.retake, NoManagedFields: unmanaged})
	if !i.noErrors(errs) {
		return w, false
	}
	i.Writes, i.Order, i.Again = list(w.Writes), w.Order, w.Again
	i.Contested, i.Stale, i.Stays = list(w.Contested), list(w.Stale), list(w.Stays)
	for _, o := range w.Contested {
		i.Notes = append(i.Notes, fmt.Sprintf("nothing is written: %s (%s, %s) holds %s as well, or has taken it back; --retake takes it", o.Manager, o.Operation, o.APIVersion, o.Field))
	}
	for _, f := range w.Stale {
		i.Notes = append(i.Notes, "nothing is written: "+f+" holds neither the value before nor the one after the change; somebody has written since")
	}
	for _, f := range w.Stays {
		i.Notes = append(i.Notes, f+" stays: somebody else owns it by now")
	}
	if len(w.Contested)+len(w.Stale) > 0 {
		i.Event, i.Record = nil, nil // nothing happens
		return w, false
	}
	return w, true
}

// readable says whether the owners of the objects' fields are known. An API server always gives managedFields, and kubectl hides them: what is
// ours would be given up unseen. A manifest that was written by hand has none.
func (i *item) readable(live hpacouple.Live) (unmanaged, ok bool) {
	for _, m := range metasOf(live) {
		if len(m.ManagedFields) > 0 {
			continue
		}
		if unmanaged = true; m.UID != "" || m.ResourceVersion != "" {
			i.Notes = append(i.Notes, "no writes are shown: metadata.managedFields of "+m.Name+" are missing, and with them what may be written; ask kubectl for --show-managed-fields")
			return true, false
		}
	}
	return unmanaged, true
}

func metasOf(live hpacouple.Live) []*metav1.ObjectMeta {
	if live.HPA == nil {
		return []*metav1.ObjectMeta{live.Meta}
	}
	return []*metav1.ObjectMeta{live.Meta, &live.HPA.ObjectMeta}
}

func (i *item) noErrors(errs field.ErrorList) bool {
	for _, e := range errs {
		i.Notes = append(i.Notes, "no writes can be built: "+e.Error())
	}
	return len(errs) == 0
}

// remember adds the write of the ledger, if that changes. It comes last: before the others it would make the guards of theirs stale. It calls the
// change unfinished, so that it is right as well where one of the others was refused; the next run finds out.
func (t *task) remember(i *item, s settings, live hpacouple.Live, next ledger.Ledger) {
	before, errBefore := t.ledger.Text()
	text, err := next.Text()
	if next.Change == nil && t.ledger.Empty() && len(i.Writes) == 0 {
		text = "" // an anchor that nothing of ours stands on begins anew each time
	}
	if err != nil || errBefore != nil || text == before {
		return
	}
	object := hpacouple.ObjectRef{APIVersion: t.APIVersion, Kind: t.Kind, Namespace: t.Namespace, Name: t.Name}
	w, err := ledger.Annotate(object, ledger.Guard{UID: live.Meta.UID}, ledger.Manager(s.manager()), ledger.Annotation, text)
	if err == nil {
		i.Ledger = append(i.Ledger, w)
	}
}

// hpaNamed is the HPA of that name, the first where the name is empty, nil where there is none.
func (t *task) hpaNamed(name string) *autoscalingv2.HorizontalPodAutoscaler {
	for _, h := range t.hpas {
		if name == "" || h.Name == name {
			return h.Object
		}
	}
	return nil
}

// liveObjects are the objects as they were read.
func (t *task) liveObjects(hpa *autoscalingv2.HorizontalPodAutoscaler) hpacouple.Live {
	return hpacouple.Live{Meta: t.meta, Template: &t.template.Spec, HPA: hpa}
}

// sortNotes puts the notes in order, each once.
func (i *item) sortNotes() {
	slices.Sort(i.Notes)
	i.Notes = slices.Compact(i.Notes)
}

// resources are the names of kinds in the paths of the API.
var resources = map[string]string{"Deployment": "deployments", "StatefulSet": "statefulsets", "ReplicaSet": "replicasets", "DaemonSet": "daemonsets",
	"HorizontalPodAutoscaler": "horizontalpodautoscalers"}

// requestPath is the path of an object at the API server.
func requestPath(o hpacouple.ObjectRef) string {
	root := "/apis/" + o.APIVersion
	if !strings.Contains(o.APIVersion, "/") {
		root = "/api/" + o.APIVersion
	}
	return root + "/namespaces/" + o.Namespace + "/" + resources[o.Kind] + "/" + o.Name
}
