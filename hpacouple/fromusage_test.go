package hpacouple_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/skipreason"
	"github.com/kube-rightsize/rightsize/usage"
)

// shopInput is a Deployment with one container that requests 1 core and 1Gi, and an HPA at 50 % cpu.
func shopInput() hpacouple.Input {
	target := int32(50)
	return hpacouple.Input{
		Workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
		Pod: metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi")}}}}}},
		HPA: &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			MaxReplicas:    10,
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
				Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}},
		}},
	}
}

// steady is a container that used the same for two days of minutes.
func steady(cores, bytes float64) recommend.ContainerUsage {
	start := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	var cpu, memory []usage.Point
	for i := range 2 * 24 * 60 {
		at := start.Add(time.Duration(i) * time.Minute)
		cpu, memory = append(cpu, usage.Point{Time: at, Value: cores}), append(memory, usage.Point{Time: at, Value: bytes})
	}
	c, _, _ := usage.NewSamples(cpu, usage.Window{}, usage.NearestRank)
	m, _, _ := usage.NewSamples(memory, usage.Window{}, usage.NearestRank)
	return recommend.ContainerUsage{Name: "app", CPU: c, Memory: m}
}

// From what was measured to requests and target that keep the scaling as it is.
func ExampleFromUsage() {
	plan, errs := hpacouple.FromUsage(shopInput(), hpacouple.Measured{
		Strategy:   recommend.Peak(),
		Containers: []recommend.ContainerUsage{steady(0.6, 500<<20)},
		Count:      4,
		Prices:     recommend.Prices{CPU: 30_000, Memory: 4_000}, // millionths of a currency unit per core-hour and GiB-hour
	})
	if len(errs) > 0 {
		fmt.Println(errs.ToAggregate())
		return
	}
	fmt.Println(plan.Plan.Outcome)
	for _, c := range plan.Plan.Containers {
		fmt.Println(c.Name, c.Resource, c.From, "->", c.To)
	}
	for _, t := range plan.Plan.Targets {
		fmt.Printf("target %d%% -> %d%%\n", t.From, t.To)
	}
	for _, step := range plan.Recommendation.Containers[0].Memory.Steps {
		fmt.Println(step)
	}
	fmt.Printf("saves %.2f per hour\n", float64(*plan.Planned.PerHour)/1e9)
	// Output:
	// Coordinate
	// app cpu 1 -> 600m
	// app memory 1Gi -> 575Mi
	// target 50% -> 83%
	// quantile (samples 1000000): 0 -> 524288000
	// margin (strategy 150000): 524288000 -> 602931200
	// minimum (strategy 1048576): keeps 602931200
	// rounding (strategy 1048576): keeps 602931200
	// saves 0.06 per hour
}

func TestFromUsage(t *testing.T) {
	peak := hpacouple.Measured{Strategy: recommend.Peak(), Containers: []recommend.ContainerUsage{steady(0.6, 500<<20)}, Count: 4}
	for _, c := range []struct {
		why    string
		change func(*hpacouple.Input, *hpacouple.Measured)
		want   hpacouple.Outcome
		skip   skipreason.Skip
		flag   skipreason.RiskFlag
		same   bool // requests stay
	}{
		{why: "the plain case", want: hpacouple.Coordinate},
		{why: "maxReplicas was reached in the window", want: hpacouple.Skip, skip: skipreason.MaxReplicasReached, same: true,
			change: func(_ *hpacouple.Input, m *hpacouple.Measured) { m.Replicas.Reached = true }},
		{why: "no usage: nothing changes", want: hpacouple.NoChange, same: true,
			change: func(_ *hpacouple.Input, m *hpacouple.Measured) { m.Containers = nil }},
		{why: "an empty history: nothing changes", want: hpacouple.NoChange, same: true,
			change: func(_ *hpacouple.Input, m *hpacouple.Measured) {
				m.Containers = []recommend.ContainerUsage{{Name: "app", CPU: new(usage.Histogram)}}
			}},
		{why: "a throttled container does not fall", want: hpacouple.Coordinate, flag: skipreason.FlagThrottled,
			change: func(_ *hpacouple.Input, m *hpacouple.Measured) {
				throttled := 0.4
				u := steady(0.6, 500<<20)
				u.Events.Throttled = &throttled
				m.Containers = []recommend.ContainerUsage{u}
			}},
		{why: "few samples are flagged in the plan", want: hpacouple.Coordinate, flag: skipreason.FlagFewSamples,
			change: func(_ *hpacouple.Input, m *hpacouple.Measured) {
				m.Strategy.MinSamples, m.Strategy.MinSpan.Duration = 0, 0
				u := steady(0.6, 500<<20)
				u.CPU = u.CPU.(*usage.Samples).In(usage.Window{End: u.CPU.First().Add(10 * time.Minute)})
				m.Containers = []recommend.ContainerUsage{u}
			}},
		{why: "no HPA", want: hpacouple.Uncoupled, change: func(in *hpacouple.Input, _ *hpacouple.Measured) { in.HPA = nil }},
	} {
		t.Run(c.why, func(t *testing.T) {
			in, m := shopInput(), peak
			if c.change != nil {
				c.change(&in, &m)
			}
			before, err := json.Marshal(in)
			require.NoError(t, err)
			p, errs := hpacouple.FromUsage(in, m)
			require.Empty(t, errs)
			after, err := json.Marshal(in)
			require.NoError(t, err)
			require.Equal(t, string(before), string(after))
			require.Equal(t, c.want, p.Plan.Outcome)
			require.Equal(t, c.skip, p.Plan.SkipReason)
			if c.flag != "" {
				require.Contains(t, p.Plan.RiskFlags, c.flag)
			}
			if c.same {
				require.Equal(t, recommend.Savings{}, p.Planned)
				for _, container := range p.Plan.Containers {
					require.False(t, container.Changes())
				}
			}
			if c.skip != "" {
				require.Positive(t, p.Recommendation.Savings.CPUMilli, "the recommendation is there all the same")
			}
		})
	}
	_, errs := hpacouple.FromUsage(shopInput(), hpacouple.Measured{})
	require.NotEmpty(t, errs)
	_, errs = hpacouple.FromUsage(hpacouple.Input{}, hpacouple.Measured{Strategy: recommend.VPA()})
	require.NotEmpty(t, errs)
}

// TestFromUsageLimits: limits travel with the requests.
func TestFromUsageLimits(t *testing.T) {
	in := shopInput()
	in.Pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("2Gi")}
	m := hpacouple.Measured{Strategy: recommend.Peak(), Containers: []recommend.ContainerUsage{steady(0.6, 500<<20)}}
	m.Strategy.CPU.Limit, m.Strategy.Memory.Limit = recommend.Unset, recommend.KeepRatio
	p, errs := hpacouple.FromUsage(in, m)
	require.Empty(t, errs)
	require.Equal(t, hpacouple.Coordinate, p.Plan.Outcome)
	require.Nil(t, p.Plan.Containers[0].LimitTo)
	require.Equal(t, "1150Mi", p.Plan.Containers[1].LimitTo.String())
}

// TestPlannedSavings: a saving is whole millicores and bytes, and never overstated.
func TestPlannedSavings(t *testing.T) {
	for _, c := range []struct {
		why, memory string
		want        int64
	}{
		{"whole bytes", "1Gi", 1<<30 - 575<<20},
		{"a byte of which only a part is requested is not saved", "1073741823500m", 1<<30 - 1 - 575<<20},
		{"nor is half a byte of what is asked for in addition", "1500m", 1 - 575<<20},
	} {
		in := shopInput()
		in.Pod.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory] = resource.MustParse(c.memory)
		p, errs := hpacouple.FromUsage(in, hpacouple.Measured{Strategy: recommend.Peak(), Containers: []recommend.ContainerUsage{steady(0.6, 500<<20)}, Count: 1})
		require.Empty(t, errs, c.why)
		require.Equal(t, c.want, p.Planned.MemoryBytes, c.why)
		require.Equal(t, int64(400), p.Planned.CPUMilli, c.why)
	}
	in := shopInput()
	in.Pod.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory] = resource.MustParse("1073741823500m")
	in.HPA = nil
	p, errs := hpacouple.FromUsage(in, hpacouple.Measured{Strategy: recommend.Peak(), Containers: []recommend.ContainerUsage{{Name: "app", CPU: steady(0.6, 1).CPU}}})
	require.Empty(t, errs)
	require.Zero(t, p.Planned.MemoryBytes, "what stays saves nothing")
}
