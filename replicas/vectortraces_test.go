package replicas

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type vectorTrace struct {
	Name, Why         string
	Spec              autoscalingv2.HorizontalPodAutoscalerSpec
	InitialConditions map[string]corev1.ConditionStatus
	Replicas          int32
	Steps             []vectorStep
	Want              []struct {
		Replicas   int32
		Error      string
		Conditions map[string]string
	}
}

type vectorStep struct {
	AfterSeconds         int64
	SetReplicas          *int32
	CPUMilliPerPod       int64
	CPUMilliTotal        int64
	CPURequest           string
	NewTargetUtilization *int32
	ExternalMilliValues  map[string][]int64
	FailingMetrics       []string
}

// cluster is what a step of a trace shows: as many ready pods as replicas, with the cpu divided among them.
func (s *vectorStep) cluster(replicas int32, hpa *autoscalingv2.HorizontalPodAutoscaler, now time.Time) Cluster {
	request := "1"
	if s.CPURequest != "" {
		request = s.CPURequest
	}
	cpu := s.CPUMilliPerPod
	if s.CPUMilliTotal != 0 && replicas > 0 {
		cpu = s.CPUMilliTotal / int64(replicas)
	}
	c := Cluster{Scale: autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: replicas},
		Status: autoscalingv1.ScaleStatus{Replicas: replicas, Selector: "app=x"}}}
	for i := range replicas {
		p := vectorPod{Name: fmt.Sprint("p", i), Phase: corev1.PodRunning, Ready: corev1.ConditionTrue,
			Containers: []vectorContainer{{Name: "app", Requests: corev1.ResourceList{"cpu": resource.MustParse(request)}}}}
		pod := p.object()
		pod.Namespace, pod.Labels = "oracle", map[string]string{"app": "x"}
		pod.Status.StartTime = &metav1.Time{Time: noon.Add(-time.Hour)}
		pod.Status.Conditions[0].LastTransitionTime = metav1.Time{Time: noon.Add(-time.Hour)}
		c.Pods = append(c.Pods, *pod)
		c.Resource = append(c.Resource, PodMetrics{ObjectMeta: metav1.ObjectMeta{Namespace: "oracle", Name: p.Name}, Timestamp: metav1.Time{Time: now},
			Window: metav1.Duration{Duration: 30 * time.Second}, Containers: []ContainerMetrics{{Name: "app",
				Usage: corev1.ResourceList{"cpu": *resource.NewMilliQuantity(cpu, resource.DecimalSI)}}}})
	}
	for _, m := range hpa.Spec.Metrics {
		var values MetricValues
		if m.Type == autoscalingv2.ExternalMetricSourceType {
			name := m.External.Metric.Name
			for _, v := range s.ExternalMilliValues[name] {
				values.External = append(values.External, *resource.NewMilliQuantity(v, resource.DecimalSI))
			}
			for _, f := range s.FailingMetrics {
				if f == name {
					values.Error = "backend down"
				}
			}
		}
		c.Values = append(c.Values, values)
	}
	return c
}

// TestControllerVectors compares whole passes with what the real controller did. The state goes through JSON between
// any two passes (N3).
func TestControllerVectors(t *testing.T) {
	for _, v := range readVectors(t).Controller {
		t.Run(v.Name, func(t *testing.T) {
			hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: "oracle"}, Spec: v.Spec}
			for kind, status := range v.InitialConditions {
				hpa.Status.Conditions = append(hpa.Status.Conditions, autoscalingv2.HorizontalPodAutoscalerCondition{
					Type: autoscalingv2.HorizontalPodAutoscalerConditionType(kind), Status: status})
			}
			state, replicas, now := FromStatus(hpa.Status), v.Replicas, noon
			require.Len(t, v.Want, len(v.Steps))
			for i, s := range v.Steps {
				now = now.Add(time.Duration(s.AfterSeconds) * time.Second)
				if s.SetReplicas != nil {
					replicas = *s.SetReplicas
				}
				if s.NewTargetUtilization != nil {
					hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = s.NewTargetUtilization
				}
				spec, errs := FromHPA(hpa, Flags{})
				require.Empty(t, errs)
				observation := Observe(hpa, s.cluster(replicas, hpa, now))
				var d Decision
				state, d = Step(spec, throughJSON(t, state), observation, now)
				replicas = d.Replicas()

				want := v.Want[i]
				require.Equal(t, want.Replicas, replicas, "step %d: %s", i, v.Why)
				require.Equal(t, want.Conditions, conditionTexts(d.Conditions), "step %d", i)
				text := d.ErrorText(spec, observation)
				if d.Path == PathFailed {
					text = "failed to compute desired number of replicas based on listed metrics for Deployment/oracle/target: " + text
				}
				require.Equal(t, want.Error, text, "step %d", i)
				require.Equal(t, want.Error != "", d.Failed())
			}
		})
	}
}

func conditionTexts(c Conditions) map[string]string {
	out := map[string]string{}
	for _, kind := range ConditionTypes() {
		if one := c.Of(kind); one.Present() {
			out[string(kind)] = string(one.Status) + " " + one.Reason
		}
	}
	return out
}

func throughJSON[T any](t require.TestingT, v T) T {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var out T
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}
