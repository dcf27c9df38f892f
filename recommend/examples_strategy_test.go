package recommend_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/recommend"
)

// A strategy of one's own starts from a ready one; what cannot be is told by its path.
func ExampleStrategy_Validate() {
	s := recommend.Peak()
	s.Name, s.CPU.Target = "careful", recommend.At(990_000)
	fmt.Println(s.Validate(nil))
	s.CPU.Lower = recommend.At(999_000)
	s.MinSpan = metav1.Duration{Duration: 30 * 24 * time.Hour}
	for _, err := range s.Validate(field.NewPath("strategy")) {
		fmt.Println(err)
	}
	fmt.Println(len(recommend.Strategy{}.Validate(nil)) > 0) // the zero value is no strategy
	// Output:
	// []
	// strategy.cpu.lower: Invalid value: "quantile 0.999": must not be above target
	// strategy.minSpan: Invalid value: "720h0m0s": must be within 0 and the window
	// true
}

// What has to be asked of a time-series database: VPA's memory is the quantiles of daily peaks, and cpu those of plain samples.
func ExampleStrategy_Needs() {
	needs := recommend.VPA().Needs()
	for _, r := range []recommend.ResourceNeeds{needs.CPU, needs.Memory} {
		fmt.Println(r.Resource, r.From, r.Interval.Duration, r.Quantiles, r.Max)
	}
	fmt.Println(needs.Window.Duration, needs.Span)
	// Output:
	// cpu samples 0s [500000 900000 950000] true
	// memory peaks 24h0m0s [500000 900000 950000] true
	// 192h0m0s true
}

// The texts for one Deployment, and the way back: what was answered becomes the input of a recommendation.
func ExampleStrategy_Queries() {
	s := recommend.Peak()
	queries, errs := s.Queries(recommend.Series{Namespace: "shop", Pods: "web-[a-z0-9]+-[a-z0-9]{5}"})
	fmt.Println(len(queries), errs)
	var answers []recommend.Answer
	for _, q := range queries {
		switch {
		case q.Measure == recommend.MeasureQuantile && q.Resource == "cpu" && q.Quantile == 950_000:
			fmt.Println(q.Text)
			answers = append(answers, recommend.Answer{Query: q, Container: "app", Value: 0.4})
		case q.Measure == recommend.MeasureQuantile && q.Resource == "cpu":
			answers = append(answers, recommend.Answer{Query: q, Container: "app", Value: 0.1})
		case q.Measure == recommend.MeasureMax && q.Resource == "cpu":
			answers = append(answers, recommend.Answer{Query: q, Container: "app", Value: 0.7})
		case q.Measure == recommend.MeasureOOMKills: // increase() answers no whole numbers
			answers = append(answers, recommend.Answer{Query: q, Container: "app", Value: 0.4})
		}
	}
	told, errs := s.FromAnswers(answers)
	app := told.Usage[0]
	fmt.Println(app.Name, errs)
	fmt.Println(app.CPU.Quantile(recommend.PPM(950_000).Float()))
	fmt.Println(app.CPU.Max())
	fmt.Println(app.Events.OOMKills[0].Times)
	// Output:
	// 12 []
	// max by (container) (quantile_over_time(0.95, max by (pod, container) (rate(container_cpu_usage_seconds_total{namespace="shop",pod=~"web-[a-z0-9]+-[a-z0-9]{5}",container!="",container!="POD"}[5m]))[14d:5m]))
	// app []
	// 0.4 true
	// 0.7 true
	// 1
}

// Strategies are written without floats; a share of up to six places is exact, and its float is the one that a literal gives.
func ExamplePPM_Float() {
	fmt.Println(recommend.PPM(950_000).Float() == 0.95, recommend.Whole.Float(), recommend.PPM(150_000))
	// Output: true 1 150000
}

// The steps that did nothing are part of the explanation, and a short one leaves them out.
func ExampleStep_Acted() {
	raised := recommend.Step{Stage: recommend.StageMinimum, Cause: recommend.FromStrategy, Value: 25,
		Before: recommend.Triple{Lower: 5, Request: 10, Upper: 40}, After: recommend.Triple{Lower: 25, Request: 25, Upper: 40}}
	kept := raised
	kept.Before = kept.After
	fmt.Println(raised, raised.Acted())
	fmt.Println(kept, kept.Acted())
	// Output:
	// minimum (strategy 25): 10 -> 25 true
	// minimum (strategy 25): keeps 25 false
}

// An amount as the API writes it: whole millicores, whole bytes.
func ExampleQuantity() {
	for i, name := range recommend.Resources() {
		q := recommend.Quantity(name, []int64{1500, 268435456}[i])
		fmt.Println(name, q.String())
	}
	// Output:
	// cpu 1500m
	// memory 256Mi
}

// A limit of its own for every container makes a pod Guaranteed. When one request falls below its limit the class changes, and running pods
// cannot be resized in place.
func ExampleQoSChange() {
	amounts := corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("1Gi")}
	old := &corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{Limits: amounts}}}}
	now := old.DeepCopy()
	now.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("700m")}
	q := recommend.QoSChange(old, now)
	fmt.Println(q.From, q.To, q.InPlaceRefused)
	fmt.Println(recommend.QoSClass(&corev1.PodSpec{Containers: []corev1.Container{{Name: "app"}}}))
	// Output:
	// Guaranteed Burstable true
	// BestEffort
}

// Savings can be priced again for other prices: 300m and half a GiB less for each of four replicas.
func ExampleSavings_At() {
	s := recommend.Savings{CPUMilli: 300, MemoryBytes: 512 << 20}
	perHour := s.At(recommend.Prices{CPU: 30_000, Memory: 4_000}, 4).PerHour // 0.03 for a core, 0.004 for a GiB
	fmt.Println(*perHour)                                                    // thousand-millionths
	fmt.Println(s.At(recommend.Prices{}, 4).PerHour)                         // no prices: not known, which is not nothing
	// Output:
	// 44000000
	// <nil>
}
