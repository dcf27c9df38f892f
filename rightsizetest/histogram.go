package rightsizetest

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/usage"
)

// Histogram is what is checked by [CheckHistogram]: a histogram of type H by its functions. Method expressions do:
//
//	rightsizetest.Histogram[*usage.Histogram]{
//		New:      func() *usage.Histogram { return new(usage.Histogram) },
//		Add:      (*usage.Histogram).Add,
//		Merge:    (*usage.Histogram).Merge,
//		Quantile: (*usage.Histogram).Quantile,
//	}
type Histogram[H any] struct {
	// New returns an empty histogram.
	New func() H
	// Add takes a value with a weight. A histogram without decay leaves the time alone.
	Add func(h H, at time.Time, value, weight float64) error
	// Merge adds what from holds to into.
	Merge func(into, from H) error
	// Quantile returns the value up to which a share q of the weight lies.
	Quantile func(h H, q float64) (float64, bool)

	// The rest may be left out. Encode and Decode are for M4, which is not checked without them.
	Encode func(h H) ([]byte, error)
	Decode func(data []byte) (H, error)
	// Equal compares two histograms. Without it they are equal if their quantiles are, at every sixty-fourth.
	Equal func(a, b H) bool
	// Error is the stated error: |answer - true| <= relative x true + absolute. Without it Q2 is not checked, and Q1 without the values.
	Error func(h H) (relative, absolute float64)
	// HalfLife is that of the weights; samples are then drawn whole half-lives apart, so that sums of weights are exact floats. Q2 is for
	// histograms without decay.
	HalfLife time.Duration
	// Least and Largest bound the values that are drawn: those for which the error is stated. Default: 0 to 1e13.
	Least, Largest float64
}

// Laws returns the laws that can be checked with the functions that are there.
func (h Histogram[H]) Laws() []Law {
	laws := []Law{LawM1, LawM2, LawM3, LawQ1, LawQ4, LawP3}
	if h.Encode != nil && h.Decode != nil {
		laws = append(laws, LawM4)
	}
	if h.Error != nil && h.HalfLife == 0 {
		laws = append(laws, LawQ2)
	}
	return laws
}

// CheckHistogram checks laws of a histogram on random samples, each as a subtest with the law's name; without names it checks all that the
// functions allow ([Histogram.Laws]). Weights are small whole numbers, so that every order of adding gives the same floats.
//
//	M1    merging is commutative
//	M2    merging is associative
//	M3    merging is adding; an empty one adds nothing, and what is merged into another is not written to
//	M4    what is read back is what was written, and is written again in the same bytes
//	Q1    quantiles do not fall as q rises, and lie within the values up to the stated error
//	Q2    |answer - true| <= e x true + a, where true is the nearest rank by weight
//	Q4    nothing added, nothing answered; values and weights that cannot be are refused and change nothing
func CheckHistogram[H any](t *testing.T, h Histogram[H], laws ...Law) {
	t.Helper()
	if len(laws) == 0 {
		laws = h.Laws()
	}
	for _, law := range laws {
		t.Run(string(law), func(t *testing.T) { CheckHistogramLaw(t, h, law) })
	}
}

// CheckHistogramLaw checks one law of [Histogram.Laws].
func CheckHistogramLaw[H any](t TB, h Histogram[H], law Law) {
	t.Helper()
	rapid.Check(t, h.Property(law))
}

// Property is one law of [Histogram.Laws] for rapid.Check, or for a fuzz target by rapid.MakeFuzz.
func (h Histogram[H]) Property(law Law) func(*rapid.T) {
	return func(t *rapid.T) {
		if h.New == nil || h.Add == nil || h.Merge == nil || h.Quantile == nil || !slices.Contains(h.Laws(), law) {
			t.Fatalf("%q is not a law of a histogram with these functions; New, Add, Merge and Quantile are needed for all", law)
		}
		parts := make([]weights, 3)
		for i := range max(1, map[Law]int{LawM1: 2, LawM2: 3, LawM3: 2}[law]) {
			parts[i] = h.weights().Draw(t, "histogram "+"abc"[i:i+1])
		}
		if v := h.law(t, parts, law); v != nil {
			v.Input = fmt.Sprintf("  a: %v\n  b: %v\n  c: %v", parts[0], parts[1], parts[2])
			t.Fatalf("%v", v)
		}
	}
}

// weights are samples before they were put into buckets.
type weights []weighted

type weighted struct {
	at     time.Time
	value  float64
	weight int64
}

// String lists the samples.
func (w weights) String() string {
	text := make([]string, len(w))
	for i, s := range w {
		text[i] = fmt.Sprintf("%v x %d at %v", s.value, s.weight, s.at.Sub(began()))
	}
	return "[" + strings.Join(text, ", ") + "]"
}

// GoString is how rapid prints a draw.
func (w weights) GoString() string { return w.String() }

func (h Histogram[H]) weights() *rapid.Generator[weights] {
	largest := h.Largest
	if largest == 0 {
		largest = 1e13
	}
	value := rapid.OneOf(rapid.Float64Range(h.Least, largest), rapid.Float64Range(h.Least, max(h.Least, min(largest, 4))), rapid.SampledFrom([]float64{h.Least, largest}))
	one := rapid.Custom(func(t *rapid.T) weighted {
		return weighted{at: began().Add(time.Duration(rapid.IntRange(0, 12).Draw(t, "at")) * max(h.HalfLife, time.Minute)),
			value: value.Draw(t, "value"), weight: rapid.Int64Range(1, 64).Draw(t, "weight")}
	})
	return rapid.Map(rapid.SliceOfN(one, 0, 20), func(list []weighted) weights { return list })
}

// of fills a histogram.
func (h Histogram[H]) of(t *rapid.T, lists ...weights) H {
	out := h.New()
	for _, s := range slices.Concat(lists...) {
		if err := h.Add(out, s.at, s.value, float64(s.weight)); err != nil {
			t.Fatalf("%v", LawM3.broken("%v x %d is refused: %v", s.value, s.weight, err))
		}
	}
	return out
}

func (h Histogram[H]) merged(t *rapid.T, list ...H) H {
	out := h.New()
	for _, from := range list {
		if err := h.Merge(out, from); err != nil {
			t.Fatalf("%v", LawM3.broken("merging is refused: %v", err))
		}
	}
	return out
}

// differ says where two histograms differ; empty if they do not.
func (h Histogram[H]) differ(a, b H) string {
	for q := range 65 {
		x, okX := h.Quantile(a, float64(q)/64)
		y, okY := h.Quantile(b, float64(q)/64)
		if okX != okY || math.Float64bits(x) != math.Float64bits(y) {
			return fmt.Sprintf("quantile %v is %v (%t) and %v (%t)", float64(q)/64, x, okX, y, okY)
		}
	}
	if h.Equal != nil && !h.Equal(a, b) {
		text := "they are not equal"
		if h.Encode != nil {
			x, _ := h.Encode(a)
			y, _ := h.Encode(b)
			text += fmt.Sprintf(": %q and %q", x, y)
		}
		return text
	}
	return ""
}

func (h Histogram[H]) law(t *rapid.T, parts []weights, law Law) *Violation {
	a, b, c := h.of(t, parts[0]), h.of(t, parts[1]), h.of(t, parts[2])
	switch law {
	case LawM1:
		if d := h.differ(h.merged(t, a, b), h.merged(t, b, a)); d != "" {
			return law.broken("a with b, and b with a: %s", d)
		}
	case LawM2:
		if d := h.differ(h.merged(t, h.merged(t, a, b), c), h.merged(t, a, h.merged(t, b, c))); d != "" {
			return law.broken("(a, b), c and a, (b, c): %s", d)
		}
	case LawM3:
		return h.lawM3(t, parts, a, b)
	case LawM4:
		return h.lawM4(a)
	case LawQ4:
		return h.lawQ4(t, parts, a)
	case LawP3:
		if d := h.differ(a, h.of(t, parts[0])); d != "" {
			return law.broken("filled twice alike: %s", d)
		}
	case LawQ1, LawQ2:
		if len(parts[0]) > 0 {
			return h.lawQuantile(t, parts[0], a, law)
		}
	}
	return nil
}

func (h Histogram[H]) lawM3(t *rapid.T, parts []weights, a, b H) *Violation {
	was := h.of(t, parts[1])
	both := h.merged(t, a, b)
	if d := h.differ(b, was); d != "" {
		return LawM3.broken("b was, and after it was merged into another is: %s", d)
	}
	for _, one := range []struct {
		name string
		of   H
	}{{"b in an empty one", h.merged(t, b)}, {"b with an empty one", h.merged(t, b, h.New())}} {
		if d := h.differ(one.of, was); d != "" {
			return LawM3.broken("%s, and b: %s", one.name, d)
		}
	}
	if h.HalfLife != 0 { // weights in units of another time have the same shares
		h.Equal = nil
	}
	if d := h.differ(both, h.of(t, parts[0], parts[1])); d != "" {
		return LawM3.broken("a with b, and all samples in one: %s", d)
	}
	return nil
}

func (h Histogram[H]) lawM4(a H) *Violation {
	data, err := h.Encode(a)
	if err != nil {
		return LawM4.broken("it cannot be written: %v", err)
	}
	back, err := h.Decode(slices.Clone(data))
	if err != nil {
		return LawM4.broken("%q cannot be read: %v", data, err)
	}
	if d := h.differ(a, back); d != "" {
		return LawM4.broken("written, and read from %q: %s", data, d)
	}
	if again, err := h.Encode(back); err != nil || string(data) != string(again) {
		return LawM4.broken("%q becomes %q, %v", data, again, err)
	}
	return nil
}

func (h Histogram[H]) lawQ4(t *rapid.T, parts []weights, a H) *Violation {
	for _, q := range []float64{-0.01, 1.01, math.NaN()} {
		if v, ok := h.Quantile(a, q); ok {
			return LawQ4.broken("quantile %v is %v", q, v)
		}
	}
	if v, ok := h.Quantile(h.New(), 0.5); ok {
		return LawQ4.broken("the median of nothing is %v", v)
	}
	for _, bad := range []struct{ value, weight float64 }{{math.NaN(), 1}, {math.Inf(1), 1}, {math.Inf(-1), 1}, {-1, 1}, {1, math.NaN()}, {1, math.Inf(1)}, {1, -1}} {
		if err := h.Add(a, began(), bad.value, bad.weight); err == nil {
			return LawQ4.broken("the value %v with the weight %v is taken", bad.value, bad.weight)
		}
	}
	if d := h.differ(a, h.of(t, parts[0])); d != "" {
		return LawQ4.broken("after values were refused: %s", d)
	}
	return nil
}

func (h Histogram[H]) lawQuantile(t *rapid.T, samples weights, a H, law Law) *Violation {
	var values []float64
	var counts []int64
	for _, s := range samples {
		values, counts = append(values, s.value), append(counts, s.weight)
	}
	q := shares().Draw(t, "q")
	answer, ok := h.Quantile(a, float64(q)/64)
	if !ok {
		return law.broken("quantile %v of %d samples is missing", float64(q)/64, len(samples))
	}
	e, absolute := 0.0, 0.0
	if h.Error != nil {
		e, absolute = h.Error(a)
	}
	e, absolute = e+1e-12, absolute*(1+1e-12) // bounds of buckets are rounded to floats
	if law == LawQ2 {
		want := TrueQuantile(values, counts, big.NewRat(int64(q), 64), usage.NearestRank)
		if !within(answer, want, e, absolute) {
			return law.broken("quantile %v is %v, the true one %s, the stated error %v and %v", float64(q)/64, answer, want.FloatString(12), e, absolute)
		}
		return nil
	}
	higher := rapid.IntRange(q, 64).Draw(t, "higher q")
	if v, ok := h.Quantile(a, float64(higher)/64); !ok || v < answer {
		return law.broken("quantile %v is %v, and quantile %v is %v", float64(q)/64, answer, float64(higher)/64, v)
	}
	least, most := slices.Min(values), slices.Max(values)
	if h.Error != nil && (answer < least*(1-e)-absolute || answer > most*(1+e)+absolute) {
		return law.broken("quantile %v is %v, outside %v..%v", float64(q)/64, answer, least, most)
	}
	return nil
}
