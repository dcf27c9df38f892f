package replicas

import (
	"errors"
	"fmt"
	"math"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
)

// MaxPods is the most pods that a run simulates; clusters end well below it.
const MaxPods = 1_000_000

// DefaultStep is the controller's sync period.
const DefaultStep = 15 * time.Second

// Run is what [Replay] plays: an HPA over a usage series.
type Run struct {
	Spec  Spec  `json:"spec"`
	State State `json:"state,omitzero"`
	// Replicas is the count at the start. Its pods have been ready for long.
	Replicas int32     `json:"replicas"`
	Start    time.Time `json:"start"`
	// Step is the time between two passes; 0 means DefaultStep.
	Step time.Duration `json:"step,omitempty"`
	// Loads are the series, one for each of Spec.Metrics, in that order, all of the same length: one value per pass.
	Loads []Load `json:"loads"`
	// StartupDelay is how long a new pod is Pending. It has no sample and carries no load until then.
	StartupDelay time.Duration `json:"startupDelay,omitempty"`
}

// Load is the series of one metric, in thousandths. Exactly one of PerPod and Total is given.
type Load struct {
	// PerPod is what every started pod uses, whatever their number. Not for Object and External metrics.
	PerPod []int64 `json:"perPod,omitempty"`
	// Total is the value of an Object or External metric; for the others, what the started pods use together, divided
	// evenly, the first ones a thousandth more where it does not divide.
	Total []int64 `json:"total,omitempty"`
	// Request is the request sum of one pod, for utilization targets.
	Request int64 `json:"request,omitempty"`
	// Fails lists the passes, by number from 0 and rising, in which the metric cannot be read.
	Fails []int `json:"fails,omitempty"`
}

// History is what came of a run. Pass i decides at Start + i*Step; the time in the figures below is counted from a pass
// to the next with the count that the pass left.
type History struct {
	// Replicas is the count after each pass.
	Replicas []int32 `json:"replicas"`
	// Decisions has the passes in full.
	Decisions []Decision `json:"decisions"`
	// State after the last pass.
	State State         `json:"state"`
	Step  time.Duration `json:"step"`

	// Rescales is how many passes changed the count.
	Rescales int `json:"rescales"`
	// Wakes is how many passes left zero, and ColdStarts how many pods they started: what a request that waited at zero
	// may have met. PodStarts counts the pods of every scale-up.
	Wakes      int   `json:"wakes"`
	ColdStarts int64 `json:"coldStarts"`
	PodStarts  int64 `json:"podStarts"`
	// AtZero, AtMin and AtMax are the times at 0, at minReplicas and at maxReplicas (one may be another).
	AtZero time.Duration `json:"atZero"`
	AtMin  time.Duration `json:"atMin"`
	AtMax  time.Duration `json:"atMax"`
	// PodSteps is the sum of the counts; times Step it is the time that is paid for.
	PodSteps int64 `json:"podSteps"`
}

// PodHours is PodSteps * Step in hours.
func (h *History) PodHours() float64 { return float64(float64(h.PodSteps) * h.Step.Hours()) }

// Replay plays passes over a usage series. The scale follows every decision at once; pods start after StartupDelay and
// stop at once, the newest first. Samples are those of the moment, without a window: a cluster's metrics lag behind by
// some ten seconds to a minute, and the cpu sample of a pod that has just become ready is not taken there until its
// window has passed, so that bursts and wake-ups are answered earlier here than in a cluster.
//
// Errors: series that do not fit the spec or each other, spans that a time.Duration does not hold, and counts beyond
// MaxPods where a metric looks at pods.
func Replay(run Run) (History, error) {
	p, err := newPlayer(&run)
	if err != nil {
		return History{}, err
	}
	h := History{
		Replicas:  make([]int32, p.passes),
		Decisions: make([]Decision, p.passes),
		State:     run.State.clone(),
		Step:      p.step,
	}
	room := make([]MetricDecision, p.passes*len(run.Spec.Metrics))
	lowest := run.Spec.Min()
	now, replicas := moment(run.Start), run.Replicas
	for i := range p.passes {
		d := &h.Decisions[i]
		n := len(run.Spec.Metrics)
		d.Metrics = room[i*n : i*n : (i+1)*n]
		if err := p.observe(i, now, replicas); err != nil {
			return History{}, err
		}
		h.State.advance(&run.Spec, &p.observation, now, d)
		after := d.Replicas()
		h.count(replicas, after, lowest, run.Spec.MaxReplicas)
		h.Replicas[i] = after
		replicas = after
		now = now.Add(p.step)
	}
	return h, nil
}

// count enters one pass into the figures.
func (h *History) count(before, after, lowest, highest int32) {
	if after != before {
		h.Rescales++
	}
	if after > before {
		h.PodStarts += int64(after) - int64(before)
		if before == 0 {
			h.Wakes++
			h.ColdStarts += int64(after)
		}
	}
	if after == 0 {
		h.AtZero += h.Step
	}
	if after == lowest {
		h.AtMin += h.Step
	}
	if after == highest {
		h.AtMax += h.Step
	}
	h.PodSteps += int64(after)
}

// player is the simulated workload. All pods look alike to a metric but for their start.
type player struct {
	run         *Run
	step        time.Duration
	passes      int
	longAgo     time.Time
	started     []time.Time // of each pod, oldest first
	fails       []int       // per metric, how many of Load.Fails are behind
	looks       bool        // a metric looks at pods
	observation Observation
}

func newPlayer(run *Run) (*player, error) {
	p := &player{run: run, step: run.Step}
	if p.step == 0 {
		p.step = DefaultStep
	}
	if p.step < 0 || run.StartupDelay < 0 || run.Replicas < 0 {
		return nil, errors.New("step, startupDelay and replicas must not be negative")
	}
	if len(run.Loads) != len(run.Spec.Metrics) {
		return nil, fmt.Errorf("%d loads for %d metrics", len(run.Loads), len(run.Spec.Metrics))
	}
	for i := range run.Loads {
		n, err := run.Loads[i].length(run.Spec.Metrics[i].Type)
		if err == nil && i > 0 && n != p.passes {
			err = fmt.Errorf("%d values, the first has %d", n, p.passes)
		}
		if err != nil {
			return nil, fmt.Errorf("loads[%d]: %w", i, err)
		}
		p.passes = n
		if err := run.Loads[i].checkFails(n); err != nil {
			return nil, fmt.Errorf("loads[%d]: %w", i, err)
		}
	}
	if int64(p.passes) > math.MaxInt64/int64(p.step) {
		return nil, errors.New("the run is longer than a time.Duration holds")
	}
	c := run.Spec.Calculator(0, 0, run.Start)
	p.longAgo = moment(run.Start).Add(-max(c.CPUInitializationPeriod, 0)).Add(-time.Second)
	p.fails = make([]int, len(run.Loads))
	p.observation.Readings = make([]Reading, len(run.Loads))
	for i := range run.Spec.Metrics {
		m := &run.Spec.Metrics[i]
		p.looks = p.looks || m.looksAtPods()
	}
	return p, nil
}

func (l *Load) length(kind autoscalingv2.MetricSourceType) (int, error) {
	single := kind == autoscalingv2.ObjectMetricSourceType || kind == autoscalingv2.ExternalMetricSourceType
	switch {
	case l.PerPod != nil && l.Total != nil:
		return 0, errors.New("both perPod and total")
	case l.PerPod != nil && single:
		return 0, fmt.Errorf("perPod for a metric of type %s", kind)
	case l.PerPod != nil:
		return len(l.PerPod), nil
	case l.Total == nil:
		return 0, errors.New("neither perPod nor total")
	}
	return len(l.Total), nil
}

func (l *Load) checkFails(passes int) error {
	before := -1
	for _, f := range l.Fails {
		if f <= before || f >= passes {
			return fmt.Errorf("fails: %d is not rising, or no pass", f)
		}
		before = f
	}
	return nil
}

// observe puts pass i into the observation.
func (p *player) observe(i int, now time.Time, replicas int32) error {
	if err := p.resize(i, now, replicas); err != nil {
		return err
	}
	p.observation.Replicas, p.observation.StatusReplicas = replicas, replicas
	running := p.running(now)
	for m := range p.observation.Readings {
		r, load := &p.observation.Readings[m], &p.run.Loads[m]
		r.Error = nil
		if f := p.fails[m]; f < len(load.Fails) && load.Fails[f] <= i {
			p.fails[m]++
			if load.Fails[f] == i {
				r.Error = &MetricError{Failure: FailureUnavailable}
			}
		}
		switch p.run.Spec.Metrics[m].Type {
		case autoscalingv2.ObjectMetricSourceType, autoscalingv2.ExternalMetricSourceType:
			r.Values = append(r.Values[:0], load.Total[i])
		}
		if p.run.Spec.Metrics[m].looksAtPods() {
			p.pods(r, load, i, now, running)
		}
	}
	return nil
}

// looksAtPods says whether the metric's proposal depends on pods, not on the counts in the scale alone.
func (m *Metric) looksAtPods() bool {
	single := m.Type == autoscalingv2.ObjectMetricSourceType || m.Type == autoscalingv2.ExternalMetricSourceType
	return !single || m.Target == metrics.TargetValue
}

// resize starts and stops pods. Those of the first pass have been ready for long.
func (p *player) resize(i int, now time.Time, replicas int32) error {
	if !p.looks {
		return nil
	}
	if replicas > MaxPods {
		return fmt.Errorf("pass %d: %d pods are more than MaxPods", i, replicas)
	}
	started := now.Add(-p.step) // when the last pass asked for them
	if i == 0 {
		started = p.longAgo
	}
	for int(replicas) > len(p.started) {
		p.started = append(p.started, started)
	}
	p.started = p.started[:max(replicas, 0)]
	return nil
}

// running is how many pods have started. The oldest come first.
func (p *player) running(now time.Time) int {
	n := len(p.started)
	if p.run.StartupDelay == 0 {
		return n
	}
	ready := now.Add(-p.run.StartupDelay)
	for n > 0 && p.started[n-1].After(ready) {
		n--
	}
	return n
}

// pods sets the pods of one metric.
func (p *player) pods(r *Reading, load *Load, i int, now time.Time, running int) {
	have := len(r.Pods)
	if have > len(p.started) {
		r.Pods = r.Pods[:len(p.started)]
		have = len(p.started)
	}
	for n := have; n < len(p.started); n++ {
		r.Pods = append(r.Pods, Pod{Request: load.Request, Started: p.started[n],
			ReadyChanged: p.started[n].Add(p.run.StartupDelay)})
	}
	share, rest := int64(0), int64(0)
	if load.PerPod != nil {
		share = load.PerPod[i]
	} else if running > 0 {
		share, rest = load.Total[i]/int64(running), load.Total[i]%int64(running)
	}
	for n := range r.Pods {
		pod := &r.Pods[n]
		if n >= running {
			pod.Phase, pod.Ready, pod.Sampled = corev1.PodPending, corev1.ConditionFalse, false
			continue
		}
		pod.Phase, pod.Ready, pod.Sampled = corev1.PodRunning, corev1.ConditionTrue, true
		pod.Sample.At, pod.Sample.Milli = now, share
		switch {
		case int64(n) < rest:
			pod.Sample.Milli++
		case int64(n) < -rest:
			pod.Sample.Milli--
		}
	}
}
