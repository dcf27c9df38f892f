package replicas

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Pod is one pod that the scale target's selector lists, as one metric sees it. The zero value is a pod without a
// sample, so a missing one.
type Pod struct {
	Name string `json:"name,omitempty"`

	Phase corev1.PodPhase `json:"phase,omitempty"`
	// Deleted says that metadata.deletionTimestamp is set.
	Deleted bool `json:"deleted,omitempty"`
	// Ready is the status of the condition Ready; empty if the pod has no such condition.
	Ready corev1.ConditionStatus `json:"ready,omitempty"`
	// ReadyChanged is the lastTransitionTime of the condition Ready.
	ReadyChanged time.Time `json:"readyChanged,omitzero"`
	// Started is status.startTime; zero if it is not set.
	Started time.Time `json:"started,omitzero"`

	// Request is the pod's request sum of the metric's resource in thousandths. Only utilization targets read it.
	Request int64 `json:"request,omitempty"`
	// Unrequested says why there is no request sum. One such pod fails a utilization metric, whatever its state.
	Unrequested *MetricError `json:"unrequested,omitempty"`

	// Sampled says that the metrics API has a sample for the pod.
	Sampled bool   `json:"sampled,omitempty"`
	Sample  Sample `json:"sample,omitzero"`
}

// Sample is what the metrics API says about one pod.
type Sample struct {
	// Milli is the usage or the metric's value in thousandths, added up over the containers.
	Milli int64 `json:"milli"`
	// At is the end of the window that was measured.
	At     time.Time     `json:"at,omitzero"`
	Window time.Duration `json:"window,omitempty"`
}

// verdict is what grouping decides about a pod: its class and the reason in one.
type verdict uint8

const (
	counted verdict = iota
	ignoredDeleted
	ignoredFailed
	unreadyPending
	missingSample
	unreadyNoCondition
	unreadyNotStarted
	unreadyInitializing
	unreadySampleTooOld
	unreadyNeverReady
)

// verdict groups one pod. Upstream: replica_calculator.go, groupPods.
func (c *Calculator) verdict(p *Pod, cpu bool) verdict {
	if p.Deleted {
		return ignoredDeleted
	}
	switch p.Phase {
	case corev1.PodFailed:
		return ignoredFailed
	case corev1.PodPending:
		return unreadyPending
	}
	if !p.Sampled {
		return missingSample
	}
	if !cpu {
		return counted
	}
	return c.cpuVerdict(p)
}

// cpuVerdict says whether the cpu sample of a pod is trusted. cpu alone is burnt by starting.
func (c *Calculator) cpuVerdict(p *Pod) verdict {
	if p.Ready == "" {
		return unreadyNoCondition
	}
	if p.Started.IsZero() {
		return unreadyNotStarted
	}
	notReady := p.Ready == corev1.ConditionFalse
	if p.Started.Add(c.CPUInitializationPeriod).After(c.Now) {
		switch {
		case notReady:
			return unreadyInitializing
		case p.Sample.At.Before(p.ReadyChanged.Add(p.Sample.Window)):
			return unreadySampleTooOld
		}
		return counted
	}
	if notReady && p.Started.Add(c.InitialReadinessDelay).After(p.ReadyChanged) {
		return unreadyNeverReady
	}
	return counted
}

// isReady counts a pod for a Value target: running and Ready True; deletion does not exclude.
func (p *Pod) isReady() bool {
	return p.Phase == corev1.PodRunning && p.Ready == corev1.ConditionTrue
}
