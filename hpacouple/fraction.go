package hpacouple

import (
	"math/big"
	"math/bits"
	"strconv"
)

// Fraction is an exact non-negative rational number as text in lowest terms: "500/7", or "50" where it is whole. Empty means that there is
// no number.
type Fraction string

// fraction returns a x b / c in lowest terms; empty where c < 1 or a factor is negative.
func fraction(a, b, c int64) Fraction {
	if a < 0 || b < 0 || c < 1 {
		return ""
	}
	g := gcd(a, c)
	a, c = a/g, c/g
	g = gcd(b, c)
	b, c = b/g, c/g
	var num string
	if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 {
		num = strconv.FormatUint(lo, 10)
	} else {
		num = new(big.Int).Mul(big.NewInt(a), big.NewInt(b)).String()
	}
	if c == 1 {
		return Fraction(num)
	}
	return Fraction(num + "/" + strconv.FormatInt(c, 10))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
