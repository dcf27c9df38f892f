package replicas

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
)

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
		{quantity: resource.Quantity{}, want: 0, why: "nothing"},
	} {
		before := row.quantity.DeepCopy()
		v, out := milli(row.quantity)
		require.Equal(t, row.want, v, row.why)
		require.Equal(t, row.out, out, row.why)
		require.Equal(t, before, row.quantity, "read only")
	}
}
