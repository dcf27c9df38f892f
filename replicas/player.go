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
