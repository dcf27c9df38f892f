package usage

// Beyond reports whether a view's answer at q is a bound and not a value: VPA's layouts answer with the start of their last bucket, which has
// no end, however large the values in it are (1021 cores, 1.02e12 bytes). What is needed is at least the answer, and nobody knows how much more.
func Beyond(v View, q float64) bool {
	switch v := v.(type) {
	case *Histogram:
		return v.beyond(q)
	case maxOf:
		for _, one := range v {
			if Beyond(one, q) {
				return true
			}
		}
	}
	return false
}

func (h *Histogram) beyond(q float64) bool {
	if !(q >= 0 && q <= 1) || h.Empty() || h.kind == fine {
		return false
	}
	return h.bucketAt(float64(q*h.total)) == vpaBuckets-1
}

// bucketAt returns the bucket of VPA's layouts in which the running weight first reaches a threshold.
func (h *Histogram) bucketAt(threshold float64) int16 {
	sum := 0.0
	b := h.low
	for ; b < h.high; b++ {
		sum += h.weights[b]
		if sum >= threshold {
			break
		}
	}
	return b
}
