package rightsizetest

import (
	"time"

	"github.com/kube-rightsize/rightsize/usage"
)

// UsageQuantile is this module's quantile of raw points, as an example of what [CheckQuantile] takes.
func UsageQuantile(method usage.Method) Quantile {
	return func(values []float64, q float64) (float64, bool) {
		points := make([]usage.Point, len(values))
		for i, v := range values {
			points[i] = usage.Point{Time: began().Add(time.Duration(i) * time.Minute), Value: v}
		}
		s, _, err := usage.NewSamples(points, usage.Window{}, method)
		if err != nil {
			return 0, false
		}
		return s.Quantile(q)
	}
}

// UsageHistogram is this module's histogram with its binary encoding, as an example of what [CheckHistogram] takes. Values are drawn as far as
// the layout states its error. A layout or half-life that does not exist gives histograms that take nothing.
func UsageHistogram(layout usage.Layout, halfLife time.Duration) Histogram[*usage.Histogram] {
	return Histogram[*usage.Histogram]{
		New: func() *usage.Histogram {
			h, err := usage.NewHistogram(layout, halfLife)
			if err != nil {
				return nil
			}
			return h
		},
		Add:      (*usage.Histogram).Add,
		Merge:    (*usage.Histogram).Merge,
		Quantile: (*usage.Histogram).Quantile,
		Encode:   (*usage.Histogram).MarshalBinary,
		Decode: func(data []byte) (*usage.Histogram, error) {
			h := new(usage.Histogram)
			return h, h.UnmarshalBinary(data)
		},
		Equal:    (*usage.Histogram).Equal,
		Error:    (*usage.Histogram).ErrorBound,
		HalfLife: halfLife,
		Largest:  map[usage.Layout]float64{usage.VPACPU: 1000, usage.VPAMemory: 1e12}[layout],
	}
}
