package rightsizetest_test

import (
	"fmt"
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/usage"
)

// says runs a check that is meant to fail, and returns the first line of what it prints; the numbers and the smallest input follow there.
func says(check func(rightsizetest.TB)) string {
	_, text := record(new(testing.T), check)
	return regexp.MustCompile(`law \w+ is broken: .*`).FindString(text)
}

// A planner that changes requests alone: the HPA would scale at another load.
func ExampleCheckPlanLaw() {
	half := func(in hpacouple.Input) (hpacouple.Result, error) {
		r, errs := hpacouple.Plan(in)
		for i := range r.Targets {
			r.Targets[i].To = r.Targets[i].From
		}
		return r, errs.ToAggregate()
	}
	fmt.Println(says(func(t rightsizetest.TB) { rightsizetest.CheckPlanLaw(t, half, rightsizetest.LawH1) }))
	// Output:
	// law H1 is broken: where no bound holds the target, 2 |R'T' - RT| <= R'
}

// The same of four numbers.
func ExampleCheckSumsLaw() {
	half := func(_ int64, oldTarget int32, recommended int64) (int64, int32) { return recommended, oldTarget }
	fmt.Println(says(func(t rightsizetest.TB) {
		rightsizetest.CheckSumsLaw(t, half, rightsizetest.SumBounds{MinUtilization: 30, MaxUtilization: 95, Step: 10}, rightsizetest.LawH1)
	}))
	// Output:
	// law H1 is broken: where no bound holds the target, 2 |R'T' - RT| <= R'
}

// A controller that writes one half and is happy.
func ExampleCheckChangeLaw() {
	half := func(live rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) {
		c.Targets = nil
		return rightsizetest.WriteInMemory(live, c), nil
	}
	fmt.Println(says(func(t rightsizetest.TB) { rightsizetest.CheckChangeLaw(t, half, rightsizetest.LawA2) }))
	// Output:
	// law A2 is broken: both halves are written, and nothing else
}

// An agent that carries out whatever is planned.
func ExampleCheckAdmitLaw() {
	always := func(hpacouple.Result, hpacouple.Admission) (bool, error) { return true, nil }
	fmt.Println(says(func(t rightsizetest.TB) { rightsizetest.CheckAdmitLaw(t, always, rightsizetest.LawA5) }))
	// Output:
	// law A5 is broken: nothing is coordinated unless the policy says so, and no target leaves the policy's bounds
}

// A release that takes the values with it: an apply of nothing by the only owner deletes the requests.
func ExampleCheckReleaseLaw() {
	write := func(live rightsizetest.Objects, c hpacouple.Change) (rightsizetest.Objects, error) {
		return rightsizetest.WriteInMemory(live, c), nil
	}
	drop := func(live rightsizetest.Objects) (rightsizetest.Objects, error) {
		for i := range live.Template.Containers {
			live.Template.Containers[i].Resources = corev1.ResourceRequirements{}
		}
		return live, nil
	}
	fmt.Println(says(func(t rightsizetest.TB) { rightsizetest.CheckReleaseLaw(t, write, drop, rightsizetest.LawA10) }))
	// Output:
	// law A10 is broken: a release changes no value
}

// A recommender that takes no data for no need.
func ExampleCheckRecommendLaw() {
	zero := rightsizetest.Recommender(func(in recommend.Input, s recommend.Strategy) (recommend.Result, error) {
		r, errs := recommend.Workload(in, s)
		for i := range r.Containers {
			if cpu := &r.Containers[i].CPU; cpu.Reason == recommend.NoData {
				cpu.Outcome, cpu.Reason, cpu.Request = recommend.Recommended, "", 1
			}
		}
		return r, errs.ToAggregate()
	})
	fmt.Println(says(func(t rightsizetest.TB) { rightsizetest.CheckRecommendLaw(t, zero, rightsizetest.LawR9) }))
	// Output:
	// law R9 is broken: no data is no recommendation, and no recommendation is no number
}

// A simulation that forgets maxReplicas.
func ExampleCheckReplicasLaw() {
	open := func(p rightsizetest.Pass) int32 { return rightsizetest.Step(p) + p.Max }
	fmt.Println(says(func(t rightsizetest.TB) { rightsizetest.CheckReplicasLaw(t, open, rightsizetest.LawN2) }))
	// Output:
	// law N2 is broken: a pass ends within minReplicas and maxReplicas
}

// Two definitions of a quantile are two functions.
func ExampleCheckQuantileLaw() {
	fmt.Println(says(func(t rightsizetest.TB) {
		rightsizetest.CheckQuantileLaw(t, rightsizetest.UsageQuantile(usage.Linear), usage.NearestRank, rightsizetest.LawQ2)
	}))
	// Output:
	// law Q2 is broken: |answer - true| <= e x true + a
}

// A histogram whose merge does nothing; without Encode and Decode one law less can be asked.
func ExampleCheckHistogramLaw() {
	h := rightsizetest.UsageHistogram(usage.Fine, 0)
	h.Merge = func(_, _ *usage.Histogram) error { return nil }
	fmt.Println(says(func(t rightsizetest.TB) { rightsizetest.CheckHistogramLaw(t, h, rightsizetest.LawM3) }))
	fmt.Println(len(h.Laws()))
	h.Encode = nil
	fmt.Println(len(h.Laws()))
	// Output:
	// law M3 is broken: merging is adding, and an empty one adds nothing
	// 8
	// 7
}
