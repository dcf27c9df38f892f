package recommend_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/recommend"
)

// What is added is the floor of the exact difference, by big rationals.
func TestSavingsAdd(t *testing.T) {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		for _, texts := range [][2]string{{"1", "400m"}, {"400m", "1"}, {"1", "1"}, {"0.5m", "0.5m"}, {"1100000u", "100u"}, {"100u", "1100000u"}, {"1n", "0"}, {"0", "1n"},
			{"1181116006400m", "1181116006"}, {"1181116006", "1181116006400m"}, {"1181116006400m", "1Gi"}, {"9e15", "1m"}, {"1m", "9e15"}} {
			from, to := resource.MustParse(texts[0]), resource.MustParse(texts[1])
			s := recommend.Savings{CPUMilli: 7, MemoryBytes: 7}.Add(name, from, to)
			exact := func(q resource.Quantity) *big.Rat {
				r, ok := new(big.Rat).SetString(q.AsDec().String())
				require.True(t, ok)
				return r
			}
			d := new(big.Rat).Sub(exact(from), exact(to))
			got, other := s.MemoryBytes, s.CPUMilli
			if name == corev1.ResourceCPU {
				d.Mul(d, big.NewRat(1000, 1))
				got, other = s.CPUMilli, s.MemoryBytes
			}
			require.Equal(t, new(big.Int).Div(d.Num(), d.Denom()).Int64(), got-7, "%s of %s", name, texts)
			require.Equal(t, int64(7), other)
		}
	}
	require.Zero(t, recommend.Savings{}.Add("nvidia.com/gpu", resource.MustParse("2"), resource.MustParse("1")), "another resource")
	require.Zero(t, recommend.Savings{}.Add("cpu", resource.MustParse("1e18"), resource.MustParse("1")), "beyond int64")
}

// A saving is never overstated: half a byte less is nothing.
func ExampleSavings_Add() {
	s := recommend.Savings{}.Add("cpu", resource.MustParse("1"), resource.MustParse("700m"))
	s = s.Add("memory", resource.MustParse("1073741823500m"), resource.MustParse("512Mi"))
	s = s.At(recommend.Prices{CPU: 30_000}, 10)
	fmt.Println(s.CPUMilli, "millicores,", s.MemoryBytes, "bytes,", *s.PerHour, "thousand-millionths of the currency an hour")
	// Output: 300 millicores, 536870911 bytes, 90000000 thousand-millionths of the currency an hour
}
