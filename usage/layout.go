package usage

import (
	"math"
	"slices"
)

// Layout says where a histogram's buckets lie.
type Layout string

const (
	// Fine has buckets of one ratio between bounds, (2^(i/2^s), 2^((i+1)/2^s)] as in OpenTelemetry's exponential and
	// Prometheus' native histograms, for cores and bytes alike. It starts at scale s = 5 and halves its resolution
	// when the values span more than 176 buckets. An answer is within
	//
	//	|answer - true| <= e x true + 2^-30,   e = (2^(1/2^s) - 1) / (2^(1/2^s) + 1)
	//
	// of the nearest-rank quantile: e = 1.09 % while largest / least <= 44, 2.17 % up to 1900, 4.34 % up to 3 800 000.
	// Values of at most 2^-30 (a nanocore) are kept as zero. Histogram.ErrorBound tells the present e.
	Fine Layout = "fine"
	// VPACPU is the layout of VPA's recommender for cores: 176 buckets, the first 10 millicores wide, each 5 % wider
	// than the one before, the last one open, from 1021 cores. It answers with a bucket's end:
	//
	//	true <= answer <= 1.05 x true + 0.01
	//
	// below 1021 cores. So 20m reads as up to 31m: cheap to compute with, dear for small containers.
	VPACPU Layout = "vpa-cpu"
	// VPAMemory is the layout of VPA's recommender for bytes, the first bucket 10 000 000 bytes wide:
	// true <= answer <= 1.05 x true + 1e7 below 1.02e12 bytes.
	VPAMemory Layout = "vpa-memory"
)

// Layouts returns the closed list.
func Layouts() []Layout { return []Layout{Fine, VPACPU, VPAMemory} }

// Valid reports whether l is in the list.
func (l Layout) Valid() bool { return slices.Contains(Layouts(), l) }

// MarshalText refuses a layout that is not in the list.
func (l Layout) MarshalText() ([]byte, error) { return encode(l, "layout", Layouts()) }

// UnmarshalText refuses a layout that is not in the list.
func (l *Layout) UnmarshalText(text []byte) error { return decode(l, text, "layout", Layouts()) }

// kind is a layout as a histogram holds it; the zero value is Fine.
type kind uint8

const (
	fine kind = iota
	vpaCPU
	vpaMemory
	kinds
)

func (l Layout) kind() (kind, bool) {
	i := slices.Index(Layouts(), l)
	return kind(max(i, 0)), i >= 0
}

// vpaEpsilon is the least weight for which VPA takes a bucket to be non-empty: 0.001 x the weight of a cpu sample.
const vpaEpsilon = 0.0001

// VPASampleWeight is the weight that VPA gives every cpu sample. A memory peak weighs 1.
const VPASampleWeight = 0.1

// vpaLayout is one of VPA's two layouts with an index into it.
type vpaLayout struct {
	least *[vpaBuckets]float64
	start *[vpaBuckets]float64
	base  uint64 // the first cell
	cell  [560]uint8
	next  [vpaBuckets]int64 // the bits of the least value of the next bucket
}

// A cell is a thirty-second of an octave, at most 3.2 % wide. A bucket is more than 5 % wide, so that no cell holds more
// than one bound, and one comparison finds the bucket.
const cellShift = 47

var vpaLayouts = [kinds]*vpaLayout{
	vpaCPU:    indexed(&vpaCPULeast, &vpaCPUStart),
	vpaMemory: indexed(&vpaMemoryLeast, &vpaMemoryStart),
}

func indexed(least, start *[vpaBuckets]float64) *vpaLayout {
	l := &vpaLayout{least: least, start: start, base: math.Float64bits(least[1]) >> cellShift}
	for i := range l.next {
		l.next[i] = math.MaxInt64
		if i+1 < vpaBuckets {
			l.next[i] = int64(math.Float64bits(least[i+1]))
		}
	}
	bucket := 0
	for i := range l.cell {
		low := math.Float64frombits((l.base + uint64(i)) << cellShift)
		for bucket < vpaBuckets-1 && low >= least[bucket+1] {
			bucket++
		}
		l.cell[i] = uint8(bucket)
	}
	return l
}

// bucket returns the bucket of a usable value: the last one whose least value it reaches. Floats that are not negative
// compare as their bits do; the comparison is a subtraction because a branch would be guessed wrong half of the time.
func (l *vpaLayout) bucket(v float64) int {
	bits := math.Float64bits(v)
	i := bits>>cellShift - l.base // huge for values below the first cell
	if i >= uint64(len(l.cell)) {
		if v < l.least[1] {
			return 0
		}
		return vpaBuckets - 1
	}
	b := int(l.cell[i])
	return b + 1 + int((int64(bits)-l.next[b])>>63)
}

// fineScale is the scale at which a Fine histogram starts.
const fineScale = 5

// fineZero is the largest value that Fine keeps as zero: 2^-30.
const fineZero = 1.0 / (1 << 30)

// fineBounds are the mantissas of 2^(i/32), rounded to the nearest float.
var fineBounds = [1<<fineScale + 1]uint64{
	0x0, 0x59b0d3158574, 0xb5586cf9890f, 0x11301d0125b51,
	0x172b83c7d517b, 0x1d4873168b9aa, 0x2387a6e756238, 0x29e9df51fdee1,
	0x306fe0a31b715, 0x371a7373aa9cb, 0x3dea64c123422, 0x44e086061892d,
	0x4bfdad5362a27, 0x5342b569d4f82, 0x5ab07dd485429, 0x6247eb03a5585,
	0x6a09e667f3bcd, 0x71f75e8ec5f74, 0x7a11473eb0187, 0x82589994cce13,
	0x8ace5422aa0db, 0x93737b0cdc5e5, 0x9c49182a3f090, 0xa5503b23e255d,
	0xae89f995ad3ad, 0xb7f76f2fb5e47, 0xc199bdd85529c, 0xcb720dcef9069,
	0xd5818dcfba487, 0xdfc97337b9b5f, 0xea4afa2a490da, 0xf50765b6e4540,
	1 << mantissaBits, // the next octave
}

const mantissaBits = 52

// fineCells holds, for each sixty-fourth of the mantissas, how many bounds lie below its first one. Bounds are further
// apart than that, so that one comparison finds the bucket.
var fineCells = func() (cells [2 << fineScale]uint8) {
	for i := range cells {
		first := uint64(i) << (mantissaBits - fineScale - 1)
		for cells[i] < 1<<fineScale && fineBounds[cells[i]] < first {
			cells[i]++
		}
	}
	return cells
}()

// fineIndex returns i with 2^(i/32) < v <= 2^((i+1)/32), for v above fineZero.
func fineIndex(v float64) int32 {
	b := math.Float64bits(v)
	mantissa := b & (1<<mantissaBits - 1)
	octave := int32(b>>mantissaBits) - 1023
	i := int32(fineCells[mantissa>>(mantissaBits-fineScale-1)])
	i -= int32((int64(fineBounds[i]) - int64(mantissa)) >> 63) // one more if the bound lies below; no branch, as in bucket
	return octave<<fineScale + i - 1
}

// fineBound returns 2^(i/2^scale): the lower bound of bucket i, and the upper bound of bucket i-1.
func fineBound(i int32, scale int) float64 {
	at := int64(i) << (fineScale - scale)
	mantissa := fineBounds[at&(1<<fineScale-1)]
	return math.Ldexp(math.Float64frombits(1023<<mantissaBits|mantissa), int(at>>fineScale))
}
