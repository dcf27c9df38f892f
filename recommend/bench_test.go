package recommend_test

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

var fleet = flag.Bool("fleet", false, "benchmark the fleet of 10 000 containers")

// BenchmarkFleet takes 8 days of minutes for each of n containers, cpu and memory, and recommends for each of them. Time and
// held memory per container do not depend on n.
func BenchmarkFleet(b *testing.B) {
	const minutes = 8 * 24 * 60
	for _, n := range []int{10, 100, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			if n > 100 && !*fleet {
				b.Skip("takes seconds; -fleet runs it")
			}
			for range b.N {
				began := time.Now()
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				type container struct {
					cpu, peaks *usage.Histogram
					instance   usage.Instance
				}
				fleet := make([]container, n)
				rule := usage.VPAPeakRule()
				for i := range fleet {
					c := &fleet[i]
					c.cpu, _ = usage.NewHistogram(usage.VPACPU, 24*time.Hour)
					c.peaks, _ = usage.NewHistogram(usage.VPAMemory, 24*time.Hour)
					for m := range minutes {
						at := monday.Add(time.Duration(m) * time.Minute)
						swing := float64(720 - max(720-m%1440, m%1440-720))
						if usage.AddCPU(c.cpu, &c.instance, at, 0.1+swing/800) != nil || rule.Add(c.peaks, &c.instance, at, 400_000_000+int64(swing)*400_000) != nil {
							b.Fatal("refused")
						}
					}
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				for i := range fleet {
					r, errs := recommend.Workload(recommend.Input{Usage: []recommend.ContainerUsage{{Name: "a", CPU: fleet[i].cpu,
						MemoryPeaks: usage.Peaks{Of: fleet[i].peaks, Interval: 24 * time.Hour}}}}, recommend.VPA())
					if len(errs) > 0 || r.Containers[0].CPU.Outcome != recommend.Recommended {
						b.Fatal(errs)
					}
				}
				b.ReportMetric(float64(time.Since(began).Microseconds())/float64(n), "µs/container")
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B-held/container")
				runtime.KeepAlive(fleet)
			}
		})
	}
}

func BenchmarkWorkload(b *testing.B) {
	cpu, _ := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
	peaks, _ := usage.NewHistogram(usage.VPAMemory, 24*time.Hour)
	_ = cpu.Add(monday, 0.3, usage.VPASampleWeight)
	_ = peaks.Add(monday, 3e8, 1)
	in := recommend.Input{Usage: []recommend.ContainerUsage{{Name: "a", CPU: cpu, MemoryPeaks: usage.Peaks{Of: peaks, Interval: 24 * time.Hour}}}}
	s := recommend.VPA()
	b.ReportAllocs()
	for range b.N {
		if _, errs := recommend.Workload(in, s); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}
