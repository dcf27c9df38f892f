package usage_test

import (
	"fmt"
	"time"

	"github.com/kube-rightsize/rightsize/usage"
)

// A kill of unknown time counts in every window: leaving it out would be the dangerous side.
func ExampleEvents_In() {
	events := usage.Events{OOMKills: []usage.OOMKill{
		{Time: monday.Add(time.Hour), Request: 200 << 20},
		{Time: monday.AddDate(0, 0, -30), Request: 100 << 20},
		{Request: 150 << 20},
	}}
	for _, kill := range events.In(usage.Last(monday.AddDate(0, 0, 1), 24*time.Hour)).OOMKills {
		fmt.Println(kill.Request>>20, kill.Time.IsZero())
	}
	// Output:
	// 150 true
	// 200 false
}

// The HPA stood at its maximum for one of three hours: what was used then says nothing of what was wanted. When maxReplicas was raised at
// two, five replicas were no longer the maximum.
func ExampleReplicasOver() {
	at := func(h int) time.Time { return monday.Add(time.Duration(h) * time.Hour) }
	counts := []usage.Point{{Time: at(0), Value: 3}, {Time: at(1), Value: 5}, {Time: at(2), Value: 5}}
	limits := []usage.MaxReplicas{{From: at(0), Value: 5}, {From: at(2), Value: 10}}
	r, _ := usage.ReplicasOver(counts, limits, usage.Window{End: at(3)})
	share, ok := r.Share()
	fmt.Printf("largest %d, reached %v, %s of %s at the maximum, %.2f %v\n", r.Largest, r.Reached, r.AtMax, r.Known, share, ok)
	r, _ = usage.ReplicasOver(counts, nil, usage.Window{End: at(3)})
	_, ok = r.Share() // nothing is known of maxReplicas
	fmt.Println(r.Largest, r.Reached, ok)
	// Output:
	// largest 5, reached true, 1h0m0s of 3h0m0s at the maximum, 0.33 true
	// 5 false false
}

// One peak for each day, and a kill raises the day's: max(300 MiB + 100 MiB, 300 MiB x 1.2).
func ExamplePeakRule_OOM() {
	rule := usage.VPAPeakRule()
	memory, _ := usage.NewHistogram(usage.VPAMemory, 24*time.Hour)
	var instance usage.Instance
	for i, mib := range []int64{200, 300, 250} {
		_ = rule.Add(memory, &instance, monday.Add(time.Duration(i)*time.Hour), mib<<20)
	}
	largest, _ := memory.Max()
	fmt.Println(memory.Count(), largest/(1<<20))

	fmt.Println(rule.OOM(memory, &instance, monday.Add(3*time.Hour), 256<<20))
	largest, _ = memory.Max()
	fmt.Println(memory.Count(), largest/(1<<20), rule.Needed(300<<20)>>20)
	fmt.Println(rule.Needed(1<<30)>>20, "MiB") // from 500 MiB on the ratio is more than 100 MiB

	fmt.Println(rule.OOM(memory, &instance, monday.AddDate(0, 0, -2), 256<<20))
	// Output:
	// 1 300
	// <nil>
	// 1 400 400
	// 1228 MiB
	// usage: OOM kill is more than one interval older than the newest sample
}

// A sample that comes twice counts once: it is refused and changes nothing.
func ExampleAddCPU() {
	cpu, _ := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
	var instance usage.Instance
	fmt.Println(usage.AddCPU(cpu, &instance, monday, 0.25))
	fmt.Println(usage.AddCPU(cpu, &instance, monday, 0.25))
	fmt.Println(cpu.Count(), cpu.Total())
	// Output:
	// <nil>
	// usage: sample is not newer than the last one
	// 1 0.1
}

// The largest value of each interval, at its own time; intervals are counted from the first point and not from midnight.
func ExamplePeakPoints() {
	for _, p := range usage.PeakPoints(minutes(1, 3, 2, 5, 4), 2*time.Minute) {
		fmt.Println(p.Time.Format(time.TimeOnly), p.Value)
	}
	// Output:
	// 00:01:00 3
	// 00:03:00 5
	// 00:04:00 4
}
