package usage_test

import (
	"testing"
	"time"

	"github.com/kube-rightsize/rightsize/usage"
)

// diurnal is the cpu use of one container over 8 days, in cores: a daily cycle with noise.
func diurnal() []usage.Point {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	points := make([]usage.Point, 11520)
	for i := range points {
		swing := 720 - max(720-i%1440, i%1440-720)
		points[i] = usage.Point{
			Time:  start.Add(time.Duration(i) * time.Minute),
			Value: float64(100+swing*900/720+(i*7919+13)%101) / 1000,
		}
	}
	return points
}

func BenchmarkHistogramAdd(b *testing.B) {
	points := diurnal()
	for _, c := range []struct {
		name     string
		layout   usage.Layout
		halfLife time.Duration
	}{
		{"vpa-cpu decaying", usage.VPACPU, 24 * time.Hour},
		{"vpa-cpu", usage.VPACPU, 0},
		{"fine decaying", usage.Fine, 24 * time.Hour},
		{"fine", usage.Fine, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			h, err := usage.NewHistogram(c.layout, c.halfLife)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i, next := 0, 0; i < b.N; i++ {
				p := points[next]
				if next++; next == len(points) {
					next = 0
				}
				if h.Add(p.Time, p.Value, 0.1) != nil {
					b.Fatal("refused")
				}
			}
		})
	}
}
