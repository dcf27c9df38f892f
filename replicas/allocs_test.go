package replicas

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAllocations: the arithmetic allocates nothing, and a pass what its result holds.
func TestAllocations(t *testing.T) {
	spec := cpuSpec(60, 1, 100)
	c := spec.Calculator(100, 100, noon)
	pods := readyPods(100, 1000, 800)
	pods[3].Sampled = false // a second pass
	values := []int64{5000, 7000}
	state := State{Recommendations: []Recommendation{{Replicas: 10, At: noon}}}
	o := Observation{Replicas: 10, StatusReplicas: 10, Readings: []Reading{{Pods: pods}}}
	for _, row := range []struct {
		why  string
		most float64
		call func()
	}{
		{why: "utilization", call: func() { _, _ = c.Utilization("cpu", pods, nil, 60) }},
		{why: "a raw average", call: func() { _, _ = c.ResourceAverage("cpu", pods, nil, 500) }},
		{why: "a Pods average", call: func() { _, _ = c.PodsAverage(pods, nil, 500) }},
		{why: "an Object value", call: func() { _, _ = c.ObjectValue(5000, pods, 500) }},
		{why: "an Object average", call: func() { _, _ = c.ObjectAverage(5000, 500) }},
		{why: "an External value", call: func() { _, _ = c.ExternalValue(values, pods, 500) }},
		{why: "an External average", call: func() { _, _ = c.ExternalAverage(values, 500) }},
		{why: "a pass: recommendations and the decisions about metrics", most: 2, call: func() {
			Step(spec, state, o, noon)
		}},
	} {
		require.LessOrEqual(t, testing.AllocsPerRun(100, row.call), row.most, row.why)
	}
}
