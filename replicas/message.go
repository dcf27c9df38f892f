package replicas

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// Message is upstream's text of a condition as this pass leaves it; empty if the pass has not set it, so that an
// older text stands. The texts may change, as upstream's may; Decision's fields are the facts.
func (d *Decision) Message(spec Spec, o Observation, kind autoscalingv2.HorizontalPodAutoscalerConditionType) string {
	reason := d.Conditions.Of(kind).Reason
	switch kind {
	case autoscalingv2.AbleToScale:
		return d.ableMessage(o, reason)
	case autoscalingv2.ScalingActive:
		return d.activeMessage(spec, o, reason)
	case autoscalingv2.ScalingLimited:
		if d.Path == PathMetrics {
			return limitedMessage(reason)
		}
	case scaledToZero:
		switch {
		case !d.Rescale || d.Refused:
		case reason == ReasonScaledToZero:
			return "the HPA controller scaled the workload to zero"
		case reason == ReasonNotScaledToZero:
			return "the HPA controller did not scale the workload to zero"
		}
	}
	return ""
}

func (d *Decision) ableMessage(o Observation, reason string) string {
	switch reason {
	case ReasonSucceededGetScale:
		return "the HPA controller was able to get the target's current scale"
	case ReasonFailedGetScale:
		return "the HPA controller was unable to get the target's current scale: " + o.ScaleError
	case ReasonReadyForNewScale:
		return "recommended size matches current size"
	case ReasonScaleDownStabilized:
		return "recent recommendations were higher than current one, applying the highest recent recommendation"
	case ReasonScaleUpStabilized:
		return "recent recommendations were lower than current one, applying the lowest recent recommendation"
	case ReasonSucceededRescale:
		return fmt.Sprintf("the HPA controller was able to update the target scale to %d", d.Desired)
	case ReasonFailedUpdateScale:
		return "the HPA controller was unable to update the target scale: " + o.UpdateError
	}
	return ""
}

func (d *Decision) activeMessage(spec Spec, o Observation, reason string) string {
	switch d.Path {
	case PathMetrics:
		return "the HPA was able to successfully calculate a replica count from " + spec.driver(d.Driver)
	case PathPaused:
		return "scaling is disabled since the replica count of the target is zero"
	case PathSelector:
		if o.Selector == SelectorMissing {
			return "the HPA target's scale is missing a selector"
		}
		return o.SelectorDetail
	case PathFailed:
		if i := d.FirstInvalid; i >= 0 && i < len(spec.Metrics) && i < len(d.Metrics) {
			return "the HPA was unable to compute the replica count: " + spec.Metrics[i].conditionText(spec.Namespace, d.Metrics[i].Error)
		}
	}
	return ""
}

func limitedMessage(reason string) string {
	switch reason {
	case ReasonDesiredWithinRange:
		return "the desired count is within the acceptable range"
	case ReasonTooFewReplicas:
		return "the desired replica count is less than the minimum replica count"
	case ReasonTooManyReplicas:
		return "the desired replica count is more than the maximum replica count"
	case ReasonScaleUpLimit:
		return "the desired replica count is increasing faster than the maximum scale rate"
	case ReasonScaleDownLimit:
		return "the desired replica count is decreasing faster than the maximum scale rate"
	}
	return ""
}

// Event is the reason and the text of the event about a rescale; both empty without one.
func (d *Decision) Event(spec Spec, o Observation) (reason, message string) {
	if !d.Rescale {
		return "", ""
	}
	message = fmt.Sprintf("New size: %d; reason: %s", d.Desired, d.rescaleText(spec))
	if d.Refused {
		return "FailedRescale", message + "; error: " + o.UpdateError
	}
	return "SuccessfulRescale", message
}

func (d *Decision) rescaleText(spec Spec) string {
	switch d.Reason {
	case RescaleAboveTarget:
		return spec.driver(d.Driver) + " above target"
	case RescaleBelowTarget:
		return "All metrics below target"
	case RescaleAboveMax:
		return "Current number of replicas above Spec.MaxReplicas"
	case RescaleBelowMin:
		return "Current number of replicas below Spec.MinReplicas"
	}
	return ""
}

// ErrorText is upstream's error of the pass without its wrapping, empty if there is none.
func (d *Decision) ErrorText(spec Spec, o Observation) string {
	switch d.Path {
	case PathNoScale:
		return o.ScaleError
	case PathSelector:
		if o.Selector == SelectorMissing {
			return "selector is required"
		}
		return o.SelectorDetail
	}
	if d.Refused {
		return o.UpdateError
	}
	i := d.FirstInvalid
	if i < 0 || i >= len(spec.Metrics) || i >= len(d.Metrics) {
		return ""
	}
	m := &spec.Metrics[i]
	return fmt.Sprintf("invalid metrics (%d invalid out of %d), first error is: %s",
		d.Invalid, len(spec.Metrics), m.errorText(spec.Namespace, d.Metrics[i].Error))
}
