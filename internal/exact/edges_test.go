package exact

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
)

const most, least = math.MaxInt64, math.MinInt64

func TestAdd(t *testing.T) {
	for _, row := range []struct {
		a, b, sum int64
		ok        bool
		why       string
	}{
		{0, 0, 0, true, "nothing"},
		{1, 2, 3, true, "two above 0"},
		{-1, -1, -2, true, "two below 0"},
		{-1, 1, 0, true, "one of each"},
		{most, 0, most, true, "the largest"},
		{0, most, most, true, "the largest"},
		{most - 1, 1, most, true, "up to the largest"},
		{most, 1, 0, false, "one above the largest"},
		{1, most, 0, false, "one above the largest"},
		{most, most, 0, false, "the largest sum"},
		{1 << 62, 1 << 62, 0, false, "wraps to the least"},
		{least, 0, least, true, "the least"},
		{0, least, least, true, "the least"},
		{least + 1, -1, least, true, "down to the least"},
		{least, -1, 0, false, "one below the least"},
		{-1, least, 0, false, "one below the least"},
		{least, least, 0, false, "wraps to 0"},
		{least, most, -1, true, "the ends meet"},
	} {
		sum, ok := Add(row.a, row.b)
		require.Equal(t, row.ok, ok, "%d + %d: %s", row.a, row.b, row.why)
		require.Equal(t, row.sum, sum, "%d + %d: %s", row.a, row.b, row.why)
	}
}

func TestMulDiv(t *testing.T) {
	type answer struct {
		q  int64
		ok bool
	}
	no := answer{}
	for _, row := range []struct {
		a, b, c                int64
		floor, ceil, near, rem answer
		why                    string
	}{
		{0, 5, 3, answer{0, true}, answer{0, true}, answer{0, true}, answer{0, true}, "nothing"},
		{7, 1, 2, answer{3, true}, answer{4, true}, answer{3, true}, answer{1, true}, "a tie goes to the lower"},
		{8, 1, 3, answer{2, true}, answer{3, true}, answer{3, true}, answer{2, true}, "two thirds go up"},
		{7, 1, 3, answer{2, true}, answer{3, true}, answer{2, true}, answer{1, true}, "one third goes down"},
		{6, 1, 3, answer{2, true}, answer{2, true}, answer{2, true}, answer{0, true}, "whole"},
		{1, 1, most, answer{0, true}, answer{1, true}, answer{0, true}, answer{1, true}, "the largest divisor"},
		{most, most, most, answer{most, true}, answer{most, true}, answer{most, true}, answer{0, true}, "a product of 126 bits"},
		{most, 2, 1, no, no, no, no, "one bit too many"},
		{1 << 62, 2, 1, no, no, no, no, "2^63 is the first that does not fit"},
		{1 << 61, 4, 1, no, no, no, no, "2^63 in another way"},
		{1 << 62, 4, 1, no, no, no, no, "2^64: the upper half of the product is the divisor"},
		{1 << 62, 1 << 62, 1 << 60, no, no, no, no, "the same further up"},
		{1 << 62, 4, 2, no, no, no, no, "2^63 from a product of 65 bits"},
		{1 << 62, 3, 2, answer{3 << 61, true}, answer{3 << 61, true}, answer{3 << 61, true}, answer{0, true}, "within 63 bits, from a product of 64"},
		{most, most, 1, no, no, no, no, "far too many"},
		{most, 2, 2, answer{most, true}, answer{most, true}, answer{most, true}, answer{0, true}, "the largest"},
		{most, 3, 3, answer{most, true}, answer{most, true}, answer{most, true}, answer{0, true}, "the largest"},
		{(most - 1) / 2, 6, 3, answer{most - 1, true}, answer{most - 1, true}, answer{most - 1, true}, answer{0, true}, "one below"},
		{-1, 1, 1, no, no, no, no, "a negative factor"},
		{1, -1, 1, no, no, no, no, "a negative factor"},
		{-1, -1, 1, no, no, no, no, "two of them"},
		{1, 1, 0, no, no, no, no, "no divisor"},
		{1, 1, -1, no, no, no, no, "a negative divisor"},
		{1, 1, 1, answer{1, true}, answer{1, true}, answer{1, true}, answer{0, true}, "the least of all"},
	} {
		var got [4]answer
		got[0].q, got[0].ok = MulDivFloor(row.a, row.b, row.c)
		got[1].q, got[1].ok = MulDivCeil(row.a, row.b, row.c)
		got[2].q, got[2].ok = MulDivNearest(row.a, row.b, row.c)
		_, got[3].q, got[3].ok = MulDivMod(row.a, row.b, row.c)
		require.Equal(t, [4]answer{row.floor, row.ceil, row.near, row.rem}, got, "%d x %d / %d: %s", row.a, row.b, row.c, row.why)
	}
	// The floor fits and what is rounded up does not: (2^64 - 1) / 2, as three factors.
	floor, ok := MulDivFloor(6148914691236517205, 3, 2)
	require.True(t, ok)
	require.Equal(t, int64(most), floor)
	_, ok = MulDivCeil(6148914691236517205, 3, 2)
	require.False(t, ok)
	near, ok := MulDivNearest(6148914691236517205, 3, 2)
	require.True(t, ok, "a tie goes to the lower, which fits")
	require.Equal(t, int64(most), near)
	_, ok = MulDivNearest(1<<62, 1<<62+1, 1<<61) // above 2^63
	require.False(t, ok)
	// (5 x 5534023222112865485) / 3 = 9223372036854775808.33, and 5 x 5534023222112865484 / 3 = most - 1/3
	floor, ok = MulDivFloor(5, 5534023222112865484, 3)
	require.True(t, ok)
	require.Equal(t, int64(most)-1, floor, "9223372036854775806.67")
	near, ok = MulDivNearest(5, 5534023222112865484, 3)
	require.True(t, ok)
	require.Equal(t, int64(most), near, "up to the largest")
}

func TestCompare(t *testing.T) {
	for _, row := range []struct {
		a, b, c, d int64
		want       int
		why        string
	}{
		{1, 1, 1, 1, 0, "equal"},
		{2, 3, 6, 1, 0, "equal products"},
		{2, 3, 7, 1, -1, "below"},
		{2, 3, 5, 1, 1, "above"},
		{0, most, 0, 1, 0, "nothing is nothing"},
		{0, 1, 1, 1, -1, "nothing is below"},
		{most, most, most, most, 0, "126 bits"},
		{most, most, most, most - 1, 1, "the lower half decides"},
		{most, most - 1, most, most, -1, "the lower half decides"},
		{1 << 40, 1 << 40, 1 << 41, 1 << 40, -1, "the upper half decides"},
		{1 << 41, 1 << 40, 1 << 40, 1 << 40, 1, "the upper half decides"},
		{1 << 32, 1 << 32, most, 1, 1, "an upper half against none"},
		{most, 1, 1 << 32, 1 << 32, -1, "an upper half against none, the lower half greater"},
		{-1, 5, 0, 5, 0, "a negative factor counts as 0"},
		{5, -1, 5, 0, 0, "a negative factor counts as 0"},
		{0, 5, -1, 5, 0, "a negative factor counts as 0"},
		{5, 0, 5, -1, 0, "a negative factor counts as 0"},
		{-1, 5, 1, 1, -1, "and is below"},
		{least, least, 1, 1, -1, "two of them as well"},
	} {
		require.Equal(t, row.want, Compare(row.a, row.b, row.c, row.d), "%d x %d, %d x %d: %s", row.a, row.b, row.c, row.d, row.why)
	}
}

func TestCeilTo(t *testing.T) {
	for _, row := range []struct {
		v, step, want int64
		ok            bool
		why           string
	}{
		{0, 1, 0, true, "0 is a multiple"},
		{0, 10, 0, true, "0 is a multiple"},
		{1, 10, 10, true, "up"},
		{10, 10, 10, true, "on the step"},
		{11, 10, 20, true, "up"},
		{7, 1, 7, true, "every number is on the step of 1"},
		{most, 1, most, true, "the largest"},
		{most, 2, 0, false, "beyond"},
		{most - 1, 2, most - 1, true, "the largest even number"},
		{1, most, most, true, "the largest step"},
		{2, 1 << 62, 1 << 62, true, "a large step"},
		{1<<62 + 1, 1 << 62, 0, false, "2^63"},
		{-1, 10, 0, false, "negative"},
		{1, 0, 0, false, "no step"},
		{1, -1, 0, false, "a negative step"},
	} {
		got, ok := CeilTo(row.v, row.step)
		require.Equal(t, row.ok, ok, "%d to %d: %s", row.v, row.step, row.why)
		require.Equal(t, row.want, got, "%d to %d: %s", row.v, row.step, row.why)
	}
}

// TestMilliAroundTheEnds: the three ways in which an amount is read, each at its first and last number.
func TestMilliAroundTheEnds(t *testing.T) {
	for _, row := range []struct {
		text     string
		up, down int64
		err      error
		why      string
	}{
		{"9199999999999999.9995", 9200000000000000000, 9199999999999999999, nil, "the last below the coarse check"},
		{"9200000000000000", 9200000000000000000, 9200000000000000000, nil, "the first at it"},
		{"9200000000000000.0005", 9200000000000000001, 9200000000000000000, nil, "just above it"},
		{"9223372036854774.9991", 9223372036854775000, 9223372036854774999, nil, "the last below the whole unit"},
		{"9223372036854775.0001", 9223372036854775001, 9223372036854775000, nil, "the first above the last whole unit"},
		{"9223372036854775.001", 9223372036854775001, 9223372036854775001, nil, "a whole thousandth above it"},
		{"9223372036854775.8069999", most, most - 1, nil, "the last that rounds to the largest"},
		{"9223372036854775.8070001", 0, 0, ErrRange, "the first that does not"},
		{"18400000000000000", 0, 0, ErrRange, "twice the coarse check"},
		{"18400000000000001", 0, 0, ErrRange, "above it"},
		{"-9223372036854775808", 0, 0, ErrNegative, "the least int64"},
	} {
		q := resource.MustParse(row.text)
		up, err := Milli(q)
		require.ErrorIs(t, err, row.err, row.why)
		require.Equal(t, row.up, up, row.why)
		down, err := FloorMilli(q)
		require.ErrorIs(t, err, row.err, row.why)
		require.Equal(t, row.down, down, row.why)
	}
	zero, err := Milli(resource.Quantity{})
	require.NoError(t, err)
	require.Zero(t, zero)
}

// TestQuantityFormats: what decides between binary and decimal text.
func TestQuantityFormats(t *testing.T) {
	for _, row := range []struct {
		milli  int64
		format resource.Format
		want   string
		why    string
	}{
		{1024_000, resource.BinarySI, "1Ki", "the least binary amount"},
		{1023_000, resource.BinarySI, "1023", "not a multiple of 1024"},
		{1025_000, resource.BinarySI, "1025", "not a multiple of 1024"},
		{1000, resource.BinarySI, "1", "one byte"},
		{1001, resource.BinarySI, "1001m", "a fraction of a byte"},
		{1024, resource.BinarySI, "1024m", "1024 thousandths are a fraction"},
		{1024_000, resource.DecimalSI, "1024", "a decimal amount stays decimal"},
		{-1000, resource.DecimalSI, "-1", "a negative amount is printed, not refused"},
		{most, resource.DecimalSI, "9223372036854775807m", "the largest"},
		{1001, resource.DecimalExponent, "1001e-3", "an exponent stays one"},
		{1, "", "1m", "no format is decimal"},
	} {
		q := Quantity(row.milli, row.format)
		require.Equal(t, row.want, q.String(), row.why)
	}
}
