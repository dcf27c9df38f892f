package replicas

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Step is one pass of the controller over one HPA: what it sees and remembers in, what it decides and remembers out.
//
//  1. The scale is read; an HPA that is seen for the first time remembers the present count as a recommendation.
//  2. At zero replicas the pass ends, unless the condition ScaledToZero says that the HPA went there itself and either
//     an Object or External metric can wake it or minReplicas was raised.
//  3. A count above maxReplicas or below minReplicas is put to the bound at once; no metric, window or policy acts.
//  4. Otherwise the largest proposal of the metrics, stabilized and limited, becomes the count.
//
// [Decision.Replicas] is what the scale holds afterwards: the next Observation.Replicas, if nobody else writes it.
// Equal arguments give equal results; nothing that was passed in is written to or kept. spec is expected to come
// from an HPA that the API server accepts (metrics.Validate); otherwise the result is what the formulas give.
//
// Laws N2, N3. Upstream: horizontal.go, reconcileAutoscaler.
func Step(spec Spec, state State, observation Observation, now time.Time) (State, Decision) {
	next := state.clone()
	var d Decision
	next.advance(&spec, &observation, now, &d)
	return next, d
}

// advance is Step in place. d.Metrics may have room for the metrics, all zero.
func (s *State) advance(spec *Spec, o *Observation, now time.Time, d *Decision) {
	now = moment(now)
	*d = Decision{At: now, Current: o.Replicas, Desired: o.Replicas, Driver: -1, FirstInvalid: -1, Metrics: d.Metrics}
	s.pass(spec, o, now, d)
	d.Conditions = s.Conditions
	if len(d.Metrics) == 0 {
		d.Metrics = nil
	}
}

func (s *State) pass(spec *Spec, o *Observation, now time.Time, d *Decision) {
	able := &s.Conditions.AbleToScale
	if o.ScaleError != "" {
		d.Path = PathNoScale
		able.setFalse(ReasonFailedGetScale, now)
		return
	}
	able.setTrue(ReasonSucceededGetScale, now)
	s.begin(o.Replicas, now)

	desired, ok := s.desired(spec, o, now, d)
	if ok {
		ok = s.rescale(spec, o, desired, now, d)
	}
	if !ok {
		s.CurrentReplicas = d.Current
		return
	}
	s.CurrentReplicas, s.DesiredReplicas = d.Current, d.Desired
}

// desired is the count to be set; not ok if the pass fails.
func (s *State) desired(spec *Spec, o *Observation, now time.Time, d *Decision) (desired int32, ok bool) {
	lowest := spec.Min()
	ownZero := !spec.Flags.ScaleToZeroOff && s.Conditions.ScaledToZero.Status == corev1.ConditionTrue
	switch {
	case d.Current == 0 && !(ownZero && (lowest != 0 || spec.wakes())):
		d.Path = PathPaused
		s.Conditions.ScalingActive.setFalse(ReasonScalingDisabled, now)
		if spec.Flags.ScaleToZeroOff {
			s.Conditions.ScaledToZero = Condition{}
		}
		return 0, true
	case d.Current > spec.MaxReplicas && d.Current != 0:
		d.Path, d.Reason = PathAboveMax, RescaleAboveMax
		return spec.MaxReplicas, true
	case d.Current < lowest && d.Current != 0:
		d.Path, d.Reason = PathBelowMin, RescaleBelowMin
		return lowest, true
	}
	return s.measured(spec, o, now, d)
}

// measured is the count that the metrics lead to.
func (s *State) measured(spec *Spec, o *Observation, now time.Time, d *Decision) (desired int32, ok bool) {
	active := &s.Conditions.ScalingActive
	if o.Selector != "" {
		d.Path = PathSelector
		reason := ReasonInvalidSelector
		if o.Selector == SelectorAmbiguous {
			reason = ReasonAmbiguousSelector
		}
		active.setFalse(reason, now)
		return 0, false
	}
	calculator := spec.Calculator(d.Current, o.StatusReplicas, now)
	if !d.evaluate(spec, o, &calculator) {
		d.Path = PathFailed
		if d.FirstInvalid >= 0 {
			active.setFalse(failedReason(spec.Metrics[d.FirstInvalid].Type), now)
		}
		return 0, false
	}
	d.Path = PathMetrics
	active.setTrue(ReasonValidMetricFound, now)
	switch {
	case d.Proposal > d.Current:
		d.Reason = RescaleAboveTarget
	case d.Proposal < d.Current:
		d.Reason = RescaleBelowTarget
	}
	if spec.Behavior == nil {
		desired = s.normalize(spec, d, now)
	} else {
		desired = s.normalizeWithBehavior(spec, d, now)
	}
	if lowest := spec.Min(); d.Current == 0 && desired < lowest {
		desired = lowest
		if d.Reason == "" {
			d.Reason = RescaleBelowMin
		}
	}
	return desired, true
}

// rescale writes the count, if it is another one.
func (s *State) rescale(spec *Spec, o *Observation, desired int32, now time.Time, d *Decision) (ok bool) {
	if desired == d.Current {
		d.Reason = ""
		return true
	}
	d.Rescale, d.Desired = true, desired
	if d.Reason == "" {
		d.Reason = RescaleUnstated
	}
	if o.UpdateError != "" {
		d.Refused = true
		s.Conditions.AbleToScale.setFalse(ReasonFailedUpdateScale, now)
		return false
	}
	s.Conditions.AbleToScale.setTrue(ReasonSucceededRescale, now)
	s.store(spec.Behavior, d.Current, desired, now)
	s.LastScaleTime = now
	switch zero := &s.Conditions.ScaledToZero; {
	case spec.Flags.ScaleToZeroOff:
		*zero = Condition{}
	case d.Current > 0 && desired == 0 && spec.Min() == 0 && spec.wakes():
		zero.setTrue(ReasonScaledToZero, now)
	default:
		zero.setFalse(ReasonNotScaledToZero, now)
	}
	return true
}
