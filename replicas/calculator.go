package replicas

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Calculator computes the proposal of one metric, by one method per kind of metric and target. [Spec.Calculator]
// makes one with the controller's defaults; in a literal, a zero tolerance is a tolerance of zero.
//
// What was measured comes first, then the target. Every method refuses a target that is not positive, as the API server
// does; with ReproduceOverflow it is divided by as it stands, since upstream reads some targets beyond int64 as 0 or
// below. Upstream: replica_calculator.go.
type Calculator struct {
	// Current is scale.spec.replicas.
	Current int32 `json:"current"`
	// Status is scale.status.replicas. Only AverageValue targets of Object and External metrics read it.
	Status    int32     `json:"status"`
	Tolerance Tolerance `json:"tolerance"`
	// CPUInitializationPeriod and InitialReadinessDelay are the controller's flags about starting pods.
	CPUInitializationPeriod time.Duration `json:"cpuInitializationPeriod"`
	InitialReadinessDelay   time.Duration `json:"initialReadinessDelay"`
	Now                     time.Time     `json:"now"`
	// ReproduceOverflow gives what upstream gives where its arithmetic leaves its range, as on amd64.
	ReproduceOverflow bool `json:"reproduceOverflow,omitempty"`
}

// MilliTarget is the target of a metric in thousandths. A type of its own, so that it does not change places with a value.
type MilliTarget int64

// direct is the proposal when there is nothing to fill in: ceil(ratio * ready) outside the tolerance. The multiplier
// is the number of pods that counted, not the present count.
func (c *Calculator) direct(r *Result, ratio float64) {
	r.setRatio(ratio, ratio)
	if c.Tolerance.Within(ratio) {
		r.Replicas, r.Outcome = c.Current, OutcomeTolerance
		return
	}
	r.Outcome = OutcomeComputed
	r.Replicas = c.scaled(ratio, r.Pods.Ready, &r.OutOfRange)
}

// refilled is the proposal of the second pass, over n samples of which some are filled in.
func (c *Calculator) refilled(r *Result, first, again float64, n int) {
	r.setRatio(first, again)
	r.Replicas = c.Current
	if c.Tolerance.Within(again) {
		r.Outcome = OutcomeTolerance
		return
	}
	if (first < 1.0 && again > 1.0) || (first > 1.0 && again < 1.0) {
		r.Outcome = OutcomeReversed
		return
	}
	proposal := c.scaled(again, n, &r.OutOfRange)
	if (again < 1.0 && proposal > c.Current) || (again > 1.0 && proposal < c.Current) {
		r.Outcome = OutcomeAgainst
		return
	}
	r.Replicas, r.Outcome = proposal, OutcomeComputed
}

// scaled is ceil(ratio * n): divided first, then multiplied, then rounded up, in float64. The product may be a bit
// above the exact one, so that one replica more comes out: 7/3*27 gives 64.
func (c *Calculator) scaled(ratio float64, n int, out *OutOfRange) int32 {
	proposal, beyond := toInt32(math.Ceil(float64(ratio*float64(n))), c.ReproduceOverflow)
	out.Replicas = out.Replicas || beyond
	return proposal
}

// lift says that unready pods count as 0, which they do on a scale-up only.
func lift(pods Counts, ratio float64) bool { return pods.Unready > 0 && ratio > 1.0 }

// count enters one verdict.
func (n *Counts) count(v verdict) {
	switch v {
	case counted:
		n.Ready++
	case missingSample:
		n.Missing++
	case ignoredDeleted, ignoredFailed:
		n.Ignored++
	default:
		n.Unready++
	}
}

// checkPods is the failure that comes before any arithmetic.
func checkPods(pods []Pod) error {
	if len(pods) == 0 {
		return &MetricError{Failure: FailureNoPods}
	}
	return nil
}

func (c *Calculator) checkTarget(target int64) error {
	if target <= 0 && !c.ReproduceOverflow {
		return &MetricError{Failure: FailureTarget}
	}
	return nil
}

func isCPU(resource corev1.ResourceName) bool { return resource == corev1.ResourceCPU }
