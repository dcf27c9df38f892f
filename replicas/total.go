package replicas

import (
	"math"
	"math/big"
	"math/bits"
)

// total is a sum of int64 in 128 bits, so that no number of pods overflows it.
type total struct {
	hi int64
	lo uint64
}

func (t *total) add(v int64) {
	lo, carry := bits.Add64(t.lo, uint64(v), 0)
	t.lo = lo
	t.hi += v>>63 + int64(carry)
}

func (t *total) join(o total) {
	lo, carry := bits.Add64(t.lo, o.lo, 0)
	t.lo = lo
	t.hi += o.hi + int64(carry)
}

// wrapped is the sum as int64 arithmetic would have it.
func (t total) wrapped() int64 { return int64(t.lo) }

// narrow is the sum, and whether it fits.
func (t total) narrow() (int64, bool) {
	v := int64(t.lo)
	return v, t.hi == v>>63
}

func (t total) exact() *big.Int {
	x := new(big.Int).Lsh(big.NewInt(t.hi), 64)
	return x.Add(x, new(big.Int).SetUint64(t.lo))
}

// times is v * m / 100 in 128 bits, truncated towards zero; m is not negative.
func times(v, m int64) total {
	abs := uint64(v)
	if v < 0 {
		abs = -abs
	}
	hi, lo := bits.Mul64(abs, uint64(m))
	q, rest := hi/100, hi%100
	lo, _ = bits.Div64(rest, lo, 100)
	if v < 0 {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		return total{hi: -int64(q) - int64(borrow), lo: lo}
	}
	return total{hi: int64(q), lo: lo}
}

// percent is usage * 100 / request, truncated towards zero; request is not zero. It saturates at the ends of int64,
// where every proposal saturates as well. Upstream: metrics/utilization.go, GetResourceUtilizationRatio.
func percent(usage, request total, out *OutOfRange) int64 {
	u, uFits := usage.narrow()
	r, rFits := request.narrow()
	const edge = math.MaxInt64 / 100
	if uFits && rFits && u <= edge && u >= -edge {
		p := u * 100 / r
		out.Utilization = out.Utilization || int64(int32(p)) != p
		return p
	}
	out.Sum = true
	x := usage.exact()
	x.Mul(x, big.NewInt(100))
	p := saturate(x.Quo(x, request.exact()))
	out.Utilization = out.Utilization || int64(int32(p)) != p
	return p
}

// wrappedPercent is percent in upstream's types: products wrap, and the result is cut to 32 bits. The wrapped
// request is not zero.
func wrappedPercent(usage, request total) int64 {
	return int64(int32(usage.wrapped() * 100 / request.wrapped()))
}

// mean is sum / n, truncated towards zero; n is positive.
func mean(sum total, n int64, out *OutOfRange) int64 {
	v, fits := sum.narrow()
	if fits {
		return v / n
	}
	out.Sum = true
	x := sum.exact()
	return saturate(x.Quo(x, big.NewInt(n)))
}

func saturate(x *big.Int) int64 {
	switch {
	case x.IsInt64():
		return x.Int64()
	case x.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}
