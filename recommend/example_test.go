package recommend_test

import (
	"fmt"
	"time"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// What VPA recommends for a container that uses 250 millicores for 8 days: the end of their bucket, 258, plus 15 %, each truncated.
func ExampleWorkload() {
	cpu, err := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
	if err != nil {
		fmt.Println(err)
		return
	}
	var instance usage.Instance
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for i := range 8 * 24 * 60 {
		if err := usage.AddCPU(cpu, &instance, start.Add(time.Duration(i)*time.Minute), 0.25); err != nil {
			fmt.Println(err)
			return
		}
	}
	result, errs := recommend.Workload(recommend.Input{Usage: []recommend.ContainerUsage{{Name: "app", CPU: cpu}}}, recommend.VPA())
	if len(errs) > 0 {
		fmt.Println(errs.ToAggregate())
		return
	}
	app := result.Containers[0]
	fmt.Printf("%dm, between %dm and %dm\n", app.CPU.Request, app.CPU.Lower, app.CPU.Upper)
	for _, step := range app.CPU.Steps {
		fmt.Println(step)
	}
	fmt.Println("memory:", app.Memory.Outcome, app.Memory.Reason)
	// Output:
	// 296m, between 295m and 333m
	// quantile (samples 900000): 0 -> 258
	// margin (strategy 150000): 258 -> 296
	// confidence (history-length 7999): keeps 296
	// minimum (strategy 25): keeps 296
	// memory: none no-data
}
