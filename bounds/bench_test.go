package bounds_test

import (
	"strconv"
	"testing"

	"github.com/kube-rightsize/rightsize/bounds"
)

func BenchmarkTarget(b *testing.B) {
	b.ReportAllocs()
	var sum int32
	for b.Loop() {
		t, _ := bounds.Target(50, 1000, 700)
		sum += t
	}
	if sum == 0 {
		b.Fatal("no target")
	}
}

func BenchmarkFit(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		items := make([]bounds.Item, n)
		for i := range items {
			items[i] = bounds.Item{Name: strconv.Itoa(i), Present: 1000, Settled: 100 + int64(i), Limit: -1, Step: 1}
		}
		settled := int64(0)
		for _, it := range items {
			settled += it.Settled
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if f, ok := bounds.Fit(50, int64(n)*1000, settled, items, bounds.DefaultTarget()); !ok || f.Acted == "" {
					b.Fatal(f)
				}
			}
		})
	}
}
