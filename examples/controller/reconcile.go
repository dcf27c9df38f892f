package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
)

// Reconciler looks after the workloads of one kind.
type Reconciler struct {
	Clients kubernetes.Interface
	// Kind is Deployment or StatefulSet.
	Kind   string
	Policy hpacouple.Policy
	// ReadPolicy, where it is set, is asked in each pass instead: the file may have changed.
	ReadPolicy func() (hpacouple.Policy, error)
	// Writes says that workloads and HPAs may be patched. The zero value is read-only: the controller says what it would do, in events.
	Writes bool
	// Retake says that a plan also takes what somebody has taken back, or owns as well. Two that do so take turns for ever.
	Retake bool
	// FieldManager of the writes.
	FieldManager string
	Now          func() time.Time
}

// round is one pass over one workload.
type round struct {
	*Reconciler
	*scene
	ledger  ledger.Ledger
	foreign string // who wrote the ledger that stands there, where that is not ours
	again   bool   // more is to be done at once
	anew    bool   // the change was planned in this pass

	wait      time.Duration // until the next pass
	movedAway string        // the HPA whose metrics were taken, and which scales the workload no more
}

// Reconcile does what the workload's annotations ask for. It starts from what the cluster shows each time, and ends with one half of the work
// done wherever something fails: the next pass does the other.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	s, err := r.read(ctx, request.NamespacedName)
	if apierrors.IsNotFound(err) || (err == nil && s.meta.DeletionTimestamp != nil) {
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	p := &round{Reconciler: r, scene: s}
	asked, err := wishOf(s.meta.Annotations)
	if err != nil && !asked.rollBack && !asked.release { // a way back does not wait for a recommendation that can be read
		return ctrl.Result{}, p.misread(ctx, err)
	}
	if p.ledger, p.foreign, err = ledger.Read(s.meta, r.FieldManager); err != nil {
		if err = fmt.Errorf("%s %w", ledger.Annotation, err); !asked.release {
			return ctrl.Result{}, p.misread(ctx, err)
		}
		p.ledger = ledger.Ledger{} // a release needs no memory: the fields are nobody's afterwards
	}
	p.ledger = p.ledger.Of(p.meta.UID)
	switch {
	case asked.release:
		err = p.release(ctx, asked.rollBack)
	case asked.rollBack:
		err = p.rollBack(ctx)
	case asked.recommendation != nil:
		err = p.change(ctx, asked.recommendation)
	}
	if err == nil && p.again {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: p.wait}, nil
}

// policyNow is the policy in force.
func (r *Reconciler) policyNow() (hpacouple.Policy, error) {
	if r.ReadPolicy == nil {
		return r.Policy, nil
	}
	return r.ReadPolicy()
}

// misread says that an annotation cannot be understood. Trying again would not help.
func (p *round) misread(ctx context.Context, why error) error {
	if err := p.tell(ctx, condition(Written, false, "Unreadable", why.Error())); err != nil {
		return err
	}
	return reconcile.TerminalError(why)
}

// refresh reads the objects again, after a write.
func (p *round) refresh(ctx context.Context) error {
	s, err := p.read(ctx, p.key())
	if err == nil {
		p.scene = s
	}
	return err
}

// forgotten says that fields are ours and the ledger is gone: kubectl rollout undo, for one, puts the annotations of the old revision back. What stands
// there then must not become the anchor.
func (p *round) forgotten() bool {
	objects := []*metav1.ObjectMeta{p.meta}
	for _, h := range p.hpas {
		objects = append(objects, &h.ObjectMeta)
	}
	return p.ledger.Forgotten(p.FieldManager, objects...)
}

// store writes the ledger, unless it stands there already. The write is tied to the object as it was read: an older plan is never remembered after a
// newer one.
func (p *round) store(ctx context.Context, next ledger.Ledger) error {
	text, err := next.Text()
	if err != nil {
		return err
	}
	p.ledger = next
	if text == p.meta.Annotations[ledger.Annotation] {
		return nil
	}
	w, err := ledger.Annotate(p.object(), ledger.Guard{UID: p.meta.UID, ResourceVersion: p.meta.ResourceVersion}, ledger.Manager(p.FieldManager), ledger.Annotation, text)
	if err != nil {
		return err
	}
	if err := p.send(ctx, w); err != nil {
		return err
	}
	return p.refresh(ctx)
}
