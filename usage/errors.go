package usage

import "errors"

// What a caller may want to tell apart with errors.Is. They carry no detail, so that refusing a sample costs nothing.
var (
	// ErrValue: the value is NaN, infinite or negative. A measurement never is; drop it and count it.
	ErrValue = errors.New("usage: value is NaN, infinite or negative")
	// ErrWeight: the weight is NaN, negative or above 1e15.
	ErrWeight = errors.New("usage: weight is NaN, negative or above 1e15")
	// ErrTime: the time is before 1970 or not before the year 2200.
	ErrTime = errors.New("usage: time is not within 1970..2199")
	// ErrLayout: the bucket layout is none of the list.
	ErrLayout = errors.New("usage: unknown bucket layout")
	// ErrHalfLife: the half-life is negative, between 0 and 1 s, or above 366 days. Zero means no decay.
	ErrHalfLife = errors.New("usage: half-life is neither zero nor within 1s..8784h")
	// ErrMismatch: two histograms differ in layout or half-life and cannot be added.
	ErrMismatch = errors.New("usage: histograms differ in layout or half-life")
	// ErrOrder: the sample is not newer than one that was taken already.
	ErrOrder = errors.New("usage: sample is not newer than the last one")
	// ErrPeakRule: the interval, the ratio or the least increase of a PeakRule cannot be one (PeakRule.Valid).
	ErrPeakRule = errors.New("usage: peak rule is not valid")
	// ErrTooOld: the OOM kill lies more than one interval before the newest sample.
	ErrTooOld = errors.New("usage: OOM kill is more than one interval older than the newest sample")
	// ErrEncoding: the encoded histogram is damaged, of an unknown version, or holds what no histogram can hold.
	ErrEncoding = errors.New("usage: encoded histogram is not valid")

	errWindow = errors.New("usage: window ends before it starts")
)
