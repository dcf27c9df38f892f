package main

import (
	"context"
	"time"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
)

var asPlanned = condition(Written, true, "Applied", "requests and targets stand as planned")

// change plans, asks the policy, and carries the change out.
func (p *round) change(ctx context.Context, asked *Recommendation) error {
	if p.ledger.Unfinished && p.ledger.Change != nil && p.Writes {
		if moved, err := p.carry(ctx, *p.ledger.Change, p.ledger.Finished); err != nil || !moved {
			return err
		} // the objects have moved on, so a new plan is due
	}
	policy, err := p.policyNow()
	if err != nil {
		return err
	}
	if p.forgotten() {
		why := p.FieldManager + " owns fields, and nothing is remembered of them: release the workload first"
		if p.foreign != "" {
			why += "; the ledger that stands there is not ours but was written by " + p.foreign
		}
		return p.tell(ctx, condition(Written, false, "Forgotten", why))
	}
	plan, errs := hpacouple.Plan(p.input(asked))
	if len(errs) > 0 {
		c := plan.Condition(0, p.now())
		c.Message = errs.ToAggregate().Error()
		return p.tell(ctx, c)
	}
	if err := p.refresh(ctx); err != nil { // between plan and admission time passes; here it is little
		return err
	}
	live := p.live(plan.HPA.Name)
	verdict, errs := hpacouple.Admit(plan, hpacouple.Admission{Policy: policy, MayPatchHPA: p.Writes, Live: live})
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	conditions := conditions{plan.Condition(0, p.now()), verdict.Condition(0, p.now())}
	if !verdict.Allowed {
		if err := p.events(ctx, verdict.Events()); err != nil {
			return err
		}
		return p.tell(ctx, append(conditions, condition(Written, false, "Blocked", "the plan is not admitted"))...)
	}
	change, ok := hpacouple.ChangeOf(plan)
	if !p.Writes {
		return p.tell(ctx, append(conditions, condition(Written, false, "ReadOnly", "nothing is written in read-only mode"))...)
	}
	if !ok {
		if !p.ledger.Empty() {
			if err := p.store(ctx, p.ledger.Seen(plan.State, p.ledger.Taken.Confirm(live, p.FieldManager))); err != nil {
				return err
			}
		}
		return p.tell(ctx, append(conditions, asPlanned)...)
	}
	if p.ledger.Refused == ledger.Fingerprint(change) {
		return p.tell(ctx, append(conditions, condition(Written, false, "Refused", "the API server has refused this change; it is not sent again until the plan is another one"))...)
	}
	if p.rolling { // pods of two templates: usage that is measured now belongs to neither
		p.wait = 30 * time.Second
		return p.tell(ctx, append(conditions, condition(Written, false, "RollingOut", "the last rollout has not ended"))...)
	}
	if err := p.tell(ctx, conditions...); err != nil {
		return err
	}
	before := p.ledger
	p.anew = true
	p.ledger = before.Begin(change, before.Taken)
	_, err = p.carry(ctx, change, p.ledger.Finished)
	return err
}

// input is the question to the library.
func (p *round) input(asked *Recommendation) hpacouple.Input {
	in := hpacouple.Input{
		Workload: p.workload, Meta: p.meta, Pod: p.pod, TemplateLabels: p.template.Labels,
		Recommendations: asked.Containers, MaxReplicasReached: asked.MaxReplicasReached, State: p.ledger.State(),
		Surroundings: hpacouple.Surroundings{SpecReplicas: p.replicas}, Options: hpacouple.Options{FieldManager: p.FieldManager},
	}
	for i, h := range p.hpas {
		if i == 0 {
			in.HPA = h
		} else {
			in.OtherHPAs = append(in.OtherHPAs, h)
		}
	}
	return in
}

// carry sends the writes of a change, and what is still missing of them where a pass before this one did not get to the end. What is taken is
// stored before it is taken, since afterwards it cannot be read. moved says that the live objects hold neither the old nor the new values.
func (p *round) carry(ctx context.Context, change hpacouple.Change, done func(hpacouple.Taken) ledger.Ledger) (moved bool, err error) {
	now := p.ledger.Taken
	if !p.anew { // begun in a pass before this one
		if w, errs := change.Writes(p.live(change.HPA.Name), p.writeOptions()); len(errs) == 0 {
			now = w.Taken
		}
	}
	p.ledger = p.ledger.Noticed(now, p.FieldManager, p.meta)
	w, ok, err := p.writesOf(ctx, change)
	if !ok {
		return len(w.Stale) > 0, err
	}
	if len(w.Writes) > 0 {
		if err := p.try(ctx, w.Writes); err != nil {
			return false, p.failed(ctx, change, w.Taken, err)
		}
		next := p.ledger
		next.Taken, next.Unfinished = w.Taken, true
		if err := p.store(ctx, next); err != nil {
			return false, err
		}
		// Again, from the objects with the ledger: their resourceVersion guards the writes.
		if w, ok, err = p.writesOf(ctx, change); !ok {
			return len(w.Stale) > 0, err
		}
		for _, write := range w.Writes {
			if err := p.send(ctx, write); err != nil {
				return false, p.failed(ctx, change, w.Taken, err)
			}
		}
		if err := p.refresh(ctx); err != nil {
			return false, err
		}
		if p.again = w.Again; w.Again {
			return false, nil
		}
	}
	if err := p.events(ctx, change.Events()); err != nil {
		return false, err
	}
	if err := p.store(ctx, done(w.Taken.Confirm(p.live(change.HPA.Name), p.FieldManager))); err != nil {
		return false, err
	}
	return false, p.tell(ctx, asPlanned)
}

func (p *round) writeOptions() hpacouple.WriteOptions {
	return hpacouple.WriteOptions{FieldManager: p.FieldManager, Taken: p.ledger.Taken, Retake: p.Retake}
}

// writesOf builds the writes; ok is false where there can be none, which is said.
func (p *round) writesOf(ctx context.Context, change hpacouple.Change) (w hpacouple.Writing, ok bool, err error) {
	w, errs := change.Writes(p.live(change.HPA.Name), p.writeOptions())
	switch {
	case len(errs) > 0:
		return w, false, p.tell(ctx, condition(Written, false, "Unwritable", errs.ToAggregate().Error()))
	case len(w.Stale) > 0:
		return w, false, p.tell(ctx, condition(Written, false, "Stale", "changed by somebody else since: "+listed(w.Stale)))
	case len(w.Contested) > 0:
		return w, false, p.tell(ctx, condition(Written, false, "Contested", "held by somebody else: "+owners(w.Contested)))
	}
	return w, true, nil
}
