package rightsizetest

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/usage"
)

// Series is a [usage.View] on raw points in the order in which they came. It answers by sorting a copy at each question, with nearest ranks:
// slow, and hard to get wrong. What lies outside a window cannot be cut from it.
type Series []usage.Point

// Values returns the values in the order in which they came.
func (s Series) Values() []float64 {
	out := make([]float64, len(s))
	for i, p := range s {
		out[i] = p.Value
	}
	return out
}

// Quantile is nearest rank, with q read to six decimals; not ok for a q outside 0..1 and without points.
func (s Series) Quantile(q float64) (float64, bool) {
	if len(s) == 0 || !(q >= 0 && q <= 1) {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(s.Values()))
	for i, v := range sorted {
		if int64(i+1)*1e6 >= int64(math.Round(float64(q*1e6)))*int64(len(sorted)) {
			return v, true
		}
	}
	return sorted[len(sorted)-1], true
}

// Max is the largest value.
func (s Series) Max() (float64, bool) {
	if len(s) == 0 {
		return 0, false
	}
	return slices.Max(s.Values()), true
}

// Count is the number of points.
func (s Series) Count() int64 { return int64(len(s)) }

// First is the earliest time; the zero time without points.
func (s Series) First() time.Time { return s.end(time.Time.Before) }

// Last is the latest time; the zero time without points.
func (s Series) Last() time.Time { return s.end(time.Time.After) }

func (s Series) end(beyond func(a, b time.Time) bool) (at time.Time) {
	for i, p := range s {
		if i == 0 || beyond(p.Time, at) {
			at = p.Time
		}
	}
	return at
}

// String lists the points with the time since the first of them.
func (s Series) String() string {
	text := make([]string, len(s))
	for i, p := range s {
		text[i] = fmt.Sprintf("%v at %v", p.Value, p.Time.Sub(s.First()))
	}
	return fmt.Sprintf("%d points: %s", len(s), strings.Join(text, ", "))
}

// TrueQuantile is a quantile by its definition, in rationals and by counting: the naive twin of every other. weights nil is 1 for each
// value, and otherwise one whole weight for each; only nearest rank knows weights. Values must be finite, and there must be one of weight above 0.
func TrueQuantile(values []float64, weights []int64, q *big.Rat, method usage.Method) *big.Rat {
	type entry struct {
		value  float64
		weight int64
	}
	var list []entry
	total := new(big.Rat)
	for i, v := range values {
		e := entry{v, 1}
		if weights != nil {
			e.weight = weights[i]
		}
		if e.weight > 0 {
			list = append(list, e)
			total.Add(total, new(big.Rat).SetInt64(e.weight))
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return new(big.Rat).SetFloat64(a.value).Cmp(new(big.Rat).SetFloat64(b.value)) })
	value := func(i int) *big.Rat { return new(big.Rat).SetFloat64(list[i].value) }
	last := len(list) - 1
	if method == usage.NearestRank { // the first value up to which a share q of the weight lies
		sum, least := new(big.Rat), new(big.Rat).Mul(q, total)
		for i := range list {
			if sum.Add(sum, new(big.Rat).SetInt64(list[i].weight)); sum.Cmp(least) >= 0 {
				return value(i)
			}
		}
		return value(last)
	}
	place := new(big.Rat).Mul(q, big.NewRat(int64(last), 1))
	low := 0
	for low < last && big.NewRat(int64(low)+1, 1).Cmp(place) <= 0 {
		low++
	}
	if method == usage.Lower || low == last {
		return value(low)
	}
	part := place.Sub(place, big.NewRat(int64(low), 1))
	rise := new(big.Rat).Sub(value(low+1), value(low))
	return rise.Mul(rise, part).Add(rise, value(low))
}

// began is the time at which drawn series begin, a Monday.
func began() time.Time { return time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC) }

// SeriesOf draws series with values up to a largest one: none or up to some twenty points, in no order of time; steady, idle, with spikes,
// with nothing but zeros.
func SeriesOf(largest float64) *rapid.Generator[Series] {
	return rapid.Custom(func(t *rapid.T) Series {
		step := rapid.SampledFrom([]time.Duration{time.Minute, time.Hour, 12 * time.Hour}).Draw(t, "step")
		value := rapid.Map(rapid.OneOf(rapid.SampledFrom([]float64{0.3, 0.31, 0.5, 0.1, 0.7, 0.9, 1, 0.02, 0}), rapid.Float64Range(0, 1)),
			func(share float64) float64 { return largest * share })
		usual := value.Draw(t, "usual")
		var s Series
		if oneIn(t, 12, "none") {
			return nil
		}
		for range rapid.IntRange(1, 20).Draw(t, "points") {
			v := usual
			if !oneIn(t, 3, "steady") {
				v = value.Draw(t, "value")
			}
			s = append(s, usage.Point{Time: began().Add(time.Duration(rapid.IntRange(0, 400).Draw(t, "at")) * step), Value: v})
		}
		return s
	})
}

// HostileSeries draws anything that the type allows: NaN, infinite, negative, tiny and huge values, equal and absurd times.
func HostileSeries() *rapid.Generator[Series] {
	return rapid.Custom(func(t *rapid.T) Series {
		var s Series
		for range rapid.IntRange(0, 8).Draw(t, "points") {
			s = append(s, usage.Point{Time: hostileTimes().Draw(t, "at"), Value: hostileFloats().Draw(t, "value")})
		}
		return s
	})
}

// hostileFloats draws what rapid's own generators never do, NaN above all.
func hostileFloats() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.3, 1, 1e14, 1e15, 1e308, math.MaxFloat64,
		math.SmallestNonzeroFloat64, -1, -1e300, math.NaN(), math.Inf(1), math.Inf(-1)}))
}

func hostileTimes() *rapid.Generator[time.Time] {
	return rapid.OneOf(rapid.Just(time.Time{}), rapid.Just(began()),
		rapid.Map(rapid.Int64Range(0, 1<<20), func(s int64) time.Time { return began().Add(time.Duration(s) * time.Second) }),
		rapid.Map(rapid.Int64(), func(s int64) time.Time { return time.Unix(s, 0) }))
}

// Windows draws windows of days or weeks: open, half open, closed, and such as cut a series of [SeriesOf].
func Windows() *rapid.Generator[usage.Window] {
	return rapid.Custom(func(t *rapid.T) (w usage.Window) {
		days := rapid.IntRange(0, 60).Draw(t, "days before")
		if rapid.Bool().Draw(t, "starts") {
			w.Start = began().AddDate(0, 0, -days)
		}
		if rapid.Bool().Draw(t, "ends") {
			w.End = began().AddDate(0, 0, rapid.IntRange(1, 400).Draw(t, "days after"))
		}
		return w
	})
}

// HostileWindows draws any two times.
func HostileWindows() *rapid.Generator[usage.Window] {
	return rapid.Custom(func(t *rapid.T) usage.Window {
		return usage.Window{Start: hostileTimes().Draw(t, "start"), End: hostileTimes().Draw(t, "end")}
	})
}
