// Package exact holds the integers of the decision path: products and quotients over 128 bits, and the only doors out of resource.Quantity.
//
// Everything is counted in thousandths ("milli") as int64, because that is the unit in which the HPA divides: millicores for cpu,
// milli-bytes for memory. Functions return ok = false, or an error, where the true result is not an int64; they never wrap and never clamp.
package exact

import "math/bits"

// Add returns a + b; ok is false where the sum is not an int64.
func Add(a, b int64) (sum int64, ok bool) {
	sum = a + b
	if (a > 0 && b > 0 && sum <= 0) || (a < 0 && b < 0 && sum >= 0) {
		return 0, false
	}
	return sum, true
}

// MulDivFloor returns floor(a x b / c) with a 128-bit product.
// Special cases: ok is false for a negative a or b, for c <= 0, and where the quotient is not an int64.
func MulDivFloor(a, b, c int64) (q int64, ok bool) {
	q, _, ok = MulDivMod(a, b, c)
	return q, ok
}

// MulDivCeil returns ceil(a x b / c) with a 128-bit product. Special cases as in [MulDivFloor].
func MulDivCeil(a, b, c int64) (q int64, ok bool) {
	q, r, ok := MulDivMod(a, b, c)
	if !ok {
		return 0, false
	}
	if r == 0 {
		return q, true
	}
	return Add(q, 1)
}

// MulDivNearest returns a x b / c rounded to the nearest integer, a tie to the lower, with a 128-bit product.
// Special cases as in [MulDivFloor].
func MulDivNearest(a, b, c int64) (q int64, ok bool) {
	q, r, ok := MulDivMod(a, b, c)
	if !ok {
		return 0, false
	}
	// r < c, so c-r does not wrap; 2r > c if and only if r > c-r.
	if r > c-r {
		return Add(q, 1)
	}
	return q, true
}

// MulDivMod returns the floor q and the remainder r of a x b / c with a 128-bit product, 0 <= r < c. Special cases as in [MulDivFloor].
func MulDivMod(a, b, c int64) (q, r int64, ok bool) {
	if a < 0 || b < 0 || c <= 0 {
		return 0, 0, false
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) { // the quotient needs more than 64 bits
		return 0, 0, false
	}
	uq, ur := bits.Div64(hi, lo, uint64(c))
	if uq > 1<<63-1 {
		return 0, 0, false
	}
	return int64(uq), int64(ur), true
}

// Compare compares the products a x b and c x d, each over 128 bits: -1, 0 or 1. All four must not be negative; a negative factor counts as 0.
func Compare(a, b, c, d int64) int {
	h1, l1 := bits.Mul64(uint64(max(a, 0)), uint64(max(b, 0)))
	h2, l2 := bits.Mul64(uint64(max(c, 0)), uint64(max(d, 0)))
	switch {
	case h1 < h2 || (h1 == h2 && l1 < l2):
		return -1
	case h1 == h2 && l1 == l2:
		return 0
	}
	return 1
}

// CeilTo returns the smallest multiple of step that is not below v. Special cases: ok is false for v < 0, step < 1, and beyond int64.
func CeilTo(v, step int64) (int64, bool) {
	if v < 0 || step < 1 {
		return 0, false
	}
	if r := v % step; r != 0 {
		return Add(v, step-r)
	}
	return v, true
}
