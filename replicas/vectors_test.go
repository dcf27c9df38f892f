package replicas

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type vectorFile struct {
	Calculator []vectorCase
	Controller []vectorTrace
}

type vectorCase struct {
	Name, Why, Method       string
	ToleranceDown           float64
	ToleranceUp             float64
	CPUInitializationPeriod duration
	InitialReadinessDelay   duration
	SpecReplicas            int32
	StatusReplicas          int32
	Resource                corev1.ResourceName
	Container               string
	TargetUtilization       int32
	TargetMilliValue        MilliTarget
	MetricMilliValues       []int64
	Pods                    []vectorPod
	PodMetrics              []struct {
		Pod                string
		MilliValue         int64
		SampledAgo, Window duration
	}
	Want struct {
		Replicas    int32
		Utilization int64
		UsageMilli  int64
		Error       string
	}
}

type vectorPod struct {
	Name                           string
	Phase                          corev1.PodPhase
	Deleting                       bool
	Ready                          corev1.ConditionStatus
	StartedAgo, ReadyTransitionAgo duration
	Containers, InitContainers     []vectorContainer
	PodRequests, Overhead          corev1.ResourceList
}

type vectorContainer struct {
	Name          string
	Requests      corev1.ResourceList
	RestartPolicy *corev1.ContainerRestartPolicy
}

type duration struct{ time.Duration }

func (d *duration) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	var err error
	d.Duration, err = time.ParseDuration(s)
	return err
}

func readVectors(t testing.TB) vectorFile {
	t.Helper()
	text, err := os.ReadFile("testdata/hpa-vectors.json")
	require.NoError(t, err)
	var f vectorFile
	require.NoError(t, json.Unmarshal(text, &f))
	require.Len(t, f.Calculator, 41)
	require.Len(t, f.Controller, 21)
	return f
}

// noon is the time of the tests.
var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func (p *vectorPod) object() *corev1.Pod {
	out := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.Name}}
	if p.Deleting {
		out.DeletionTimestamp = &metav1.Time{Time: noon}
	}
	out.Status.Phase = p.Phase
	if p.StartedAgo.Duration != 0 {
		out.Status.StartTime = &metav1.Time{Time: noon.Add(-p.StartedAgo.Duration)}
	}
	if p.Ready != "" {
		out.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: p.Ready,
			LastTransitionTime: metav1.Time{Time: noon.Add(-p.ReadyTransitionAgo.Duration)}}}
	}
	containers := func(list []vectorContainer) (out []corev1.Container) {
		for _, c := range list {
			out = append(out, corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy,
				Resources: corev1.ResourceRequirements{Requests: c.Requests}})
		}
		return out
	}
	out.Spec.Containers = containers(p.Containers)
	out.Spec.InitContainers = containers(p.InitContainers)
	out.Spec.Overhead = p.Overhead
	if p.PodRequests != nil {
		out.Spec.Resources = &corev1.ResourceRequirements{Requests: p.PodRequests}
	}
	return out
}

func (v *vectorCase) run(t *testing.T, reproduce bool) (Result, error) {
	c := Calculator{
		Current:                 v.SpecReplicas,
		Status:                  v.StatusReplicas,
		Tolerance:               Tolerance{Down: v.ToleranceDown, Up: v.ToleranceUp},
		CPUInitializationPeriod: v.CPUInitializationPeriod.Duration,
		InitialReadinessDelay:   v.InitialReadinessDelay.Duration,
		Now:                     noon,
		ReproduceOverflow:       reproduce,
	}
	samples := map[string]Sample{}
	for _, m := range v.PodMetrics {
		samples[m.Pod] = Sample{Milli: m.MilliValue, At: noon.Add(-m.SampledAgo.Duration), Window: m.Window.Duration}
	}
	var pods []Pod
	for i := range v.Pods {
		object := v.Pods[i].object()
		p := fromPod(object)
		setRequest(&p, object, v.Resource, v.Container)
		p.Sample, p.Sampled = samples[p.Name]
		delete(samples, p.Name)
		pods = append(pods, p)
	}
	var unlisted []int64
	for _, s := range samples {
		unlisted = append(unlisted, s.Milli)
	}
	switch v.Method {
	case "GetResourceReplicas":
		return c.Utilization(v.Resource, pods, unlisted, v.TargetUtilization)
	case "GetRawResourceReplicas":
		return c.ResourceAverage(v.Resource, pods, unlisted, v.TargetMilliValue)
	case "GetMetricReplicas":
		return c.PodsAverage(pods, unlisted, v.TargetMilliValue)
	case "GetObjectMetricReplicas":
		return c.ObjectValue(v.MetricMilliValues[0], pods, v.TargetMilliValue)
	case "GetObjectPerPodMetricReplicas":
		return c.ObjectAverage(v.MetricMilliValues[0], v.TargetMilliValue)
	case "GetExternalMetricReplicas":
		return c.ExternalValue(v.MetricMilliValues, pods, v.TargetMilliValue)
	case "GetExternalPerPodMetricReplicas":
		return c.ExternalAverage(v.MetricMilliValues, v.TargetMilliValue)
	}
	t.Fatalf("unknown method %s", v.Method)
	return Result{}, nil
}

// TestCalculatorVectors compares with what the real calculator returned. Beside the range of its types the two modes
// agree.
func TestCalculatorVectors(t *testing.T) {
	for _, v := range readVectors(t).Calculator {
		t.Run(v.Name, func(t *testing.T) {
			got, err := v.run(t, true)
			if v.Want.Error != "" {
				require.EqualError(t, err, v.Want.Error, v.Why)
				return
			}
			require.NoError(t, err, v.Why)
			require.Equal(t, v.Want.Replicas, got.Replicas, v.Why)
			require.Equal(t, v.Want.Utilization, got.Utilization, v.Why)
			require.Equal(t, v.Want.UsageMilli, got.Milli, v.Why)

			right, err := v.run(t, false)
			require.NoError(t, err)
			if got.OutOfRange == (OutOfRange{}) {
				require.Equal(t, got, right)
				return
			}
			require.Equal(t, OutOfRange{Average: true}, right.OutOfRange, "the only case here is an average over no replicas")
			require.True(t, right.NoAverage)
			require.Zero(t, right.Milli)
			require.Equal(t, got.Replicas, right.Replicas)
		})
	}
}
