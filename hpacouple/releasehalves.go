package hpacouple

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// halves finds the resources whose values stay where they are, though they are to go back: one half of the pair cannot go back, and the other
// alone would move replicas. It reads the memory as it was given: what was taken from another object of that name is compared as well.
func (r *release) halves() {
	r.stay = map[corev1.ResourceName]bool{}
	if !r.o.Back || r.live.Meta == nil {
		return
	}
	for _, name := range r.coupled() {
		if r.live.HPA != nil && !r.targetGoesBack(name) {
			r.stay[name] = true
		}
		for i := range r.o.Taken.Amounts {
			a := &r.o.Taken.Amounts[i]
			if back, _ := r.goesBack(a); !back && a.Resource == name && a.Kind == Request {
				r.stay[name] = true
			}
		}
		for _, ref := range r.forgotten() {
			if ref.Resource == name && ref.Kind == Request {
				r.stay[name] = true
			}
		}
	}
	for i := range r.o.Taken.Amounts {
		if a := &r.o.Taken.Amounts[i]; r.torn(a.AmountRef) {
			r.stay[a.Resource] = true
		}
	}
}

// coupled are the resources of targets that are, or were, ours.
func (r *release) coupled() (names []corev1.ResourceName) {
	add := func(name corev1.ResourceName) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if m := r.o.Taken.Metrics; m != nil {
		for _, t := range m.Targets {
			add(t.Resource)
		}
	} else if r.live.HPA != nil && r.hpa.has(metricsPlace{}) {
		list := liveMetrics(&r.live.HPA.Spec)
		for i := range list {
			if ref, target := targetOf(&list[i]); target != nil {
				add(ref.Resource)
			}
		}
	}
	return names
}

// movesMetrics says whether the list's old targets can be set: it is remembered, and ours alone.
func (r *release) movesMetrics() bool {
	return r.wantsHPA() && r.taken.Metrics != nil && r.hpa.has(metricsPlace{}) && len(r.hpa.others(metricsPlace{})) == 0
}

// targetGoesBack says whether the targets of a resource are the old ones, or can be.
func (r *release) targetGoesBack(name corev1.ResourceName) bool {
	if r.o.Taken.Metrics == nil {
		return false // ours, and not remembered
	}
	list := liveMetrics(&r.live.HPA.Spec)
	for _, t := range r.o.Taken.Metrics.Targets {
		if now, ok := targetIn(list, t.TargetRef); t.Resource == name && (!ok || (now != t.Target && !r.movesMetrics())) {
			return false
		}
	}
	return true
}

// goesBack says whether an amount has its old value, or can have it, and whether that is a write.
func (r *release) goesBack(a *TakenAmount) (back, moves bool) {
	res, _ := r.resources(a.AmountRef)
	if res == nil {
		return a.Value == nil, false // with its container
	}
	now := liveAmount(res, a.AmountRef)
	if sameQuantity(now, a.Value) {
		return true, false
	}
	ours := r.template.has(a.AmountRef) || (a.Cleared && now == nil && a.Value != nil)
	moves = ours && r.wants(a.AmountRef) && r.taken.amount(a.AmountRef) != nil && len(r.template.others(a.AmountRef)) == 0
	return moves, moves
}

// torn says whether of a request and its limit one would go back and the other not, so that the server refuses the request, or counts the
// limit in its place.
func (r *release) torn(ref AmountRef) bool {
	final := func(kind AmountKind) (a *TakenAmount, moves bool) {
		ref.Kind = kind
		if a = r.o.Taken.amount(ref); a != nil {
			if back, moves := r.goesBack(a); back {
				return a, moves
			}
		}
		now := TakenAmount{AmountRef: ref}
		if res, _ := r.resources(ref); res != nil {
			now.Value = liveAmount(res, ref)
		}
		return &now, false
	}
	request, moves := final(Request)
	limit, limitMoves := final(Limit)
	switch {
	case limit.Value == nil || !(moves || limitMoves):
		return false
	case request.Value == nil:
		known := r.o.Taken.amount(limit.AmountRef)
		return known != nil && !sameQuantity(limit.Value, known.Value)
	}
	return compare(*request.Value, *limit.Value) > 0
}

// halfGiven is what Back misses where one object of a pair that was taken is not given.
func (r *release) halfGiven() *field.Error {
	pair := func(a TakenAmount) bool {
		return slices.Contains(r.coupled(), a.Resource) && r.wantsResource(a.Resource)
	}
	if !r.o.Back || !slices.ContainsFunc(r.o.Taken.Amounts, pair) {
		return nil
	}
	switch at := field.NewPath("live"); {
	case r.live.HPA == nil:
		return field.Required(at.Child("hpa"), "its target goes back together with the requests")
	case r.live.Meta == nil && r.wantsHPA():
		return field.Required(at.Child("meta"), "the requests go back together with the target")
	}
	return nil
}
