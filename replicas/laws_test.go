package replicas

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// n1: with every listed pod ready and current equal to the number of pods, more usage never gives fewer replicas.
func n1(t *rapid.T) {
	request := rapid.OneOf(rapid.Int64Range(1, 4000), rapid.Int64Range(1, 1<<50)).Draw(t, "request")
	n := rapid.IntRange(1, 40).Draw(t, "pods")
	usage := rapid.OneOf(rapid.Int64Range(0, 3*request), rapid.Int64Range(0, 1<<62))
	less, more := usage.Draw(t, "usage"), usage.Draw(t, "more usage")
	if less > more {
		less, more = more, less
	}
	tolerance := rapid.Float64Range(0, 1).Draw(t, "tolerance")
	c := Calculator{Current: int32(n), Status: int32(n), Tolerance: Tolerance{Down: tolerance, Up: tolerance}, Now: noon}
	low, high := readyPods(n, request, less), readyPods(n, request, more)
	target := rapid.Int32Range(1, 300).Draw(t, "target")
	a, err := c.Utilization("cpu", low, nil, target)
	require.NoError(t, err)
	b, err := c.Utilization("cpu", high, nil, target)
	require.NoError(t, err)
	require.LessOrEqual(t, a.Replicas, b.Replicas, "utilization")

	raw := rapid.Int64Range(1, 2*request).Draw(t, "raw target")
	a, err = c.ResourceAverage("cpu", low, nil, MilliTarget(raw))
	require.NoError(t, err)
	b, err = c.ResourceAverage("cpu", high, nil, MilliTarget(raw))
	require.NoError(t, err)
	require.LessOrEqual(t, a.Replicas, b.Replicas, "average")
}

func TestN1(t *testing.T) { rapid.Check(t, n1) }
func FuzzN1(f *testing.F) { f.Fuzz(rapid.MakeFuzz(n1)) }

// n2: a pass that computed metrics ends within minReplicas and maxReplicas if it began there.
func n2(t *rapid.T) {
	spec := anySpec(rapid.Float64Range(0, 1)).Draw(t, "spec")
	lowest := rapid.Int32Range(0, 100).Draw(t, "lowest")
	spec.MinReplicas, spec.MaxReplicas = &lowest, lowest+rapid.Int32Range(1, 100).Draw(t, "room")
	spec.ReproduceOverflow = false
	if len(spec.Metrics) == 0 {
		spec.Metrics = []Metric{external(1000)}
	}
	o := anyObservation(len(spec.Metrics)).Draw(t, "observation")
	o.Replicas = rapid.Int32Range(lowest, spec.MaxReplicas).Draw(t, "current")
	_, d := Step(spec, anyState().Draw(t, "state"), o, noon)
	require.GreaterOrEqual(t, d.Replicas(), lowest)
	require.LessOrEqual(t, d.Replicas(), spec.MaxReplicas)
}

func TestN2(t *testing.T) { rapid.Check(t, n2) }
func FuzzN2(f *testing.F) { f.Fuzz(rapid.MakeFuzz(n2)) }

// n3: Step is a function of its arguments, on any input; it writes to none of them, and state and decision survive JSON.
func n3(t *rapid.T) {
	// JSON has no NaN, so tolerances here are numbers; hostile ones are drawn in TestStepIsTotal.
	spec := anySpec(rapid.Float64Range(0, 3)).Draw(t, "spec")
	state := anyState().Draw(t, "state")
	o := anyObservation(len(spec.Metrics)).Draw(t, "observation")
	now := noon.In(time.FixedZone("east", 3600))
	before := asJSON(t, spec, state, o)
	next, d := Step(spec, state, o, now)
	require.Equal(t, before, asJSON(t, spec, state, o), "inputs unchanged")

	again, dAgain := Step(spec, state, o, now)
	require.Equal(t, next, again)
	require.Equal(t, d, dAgain)

	viaJSON, dViaJSON := Step(throughJSON(t, spec), throughJSON(t, state), throughJSON(t, o), now)
	require.Equal(t, next, viaJSON)
	require.Equal(t, d, dViaJSON)
	require.Equal(t, d, throughJSON(t, d))

	// Nothing is shared: what happens to the result does not reach the arguments.
	for i := range next.Recommendations {
		next.Recommendations[i].Replicas++
	}
	for _, events := range [][]ScaleEvent{next.ScaleUps, next.ScaleDowns} {
		for i := range events {
			events[i].Change++
		}
	}
	for i := range d.Metrics {
		if d.Metrics[i].Error != nil {
			d.Metrics[i].Error.Failure = "written"
		}
	}
	require.Equal(t, before, asJSON(t, spec, state, o), "results share nothing with the inputs")
}

func TestN3(t *testing.T) { rapid.Check(t, n3) }
func FuzzN3(f *testing.F) { f.Fuzz(rapid.MakeFuzz(n3)) }

func asJSON(t require.TestingT, values ...any) string {
	text, err := json.Marshal(values)
	require.NoError(t, err)
	return string(text)
}

// stepIsTotal: no input makes Step panic, and every enum it sets is in its closed list.
func stepIsTotal(t *rapid.T) {
	spec := anySpec(anyFloat()).Draw(t, "spec")
	o := anyObservation(len(spec.Metrics)).Draw(t, "observation")
	_, d := Step(spec, anyState().Draw(t, "state"), o, anyTime().Draw(t, "now"))
	require.True(t, d.Path.Valid())
	require.True(t, d.Reason == "" || d.Reason.Valid())
	require.Equal(t, d.Rescale, d.Reason != "")
	require.Contains(t, []corev1.ConditionStatus{corev1.ConditionTrue, corev1.ConditionFalse}, d.Conditions.AbleToScale.Status)
	for _, m := range d.Metrics {
		if m.Error != nil {
			require.True(t, m.Error.Failure.Valid())
			continue
		}
		require.True(t, m.Result.Outcome.Valid())
	}
	for _, kind := range ConditionTypes() {
		_ = d.Message(spec, o, kind)
	}
	_, _ = d.Event(spec, o)
	_ = d.ErrorText(spec, o)
	_ = asJSON(t, d)
}

func TestStepIsTotal(t *testing.T) { rapid.Check(t, stepIsTotal) }
func FuzzStepIsTotal(f *testing.F) { f.Fuzz(rapid.MakeFuzz(stepIsTotal)) }
