package usage

import (
	"math"
	"slices"
	"time"
)

// Point is one measurement: a value in cores or bytes at a time.
type Point struct {
	Time  time.Time
	Value float64
}

// Report says what was done to raw points before they were used. Its zero value says that nothing had to be done.
type Report struct {
	Kept       int // points that are used
	Unsorted   int // points that stood behind a later one in the input, and were sorted
	Duplicates int // points at a time that another one has as well; the larger value is kept (too small a request is an outage)
	NaN        int // dropped
	Infinite   int // dropped
	Negative   int // dropped
	Outside    int // outside the window, left out
	Unpaired   int // values without a time, or times without a value; dropped
	Resets     int // pairs of counter values that went down, dropped (Rates)
	// The shortest and the longest distance between neighbours that are used; both zero with fewer than two.
	ShortestStep, LongestStep time.Duration
}

// Uneven reports whether the points do not come at one steady step. A quantile of uneven points is one over points,
// not over time.
func (r Report) Uneven() bool { return r.ShortestStep != r.LongestStep }

// Dropped returns how many points were not used because they cannot be measurements.
func (r Report) Dropped() int { return r.NaN + r.Infinite + r.Negative + r.Unpaired + r.Resets }

// Pair joins two arrays of times and values. What one array has more than the other is dropped and counted.
func Pair(times []time.Time, values []float64) ([]Point, Report) {
	n := min(len(times), len(values))
	points := make([]Point, n)
	for i := range points {
		points[i] = Point{Time: times[i], Value: values[i]}
	}
	return points, Report{Kept: n, Unpaired: max(len(times), len(values)) - n}
}

// Clean returns the usable points in the window, by time, one per instant, and what was done to get them. The input is
// not written to. The result does not depend on the input's order.
func Clean(points []Point, window Window) ([]Point, Report) {
	var r Report
	out := make([]Point, 0, len(points))
	var latest time.Time
	for i, p := range points {
		if i > 0 && p.Time.Before(latest) {
			r.Unsorted++
		}
		if i == 0 || p.Time.After(latest) {
			latest = p.Time
		}
		switch {
		case math.IsNaN(p.Value):
			r.NaN++
		case math.IsInf(p.Value, 0):
			r.Infinite++
		case p.Value < 0:
			r.Negative++
		case !window.Contains(p.Time):
			r.Outside++
		default:
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Point) int { return a.Time.Compare(b.Time) })
	kept := out[:0]
	for _, p := range out {
		if n := len(kept); n > 0 && kept[n-1].Time.Equal(p.Time) {
			r.Duplicates++
			kept[n-1].Value = max(kept[n-1].Value, p.Value)
			continue
		}
		kept = append(kept, p)
	}
	r.Kept = len(kept)
	for i := 1; i < len(kept); i++ {
		step := kept[i].Time.Sub(kept[i-1].Time)
		if i == 1 || step < r.ShortestStep {
			r.ShortestStep = step
		}
		r.LongestStep = max(r.LongestStep, step)
	}
	return kept, r
}

// Rates turns readings of a counter (cpu seconds used so far) into rates (cores): for each two neighbours
//
//	(v2 - v1) / (t2 - t1), at t2.
//
// A counter that goes down was reset, or belongs to somebody else; what was used in between is not known, and the pair
// is dropped and counted. The steps in the report are those of the readings.
func Rates(readings []Point, window Window) ([]Point, Report) {
	clean, r := Clean(readings, window)
	rates := make([]Point, 0, max(len(clean)-1, 0))
	for i := 1; i < len(clean); i++ {
		old, now := clean[i-1], clean[i]
		if now.Value < old.Value {
			r.Resets++
			continue
		}
		rate := float64(now.Value-old.Value) / now.Time.Sub(old.Time).Seconds()
		if !usable(rate) {
			r.Infinite++
			continue
		}
		rates = append(rates, Point{Time: now.Time, Value: rate})
	}
	r.Kept = len(rates)
	return rates, r
}
