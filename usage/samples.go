package usage

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"
)

// Method is how a quantile of n sorted values v[1]..v[n] is taken. There is no default: two tools that do not name it
// disagree about the same data.
type Method string

const (
	// NearestRank is v[ceil(q n)], v[1] for q = 0: the least value that a share q does not exceed.
	NearestRank Method = "nearest-rank"
	// Lower is v[1 + floor(q (n-1))].
	Lower Method = "lower"
	// Linear is the straight line between the neighbours of 1 + q (n-1), what numpy and Prometheus do.
	Linear Method = "linear"
)

// Methods returns the closed list.
func Methods() []Method { return []Method{NearestRank, Lower, Linear} }

// Valid reports whether m is in the list.
func (m Method) Valid() bool { return slices.Contains(Methods(), m) }

// MarshalText refuses a method that is not in the list.
func (m Method) MarshalText() ([]byte, error) { return encode(m, "quantile method", Methods()) }

// UnmarshalText refuses a method that is not in the list.
func (m *Method) UnmarshalText(text []byte) error {
	return decode(m, text, "quantile method", Methods())
}

// Samples is a View on raw points. Its quantiles are exact. It takes about 32 bytes per point.
// The zero value holds no data.
type Samples struct {
	method Method
	points []Point   // by time
	sorted []float64 // by value
}

// NewSamples keeps the usable points in the window and says what it did to the others (Clean).
// The input is not written to and not kept.
func NewSamples(points []Point, window Window, method Method) (*Samples, Report, error) {
	if !method.Valid() {
		return nil, Report{}, fmt.Errorf("usage: quantile method %q is none of %v", string(method), Methods())
	}
	if !window.Valid() {
		return nil, Report{}, errWindow
	}
	clean, report := Clean(points, window)
	return newSamples(clean, method), report, nil
}

func newSamples(points []Point, method Method) *Samples {
	s := &Samples{method: method, points: points, sorted: make([]float64, len(points))}
	for i, p := range points {
		s.sorted[i] = p.Value
	}
	slices.Sort(s.sorted)
	return s
}

// Method returns how quantiles are taken.
func (s *Samples) Method() Method { return s.method }

// Points returns a copy of the points, by time.
func (s *Samples) Points() []Point { return slices.Clone(s.points) }

// In returns the samples that lie in the window as well.
func (s *Samples) In(window Window) *Samples {
	if s == nil {
		return nil
	}
	var points []Point
	for _, p := range s.points {
		if window.Contains(p.Time) {
			points = append(points, p)
		}
	}
	return newSamples(points, s.method)
}

// Quantile returns the value at q by the method that was chosen; q is read to nine decimals.
// One value answers every q. NearestRank and Lower return values that were measured.
func (s *Samples) Quantile(q float64) (float64, bool) {
	share, ok := quantileNanths(q)
	if !ok || s.Count() == 0 {
		return 0, false
	}
	n := len(s.sorted)
	switch s.method {
	case NearestRank:
		rank, part := shareOf(share, n)
		if part > 0 {
			rank++
		}
		return s.sorted[max(rank, 1)-1], true
	case Lower:
		rank, _ := shareOf(share, n-1)
		return s.sorted[rank], true
	case Linear:
		rank, part := shareOf(share, n-1)
		if part == 0 {
			return s.sorted[rank], true
		}
		low, high := s.sorted[rank], s.sorted[rank+1]
		value := low + float64((high-low)*float64(float64(part)/nanths))
		return math.Min(value, high), true
	}
	return 0, false
}

// shareOf returns the whole part and the thousand-millionths of share x n / 1e9, exactly.
func shareOf(share int64, n int) (int, int64) {
	hi, lo := bits.Mul64(uint64(share), uint64(n))
	whole, part := bits.Div64(hi, lo, nanths) // share <= 1e9, so that the quotient is at most n
	return int(whole), int64(part)
}

// Max returns the largest value.
func (s *Samples) Max() (float64, bool) {
	if s.Count() == 0 {
		return 0, false
	}
	return s.sorted[len(s.sorted)-1], true
}

// Count returns the number of points.
func (s *Samples) Count() int64 {
	if s == nil {
		return 0
	}
	return int64(len(s.points))
}

// First returns the time of the earliest point.
func (s *Samples) First() time.Time {
	if s.Count() == 0 {
		return time.Time{}
	}
	return s.points[0].Time
}

// Last returns the time of the latest point.
func (s *Samples) Last() time.Time {
	if s.Count() == 0 {
		return time.Time{}
	}
	return s.points[len(s.points)-1].Time
}

// byTime orders points by time and then by value, so that a pool does not depend on the order of the pods.
func byTime(a, b Point) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Value, b.Value))
}
