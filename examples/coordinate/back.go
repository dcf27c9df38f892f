package main

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// undo rolls back, releases, or both; ok is false where there is nothing of ours to do that to.
func (t *task) undo(s settings) (i item, ok bool) {
	switch {
	case t.releases:
		return t.release(s)
	case t.ledger.Change == nil:
		return i, false
	}
	return t.carry(s, actRollback, t.ledger.Change.Reverse(), t.ledger.RolledBack), true
}

// finish sends the rest of a change that was begun; ok is false where none was, where nothing is missing, or where the live objects have moved on.
// What somebody has taken since it was begun is his.
func (t *task) finish(s settings) (i item, ok bool) {
	if !t.ledger.Unfinished || t.ledger.Change == nil {
		return i, false
	}
	change := *t.ledger.Change
	live := t.liveObjects(nil)
	if change.HPA.Name != "" {
		live.HPA = t.hpaNamed(change.HPA.Name)
	}
	if w, errs := change.Writes(live, hpacouple.WriteOptions{FieldManager: s.options.FieldManager, Taken: t.ledger.Taken, Retake: s.retake}); len(errs) == 0 {
		t.ledger = t.ledger.Noticed(w.Taken, s.manager(), t.meta)
	}
	i = t.carry(s, actFinish, change, t.ledger.Finished)
	contested := len(i.Contested) > 0
	if i.Admission.Allowed && len(i.Writes) == 0 {
		t.ledger = t.ledger.Finished(t.ledger.Taken.Confirm(live, s.options.FieldManager)) // all of it has arrived
	}
	return i, len(i.Writes) > 0 || contested
}

// carry builds the writes of a change that was planned before.
func (t *task) carry(s settings, what action, change hpacouple.Change, after func(hpacouple.Taken) ledger.Ledger) item {
	i := t.bare(what)
	live := t.liveObjects(nil)
	if change.HPA.Name != "" {
		live.HPA, i.HPA.Name = t.hpaNamed(change.HPA.Name), change.HPA.Name
	}
	t.rows(&i, change.Amounts, change.Targets, live)
	i.Outcome = i.moves(len(change.Targets) > 0)
	if i.Outcome != hpacouple.NoChange {
		i.tell(change.Events(), change.Records())
	}
	if s.readOnly && len(change.Targets) > 0 {
		i.blocked(skipreason.CauseReadOnly)
		i.sortNotes()
		return i
	}
	record := i.Record
	w, ok := t.writes(&i, s, change, live)
	if len(w.Stale)+len(w.Contested) > 0 {
		i.Record = record
		i.blocked(skipreason.CauseStale)
	} else if ok {
		next := after(w.Taken)
		if w.Again {
			next = t.ledger
			next.Taken = w.Taken
		}
		i.Anchor = next.Anchor
		t.remember(&i, s, live, next)
	}
	i.sortNotes()
	return i
}

// release gives up what is ours, with the values or without.
func (t *task) release(s settings) (item, bool) {
	what := actRelease
	if t.rollsBack {
		what = actReleaseAndBack
	}
	i := t.bare(what)
	name := ""
	if c := t.ledger.Change; c != nil {
		name = c.HPA.Name
	}
	live := t.liveObjects(t.hpaNamed(name))
	if live.HPA != nil {
		i.HPA.Name = live.HPA.Name
	}
	i.Outcome = hpacouple.NoChange
	unmanaged, ok := i.readable(live)
	if !ok {
		i.sortNotes()
		return i, true
	}
	out, errs := hpacouple.Release(t.Workload, live, hpacouple.ReleaseOptions{FieldManager: s.options.FieldManager, Taken: t.ledger.Taken, Back: t.rollsBack, NoManagedFields: unmanaged})
	if i.noErrors(errs) {
		i.Writes, i.Again, i.Kept = list(out.Writes), out.Again, list(out.Kept)
	}
	for _, f := range out.Kept {
		i.Notes = append(i.Notes, "the value of "+f+" does not go back: nobody remembers it, or somebody else holds the field as well")
	}
	if t.rollsBack {
		amounts, targets := before(t.ledger.Taken, i.Kept)
		t.rows(&i, amounts, targets, live)
		i.Outcome = i.moves(len(targets) > 0)
	}
	if s.readOnly && slices.ContainsFunc(i.Writes, func(w hpacouple.Write) bool { return w.Object.Kind == "HorizontalPodAutoscaler" }) {
		i.blocked(skipreason.CauseReadOnly)
	} else if len(errs) == 0 {
		next := t.ledger.Released(out.Taken)
		if out.Again {
			next = t.ledger
			next.Taken = out.Taken
		}
		t.remember(&i, s, live, next)
	}
	i.sortNotes()
	return i, len(i.Writes) > 0 || len(i.Ledger) > 0 || len(errs) > 0 || !t.ledger.Empty()
}

// before are the values that were taken over, but for those that do not go back.
func before(t hpacouple.Taken, kept []string) (amounts []hpacouple.AmountChange, targets []hpacouple.TargetChange) {
	for _, a := range t.Amounts {
		if !slices.Contains(kept, a.String()) {
			amounts = append(amounts, hpacouple.AmountChange{AmountRef: a.AmountRef, To: a.Value})
		}
	}
	if t.Metrics != nil && !slices.Contains(kept, "spec.metrics") {
		for _, m := range t.Metrics.Targets {
			targets = append(targets, hpacouple.TargetChange{TargetRef: m.TargetRef, To: m.Target})
		}
	}
	return amounts, targets
}

// bare is an item of which nothing is planned.
func (t *task) bare(what action) item {
	return item{
		Workload: workloadName{t.Kind, t.Namespace, t.Name}, Action: what, SkipReasons: []skipreason.Skip{}, Missing: []string{},
		RiskFlags: []skipreason.RiskFlag{}, Findings: []risk.Finding{}, OtherHPAs: []hpaName{}, Targets: []target{}, Containers: []container{}, Footprints: []footprint{},
		Admission: admission{Allowed: true, Causes: []skipreason.BlockCause{}}, Notes: list(t.notes), Sources: []string{}, sending: newSending(),
	}
}

// blocked refuses what was to be done, and leaves what was to be seen.
func (i *item) blocked(cause skipreason.BlockCause) {
	i.Admission = admission{false, skipreason.HPACoupled, cause, []skipreason.BlockCause{cause}}
	i.Writes, i.Ledger, i.Order, i.Again = []hpacouple.Write{}, []hpacouple.Write{}, nil, false
	if i.Record != nil {
		r := *i.Record
		r.Reason, r.Cause = skipreason.HPACoupled, cause
		i.tell(hpacouple.Verdict{Record: []hpacouple.Record{r}}.Events(), []hpacouple.Record{r})
	}
}

// rows fills in containers and targets from the live objects to the change.
func (t *task) rows(i *item, amounts []hpacouple.AmountChange, targets []hpacouple.TargetChange, live hpacouple.Live) {
	at := map[string]int{}
	for _, a := range amounts {
		k := string(a.Place) + "/" + a.Container + "/" + string(a.Resource)
		n, known := at[k]
		r, role := t.resourcesOf(a.AmountRef)
		if !known {
			n, at[k] = len(i.Containers), len(i.Containers)
			request, limit := textIn(r.Requests, a.Resource), textIn(r.Limits, a.Resource)
			i.Containers = append(i.Containers, container{Name: a.Container, Role: role, Resource: a.Resource, From: request, To: request,
				LimitFrom: limit, LimitTo: limit, Explanation: []step{}})
		}
		if c := &i.Containers[n]; a.Kind == hpacouple.Limit {
			c.LimitTo = text(a.To)
		} else {
			c.To = text(a.To)
		}
	}
	for _, p := range targets {
		from := p.From
		if live.HPA != nil {
			for _, e := range metrics.Classify(&live.HPA.Spec) {
				if e.Coupled() && e.Type == p.Type && e.Resource == p.Resource && e.Container == p.Container {
					from = e.Utilization
				}
			}
		}
		i.Targets = append(i.Targets, target{Type: string(p.Type), Resource: p.Resource, Container: p.Container, From: from, To: p.To, Exact: hpacouple.Fraction(strconv.Itoa(int(p.To)))})
	}
}

// moves is the outcome of a change whose rows are filled in.
func (i *item) moves(coupled bool) hpacouple.Outcome {
	moved := slices.ContainsFunc(i.Containers, func(c container) bool { return c.From != c.To || c.LimitFrom != c.LimitTo }) ||
		slices.ContainsFunc(i.Targets, func(t target) bool { return t.From != t.To })
	switch {
	case !moved:
		return hpacouple.NoChange
	case coupled:
		return hpacouple.Coordinate
	}
	return hpacouple.Uncoupled
}

// resourcesOf are the live amounts of what a change names.
func (t *task) resourcesOf(ref hpacouple.AmountRef) (corev1.ResourceRequirements, metrics.Role) {
	spec := &t.template.Spec
	if ref.Place == hpacouple.InPod {
		if spec.Resources == nil {
			return corev1.ResourceRequirements{}, metrics.RoleContainer
		}
		return *spec.Resources, metrics.RoleContainer
	}
	for i := range spec.Containers {
		if ref.Place == hpacouple.InContainers && spec.Containers[i].Name == ref.Container {
			return spec.Containers[i].Resources, metrics.RoleContainer
		}
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		if ref.Place != hpacouple.InInitContainers || c.Name != ref.Container {
			continue
		}
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			return c.Resources, metrics.RoleSidecar
		}
		return c.Resources, metrics.RoleInit
	}
	return corev1.ResourceRequirements{}, metrics.RoleContainer
}

// textIn prints an amount of a list, empty where it is not there.
func textIn(l corev1.ResourceList, name corev1.ResourceName) string {
	q, ok := l[name]
	if !ok {
		return ""
	}
	c := q.DeepCopy()
	return c.String()
}
