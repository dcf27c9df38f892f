package replicas

import (
	"time"
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
