package usage

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// formula is upstream's exponentialHistogramOptions, with ratio - 1 taken at run time as there.
type formula struct{ first, ratio float64 }

func (f formula) find(v float64) int {
	if v < f.first {
		return 0
	}
	return min(int(math.Log(v*(f.ratio-1)/f.first+1)/math.Log(f.ratio)), vpaBuckets-1)
}

func (f formula) start(b int) float64 {
	if b == 0 {
		return 0
	}
	return f.first * (math.Pow(f.ratio, float64(b)) - 1) / (f.ratio - 1)
}

func formulas() map[kind]formula {
	growth := 0.05
	return map[kind]formula{vpaCPU: {0.01, 1 + growth}, vpaMemory: {1e7, 1 + growth}}
}

// TestVPATables computes the tables again: on amd64 to the last bit, elsewhere within the error of a logarithm.
func TestVPATables(t *testing.T) {
	for k, f := range formulas() {
		l := vpaLayouts[k]
		for b := range vpaBuckets {
			if runtime.GOARCH == "amd64" {
				require.Equal(t, f.start(b), l.start[b])
				if b > 0 {
					require.Equal(t, b, f.find(l.least[b]))
					require.Equal(t, b-1, f.find(math.Nextafter(l.least[b], 0)))
				}
			}
			require.InEpsilon(t, f.start(b)+1, l.start[b]+1, 1e-12)
		}
	}
}

// TestVPABucket compares the search with a scan over the table and with the formula, near bounds and everywhere.
func TestVPABucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for k, f := range formulas() {
			l := vpaLayouts[k]
			v := rapid.OneOf(
				rapid.Float64Range(0, math.MaxFloat64),
				rapid.Float64Range(0, 2000*f.first*1e2),
				rapid.Map(rapid.IntRange(0, vpaBuckets-1), func(b int) float64 { return l.least[b] }),
				rapid.Map(rapid.IntRange(1, vpaBuckets-1), func(b int) float64 { return math.Nextafter(l.least[b], 0) }),
				rapid.Just(0.0), rapid.Just(math.SmallestNonzeroFloat64),
			).Draw(t, "v")
			want := 0
			for b := range vpaBuckets {
				if v >= l.least[b] {
					want = b
				}
			}
			require.Equal(t, want, l.bucket(v), "%v", v)
			if runtime.GOARCH == "amd64" && v < 1e300 {
				require.Equal(t, f.find(v), l.bucket(v), "%v", v)
			}
		}
	})
}

// TestFineIndex holds the definition of a bucket, at every scale.
func TestFineIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.Float64Range(fineZero*2, 1e15), rapid.Float64Range(0.5, 2),
			rapid.Map(rapid.IntRange(-29, 60), func(e int) float64 { return math.Ldexp(1, e) }),
			rapid.Map(rapid.IntRange(-900, 900), func(i int) float64 { return fineBound(int32(i), fineScale) }),
		).Draw(t, "v")
		i := fineIndex(v)
		require.Less(t, fineBound(i, fineScale), v)
		require.GreaterOrEqual(t, fineBound(i+1, fineScale), v)
		for down := uint8(1); down <= 8; down++ {
			require.Less(t, fineBound(i>>down, fineScale-int(down)), v)
			require.GreaterOrEqual(t, fineBound(i>>down+1, fineScale-int(down)), v)
		}
	})
	for i := range fineBounds[:1<<fineScale] {
		got := math.Float64frombits(1023<<mantissaBits | fineBounds[i])
		require.InEpsilon(t, math.Exp2(float64(i)/32), got, 1e-15)
	}
}

// TestExp2 compares with the library's function: to the bit where that is pure Go, and whatever was found before.
func TestExp2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64Range(-1100, 1100), rapid.Float64Range(-2, 2), rapid.Float64(),
			rapid.Map(rapid.IntRange(-2200, 2200), func(h int) float64 { return float64(h) / 2 })).Draw(t, "x")
		near := rapid.OneOf(rapid.Just(math.Round(x)), rapid.Float64()).Draw(t, "near")
		got := exp2(x, &near)
		if runtime.GOARCH == "amd64" || runtime.GOARCH == "386" {
			require.Equal(t, math.Float64bits(math.Exp2(x)), math.Float64bits(got), "%v", x)
			return
		}
		require.InEpsilon(t, math.Exp2(x)+1e-300, got+1e-300, 1e-15)
	})
	require.True(t, math.IsNaN(exp2(math.NaN(), new(float64))))
}
