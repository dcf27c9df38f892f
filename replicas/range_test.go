package replicas

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPercentRange: utilizations whose product leaves int64, on both sides of zero.
func TestPercentRange(t *testing.T) {
	for _, row := range []struct {
		why            string
		usage, request int64
		want           int64
		sum            bool
	}{
		{why: "the last product that fits", usage: math.MaxInt64 / 100, request: 1 << 40, want: 8388607},
		{why: "the first that does not", usage: math.MaxInt64/100 + 1, request: 1 << 40, want: 8388608, sum: true},
		{why: "below zero, the last", usage: -math.MaxInt64 / 100, request: 1 << 40, want: -8388607},
		{why: "below zero, the first that does not", usage: math.MinInt64, request: 1 << 57, want: -6400, sum: true},
	} {
		var usage, request total
		usage.add(row.usage)
		request.add(row.request)
		var out OutOfRange
		require.Equal(t, row.want, percent(usage, request, &out), row.why)
		require.Equal(t, OutOfRange{Sum: row.sum}, out, row.why)
	}
}

// TestSeriesRange: sums of External series at the ends of int64.
func TestSeriesRange(t *testing.T) {
	c := Calculator{Current: 1, Status: 1, Tolerance: Tolerance{Down: 0.1, Up: 0.1}}
	for _, row := range []struct {
		why     string
		series  []int64
		average bool
		target  MilliTarget
		want    int32
		total   int64
		capped  bool
		negated bool
		sum     bool
	}{
		{why: "below int64 and back", series: []int64{math.MinInt64, -1, 5}, target: 1000, total: math.MinInt64 + 4, sum: true, want: math.MinInt32},
		{why: "below int64", series: []int64{math.MinInt64, -1}, target: 1000, total: math.MinInt64, sum: true, want: math.MinInt32},
		{why: "above int64: the largest, and series that follow do not count", series: []int64{math.MaxInt64, 1, -5}, target: math.MaxInt64, total: math.MaxInt64, capped: true, want: 1},
		{why: "an average, cut in the sum though not in the proposal", series: []int64{math.MaxInt64, 1}, average: true, target: math.MaxInt64, total: math.MaxInt64, capped: true, want: 1},
		{why: "an average, cut in the proposal", series: []int64{math.MaxInt64 - 1}, average: true, target: 1, total: math.MaxInt64 - 1, capped: true, want: math.MaxInt32},
		{why: "an average with a negative series first", series: []int64{-5000, 100_000}, average: true, target: 30_000, total: math.MaxInt64, capped: true, negated: true, want: math.MaxInt32},
		{why: "one whose sums stay above zero", series: []int64{100_000, -5000}, average: true, target: 30_000, total: 95_000, want: 4},
	} {
		var r Result
		var err error
		if row.average {
			r, err = c.ExternalAverage(row.series, row.target)
		} else {
			r, err = c.ExternalValue(row.series, readyPods(1, 1, 1), row.target)
		}
		require.NoError(t, err, row.why)
		require.Equal(t, row.want, r.Replicas, row.why)
		require.Equal(t, row.total, r.Total, row.why)
		require.Equal(t, row.capped, r.Capped, row.why)
		require.Equal(t, row.negated, r.NegativeSum, row.why)
		require.Equal(t, OutOfRange{Sum: row.sum, Replicas: row.want == math.MinInt32}, r.OutOfRange, row.why)
	}
}

// TestNotPositive: targets that the API server refuses.
func TestNotPositive(t *testing.T) {
	for _, target := range []MilliTarget{0, -1, math.MinInt64} {
		c := Calculator{Current: 2, Status: 2}
		_, err := c.ObjectAverage(1000, target)
		require.Error(t, err)
		_, err = c.ObjectValue(1000, readyPods(2, 1, 1), target)
		require.Error(t, err)
		c.ReproduceOverflow = true
		r, err := c.ObjectAverage(1000, 0)
		require.NoError(t, err, "upstream divides by it")
		require.Equal(t, int32(math.MinInt32), r.Replicas)
		require.True(t, r.Unbounded)
	}
}

// TestFillRange: what a missing pod is taken to use, at requests whose product with the target leaves int64.
func TestFillRange(t *testing.T) {
	for _, row := range []struct {
		why     string
		request int64
		target  int32
		sum     bool
	}{
		{why: "in range", request: math.MaxInt64 / math.MaxInt32, target: 200},
		{why: "a large request", request: 1 << 62, target: 200, sum: true},
		{why: "a large one below zero", request: -(1 << 62), target: 200, sum: true},
	} {
		pods := append(readyPods(3, 1<<40, 1<<38), Pod{Request: row.request})
		c := Calculator{Current: 4, Tolerance: Tolerance{Down: 0.1, Up: 0.1}, Now: noon}
		r, err := c.Utilization("memory", pods, nil, row.target)
		require.NoError(t, err, row.why)
		require.Equal(t, row.sum, r.OutOfRange.Sum, row.why)
	}
}
