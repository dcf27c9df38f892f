package replicas_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"

	"github.com/kube-rightsize/rightsize/replicas"
)

// quiet keeps the real code's log out of the output.
func quiet() context.Context { return klog.NewContext(context.Background(), logr.Discard()) }

// answer is what both sides say about one metric.
type answer struct {
	Replicas    int32
	Utilization int64
	Milli       int64
	Error       string
}

// calculatorCase is one metric in one cluster.
type calculatorCase struct {
	world
	calculator replicas.Calculator
}

func drawCalculatorCase(seed uint64, now time.Time) *calculatorCase {
	d := newDraw(seed)
	c := &calculatorCase{}
	c.hpa = &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "hpa"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 100, Metrics: []autoscalingv2.MetricSpec{d.metric()}}}
	n := one(d, 0, 1, 2, 3, 4, 5, 6, 8, 11, 27)
	c.cluster = d.fill(c.hpa.Spec.Metrics, d.spec(), n, now)
	tolerance := func() float64 { return one(d, 0.1, 0.1, 0.1, 0, 0.05, 0.5, 1, 0.009000000000000001, d.Float64()) }
	current := int32(n)
	if d.percent(60) {
		current = one(d, d.Int32N(30), current/4, 3*current+1, current+1)
	}
	c.calculator = replicas.Calculator{Current: current, Status: one(d, current, current, d.Int32N(30)),
		Tolerance:               replicas.Tolerance{Down: tolerance(), Up: tolerance()},
		CPUInitializationPeriod: one(d, 5*time.Minute, 5*time.Minute, 0, time.Minute),
		InitialReadinessDelay:   one(d, 30*time.Second, 30*time.Second, 0, time.Minute), Now: now}
	return c
}

// theirs asks the real calculator.
func (c *calculatorCase) theirs() answer {
	var a answer
	var utilization int32
	var err error
	calculator := podautoscaler.NewReplicaCalculator(&c.world, pods{&c.world}, c.calculator.CPUInitializationPeriod, c.calculator.InitialReadinessDelay)
	selector := labels.SelectorFromSet(labels.Set{"app": "x"})
	tolerance := tolerances(c.calculator.Tolerance)
	resource := func(name, container string, target autoscalingv2.MetricTarget) {
		if target.AverageValue != nil {
			a.Replicas, a.Milli, _, err = calculator.GetRawResourceReplicas(quiet(), c.calculator.Current, target.AverageValue.MilliValue(), resourceName(name), tolerance, namespace, selector, container)
			return
		}
		a.Replicas, utilization, a.Milli, _, err = calculator.GetResourceReplicas(quiet(), c.calculator.Current, *target.AverageUtilization, resourceName(name), tolerance, namespace, selector, container)
	}
	m := &c.hpa.Spec.Metrics[0]
	switch m.Type {
	case autoscalingv2.ResourceMetricSourceType:
		resource(string(m.Resource.Name), "", m.Resource.Target)
	case autoscalingv2.ContainerResourceMetricSourceType:
		resource(string(m.ContainerResource.Name), m.ContainerResource.Container, m.ContainerResource.Target)
	case autoscalingv2.PodsMetricSourceType:
		a.Replicas, a.Milli, _, err = calculator.GetMetricReplicas(c.calculator.Current, m.Pods.Target.AverageValue.MilliValue(), m.Pods.Metric.Name, tolerance, namespace, selector, labels.Everything())
	case autoscalingv2.ObjectMetricSourceType:
		if m.Object.Target.Value != nil {
			a.Replicas, a.Milli, _, err = calculator.GetObjectMetricReplicas(c.calculator.Current, m.Object.Target.Value.MilliValue(), m.Object.Metric.Name, tolerance, namespace, &m.Object.DescribedObject, selector, labels.Everything())
		} else {
			a.Replicas, a.Milli, _, err = calculator.GetObjectPerPodMetricReplicas(c.calculator.Status, m.Object.Target.AverageValue.MilliValue(), m.Object.Metric.Name, tolerance, namespace, &m.Object.DescribedObject, labels.Everything())
		}
	case autoscalingv2.ExternalMetricSourceType:
		if m.External.Target.Value != nil {
			a.Replicas, a.Milli, _, err = calculator.GetExternalMetricReplicas(c.calculator.Current, m.External.Target.Value.MilliValue(), m.External.Metric.Name, tolerance, namespace, m.External.Metric.Selector, selector)
		} else {
			a.Replicas, a.Milli, _, err = calculator.GetExternalPerPodMetricReplicas(c.calculator.Status, m.External.Target.AverageValue.MilliValue(), m.External.Metric.Name, tolerance, namespace, m.External.Metric.Selector)
		}
	}
	a.Utilization = int64(utilization)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return a
}

// ours asks the library, by way of the observation that it builds from the API objects.
func (c *calculatorCase) ours(reproduce bool) (answer, replicas.Result) {
	spec, errs := replicas.FromHPA(c.hpa, replicas.Flags{})
	if len(errs) > 0 {
		return answer{Error: errs.ToAggregate().Error()}, replicas.Result{}
	}
	reading := replicas.Observe(c.hpa, c.cluster).Readings[0]
	calculator := c.calculator
	calculator.ReproduceOverflow = reproduce
	m := spec.Metrics[0]
	target, beyond := replicas.MilliTarget(m.Milli), reading.OutOfRange || m.Beyond != nil
	if reproduce && reading.Beyond != nil {
		reading = *reading.Beyond
	}
	if reproduce && m.Beyond != nil {
		target = replicas.MilliTarget(*m.Beyond)
	}
	var r replicas.Result
	var err error
	switch {
	case reading.Error != nil:
		err = reading.Error
	case m.Type == autoscalingv2.PodsMetricSourceType:
		r, err = calculator.PodsAverage(reading.Pods, reading.Unlisted, target)
	case m.Type == autoscalingv2.ObjectMetricSourceType && m.Target == "Value":
		r, err = calculator.ObjectValue(reading.Values[0], reading.Pods, target)
	case m.Type == autoscalingv2.ObjectMetricSourceType:
		r, err = calculator.ObjectAverage(reading.Values[0], target)
	case m.Type == autoscalingv2.ExternalMetricSourceType && m.Target == "Value":
		r, err = calculator.ExternalValue(reading.Values, reading.Pods, target)
	case m.Type == autoscalingv2.ExternalMetricSourceType:
		r, err = calculator.ExternalAverage(reading.Values, target)
	case m.Target == "Utilization":
		r, err = calculator.Utilization(resourceName(m.Name), reading.Pods, reading.Unlisted, m.Utilization)
	default:
		r, err = calculator.ResourceAverage(resourceName(m.Name), reading.Pods, reading.Unlisted, target)
	}
	r.OutOfRange.Quantity = beyond && reading.Error == nil
	if err != nil {
		return answer{Error: calculatorText(err, m)}, r
	}
	return answer{Replicas: r.Replicas, Utilization: r.Utilization, Milli: r.Milli}, r
}

// TestCalculator compares every method of the real calculator with the library, on random clusters. Where upstream's
// arithmetic leaves its range, the library must say so, and reproduce it when asked.
func TestCalculator(t *testing.T) {
	n, from := count(t, "CONFORMANCE_COMPARISONS", 200_000), seed(t)
	share := share{}
	synctest.Test(t, func(t *testing.T) {
		for i := range n {
			at := from + uint64(i)
			c := drawCalculatorCase(at, time.Now())
			want := c.theirs()
			got, result := c.ours(false)
			if !result.OutOfRange.Any() && !result.NoAverage {
				require.Equal(t, want, got, "CONFORMANCE_SEED=%d", at)
			}
			c.justified(t, want, got, result, at)
			if exactConversions {
				reproduced, _ := c.ours(true)
				require.Equal(t, want, reproduced, "CONFORMANCE_SEED=%d", at)
			}
			share.count(c, got, result)
		}
	})
	share.require(t)
}

// justified fails if a result claims to be out of range, and so escapes the comparison, without a cause that can be seen
// from outside.
func (c *calculatorCase) justified(t *testing.T, theirs, ours answer, r replicas.Result, at uint64) {
	if c.largest() < 1<<50 { // a hundred times the sum of 30 such amounts is an int64
		require.False(t, r.OutOfRange.Sum || r.OutOfRange.Quantity, "CONFORMANCE_SEED=%d", at)
	}
	if r.OutOfRange.Utilization && r.Pods.Filled == 0 {
		require.NotEqual(t, int64(int32(ours.Utilization)), ours.Utilization, "CONFORMANCE_SEED=%d", at)
	}
	if r.OutOfRange.Replicas && !r.OutOfRange.Sum && !r.OutOfRange.Utilization && !r.OutOfRange.Quantity {
		require.Contains(t, []int32{math.MinInt32, c.calculator.Current}, theirs.Replicas, "CONFORMANCE_SEED=%d", at)
	}
	require.Equal(t, r.NoAverage, r.OutOfRange.Average && c.calculator.Status == 0, "CONFORMANCE_SEED=%d", at)
}

// largest is the largest amount in the cluster, in thousandths; requests are times the target, as they are filled in.
func (c *calculatorCase) largest() int64 {
	most := int64(0)
	enter := func(q resource.Quantity) {
		v := q.MilliValue()
		if v == math.MinInt64 || q.CmpInt64(math.MaxInt64/1000) > 0 || q.CmpInt64(-math.MaxInt64/1000) < 0 {
			most = math.MaxInt64
		}
		most = max(most, v, -v)
	}
	for i := range c.cluster.Resource {
		for _, container := range c.cluster.Resource[i].Containers {
			for _, q := range container.Usage {
				enter(q)
			}
		}
	}
	if m := c.hpa.Spec.Metrics[0]; m.Resource != nil || m.ContainerResource != nil {
		for i := range c.cluster.Pods {
			for _, list := range requestLists(&c.cluster.Pods[i].Spec) {
				for _, q := range list {
					enter(q)
					if v := q.MilliValue(); v > 1<<20 && c.target() > 1<<20 {
						most = math.MaxInt64
					}
				}
			}
		}
	}
	for _, target := range targets(&c.hpa.Spec.Metrics[0]) {
		enter(*target)
	}
	for _, v := range c.cluster.Values {
		if v.Object != nil {
			enter(*v.Object)
		}
		for _, q := range v.External {
			enter(q)
		}
		for i := range v.Pods {
			enter(v.Pods[i].Value)
		}
	}
	return most
}

// targets are the amounts that a metric is compared with.
func targets(m *autoscalingv2.MetricSpec) (out []*resource.Quantity) {
	add := func(t *autoscalingv2.MetricTarget) {
		for _, q := range []*resource.Quantity{t.Value, t.AverageValue} {
			if q != nil {
				out = append(out, q)
			}
		}
	}
	switch {
	case m.Resource != nil:
		add(&m.Resource.Target)
	case m.ContainerResource != nil:
		add(&m.ContainerResource.Target)
	case m.Pods != nil:
		add(&m.Pods.Target)
	case m.Object != nil:
		add(&m.Object.Target)
	case m.External != nil:
		add(&m.External.Target)
	}
	return out
}

func (c *calculatorCase) target() int64 {
	spec, _ := replicas.FromHPA(c.hpa, replicas.Flags{})
	return max(int64(spec.Metrics[0].Utilization), spec.Metrics[0].Milli)
}

func requestLists(s *corev1.PodSpec) (out []corev1.ResourceList) {
	for _, containers := range [][]corev1.Container{s.Containers, s.InitContainers} {
		for i := range containers {
			out = append(out, containers[i].Resources.Requests)
		}
	}
	if s.Resources != nil {
		out = append(out, s.Resources.Requests)
	}
	return append(out, s.Overhead)
}
