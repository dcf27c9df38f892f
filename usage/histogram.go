package usage

import (
	"math"
	"time"
)

// Histogram is a View on weighted samples that takes 1.5 kB whatever their number. Adding a sample allocates nothing.
//
// Its quantile q is the bucket in which the running weight first reaches q x total, read as Layout says. Weights may
// decay: a sample then counts half as much as one that is a half-life younger.
//
// The zero value is an empty histogram of layout Fine without decay. A Histogram is not safe for concurrent writing.
//
// Law Q1 holds up to ErrorBound; for Fine without decay the answer is also never outside the values that were added.
type Histogram struct {
	kind kind
	// down counts how often a Fine histogram halved its resolution: scale = fineScale - down.
	down uint8
	// The first and the last bucket that hold weight (VPA: at least vpaEpsilon). Without any: the last and the first
	// bucket for VPA, high < low for neither; used tells.
	low, high int16
	used      bool
	referred  bool  // reference and limit are set
	base      int32 // Fine: the index of weights[0]

	vpa       *vpaLayout // nil: Fine
	halfLife  int64      // ns; 0: no decay
	reference int64      // ns since 1970: a sample at this time has its plain weight
	limit     int64      // ns since 1970: a sample after this time moves the reference
	divisor   float64    // the half-life in ns

	near float64 // what exp2 found last, in half-lives; no part of what the histogram holds

	count             int64
	first, last       int64 // ns since 1970
	smallest, largest float64

	total   float64
	zero    float64 // Fine: weight of values up to fineZero
	weights [vpaBuckets]float64
}

// Half-lives that are taken, other than zero.
const (
	minHalfLife = time.Second
	maxHalfLife = 366 * 24 * time.Hour
)

// NewHistogram returns an empty histogram. A halfLife of zero means that weights do not decay.
func NewHistogram(layout Layout, halfLife time.Duration) (*Histogram, error) {
	k, ok := layout.kind()
	if !ok {
		return nil, ErrLayout
	}
	if halfLife != 0 && (halfLife < minHalfLife || halfLife > maxHalfLife) {
		return nil, ErrHalfLife
	}
	h := &Histogram{kind: k, vpa: vpaLayouts[k], halfLife: int64(halfLife), divisor: float64(halfLife)}
	h.limit = -1
	h.clearRange()
	return h, nil
}

func (h *Histogram) clearRange() {
	h.low, h.high, h.used = 0, 0, false
	if h.kind != fine {
		h.low = vpaBuckets - 1
	}
}

// Layout returns where the buckets lie.
func (h *Histogram) Layout() Layout {
	if h == nil {
		return Fine
	}
	return Layouts()[h.kind]
}

// HalfLife returns the half-life; zero means no decay.
func (h *Histogram) HalfLife() time.Duration {
	if h == nil {
		return 0
	}
	return time.Duration(h.halfLife)
}

// The heaviest sample that is taken.
const maxWeight = 1e15

// The times that are taken, in seconds since 1970: up to 2200.
const maxSecond = 7_258_118_400

// instant returns t as nanoseconds since 1970.
func instant(t time.Time) (int64, bool) {
	second := t.Unix()
	return second*1e9 + int64(t.Nanosecond()), second >= 0 && second < maxSecond
}

func moment(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// Add takes one sample: a value in cores or bytes, and what it weighs. It returns ErrValue, ErrWeight or ErrTime and
// changes nothing if one of them cannot be used. The order of samples does not matter, except that floats are summed in
// that order. A sample that weighs nothing counts as a sample.
func (h *Histogram) Add(t time.Time, value, weight float64) error {
	ns, ok := instant(t)
	if h == nil || !ok || !usable(value) || !weighs(weight) {
		return h.refusal(value, weight)
	}
	h.add(ns, value, weight)
	return nil
}

func weighs(weight float64) bool { return weight >= 0 && weight <= maxWeight }

// refusal says why a sample cannot be used.
func (h *Histogram) refusal(value, weight float64) error {
	switch {
	case h == nil:
		return ErrLayout
	case !usable(value):
		return ErrValue
	case !weighs(weight):
		return ErrWeight
	}
	return ErrTime
}

// add takes a sample that was checked.
func (h *Histogram) add(ns int64, value, weight float64) {
	if h.halfLife != 0 {
		weight = float64(weight * h.decay(ns))
	}
	switch {
	case h.vpa != nil:
		h.addVPA(h.vpa.bucket(value), weight)
	case value <= fineZero:
		h.total += weight
		h.zero += weight
	case weight > 0:
		h.total += weight
		index := fineIndex(value) >> h.down
		i := int(index) - int(h.base)
		if i < int(h.low) || i > int(h.high) || !h.used {
			i = h.place(index)
		}
		h.weights[i] += weight
	}
	h.note(ns, value)
}

func (h *Histogram) note(ns int64, value float64) {
	if h.count == 0 {
		h.first, h.last, h.smallest, h.largest = ns, ns, value, value
	}
	h.count++
	if ns < h.first {
		h.first = ns
	}
	if ns > h.last {
		h.last = ns
	}
	if value < h.smallest {
		h.smallest = value
	}
	if value > h.largest {
		h.largest = value
	}
}

// addVPA is AddSample of VPA's histogram.
func (h *Histogram) addVPA(bucket int, weight float64) {
	h.weights[bucket] += weight
	h.total += weight
	b := int16(bucket)
	if b < h.low && h.weights[bucket] >= vpaEpsilon {
		h.low = b
	}
	if b > h.high && h.weights[bucket] >= vpaEpsilon {
		h.high = b
	}
}

// trim moves low and high to the first and the last bucket that hold weight.
func (h *Histogram) trim() {
	if h.kind != fine {
		for h.weights[h.low] < vpaEpsilon && h.low < vpaBuckets-1 {
			h.low++
		}
		for h.weights[h.high] < vpaEpsilon && h.high > 0 {
			h.high--
		}
		return
	}
	if !h.used {
		return
	}
	for h.low <= h.high && h.weights[h.low] <= 0 {
		h.low++
	}
	for h.high >= h.low && h.weights[h.high] <= 0 {
		h.high--
	}
	if h.low > h.high {
		h.clearRange()
	}
}

// Empty reports whether the histogram holds no weight: VPA's layouts answer nothing below vpaEpsilon.
func (h *Histogram) Empty() bool {
	switch {
	case h == nil:
		return true
	case h.kind == fine:
		return !h.used && h.zero <= 0
	}
	return h.weights[h.low] < vpaEpsilon
}

// Quantile returns the bucket in which the running weight first reaches q x total: VPA's layouts answer with its end
// (the last bucket, which has none, with its start: see Beyond), Fine with the value that is wrong by the same share at both ends.
func (h *Histogram) Quantile(q float64) (float64, bool) {
	if !(q >= 0 && q <= 1) || h.Empty() {
		return 0, false
	}
	threshold := float64(q * h.total)
	if h.kind == fine {
		return h.quantileFine(threshold), true
	}
	return vpaLayouts[h.kind].start[min(h.bucketAt(threshold)+1, vpaBuckets-1)], true
}

// Max returns the largest value that was added, exactly; not ok when the histogram is empty. It neither decays nor is it taken back, so that it is
// not too small for what was added to this histogram and to those merged into it. After FromVPACheckpoint it can be: a checkpoint does not store
// it and drops light buckets, and whoever sizes by the maximum is hurt, by an outage. Keep the histogram's own encoding for that.
func (h *Histogram) Max() (float64, bool) {
	if h.Empty() || h.count == 0 {
		return 0, false
	}
	return h.largest, true
}

// Count returns how many samples were added and not taken back.
func (h *Histogram) Count() int64 {
	if h == nil {
		return 0
	}
	return h.count
}

// First returns the time of the earliest sample.
func (h *Histogram) First() time.Time {
	if h.Count() == 0 {
		return time.Time{}
	}
	return moment(h.first)
}

// Last returns the time of the latest sample.
func (h *Histogram) Last() time.Time {
	if h.Count() == 0 {
		return time.Time{}
	}
	return moment(h.last)
}

// Total returns the summed weight: with decay, in units of a sample at the reference time.
func (h *Histogram) Total() float64 {
	if h == nil {
		return 0
	}
	return h.total
}

// ErrorBound returns e and a with |answer - true| <= e x true + a, where true is the weighted nearest-rank quantile of
// the samples. VPA's layouts only err upwards, and hold it only below the start of their last bucket.
func (h *Histogram) ErrorBound() (relative, absolute float64) {
	switch h.Layout() {
	case VPACPU, VPAMemory:
		return 0.05, vpaLayouts[h.kind].least[1]
	}
	ratio := fineBound(1, fineScale)
	if h != nil {
		ratio = h.ratio()
	}
	return math.Nextafter((ratio-1)/(ratio+1), 1), fineZero
}
