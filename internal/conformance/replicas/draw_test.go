package replicas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/replicas"
)

const namespace = "ns"

// draw makes the random cases. One seed, one case.
type draw struct{ *rand.Rand }

func newDraw(seed uint64) draw { return draw{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))} }

func one[T any](d draw, of ...T) T { return of[d.IntN(len(of))] }

// percent is true in that share of the draws.
func (d draw) percent(n int) bool { return d.IntN(100) < n }

func ptr[T any](v T) *T { return &v }

// quantity draws amounts as people write them, and those on which rounding turns.
func (d draw) quantity(name corev1.ResourceName) resource.Quantity {
	switch d.IntN(10) {
	case 0:
		return *resource.NewScaledQuantity(d.Int64N(5_000_000_000), one(d, resource.Nano, resource.Micro, resource.Milli))
	case 1:
		return *resource.NewMilliQuantity(d.Int64N(4000), resource.DecimalSI)
	case 2:
		if name == corev1.ResourceMemory {
			return *resource.NewQuantity(d.Int64N(1<<40), resource.BinarySI)
		}
	case 3:
		if name == corev1.ResourceMemory {
			return resource.MustParse(one(d, "0", "1", "1m", "1n", "1.1Gi", "0.3Ki", "93Gi", "128Gi", "1Ti"))
		}
		return resource.MustParse(one(d, "0", "1n", "999999n", "1000001n", "1500u", "12m", "0.1", "64", "3k"))
	}
	if name == corev1.ResourceMemory {
		return resource.MustParse(one(d, "100Mi", "128Mi", "200Mi", "1Gi", "1.5Gi"))
	}
	return resource.MustParse(one(d, "100m", "250m", "500m", "1", "2"))
}

// request is a quantity as the API server stores requests: rounded up to whole thousandths.
func (d draw) request(name corev1.ResourceName) resource.Quantity {
	q := d.quantity(name)
	return *resource.NewMilliQuantity(q.MilliValue(), q.Format)
}

// spec draws a pod spec with 1 to 3 containers, sidecars, init containers, overhead and pod-level requests. Pods as the
// API server stores them: where there is a limit there is a request.
func (d draw) spec() corev1.PodSpec {
	var s corev1.PodSpec
	given := one(d, 100, 100, 100, 90)
	requests := func() corev1.ResourceRequirements {
		list := corev1.ResourceList{}
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if d.percent(given) {
				list[name] = d.request(name)
			}
		}
		return corev1.ResourceRequirements{Requests: list}
	}
	for i := range one(d, 1, 1, 1, 2, 3) {
		s.Containers = append(s.Containers, corev1.Container{Name: fmt.Sprint("c", i), Resources: requests()})
	}
	for i := range one(d, 0, 0, 0, 1, 2) {
		c := corev1.Container{Name: fmt.Sprint("i", i), Resources: requests()}
		if d.percent(60) {
			c.RestartPolicy = ptr(corev1.ContainerRestartPolicyAlways)
		}
		s.InitContainers = append(s.InitContainers, c)
	}
	if d.percent(10) {
		s.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m")}
	}
	if d.percent(15) {
		s.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{}}
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if d.percent(60) {
				s.Resources.Requests[name] = d.request(name)
			}
		}
	}
	return s
}

// edges are ages at which a rule about time changes its mind.
func (d draw) edge() time.Duration {
	age := one(d, 0, 10*time.Second, 30*time.Second, time.Minute, 5*time.Minute, time.Hour)
	switch d.IntN(6) {
	case 0:
		age += time.Second
	case 1:
		age -= time.Second
	case 2:
		age += one(d, time.Nanosecond, -time.Nanosecond)
	}
	return age
}

// pod draws a pod of a spec; most have run for long.
func (d draw) pod(name string, spec corev1.PodSpec, now time.Time) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": "x"}}, Spec: spec}
	p.Status.Phase = corev1.PodRunning
	p.Status.StartTime = &metav1.Time{Time: now.Add(-time.Hour)}
	ready := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: now.Add(-time.Hour)}}
	if d.percent(35) {
		p.Status.Phase = one(d, corev1.PodRunning, corev1.PodRunning, corev1.PodRunning, corev1.PodPending, corev1.PodFailed, corev1.PodSucceeded, corev1.PodUnknown, "")
		if d.percent(8) {
			p.DeletionTimestamp = &metav1.Time{Time: now}
		}
		p.Status.StartTime.Time = now.Add(-d.edge())
		ready.Status = one(d, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown)
		ready.LastTransitionTime.Time = now.Add(-d.edge())
		if d.percent(40) {
			ready.LastTransitionTime.Time = p.Status.StartTime.Add(d.edge())
		}
		if d.percent(5) {
			p.Status.StartTime = nil
		}
		if d.percent(5) {
			return p
		}
	}
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, ready}
	return p
}

// podMetrics draws the sample of a pod: level is what each of its containers uses of its request, in thousandths.
func (d draw) podMetrics(p *corev1.Pod, level int64, now time.Time) replicas.PodMetrics {
	m := replicas.PodMetrics{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: p.Name, Labels: p.Labels},
		Timestamp: metav1.Time{Time: now.Add(-one(d, 0, 10*time.Second, 15*time.Second, 30*time.Second, time.Minute))},
		Window:    metav1.Duration{Duration: one(d, 0, 10*time.Second, 30*time.Second, time.Minute)}}
	for _, c := range p.Spec.Containers {
		usage := corev1.ResourceList{}
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if d.percent(98) {
				q := c.Resources.Requests[name]
				product := float64(q.MilliValue()) * float64(level) / 1000
				if product < 1e15 && q.MilliValue() < math.MaxInt64/level {
					usage[name] = *resource.NewMilliQuantity(q.MilliValue()*level/1000, resource.DecimalSI)
				} else {
					usage[name] = q
				}
				if d.percent(10) {
					usage[name] = d.quantity(name)
				}
				if d.percent(1) {
					usage[name] = d.beyond()
				}
			}
		}
		m.Containers = append(m.Containers, replicas.ContainerMetrics{Name: c.Name, Usage: usage})
	}
	if d.percent(5) {
		m.Containers = append(m.Containers, replicas.ContainerMetrics{Name: "injected", Usage: corev1.ResourceList{
			corev1.ResourceCPU: d.quantity(corev1.ResourceCPU), corev1.ResourceMemory: d.quantity(corev1.ResourceMemory)}})
	}
	return m
}

// beyond draws amounts with more thousandths than an int64 holds, as both kinds that a quantity is kept as.
func (d draw) beyond() resource.Quantity {
	q := resource.MustParse(one(d, "10P", "1E", "1e17", "1e18", "3e19", "1e30", "7e40", "9223372036854775.808", "10000000000000001", "12345678901234567890", "8Ei", "9000T"))
	if d.percent(50) {
		q.AsDec() // converts it
	}
	return q
}

// target draws what averageValue and value may be, tiny and huge ones among them.
func (d draw) target() resource.Quantity {
	if d.percent(1) {
		return d.beyond()
	}
	return *resource.NewMilliQuantity(one(d, 1, 10, 100, 500, 1000, 1000, 10_000, 10_000, 30_000, 30_000, 1+d.Int64N(100_000), 1+d.Int64N(1<<50)), resource.DecimalSI)
}

// around draws a value near target*n: on an edge of the tolerance, beside it, or anywhere.
func (d draw) around(target resource.Quantity, n int64) resource.Quantity {
	if d.percent(1) {
		return d.beyond()
	}
	base := target.MilliValue()
	if base <= 0 || base > math.MaxInt64/(n+1)/64 {
		base = 1000
	}
	v := base * n
	switch d.IntN(14) {
	case 0, 1:
		v = v * 11 / 10
	case 2, 3:
		v = v * 9 / 10
	case 4:
		v = v*11/10 + 1
	case 5:
		v = v*9/10 - 1
	case 6:
		v = d.Int64N(base*(2*n+2) + 1)
	case 7:
		v = one[int64](d, 0, 1, 999)
	case 8:
		v = v * d.Int64N(40) / 10
	case 9:
		if d.percent(20) {
			v = one(d, math.MaxInt64, math.MaxInt64-1, math.MaxInt64/2+1, 1<<53+1, -v, -1, math.MinInt64, math.MinInt64/2-1)
		}
	default:
		v = v * (5 + d.Int64N(20)) / 10
	}
	return *resource.NewMilliQuantity(v, resource.DecimalSI)
}

// utilization draws a target in percent.
func (d draw) utilization() int32 {
	return one(d, 50, 50, 60, 70, 71, 80, 90, 100, 150, 200, 1, 45, 3, 1+d.Int32N(300), 1+d.Int32N(math.MaxInt32))
}

// metric draws a metric of any kind.
func (d draw) metric() autoscalingv2.MetricSpec {
	resourceTarget := func() autoscalingv2.MetricTarget {
		if d.percent(65) {
			return autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr(d.utilization())}
		}
		return autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: ptr(d.target())}
	}
	valueTarget := func() autoscalingv2.MetricTarget {
		if d.percent(50) {
			return autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: ptr(d.target())}
		}
		return autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: ptr(d.target())}
	}
	name := one(d, corev1.ResourceCPU, corev1.ResourceCPU, corev1.ResourceMemory)
	identifier := autoscalingv2.MetricIdentifier{Name: one(d, "queue", "lag")}
	if d.percent(20) {
		identifier.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"topic": "a"}}
	}
	switch d.IntN(10) {
	case 0, 1, 2, 3:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{Name: name, Target: resourceTarget()}}
	case 4:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ContainerResourceMetricSourceType,
			ContainerResource: &autoscalingv2.ContainerResourceMetricSource{Name: name, Container: one(d, "c0", "c0", "c0", "c1", "i0"), Target: resourceTarget()}}
	case 5:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{Metric: identifier,
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: ptr(d.target())}}}
	case 6, 7:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ObjectMetricSourceType, Object: &autoscalingv2.ObjectMetricSource{Metric: identifier,
			DescribedObject: autoscalingv2.CrossVersionObjectReference{Kind: "Service", Name: "front"}, Target: valueTarget()}}
	}
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType,
		External: &autoscalingv2.ExternalMetricSource{Metric: identifier, Target: valueTarget()}}
}

// fill draws the cluster around an HPA: n pods, their samples, and values of every metric.
func (d draw) fill(metrics []autoscalingv2.MetricSpec, spec corev1.PodSpec, n int, now time.Time) replicas.Cluster {
	var c replicas.Cluster
	c.Scale = autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "target"}}
	c.Scale.Status.Selector = "app=x"
	level := d.level(metrics)
	alike, sampled := d.percent(80), one(d, 100, 90, 70)
	for i := range n {
		if !alike && d.percent(50) {
			spec = d.spec()
		}
		p := d.pod(fmt.Sprint("p", i), spec, now)
		c.Pods = append(c.Pods, *p)
		if d.percent(sampled) {
			of := level
			if d.percent(20) {
				of = 1 + d.Int64N(3000)
			}
			c.Resource = append(c.Resource, d.podMetrics(p, of, now))
		}
	}
	if d.percent(6) {
		c.Resource = append(c.Resource, d.podMetrics(d.pod("gone", spec, now), level, now))
	}
	for i := range metrics {
		c.Values = append(c.Values, d.values(&metrics[i], c.Pods, now))
	}
	return c
}

// level is a usage in thousandths of the request that puts the first utilization target on an edge, or anywhere.
func (d draw) level(metrics []autoscalingv2.MetricSpec) int64 {
	target := int64(50)
	for i := range metrics {
		if r := metrics[i].Resource; r != nil && r.Target.AverageUtilization != nil && *r.Target.AverageUtilization < 100000 {
			target = int64(*r.Target.AverageUtilization)
		}
	}
	switch d.IntN(8) {
	case 0:
		return max(1, target*11)
	case 1:
		return max(1, target*9)
	case 2:
		return max(1, target*10)
	case 3:
		return max(1, target*11+10)
	case 4:
		return max(1, target*9-1)
	case 5:
		return 1 + d.Int64N(20)
	}
	return max(1, target*(2+d.Int64N(40)))
}

// values draws the answer of a metrics API other than the resource metrics API.
func (d draw) values(m *autoscalingv2.MetricSpec, pods []corev1.Pod, now time.Time) (v replicas.MetricValues) {
	total := func(t *autoscalingv2.MetricTarget) resource.Quantity {
		if t.Value != nil {
			return d.around(*t.Value, 1)
		}
		if t.AverageValue == nil {
			return resource.MustParse("1")
		}
		return d.around(*t.AverageValue, int64(len(pods)))
	}
	switch m.Type {
	case autoscalingv2.PodsMetricSourceType:
		for i := range pods {
			if d.percent(90) {
				v.Pods = append(v.Pods, replicas.PodValue{Pod: pods[i].Name, Timestamp: metav1.Time{Time: now}, Value: d.around(*m.Pods.Target.AverageValue, 1)})
			}
		}
		if d.percent(10) {
			v.Pods = append(v.Pods, replicas.PodValue{Pod: "gone", Timestamp: metav1.Time{Time: now}, Value: d.around(*m.Pods.Target.AverageValue, 1)})
		}
	case autoscalingv2.ObjectMetricSourceType:
		v.Object = ptr(total(&m.Object.Target))
	case autoscalingv2.ExternalMetricSourceType:
		for range one(d, 1, 1, 1, 2, 3) {
			v.External = append(v.External, total(&m.External.Target))
		}
	}
	return v
}
