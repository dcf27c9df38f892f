package usage

import (
	"slices"
	"time"
)

// Pods of one workload do not use the same. There are two ways to make one answer of them, and they differ:
//
//   - the largest of the pods' own quantiles (MaxOf): no pod gets less than it needs, one odd pod raises all of them;
//   - the quantile of everything together (PoolSamples, PoolHistograms): an odd pod is outvoted by the others.
//
// For pods a: 1 1 1 5 and b: 1 1 1 1, the 80th percentile (nearest rank) is 5 the first way and 1 the second.
// Neither happens unless it is asked for, and a table of quantiles can only do the first.

// MaxOf is the view whose quantiles and maximum are the largest of the given views'. A quantile is ok only if it is for
// every view that is not empty: the largest of some is not the largest of all. Nil and empty views are left out.
func MaxOf(views ...View) View {
	kept := make(maxOf, 0, len(views))
	for _, v := range views {
		if !Empty(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

type maxOf []View

// Quantile returns the largest.
func (m maxOf) Quantile(q float64) (float64, bool) {
	return m.largest(func(v View) (float64, bool) { return v.Quantile(q) })
}

// Max returns the largest.
func (m maxOf) Max() (float64, bool) { return m.largest(View.Max) }

func (m maxOf) largest(of func(View) (float64, bool)) (float64, bool) {
	largest := 0.0
	for _, v := range m {
		value, ok := of(v)
		if !ok {
			return 0, false
		}
		largest = max(largest, value)
	}
	return largest, len(m) > 0
}

// Count returns the sum.
func (m maxOf) Count() int64 {
	var n int64
	for _, v := range m {
		n += min(max(v.Count(), 0), maxCount-n)
	}
	return n
}

// First returns the earliest that is known.
func (m maxOf) First() time.Time {
	var first time.Time
	for _, v := range m {
		if t := v.First(); !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Last returns the latest.
func (m maxOf) Last() time.Time {
	var last time.Time
	for _, v := range m {
		if t := v.Last(); t.After(last) {
			last = t
		}
	}
	return last
}

// PoolSamples returns the samples of all pods together. Points of different pods at one instant are different points.
// The quantile method is that of the first one that is given; a different one is ErrMismatch, as is none at all.
func PoolSamples(pods ...*Samples) (*Samples, error) {
	var method Method
	var points []Point
	for _, s := range pods {
		if s == nil || !s.method.Valid() {
			continue
		}
		if method == "" {
			method = s.method
		}
		if s.method != method {
			return nil, ErrMismatch
		}
		points = append(points, s.points...)
	}
	if method == "" {
		return nil, ErrMismatch
	}
	slices.SortFunc(points, byTime)
	return newSamples(points, method), nil
}

// PoolHistograms returns the sum of histograms of one layout and half-life, otherwise ErrMismatch, as for none at all.
// The sum is exact (Histogram.Merge). None of them is written to.
func PoolHistograms(pods ...*Histogram) (*Histogram, error) {
	var pool *Histogram
	for _, h := range pods {
		switch {
		case h == nil:
		case pool == nil:
			pool = h.Clone()
		default:
			if err := pool.Merge(h); err != nil {
				return nil, err
			}
		}
	}
	if pool == nil {
		return nil, ErrMismatch
	}
	return pool, nil
}
