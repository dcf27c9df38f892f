package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// The encodings of a histogram lose nothing: decoding gives an Equal histogram, and encoding that gives the same bytes.
// Both carry a version. A decoder takes its own version and refuses everything else, and what no histogram can hold.

// encodingVersion is the version that is written, and the only one that is read.
const encodingVersion = 1

// maxTotal bounds the weights that are read, so that sums stay finite whatever is merged.
const maxTotal = 1e100

// wire is a histogram as it is written.
type wire struct {
	Version   int            `json:"version"`
	Layout    Layout         `json:"layout"`
	HalfLife  string         `json:"halfLife,omitempty"`
	Reference *time.Time     `json:"reference,omitempty"`
	Scale     *int           `json:"scale,omitempty"` // Fine
	Count     int64          `json:"count"`
	First     *time.Time     `json:"first,omitempty"`
	Last      *time.Time     `json:"last,omitempty"`
	Smallest  float64        `json:"smallest"`
	Largest   float64        `json:"largest"`
	Total     float64        `json:"total"`
	Zero      float64        `json:"zero,omitempty"`
	Buckets   []bucketWeight `json:"buckets"`
}

// bucketWeight is [index, weight] in JSON.
type bucketWeight struct {
	index  int64
	weight float64
}

// MarshalJSON writes the pair.
func (b bucketWeight) MarshalJSON() ([]byte, error) {
	return json.Marshal([2]any{b.index, b.weight})
}

// UnmarshalJSON reads the pair.
func (b *bucketWeight) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 || string(pair[0]) == "null" || string(pair[1]) == "null" {
		return fmt.Errorf("%w: a bucket is not [index, weight]", ErrEncoding)
	}
	if err := json.Unmarshal(pair[0], &b.index); err != nil {
		return err
	}
	return json.Unmarshal(pair[1], &b.weight)
}

// MarshalJSON writes the histogram. The zero value is written as what it is, an empty Fine histogram.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	if h == nil {
		return []byte("null"), nil
	}
	w := wire{Version: encodingVersion, Layout: h.Layout(), Count: h.count, Smallest: h.smallest, Largest: h.largest,
		Total: h.total, Zero: h.zero, Buckets: []bucketWeight{}}
	if h.halfLife != 0 {
		w.HalfLife = time.Duration(h.halfLife).String()
	}
	if h.referred {
		reference := moment(h.reference)
		w.Reference = &reference
	}
	if h.kind == fine {
		scale := fineScale - int(h.down)
		w.Scale = &scale
	}
	if first, last := moment(h.first), moment(h.last); h.first != 0 || h.last != 0 {
		w.First, w.Last = &first, &last
	}
	for i, weight := range h.weights {
		if weight != 0 {
			w.Buckets = append(w.Buckets, bucketWeight{index: h.index(i), weight: weight})
		}
	}
	return json.Marshal(w)
}

// index returns the number of a bucket as it is written: absolute for Fine.
func (h *Histogram) index(i int) int64 {
	if h.kind == fine {
		return int64(h.base) + int64(i)
	}
	return int64(i)
}

// UnmarshalJSON reads what MarshalJSON wrote. Unknown fields are refused, as is null.
func (h *Histogram) UnmarshalJSON(data []byte) error {
	if h == nil {
		return ErrEncoding
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var w wire
	if err := decoder.Decode(&w); err != nil {
		return fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	if !json.Valid(data) {
		return fmt.Errorf("%w: there is more behind it", ErrEncoding)
	}
	var halfLife time.Duration
	if w.HalfLife != "" {
		var err error
		if halfLife, err = time.ParseDuration(w.HalfLife); err != nil {
			return fmt.Errorf("%w: half-life: %w", ErrEncoding, err)
		}
	}
	p := parts{version: w.Version, layout: w.Layout, halfLife: int64(halfLife), scale: fineScale, count: w.Count,
		smallest: w.Smallest, largest: w.Largest, total: w.Total, zero: w.Zero, buckets: w.Buckets}
	if w.Scale != nil {
		p.scale = *w.Scale
	}
	for _, t := range []struct {
		from *time.Time
		into *int64
	}{{w.Reference, &p.reference}, {w.First, &p.first}, {w.Last, &p.last}} {
		if t.from == nil {
			continue
		}
		if year := t.from.Year(); year < 1960 || year > 2210 {
			return fmt.Errorf("%w: %w", ErrEncoding, ErrTime)
		}
		*t.into = t.from.UnixNano()
	}
	p.referred = w.Reference != nil
	return h.assemble(p)
}

// parts is a histogram before it was checked.
type parts struct {
	version                        int
	layout                         Layout
	halfLife, reference            int64
	referred                       bool
	scale                          int
	count, first, last             int64
	smallest, largest, total, zero float64
	buckets                        []bucketWeight
}

// coarsest is the scale at which the range of all floats above fineZero fits into the buckets.
const coarsest = -3

// assemble checks the parts, and only then writes to the histogram.
func (h *Histogram) assemble(p parts) error {
	refuse := func(what string) error { return fmt.Errorf("%w: %s", ErrEncoding, what) }
	if p.version != encodingVersion {
		return fmt.Errorf("%w: version %d is not %d", ErrEncoding, p.version, encodingVersion)
	}
	n, err := NewHistogram(p.layout, time.Duration(p.halfLife))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	const latest = maxSecond*1e9 + int64(maxHalfLife)
	inTime := func(ns int64) bool { return ns >= 0 && ns < maxSecond*1e9 }
	switch {
	case n.kind == fine && (p.scale > fineScale || p.scale < coarsest), n.kind != fine && p.scale != fineScale:
		return refuse("scale")
	case n.kind != fine && p.zero != 0:
		return refuse("zero weight")
	case p.count < 0 || p.count > maxCount:
		return refuse("count")
	case !inTime(p.first) || !inTime(p.last) || p.last < p.first:
		return refuse("times")
	case p.referred && (p.halfLife == 0 || p.reference < -int64(maxHalfLife) || p.reference > latest):
		return refuse("reference")
	case !p.referred && (p.reference != 0 || p.halfLife != 0 && len(p.buckets) > 0):
		return refuse("reference")
	case !usable(p.smallest) || !usable(p.largest) || p.largest < p.smallest:
		return refuse("smallest and largest")
	case !weightOK(p.total) || !weightOK(p.zero):
		return refuse("weight")
	case len(p.buckets) > vpaBuckets:
		return refuse("number of buckets")
	}
	n.count, n.first, n.last = p.count, p.first, p.last
	n.smallest, n.largest, n.total, n.zero = p.smallest, p.largest, p.total, p.zero
	if p.referred {
		n.refer(p.reference)
	}
	low, high := int64(0), int64(vpaBuckets-1)
	if n.kind == fine {
		n.down = uint8(fineScale - p.scale)
		if len(p.buckets) > 0 {
			low, high = p.buckets[0].index, p.buckets[len(p.buckets)-1].index
			if low < int64(fineLeast>>n.down) || high > int64(fineMost>>n.down) || high-low >= vpaBuckets {
				return refuse("range of buckets")
			}
			n.used = true
			n.lay(int32(low), int32(high), 0)
		}
	}
	for i, b := range p.buckets {
		if b.index < low || b.index > high || i > 0 && b.index <= p.buckets[i-1].index {
			return refuse("order of buckets")
		}
		if !weightOK(b.weight) || b.weight == 0 {
			return refuse("weight")
		}
		n.weights[b.index-n.index(0)] = b.weight
	}
	if n.kind != fine {
		n.low, n.high = 0, vpaBuckets-1
		n.trim()
	}
	if what := n.contradiction(); what != "" {
		return refuse(what)
	}
	*h = *n
	return nil
}

func weightOK(w float64) bool { return w >= 0 && w <= maxTotal && !math.Signbit(w) }
