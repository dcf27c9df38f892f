package replicas

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func readyPod(namespace, name, app string) corev1.Pod {
	p := corev1.Pod{}
	p.Namespace, p.Name, p.Labels = namespace, name, map[string]string{"app": app}
	old := metav1.Time{Time: noon.Add(-time.Hour)}
	p.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &old,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: old}}}
	p.Spec.Containers = []corev1.Container{container("app", "cpu=1,memory=1Gi", "")}
	return p
}

func usageOf(namespace, name, app, usage string) PodMetrics {
	m := PodMetrics{Timestamp: metav1.Time{Time: noon}, Containers: []ContainerMetrics{{Name: "app", Usage: resources(usage)}}}
	m.Namespace, m.Name, m.Labels = namespace, name, map[string]string{"app": app}
	return m
}

// twoPods are pods at 500m and 700m, and a Pods metric of 5 and 7 for them.
func twoPods() Cluster {
	c := Cluster{Pods: []corev1.Pod{readyPod("shop", "a", "web"), readyPod("shop", "b", "web")},
		Resource: []PodMetrics{usageOf("shop", "a", "web", "cpu=500m"), usageOf("shop", "b", "web", "cpu=700m")},
		Values:   []MetricValues{{}, {Pods: []PodValue{{Pod: "a", Value: resource.MustParse("5")}, {Pod: "b", Value: resource.MustParse("7")}}}}}
	c.Scale.Spec.Replicas, c.Scale.Status.Replicas, c.Scale.Status.Selector = 2, 2, "app=web"
	return c
}

func cpuAndPods() *autoscalingv2.HorizontalPodAutoscaler {
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	hpa.Namespace, hpa.Name, hpa.Spec.MaxReplicas = "shop", "web", 10
	target := int32(60)
	average := resource.MustParse("10")
	hpa.Spec.Metrics = []autoscalingv2.MetricSpec{
		{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: "cpu", Target: autoscalingv2.MetricTarget{Type: "Utilization", AverageUtilization: &target}}},
		{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: "rps"}, Target: autoscalingv2.MetricTarget{Type: "AverageValue", AverageValue: &average}}},
	}
	return hpa
}

// shown is a reading in short: the listed pods with their samples, and the unlisted samples.
func shown(r Reading) (out string) {
	for _, p := range r.Pods {
		out += p.Name + "="
		if p.Sampled {
			out += fmt.Sprint(p.Sample.Milli)
		}
		out += " "
	}
	return out + fmt.Sprint(r.Unlisted)
}

// TestObserveIsolates: what belongs to others stays out.
func TestObserveIsolates(t *testing.T) {
	const cpu, pods = "a=500 b=700 []", "a=5000 b=7000 []"
	for _, row := range []struct {
		why               string
		change            func(*Cluster)
		wantCPU, wantPods string
		wantSelector      SelectorProblem
	}{
		{why: "nothing foreign", change: func(*Cluster) {}, wantCPU: cpu, wantPods: pods},
		{why: "a pod of another namespace", change: func(c *Cluster) { c.Pods = append(c.Pods, readyPod("other", "c", "web")) }, wantCPU: cpu, wantPods: pods},
		{why: "a sample of another namespace, of a pod by the same name", change: func(c *Cluster) { c.Resource = append(c.Resource, usageOf("other", "a", "web", "cpu=9")) }, wantCPU: cpu, wantPods: pods},
		{why: "a sample of another workload", change: func(c *Cluster) {
			c.Pods = append(c.Pods, readyPod("shop", "c", "db"))
			c.Resource = append(c.Resource, usageOf("shop", "c", "web", "cpu=9"))
			c.Values[1].Pods = append(c.Values[1].Pods, PodValue{Pod: "c", Value: resource.MustParse("9")})
		}, wantCPU: cpu, wantPods: pods},
		{why: "a pod that is gone counts as unlisted", change: func(c *Cluster) {
			c.Resource = append(c.Resource, usageOf("shop", "c", "web", "cpu=9"))
			c.Values[1].Pods = append(c.Values[1].Pods, PodValue{Pod: "c", Value: resource.MustParse("9")})
		}, wantCPU: "a=500 b=700 [9000]", wantPods: "a=5000 b=7000 [9000]"},
		{why: "unless its sample has other labels", change: func(c *Cluster) { c.Resource = append(c.Resource, usageOf("shop", "c", "db", "cpu=9")) }, wantCPU: cpu, wantPods: pods},
		{why: "a later value replaces an earlier one", change: func(c *Cluster) {
			c.Values[1].Pods = append(c.Values[1].Pods, PodValue{Pod: "a", Value: resource.MustParse("9")})
		}, wantCPU: cpu, wantPods: "a=9000 b=7000 []"},
		{why: "another HPA without a selector is no rival", change: func(c *Cluster) { c.Rivals = []Rival{{Name: "other"}} }, wantCPU: cpu, wantPods: pods},
		{why: "nor is one with a broken one", change: func(c *Cluster) { c.Rivals = []Rival{{Name: "other", Selector: "((("}} }, wantCPU: cpu, wantPods: pods},
		{why: "nor one that selects other pods", change: func(c *Cluster) { c.Rivals = []Rival{{Name: "other", Selector: "app=db"}} }, wantCPU: cpu, wantPods: pods},
		{why: "one that selects the same pods is", change: func(c *Cluster) { c.Rivals = []Rival{{Name: "other", Selector: "app"}} }, wantCPU: cpu, wantPods: pods, wantSelector: SelectorAmbiguous},
	} {
		c := twoPods()
		row.change(&c)
		o := Observe(cpuAndPods(), c)
		require.Equal(t, row.wantSelector, o.Selector, row.why)
		require.Equal(t, row.wantCPU, shown(o.Readings[0]), row.why)
		require.Equal(t, row.wantPods, shown(o.Readings[1]), row.why)
	}
}

func TestObserveDetails(t *testing.T) {
	seconds := int64(90)
	c := twoPods()
	c.Values[1].Pods[0].WindowSeconds = &seconds
	r := Observe(cpuAndPods(), c).Readings
	require.Equal(t, 90*time.Second, r[1].Pods[0].Sample.Window)
	require.Equal(t, time.Minute, r[1].Pods[1].Sample.Window, "the default of a Pods sample")
	require.Equal(t, int64(1000), r[0].Pods[0].Request)

	// Object and External metrics do not answer for each other.
	average := resource.MustParse("10")
	hpa := cpuAndPods()
	hpa.Spec.Metrics = []autoscalingv2.MetricSpec{
		{Type: autoscalingv2.ObjectMetricSourceType, Object: &autoscalingv2.ObjectMetricSource{Target: autoscalingv2.MetricTarget{AverageValue: &average}}},
		{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{Target: autoscalingv2.MetricTarget{AverageValue: &average}}}}
	nine := resource.MustParse("9")
	c.Values = []MetricValues{{External: []resource.Quantity{nine}}, {Object: &nine}}
	for i, r := range Observe(hpa, c).Readings {
		require.Equal(t, &MetricError{Failure: FailureEmpty}, r.Error, "metric %d", i)
	}
	c.Values = []MetricValues{{Object: &nine, External: []resource.Quantity{average}}, {Object: &average, External: []resource.Quantity{nine, nine}}}
	r = Observe(hpa, c).Readings
	require.Equal(t, []int64{9000}, r[0].Values)
	require.Equal(t, []int64{9000, 9000}, r[1].Values)
}

// TestBeyond: numbers that do not fit at the border. Without the option the answer is that for the largest number and
// the fact is set; with it, upstream's (also in the conformance module, beside the real code).
func TestBeyond(t *testing.T) {
	externalOf := func(target string) autoscalingv2.MetricSpec {
		q := resource.MustParse(target)
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType,
			External: &autoscalingv2.ExternalMetricSource{Target: autoscalingv2.MetricTarget{Type: "AverageValue", AverageValue: &q}}}
	}
	eighty := int32(80)
	memory := autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: "memory", Target: autoscalingv2.MetricTarget{Type: "Utilization", AverageUtilization: &eighty}}}
	heavy := usageOf("shop", "a", "web", "memory=9000T")
	heavy.Containers = append(heavy.Containers, ContainerMetrics{Name: "side", Usage: resources("memory=9000T")})
	for _, row := range []struct {
		why                string
		metric             autoscalingv2.MetricSpec
		value              string
		usage              []PodMetrics
		right, theirs      int32
		rightMilli, theirM int64
	}{
		{why: "a value: upstream reads 0", metric: externalOf("1"), value: "10P", right: math.MaxInt32, rightMilli: math.MaxInt64},
		{why: "a target: upstream reads 0 and divides by it", metric: externalOf("10P"), value: "10", right: 1, rightMilli: 1000, theirs: math.MaxInt32, theirM: 1000},
		{why: "a sum of containers wraps", metric: memory, usage: []PodMetrics{heavy}, right: 10737419, rightMilli: math.MaxInt64, theirs: -90581, theirM: -446744073709551616},
	} {
		hpa := cpuAndPods()
		hpa.Spec.Metrics = []autoscalingv2.MetricSpec{row.metric}
		c := twoPods()
		c.Pods, c.Resource, c.Values = c.Pods[:1], row.usage, nil
		c.Scale.Spec.Replicas, c.Scale.Status.Replicas = 10, 10
		if row.value != "" {
			c.Values = []MetricValues{{External: []resource.Quantity{resource.MustParse(row.value)}}}
		}
		spec, errs := FromHPA(hpa, Flags{})
		require.Empty(t, errs, row.why)
		o := Observe(hpa, c)
		for _, reproduce := range []bool{false, true} {
			spec.ReproduceOverflow = reproduce
			_, d := Step(spec, State{}, throughJSON(t, o), noon)
			require.Len(t, d.Metrics, 1)
			require.Nil(t, d.Metrics[0].Error, row.why)
			r := d.Metrics[0].Result
			want, wantMilli := row.right, row.rightMilli
			if reproduce {
				want, wantMilli = row.theirs, row.theirM
			}
			require.Equal(t, want, r.Replicas, row.why)
			require.Equal(t, wantMilli, r.Milli, row.why)
			require.True(t, r.OutOfRange.Quantity, row.why)
			require.True(t, d.OutOfRange.Quantity, row.why)
		}
	}
}
