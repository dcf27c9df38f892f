package usage_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/kube-rightsize/rightsize/usage"
)

var monday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// Two replicas' histograms are kept apart, stored as bytes, and added up later: nothing is lost on the way, in any order.
func ExampleHistogram_Merge() {
	var a, b usage.Histogram
	for i := range 4 {
		_ = a.Add(monday.Add(time.Duration(i)*time.Hour), 0.25, 1)
		_ = b.Add(monday.Add(time.Duration(i)*time.Minute), 2, 1)
	}
	stored, _ := b.MarshalBinary()
	var read usage.Histogram
	fmt.Println(read.UnmarshalBinary(stored), read.Equal(&b))

	both := a.Clone()
	fmt.Println(both.Merge(&read), both.Count(), both.Total(), a.Count())
	fmt.Println(both.First().Format(time.TimeOnly), both.Last().Format(time.TimeOnly))
	median, _ := both.Quantile(0.5)
	largest, _ := both.Max()
	fmt.Printf("%.3f %v\n", median, largest)

	pool, _ := usage.PoolHistograms(&b, &a)
	fmt.Println(pool.Equal(both))
	// Output:
	// <nil> true
	// <nil> 8 8 4
	// 00:00:00 03:00:00
	// 0.250 2
	// true
}

// Histograms of different half-lives are not added: a weight would mean two things.
func ExampleNewHistogram() {
	day, _ := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
	week, _ := usage.NewHistogram(usage.VPACPU, 7*24*time.Hour)
	fmt.Println(day.Layout(), day.HalfLife(), day.Empty())
	fmt.Println(day.Merge(week))
	_, err := usage.NewHistogram(usage.VPACPU, time.Millisecond)
	fmt.Println(err)
	// Output:
	// vpa-cpu 24h0m0s true
	// usage: histograms differ in layout or half-life
	// usage: half-life is neither zero nor within 1s..8784h
}

// A sample that was taken back is gone from the quantiles, and the largest value is not: too large a maximum costs money, too small a one
// is an outage.
func ExampleHistogram_Subtract() {
	var h usage.Histogram
	_ = h.Add(monday, 0.25, 1)
	_ = h.Add(monday, 4, 1)
	fmt.Println(h.Subtract(monday, 4, 1), h.Count())
	p, _ := h.Quantile(1)
	largest, _ := h.Max()
	fmt.Printf("%.2f %v\n", p, largest)
	fmt.Println(h.Subtract(monday, -1, 1))
	// Output:
	// <nil> 1
	// 0.25 4
	// usage: value is NaN, infinite or negative
}

// VPA's last bucket is open: a container that uses 4000 cores is answered with its start, which is a bound and not a value.
func ExampleBeyond() {
	h, _ := usage.NewHistogram(usage.VPACPU, 0)
	_ = h.Add(monday, 0.25, 9)
	_ = h.Add(monday, 4000, 1)
	for _, q := range []float64{0.5, 1} {
		v, _ := h.Quantile(q)
		fmt.Printf("%.3f %v\n", v, usage.Beyond(h, q))
	}
	// Output:
	// 0.258 false
	// 1021.109 true
}

// Another system's buckets: all of a bucket's weight is taken to be at its upper bound, so that an import asks for too much rather than
// too little. Bounds that are powers of two stay one bucket.
func ExampleFromBuckets() {
	span := usage.Span{Count: 10, First: monday, Last: monday.Add(time.Hour)}
	h, err := usage.FromBuckets(usage.Fine, []usage.Bucket{{UpperBound: 1, Weight: 1}, {UpperBound: 0.5, Weight: 9}}, span)
	fmt.Println(err, h.Count(), h.Buckets())
	_, err = usage.FromBuckets(usage.Fine, []usage.Bucket{{UpperBound: 1, Weight: -1}}, span)
	fmt.Println(err)
	// Output:
	// <nil> 10 [{0.5 9} {1 1}]
	// usage: buckets[0]: usage: weight is NaN, negative or above 1e15
}

// VPA's checkpoint keeps weights as ten-thousandths of the heaviest bucket: 1 of 30 000 samples is lost on the way, and with it the top.
func ExampleHistogram_VPACheckpoint() {
	h, _ := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
	_ = h.Add(monday, 0.25, 30_000)
	_ = h.Add(monday, 8, 1)
	c, _ := h.VPACheckpoint()
	text, _ := json.Marshal(c)
	fmt.Println(string(text))

	back, err := usage.FromVPACheckpoint(usage.VPACPU, 24*time.Hour, c, usage.Span{Count: h.Count(), First: h.First(), Last: h.Last()})
	was, _ := h.Max()
	is, _ := back.Max()
	fmt.Printf("%v, %d samples, weight %v, largest %.3f, was %.3f\n", err, back.Count(), back.Total(), is, was)
	// Output:
	// {"referenceTimestamp":"2026-01-05T00:00:00Z","bucketWeights":{"16":10000},"totalWeight":30001}
	// <nil>, 2 samples, weight 30001, largest 0.258, was 8.000
}
