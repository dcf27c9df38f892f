package replicas

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestFlagDefaults: the settings of a controller that was told nothing.
func TestFlagDefaults(t *testing.T) {
	c := (&Spec{}).Calculator(3, 4, noon)
	require.Equal(t, Calculator{Current: 3, Status: 4, Tolerance: Tolerance{Down: 0.1, Up: 0.1},
		CPUInitializationPeriod: 300 * time.Second, InitialReadinessDelay: 30 * time.Second, Now: noon}, c)
	for _, row := range []struct {
		age  time.Duration
		want int32
		why  string
	}{
		{age: 300 * time.Second, want: 5, why: "without a behavior the edge of 5 minutes is inside"},
		{age: 300*time.Second + 1, want: 1, why: "over"},
	} {
		s := State{Recommendations: []Recommendation{{Replicas: 5, At: noon.Add(-row.age)}}}
		_, d := Step(queueSpec(1000, 1, 10), s, Observation{Replicas: 5, StatusReplicas: 5, Readings: []Reading{{Values: []int64{1000}}}}, noon)
		require.Equal(t, row.want, d.Replicas(), row.why)
	}
}

func withTolerance(text string) *autoscalingv2.HorizontalPodAutoscaler {
	q := resource.MustParse(text)
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	hpa.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{Tolerance: &q}}
	return hpa
}

func TestFromTolerance(t *testing.T) {
	for _, row := range []struct {
		text, why string
		want      float64
	}{
		{text: "9m", want: 0.009000000000000001, why: "9 * 10^-3 in float64 is not the nearest to 0.009"},
		{text: "50m", want: 0.05, why: "most are"},
		{text: "1n", want: 1e-9, why: "below a thousandth"},
		{text: "2", want: 2, why: "above 1"},
	} {
		spec, errs := FromHPA(withTolerance(row.text), Flags{})
		require.Empty(t, errs, row.why)
		require.Equal(t, row.want, *spec.Behavior.ScaleUp.Tolerance, row.why)
		require.Nil(t, spec.Behavior.ScaleDown.Tolerance, row.why)
	}
	_, errs := FromHPA(withTolerance("1e400"), Flags{})
	require.Len(t, errs, 1, "no float64, and so no JSON")
	require.Equal(t, "spec.behavior.scaleUp.tolerance", errs[0].Field)
	_, errs = FromHPA(nil, Flags{})
	require.Len(t, errs, 1, "no HPA")
}

// TestFromHPAShares: nothing of a spec is the caller's.
func TestFromHPAShares(t *testing.T) {
	tolerance, window, period, delay, stabilization := 0.2, time.Minute, time.Minute, time.Minute, int32(60)
	hpa := withTolerance("50m")
	hpa.Spec.Behavior.ScaleUp.StabilizationWindowSeconds = &stabilization
	hpa.Spec.MinReplicas = &stabilization
	spec, _ := FromHPA(hpa, Flags{Tolerance: &tolerance, DownscaleStabilization: &window, CPUInitializationPeriod: &period, InitialReadinessDelay: &delay})
	before := asJSON(t, spec)
	tolerance, window, period, delay, stabilization = 9, 9, 9, 9, 9
	require.Equal(t, before, asJSON(t, spec))
}

// TestBehaviorJSON: a behavior has the names of autoscaling/v2, so that one that was copied from an HPA means the same.
func TestBehaviorJSON(t *testing.T) {
	const text = `{"scaleUp":{"stabilizationWindowSeconds":7,"selectPolicy":"Min","policies":[{"type":"Pods","value":4,"periodSeconds":60}],"tolerance":0.05},
		"scaleDown":{"stabilizationWindowSeconds":0,"selectPolicy":"Disabled","policies":[{"type":"Percent","value":10,"periodSeconds":30}]}}`
	var ours Behavior
	require.NoError(t, json.Unmarshal([]byte(text), &ours))
	var theirs autoscalingv2.HorizontalPodAutoscalerBehavior
	require.NoError(t, json.Unmarshal([]byte(text), &theirs))
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	hpa.Spec.Behavior = &theirs
	spec, errs := FromHPA(hpa, Flags{})
	require.Empty(t, errs)
	require.Equal(t, *spec.Behavior, ours)
	require.JSONEq(t, text, asJSON(t, ours)[1:len(asJSON(t, ours))-1])
	require.Error(t, json.Unmarshal([]byte(`{"scaleUp":{"tolerance":"50m"}}`), &ours), "a quantity in quotes is refused, not dropped")
}

func TestFromStatus(t *testing.T) {
	at := metav1.Time{Time: noon.In(time.FixedZone("east", 3600))}
	s := FromStatus(autoscalingv2.HorizontalPodAutoscalerStatus{CurrentReplicas: 3, DesiredReplicas: 4, LastScaleTime: &at,
		Conditions: []autoscalingv2.HorizontalPodAutoscalerCondition{
			{Type: autoscalingv2.ScalingActive, Status: "True", Reason: "ValidMetricFound", LastTransitionTime: at}, {Type: "Else", Status: "True"}}})
	require.Equal(t, State{CurrentReplicas: 3, DesiredReplicas: 4, LastScaleTime: noon,
		Conditions: Conditions{ScalingActive: Condition{Status: "True", Reason: "ValidMetricFound", LastTransition: noon}}}, s)
}
