package rightsizetest_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/usage"
)

func ExampleLaw_Sentence() {
	fmt.Println(rightsizetest.LawH8, rightsizetest.LawH8.Sentence())
	fmt.Println(rightsizetest.LawR9, rightsizetest.LawR9.Sentence())
	// Output:
	// H8 planning again changes nothing
	// R9 no data is no recommendation, and no recommendation is no number
}

// one container of 1 core at 50 %, for which 700m is recommended.
func one() hpacouple.Input {
	target := int32(50)
	hpa := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 10,
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
			Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}}}}
	return hpacouple.Input{
		Workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		Pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{{Name: "app",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}}}}},
		HPA:             hpa,
		Recommendations: []hpacouple.Recommendation{{Container: "app", Requests: corev1.ResourceList{"cpu": resource.MustParse("700m")}}},
	}
}

func ExampleDescribe() {
	fmt.Println(rightsizetest.Describe(one()))
	// Output:
	//   Deployment /web, at maxReplicas: false
	//   HPA: Resource cpu 50 %
	//   container app: requests {"cpu":"1"} limits -
	//   recommended for app: requests {"cpu":"700m"} limits - keep ratio [] unset [] throttled false OOM-killed false
}

func ExampleApply() {
	plan, _ := hpacouple.Plan(one())
	fmt.Println(rightsizetest.Describe(rightsizetest.Apply(one(), plan)))
	// Output:
	//   Deployment /web, at maxReplicas: false
	//   HPA: Resource cpu 71 %
	//   container app: requests {"cpu":"700m"} limits -
	//   recommended for app: requests {"cpu":"700m"} limits - keep ratio [] unset [] throttled false OOM-killed false
}

func ExampleWriteInMemory() {
	in := one()
	plan, _ := hpacouple.Plan(in)
	change, _ := hpacouple.ChangeOf(plan)
	after := rightsizetest.WriteInMemory(rightsizetest.Objects{Template: in.Pod.Spec, HPA: in.HPA}, change)
	fmt.Println(after.Template.Containers[0].Resources.Requests.Cpu(), *after.HPA.Spec.Metrics[0].Resource.Target.AverageUtilization)
	back := rightsizetest.WriteInMemory(after, change.Reverse())
	fmt.Println(back.Template.Containers[0].Resources.Requests.Cpu(), *back.HPA.Spec.Metrics[0].Resource.Target.AverageUtilization)
	// Output:
	// 700m 71
	// 1 50
}

func ExampleTrueQuantile() {
	values := []float64{0.4, 0.1, 0.3, 0.2}
	for _, method := range usage.Methods() {
		v, _ := rightsizetest.TrueQuantile(values, nil, big.NewRat(9, 10), method).Float64()
		fmt.Println(method, v)
	}
	v, _ := rightsizetest.TrueQuantile(values, []int64{1, 97, 1, 1}, big.NewRat(9, 10), usage.NearestRank).Float64()
	fmt.Println("by weight", v)
	// Output:
	// nearest-rank 0.4
	// lower 0.3
	// linear 0.37
	// by weight 0.1
}

// A recommender that knows nothing of this module's types, and its test.
func ExampleFormula() {
	median := func(n rightsizetest.Need) (rightsizetest.Advice, bool) {
		v, ok := rightsizetest.Series(n.Points).Quantile(0.5)
		request := max(int64(v*1000), n.Minimum)
		return rightsizetest.Advice{Lower: request, Request: request, Upper: request}, ok
	}
	_ = func(t *testing.T) {
		rightsizetest.CheckRecommend(t, rightsizetest.Formula(median).Recommender(), rightsizetest.LawR1, rightsizetest.LawR9)
	}
	at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	fmt.Println(median(rightsizetest.Need{Resource: corev1.ResourceCPU, Points: []usage.Point{{Time: at, Value: 0.25}}}))
	fmt.Println(median(rightsizetest.Need{Resource: corev1.ResourceCPU}))
	// Output:
	// {250 250 250} true
	// {0 0 0} false
}

// Four pods at 80 % of a 60 % target want 6.
func ExampleStep() {
	pods := make([]rightsizetest.PodUse, 4)
	for i := range pods {
		pods[i] = rightsizetest.PodUse{Request: 1000, Usage: 800}
	}
	fmt.Println(rightsizetest.Step(rightsizetest.Pass{Target: 60, Pods: pods, Min: 1, Max: 10}))
	// Output: 6
}
