package usage

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// QuantileValue is the value at one quantile.
type QuantileValue struct {
	Q     float64 `json:"q"`
	Value float64 `json:"value"`
}

// Table is what somebody else has computed about one container and resource: cores or bytes.
type Table struct {
	Quantiles []QuantileValue `json:"quantiles,omitempty"`
	Max       *float64        `json:"max,omitempty"` // nil: not known
	Count     int64           `json:"count,omitempty"`
	First     time.Time       `json:"first,omitzero"`
	Last      time.Time       `json:"last,omitzero"`
}

// Quantiles is a View on a Table. A quantile that is not listed is not ok; nothing is interpolated, and a maximum is not
// the quantile 1 unless that is listed too. The zero value holds no data.
type Quantiles struct {
	entries     []QuantileValue // by Q
	largest     float64
	max         bool
	count       int64
	first, last time.Time
}

// NewQuantiles checks a table and copies it. It is an error if a quantile is outside 0..1 or listed twice (to nine
// decimals), a value is NaN, infinite or negative, a higher quantile or the maximum has a smaller value, the count is
// negative, or the last sample comes before the first.
func NewQuantiles(t Table) (*Quantiles, error) {
	q := &Quantiles{entries: slices.Clone(t.Quantiles), count: t.Count, first: t.First, last: t.Last}
	for i, e := range q.entries {
		if _, ok := quantileNanths(e.Q); !ok {
			return nil, fmt.Errorf("usage: quantiles[%d]: %v is not within 0..1", i, e.Q)
		}
		if !usable(e.Value) {
			return nil, fmt.Errorf("usage: quantiles[%d]: %w", i, ErrValue)
		}
	}
	slices.SortStableFunc(q.entries, func(a, b QuantileValue) int { return cmp.Compare(a.Q, b.Q) })
	for i := 1; i < len(q.entries); i++ {
		old, _ := quantileNanths(q.entries[i-1].Q)
		now, _ := quantileNanths(q.entries[i].Q)
		if old == now {
			return nil, fmt.Errorf("usage: quantile %v is listed twice", q.entries[i].Q)
		}
		if q.entries[i].Value < q.entries[i-1].Value {
			return nil, fmt.Errorf("usage: quantile %v is below quantile %v", q.entries[i].Q, q.entries[i-1].Q)
		}
	}
	if t.Max != nil {
		if !usable(*t.Max) {
			return nil, fmt.Errorf("usage: max: %w", ErrValue)
		}
		if n := len(q.entries); n > 0 && q.entries[n-1].Value > *t.Max {
			return nil, fmt.Errorf("usage: max is below quantile %v", q.entries[n-1].Q)
		}
		q.largest, q.max = *t.Max, true
	}
	if t.Count < 0 {
		return nil, fmt.Errorf("usage: count %d is negative", t.Count)
	}
	if t.Last.Before(t.First) {
		return nil, fmt.Errorf("usage: the last sample comes before the first")
	}
	return q, nil
}

// Quantile returns the listed value; q is read to nine decimals.
func (t *Quantiles) Quantile(q float64) (float64, bool) {
	share, ok := quantileNanths(q)
	if !ok || t == nil {
		return 0, false
	}
	for _, e := range t.entries {
		if listed, _ := quantileNanths(e.Q); listed == share {
			return e.Value, true
		}
	}
	return 0, false
}

// Max returns the maximum if the table has it.
func (t *Quantiles) Max() (float64, bool) {
	if t == nil {
		return 0, false
	}
	return t.largest, t.max
}

// Count returns the number of samples that the table says it stands for.
func (t *Quantiles) Count() int64 {
	if t == nil {
		return 0
	}
	return t.count
}

// First returns the time of the earliest sample as the table has it.
func (t *Quantiles) First() time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.first
}

// Last returns the time of the latest sample as the table has it.
func (t *Quantiles) Last() time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.last
}

// Listed returns a copy of the quantiles, by Q.
func (t *Quantiles) Listed() []QuantileValue {
	if t == nil {
		return nil
	}
	return slices.Clone(t.entries)
}
