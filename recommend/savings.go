package recommend

import (
	"math/big"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/internal/exact"
)

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

// Add returns s with what one pod requests less of a resource after a change. The difference is rounded down to whole millicores or bytes, so that savings
// are never overstated: half a byte less is nothing, half a byte more is one more. Other resources than cpu and memory, and amounts whose thousandths
// pass int64, add nothing. The quantities are not written to.
func (s Savings) Add(name corev1.ResourceName, from, to resource.Quantity) Savings {
	more, less, sign, round := from.DeepCopy(), to.DeepCopy(), int64(1), exact.FloorMilli
	if more.Cmp(less) < 0 {
		more, less, sign, round = less, more, -1, exact.Milli
	}
	more.Sub(less)
	m, err := round(more)
	switch {
	case err != nil:
	case name == corev1.ResourceCPU:
		s.CPUMilli += sign * m
	case name == corev1.ResourceMemory && sign > 0:
		s.MemoryBytes += m / 1000
	case name == corev1.ResourceMemory:
		s.MemoryBytes -= m/1000 + min(m%1000, 1)
	}
	return s
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
