package replicas

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestReplayRefuses(t *testing.T) {
	one := []int64{1}
	for _, r := range []struct {
		why string
		run Run
	}{
		{why: "no load for the metric", run: Run{Spec: cpuSpec(60, 1, 10)}},
		{why: "both series", run: Run{Spec: cpuSpec(60, 1, 10), Loads: []Load{{PerPod: one, Total: one}}}},
		{why: "an External metric has no pods", run: Run{Spec: queueSpec(1, 1, 10), Loads: []Load{{PerPod: one}}}},
		{why: "lengths differ", run: Run{Spec: Spec{MaxReplicas: 1, Metrics: []Metric{cpu(60), external(1)}}, Loads: []Load{{Total: one}, {Total: []int64{1, 2}}}}},
		{why: "negative step", run: Run{Spec: cpuSpec(60, 1, 10), Step: -1, Loads: []Load{{Total: one}}}},
		{why: "neither series", run: Run{Spec: cpuSpec(60, 1, 10), Loads: []Load{{}}}},
		{why: "failures that fall", run: Run{Spec: cpuSpec(60, 1, 10), Loads: []Load{{Total: make([]int64, 9), Fails: []int{5, 3}}}}},
		{why: "a failure named twice", run: Run{Spec: cpuSpec(60, 1, 10), Loads: []Load{{Total: make([]int64, 9), Fails: []int{3, 3}}}}},
		{why: "a failure before the start", run: Run{Spec: cpuSpec(60, 1, 10), Loads: []Load{{Total: one, Fails: []int{-1}}}}},
		{why: "a failure after the end", run: Run{Spec: cpuSpec(60, 1, 10), Loads: []Load{{Total: one, Fails: []int{1}}}}},
		{why: "negative count", run: Run{Spec: cpuSpec(60, 1, 10), Replicas: -1, Loads: []Load{{Total: one}}}},
		{why: "longer than a Duration", run: Run{Spec: cpuSpec(60, 1, 10), Step: math.MaxInt64, Loads: []Load{{Total: []int64{1, 2}}}}},
	} {
		_, err := Replay(r.run)
		require.Error(t, err, r.why)
	}
	huge := Run{Spec: queueSpec(1, 1, math.MaxInt32), Replicas: math.MaxInt32, Loads: []Load{{Total: []int64{math.MaxInt64, math.MaxInt64}}}}
	h, err := Replay(huge)
	require.NoError(t, err, "an average does not look at pods")
	require.Equal(t, []int32{math.MaxInt32, math.MaxInt32}, h.Replicas)
	huge.Spec = cpuSpec(60, 1, math.MaxInt32)
	_, err = Replay(huge)
	require.ErrorContains(t, err, "MaxPods")
	h, err = Replay(Run{Spec: Spec{MaxReplicas: 3}})
	require.NoError(t, err, "nothing to play")
	require.Empty(t, h.Replicas)
}

// TestStartupDelay: new pods are Pending, so that a burst is not answered twice, and carry no load.
func TestStartupDelay(t *testing.T) {
	// 4 pods want 8. Without samples from the new 4 the second pass counts them as 0: 8 is enough.
	total := []int64{4000, 4000, 4000, 4000, 4000}
	run := Run{Spec: cpuSpec(50, 1, 100), Replicas: 4, Start: noon, StartupDelay: 40 * time.Second, Loads: []Load{{Request: 1000, Total: total}}}
	h, err := Replay(run)
	require.NoError(t, err)
	require.Equal(t, []int32{8, 8, 8, 8, 8}, h.Replicas)
	counts := []Counts{{Ready: 4}, {Ready: 4, Unready: 4, Filled: 4}, {Ready: 4, Unready: 4, Filled: 4}, {Ready: 8}, {Ready: 8}}
	for i, d := range h.Decisions {
		require.Equal(t, counts[i], d.Metrics[0].Result.Pods, "pass %d", i)
	}
	require.Equal(t, int64(4), h.PodStarts)
	require.Zero(t, h.Wakes)
}

// TestReplayPods: what the simulated pods are in each pass.
func TestReplayPods(t *testing.T) {
	// Stopped pods are gone, not pending.
	spec := cpuSpec(50, 1, 10)
	window := time.Duration(0)
	spec.Flags.DownscaleStabilization = &window
	h, err := Replay(Run{Spec: spec, Replicas: 6, Start: noon, Loads: []Load{{Request: 1000, Total: []int64{1000, 1000, 2000}}}})
	require.NoError(t, err)
	require.Equal(t, []int32{6, 2, 4}, h.Replicas, "the count at the start is a recommendation of the first pass")
	for i, want := range []Counts{{Ready: 6}, {Ready: 6}, {Ready: 2}} {
		require.Equal(t, want, h.Decisions[i].Metrics[0].Result.Pods, "pass %d", i)
	}
	// What does not divide is not lost, above and below zero.
	for _, total := range []int64{7, -7} {
		h, err := Replay(Run{Spec: cpuSpec(50, 1, 10), Replicas: 2, Start: noon, Loads: []Load{{Request: 1, Total: []int64{total}}}})
		require.NoError(t, err)
		require.Equal(t, total*50, h.Decisions[0].Metrics[0].Result.Utilization)
	}
}

// TestPerPod: a load that grows with the pods never comes to rest below the maximum.
func TestPerPod(t *testing.T) {
	load := Load{Request: 1000, PerPod: []int64{900, 900, 900, 900, 900}}
	h, err := Replay(Run{Spec: cpuSpec(50, 1, 20), Replicas: 2, Start: noon, Loads: []Load{load}})
	require.NoError(t, err)
	require.Equal(t, []int32{4, 8, 15, 20, 20}, h.Replicas)
	require.Equal(t, 2*h.Step, h.AtMax)
}

// TestReplayFigures: the figures of a history are those of its series.
func TestReplayFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lowest := rapid.Int32Range(0, 2).Draw(t, "min")
		spec := queueSpec(1000, lowest, rapid.Int32Range(2, 12).Draw(t, "max"))
		window := time.Duration(rapid.IntRange(0, 4).Draw(t, "window")) * DefaultStep
		spec.Flags.DownscaleStabilization = &window
		if rapid.Bool().Draw(t, "behavior") {
			spec.Behavior = &Behavior{}
		}
		total := rapid.SliceOfN(rapid.Map(rapid.Int64Range(-4, 12), func(n int64) int64 { return max(n, 0) * 1000 }), 1, 60).Draw(t, "total")
		start := rapid.Int32Range(1, 4).Draw(t, "start")
		h, err := Replay(Run{Spec: spec, Replicas: start, Start: noon, Loads: []Load{{Total: total}}})
		require.NoError(t, err)
		var want History
		before := start
		for i, n := range h.Replicas {
			require.Equal(t, before, h.Decisions[i].Current)
			require.Equal(t, n, h.Decisions[i].Desired)
			want.PodSteps += int64(n)
			switch {
			case n > before && before == 0:
				want.Wakes++
				want.ColdStarts += int64(n)
				fallthrough
			case n > before:
				want.PodStarts += int64(n - before)
				fallthrough
			case n < before:
				want.Rescales++
			}
			for condition, sum := range map[*time.Duration]bool{&want.AtZero: n == 0, &want.AtMin: n == lowest, &want.AtMax: n == spec.MaxReplicas} {
				if sum {
					*condition += h.Step
				}
			}
			before = n
		}
		require.Equal(t, []any{want.PodSteps, want.Wakes, want.ColdStarts, want.PodStarts, want.Rescales, want.AtZero, want.AtMin, want.AtMax},
			[]any{h.PodSteps, h.Wakes, h.ColdStarts, h.PodStarts, h.Rescales, h.AtZero, h.AtMin, h.AtMax})
	})
}
