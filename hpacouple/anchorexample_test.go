package hpacouple_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// A controller keeps the state in an annotation. However many changes follow, each target is computed from what the user chose, 1000m at 50.
func ExampleState() {
	in := input(50, box{name: "app", request: "1000m"})
	annotation := "" // nothing is stored yet
	for _, to := range []string{"700m", "900m", "700m", "1000m"} {
		in.State = &hpacouple.State{}
		if annotation != "" {
			if err := json.Unmarshal([]byte(annotation), in.State); err != nil {
				fmt.Println(err)
				return
			}
		}
		in.Recommendations = []hpacouple.Recommendation{{Container: "app", Requests: cpuList(to)}}
		plan, errs := hpacouple.Plan(in)
		if len(errs) > 0 {
			fmt.Println(errs)
			return
		}
		text, _ := json.Marshal(plan.State)
		annotation = string(text) // stored before the first write
		fmt.Println(plan.Standing, plan.Containers[0].To, plan.Targets[0].To)
		in = apply(in, plan)
	}
	fmt.Println(annotation)
	// Output:
	// begun 700m 71
	// applied 900m 56
	// applied 700m 71
	// applied 1 50
	// {"version":"v1","resource":"cpu","anchor":{"target":50,"requests":[{"container":"app","request":"1"}]},"applied":{"target":71,"requests":[{"container":"app","request":"700m"}]},"previous":[{"target":56,"requests":[{"container":"app","request":"900m"}]}],"pending":{"target":50,"requests":[{"container":"app","request":"1"}]}}
}

// kubectl rollout undo takes the requests back and leaves the target: half a change.
func ExampleStanding() {
	in := input(50, box{"app", "1000m", "", "700m", ""})
	in.State = &hpacouple.State{}
	plan, _ := hpacouple.Plan(in)
	in = apply(in, plan)
	in.State = plan.State
	plan, _ = hpacouple.Plan(in)
	fmt.Println(plan.Standing, plan.Outcome)

	in.State = plan.State
	in.Pod.Spec.Containers[0].Resources.Requests = cpuList("1000m")
	plan, _ = hpacouple.Plan(in)
	fmt.Println(plan.Standing, plan.Outcome, plan.Containers[0].To, plan.Targets[0].To)
	fmt.Println("flags:", plan.RiskFlags)
	// Output:
	// applied NoChange
	// half-reverted Coordinate 700m 71
	// flags: [hpa-coupled ownership-unknown half-change target-uncomfortable]
}

func ExampleResult_Condition() {
	in := input(50, box{"app", "1000m", "", "700m", ""})
	in.MaxReplicasReached = true
	plan, _ := hpacouple.Plan(in)
	c := plan.Condition(3, metav1.NewTime(time.Unix(0, 0)))
	fmt.Println(c.Type, c.Status, c.Reason, c.ObservedGeneration)
	fmt.Println(c.Message)
	// Output:
	// Planned False MaxReplicasReached 3
	// max-replicas-reached: The HPA was at maxReplicas in the recommendation window, so what was measured is not what the workload wanted.
}

func ExampleVerdict_Condition() {
	verdict := hpacouple.Verdict{Allowed: true}
	c := verdict.Condition(3, metav1.NewTime(time.Unix(0, 0)))
	fmt.Println(c.Type, c.Status, c.Reason)
	// Output: Admitted True Allowed
}

func ExampleConditionReasons() {
	fmt.Println(hpacouple.ConditionReasons(hpacouple.ConditionAdmitted))
	// Output: [Allowed HPACoupled Unknown]
}

// The labels of a counter are registered with all their values, so that a dashboard shows zero instead of nothing.
func ExampleResult_LabelValues() {
	plan, _ := hpacouple.Plan(input(50, box{"app", "1000m", "", "700m", ""}))
	for i, l := range hpacouple.PlanLabels() {
		fmt.Println(l.Name, plan.LabelValues()[i], "of", l.Values)
	}
	// Output:
	// outcome Coordinate of [Uncoupled Skip NoChange Coordinate]
	// skip_reason none of [max-replicas-reached unsupported-metrics missing-request target-out-of-bounds none]
	// cause none of [limit lock reach init-containers none]
	// standing none of [begun anchor applied half-applied half-reverted edited none]
}

func ExampleResult_LogValue() {
	plan, _ := hpacouple.Plan(input(50, box{"app", "1000m", "", "1000m", ""}))
	slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{} // for the example alone
		}
		return a
	}})).Info("planned", "plan", plan)
	// Output: level=INFO msg=planned plan.workload.kind=Deployment plan.workload.namespace=default plan.workload.name=web plan.outcome=NoChange plan.hpa=web plan.cpu.hpa=web plan.cpu.container="" plan.cpu.targetFrom=50 plan.cpu.targetTo=50 plan.cpu.targetExact=50 plan.requestSum.from=1000 plan.requestSum.to=1000 plan.requestSum.boundBy="" plan.riskFlags="[hpa-coupled ownership-unknown]"
}
