package metrics_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	hparegistry "k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
)

// drawV1 draws an autoscaling/v1 object: what the API server itself answers to a v1 client for a random HPA, annotations
// included, or one whose annotations somebody has edited.
func drawV1(t *rapid.T) *autoscalingv1.HorizontalPodAutoscaler {
	h := drawHPAs(t)
	given := h.hpa(t)
	h.status(t, &given.Status)
	if chance(t, 50, "defaulted") {
		legacyscheme.Scheme.Default(given)
	}
	inside, out := &autoscaling.HorizontalPodAutoscaler{}, &autoscalingv1.HorizontalPodAutoscaler{}
	must(t, legacyscheme.Scheme.Convert(given, inside, nil))
	must(t, legacyscheme.Scheme.Convert(inside, out, nil))
	if chance(t, 40, "edited") {
		edit(t, out)
	}
	return out
}

func (h hpas) status(t *rapid.T, out *autoscalingv2.HorizontalPodAutoscalerStatus) {
	out.CurrentReplicas = h.whole(t, "current", 50)
	out.DesiredReplicas = h.whole(t, "desired", 50)
	out.ObservedGeneration = maybe(t, h, "generation", 50, func() int64 { return rapid.Int64().Draw(t, "generation") })
	out.LastScaleTime = maybe(t, h, "scaled", 50, func() metav1.Time { return metav1.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "time"), 0) })
	if chance(t, 30, "conditions") {
		out.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.AbleToScale, Status: "True", Reason: h.name(t, "reason"), Message: h.name(t, "message")}}
	}
	if chance(t, 30, "cpu status") {
		out.CurrentMetrics = []autoscalingv2.MetricStatus{{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricStatus{Name: "cpu", Current: autoscalingv2.MetricValueStatus{
				AverageUtilization: ptr(h.whole(t, "percent", 200)), AverageValue: ptr(h.quantity(t, "average"))}},
		}}
	}
}

var annotationNames = []string{
	autoscaling.MetricSpecsAnnotation, autoscaling.BehaviorSpecsAnnotation, autoscaling.HorizontalPodAutoscalerConditionsAnnotation,
	autoscaling.MetricStatusesAnnotation, autoscaling.ToleranceScaleDownAnnotation, autoscaling.ToleranceScaleUpAnnotation,
}

// annotationTexts are what people and other tools leave in these annotations.
var annotationTexts = []string{
	"", "null", "{}", "[]", "[null]", "[{}]", "0", `""`, "x", "{", `[{"type":"Resource"}]`, `{"type":"Resource"}`,
	`[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":60}}]`,
	`[{"TYPE":"Resource","RESOURCE":{"NAME":"memory","TARGETAVERAGEUTILIZATION":60}}]`,
	`[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":60,"targetAverageValue":"1Gi"}}]`,
	`[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":"60"}}]`,
	`[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":60.5}}]`,
	`[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":3000000000}}]`,
	`[{"type":"Resource","resource":{"name":"memory","targetAverageValue":128}}]`,
	`[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"lots"}}]`,
	`[{"type":"Resource","resource":{"name":"memory","targetAverageValue":null}}]`,
	`[{"type":"ContainerResource","containerResource":{"name":"cpu","container":"app","targetAverageUtilization":70}}]`,
	`[{"type":"Pods","pods":{"metricName":"q"}}]`,
	`[{"type":"Pods","pods":{"metricName":"q","targetAverageValue":"5","selector":{"matchLabels":{"a":"b"}}},"unknown":1}]`,
	`[{"type":"Object","object":{"target":{"kind":"S","name":"n"},"metricName":"q"}}]`,
	`[{"type":"Object","object":{"target":{"kind":"S","name":"n","apiVersion":"v1"},"metricName":"q","targetValue":"0","averageValue":"3"}}]`,
	`[{"type":"Object","object":{"target":{"kind":"S","name":"n","apiVersion":"v1"},"metricName":"q","targetValue":"7","averageValue":"3"}}]`,
	`[{"type":"Object","object":{"target":{"kind":"S","name":"n","apiVersion":"v1"},"metricName":"q","targetValue":"-7"}}]`,
	`[{"type":"External","external":{"metricName":"q","targetValue":"7","targetAverageValue":"3"}}]`,
	`[{"type":"External","external":{"metricName":"q"}}]`,
	`[{"type":"External","external":{"metricName":"q","metricName":"r","targetAverageValue":"3"}}] `,
	`[{"type":"External"}] trailing`,
	`{"ScaleUp":null,"ScaleDown":null}`, `{"ScaleUp":{}}`, `{"scaleUp":{"stabilizationWindowSeconds":0}}`,
	`{"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":"Min","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}],"Tolerance":"50m"}}`,
	`{"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":null,"Policies":null,"Tolerance":0.05}}`,
	`{"scaledown":{"policies":[{"type":"Percent","value":10,"periodSeconds":15}]},"SCALEUP":{"selectpolicy":"Disabled"}}`,
	`{"ScaleDown":{"Policies":[]}}`, `{"ScaleDown":{"Tolerance":"x"}}`, `{"ScaleDown":{"Tolerance":""}}`, `{"ScaleDown":[]}`, `{"ScaleUp":{"Policies":[{}]}}`,
	`{"ScaleUp":{"StabilizationWindowSeconds":1e2}}`, `{"ScaleUp":{"StabilizationWindowSeconds":99999999999}}`,
	`[{"type":"AbleToScale","status":"True","reason":"r","message":"m","lastTransitionTime":"2026-01-02T03:04:05Z"}]`,
	`[{"type":"AbleToScale","lastTransitionTime":"yesterday"}]`, `[{"type":"AbleToScale","lastTransitionTime":null,"observedGeneration":3}]`,
	`[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":3,"currentAverageValue":"1"}}]`,
	"0.1", "50m",
}

// edit changes some annotations: to another text, or by cutting or doubling a piece of the one that is there.
func edit(t *rapid.T, hpa *autoscalingv1.HorizontalPodAutoscaler) {
	hpa.Annotations = maps.Clone(hpa.Annotations)
	if hpa.Annotations == nil {
		hpa.Annotations = map[string]string{}
	}
	for range rapid.IntRange(1, 3).Draw(t, "edits") {
		name := rapid.SampledFrom(annotationNames).Draw(t, "annotation")
		text, there := hpa.Annotations[name]
		switch how := rapid.IntRange(0, 5).Draw(t, "how"); {
		case how == 0:
			delete(hpa.Annotations, name)
		case how <= 2 && there && len(text) > 1:
			from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
			to := rapid.IntRange(from, min(len(text), from+8)).Draw(t, "to")
			piece := text[from:to]
			hpa.Annotations[name] = text[:from] + strings.Repeat(piece, 2*(how-1)) + text[to:]
		default:
			hpa.Annotations[name] = rapid.SampledFrom(annotationTexts).Draw(t, "text")
		}
	}
	if chance(t, 20, "no cpu") {
		hpa.Spec.TargetCPUUtilizationPercentage = nil
	}
}

// unreadable are the annotations that the API server cannot read, and ignores.
func unreadable(hpa *autoscalingv1.HorizontalPodAutoscaler) (out []string) {
	for name, into := range map[string]any{
		autoscaling.MetricSpecsAnnotation:                       &[]autoscalingv1.MetricSpec{},
		autoscaling.BehaviorSpecsAnnotation:                     &autoscaling.HorizontalPodAutoscalerBehavior{},
		autoscaling.HorizontalPodAutoscalerConditionsAnnotation: &[]autoscalingv1.HorizontalPodAutoscalerCondition{},
	} {
		if text, there := hpa.Annotations[name]; there && json.Unmarshal([]byte(text), into) != nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// served is the v2 form that the API server gives out for a v1 object, before it has been stored.
func served(t fataler, hpa *autoscalingv1.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscaler {
	inside, out := &autoscaling.HorizontalPodAutoscaler{}, &autoscalingv2.HorizontalPodAutoscaler{}
	must(t, legacyscheme.Scheme.Convert(hpa.DeepCopy(), inside, nil))
	must(t, legacyscheme.Scheme.Convert(inside, out, nil))
	return out
}

// TestFromV1 compares the library's conversion with the API server's, by way of its internal version, and again after the
// defaults that both put in. Where the library refuses an annotation, the API server cannot read it either.
func TestFromV1(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		given := drawV1(t)
		before := asJSON(t, given)
		got, err := metrics.FromV1(given)
		require.Equal(t, before, asJSON(t, given), "the input was written to")
		seen["HPAs"]++
		if refused := unreadable(given); len(refused) > 0 || err != nil {
			require.Error(t, err, "%v: %s", refused, before)
			require.NotEmpty(t, refused, "%v: %s", err, before)
			require.Contains(t, err.Error(), "metadata.annotations[")
			seen["unreadable"]++
			return
		}
		requireEqual(t, served(t, given), got, before)

		want := given.DeepCopy()
		legacyscheme.Scheme.Default(want)
		stored := served(t, want)
		legacyscheme.Scheme.Default(stored)
		requireEqual(t, stored, metrics.Default(got), before)
		for _, name := range annotationNames[:3] {
			if _, there := given.Annotations[name]; there {
				seen[name]++
			}
		}
		if len(stored.Spec.Metrics) > 1 {
			seen["several metrics"]++
		}
	})
	seen.require(t, "HPAs", 3, "HPAs", "unreadable", "several metrics", annotationNames[0], annotationNames[1], annotationNames[2])
}

// requireEqual compares all but status.currentMetrics where these come from an annotation, which the library drops unread.
func requireEqual(t fataler, want, got *autoscalingv2.HorizontalPodAutoscaler, given string) {
	t.Helper()
	if strings.Contains(given, autoscaling.MetricStatusesAnnotation) {
		want, got = want.DeepCopy(), got.DeepCopy()
		want.Status.CurrentMetrics, got.Status.CurrentMetrics = nil, nil
	}
	require.Equal(t, asJSON(t, want), asJSON(t, got), "%s", given)
	require.True(t, equality.Semantic.DeepEqual(want, got), "%s", given)
}

// TestValidateFromV1: what the API server refuses in a v1 object, the library refuses in its v2 form, with one exception. v1
// has no defaults for behavior, so the API server asks for policies where v2 would fill them in.
func TestValidateFromV1(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		given := drawV1(t)
		converted, err := metrics.FromV1(given)
		if err != nil {
			return
		}
		want := hparegistry.Strategy.Validate(context.Background(), internal(t, given))
		seen["HPAs"]++
		kept := want[:0:0]
		for _, e := range want {
			if strings.HasPrefix(e.Field, "spec.behavior.") && strings.HasSuffix(e.Field, ".policies") {
				seen["policies asked for"]++
				continue
			}
			kept = append(kept, e)
		}
		got := metrics.Validate(converted)
		rest := got[:0:0]
		for _, e := range got {
			if !strings.HasSuffix(e.Field, ".policies") {
				rest = append(rest, e)
			}
		}
		require.Equal(t, refusals(kept, true), refusals(rest, true), "%s", asJSON(t, given))
		if len(want) == 0 {
			seen["accepted"]++
		}
	})
	seen.require(t, "HPAs", 2, "HPAs", "accepted", "policies asked for")
}
