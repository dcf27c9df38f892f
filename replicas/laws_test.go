package replicas

import (
	"encoding/json"
	"slices"
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

// n1pass: the same of a whole pass with several metrics of any kind, windows and limits.
func n1pass(t *rapid.T) {
	c := plausibleCase().Draw(t, "case")
	o := &c.Observation
	o.StatusReplicas = o.Replicas // nothing is on its way
	low := readyPods(int(o.Replicas), rapid.Int64Range(1, 2000).Draw(t, "request"), 0)
	high := slices.Clone(low)
	usage := rapid.Int64Range(0, 6000)
	for i := range low {
		low[i].Sample.Milli = usage.Draw(t, "usage")
		high[i].Sample.Milli = low[i].Sample.Milli + usage.Draw(t, "more")
	}
	more := c.Observation
	more.Readings = slices.Clone(o.Readings)
	for i := range o.Readings {
		before, after := &o.Readings[i], &more.Readings[i]
		before.Pods, after.Pods, before.Unlisted, after.Unlisted = low, high, nil, nil
		after.Values = slices.Clone(before.Values)
		for k := range after.Values {
			after.Values[k] += usage.Draw(t, "more")
		}
	}
	_, a := Step(c.Spec, c.State, c.Observation, noon)
	_, b := Step(c.Spec, c.State, more, noon)
	require.LessOrEqual(t, a.Replicas(), b.Replicas())
}

func TestN1Pass(t *testing.T) { rapid.Check(t, n1pass) }
func FuzzN1Pass(f *testing.F) { f.Fuzz(rapid.MakeFuzz(n1pass)) }

// n2: a pass that computed metrics ends within minReplicas and maxReplicas if it began there.
func n2(t *rapid.T) {
	c := plausibleCase().Draw(t, "case")
	if rapid.IntRange(0, 3).Draw(t, "hostile") == 3 {
		c.Observation.Readings = anyObservation(len(c.Spec.Metrics)).Draw(t, "observation").Readings
		c.State = anyState().Draw(t, "state")
	}
	current := c.Observation.Replicas
	if current < c.Spec.Min() || current > c.Spec.MaxReplicas {
		return
	}
	_, d := Step(c.Spec, c.State, c.Observation, noon)
	require.GreaterOrEqual(t, d.Replicas(), c.Spec.Min())
	require.LessOrEqual(t, d.Replicas(), c.Spec.MaxReplicas)
}

func TestN2(t *testing.T) { rapid.Check(t, n2) }
func FuzzN2(f *testing.F) { f.Fuzz(rapid.MakeFuzz(n2)) }

// n3: Step is a function of its arguments, on any input; it writes to none of them, and state and decision survive JSON.
func n3(t *rapid.T) {
	c := plausibleCase().Draw(t, "case")
	if rapid.IntRange(0, 3).Draw(t, "hostile") == 3 {
		// JSON has no NaN, so tolerances here are numbers; hostile ones are drawn in TestStepIsTotal.
		c.Spec = anySpec(rapid.Float64Range(0, 3)).Draw(t, "spec")
		c.State = anyState().Draw(t, "state")
		c.Observation = anyObservation(len(c.Spec.Metrics)).Draw(t, "observation")
	}
	spec, state, o := c.Spec, c.State, c.Observation
	now := noon.In(time.FixedZone("east", 3600))
	before := asJSON(t, spec, state, o)
	next, d := Step(spec, state, o, now)
	require.Equal(t, before, asJSON(t, spec, state, o), "inputs unchanged")

	again, dAgain := Step(spec, state, o, now)
	require.Equal(t, next, again)
	require.Equal(t, d, dAgain)

	// The caller's times may be in any zone, so that these are compared as text; what Step has made is equal in Go.
	viaJSON, dViaJSON := Step(throughJSON(t, spec), throughJSON(t, state), throughJSON(t, o), now)
	require.Equal(t, asJSON(t, next, d), asJSON(t, viaJSON, dViaJSON))
	require.Equal(t, asJSON(t, d), asJSON(t, throughJSON(t, d)))
	require.Equal(t, now.UTC(), d.At)

	// The next pass goes the same way from either.
	later := now.Add(DefaultStep)
	second, dSecond := Step(spec, next, o, later)
	secondViaJSON, dSecondViaJSON := Step(spec, throughJSON(t, next), o, later)
	require.Equal(t, asJSON(t, second, dSecond), asJSON(t, secondViaJSON, dSecondViaJSON))

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

// TestMonotonicClock: a reading of the process's own clock does not get into state or decision.
func TestMonotonicClock(t *testing.T) {
	o := Observation{Replicas: 2, StatusReplicas: 2, Readings: []Reading{{Values: []int64{9000}}}}
	spec := queueSpec(1000, 1, 10)
	spec.Behavior = &Behavior{}
	state, d := Step(spec, State{}, o, time.Now())
	require.True(t, d.Rescale)
	require.Equal(t, state, throughJSON(t, state))
	require.Equal(t, d, throughJSON(t, d))
}

// TestShares: what the plausible cases come to. A kind under one percent would leave the laws untried there.
func TestShares(t *testing.T) {
	const draws = 2000
	seen := map[string]int{}
	for i := range draws {
		c := plausibleCase().Example(i)
		_, d := Step(c.Spec, c.State, c.Observation, noon)
		seen["path "+string(d.Path)]++
		if d.Path != PathMetrics {
			continue
		}
		seen["limited by "+d.LimitedBy]++
		seen["reason "+string(d.Reason)]++
		switch {
		case d.Stabilized < d.Proposal:
			seen["stabilized down"]++
		case d.Stabilized > d.Proposal:
			seen["stabilized up"]++
		}
		if c.Spec.Behavior != nil {
			seen["behavior"]++
		}
		if d.Current == 0 {
			seen["from zero"]++
		}
		if d.Rescale && d.Desired == 0 {
			seen["to zero"]++
		}
		if d.Invalid > 0 {
			seen["a failing metric"]++
		}
		for _, m := range d.Metrics {
			seen["outcome "+string(m.Result.Outcome)]++
			if m.Result.Pods.Filled > 0 {
				seen["filled in"]++
			}
		}
	}
	kinds := []string{"behavior", "stabilized down", "stabilized up", "from zero", "to zero", "a failing metric", "filled in"}
	for _, p := range Paths() {
		kinds = append(kinds, "path "+string(p))
	}
	for _, o := range Outcomes() {
		kinds = append(kinds, "outcome "+string(o))
	}
	for _, reason := range []string{"", ReasonTooFewReplicas, ReasonTooManyReplicas, ReasonScaleUpLimit, ReasonScaleDownLimit} {
		kinds = append(kinds, "limited by "+reason)
	}
	for _, reason := range []RescaleReason{"", RescaleAboveTarget, RescaleBelowTarget, RescaleUnstated} {
		kinds = append(kinds, "reason "+string(reason))
	}
	for _, kind := range kinds {
		percent := 100 * float64(seen[kind]) / draws
		t.Logf("%-34s %6.2f %%", kind, percent)
		if percent < 1 {
			t.Errorf("%s: only %.2f %%", kind, percent)
		}
	}
	require.Greater(t, seen["path "+string(PathMetrics)], draws/2)
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
