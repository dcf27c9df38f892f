package rightsizetest_test

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/usage"
)

// draws is from how many seeds the examples draw.
const draws = 200

// All that is drawn can be planned, and every outcome comes up: a property that holds for these has met them all.
func ExampleInputs() {
	planned, seen := 0, map[hpacouple.Outcome]bool{}
	inputs := rightsizetest.Inputs()
	for seed := range draws {
		plan, errs := hpacouple.Plan(inputs.Example(seed))
		if len(errs) == 0 {
			planned++
		}
		seen[plan.Outcome] = true
	}
	fmt.Println(planned, "planned;", len(seen) == len(hpacouple.Outcomes()))
	// Output:
	// 200 planned; true
}

// With a state every standing comes up as well.
func ExampleStatefulInputs() {
	seen := map[hpacouple.Standing]bool{}
	inputs := rightsizetest.StatefulInputs()
	for seed := range draws {
		plan, _ := hpacouple.Plan(inputs.Example(seed))
		seen[plan.Standing] = true
	}
	fmt.Println(!slices.ContainsFunc(hpacouple.Standings(), func(s hpacouple.Standing) bool { return !seen[s] }))
	// Output:
	// true
}

// An input of one's own kind from the parts: here each workload is told that it was OOM-killed.
func ExampleTemplates() {
	templates, hpas := rightsizetest.Templates(), rightsizetest.HPAs()
	planned, held, lower := 0, 0, 0
	for seed := range draws {
		in := hpacouple.Input{Workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"},
			Pod: metrics.Pod{Spec: templates.Example(seed)}, HPA: hpas.Example(seed)}
		in.Recommendations = rightsizetest.Recommendations(in.Pod.Spec).Example(seed)
		for i := range in.Recommendations {
			in.Recommendations[i].OOMKilled, in.Recommendations[i].Limits = true, nil
		}
		in.State = rightsizetest.States(in).Example(seed)
		plan, errs := hpacouple.Plan(in)
		if len(errs) == 0 {
			planned++
		}
		for _, c := range plan.Containers {
			if c.BoundBy == bounds.RuleLock {
				held++
			}
			if c.Resource == corev1.ResourceMemory && c.Changes() && c.From != nil && c.To.Cmp(*c.From) < 0 {
				lower++
			}
		}
	}
	fmt.Println(planned > draws/2, held > 0, lower)
	// Output:
	// true true 0
}

// Changes come with what they were made of, and with the objects that they are to be written to. Planning again after the write changes nothing.
func ExampleChanges() {
	same := 0
	for seed := range draws {
		p := rightsizetest.Changes().Example(seed)
		after := rightsizetest.WriteInMemory(p.Objects(), p.Change)
		in := p.Input
		in.Pod.Spec, in.HPA, in.State = after.Template, after.HPA, after.State
		again, _ := hpacouple.Plan(in)
		if !slices.ContainsFunc(again.Containers, hpacouple.ContainerPlan.Changes) {
			same++
		}
	}
	fmt.Println(same)
	// Output:
	// 200
}

// What the types allow and no cluster holds: there is an answer to all of it, and no panic.
func ExampleHostileInputs() {
	answered := 0
	for seed := range draws {
		plan, errs := hpacouple.Plan(rightsizetest.HostileInputs().Example(seed))
		if plan.Outcome.Valid() || len(errs) > 0 {
			answered++
		}
		rightsizetest.HostileChanges().Example(seed).Validate()
	}
	fmt.Println(answered)
	// Output:
	// 200
}

// The hostile parts stand for themselves too.
func ExampleHostileTemplates() {
	answered := 0
	for seed := range draws {
		in := hpacouple.Input{Pod: metrics.Pod{Spec: rightsizetest.HostileTemplates().Example(seed)}, HPA: rightsizetest.HostileHPAs().Example(seed),
			Recommendations: rightsizetest.HostileRecommendations().Example(seed), State: rightsizetest.HostileStates().Example(seed)}
		if plan, errs := hpacouple.Plan(in); plan.Outcome.Valid() || len(errs) > 0 {
			answered++
		}
	}
	fmt.Println(answered)
	// Output:
	// 200
}

// Series are views in the order in which the points came, and answer as slowly and plainly as they can.
func ExampleSeries() {
	at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	s := rightsizetest.Series{{Time: at.Add(time.Minute), Value: 0.4}, {Time: at, Value: 0.1}}
	fmt.Println(s.Values(), s.Count(), s.Last().Sub(s.First()))
	fmt.Println(s.Quantile(0.5))
	fmt.Println(s.Max())
	_, ok := rightsizetest.Series{}.Max()
	fmt.Println(ok)
	// Output:
	// [0.4 0.1] 2 1m0s
	// 0.1 true
	// 0.4 true
	// false
}

// What a window keeps of a series lies in the window, whatever is drawn for both.
func ExampleSeriesOf() {
	within := func(points []usage.Point, w usage.Window) bool {
		clean, _ := usage.Clean(points, w)
		return !slices.ContainsFunc(clean, func(p usage.Point) bool { return !w.Contains(p.Time) })
	}
	kept := 0
	for seed := range draws {
		ordinary, window := rightsizetest.SeriesOf(4).Example(seed), rightsizetest.Windows().Example(seed)
		hostile, absurd := rightsizetest.HostileSeries().Example(seed), rightsizetest.HostileWindows().Example(seed)
		if within(ordinary, window) && within(hostile, absurd) {
			kept++
		}
	}
	fmt.Println(kept)
	// Output:
	// 200
}

// A quantile of values that were drawn lies among them; of hostile ones there may be none.
func ExampleValues() {
	quantile, among := rightsizetest.UsageQuantile(usage.Lower), 0
	for seed := range draws {
		values := rightsizetest.Values().Example(seed)
		if v, ok := quantile(values, 0.9); ok && slices.Contains(values, v) {
			among++
		}
		quantile(rightsizetest.HostileValues().Example(seed), 0.9)
	}
	fmt.Println(among)
	// Output:
	// 200
}

// Every pass that can be ends within its bounds; of those that cannot be, none panics.
func ExamplePasses() {
	within := 0
	for seed := range draws {
		p := rightsizetest.Passes().Example(seed)
		if n := rightsizetest.Step(p); p.Min <= n && n <= p.Max {
			within++
		}
		rightsizetest.Step(rightsizetest.HostilePasses().Example(seed))
	}
	fmt.Println(within)
	// Output:
	// 200
}

// A workload with its usage, a valid strategy, and policies for two containers.
func ExampleUsageInputs() {
	taken, valid, most := 0, 0, 0
	for seed := range draws {
		in, s := rightsizetest.UsageInputs().Example(seed), rightsizetest.Strategies().Example(seed)
		if _, errs := recommend.Workload(in, s); len(errs) == 0 {
			taken++
		}
		if len(s.Validate(nil)) == 0 && rightsizetest.DescribeUsage(in, s) != "" {
			valid++
		}
		most = max(most, len(rightsizetest.Policies("app", "side").Example(seed)))
	}
	fmt.Println(taken > draws/2, valid, most)
	// Output:
	// true 200 2
}

// Of hostile usage, strategies and policies something is said, and nothing panics.
func ExampleHostileUsageInputs() {
	answered := 0
	for seed := range draws {
		in := rightsizetest.HostileUsageInputs().Example(seed)
		in.Policies = rightsizetest.HostilePolicies().Example(seed)
		r, errs := recommend.Workload(in, rightsizetest.HostileStrategies().Example(seed))
		if len(r.Containers) > 0 || len(errs) > 0 || len(in.Usage) == 0 {
			answered++
		}
	}
	fmt.Println(answered)
	// Output:
	// 200
}
