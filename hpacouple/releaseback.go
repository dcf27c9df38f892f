package hpacouple

import (
	"slices"
	"strconv"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
	"github.com/kube-rightsize/rightsize/risk"
)

// metricsBack puts the old targets back, nil where they are back already, or cannot be.
func (r *release) metricsBack() *Write {
	m := r.o.Taken.Metrics
	if m == nil {
		if r.hpa.has(metricsPlace{}) {
			r.out.Kept = append(r.out.Kept, metricsField)
		}
		return nil
	}
	list := liveMetrics(&r.live.HPA.Spec)
	var rows []TargetChange
	for _, t := range m.Targets {
		switch now, ok := targetIn(list, t.TargetRef); {
		case (ok && now == t.Target) || !r.wantsResource(t.Resource):
		case !ok || r.stay[t.Resource] || !r.movesMetrics():
			r.out.Kept = append(r.out.Kept, metricsField+": "+t.TargetRef.String())
		default:
			rows = append(rows, TargetChange{TargetRef: t.TargetRef, From: now, To: t.Target})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	r.requestsFirst = SafeOrder(rows, nil).First == RequestsFirst
	mine := &r.hpa.entries[r.hpa.mine]
	if owner, ok := r.hpa.soleUpdater(m.Owners, autoscalingV2); ok {
		var p patch
		p.testHas(mine, metricsPlace{})
		p.takeOut(mine, partsOf(&mine.tree, nil))
		for i := range list {
			p.target(i, &list[i], rows)
		}
		return &Write{Object: r.hpaRef(), PatchType: JSONPatch, FieldManager: owner.Manager, Body: p.body()}
	}
	body, errs := r.hpaBody(withTargets(list, rows), false)
	r.errs = append(r.errs, errs...)
	r.out.Again = true
	return &Write{Object: r.hpaRef(), PatchType: ApplyPatch, FieldManager: r.manager, Body: body}
}

// target sets the target of the entry at a place of the live list, after a test that it is that entry.
func (p *patch) target(index int, m *autoscalingv2.MetricSpec, rows []TargetChange) {
	ref, target := targetOf(m)
	i := slices.IndexFunc(rows, func(t TargetChange) bool { return target != nil && t.TargetRef == ref })
	if i < 0 {
		return
	}
	at := func(keys ...string) string {
		source := "resource"
		if ref.Type == autoscalingv2.ContainerResourceMetricSourceType {
			source = "containerResource"
		}
		return fieldsv1.Pointer(append([]string{"spec", "metrics", strconv.Itoa(index), source}, keys...)...)
	}
	p.test(at("name"), string(ref.Resource))
	if ref.Container != "" {
		p.test(at("container"), ref.Container)
	}
	p.op("replace", at("target", "averageUtilization"), strconv.AppendInt(nil, int64(rows[i].To), 10))
}

// soleUpdater is the one owner, by update, in the object's present version, who does not apply by now. In another version, or beside an entry
// by apply, a patch would make it a second entry.
func (o *owned) soleUpdater(owners []risk.Owner, apiVersion string) (risk.Owner, bool) {
	if len(owners) != 1 || owners[0].Operation != metav1.ManagedFieldsOperationUpdate || owners[0].APIVersion != apiVersion || o.applies(owners[0].Manager) {
		return risk.Owner{}, false
	}
	return owners[0], true
}

// amountsBack puts the old amounts back, nil where they are back already, or cannot be.
func (r *release) amountsBack() *Write {
	rows := r.amountRows()
	if len(rows) == 0 {
		return nil
	}
	if owner, ok := r.oneOwner(rows); ok {
		mine := &r.template.entries[r.template.mine]
		var p patch
		for _, a := range rows {
			p.testHas(mine, a.AmountRef)
		}
		p.takeOut(mine, partsOf(&mine.tree, nil))
		for _, a := range rows {
			_, index := r.resources(a.AmountRef)
			p.testContainer(a.AmountRef, index)
			p.op("replace", amountPointer(a.AmountRef, index), textOf(*a.To))
		}
		return &Write{Object: r.workloadRef(), PatchType: JSONPatch, FieldManager: owner.Manager, Body: p.body()}
	}
	force := slices.ContainsFunc(rows, func(a *AmountChange) bool {
		res, _ := r.resources(a.AmountRef)
		return a.To != nil && r.emptyElsewhere(res, a.AmountRef)
	})
	body, errs := r.templateBody(rows, force)
	r.errs = append(r.errs, errs...)
	r.out.Again = true
	return &Write{Object: r.workloadRef(), PatchType: ApplyPatch, FieldManager: r.manager, Force: force, Body: body}
}

// amountRows are the amounts that are ours, or were taken away, and that have another value than before.
func (r *release) amountRows() (rows []*AmountChange) {
	for i := range r.o.Taken.Amounts {
		a := &r.o.Taken.Amounts[i]
		switch back, moves := r.goesBack(a); {
		case !r.wants(a.AmountRef) || (back && !moves):
		case !back || r.stay[a.Resource]:
			r.out.Kept = append(r.out.Kept, a.String())
		default:
			res, _ := r.resources(a.AmountRef)
			rows = append(rows, &AmountChange{AmountRef: a.AmountRef, From: liveAmount(res, a.AmountRef), To: a.Value})
		}
	}
	for _, ref := range r.forgotten() {
		if r.wants(ref) {
			r.out.Kept = append(r.out.Kept, ref.String())
		}
	}
	return rows
}

// forgotten are the amounts that are ours and have no past.
func (r *release) forgotten() (list []AmountRef) {
	for _, ref := range amountsOf(r.template.ours(), nil) {
		if r.taken.amount(ref) == nil {
			list = append(list, ref)
		}
	}
	return list
}

// amountsOf lists the amounts of a workload's set.
func amountsOf(n *fieldsv1.Node, at []string) (list []AmountRef) {
	if n == nil {
		return nil
	}
	if ref, is := amountAt(at); is {
		return []AmountRef{ref}
	}
	for i := range n.Children {
		list = append(list, amountsOf(&n.Children[i], append(slices.Clone(at), n.Children[i].Key))...)
	}
	return list
}

// oneOwner says whether every amount that is ours has another value than before, and went to us from one owner by update.
func (r *release) oneOwner(rows []*AmountChange) (owner risk.Owner, ok bool) {
	if !r.whole() || len(r.out.Kept) > 0 || slices.ContainsFunc(rows, func(a *AmountChange) bool { return !r.template.has(a.AmountRef) }) {
		return owner, false
	}
	back := 0
	for i := range r.taken.Amounts {
		a := &r.taken.Amounts[i]
		if !r.template.has(a.AmountRef) {
			continue
		}
		is, sole := r.template.soleUpdater(a.Owners, r.workload.APIVersion)
		if is.Field = ""; !sole || a.Value == nil || (back > 0 && is != owner) {
			return owner, false
		}
		owner = is
		back++
	}
	return owner, back == len(rows) && back > 0
}
