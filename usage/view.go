package usage

import (
	"math"
	"time"
)

// View is what may be asked about the use of one resource by one container.
//
// Law Q1: quantiles do not fall as q rises, and lie between the least and the largest value, up to the error that the
// implementation states (Samples and Quantiles: none; Histogram: ErrorBound).
type View interface {
	// Quantile returns the value that a share q of the weight does not exceed. It is not ok for q outside 0..1 or NaN,
	// for a view without data, and for a q that a table does not list. "Not ok" is no data; it is never zero use.
	Quantile(q float64) (value float64, ok bool)
	// Max returns the largest value; not ok without data.
	Max() (value float64, ok bool)
	// Count returns how many samples the view stands for.
	Count() int64
	// First and Last return the time of the earliest and of the latest sample; the zero time without data.
	First() time.Time
	Last() time.Time
}

// Peaks are the largest values per interval: one value for each container instance and interval.
// It does not satisfy View itself, so that peaks are not mistaken for samples.
type Peaks struct {
	Of       View
	Interval time.Duration
	// UseOnly says that what OOM kills showed is not among them (PeakRule.OOM), as in peaks that a time-series database computed.
	UseOnly bool
}

// Empty reports whether a view gives nothing at all: nil, or no sample, largest value and median. A table of Quantiles is empty when it lists
// nothing and has no largest value, whatever its count: a table that says little must not be left out where the largest of all is wanted.
func Empty(v View) bool {
	if v == nil {
		return true
	}
	if t, ok := v.(*Quantiles); ok {
		return t == nil || len(t.entries) == 0 && !t.max
	}
	if v.Count() > 0 {
		return false
	}
	if _, ok := v.Max(); ok {
		return false
	}
	_, ok := v.Quantile(0.5)
	return !ok
}

// usable reports whether a measured value can be used: finite and not negative.
func usable(v float64) bool {
	return v >= 0 && v <= math.MaxFloat64
}

// nanths is the number of decimals to which a quantile is read.
const nanths = 1_000_000_000

// quantileNanths returns q in thousand-millionths. A float such as 0.07 is a little more than 7/100; read exactly it
// would move a nearest rank by one (0.07 of 100 values: rank 8). Nine decimals are what a person can have meant.
func quantileNanths(q float64) (int64, bool) {
	if !(q >= 0 && q <= 1) {
		return 0, false
	}
	return int64(math.Round(float64(q * nanths))), true
}
