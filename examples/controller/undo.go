package main

import (
	"cmp"
	"context"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
)

// rollBack takes the last change back. A rollback that was begun is gone on with until the objects show that it is done; then there is no change
// any more.
func (p *round) rollBack(ctx context.Context) error {
	switch {
	case p.ledger.Change == nil:
		return nil
	case !p.Writes:
		return p.tell(ctx, condition(Written, false, "ReadOnly", "the change is not rolled back in read-only mode"))
	}
	change, done := p.ledger.Change.Reverse(), p.ledger.RolledBack
	if h := p.live(change.HPA.Name).HPA; change.HPA.Name != "" && (h == nil || (change.HPA.UID != "" && h.UID != change.HPA.UID)) {
		change.HPA, change.Targets = hpacouple.HPARef{}, nil // it is gone, or was made anew: requests go back alone
		done = func(taken hpacouple.Taken) ledger.Ledger {
			next := p.ledger.RolledBack(taken)
			next.Anchor = nil
			return next
		}
	}
	_, err := p.carry(ctx, change, done)
	return err
}

// release gives up what is ours; back lets the values go back too.
func (p *round) release(ctx context.Context, back bool) error {
	known := p.known()
	if known == nil && p.ledger.Taken.Metrics != nil { // the HPA is gone, and with it what was taken, or scales another workload
		p.movedAway = p.ledger.Taken.HPAName
		p.ledger.Taken = *p.ledger.Taken.DeepCopy()
		p.ledger.Taken.Metrics, p.ledger.Taken.HPAUID, p.ledger.Taken.HPAName = nil, "", ""
	}
	if more, err := p.releaseOthers(ctx, known); more || err != nil {
		return err
	}
	out, errs := hpacouple.Release(p.workload, hpacouple.Live{Meta: p.meta, Template: &p.template.Spec, HPA: known}, hpacouple.ReleaseOptions{FieldManager: p.FieldManager, Taken: p.ledger.Taken, Back: back})
	if len(errs) > 0 {
		return p.tell(ctx, condition(Written, false, "Unwritable", errs.ToAggregate().Error()))
	}
	if !p.Writes {
		if len(out.Writes) == 0 {
			return nil
		}
		return p.tell(ctx, condition(Written, false, "ReadOnly", "nothing is released in read-only mode"))
	}
	for _, write := range out.Writes {
		if err := p.send(ctx, write); err != nil {
			return err
		}
	}
	if len(out.Writes) > 0 {
		if err := p.refresh(ctx); err != nil {
			return err
		}
	}
	next := p.ledger.Released(out.Taken)
	if p.again = out.Again; out.Again {
		next = p.ledger
		next.Taken = out.Taken
	}
	if err := p.store(ctx, next); err != nil || out.Again {
		return err
	}
	return p.annotate(ctx, "") // nothing of ours is left
}

// known is the HPA whose metrics were taken, or which is ours now where nothing is remembered; nil where there is none that scales the workload.
func (p *round) known() *autoscalingv2.HorizontalPodAutoscaler {
	t := &p.ledger.Taken
	for _, is := range []func(*autoscalingv2.HorizontalPodAutoscaler) bool{
		func(h *autoscalingv2.HorizontalPodAutoscaler) bool {
			return (t.HPAUID != "" && h.UID == t.HPAUID) || (t.HPAUID == "" && t.HPAName == h.Name)
		},
		func(h *autoscalingv2.HorizontalPodAutoscaler) bool {
			return t.Metrics == nil && ledger.Applies(p.FieldManager, &h.ObjectMeta)
		},
	} {
		if i := slices.IndexFunc(p.hpas, is); i >= 0 {
			return p.hpas[i]
		}
	}
	return nil
}

// releaseOthers gives up what is ours in other HPAs: those that scale the workload as well, and the one whose metrics were taken and which scales
// another workload by now. more says that something is still to be done before the rest.
func (p *round) releaseOthers(ctx context.Context, known *autoscalingv2.HorizontalPodAutoscaler) (more bool, err error) {
	for _, h := range p.all {
		t := &p.ledger.Taken
		scales := slices.ContainsFunc(p.hpas, func(o *autoscalingv2.HorizontalPodAutoscaler) bool { return o.Name == h.Name })
		moved := !scales && t.Metrics == nil && h.Name == p.movedAway
		if (known != nil && h.Name == known.Name) || !(scales || moved) || !ledger.Applies(p.FieldManager, &h.ObjectMeta) {
			continue
		}
		ref := h.Spec.ScaleTargetRef
		w := hpacouple.Workload{APIVersion: cmp.Or(ref.APIVersion, p.workload.APIVersion), Kind: ref.Kind, Namespace: h.Namespace, Name: ref.Name}
		out, errs := hpacouple.Release(w, hpacouple.Live{HPA: h}, hpacouple.ReleaseOptions{FieldManager: p.FieldManager})
		if len(errs) > 0 {
			return true, p.tell(ctx, condition(Written, false, "Unwritable", errs.ToAggregate().Error()))
		}
		if len(out.Writes) > 0 && !p.Writes {
			return true, p.tell(ctx, condition(Written, false, "ReadOnly", "nothing is released in read-only mode"))
		}
		for _, write := range out.Writes {
			if err := p.send(ctx, write); err != nil {
				return true, err
			}
		}
	}
	return false, nil
}
