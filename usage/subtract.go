package usage

import "time"

// Subtract takes back one sample that was added with the same time, value and weight. A weight that would fall below
// nothing, or to less than VPA's epsilon or a thousand-millionth of what was taken back, becomes zero. The times, the
// smallest and the largest value stay as they were. Errors are those of Add.
func (h *Histogram) Subtract(t time.Time, value, weight float64) error {
	ns, ok := instant(t)
	if h == nil || !ok || !usable(value) || !weighs(weight) {
		return h.refusal(value, weight)
	}
	h.subtract(ns, value, weight)
	return nil
}

// subtract takes back a sample that was checked.
func (h *Histogram) subtract(ns int64, value, weight float64) {
	if h.halfLife != 0 {
		weight = float64(weight * h.decay(ns))
	}
	h.count = max(h.count-1, 0)
	if h.kind != fine {
		bucket := vpaLayouts[h.kind].bucket(value)
		h.total = left(h.total, weight, vpaEpsilon)
		h.weights[bucket] = left(h.weights[bucket], weight, vpaEpsilon)
		h.trim()
		return
	}
	epsilon := float64(weight * 1e-9)
	from := &h.zero
	if value > fineZero {
		i := int(fineIndex(value)>>h.down) - int(h.base)
		if !h.used || i < int(h.low) || i > int(h.high) {
			return
		}
		from = &h.weights[i]
	}
	h.total = left(h.total, min(weight, *from), epsilon)
	*from = left(*from, weight, epsilon)
	if h.zero <= 0 || value > fineZero {
		h.trim()
	}
}

// replace takes back a sample and adds a larger one of the same time and weight, as one step.
func (h *Histogram) replace(ns int64, old, new, weight float64) {
	if h.vpa == nil {
		h.subtract(ns, old, weight)
		h.add(ns, new, weight)
		return
	}
	if h.halfLife != 0 {
		weight = float64(weight * h.decay(ns))
	}
	from, to := h.vpa.bucket(old), h.vpa.bucket(new)
	h.total = left(h.total, weight, vpaEpsilon)
	h.weights[from] = left(h.weights[from], weight, vpaEpsilon)
	h.addVPA(to, weight)
	if h.weights[from] < vpaEpsilon {
		h.trim()
	}
	h.count = max(h.count-1, 0)
	h.note(ns, new)
}

func left(value, sub, epsilon float64) float64 {
	value -= sub
	if value < epsilon {
		return 0
	}
	return value
}
