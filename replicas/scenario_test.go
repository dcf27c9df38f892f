package replicas

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write testdata/scenarios/*/want.yaml anew")

type scenario struct {
	HPA      autoscalingv2.HorizontalPodAutoscaler `json:"hpa"`
	Replicas int32                                 `json:"replicas"`
	Request  string                                `json:"request,omitempty"`
	Phases   []struct {
		Passes int      `json:"passes"`
		Totals []string `json:"totals"`
		Fails  []int    `json:"fails,omitempty"` // metrics that cannot be read
		Why    string   `json:"why"`
	} `json:"phases"`
}

func readScenario(t *testing.T, dir string) (Run, scenario) {
	text, err := os.ReadFile(filepath.Join(dir, "input.yaml"))
	require.NoError(t, err)
	var s scenario
	require.NoError(t, yaml.UnmarshalStrict(text, &s))
	spec, errs := FromHPA(&s.HPA, Flags{})
	require.Empty(t, errs)
	run := Run{Spec: spec, Replicas: s.Replicas, Start: noon, Loads: make([]Load, len(spec.Metrics))}
	passes := 0
	for _, phase := range s.Phases {
		require.Len(t, phase.Totals, len(spec.Metrics))
		for i := range run.Loads {
			load := &run.Loads[i]
			if s.Request != "" {
				request := resources("cpu=" + s.Request)["cpu"]
				load.Request = request.MilliValue()
			}
			q := resources("x=" + phase.Totals[i])["x"]
			for p := range phase.Passes {
				load.Total = append(load.Total, q.MilliValue())
				if slices.Contains(phase.Fails, i) {
					load.Fails = append(load.Fails, passes+p)
				}
			}
		}
		passes += phase.Passes
	}
	return run, s
}

// series shows counts as runs: "4 6x3" is 4, 6, 6, 6.
func series(counts []int32) string {
	var out []string
	for i := 0; i < len(counts); {
		n := i
		for n < len(counts) && counts[n] == counts[i] {
			n++
		}
		if n-i == 1 {
			out = append(out, fmt.Sprint(counts[i]))
		} else {
			out = append(out, fmt.Sprintf("%dx%d", counts[i], n-i))
		}
		i = n
	}
	return strings.Join(out, " ")
}

type scenarioWant struct {
	Phases                []phaseWant
	Rescales, Wakes       int
	ColdStarts, PodStarts int64
	AtZero, AtMin, AtMax  string
	PodHours              string
}

type phaseWant struct{ Why, Replicas, Last string }

func (s scenario) want(h History) scenarioWant {
	w := scenarioWant{Rescales: h.Rescales, Wakes: h.Wakes, ColdStarts: h.ColdStarts, PodStarts: h.PodStarts, AtZero: h.AtZero.String(),
		AtMin: h.AtMin.String(), AtMax: h.AtMax.String(), PodHours: fmt.Sprintf("%.4f", h.PodHours())}
	at := 0
	for _, p := range s.Phases {
		at += p.Passes
		d := h.Decisions[at-1]
		w.Phases = append(w.Phases, phaseWant{Why: p.Why, Replicas: series(h.Replicas[at-p.Passes : at]),
			Last: strings.TrimSpace(fmt.Sprintf("%s wants %d %s", d.Path, d.Proposal, d.LimitedBy))})
	}
	return w
}

// TestScenarios replays stories. Each is played again from several goroutines, and its input is compared afterwards.
func TestScenarios(t *testing.T) {
	dirs, err := filepath.Glob("testdata/scenarios/*")
	require.NoError(t, err)
	require.Len(t, dirs, 3)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			run, s := readScenario(t, dir)
			before := asJSON(t, run)
			h, err := Replay(run)
			require.NoError(t, err)
			text, err := yaml.Marshal(s.want(h))
			require.NoError(t, err)
			file := filepath.Join(dir, "want.yaml")
			if *update {
				require.NoError(t, os.WriteFile(file, text, 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), string(text))

			var group sync.WaitGroup
			for range 4 {
				group.Add(1)
				go func() {
					defer group.Done()
					again, err := Replay(run)
					if err != nil || asJSON(t, again) != asJSON(t, h) {
						t.Error("not the same again")
					}
				}()
			}
			group.Wait()
			require.Equal(t, before, asJSON(t, run), "the input is unchanged")
			stepByStep(t, run, h)
		})
	}
}

// stepByStep is Replay's twin: Step by Step, with the state through JSON and pods made anew.
func stepByStep(t *testing.T, run Run, h History) {
	state, count, now := run.State, run.Replicas, run.Start
	for i := range h.Replicas {
		o := Observation{Replicas: count, StatusReplicas: count}
		for m, load := range run.Loads {
			r := Reading{Values: []int64{load.Total[i]}}
			if slices.Contains(load.Fails, i) {
				r = Reading{Error: &MetricError{Failure: FailureUnavailable}}
			}
			if kind := run.Spec.Metrics[m].Type; kind == autoscalingv2.ResourceMetricSourceType || kind == autoscalingv2.PodsMetricSourceType {
				r.Values, r.Pods = nil, readyPods(int(count), load.Request, 0)
				left := load.Total[i]
				for p := range r.Pods {
					share := (left + int64(len(r.Pods)-p) - 1) / int64(len(r.Pods)-p)
					r.Pods[p].Sample = Sample{Milli: share, At: now}
					left -= share
				}
			}
			o.Readings = append(o.Readings, r)
		}
		var d Decision
		state, d = Step(run.Spec, throughJSON(t, state), o, now)
		require.Equal(t, h.Replicas[i], d.Replicas(), "pass %d", i)
		require.Equal(t, h.Decisions[i].Conditions, d.Conditions, "pass %d", i)
		count, now = d.Replicas(), now.Add(15*time.Second)
	}
	require.Equal(t, h.State, state)
}
