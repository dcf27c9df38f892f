package replicas

import corev1 "k8s.io/api/core/v1"

// Class says how a pod takes part in a per-pod metric.
type Class string

const (
	// ClassReady pods count with their sample.
	ClassReady Class = "ready"
	// ClassUnready pods count as 0 on a scale-up and not at all otherwise.
	ClassUnready Class = "unready"
	// ClassMissing pods have no sample: 0 on a scale-up, the whole request (or the target, if that is above 100 %)
	// on a scale-down, the target itself for raw values.
	ClassMissing Class = "missing"
	// ClassIgnored pods do not exist for the metric. Their requests are read all the same.
	ClassIgnored Class = "ignored"
)

// Classes lists every Class.
func Classes() []Class { return []Class{ClassReady, ClassUnready, ClassMissing, ClassIgnored} }

// Valid says whether x is in the closed list.
func (x Class) Valid() bool { return member(x, Classes()) }

// MarshalText refuses what is not in the closed list.
func (x Class) MarshalText() ([]byte, error) { return marshalMember("class", x, Classes()) }

// UnmarshalText refuses what is not in the closed list.
func (x *Class) UnmarshalText(text []byte) error {
	return unmarshalMember("class", x, text, Classes())
}

// Cause says why a pod has its class.
type Cause string

// The causes, in the order in which they are looked for.
const (
	// CauseDeleted: ignored, metadata.deletionTimestamp is set.
	CauseDeleted Cause = "deleted"
	// CauseFailed: ignored, the phase is Failed.
	CauseFailed Cause = "failed"
	// CausePending: unready, the phase is Pending.
	CausePending Cause = "pending"
	// CauseNoSample: missing, the metrics API has nothing. A pod that has succeeded usually ends here.
	CauseNoSample Cause = "no-sample"
	// CauseNoReadyCondition: unready (cpu only), the kubelet has not reported readiness.
	CauseNoReadyCondition Cause = "no-ready-condition"
	// CauseNotStarted: unready (cpu only), status.startTime is not set.
	CauseNotStarted Cause = "not-started"
	// CauseInitializing: unready (cpu only), not Ready within the cpu initialization period.
	CauseInitializing Cause = "initializing"
	// CauseSampleTooOld: unready (cpu only), the sample's window began before the last change of readiness, within
	// the cpu initialization period.
	CauseSampleTooOld Cause = "sample-too-old"
	// CauseNeverReady: unready (cpu only), not Ready, and it became so within the initial readiness delay.
	CauseNeverReady Cause = "never-ready"
	// CauseSampled: ready.
	CauseSampled Cause = "sampled"
)

// Causes lists every Cause.
func Causes() []Cause {
	return []Cause{CauseDeleted, CauseFailed, CausePending, CauseNoSample, CauseNoReadyCondition, CauseNotStarted,
		CauseInitializing, CauseSampleTooOld, CauseNeverReady, CauseSampled}
}

// Valid says whether x is in the closed list.
func (x Cause) Valid() bool { return member(x, Causes()) }

// MarshalText refuses what is not in the closed list.
func (x Cause) MarshalText() ([]byte, error) { return marshalMember("cause", x, Causes()) }

// UnmarshalText refuses what is not in the closed list.
func (x *Cause) UnmarshalText(text []byte) error {
	return unmarshalMember("cause", x, text, Causes())
}

// Class says how a per-pod metric of a resource treats the pod, and why. The resource is empty for a Pods metric;
// only cpu looks at readiness. Ready Unknown is not unready.
//
// Upstream: replica_calculator.go, groupPods.
func (c Calculator) Class(resource corev1.ResourceName, pod Pod) (Class, Cause) {
	switch c.verdict(&pod, resource == corev1.ResourceCPU) {
	case ignoredDeleted:
		return ClassIgnored, CauseDeleted
	case ignoredFailed:
		return ClassIgnored, CauseFailed
	case unreadyPending:
		return ClassUnready, CausePending
	case missingSample:
		return ClassMissing, CauseNoSample
	case unreadyNoCondition:
		return ClassUnready, CauseNoReadyCondition
	case unreadyNotStarted:
		return ClassUnready, CauseNotStarted
	case unreadyInitializing:
		return ClassUnready, CauseInitializing
	case unreadySampleTooOld:
		return ClassUnready, CauseSampleTooOld
	case unreadyNeverReady:
		return ClassUnready, CauseNeverReady
	}
	return ClassReady, CauseSampled
}
