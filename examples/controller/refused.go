package main

import (
	"context"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
)

// try sends the writes as a dry run: a refusal of the second is known before the first is in force. Of several writes of one object only the first
// can be tried, since the others rely on it. A webhook that knows no dry run says nothing.
func (p *round) try(ctx context.Context, writes []hpacouple.Write) error {
	tried := map[hpacouple.ObjectRef]bool{}
	for _, w := range writes {
		if tried[w.Object] {
			continue
		}
		tried[w.Object] = true
		err := p.patch(ctx, w, metav1.DryRunAll)
		if err != nil && !(apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "does not support dry run")) {
			return err
		}
	}
	return nil
}

// forGood says whether trying again would not help.
func forGood(err error) bool {
	taken := apierrors.IsConflict(err) && apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict)
	return taken || apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) || apierrors.IsMethodNotSupported(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
}

// failed says why a change is not written. Where trying again would not help, the half that is in force by now goes back: half a change scales the
// workload at another load than anybody chose.
func (p *round) failed(ctx context.Context, change hpacouple.Change, taken hpacouple.Taken, why error) error {
	reason := "Failed"
	if forGood(why) {
		reason = "Refused"
	}
	if err := p.refresh(ctx); err != nil {
		return errors.Join(why, err)
	}
	if err := p.warn(ctx, reason, why.Error()); err != nil {
		return errors.Join(why, err)
	}
	if err := p.tell(ctx, condition(Written, false, reason, why.Error())); err != nil || reason == "Failed" {
		return errors.Join(why, err)
	}
	kept, _, err := ledger.Read(p.meta, p.FieldManager)
	if kept = kept.Of(p.meta.UID); err != nil || !kept.Unfinished {
		return err // nothing was sent
	}
	live := p.live(change.HPA.Name)
	p.ledger.Taken = taken.Confirm(live, p.FieldManager)
	w, errs := change.Reverse().Writes(live, p.writeOptions())
	if len(errs) > 0 || len(w.Stale)+len(w.Contested) > 0 {
		return why // somebody else has decided; the next pass says so
	}
	for _, write := range w.Writes {
		if err := p.send(ctx, write); err != nil {
			return errors.Join(why, err)
		}
	}
	if err := p.refresh(ctx); err != nil {
		return err
	}
	next := p.ledger
	next.Taken, next.Unfinished, next.Refused = w.Taken.Confirm(p.live(change.HPA.Name), p.FieldManager), false, ledger.Fingerprint(change)
	if p.again = w.Again; p.again {
		next.Unfinished = true
	} else if p.ledger.Change != nil && ledger.Fingerprint(*p.ledger.Change) == next.Refused {
		next = next.RolledBack(next.Taken) // a rollback that is refused leaves the change as it is
		next.Refused = ledger.Fingerprint(change)
	}
	return p.store(ctx, next)
}

// warn says in an event that a write has failed.
func (p *round) warn(ctx context.Context, reason, message string) error {
	return p.events(ctx, []hpacouple.Event{{Type: corev1.EventTypeWarning, Reason: hpacouple.EventReason("Write" + reason), Message: message}})
}
