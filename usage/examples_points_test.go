package usage_test

import (
	"fmt"
	"math"
	"time"

	"github.com/kube-rightsize/rightsize/usage"
)

// minutes are points at one-minute steps.
func minutes(values ...float64) (points []usage.Point) {
	for i, v := range values {
		points = append(points, usage.Point{Time: monday.Add(time.Duration(i) * time.Minute), Value: v})
	}
	return points
}

// Of two values at one instant the larger stays: too small a request is an outage.
func ExampleClean() {
	points := append(minutes(0.2, math.NaN(), 0.4, 0.1), usage.Point{Time: monday, Value: 0.3})
	clean, report := usage.Clean(points, usage.Window{End: monday.Add(3 * time.Minute)})
	for _, p := range clean {
		fmt.Println(p.Time.Format(time.TimeOnly), p.Value)
	}
	fmt.Println("duplicates", report.Duplicates, "outside", report.Outside, "dropped", report.Dropped(), "uneven", report.Uneven())
	// Output:
	// 00:00:00 0.3
	// 00:02:00 0.4
	// duplicates 1 outside 1 dropped 1 uneven false
}

// A query that gives times and values apart may give more of one than of the other.
func ExamplePair() {
	points, report := usage.Pair([]time.Time{monday, monday.Add(time.Minute)}, []float64{0.2, 0.3, 0.4})
	fmt.Println(len(points), report.Unpaired, report.Dropped())
	// Output: 2 1 1
}

// CPU seconds used so far become cores. Where the container was restarted the counter falls, and nobody knows what was used in between.
func ExampleRates() {
	rates, report := usage.Rates(minutes(0, 30, 45, 3, 33), usage.Window{})
	for _, p := range rates {
		fmt.Println(p.Time.Format(time.TimeOnly), p.Value)
	}
	fmt.Println("resets", report.Resets)
	// Output:
	// 00:01:00 0.5
	// 00:02:00 0.25
	// 00:04:00 0.5
	// resets 1
}

// A window's end is outside it, so that a sample at midnight belongs to one day alone.
func ExampleLast() {
	day := usage.Last(monday, 24*time.Hour)
	fmt.Println(day.Contains(monday.Add(-24*time.Hour)), day.Contains(monday), day.Valid())
	fmt.Println(usage.Window{}.Contains(monday)) // the zero window holds every time
	// Output:
	// true false true
	// true
}

func ExampleSamples_In() {
	hour, _, _ := usage.NewSamples(minutes(0.1, 0.2, 0.9, 0.2), usage.Window{}, usage.NearestRank)
	early := hour.In(usage.Window{End: monday.Add(2 * time.Minute)})
	fmt.Println(early.Count(), early.Method(), early.First().Format(time.TimeOnly), early.Last().Format(time.TimeOnly))
	largest, _ := early.Max()
	fmt.Println(largest, len(early.Points()), hour.Count())
	none := hour.In(usage.Window{Start: monday.Add(time.Hour)})
	_, ok := none.Max() // no data, which is not a use of zero
	fmt.Println(ok, usage.Empty(none), usage.Empty(nil))
	// Output:
	// 2 nearest-rank 00:00:00 00:01:00
	// 0.2 2 4
	// false true true
}

// The two answers for two pods: the first lets no pod get less than it needs, in the second the odd pod is outvoted.
func ExampleMaxOf() {
	a, _, _ := usage.NewSamples(minutes(1, 1, 1, 5), usage.Window{}, usage.NearestRank)
	b, _, _ := usage.NewSamples(minutes(1, 1, 1, 1), usage.Window{}, usage.NearestRank)
	both, _ := usage.PoolSamples(a, b)
	fmt.Println(usage.MaxOf(a, b, nil).Quantile(0.8))
	fmt.Println(both.Quantile(0.8))

	linear, _, _ := usage.NewSamples(minutes(1), usage.Window{}, usage.Linear)
	_, err := usage.PoolSamples(a, linear)
	fmt.Println(err)
	// Output:
	// 5 true
	// 1 true
	// usage: histograms differ in layout or half-life
}

// A table that somebody else computed answers what it lists and nothing between.
func ExampleNewQuantiles() {
	largest := 1.5
	t, err := usage.NewQuantiles(usage.Table{
		Quantiles: []usage.QuantileValue{{Q: 0.99, Value: 0.9}, {Q: 0.5, Value: 0.2}},
		Max:       &largest, Count: 10_080, First: monday, Last: monday.AddDate(0, 0, 7),
	})
	fmt.Println(err, t.Listed(), t.Count(), t.Last().Sub(t.First()))
	fmt.Println(t.Quantile(0.99))
	fmt.Println(t.Quantile(0.95))
	fmt.Println(t.Quantile(1)) // a maximum is not a quantile
	fmt.Println(t.Max())
	_, err = usage.NewQuantiles(usage.Table{Quantiles: []usage.QuantileValue{{Q: 0.5, Value: 0.9}, {Q: 0.99, Value: 0.2}}})
	fmt.Println(err)
	// Output:
	// <nil> [{0.5 0.2} {0.99 0.9}] 10080 168h0m0s
	// 0.9 true
	// 0 false
	// 0 false
	// 1.5 true
	// usage: quantile 0.99 is below quantile 0.5
}
