package hpacouple

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// choosePairs keeps what is remembered of a coupled resource one pair. Where somebody chose a request or a target after it had been ours, and it is
// taken again, its new value is remembered; the other half's old value does not belong to it. What people chose is then the pair in force, as it is for
// the anchor: 700m at 71 of ours, edited to 303m, is 303m at 71, and a release with the values must not make 303m at 50 of it.
func (d *draft) choosePairs(before *Taken) {
	if d.live.HPA == nil || d.taken.Metrics == nil {
		return
	}
	list := liveMetrics(&d.live.HPA.Spec)
	for _, name := range allSized {
		if !d.chosenAnew(before, name) {
			continue
		}
		for i := range d.taken.Metrics.Targets {
			t := &d.taken.Metrics.Targets[i]
			if now, ok := targetIn(list, t.TargetRef); ok && t.Resource == name {
				t.Target = now
			}
		}
		for i := range d.taken.Amounts {
			a := &d.taken.Amounts[i]
			if r, _ := d.resources(a.AmountRef); r != nil && a.Kind == Request && a.Resource == name && !a.Cleared {
				a.Value = canonicalCopy(liveAmount(r, a.AmountRef))
			}
		}
	}
}

// chosenAnew says whether the writes take a half again that was remembered with another value.
func (d *draft) chosenAnew(before *Taken, name corev1.ResourceName) bool {
	coupled := slices.ContainsFunc(d.taken.Metrics.Targets, func(t TakenTarget) bool { return t.Resource == name })
	if !coupled {
		return false
	}
	list := liveMetrics(&d.live.HPA.Spec)
	for _, t := range d.change.Targets {
		if t.Resource != name || t.From == t.To || before.Metrics == nil || d.scene.hpa.has(metricsPlace{}) {
			continue
		}
		for _, was := range before.Metrics.Targets {
			if now, ok := targetIn(list, was.TargetRef); ok && was.TargetRef == t.TargetRef && now != was.Target && now != t.To {
				return true
			}
		}
	}
	for i := range d.change.Amounts {
		a := &d.change.Amounts[i]
		was := before.amount(a.AmountRef)
		r, _ := d.resources(a.AmountRef)
		if a.Kind != Request || a.Resource != name || was == nil || r == nil || d.template.has(a.AmountRef) {
			continue
		}
		if now := liveAmount(r, a.AmountRef); !sameQuantity(now, was.Value) && !sameQuantity(now, a.To) {
			return true
		}
	}
	return false
}
