package usage

import (
	"fmt"
	"math"
	"time"
)

// Bucket is a bucket of somebody else's histogram: its upper bound, in cores or bytes, and the weight in it.
// A Prometheus native histogram of scale s has the bounds 2^(i/2^s), an OpenTelemetry exponential histogram has the
// same, and a DDSketch of accuracy a has ((1+a)/(1-a))^i. A bucket of zeros has the bound 0.
type Bucket struct {
	UpperBound, Weight float64
}

// Span is what buckets do not say: how many samples they stand for, and from when to when.
type Span struct {
	Count       int64
	First, Last time.Time
}

// FromBuckets makes a histogram without decay out of buckets in any order. All of a bucket's weight is put at its upper
// bound: an import answers too much rather than too little, by at most the width of the source's bucket, on top of
// ErrorBound. Bounds that are powers of 2^(1/32) are also bounds of Fine: then a bucket stays one bucket.
//
// It is an error if a bound is NaN, negative or infinite (how large are the values in it?) while its weight is not zero,
// if a weight cannot be one, if the count is negative, or if there is weight and a time cannot be used.
func FromBuckets(layout Layout, buckets []Bucket, span Span) (*Histogram, error) {
	h, err := NewHistogram(layout, 0)
	if err != nil {
		return nil, err
	}
	if span.Count < 0 || span.Count > maxCount || span.Last.Before(span.First) {
		return nil, fmt.Errorf("usage: a span of %d samples from %v to %v is not possible", span.Count, span.First, span.Last)
	}
	for i, b := range buckets {
		if b.Weight == 0 {
			continue
		}
		if err := h.Add(span.Last, b.UpperBound, b.Weight); err != nil {
			return nil, fmt.Errorf("usage: buckets[%d]: %w", i, err)
		}
	}
	if h.count > 0 {
		if span.Count == 0 {
			return nil, fmt.Errorf("usage: there is weight, and the span says that no sample stands behind it")
		}
		first, ok := instant(span.First)
		if !ok {
			return nil, ErrTime
		}
		h.first, h.count = first, span.Count
	}
	return h, nil
}

// Buckets returns the buckets that hold weight, by upper bound. VPA's last bucket has none and reports infinity.
func (h *Histogram) Buckets() []Bucket {
	if h == nil {
		return nil
	}
	var buckets []Bucket
	if h.zero > 0 {
		buckets = append(buckets, Bucket{UpperBound: fineZero, Weight: h.zero})
	}
	for i, w := range h.weights {
		if w <= 0 {
			continue
		}
		upper := math.Inf(1)
		switch {
		case h.kind == fine:
			upper = fineBound(h.base+int32(i)+1, fineScale-int(h.down))
		case i+1 < vpaBuckets:
			upper = vpaLayouts[h.kind].start[i+1]
		}
		buckets = append(buckets, Bucket{UpperBound: upper, Weight: w})
	}
	return buckets
}
