package metrics_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
)

// The P-laws on hostile draws: no panic, the input is not written to, equal answers, closed lists, nothing shared with the input.

func lawClassify(t *rapid.T) {
	hpa := drawHPA(t)
	before := hpa.DeepCopy()
	var spec *autoscalingv2.HorizontalPodAutoscalerSpec
	if hpa != nil {
		spec = &hpa.Spec
	}
	entries := metrics.Classify(spec)
	require.Equal(t, before, hpa, "P2")
	require.Equal(t, entries, metrics.Classify(spec), "P3")
	if spec == nil {
		require.Empty(t, entries)
		return
	}
	require.Len(t, entries, max(len(spec.Metrics), 1), "one entry for each, or the default")
	for i, e := range entries {
		require.Equal(t, i, e.Index)
		require.Contains(t, metrics.TargetKinds(), e.Target)
		require.Equal(t, e.Target == metrics.TargetAverageValue || e.Target == metrics.TargetValue, e.Value != nil, "a value where there is one")
		require.True(t, e.Target == metrics.TargetUtilization || e.Utilization == 0)
		require.True(t, !e.Coupled() || (e.Target == metrics.TargetUtilization && e.Metric == ""), "only requests couple")
		if e.Value != nil {
			e.Value.Add(*e.Value)
			_ = e.Value.String()
		}
	}
	require.Equal(t, before, hpa, "the values are copies")
}

func TestClassifyLaw(t *testing.T) { rapid.Check(t, lawClassify) }
func FuzzClassify(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(lawClassify)) }

// What the API server fills in does not depend on how often it is asked, changes nothing that is there, and is never refused for itself.
func lawDefault(t *rapid.T) {
	hpa := drawHPA(t)
	before := hpa.DeepCopy()
	filled := metrics.Default(hpa)
	require.Equal(t, before, hpa, "P2")
	require.Equal(t, filled, metrics.Default(hpa), "P3")
	if hpa == nil {
		require.Nil(t, filled)
		return
	}
	require.Equal(t, filled, metrics.Default(filled), "the second time changes nothing")
	require.Equal(t, fmt.Sprint(metrics.Validate(hpa)), fmt.Sprint(metrics.Validate(filled)), "defaults are neither good nor bad")
	require.Equal(t, metrics.Classify(&hpa.Spec), metrics.Classify(&filled.Spec), "an HPA without metrics is classified as what it becomes")
	require.Equal(t, metrics.MinReplicas(&hpa.Spec), *filled.Spec.MinReplicas)
	given := marshalMap(t, hpa.Spec)
	requireHolds(t, marshalMap(t, filled.Spec), given)
	for i := range filled.Spec.Metrics { // nothing is shared
		filled.Spec.Metrics[i].Resource = nil
	}
	*filled.Spec.MinReplicas = 77
	require.Equal(t, before, hpa)
}

func marshalMap(t *rapid.T, v any) map[string]any {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	out := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// requireHolds says that every field of some is in all with the same value.
func requireHolds(t *rapid.T, all, some map[string]any) {
	for name, v := range some {
		if inner, ok := v.(map[string]any); ok {
			outer, ok := all[name].(map[string]any)
			require.True(t, ok, name)
			requireHolds(t, outer, inner)
			continue
		}
		if list, ok := v.([]any); ok && len(list) == 0 {
			continue // written as empty
		}
		require.Equal(t, v, all[name], name)
	}
}

func TestDefaultLaw(t *testing.T) { rapid.Check(t, lawDefault) }
func FuzzDefault(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(lawDefault)) }

// A valid HPA stays valid with a higher maximum and with its entries in another order; no error comes without a path below spec.
func lawValidate(t *rapid.T) {
	hpa := drawHPA(t)
	before := hpa.DeepCopy()
	errs := metrics.Validate(hpa)
	require.Equal(t, before, hpa, "P2")
	require.Equal(t, fmt.Sprint(errs), fmt.Sprint(metrics.Validate(hpa)), "P3")
	for _, e := range errs {
		require.Regexp(t, `^spec\b`, e.Field)
		require.NotEmpty(t, e.Type)
	}
	if hpa == nil {
		require.Len(t, errs, 1)
		return
	}
	for _, e := range metrics.Classify(&hpa.Spec) {
		if len(errs) == 0 && e.Target == metrics.TargetUnusable {
			require.Equal(t, autoscalingv2.ObjectMetricSourceType, e.Type, "the only accepted entry that the controller cannot use")
		}
		if len(errs) == 0 && e.Target == metrics.TargetUtilization {
			require.Positive(t, e.Utilization)
		}
	}
	other := hpa.DeepCopy()
	if n := len(other.Spec.Metrics); n > 1 {
		other.Spec.Metrics[0], other.Spec.Metrics[n-1] = other.Spec.Metrics[n-1], other.Spec.Metrics[0]
	}
	require.Len(t, metrics.Validate(other), len(errs), "the order of entries does not matter")
	good := validHPA()
	require.Empty(t, metrics.Validate(good))
	good.Spec.Metrics = append(good.Spec.Metrics, hpa.Spec.Metrics...)
	require.Equal(t, len(metrics.Validate(only(hpa.Spec.Metrics...))) == 0, len(metrics.Validate(good)) == 0, "entries are judged one by one")
}

func TestValidateLaw(t *testing.T) { rapid.Check(t, lawValidate) }
func FuzzValidate(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(lawValidate)) }

func lawFromV1(t *rapid.T) {
	given := drawV1(t)
	before := given.DeepCopy()
	out, err := metrics.FromV1(given)
	require.Equal(t, before, given, "P2")
	again, errAgain := metrics.FromV1(given)
	require.True(t, equality.Semantic.DeepEqual(out, again), "P3")
	require.Equal(t, fmt.Sprint(err), fmt.Sprint(errAgain))
	if given == nil || err != nil {
		require.Nil(t, out)
		return
	}
	require.NotEmpty(t, out.Spec.Metrics, "there always is something to measure")
	require.Equal(t, given.Spec.MaxReplicas, out.Spec.MaxReplicas)
	if target := given.Spec.TargetCPUUtilizationPercentage; target != nil {
		last := metrics.Classify(&out.Spec)[len(out.Spec.Metrics)-1]
		require.Equal(t, metrics.Entry{Index: last.Index, Type: "Resource", Resource: "cpu", Target: metrics.TargetUtilization, Utilization: *target}, last)
		*out.Spec.Metrics[last.Index].Resource.Target.AverageUtilization++
	}
	for _, name := range annotations {
		require.NotContains(t, out.Annotations, name)
	}
	if given.Annotations != nil {
		require.Equal(t, map[string]string{"kept": "yes"}, out.Annotations)
		out.Annotations["more"] = "x"
	}
	if out.Spec.MinReplicas != nil {
		*out.Spec.MinReplicas++
	}
	for i := range out.Status.CurrentMetrics {
		*out.Status.CurrentMetrics[i].Resource.Current.AverageUtilization++
	}
	require.Equal(t, before, given, "nothing is shared")
}

func TestFromV1Law(t *testing.T) { rapid.Check(t, lawFromV1) }
func FuzzFromV1(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(lawFromV1)) }

func lawContainers(t *rapid.T) {
	pod := drawPod(t)
	name := rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", pages, "ephemeral-storage", "", "x"}).Draw(t, "resource")
	before := copyPod(pod)
	list, err := pod.Containers(name)
	require.Equal(t, before, pod, "P2")
	again, errAgain := pod.Containers(name)
	require.Equal(t, list, again, "P3")
	require.Equal(t, err, errAgain)
	if err != nil {
		require.Nil(t, list)
		require.NotEmpty(t, err.Field)
		return
	}
	own, named := 0, map[string]bool{}
	if pod.Spec != nil {
		for _, c := range append(slices.Clone(pod.Spec.Containers), pod.Spec.InitContainers...) {
			named[c.Name] = true
		}
	}
	for _, c := range list {
		require.Contains(t, metrics.Roles(), c.Role)
		for _, a := range []metrics.Amount{c.Request, c.Limit} {
			require.GreaterOrEqual(t, a.Milli, int64(0))
			require.Equal(t, a.Present(), a.Source != "")
			require.True(t, a.Present() || a == metrics.Amount{}, "an absent amount is empty")
			require.True(t, !a.Present() || a.Source == metrics.SourceRequest || a.Source == metrics.SourceLimit || a.Source == metrics.SourceLimitRange)
			require.Equal(t, a.Present(), a.Quantity() != nil)
		}
		require.NotEqual(t, metrics.SourceRequest, c.Limit.Source)
		require.True(t, !c.Limit.Present() || c.Request.Present(), "a limit always gives a request")
		require.True(t, !c.Injected || !named[c.Name], "where both have a container the template wins")
		if !c.Injected {
			own++
		}
	}
	if pod.Spec == nil {
		require.Empty(t, list)
		return
	}
	require.Equal(t, len(pod.Spec.Containers)+len(pod.Spec.InitContainers), own, "the template's are all there, once")
	alone := pod
	alone.Live = nil
	mine, err := alone.Containers(name)
	if err == nil {
		kept := list[:0:0]
		for _, c := range list {
			if !c.Injected {
				kept = append(kept, c)
			}
		}
		require.Equal(t, mine, kept[:len(kept):len(kept)], "a live pod changes nothing of the template's")
	}
}

func TestContainersLaw(t *testing.T) { rapid.Check(t, lawContainers) }
func FuzzContainers(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(lawContainers)) }
