package main

import (
	"context"

	"github.com/kube-rightsize/rightsize/hpacouple"
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
	_, err := p.carry(ctx, p.ledger.Change.Reverse(), p.ledger.RolledBack)
	return err
}

// release gives up what is ours; back lets the values go back too.
func (p *round) release(ctx context.Context, back bool) error {
	hpa := ""
	if c := p.ledger.Change; c != nil {
		hpa = c.HPA.Name
	}
	out, errs := hpacouple.Release(p.workload, p.live(hpa), hpacouple.ReleaseOptions{FieldManager: p.FieldManager, Taken: p.ledger.Taken, Back: back})
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
