package replicas

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
)

// decimal is unscaled * 10^exponent, kept as a decimal of any size.
func decimal(unscaled int64, exponent int32) resource.Quantity {
	q := resource.NewQuantity(unscaled, resource.DecimalSI)
	d := q.AsDec()    // converts q in place
	switch exponent { // the type of a scale has no name here
	case 16:
		d.SetScale(-16)
	case 2_000_000_000:
		d.SetScale(-2_000_000_000)
	case math.MaxInt32:
		d.SetScale(-math.MaxInt32)
	}
	return *q
}

// TestWrappedMilli: what upstream reads beyond int64. The conformance tests draw more.
func TestWrappedMilli(t *testing.T) {
	for _, row := range []struct {
		quantity resource.Quantity
		want     int64
		why      string
	}{
		{quantity: resource.MustParse("1500u"), want: 2, why: "in range"},
		{quantity: resource.MustParse("-1500u"), want: -2, why: "in range, below zero"},
		{quantity: resource.MustParse("10P"), want: 0, why: "an amount of 64 bits becomes 0"},
		{quantity: resource.MustParse("1e17"), want: 0, why: "the same"},
		{quantity: decimal(10_000_000_000_000_001, 0), want: -8446744073709550616, why: "a decimal wraps around"},
		{quantity: decimal(3, 16), want: math.MinInt64, why: "3e16 as a decimal: 10^19 becomes the smallest int64, times an odd number"},
		{quantity: decimal(2, 16), want: 0, why: "times an even one"},
		{quantity: decimal(1, 2_000_000_000), want: math.MinInt64, why: "a monstrous exponent"},
		{quantity: decimal(1, math.MaxInt32), want: math.MinInt64, why: "one that MilliValue does not return from"},
	} {
		before := row.quantity.DeepCopy()
		require.Equal(t, row.want, wrappedMilli(row.quantity), row.why)
		require.Equal(t, before, row.quantity, "read only")
	}
}

func TestMilli(t *testing.T) {
	for _, row := range []struct {
		quantity resource.Quantity
		want     int64
		out      bool
		why      string
	}{
		{quantity: resource.MustParse("1n"), want: 1, why: "rounded up"},
		{quantity: resource.MustParse("-1500u"), want: -2, why: "rounded away from zero"},
		{quantity: resource.MustParse("1.1Gi"), want: 1181116006400, why: "a fraction of a byte"},
		{quantity: *resource.NewMilliQuantity(math.MaxInt64, resource.DecimalSI), want: math.MaxInt64, why: "the largest"},
		{quantity: *resource.NewMilliQuantity(-math.MaxInt64, resource.DecimalSI), want: -math.MaxInt64, why: "the next but one to the smallest"},
		{quantity: *resource.NewMilliQuantity(math.MinInt64, resource.DecimalSI), want: math.MinInt64, why: "the smallest"},
		{quantity: *resource.NewQuantity(math.MaxInt64, resource.DecimalSI), want: math.MaxInt64, out: true, why: "beyond"},
		{quantity: *resource.NewQuantity(math.MinInt64, resource.DecimalSI), want: math.MinInt64, out: true, why: "beyond, below zero"},
		{quantity: decimal(1, 2_000_000_000), want: math.MaxInt64, out: true, why: "a monstrous exponent"},
		{quantity: decimal(-1, 2_000_000_000), want: math.MinInt64, out: true, why: "one below zero"},
		{quantity: resource.Quantity{}, want: 0, why: "nothing"},
	} {
		before := row.quantity.DeepCopy()
		v, out := milli(row.quantity)
		require.Equal(t, row.want, v, row.why)
		require.Equal(t, row.out, out, row.why)
		require.Equal(t, before, row.quantity, "read only")
	}
}
