package rightsizetest_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/usage"
)

func TestQuantile(t *testing.T) {
	for _, method := range usage.Methods() {
		t.Run(string(method), func(t *testing.T) { rightsizetest.CheckQuantile(t, rightsizetest.UsageQuantile(method), method) })
	}
	// A series is another way to the nearest rank.
	rightsizetest.CheckQuantile(t, func(values []float64, q float64) (float64, bool) {
		var s rightsizetest.Series
		for _, v := range values {
			s = append(s, usage.Point{Value: v})
		}
		return s.Quantile(q)
	}, usage.NearestRank, rightsizetest.LawQ1, rightsizetest.LawQ3, rightsizetest.LawQ4, rightsizetest.LawP2, rightsizetest.LawP4)
}

func TestEveryQuantileLawCatchesItsFault(t *testing.T) {
	calls := 0
	right := rightsizetest.UsageQuantile(usage.NearestRank)
	planted := map[rightsizetest.Law]rightsizetest.Quantile{
		rightsizetest.LawQ1: func(values []float64, q float64) (float64, bool) { // does not sort
			if len(values) == 0 {
				return 0, false
			}
			return values[min(int(q*float64(len(values))), len(values)-1)], true
		},
		rightsizetest.LawQ2: func(values []float64, q float64) (float64, bool) { // one too high
			if len(values) == 0 {
				return 0, false
			}
			sorted := slices.Sorted(slices.Values(values))
			return sorted[min(max(int(q*float64(len(sorted))), 0), len(sorted)-1)], true
		},
		rightsizetest.LawQ3: func(values []float64, q float64) (float64, bool) { // rounds to thousandths
			v, ok := right(values, q)
			return math.Round(v*1000) / 1000, ok
		},
		rightsizetest.LawQ4: func(values []float64, q float64) (float64, bool) { // no data is no use
			v, _ := right(values, q)
			return v, true
		},
		rightsizetest.LawP2: func(values []float64, q float64) (float64, bool) { // sorts what it was given
			slices.Sort(values)
			return right(values, q)
		},
		rightsizetest.LawP3: func(values []float64, q float64) (float64, bool) { // remembers
			calls++
			v, ok := right(values, q)
			return v + float64(calls%2), ok
		},
		rightsizetest.LawP4: func(values []float64, q float64) (float64, bool) { // there is always a first one
			return slices.Sorted(slices.Values(values))[0], true
		},
	}
	for _, law := range rightsizetest.QuantileLaws() {
		t.Run(string(law), func(t *testing.T) {
			faulty, ok := planted[law]
			caught(t, law, ok, func(t rightsizetest.TB) { rightsizetest.CheckQuantileLaw(t, faulty, usage.NearestRank, law) }, "  quantile ")
		})
	}
	for _, bad := range []func(rightsizetest.TB){
		func(t rightsizetest.TB) {
			rightsizetest.CheckQuantileLaw(t, right, usage.NearestRank, rightsizetest.LawH1)
		},
		func(t rightsizetest.TB) { rightsizetest.CheckQuantileLaw(t, right, "guess", rightsizetest.LawQ1) },
	} {
		failed, _ := record(t, bad)
		require.True(t, failed)
	}
}

// histogramOf is this module's histogram, with one of its two encodings.
func histogramOf(layout usage.Layout, halfLife time.Duration, text bool) rightsizetest.Histogram[*usage.Histogram] {
	h := rightsizetest.UsageHistogram(layout, halfLife)
	if text {
		h.Encode = func(h *usage.Histogram) ([]byte, error) { return json.Marshal(h) }
		h.Decode = func(data []byte) (*usage.Histogram, error) {
			h := new(usage.Histogram)
			return h, json.Unmarshal(data, h)
		}
	}
	return h
}

func TestHistogram(t *testing.T) {
	for _, layout := range usage.Layouts() {
		for _, halfLife := range []time.Duration{0, time.Hour} {
			t.Run(string(layout)+" "+halfLife.String(), func(t *testing.T) {
				rightsizetest.CheckHistogram(t, histogramOf(layout, halfLife, false))
				rightsizetest.CheckHistogram(t, histogramOf(layout, halfLife, true), rightsizetest.LawM4)
			})
		}
	}
}

func TestEveryHistogramLawCatchesItsFault(t *testing.T) {
	right := histogramOf(usage.Fine, 0, true)
	calls := 0
	plant := func(spoil func(h *rightsizetest.Histogram[*usage.Histogram])) rightsizetest.Histogram[*usage.Histogram] {
		h := right
		h.Equal = nil // by quantiles alone, as for a histogram that cannot be compared
		spoil(&h)
		return h
	}
	type histogram = rightsizetest.Histogram[*usage.Histogram]
	planted := map[rightsizetest.Law]histogram{
		rightsizetest.LawM1: plant(func(h *histogram) { // the first one's range holds for both
			h.Merge = func(into, from *usage.Histogram) error {
				most, ok := into.Max()
				for _, b := range from.Buckets() {
					if ok {
						b.UpperBound = min(b.UpperBound, most)
					}
					if err := into.Add(time.Unix(0, 0), b.UpperBound, b.Weight); err != nil {
						return err
					}
				}
				return nil
			}
		}),
		rightsizetest.LawM2: plant(func(h *histogram) { // gives both the same say, whatever they weigh
			h.Merge = func(into, from *usage.Histogram) error {
				whole := *into
				*into = usage.Histogram{}
				for _, part := range []*usage.Histogram{&whole, from} {
					for _, b := range part.Buckets() {
						if err := into.Add(time.Unix(0, 0), b.UpperBound, b.Weight/part.Total()); err != nil {
							return err
						}
					}
				}
				return nil
			}
		}),
		rightsizetest.LawM3: plant(func(h *histogram) { // moves instead of copying
			h.Merge = func(into, from *usage.Histogram) error {
				err := into.Merge(from)
				*from = usage.Histogram{}
				return err
			}
		}),
		rightsizetest.LawM4: plant(func(h *histogram) { // keeps the buckets' bounds alone
			h.Decode = func(data []byte) (*usage.Histogram, error) {
				var from usage.Histogram
				if err := json.Unmarshal(data, &from); err != nil {
					return nil, err
				}
				return usage.FromBuckets(usage.Fine, from.Buckets(), usage.Span{Count: max(from.Count(), 1), First: from.First(), Last: from.Last()})
			}
		}),
		rightsizetest.LawQ1: plant(func(h *histogram) { // answers with the end of a decade
			h.Quantile = func(of *usage.Histogram, q float64) (float64, bool) {
				v, ok := of.Quantile(q)
				return math.Pow(10, math.Ceil(math.Log10(max(v, 1e-3)))), ok
			}
		}),
		rightsizetest.LawQ2: plant(func(h *histogram) { // the upper end of a bucket
			h.Quantile = func(of *usage.Histogram, q float64) (float64, bool) {
				v, ok := of.Quantile(q)
				return v * 1.03, ok
			}
			h.Error = func(*usage.Histogram) (float64, float64) { return 0.02, 0 }
		}),
		rightsizetest.LawQ4: plant(func(h *histogram) { // what is below zero is zero
			h.Add = func(of *usage.Histogram, at time.Time, value, weight float64) error {
				return of.Add(at, max(value, 0), weight)
			}
		}),
		rightsizetest.LawP3: plant(func(h *histogram) { // keeps a sample of the samples
			h.Add = func(of *usage.Histogram, at time.Time, value, weight float64) error {
				if calls++; calls%3 == 0 {
					return nil
				}
				return of.Add(at, value, weight)
			}
		}),
	}
	for _, law := range right.Laws() {
		t.Run(string(law), func(t *testing.T) {
			faulty, ok := planted[law]
			caught(t, law, ok, func(t rightsizetest.TB) { rightsizetest.CheckHistogramLaw(t, faulty, law) }, "  a: ")
		})
	}
	require.Len(t, planted, len(right.Laws()))
	bare := right
	bare.Encode, bare.Error = nil, nil
	require.NotContains(t, bare.Laws(), rightsizetest.LawM4)
	require.NotContains(t, bare.Laws(), rightsizetest.LawQ2)
	for _, bad := range []func(rightsizetest.TB){
		func(t rightsizetest.TB) { rightsizetest.CheckHistogramLaw(t, bare, rightsizetest.LawM4) },
		func(t rightsizetest.TB) { rightsizetest.CheckHistogramLaw(t, histogram{}, rightsizetest.LawM1) },
	} {
		failed, _ := record(t, bad)
		require.True(t, failed)
	}
}
