package metrics_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/metrics"
)

func annotated(name, text string) *autoscalingv1.HorizontalPodAutoscaler {
	h := &autoscalingv1.HorizontalPodAutoscaler{}
	h.Annotations = map[string]string{"autoscaling.alpha.kubernetes.io/" + name: text}
	return h
}

// TestFromV1Metrics is HPA rule 78 for autoscaling/v1: the entries come from an annotation, the cpu target last.
func TestFromV1Metrics(t *testing.T) {
	cpu80 := `{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}`
	for _, row := range []struct {
		name, text string
		cpu        *int32
		want       []string
		why        string
	}{
		{"nothing", "", nil, nil, "an empty annotation cannot be read"},
		{"null", "null", nil, []string{cpu80}, "no entries: the API server's default"},
		{"empty", "[]", nil, []string{cpu80}, "no entries: the API server's default"},
		{"empty and cpu", "[]", ptr(int32(55)), []string{strings.Replace(cpu80, "80", "55", 1)}, "the field alone"},
		{"cpu 0", "[]", ptr(int32(0)), []string{strings.Replace(cpu80, "80", "0", 1)}, "0 is a target that is refused later, not the default"},
		{"memory utilization and cpu", `[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":60}}]`, ptr(int32(55)),
			[]string{`{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":60}}}`, strings.Replace(cpu80, "80", "55", 1)}, "the field comes last"},
		{"no cpu", `[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]`, nil,
			[]string{`{"type":"Resource","resource":{"name":"memory","target":{"type":"AverageValue","averageValue":"1Gi"}}}`}, "the default is for no entries at all"},
		{"both values", `[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":60,"targetAverageValue":"1Gi"}}]`, nil,
			[]string{`{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageValue":"1Gi","averageUtilization":60}}}`}, "both are kept, to be refused later"},
		{"neither value", `[{"type":"Resource","resource":{"name":"memory"}}]`, nil,
			[]string{`{"type":"Resource","resource":{"name":"memory","target":{"type":"AverageValue"}}}`}, "to be refused later"},
		{"container utilization", `[{"type":"ContainerResource","containerResource":{"name":"cpu","container":"app","targetAverageUtilization":70}}]`, nil,
			[]string{`{"type":"ContainerResource","containerResource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":70},"container":"app"}}`}, "one container"},
		{"container value", `[{"type":"ContainerResource","containerResource":{"name":"cpu","container":"app","targetAverageValue":"70m"}}]`, nil,
			[]string{`{"type":"ContainerResource","containerResource":{"name":"cpu","target":{"type":"AverageValue","averageValue":"70m"},"container":"app"}}`}, "one container"},
		{"pods", `[{"type":"Pods","pods":{"metricName":"q","targetAverageValue":"5","selector":{"matchLabels":{"a":"b"}}}}]`, nil,
			[]string{`{"type":"Pods","pods":{"metric":{"name":"q","selector":{"matchLabels":{"a":"b"}}},"target":{"type":"AverageValue","averageValue":"5"}}}`}, "a value per pod"},
		{"pods without value", `[{"type":"Pods","pods":{"metricName":"q"}}]`, nil,
			[]string{`{"type":"Pods","pods":{"metric":{"name":"q"},"target":{"type":"AverageValue","averageValue":"0"}}}`}, "the v1 field is no pointer"},
		{"object", `[{"type":"Object","object":{"target":{"kind":"S","name":"n","apiVersion":"v1"},"metricName":"q","targetValue":"7","selector":{"matchLabels":{"a":"b"}}}}]`, nil,
			[]string{`{"type":"Object","object":{"describedObject":{"kind":"S","name":"n","apiVersion":"v1"},"target":{"type":"Value","value":"7"},"metric":{"name":"q","selector":{"matchLabels":{"a":"b"}}}}}`}, "a value in all"},
		{"object, average", `[{"type":"Object","object":{"target":{"kind":"S","name":"n"},"metricName":"q","targetValue":"0","averageValue":"3"}}]`, nil,
			[]string{`{"type":"Object","object":{"describedObject":{"kind":"S","name":"n"},"target":{"type":"AverageValue","averageValue":"3"},"metric":{"name":"q"}}}`}, "a value of 0 is none"},
		{"object, both", `[{"type":"Object","object":{"target":{"kind":"S","name":"n"},"metricName":"q","targetValue":"7","averageValue":"3"}}]`, nil,
			[]string{`{"type":"Object","object":{"describedObject":{"kind":"S","name":"n"},"target":{"type":"AverageValue","value":"7","averageValue":"3"},"metric":{"name":"q"}}}`}, "both are kept, the average decides"},
		{"object, zero", `[{"type":"Object","object":{"target":{"kind":"S","name":"n"},"metricName":"q"}}]`, nil,
			[]string{`{"type":"Object","object":{"describedObject":{"kind":"S","name":"n"},"target":{"type":"Value","value":"0"},"metric":{"name":"q"}}}`}, "to be refused later"},
		{"external value", `[{"type":"External","external":{"metricName":"q","targetValue":"7","metricSelector":{"matchLabels":{"a":"b"}}}}]`, nil,
			[]string{`{"type":"External","external":{"metric":{"name":"q","selector":{"matchLabels":{"a":"b"}}},"target":{"type":"Value","value":"7"}}}`}, "a value in all"},
		{"external average", `[{"type":"External","external":{"metricName":"q","targetAverageValue":"3"}}]`, nil,
			[]string{`{"type":"External","external":{"metric":{"name":"q"},"target":{"type":"AverageValue","averageValue":"3"}}}`}, "a value per pod"},
		{"external both", `[{"type":"External","external":{"metricName":"q","targetValue":"7","targetAverageValue":"3"}}]`, nil,
			[]string{`{"type":"External","external":{"metric":{"name":"q"},"target":{"type":"Value","value":"7","averageValue":"3"}}}`}, "both are kept, to be refused later"},
		{"several in order", `[{"type":"External"},{"type":"Pods"},{"type":"x"}]`, ptr(int32(80)), []string{`{"type":"External"}`, `{"type":"Pods"}`, `{"type":"x"}`, cpu80}, "the order of the annotation, cpu last"},
	} {
		t.Run(row.name, func(t *testing.T) {
			given := annotated("metrics", row.text)
			given.Spec.TargetCPUUtilizationPercentage = row.cpu
			out, err := metrics.FromV1(given)
			if row.want == nil {
				require.ErrorContains(t, err, "metadata.annotations[autoscaling.alpha.kubernetes.io/metrics]: ", row.why)
				require.Nil(t, out)
				return
			}
			require.NoError(t, err, row.why)
			var got []string
			for _, m := range out.Spec.Metrics {
				text, err := json.Marshal(m)
				require.NoError(t, err)
				got = append(got, string(text))
			}
			require.Equal(t, row.want, got, row.why)
		})
	}
	none, err := metrics.FromV1(nil)
	require.Nil(t, none)
	require.NoError(t, err)
	plain, err := metrics.FromV1(&autoscalingv1.HorizontalPodAutoscaler{})
	require.NoError(t, err)
	require.Equal(t, metrics.Default(&autoscalingv2.HorizontalPodAutoscaler{}).Spec.Metrics, plain.Spec.Metrics, "no annotation and no target is cpu 80 as well")
	require.Nil(t, plain.Spec.Behavior)
	require.Nil(t, plain.Annotations)
}

// TestFromV1Rest: everything but the entries.
func TestFromV1Rest(t *testing.T) {
	when := metav1.NewTime(time.Unix(1700000000, 0))
	given := annotated("behavior", `{"ScaleUp":{"StabilizationWindowSeconds":5,"Tolerance":"50m"},"ScaleDown":{"SelectPolicy":"Min","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}]}}`)
	given.Name, given.Namespace, given.UID, given.Labels = "web", "shop", "u-1", map[string]string{"a": "b"}
	given.Annotations["autoscaling.alpha.kubernetes.io/conditions"] = `[{"type":"ScalingActive","status":"False","reason":"FailedGetResourceMetric","message":"m"}]`
	given.Annotations["autoscaling.alpha.kubernetes.io/current-metrics"] = `[{"type":"Resource"}]`
	given.Annotations["autoscaling.alpha.kubernetes.io/scale-up-tolerance"] = "0.05"
	given.Annotations["autoscaling.alpha.kubernetes.io/scale-down-tolerance"] = "0.05"
	given.Annotations["kept"] = "yes"
	given.Spec.ScaleTargetRef = autoscalingv1.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	given.Spec.MinReplicas, given.Spec.MaxReplicas = ptr(int32(3)), 9
	given.Status = autoscalingv1.HorizontalPodAutoscalerStatus{ObservedGeneration: ptr(int64(4)), LastScaleTime: &when, CurrentReplicas: 5, DesiredReplicas: 6, CurrentCPUUtilizationPercentage: ptr(int32(77))}
	out, err := metrics.FromV1(given)
	require.NoError(t, err)

	want := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: given.ObjectMeta}
	want.Annotations = map[string]string{"kept": "yes"}
	want.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		MinReplicas:    ptr(int32(3)), MaxReplicas: 9, Metrics: out.Spec.Metrics,
		Behavior: &autoscalingv2.HorizontalPodAutoscalerBehavior{
			ScaleUp:   &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: ptr(int32(5)), Tolerance: quantity("50m")},
			ScaleDown: &autoscalingv2.HPAScalingRules{SelectPolicy: ptr(autoscalingv2.MinChangePolicySelect), Policies: []autoscalingv2.HPAScalingPolicy{{Type: "Pods", Value: 1, PeriodSeconds: 60}}},
		}}
	want.Status = autoscalingv2.HorizontalPodAutoscalerStatus{ObservedGeneration: ptr(int64(4)), LastScaleTime: &when, CurrentReplicas: 5, DesiredReplicas: 6,
		CurrentMetrics: []autoscalingv2.MetricStatus{{Type: "Resource", Resource: &autoscalingv2.ResourceMetricStatus{Name: "cpu", Current: autoscalingv2.MetricValueStatus{AverageUtilization: ptr(int32(77))}}}},
		Conditions:     []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.ScalingActive, Status: "False", Reason: "FailedGetResourceMetric", Message: "m"}}}
	require.Equal(t, want, out, "HPA rule 74: conditions are carried; rule 78: behavior is; the annotations are not")

	for _, row := range []struct {
		text     string
		up, down bool
		why      string
	}{
		{"null", false, false, "no behavior"},
		{"{}", false, false, "no behavior: an empty one would be another controller path"},
		{`{"ScaleUp":null,"ScaleDown":null}`, false, false, "what the API server writes for an empty one"},
		{`{"ScaleUp":{}}`, true, false, "one direction"},
		{`{"scaleDown":{}}`, false, true, "the other, in another spelling"},
	} {
		out, err := metrics.FromV1(annotated("behavior", row.text))
		require.NoError(t, err)
		require.Equal(t, row.up || row.down, out.Spec.Behavior != nil, row.why)
		if b := out.Spec.Behavior; b != nil {
			require.Equal(t, []bool{row.up, row.down}, []bool{b.ScaleUp != nil, b.ScaleDown != nil}, row.why)
		}
	}
}

// TestFromV1Refuses: an annotation that cannot be read would hide something.
func TestFromV1Refuses(t *testing.T) {
	const exponent = "a number has an exponent of more than three digits"
	for _, row := range []struct{ name, text, want, why string }{
		{"metrics", "x", "invalid character", "no JSON"},
		{"metrics", `{"type":"Resource"}`, "cannot unmarshal object", "no list"},
		{"metrics", `[{"type":"Resource","resource":{"targetAverageUtilization":3000000000}}]`, "cannot unmarshal number", "beyond int32"},
		{"metrics", `[{"type":"Resource","resource":{"targetAverageValue":"lots"}}]`, "quantities must match", "no quantity"},
		{"metrics", `[{"type":"Resource","resource":{"targetAverageValue":"1e-99999"}}]`, exponent, "would take minutes"},
		{"metrics", `[{"type":"Resource","resource":{"targetAverageValue":"1.E+1000"}}]`, exponent, "the shortest that is too long, in another spelling"},
		{"metrics", `[{"type":"Resource","resource":{"targetAverageValue":"1e-0000"}}]`, exponent, "digits are counted, not read"},
		{"metrics", `[{"type":"Resource","resource":{"targetAverageValue":"1e1000"}}]`, exponent, "without a sign"},
		{"behavior", `{"ScaleUp":{"Tolerance":"1e-99999"}}`, exponent, "would take minutes"},
		{"behavior", "[]", "cannot unmarshal array", "no object"},
		{"conditions", "{}", "cannot unmarshal object", "no list"},
	} {
		out, err := metrics.FromV1(annotated(row.name, row.text))
		require.ErrorContains(t, err, "metadata.annotations[autoscaling.alpha.kubernetes.io/"+row.name+"]: ", row.why)
		require.ErrorContains(t, err, row.want, row.why)
		require.Nil(t, out)
	}
	for _, row := range []struct{ name, text, why string }{
		{"metrics", `[{"type":"Resource","resource":{"targetAverageValue":"1e999"}}]`, "three digits can be read"},
		{"metrics", `[{"type":"External","external":{"metricName":"e1000"}}]`, "no number stands before it"},
		{"metrics", `[{"type":"External","external":{"metricName":"1e999-1000"}}]`, "the exponent ends at the sign"},
		{"metrics", `[{"type":"External","external":{"metricName":"1e"}}]`, "no digits at all"},
		{"conditions", `[{"message":"1.5E+"}]`, "no digits at all"},
		{"current-metrics", "x", "the status entries are not read"},
		{"scale-up-tolerance", "x", "tolerances are in the behavior"},
		{"scale-down-tolerance", "x", "tolerances are in the behavior"},
	} {
		_, err := metrics.FromV1(annotated(row.name, row.text))
		require.NoError(t, err, row.why)
	}
	_, err := metrics.FromV1(annotated("conditions", "1e"))
	require.ErrorContains(t, err, "invalid character", "an exponent at the very end is only bad JSON")
	_, err = metrics.FromV1(annotated("conditions", "1e+"))
	require.Error(t, err)
}

// TestDefault is HPA rule 78, and the defaults of behavior.
func TestDefault(t *testing.T) {
	const all = `{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods","value":4,"periodSeconds":15},{"type":"Percent","value":100,"periodSeconds":15}]}`
	const down = `{"selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]}`
	const cpu = `[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]`
	for _, row := range []struct{ name, given, want, why string }{
		{"nothing", `{}`, `{"minReplicas":1,"metrics":` + cpu + `}`, "no behavior stays no behavior"},
		{"minimum", `{"minReplicas":0,"metrics":[{"type":"Pods"}]}`, `{"minReplicas":0,"metrics":[{"type":"Pods"}]}`, "what is there stays, 0 too"},
		{"empty behavior", `{"behavior":{}}`, `{"minReplicas":1,"metrics":` + cpu + `,"behavior":{"scaleUp":` + all + `,"scaleDown":` + down + `}}`, "both directions are filled; the scale-down window is a flag, not a default"},
		{"empty rules", `{"behavior":{"scaleUp":{},"scaleDown":{}}}`, `{"minReplicas":1,"metrics":` + cpu + `,"behavior":{"scaleUp":` + all + `,"scaleDown":` + down + `}}`, "the same"},
		{"own rules", `{"behavior":{"scaleUp":{"stabilizationWindowSeconds":9,"selectPolicy":"Min","policies":[{"type":"Pods","value":1,"periodSeconds":1}],"tolerance":"0"},"scaleDown":{"stabilizationWindowSeconds":8,"selectPolicy":"Disabled","policies":[]}}}`,
			`{"minReplicas":1,"metrics":` + cpu + `,"behavior":{"scaleUp":{"stabilizationWindowSeconds":9,"selectPolicy":"Min","policies":[{"type":"Pods","value":1,"periodSeconds":1}],"tolerance":"0"},"scaleDown":{"stabilizationWindowSeconds":8,"selectPolicy":"Disabled","policies":[]}}}`,
			"nothing is overwritten, an empty list is no missing list"},
	} {
		t.Run(row.name, func(t *testing.T) {
			given, want := &autoscalingv2.HorizontalPodAutoscaler{}, &autoscalingv2.HorizontalPodAutoscaler{}
			require.NoError(t, json.Unmarshal([]byte(row.given), &given.Spec))
			require.NoError(t, json.Unmarshal([]byte(row.want), &want.Spec))
			require.Equal(t, want, metrics.Default(given), row.why)
		})
	}
	require.Nil(t, metrics.Default(nil))
	require.Equal(t, int32(1), metrics.MinReplicas(nil))
	require.Equal(t, int32(1), metrics.MinReplicas(&autoscalingv2.HorizontalPodAutoscalerSpec{}))
	require.Equal(t, int32(0), metrics.MinReplicas(&autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: ptr(int32(0))}))
	require.Equal(t, []int32{80, 1, 300}, []int32{metrics.DefaultCPUUtilization, metrics.DefaultMinReplicas, metrics.DefaultScaleDownWindowSeconds})
}
