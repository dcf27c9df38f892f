package usage_test

import (
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/usage"
)

var start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// The twins below share no code with the package: they sort, scan and use rationals.

// twinQuantile is a quantile of sorted values by the definition in Method's comment, with q as the decimal it is meant to be.
func twinQuantile(sorted []float64, q *big.Rat, method usage.Method) *big.Rat {
	n := int64(len(sorted))
	value := func(i int64) *big.Rat { return new(big.Rat).SetFloat64(sorted[i]) }
	switch method {
	case usage.NearestRank:
		for i := int64(1); i < n; i++ { // the least rank r with r >= q n
			if new(big.Rat).SetInt64(i).Cmp(new(big.Rat).Mul(q, big.NewRat(n, 1))) >= 0 {
				return value(i - 1)
			}
		}
		return value(n - 1)
	case usage.Lower, usage.Linear:
		h := new(big.Rat).Mul(q, big.NewRat(n-1, 1))
		low := int64(0)
		for low+1 < n && big.NewRat(low+1, 1).Cmp(h) <= 0 {
			low++
		}
		if method == usage.Lower || low+1 == n {
			return value(low)
		}
		part := new(big.Rat).Sub(h, big.NewRat(low, 1))
		rise := new(big.Rat).Sub(value(low+1), value(low))
		return rise.Mul(rise, part).Add(rise, value(low))
	}
	panic(method)
}

func drawValues(t *rapid.T, label string) []float64 {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.Float64Range(0, 4),
		rapid.Float64Range(0, 1e13),
		rapid.Map(rapid.IntRange(0, 5000), func(m int) float64 { return float64(m) / 1000 }),
		rapid.SampledFrom([]float64{0, 1, 0.01, 1e7, 20500000, 31525000, math.SmallestNonzeroFloat64, 0x1p-30, 1e300}),
	), 1, 60).Draw(t, label)
}

func pointsOf(values []float64) []usage.Point {
	points := make([]usage.Point, len(values))
	for i, v := range values {
		points[i] = usage.Point{Time: start.Add(time.Duration(i) * time.Minute), Value: v}
	}
	return points
}

func samplesTwin(t *rapid.T) {
	values := drawValues(t, "values")
	method := rapid.SampledFrom(usage.Methods()).Draw(t, "method")
	q := int64(rapid.IntRange(0, 1_000_000).Draw(t, "q"))
	s, report, err := usage.NewSamples(pointsOf(values), usage.Window{}, method)
	require.NoError(t, err)
	require.Equal(t, len(values), report.Kept)
	got, ok := s.Quantile(float64(q) / 1e6)
	require.True(t, ok)
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	want, _ := twinQuantile(sorted, big.NewRat(q, 1_000_000), method).Float64()
	if method == usage.Linear {
		require.InEpsilon(t, want+1e-300, got+1e-300, 1e-9)
		return
	}
	require.Equal(t, want, got)
}

func TestSamplesTwin(t *testing.T) { rapid.Check(t, samplesTwin) }
func FuzzSamplesTwin(f *testing.F) { f.Fuzz(rapid.MakeFuzz(samplesTwin)) }

// weighted is a value with its weight, the data of a histogram before they were put into buckets.
type weighted struct {
	value  float64
	weight int64
}

// twinRank is the weighted nearest-rank quantile: the least value up to which a share q of the weight lies.
func twinRank(data []weighted, q *big.Rat) float64 {
	sorted := slices.Clone(data)
	slices.SortFunc(sorted, func(a, b weighted) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	total := int64(0)
	for _, d := range sorted {
		total += d.weight
	}
	sum := int64(0)
	for _, d := range sorted {
		sum += d.weight
		if d.weight > 0 && big.NewRat(sum, 1).Cmp(new(big.Rat).Mul(q, big.NewRat(total, 1))) >= 0 {
			return d.value
		}
	}
	return sorted[len(sorted)-1].value
}

func drawHistogram(t *rapid.T, layout usage.Layout, label string) (*usage.Histogram, []weighted) {
	h, err := usage.NewHistogram(layout, 0)
	require.NoError(t, err)
	var data []weighted
	for _, v := range drawValues(t, label) {
		if layout == usage.VPACPU {
			v = math.Mod(v, 1000)
		} else if layout == usage.VPAMemory {
			v = math.Mod(v, 1e12)
		}
		w := weighted{v, int64(rapid.IntRange(1, 1000).Draw(t, "weight"))}
		data = append(data, w)
		require.NoError(t, h.Add(start.Add(time.Duration(len(data))*time.Minute), w.value, float64(w.weight)))
	}
	return h, data
}

// errorBound: |answer - true| <= e x true + a, in rationals, and VPA's layouts err upwards alone.
func errorBound(t *rapid.T) {
	layout := rapid.SampledFrom(usage.Layouts()).Draw(t, "layout")
	h, data := drawHistogram(t, layout, "values")
	q := int64(rapid.IntRange(0, 64).Draw(t, "q")) // sixty-fourths are exact floats, and so are the products
	got, ok := h.Quantile(float64(q) / 64)
	require.True(t, ok)
	want := new(big.Rat).SetFloat64(twinRank(data, big.NewRat(q, 64)))
	off := new(big.Rat).Sub(new(big.Rat).SetFloat64(got), want)
	if layout != usage.Fine {
		require.GreaterOrEqual(t, got*(1+1e-13), twinRank(data, big.NewRat(q, 64)))
	}
	e, a := h.ErrorBound()
	most := new(big.Rat).SetFloat64(e + 1e-13) // a bucket's bound is rounded to a float
	most.Mul(most, want).Add(most, new(big.Rat).SetFloat64(a*(1+1e-13)))
	require.LessOrEqual(t, off.Abs(off).Cmp(most), 0, "true %v, got %v, e %v, a %v", want, got, e, a)
}

func TestErrorBound(t *testing.T) { rapid.Check(t, errorBound) }
func FuzzErrorBound(f *testing.F) { f.Fuzz(rapid.MakeFuzz(errorBound)) }

// TestErrorBoundStated holds the figures in Fine's comment: how far largest / least may be for each error.
func TestErrorBoundStated(t *testing.T) {
	for _, c := range []struct {
		ratio, most float64
		why         string
	}{
		{1, 0.0109, "one value"},
		{44, 0.0109, "175 widths of the finest buckets"},
		{1900, 0.0217, "one halving"},
		{3_800_000, 0.0434, "two halvings"},
		{1e13, 0.0865, "three halvings"},
	} {
		for _, least := range []float64{1e-3, 0.7, 1, 1e7, 3.3e8} {
			h, err := usage.NewHistogram(usage.Fine, 0)
			require.NoError(t, err)
			require.NoError(t, h.Add(start, least, 1))
			require.NoError(t, h.Add(start, least*c.ratio, 1))
			e, a := h.ErrorBound()
			require.LessOrEqual(t, e, c.most, "%s: %v, %v", c.why, least, c.ratio)
			require.Equal(t, 0x1p-30, a)
		}
	}
}

// q1: monotone, and within the values up to the bound.
func q1(t *rapid.T) {
	values := drawValues(t, "values")
	samples, _, err := usage.NewSamples(pointsOf(values), usage.Window{}, rapid.SampledFrom(usage.Methods()).Draw(t, "method"))
	require.NoError(t, err)
	histogram, _ := drawHistogram(t, rapid.SampledFrom(usage.Layouts()).Draw(t, "layout"), "weighted")
	p, q := rapid.Float64Range(0, 1).Draw(t, "p"), rapid.Float64Range(0, 1).Draw(t, "q")
	low, high := min(p, q), max(p, q)
	for _, v := range []usage.View{samples, histogram, usage.MaxOf(samples, histogram)} {
		a, ok1 := v.Quantile(low)
		b, ok2 := v.Quantile(high)
		largest, ok3 := v.Max()
		require.True(t, ok1 && ok2 && ok3)
		require.LessOrEqual(t, a, b)
		if v == usage.View(samples) || histogram.Layout() == usage.Fine {
			require.LessOrEqual(t, b, largest)
			least, _ := v.Quantile(0)
			require.GreaterOrEqual(t, a, least)
		}
	}
}

func TestQ1(t *testing.T) { rapid.Check(t, q1) }
func FuzzQ1(f *testing.F) { f.Fuzz(rapid.MakeFuzz(q1)) }

// unitScaling: the same data in units a power of two smaller give the same answers in those units.
func unitScaling(t *rapid.T) {
	values := rapid.SliceOfN(rapid.Float64Range(0.001, 1e9), 1, 50).Draw(t, "values")
	factor := math.Ldexp(1, rapid.IntRange(-8, 30).Draw(t, "exponent"))
	plain, scaled := new(usage.Histogram), new(usage.Histogram)
	var many []float64
	for _, v := range values {
		require.NoError(t, plain.Add(start, v, 1))
		require.NoError(t, scaled.Add(start, v*factor, 1))
		many = append(many, v*factor)
	}
	a, _, err := usage.NewSamples(pointsOf(values), usage.Window{}, usage.Linear)
	require.NoError(t, err)
	b, _, err := usage.NewSamples(pointsOf(many), usage.Window{}, usage.Linear)
	require.NoError(t, err)
	for _, q := range []float64{0, 0.5, 0.9, 0.99, 1} {
		x, _ := plain.Quantile(q)
		y, _ := scaled.Quantile(q)
		require.Equal(t, x*factor, y)
		x, _ = a.Quantile(q)
		y, _ = b.Quantile(q)
		require.Equal(t, x*factor, y)
	}
}

func TestUnitScaling(t *testing.T) { rapid.Check(t, unitScaling) }
func FuzzUnitScaling(f *testing.F) { f.Fuzz(rapid.MakeFuzz(unitScaling)) }
