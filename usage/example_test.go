package usage_test

import (
	"fmt"
	"time"

	"github.com/kube-rightsize/rightsize/usage"
)

// Raw points are cleaned first, and the report says how.
func ExampleNewSamples() {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	points := []usage.Point{
		{Time: start.Add(2 * time.Minute), Value: 0.4},
		{Time: start, Value: 0.2},
		{Time: start.Add(time.Minute), Value: -0.5}, // a counter was reset
	}
	samples, report, err := usage.NewSamples(points, usage.Window{}, usage.NearestRank)
	if err != nil {
		fmt.Println(err)
		return
	}
	median, ok := samples.Quantile(0.5)
	fmt.Println(median, ok)
	fmt.Printf("kept %d, unsorted %d, negative %d\n", report.Kept, report.Unsorted, report.Negative)
	// Output:
	// 0.2 true
	// kept 2, unsorted 2, negative 1
}

// A histogram takes any number of samples in 1.5 kB and says how far its answers may be off.
func ExampleHistogram() {
	var h usage.Histogram // buckets of one ratio, no decay
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for i := range 1000 {
		if err := h.Add(start.Add(time.Duration(i)*time.Minute), 0.1+float64(i)/1000, 1); err != nil {
			fmt.Println(err)
			return
		}
	}
	p95, _ := h.Quantile(0.95) // 1.049 exactly
	largest, _ := h.Max()
	e, _ := h.ErrorBound()
	fmt.Printf("p95 %.3f within %.2f %%, largest %.3f, %d samples\n", p95, 100*e, largest, h.Count())
	// Output:
	// p95 1.056 within 1.08 %, largest 1.099, 1000 samples
}
