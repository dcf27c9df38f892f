package usage

import "math"

// The indexes that values have, from just above fineZero to the largest float, before their resolution is halved.
const (
	fineLeast int32 = -30 << fineScale
	fineMost  int32 = 1024<<fineScale - 1
)

// contradiction says which of a histogram's facts cannot hold together; empty where all can. The total must be the weight in the buckets: to
// a millionth, since sums of floats differ by their order, and for VPA's layouts to the least weight of each bucket, which decay and taking
// back leave behind. Weight must lie between the smallest and the largest value, and somebody must have added it.
//
// Not covered: a histogram of VPA's layouts from which more was taken back than was added is one that VPA would have, too; its encoding may be
// refused.
func (h *Histogram) contradiction() string {
	sum, slack := h.zero, 0.0
	for _, w := range h.weights {
		sum += w
	}
	if h.kind != fine {
		slack = vpaBuckets * vpaEpsilon
	}
	if math.Abs(sum-h.total) > float64(1e-6*max(sum, h.total))+slack {
		return "total weight"
	}
	if h.Empty() {
		return ""
	}
	if h.count == 0 {
		return "weight without a sample"
	}
	if h.zero > 0 && h.smallest > fineZero {
		return "smallest value"
	}
	if h.kind == fine {
		if !h.used {
			return ""
		}
		if h.largest <= fineZero || h.base+int32(h.high) > fineIndex(h.largest)>>h.down {
			return "largest value"
		}
		if h.smallest > fineZero && h.base+int32(h.low) < fineIndex(h.smallest)>>h.down {
			return "smallest value"
		}
		return ""
	}
	layout := vpaLayouts[h.kind]
	switch {
	case int(h.high) > layout.bucket(h.largest):
		return "largest value"
	case int(h.low) < layout.bucket(h.smallest):
		return "smallest value"
	}
	return ""
}
