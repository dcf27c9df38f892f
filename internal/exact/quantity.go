package exact

import (
	"errors"
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

// ErrNegative says that an amount is below zero.
var ErrNegative = errors.New("must not be negative")

// ErrRange says that an amount in thousandths is not an int64.
var ErrRange = errors.New("must be below 9223372036854775.808, so that its thousandths fit in 64 bits")

// safe is a bound below which float64 and int64 agree that an amount's thousandths fit: 9.2e15 x 1000 < 2^63, whatever the rounding.
const safe = 9.2e15

// Milli returns q in thousandths, rounded up as the API server and the HPA round (MilliValue): 1n is 1, 0.1m is 1, 1000001n is 2.
// Special cases: [ErrNegative] below zero, [ErrRange] where the thousandths are not an int64 (upstream wraps silently there: 1Ei is -2^63).
// q is not written to.
func Milli(q resource.Quantity) (int64, error) { return milli(q, true) }

// FloorMilli is [Milli] rounded down: 0.1m is 0. It is for limits, which a request must never pass.
func FloorMilli(q resource.Quantity) (int64, error) { return milli(q, false) }

func milli(q resource.Quantity, up bool) (int64, error) {
	switch q.Sign() {
	case 0:
		return 0, nil
	case -1:
		return 0, ErrNegative
	}
	// q is this function's copy, but a decimal inside it is shared with the caller. Sign, AsApproximateFloat64 and MilliValue only read it.
	if f := q.AsApproximateFloat64(); f < safe {
		m := q.MilliValue()
		if !up && below(q, m) {
			m--
		}
		return m, nil
	} else if f > 2*safe || math.IsNaN(f) {
		return 0, ErrRange // also keeps a monstrous exponent out of the comparison below
	}
	if q.Cmp(*resource.NewQuantity(math.MaxInt64/1000, resource.DecimalSI)) > 0 {
		return exactMilli(q, up)
	}
	m := q.MilliValue()
	if !up && below(q, m) {
		m--
	}
	return m, nil
}

// exactMilli decides the last thousandths below 2^63, where MilliValue can wrap.
func exactMilli(q resource.Quantity, up bool) (int64, error) {
	top := resource.NewMilliQuantity(math.MaxInt64, resource.DecimalSI)
	switch c := q.Cmp(*top); {
	case c == 0:
		return math.MaxInt64, nil
	case c > 0:
		return 0, ErrRange
	}
	// q is between MaxInt64/1000 and MaxInt64 thousandths: count down from the top, fewer than 1000 steps.
	for m := int64(math.MaxInt64); ; m-- {
		c := q.Cmp(*resource.NewMilliQuantity(m, resource.DecimalSI))
		if c == 0 || (c > 0 && !up) {
			return m, nil
		}
		if c > 0 {
			return m + 1, nil
		}
	}
}

// below says whether q is smaller than m thousandths, that is, whether rounding up has moved it.
func below(q resource.Quantity, m int64) bool {
	return q.Cmp(*resource.NewMilliQuantity(m, resource.DecimalSI)) < 0
}

// Quantity returns m thousandths as a quantity whose text is canonical: reading it back and printing it again gives the same text, which
// matters because the API server compares quantities as text. Format BinarySI is kept for whole multiples of 1024 only, since "1000000000"
// is stored as 1G; an exponent stays one (1e3). The empty format is DecimalSI.
func Quantity(m int64, format resource.Format) resource.Quantity {
	if format == "" {
		format = resource.DecimalSI
	}
	if format == resource.BinarySI && (m%1000 != 0 || m/1000%1024 != 0) {
		format = resource.DecimalSI
	}
	if m%1000 != 0 {
		return *resource.NewMilliQuantity(m, format)
	}
	return *resource.NewQuantity(m/1000, format)
}
