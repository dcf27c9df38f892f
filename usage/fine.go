package usage

// The window of 176 buckets that a Fine histogram keeps out of an unlimited row of them.

// place returns where in weights the bucket of a Fine index lies, and makes room for it if need be.
// The index is at the present scale; the scale may change.
func (h *Histogram) place(index int32) int {
	i := int64(index) - int64(h.base)
	if !h.used {
		h.base, h.low, h.high, h.used = index-vpaBuckets/2, vpaBuckets/2, vpaBuckets/2, true
		return vpaBuckets / 2
	}
	low, high := h.base+int32(h.low), h.base+int32(h.high)
	low, high = min(low, index), max(high, index)
	halvings := uint8(0)
	for high>>halvings-low>>halvings >= vpaBuckets {
		halvings++
	}
	if halvings == 0 && i >= 0 && i < vpaBuckets {
		h.low, h.high = int16(low-h.base), int16(high-h.base)
		return int(i)
	}
	h.lay(low>>halvings, high>>halvings, halvings)
	return int(index>>halvings - h.base)
}

// lay moves the weights so that the range low..high, in indexes after so many halvings, lies in the middle.
func (h *Histogram) lay(low, high int32, halvings uint8) {
	old, from, to, base := h.weights, h.low, h.high, h.base
	h.weights = [vpaBuckets]float64{}
	h.down += halvings
	h.base = low - (vpaBuckets-1-(high-low))/2
	h.low, h.high = int16(low-h.base), int16(high-h.base)
	for b := from; b <= to; b++ {
		if old[b] > 0 {
			h.weights[(base+int32(b))>>halvings-h.base] += old[b]
		}
	}
}

func (h *Histogram) quantileFine(threshold float64) float64 {
	sum := h.zero
	value := 0.0
	if h.used && !(sum > 0 && sum >= threshold) {
		b := h.low
		for ; b < h.high; b++ {
			sum += h.weights[b]
			if h.weights[b] > 0 && sum >= threshold {
				break
			}
		}
		ratio := h.ratio()
		value = float64(fineBound(h.base+int32(b), fineScale-int(h.down)) * float64(2*ratio/(1+ratio)))
	}
	return min(max(value, h.smallest), h.largest)
}

// ratio returns upper / lower bound of the buckets of a Fine histogram.
func (h *Histogram) ratio() float64 { return fineBound(1, fineScale-int(h.down)) }
