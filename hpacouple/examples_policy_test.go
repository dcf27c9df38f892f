package hpacouple_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/recommend"
)

// Off is the default, and bounds alone switch nothing on. A side that is not given is open.
func ExamplePolicy() {
	most := int32(85)
	p := hpacouple.Policy{Spec: hpacouple.PolicySpec{HPA: &hpacouple.HPAPolicy{TargetBounds: &hpacouple.TargetBounds{MaxUtilization: &most}}}}
	fmt.Println(hpacouple.Policy{}.Coordinates(), p.Coordinates())
	p.Spec.HPA.Coordinate = true
	fmt.Println(p.Coordinates(), p.Allows(1), p.Allows(85), p.Allows(86))

	least := int32(90)
	p.Spec.HPA.TargetBounds.MinUtilization = &least
	fmt.Println(p.Validate())
	// Output:
	// false false
	// true true true false
	// [spec.hpa.targetBounds.maxUtilization: Invalid value: 85: must be at least minUtilization]
}

// What an agent writes down for an applied change is what its event says.
func ExampleChange_Records() {
	in := input(50, box{"app", "1000m", "", "700m", ""})
	in.Workload.APIVersion = "apps/v1"
	plan, _ := hpacouple.Plan(in)
	change, _ := hpacouple.ChangeOf(plan)
	for _, r := range change.Records() {
		fmt.Println(r.HPA, r.Resource, r.TargetFrom, r.TargetTo)
	}
	details := change.Events()[0].Details.Annotations()
	fmt.Println(details["hpa"], details["hpaResource"], details["hpaTargetFrom"], details["hpaTargetTo"])
	fmt.Println(change.Validate() == nil)
	change.Targets[0].To = 0 // a target of nothing would have the HPA divide by it
	fmt.Println(change.Validate()[0].Field)
	// Output:
	// web cpu 50 71
	// web cpu 50 71
	// true
	// targets[0].to
}

// The labels of a metric are known before there is a value: their number is the product of the lists, whatever the cluster holds.
func ExampleAdmissionLabels() {
	series := 1
	for _, l := range hpacouple.AdmissionLabels() {
		fmt.Println(l.Name, len(l.Values))
		series *= len(l.Values)
	}
	fmt.Println(series, "series at most")
	in := input(50, box{"app", "1000m", "", "700m", ""})
	plan, _ := hpacouple.Plan(in)
	verdict, _ := hpacouple.Admit(plan, hpacouple.Admission{Live: hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA}})
	fmt.Println(verdict.LabelValues())
	fmt.Println(hpacouple.RiskLabels()[0].Name, hpacouple.RiskLabels()[0].Values[0])
	// Output:
	// allowed 2
	// reason 2
	// cause 6
	// 24 series at most
	// [false HPACoupled coordination-off]
	// flag hpa-coupled
}

// Of the rows of a plan only those whose request moves are a change; 1 and 1000m are the same request.
func ExampleContainerPlan_Changes() {
	plan, _ := hpacouple.Plan(input(50, box{"app", "1000m", "", "700m", ""}, box{name: "proxy", request: "100m"}))
	for _, c := range plan.Containers {
		fmt.Println(c.Name, c.From, c.To, c.Changes())
	}
	one, same := resource.MustParse("1"), resource.MustParse("1000m")
	fmt.Println(hpacouple.ContainerPlan{From: &one, To: &same}.Changes(), hpacouple.ContainerPlan{To: &one}.Changes())
	// Output:
	// app 1 700m true
	// proxy 100m 100m false
	// false true
}

// Two standings say that requests and target in force do not belong together; somebody has to look at them.
func ExampleStanding_Half() {
	for _, s := range hpacouple.Standings() {
		fmt.Println(s, s.Half())
	}
	// Output:
	// begun false
	// anchor false
	// applied false
	// half-applied true
	// half-reverted true
	// edited false
}

// The empty state begins; one that was damaged on its way is refused with a path, and no plan is made from it.
func ExampleState_Validate() {
	fmt.Println((&hpacouple.State{}).Empty(), (&hpacouple.State{}).Validate(nil) == nil)
	in := input(50, box{"app", "1000m", "", "700m", ""})
	in.State = &hpacouple.State{}
	plan, _ := hpacouple.Plan(in)
	stored := plan.State
	fmt.Println(stored.Empty(), stored.Validate(nil) == nil)
	stored.Anchor.Target = 0
	fmt.Println(stored.Validate(nil)[0].Field)
	// Output:
	// true true
	// false true
	// anchor.target
}

// A limit that keeps its ratio becomes a rule and not an amount: where the plan holds the request, it holds the limit too.
func ExampleRecommendationFor() {
	from, to := int64(2000), int64(1400)
	app := recommend.Container{Name: "app",
		CPU: recommend.Amounts{Resource: "cpu", Outcome: recommend.Recommended, Request: 700,
			Limit: recommend.Limit{Mode: recommend.KeepRatio, From: &from, To: &to}},
		Memory: recommend.Amounts{Resource: "memory", Outcome: recommend.None, Reason: recommend.NoData},
		Facts:  recommend.Facts{OOMKilled: true}}
	r, ok := hpacouple.RecommendationFor(app)
	fmt.Println(ok, len(r.Requests), r.Requests.Cpu(), r.KeepRatio, len(r.Limits), r.OOMKilled)
	_, ok = hpacouple.RecommendationFor(recommend.Container{Name: "proxy"}) // nothing to say
	fmt.Println(ok)
	// Output:
	// true 1 700m [cpu] 0 true
	// false
}
