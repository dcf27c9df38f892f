package replicas

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

// milli is a quantity in thousandths, rounded away from zero as upstream does, saturated at the ends of int64.
func milli(q resource.Quantity) (v int64, out bool) {
	if q.Sign() >= 0 {
		v, err := exact.Milli(q)
		if err != nil {
			return math.MaxInt64, true
		}
		return v, false
	}
	positive := q.DeepCopy()
	positive.Neg()
	v, err := exact.Milli(positive)
	if err != nil {
		// The approximation keeps monstrous exponents out of the comparison.
		lowest := q.AsApproximateFloat64() > -1e16 && q.Cmp(*resource.NewMilliQuantity(math.MinInt64, resource.DecimalSI)) == 0
		return math.MinInt64, !lowest
	}
	return -v, false
}

// wrappedMilli is a quantity in thousandths as upstream's integers on amd64 have it, in and out of range: MilliValue,
// of which one conversion beyond int64 is written out, because Go leaves it to the machine. Upstream:
// apimachinery, pkg/api/resource, Quantity.ScaledValue and scaledValue.
func wrappedMilli(q resource.Quantity) int64 {
	c := q
	d := c.AsDec() // converts an amount of 64 bits, and leaves a decimal as it is
	decimal := c == q
	power := 3 - int64(d.Scale())
	switch {
	case decimal && power >= 19:
		// The number times 10^power, of which the latter has become the smallest int64.
		return d.UnscaledBig().Int64() << 63
	case power > math.MaxInt32:
		return 0 // no API server stores it, and MilliValue would take it for a small number
	}
	return q.MilliValue()
}
