package usage

import (
	"fmt"
	"math"
	"time"
)

// VPACheckpoint is one histogram as VPA stores it in a VerticalPodAutoscalerCheckpoint of version v3, with the same JSON.
// It is lossy: weights become whole ten-thousandths of the heaviest bucket, lighter than half of one are dropped. What
// stays exact is the total. A rare high value can be in a bucket that is dropped, and the largest value is not stored: whoever sizes by the maximum
// after reading it back is hurt, by an outage. Use Histogram's own encoding where nothing may be lost.
type VPACheckpoint struct {
	ReferenceTimestamp time.Time      `json:"referenceTimestamp,omitzero"`
	BucketWeights      map[int]uint32 `json:"bucketWeights,omitempty"`
	TotalWeight        float64        `json:"totalWeight,omitempty"`
}

// heaviest is the weight of the heaviest bucket in a checkpoint.
const heaviest = 10000

// VPACheckpoint returns the histogram as VPA would store it: without its largest value, and without buckets lighter than half a ten-thousandth of
// the heaviest, so that high quantiles and Max can be too small after FromVPACheckpoint. Only VPA's layouts have one, otherwise ErrLayout.
// Upstream: SaveToChekpoint in pkg/recommender/util.
func (h *Histogram) VPACheckpoint() (VPACheckpoint, error) {
	if h == nil || h.kind == fine {
		return VPACheckpoint{}, ErrLayout
	}
	c := VPACheckpoint{BucketWeights: map[int]uint32{}, TotalWeight: h.total}
	if h.referred {
		c.ReferenceTimestamp = moment(h.reference)
	}
	largest := 0.0
	for b := h.low; b <= h.high; b++ {
		largest = max(largest, h.weights[b])
	}
	ratio := heaviest / largest
	for b := h.low; b <= h.high; b++ {
		if w := uint32(math.Floor(float64(h.weights[b]*ratio) + 0.5)); w > 0 {
			c.BucketWeights[int(b)] = w
		}
	}
	return c, nil
}

// FromVPACheckpoint reads what VPA has stored. What a checkpoint keeps beside its histograms comes in as the span; VPA
// keeps it for cpu alone. Without a span all that is known is that at least one sample stands behind each bucket, and the reference time. The
// largest value is not stored: Max is the end of the highest bucket that was kept, above the largest value or, where its bucket was dropped or is the
// last one, below it. The first costs money, the second is an outage for whoever sizes by the maximum.
//
// Errors: ErrLayout for a layout that is not one of VPA's; ErrHalfLife for one that is not within 1 s and 366 days; ErrTime for a time outside
// 1970..2199; ErrEncoding for a total weight that is NaN, negative or too large, a negative or too large number of samples, a span that ends before
// it starts, a bucket that VPA does not have, and weight without a reference time.
// Upstream: LoadFromCheckpoint in pkg/recommender/util.
func FromVPACheckpoint(layout Layout, halfLife time.Duration, c VPACheckpoint, span Span) (*Histogram, error) {
	h, err := NewHistogram(layout, halfLife)
	if err != nil {
		return nil, err
	}
	if h.kind == fine {
		return nil, ErrLayout
	}
	if halfLife == 0 {
		return nil, ErrHalfLife
	}
	if !(c.TotalWeight >= 0 && c.TotalWeight <= maxTotal) {
		return nil, fmt.Errorf("%w: total weight %v", ErrEncoding, c.TotalWeight)
	}
	if span.Count < 0 || span.Count > maxCount || span.Last.Before(span.First) {
		return nil, fmt.Errorf("%w: span", ErrEncoding)
	}
	sum, filled := int64(0), int64(0)
	for b, w := range c.BucketWeights {
		if b < 0 || b >= vpaBuckets {
			return nil, fmt.Errorf("%w: a bucket is outside 0..%d", ErrEncoding, vpaBuckets-1)
		}
		sum += int64(w)
		filled += int64(min(w, 1))
	}
	if !c.ReferenceTimestamp.IsZero() {
		reference, ok := instant(c.ReferenceTimestamp)
		if !ok {
			return nil, ErrTime
		}
		h.refer(reference)
	}
	if sum == 0 {
		return h, nil
	}
	if !h.referred {
		return nil, fmt.Errorf("%w: weight without a reference timestamp", ErrEncoding)
	}
	ratio := c.TotalWeight / float64(sum)
	for b, w := range c.BucketWeights { // into different buckets: the order does not matter
		h.weights[b] = float64(float64(w) * ratio)
	}
	h.total = c.TotalWeight
	h.low, h.high = 0, vpaBuckets-1
	h.trim()
	if h.low > h.high {
		h.clearRange()
	}
	h.smallest, h.largest = vpaLayouts[h.kind].start[h.low], vpaLayouts[h.kind].start[min(h.high+1, vpaBuckets-1)]
	if h.low > h.high {
		h.smallest = h.largest
	}
	if span.Count == 0 {
		span = Span{Count: filled, First: c.ReferenceTimestamp, Last: c.ReferenceTimestamp}
	}
	first, ok1 := instant(span.First)
	last, ok2 := instant(span.Last)
	if !ok1 || !ok2 {
		return nil, ErrTime
	}
	h.count, h.first, h.last = span.Count, first, last
	return h, nil
}
