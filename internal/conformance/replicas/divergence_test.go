package replicas_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/replicas"
)

func quantity(text string) *resource.Quantity { return ptr(resource.MustParse(text)) }

// alike is a cluster of equal pods that have run for long.
func alike(n int, request, usage resource.Quantity) (c replicas.Cluster) {
	now := time.Now()
	c.Scale.Status.Selector = "app=x"
	d := newDraw(1)
	for i := range n {
		p := d.pod(fmt.Sprint("p", i), corev1.PodSpec{}, now)
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &metav1.Time{Time: now.Add(-time.Hour)},
			Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: now.Add(-time.Hour)}}}}
		p.DeletionTimestamp = nil
		p.Spec.Containers = []corev1.Container{{Name: "c0", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: request}}}}
		c.Pods = append(c.Pods, *p)
		c.Resource = append(c.Resource, replicas.PodMetrics{ObjectMeta: p.ObjectMeta, Timestamp: metav1.Time{Time: now},
			Containers: []replicas.ContainerMetrics{{Name: "c0", Usage: corev1.ResourceList{corev1.ResourceMemory: usage}}}})
	}
	return c
}

// twice is a cluster whose samples have every container twice.
func twice(c replicas.Cluster) replicas.Cluster {
	for i := range c.Resource {
		c.Resource[i].Containers = append(c.Resource[i].Containers, c.Resource[i].Containers...)
	}
	return c
}

// TestDivergences lists where upstream leaves the range of its types on amd64, what it answers there, and what the
// library answers instead. A release that mends one of them fails here, and its rule must then be read again.
func TestDivergences(t *testing.T) {
	if !exactConversions {
		t.Skip("upstream's answers here are amd64's")
	}
	memory := func(target int32) autoscalingv2.MetricSpec {
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
			Name: corev1.ResourceMemory, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}
	}
	raw := func(target string) autoscalingv2.MetricSpec {
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
			Name: corev1.ResourceMemory, Target: autoscalingv2.MetricTarget{AverageValue: quantity(target)}}}
	}
	object := func(value, average string) autoscalingv2.MetricSpec {
		m := &autoscalingv2.ObjectMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: "m"}}
		if value != "" {
			m.Target = autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: quantity(value)}
		} else {
			m.Target = autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: quantity(average)}
		}
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ObjectMetricSourceType, Object: m}
	}
	external := func(value, average string) autoscalingv2.MetricSpec {
		m := &autoscalingv2.ExternalMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: "m"}}
		if value != "" {
			m.Target = autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: quantity(value)}
		} else {
			m.Target = autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: quantity(average)}
		}
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType, External: m}
	}
	objectValue := func(q resource.Quantity) []replicas.MetricValues { return []replicas.MetricValues{{Object: &q}} }
	for _, row := range []struct {
		why             string
		metric          autoscalingv2.MetricSpec
		cluster         replicas.Cluster
		values          []replicas.MetricValues
		current, status int32
		theirs, ours    answer
		out             replicas.OutOfRange
	}{
		{why: "600 pods at 160Gi of 200Gi: the sum times 100 wraps", metric: memory(80), cluster: alike(600, *quantity("200Gi"), *quantity("160Gi")), current: 600,
			theirs: answer{Replicas: -472, Utilization: -63, Milli: 171798691840000}, ours: answer{Replicas: 600, Utilization: 80, Milli: 171798691840000},
			out: replicas.OutOfRange{Sum: true}},
		{why: "a utilization beyond 32 bits is cut to them", metric: memory(50), cluster: alike(1, *quantity("1m"), *quantity("42949674")), current: 1,
			theirs: answer{Replicas: 2080, Utilization: 104000, Milli: 42949674000}, ours: answer{Replicas: 2147483647, Utilization: 4294967400000, Milli: 42949674000},
			out: replicas.OutOfRange{Utilization: true, Replicas: true}},
		{why: "a raw average: the proposal beyond 32 bits becomes the smallest", metric: raw("1m"), cluster: alike(2, *quantity("1"), *quantity("3M")), current: 2,
			theirs: answer{Replicas: math.MinInt32, Milli: 3_000_000_000}, ours: answer{Replicas: math.MaxInt32, Milli: 3_000_000_000},
			out: replicas.OutOfRange{Replicas: true}},
		{why: "Object AverageValue: the same", metric: object("", "1m"), values: objectValue(*quantity("3M")), current: 2, status: 2,
			theirs: answer{Replicas: math.MinInt32, Milli: 1_500_000_000}, ours: answer{Replicas: math.MaxInt32, Milli: 1_500_000_000},
			out: replicas.OutOfRange{Replicas: true}},
		{why: "Object Value from zero: the same", metric: object("1m", ""), values: objectValue(*quantity("3M")),
			theirs: answer{Replicas: math.MinInt32, Milli: 3_000_000_000}, ours: answer{Replicas: math.MaxInt32, Milli: 3_000_000_000},
			out: replicas.OutOfRange{Replicas: true}},
		{why: "External Value from zero: the same", metric: external("1m", ""), values: []replicas.MetricValues{{External: []resource.Quantity{*quantity("3M")}}},
			theirs: answer{Replicas: math.MinInt32, Milli: 3_000_000_000}, ours: answer{Replicas: math.MaxInt32, Milli: 3_000_000_000},
			out: replicas.OutOfRange{Replicas: true}},
		{why: "an average over no replicas: +Inf becomes the smallest integer", metric: external("", "10"), values: []replicas.MetricValues{{External: []resource.Quantity{*quantity("25")}}},
			theirs: answer{Replicas: 3, Milli: math.MinInt64}, ours: answer{Replicas: 3}, out: replicas.OutOfRange{Average: true}},
		{why: "External Value: two negative series wrap to a positive sum", metric: external("1", ""), current: 1, cluster: alike(1, *quantity("1"), *quantity("1")),
			values: []replicas.MetricValues{{External: []resource.Quantity{*resource.NewMilliQuantity(math.MinInt64/2-1, resource.DecimalSI), *resource.NewMilliQuantity(math.MinInt64/2-1, resource.DecimalSI)}}},
			theirs: answer{Replicas: math.MaxInt32, Milli: math.MaxInt64 - 1}, ours: answer{Replicas: math.MinInt32, Milli: math.MinInt64},
			out: replicas.OutOfRange{Sum: true, Replicas: true}},
		{why: "a quantity beyond int64 thousandths: upstream reads 0 and scales down", metric: external("", "1"), current: 10, status: 10,
			values: []replicas.MetricValues{{External: []resource.Quantity{*quantity("1e17")}}},
			theirs: answer{Replicas: 0, Milli: 0}, ours: answer{Replicas: math.MaxInt32, Milli: math.MaxInt64}, out: replicas.OutOfRange{Quantity: true}},
		{why: "10P is the same", metric: external("", "1"), current: 10, status: 10,
			values: []replicas.MetricValues{{External: []resource.Quantity{*quantity("10P")}}},
			theirs: answer{Replicas: 0, Milli: 0}, ours: answer{Replicas: math.MaxInt32, Milli: math.MaxInt64}, out: replicas.OutOfRange{Quantity: true}},
		{why: "a target beyond them: upstream reads 0 and divides by it", metric: external("", "10P"), current: 10, status: 10,
			values: []replicas.MetricValues{{External: []resource.Quantity{*quantity("10")}}},
			theirs: answer{Replicas: math.MaxInt32, Milli: 1000}, ours: answer{Replicas: 1, Milli: 1000}, out: replicas.OutOfRange{Quantity: true}},
		{why: "the same without load: 0 divided by 0", metric: external("", "10P"), current: 10, status: 10,
			values: []replicas.MetricValues{{External: []resource.Quantity{*quantity("0")}}},
			theirs: answer{Replicas: math.MinInt32}, ours: answer{}, out: replicas.OutOfRange{Quantity: true}},
		{why: "a pod's containers add up beyond int64", metric: memory(80), cluster: twice(alike(1, *quantity("1Gi"), *quantity("9000T"))), current: 1,
			theirs: answer{Replicas: -90581, Utilization: -7246545, Milli: -446744073709551616}, ours: answer{Replicas: 10737419, Utilization: 858993459, Milli: math.MaxInt64},
			out: replicas.OutOfRange{Quantity: true, Sum: true}},
	} {
		c := &calculatorCase{calculator: replicas.Calculator{Current: row.current, Status: row.status, Tolerance: replicas.Tolerance{Down: 0.1, Up: 0.1}, Now: time.Now()}}
		c.cluster = row.cluster
		c.cluster.Scale.Status.Selector = "app=x"
		c.cluster.Values = row.values
		c.hpa = &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}}
		c.hpa.Spec.Metrics = []autoscalingv2.MetricSpec{row.metric}
		require.Equal(t, row.theirs, c.theirs(), row.why)
		got, result := c.ours(false)
		require.Equal(t, row.ours, got, row.why)
		require.Equal(t, row.out, result.OutOfRange, row.why)
		got, _ = c.ours(true)
		require.Equal(t, row.theirs, got, "%s: reproduced", row.why)
	}
}

// TestLimitDivergences: limits beyond int32. Upstream's wrap around: a sum of pods then forbids every change, and the
// doubled count becomes the smallest int32. The library allows what was asked for, and reproduces upstream when asked.
func TestLimitDivergences(t *testing.T) {
	if !exactConversions {
		t.Skip("upstream's answers here are amd64's")
	}
	pods := func(value int32) *autoscalingv2.HorizontalPodAutoscalerBehavior {
		return &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{
			Policies: []autoscalingv2.HPAScalingPolicy{{Type: autoscalingv2.PodsScalingPolicy, Value: value, PeriodSeconds: 15}}}}
	}
	for _, row := range []struct {
		why                   string
		behavior              *autoscalingv2.HorizontalPodAutoscalerBehavior
		current, theirs, ours int32
	}{
		{why: "10 + 2147483647 pods", behavior: pods(math.MaxInt32), current: 10, theirs: 10, ours: 20},
		{why: "a limit in range", behavior: pods(math.MaxInt32 - 10), current: 10, theirs: 20, ours: 20},
		{why: "twice 1.2e9 without a behavior", current: 1_200_000_000, theirs: math.MinInt32, ours: 1_400_000_000},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(quiet())
			defer cancel()
			p := newPlane(ctx, settings()[0])
			tr := p.start(newDraw(1), settings()[0], true, share{})
			tr.written = newDraw(1).hpaCase()
			tr.written.Spec.MinReplicas, tr.written.Spec.MaxReplicas, tr.written.Spec.Behavior = ptr[int32](1), math.MaxInt32, row.behavior
			tr.written.Spec.Metrics = []autoscalingv2.MetricSpec{{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{
				Metric: autoscalingv2.MetricIdentifier{Name: "m"}, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: quantity("1")}}}}
			tr.apply()
			tr.cluster = replicas.Cluster{}
			tr.cluster.Scale.Spec.Replicas, tr.cluster.Scale.Status.Replicas, tr.cluster.Scale.Status.Selector = row.current, row.current, "app=x"
			wanted := int64(20)
			if row.current > 20 {
				wanted = 1_400_000_000
			}
			tr.cluster.Values = []replicas.MetricValues{{External: []resource.Quantity{*resource.NewQuantity(wanted, resource.DecimalSI)}}}
			spec, errs := replicas.FromHPA(tr.written, replicas.Flags{})
			require.Empty(t, errs)
			_, d := replicas.Step(spec, replicas.State{}, replicas.Observe(tr.written, tr.cluster), time.Now())
			require.Equal(t, row.ours, d.Replicas(), row.why)
			require.Equal(t, row.theirs != row.ours, d.OutOfRange.Limit, row.why)
			spec.ReproduceOverflow = true
			_, d = replicas.Step(spec, replicas.State{}, replicas.Observe(tr.written, tr.cluster), time.Now())
			require.Equal(t, row.theirs, d.Replicas(), "%s: reproduced", row.why)
			require.NoError(t, tr.pass(ctx))
			require.Equal(t, row.theirs, tr.cluster.Scale.Spec.Replicas, row.why)
			tr.end(ctx)
		})
	}
}
