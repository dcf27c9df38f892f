package usage_test

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/usage"
)

var start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// The laws stand in the kit, rightsizetest, with the naive twin of a quantile. Each is a property and a fuzz target of its name here.

// histograms is a law of histograms of every layout, with decay and without, in both encodings.
func histograms(law rightsizetest.Law) func(*rapid.T) {
	return func(t *rapid.T) {
		half := time.Duration(0)
		if law != rightsizetest.LawQ2 { // the twin of a quantile knows no decay
			half = rapid.SampledFrom([]time.Duration{0, time.Hour, 24 * time.Hour}).Draw(t, "half-life")
		}
		h := rightsizetest.UsageHistogram(rapid.SampledFrom(usage.Layouts()).Draw(t, "layout"), half)
		if rapid.Bool().Draw(t, "as JSON") {
			h.Encode = func(h *usage.Histogram) ([]byte, error) { return json.Marshal(h) }
			h.Decode = func(data []byte) (*usage.Histogram, error) {
				h := new(usage.Histogram)
				return h, json.Unmarshal(data, h)
			}
		}
		h.Property(law)(t)
	}
}

// quantiles is a law of quantiles of raw points by every method, or of histograms.
func quantiles(law rightsizetest.Law) func(*rapid.T) {
	return func(t *rapid.T) {
		if law != rightsizetest.LawQ3 && rapid.Bool().Draw(t, "histogram") {
			histograms(law)(t)
			return
		}
		method := rapid.SampledFrom(usage.Methods()).Draw(t, "method")
		rightsizetest.UsageQuantile(method).Property(method, law)(t)
	}
}

func TestM1(t *testing.T) { rapid.Check(t, histograms(rightsizetest.LawM1)) }
func TestM2(t *testing.T) { rapid.Check(t, histograms(rightsizetest.LawM2)) }
func TestM3(t *testing.T) { rapid.Check(t, histograms(rightsizetest.LawM3)) }
func TestM4(t *testing.T) { rapid.Check(t, histograms(rightsizetest.LawM4)) }
func TestQ1(t *testing.T) { rapid.Check(t, quantiles(rightsizetest.LawQ1)) }
func TestQ2(t *testing.T) { rapid.Check(t, quantiles(rightsizetest.LawQ2)) }
func TestQ3(t *testing.T) { rapid.Check(t, quantiles(rightsizetest.LawQ3)) }
func TestQ4(t *testing.T) { rapid.Check(t, quantiles(rightsizetest.LawQ4)) }

func FuzzM1(f *testing.F) { f.Fuzz(rapid.MakeFuzz(histograms(rightsizetest.LawM1))) }
func FuzzM2(f *testing.F) { f.Fuzz(rapid.MakeFuzz(histograms(rightsizetest.LawM2))) }
func FuzzM3(f *testing.F) { f.Fuzz(rapid.MakeFuzz(histograms(rightsizetest.LawM3))) }
func FuzzM4(f *testing.F) { f.Fuzz(rapid.MakeFuzz(histograms(rightsizetest.LawM4))) }
func FuzzQ1(f *testing.F) { f.Fuzz(rapid.MakeFuzz(quantiles(rightsizetest.LawQ1))) }
func FuzzQ2(f *testing.F) { f.Fuzz(rapid.MakeFuzz(quantiles(rightsizetest.LawQ2))) }
func FuzzQ3(f *testing.F) { f.Fuzz(rapid.MakeFuzz(quantiles(rightsizetest.LawQ3))) }
func FuzzQ4(f *testing.F) { f.Fuzz(rapid.MakeFuzz(quantiles(rightsizetest.LawQ4))) }

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

// samplesTwin: a quantile is read as the decimal that it is meant to be, exactly.
func samplesTwin(t *rapid.T) {
	values := drawValues(t, "values")
	method := rapid.SampledFrom(usage.Methods()).Draw(t, "method")
	q := int64(rapid.IntRange(0, 1_000_000).Draw(t, "q"))
	s, report, err := usage.NewSamples(pointsOf(values), usage.Window{}, method)
	require.NoError(t, err)
	require.Equal(t, len(values), report.Kept)
	got, ok := s.Quantile(float64(q) / 1e6)
	require.True(t, ok)
	want, _ := rightsizetest.TrueQuantile(values, nil, big.NewRat(q, 1_000_000), method).Float64()
	if method == usage.Linear {
		require.InEpsilon(t, want+1e-300, got+1e-300, 1e-9)
		return
	}
	require.Equal(t, want, got)
}

func TestSamplesTwin(t *testing.T) { rapid.Check(t, samplesTwin) }
func FuzzSamplesTwin(f *testing.F) { f.Fuzz(rapid.MakeFuzz(samplesTwin)) }

// upwards: VPA's layouts err upwards alone.
func upwards(t *rapid.T) {
	layout := rapid.SampledFrom([]usage.Layout{usage.VPACPU, usage.VPAMemory}).Draw(t, "layout")
	h, err := usage.NewHistogram(layout, 0)
	require.NoError(t, err)
	values := drawValues(t, "values")
	var weights []int64
	for i, v := range values {
		values[i] = math.Mod(v, 1000)
		if layout == usage.VPAMemory {
			values[i] = math.Mod(v, 1e12)
		}
		weights = append(weights, int64(rapid.IntRange(1, 1000).Draw(t, "weight")))
		require.NoError(t, h.Add(start, values[i], float64(weights[i])))
	}
	q := int64(rapid.IntRange(0, 64).Draw(t, "q")) // sixty-fourths are exact floats, and so are the products
	got, ok := h.Quantile(float64(q) / 64)
	require.True(t, ok)
	want, _ := rightsizetest.TrueQuantile(values, weights, big.NewRat(q, 64), usage.NearestRank).Float64()
	require.GreaterOrEqual(t, got*(1+1e-13), want)
}

func TestUpwards(t *testing.T) { rapid.Check(t, upwards) }

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

// TestMaxOf: the largest of several views is monotone too, and nowhere below one of them.
func TestMaxOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples, _, err := usage.NewSamples(pointsOf(drawValues(t, "values")), usage.Window{}, rapid.SampledFrom(usage.Methods()).Draw(t, "method"))
		require.NoError(t, err)
		h := new(usage.Histogram)
		for _, v := range drawValues(t, "other values") {
			require.NoError(t, h.Add(start, v, 1))
		}
		both := usage.MaxOf(samples, h)
		p, q := rapid.Float64Range(0, 1).Draw(t, "p"), rapid.Float64Range(0, 1).Draw(t, "q")
		a, ok1 := both.Quantile(min(p, q))
		b, ok2 := both.Quantile(max(p, q))
		most, ok3 := both.Max()
		require.True(t, ok1 && ok2 && ok3)
		require.LessOrEqual(t, a, b)
		require.LessOrEqual(t, b, most)
		for _, v := range []usage.View{samples, h} {
			x, _ := v.Quantile(max(p, q))
			require.LessOrEqual(t, x, b)
		}
	})
}

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
