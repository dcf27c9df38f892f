package recommend

import "math/big"

// savings returns what falls away: present minus recommended. A resource without a present request, or without a
// recommendation, saves nothing.
func savings(c *Container, p Prices, replicas int32) Savings {
	var s Savings
	for _, a := range []struct {
		amounts *Amounts
		into    *int64
	}{{&c.CPU, &s.CPUMilli}, {&c.Memory, &s.MemoryBytes}} {
		if a.amounts.Outcome == Recommended && a.amounts.Present != nil {
			*a.into = *a.amounts.Present - a.amounts.Request
		}
	}
	return s.At(p, replicas)
}

// At returns the savings with PerHour for these prices and replicas. Negative replicas count as none.
func (s Savings) At(p Prices, replicas int32) Savings {
	s.PerHour = perHour(s, p, max(replicas, 0))
	return s
}

// perHour returns, in thousand-millionths of a currency unit for all replicas,
//
//	floor(replicas x (millicores x cpu price + bytes x memory price x 1000 / 2^30)).
func perHour(s Savings, p Prices, replicas int32) *int64 {
	if p == (Prices{}) {
		return nil
	}
	product := func(factors ...int64) *big.Int {
		n := big.NewInt(1)
		for _, f := range factors {
			n.Mul(n, big.NewInt(f))
		}
		return n
	}
	sum := product(s.CPUMilli, p.CPU, 1<<30)
	sum.Add(sum, product(s.MemoryBytes, p.Memory, 1000))
	sum.Mul(sum, big.NewInt(int64(replicas)))
	sum.Div(sum, big.NewInt(1<<30)) // Euclidean with a positive divisor: rounds down
	if !sum.IsInt64() {
		return nil
	}
	n := sum.Int64()
	return &n
}
