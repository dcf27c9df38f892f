package hpacouple

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/risk"
)

// Write is one request to the API server: a PATCH of the object itself, never of a subresource.
//
// Send it as it is, with its patch type as content type, and fieldManager and force as parameters; with dryRun=All as well it says what it would
// be answered, and changes nothing. Do not hand the body to kubectl apply
// --server-side: on an object that was applied from a client kubectl moves every field of it to the field manager, and later writes fail
// ([Repair]). Source: docs/reference/ownership.md, rules 15 and 16.
type Write struct {
	Object       ObjectRef       `json:"object"`
	PatchType    PatchType       `json:"patchType"`
	FieldManager string          `json:"fieldManager"`
	Force        bool            `json:"force"`
	Body         json.RawMessage `json:"body"`
}

// ObjectRef names an object as a request does.
type ObjectRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// WriteOptions are the caller's choices about writes. The zero value of each field is its default.
type WriteOptions struct {
	// FieldManager is the manager in whose name fields are applied. Default: [risk.DefaultFieldManager], kerf. A manager that applies
	// anything else to the same objects needs another name: a body holds all that the name owns.
	FieldManager string `json:"fieldManager,omitempty"`
	// Taken is what earlier writes took over ([Writing].Taken). It tells a first take-over, which is forced, from a field that somebody has
	// taken back, which is not touched.
	Taken Taken `json:"taken"`
	// Retake takes fields that somebody has taken back, or owns as well. It is for a plan that was made from what they wrote.
	Retake bool `json:"retake,omitempty"`
	// NoManagedFields says that live objects without managedFields really have none (they were stripped in the cluster, or come from a
	// manifest). Default: refused, since kubectl hides them, and caches drop them to save memory; what we own would be given up unseen.
	NoManagedFields bool `json:"noManagedFields,omitempty"`
}

// Writing is what [Change.Writes] returns.
type Writing struct {
	// Writes in the order in which to send them: first each with dryRun=All, so that a refusal is known before anything has changed. Stop at the
	// first that fails and read the objects again; what then is still missing is asked for again, or taken back ([Change.Writes]).
	Writes []Write `json:"writes,omitempty"`
	// Order is the order of workload and HPA, and whether it is safe; empty where only one of them is written.
	Order *Ordering `json:"order,omitempty"`
	// Taken is all that was taken over so far, these writes included. Store it before they are sent: afterwards it cannot be read anywhere.
	Taken Taken `json:"taken"`
	// Unremembered are fields that are ours already and that Taken does not know: their past is lost. Their values cannot go back by a release,
	// nor can they be given to who owned them.
	Unremembered []string `json:"unremembered,omitempty"`
	// Contested are claims of others on fields that this change would write and that were ours before, or are theirs as well. An unforced
	// write would be refused (409), so nothing is written. Plan again from the live objects, with Retake if their claim is to be overridden.
	Contested []risk.Owner `json:"contested,omitempty"`
	// Stale are fields that hold neither the value before nor the one after the change, and limits in force that a request of it would be
	// above (a server refuses that). Nothing is written. Plan again.
	Stale []string `json:"stale,omitempty"`
	// Stays are fields that the change would take away and that stay, because somebody else owns them by now: limits, and requests of which no
	// target of the change depends. A request of a target that moves never stays; it is Contested or Stale.
	Stays []string `json:"stays,omitempty"`
	// Again says that more is to be written: send the writes, read the objects again, and ask again.
	Again bool `json:"again,omitempty"`
}

// Writes returns the requests that carry a change out, built from the live objects.
//
// A body holds what our manager owns in that object and what changes now; what it left out would be given up, and would vanish where nobody
// else owns it. The HPA's body holds the whole list of metrics in its live order with nothing but the targets changed. What already has its
// new value is not written, so the rest of a change that was half sent can be asked for again.
//
//   - Force is set where an unforced write would conflict and may not: a field is taken from somebody for the first time, or again with Retake;
//     the list that an amount goes into is empty and somebody else's; the object has no managedFields at all. A 409 on an unforced write means
//     that somebody else has written since.
//   - metadata.uid guards each apply against another object of the same name; metadata.resourceVersion guards each forced one against
//     wiping out what was written since the object was read. Neither is owned afterwards. Objects without them are not guarded.
//   - Quantities are canonical, since the server compares them as text. What is absent is left out.
//   - An amount that the change takes away and that is not ours cannot be taken away by an apply: a JSON patch with tests removes it.
//
// Two objects are two writes. A server can refuse the second for good (an admission webhook, a quota, a LimitRange) when the first is in force: half
// a change, which moves replicas. Send each with dryRun=All first. Where the second is refused all the same, and not only for now, read the objects
// again and send the writes of [Change.Reverse], with Taken as it is: what never arrived is passed over, so they are those that take the first back.
//
// Errors, with field paths: a change that cannot be meant; live objects that are missing, or others than the change names; a kind whose list
// of containers is one atomic field; managedFields that are missing ([WriteOptions].NoManagedFields) or cannot be read, or that give our
// manager fields which a body cannot keep (see [Repair]).
//
// Neither the change nor the live objects are written to or aliased. Source: docs/reference/ownership.md, rules 1 to 16; protocol A2.
func (c Change) Writes(live Live, o WriteOptions) (Writing, field.ErrorList) {
	d, errs := draftOf(&c, live, o)
	if len(errs) > 0 {
		return Writing{}, errs
	}
	metrics := d.hpa()
	amounts := d.amounts()
	d.out.Unremembered = d.unremembered()
	out := d.out
	if len(d.errs) > 0 {
		return Writing{}, sorted(d.errs)
	}
	if len(out.Contested) > 0 || len(out.Stale) > 0 {
		o.Taken.DeepCopyInto(&out.Taken)
		return out, nil
	}
	switch {
	case len(amounts) == 1 && amounts[0].PatchType == JSONPatch && out.Again: // a limit in the way
		out.Writes = amounts
	case metrics == nil:
		out.Writes = amounts
	case len(amounts) == 0:
		out.Writes = []Write{*metrics}
	default:
		order := SafeOrder(c.Targets, live.HPA.Spec.Behavior)
		out.Order = &order
		if order.First == TargetFirst {
			out.Writes = slices.Insert(amounts, 0, *metrics)
		} else {
			out.Writes = append(amounts, *metrics)
		}
	}
	before := o.Taken.of(live)
	d.choosePairs(&before)
	out.Taken = d.taken
	return out, nil
}
