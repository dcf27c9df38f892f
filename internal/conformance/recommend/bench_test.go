package recommend_test

import (
	"testing"
	"time"

	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// minutes is 8 days of samples, one per minute: a daily cycle with noise, millicores and bytes.
const minutes = 8 * 24 * 60

func diurnal(i int) (milli, bytes int64) {
	swing := 720 - max(720-i%1440, i%1440-720)
	return int64(100 + swing*900/720 + (i*7919+13)%101), int64(400_000_000 + swing*(300_000_000/720) + (i*104729)%1000*20000)
}

type point struct {
	at           time.Time
	milli, bytes int64
}

func points() []point {
	all := make([]point, minutes)
	for i := range all {
		all[i].at = noon.Add(time.Duration(i) * time.Minute)
		all[i].milli, all[i].bytes = diurnal(i)
	}
	return all
}

// Each side runs the whole job once: 11 520 cpu and 11 520 memory samples, then the recommendation. The samples exist
// already; the real side's are told apart by what they hold, so that it need not make one per call.

func realSide(_ *testing.B, all []point) (cpu, memory int64) {
	state := model.NewAggregateContainerState()
	container := model.NewContainerState(nil, state)
	cpuSample := &model.ContainerUsageSample{Resource: model.ResourceCPU}
	memorySample := &model.ContainerUsageSample{Resource: model.ResourceMemory}
	for i := range all {
		p := &all[i]
		cpuSample.MeasureStart, cpuSample.Usage = p.at, model.ResourceAmount(p.milli)
		memorySample.MeasureStart, memorySample.Usage = p.at, model.ResourceAmount(p.bytes)
		container.AddSample(cpuSample)
		container.AddSample(memorySample)
	}
	r := logic.CreatePodResourceRecommender(vpaConfig()).GetRecommendedPodResources(model.ContainerNameToAggregateStateMap{"a": state})
	return int64(r["a"].Target[model.ResourceCPU]), int64(r["a"].Target[model.ResourceMemory])
}

func mySide(b *testing.B, all []point) (cpu, memory int64) {
	cpuUse, _ := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
	peaks, _ := usage.NewHistogram(usage.VPAMemory, 24*time.Hour)
	rule := usage.VPAPeakRule()
	var instance usage.Instance
	for i := range all {
		p := &all[i]
		if usage.AddCPU(cpuUse, &instance, p.at, float64(p.milli)/1000) != nil || rule.Add(peaks, &instance, p.at, p.bytes) != nil {
			b.Fatal("refused")
		}
	}
	r, errs := recommend.Workload(recommend.Input{Usage: []recommend.ContainerUsage{
		{Name: "a", CPU: cpuUse, MemoryPeaks: usage.Peaks{Of: peaks, Interval: 24 * time.Hour}}}}, recommend.VPA())
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	return r.Containers[0].CPU.Request, r.Containers[0].Memory.Request
}

func BenchmarkEightDays(b *testing.B) {
	defaults().use()
	all := points()
	wantCPU, wantMemory := realSide(b, all)
	for _, side := range []struct {
		name string
		run  func(*testing.B, []point) (int64, int64)
	}{{"vpa", realSide}, {"rightsize", mySide}} {
		b.Run(side.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if cpu, memory := side.run(b, all); cpu != wantCPU || memory != wantMemory {
					b.Fatal("results differ")
				}
			}
		})
	}
}

// BenchmarkAdd adds one cpu sample with decay to the aggregate of one container. The loop alone is in both times.
func BenchmarkAdd(b *testing.B) {
	defaults().use()
	all := points()
	b.Run("loop", func(b *testing.B) {
		var sum int64
		for i := range b.N {
			p := &all[i%minutes]
			sum += p.milli + int64(p.at.Nanosecond())
		}
		if sum == 0 {
			b.Fatal("nothing was read")
		}
	})
	b.Run("vpa", func(b *testing.B) {
		state := model.NewAggregateContainerState()
		sample := &model.ContainerUsageSample{Resource: model.ResourceCPU}
		b.ReportAllocs()
		for i := range b.N {
			p := &all[i%minutes]
			sample.MeasureStart, sample.Usage = p.at, model.ResourceAmount(p.milli)
			state.AddSample(sample)
		}
	})
	b.Run("rightsize", func(b *testing.B) {
		h, _ := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
		b.ReportAllocs()
		for i := range b.N {
			p := &all[i%minutes]
			if h.Add(p.at, float64(p.milli)/1000, usage.VPASampleWeight) != nil {
				b.Fatal("refused")
			}
		}
	})
}
