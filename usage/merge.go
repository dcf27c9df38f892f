package usage

// Merge adds another histogram's weight bucket by bucket: no error comes on top of ErrorBound. Both need the same layout
// and half-life, otherwise ErrMismatch. The other one is not written to. A nil one adds nothing.
//
// Merging is commutative and associative where sums of floats are: exactly for weights that are whole multiples of one
// power of two, otherwise to the last bits of a weight. A Fine result has the coarser scale of the two, or the one that
// their common range needs.
func (h *Histogram) Merge(other *Histogram) error {
	if h == nil {
		return ErrLayout
	}
	if other == nil {
		return nil
	}
	if h.kind != other.kind || h.halfLife != other.halfLife {
		return ErrMismatch
	}
	o := *other
	switch {
	case !o.referred && !h.referred:
	case !h.referred || o.referred && h.reference < o.reference:
		h.shift(o.reference)
	case !o.referred || o.reference < h.reference:
		o.shift(h.reference)
	}
	if h.kind == fine {
		h.mergeFine(&o)
	} else {
		for b := o.low; b <= o.high; b++ {
			h.weights[b] += o.weights[b]
		}
		h.low, h.high = min(h.low, o.low), max(h.high, o.high)
	}
	h.total += o.total
	if o.count > 0 {
		if h.count == 0 {
			h.first, h.last, h.smallest, h.largest = o.first, o.last, o.smallest, o.largest
		}
		h.count += min(o.count, maxCount-h.count)
		h.first, h.last = min(h.first, o.first), max(h.last, o.last)
		h.smallest, h.largest = min(h.smallest, o.smallest), max(h.largest, o.largest)
	}
	return nil
}

// maxCount keeps the number of samples far from overflowing.
const maxCount = 1 << 62

func (h *Histogram) mergeFine(o *Histogram) {
	h.zero += o.zero
	if d := o.down - min(h.down, o.down); d > 0 {
		h.coarsen(d)
	}
	if !o.used {
		return
	}
	low, high := o.base+int32(o.low), o.base+int32(o.high)
	h.place(low >> (h.down - o.down))
	h.place(high >> (h.down - o.down))
	for b := o.low; b <= o.high; b++ {
		if o.weights[b] > 0 {
			h.weights[(o.base+int32(b))>>(h.down-o.down)-h.base] += o.weights[b]
		}
	}
}

// coarsen halves the resolution of a Fine histogram so many times.
func (h *Histogram) coarsen(halvings uint8) {
	if !h.used {
		h.down += halvings
		return
	}
	h.lay((h.base+int32(h.low))>>halvings, (h.base+int32(h.high))>>halvings, halvings)
}

// Clone returns an independent copy.
func (h *Histogram) Clone() *Histogram {
	if h == nil {
		return nil
	}
	c := *h
	return &c
}

// Equal reports whether two histograms hold the same: every weight and every fact, bit by bit.
func (h *Histogram) Equal(o *Histogram) bool {
	if h == nil || o == nil {
		return h == o
	}
	a, b := *h, *o
	a.settle()
	b.settle()
	return a == b
}

// settle takes away what depends on the way to what a histogram holds, such as the base of a Fine one.
func (h *Histogram) settle() {
	h.near = 0
	if h.halfLife == 0 {
		h.limit = -1
	}
	if h.kind != fine {
		return
	}
	if !h.used {
		h.base = 0
		h.clearRange()
		return
	}
	h.lay(h.base+int32(h.low), h.base+int32(h.high), 0)
}
