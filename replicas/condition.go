package replicas

import (
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

// Condition is one condition of the HPA's status. Its text is [Decision.Message].
type Condition struct {
	Status corev1.ConditionStatus `json:"status"`
	// Reason may be empty, as on an HPA whose condition somebody else has set.
	Reason string `json:"reason,omitempty"`
	// LastTransition moves only when Status changes.
	LastTransition time.Time `json:"lastTransition,omitzero"`
}

// Present says whether the HPA has the condition.
func (c Condition) Present() bool { return c.Status != "" }

// Conditions are the four conditions that the controller sets.
type Conditions struct {
	AbleToScale    Condition `json:"ableToScale,omitzero"`
	ScalingActive  Condition `json:"scalingActive,omitzero"`
	ScalingLimited Condition `json:"scalingLimited,omitzero"`
	ScaledToZero   Condition `json:"scaledToZero,omitzero"`
}

// scaledToZero is the name of the condition that API version 1.36 added.
const scaledToZero autoscalingv2.HorizontalPodAutoscalerConditionType = "ScaledToZero"

// ConditionTypes lists the condition types in the order in which the controller first sets them.
func ConditionTypes() []autoscalingv2.HorizontalPodAutoscalerConditionType {
	return []autoscalingv2.HorizontalPodAutoscalerConditionType{
		autoscalingv2.AbleToScale, autoscalingv2.ScalingActive, autoscalingv2.ScalingLimited, scaledToZero}
}

// Of is the condition of a type; not Present if the HPA lacks it or the type is unknown.
func (c Conditions) Of(kind autoscalingv2.HorizontalPodAutoscalerConditionType) Condition {
	if p := c.at(kind); p != nil {
		return *p
	}
	return Condition{}
}

func (c *Conditions) at(kind autoscalingv2.HorizontalPodAutoscalerConditionType) *Condition {
	switch kind {
	case autoscalingv2.AbleToScale:
		return &c.AbleToScale
	case autoscalingv2.ScalingActive:
		return &c.ScalingActive
	case autoscalingv2.ScalingLimited:
		return &c.ScalingLimited
	case scaledToZero:
		return &c.ScaledToZero
	}
	return nil
}

// The reasons of the conditions, in upstream's words.
const (
	ReasonSucceededGetScale   = "SucceededGetScale"
	ReasonFailedGetScale      = "FailedGetScale"
	ReasonReadyForNewScale    = "ReadyForNewScale"
	ReasonScaleDownStabilized = "ScaleDownStabilized"
	ReasonScaleUpStabilized   = "ScaleUpStabilized"
	ReasonSucceededRescale    = "SucceededRescale"
	ReasonFailedUpdateScale   = "FailedUpdateScale"

	ReasonValidMetricFound                 = "ValidMetricFound"
	ReasonScalingDisabled                  = "ScalingDisabled"
	ReasonInvalidSelector                  = "InvalidSelector"
	ReasonAmbiguousSelector                = "AmbiguousSelector"
	ReasonFailedGetObjectMetric            = "FailedGetObjectMetric"
	ReasonFailedGetPodsMetric              = "FailedGetPodsMetric"
	ReasonFailedGetResourceMetric          = "FailedGetResourceMetric"
	ReasonFailedGetContainerResourceMetric = "FailedGetContainerResourceMetric"
	ReasonFailedGetExternalMetric          = "FailedGetExternalMetric"
	ReasonInvalidMetricSourceType          = "InvalidMetricSourceType"

	ReasonDesiredWithinRange = "DesiredWithinRange"
	ReasonTooFewReplicas     = "TooFewReplicas"
	ReasonTooManyReplicas    = "TooManyReplicas"
	ReasonScaleUpLimit       = "ScaleUpLimit"
	ReasonScaleDownLimit     = "ScaleDownLimit"

	ReasonScaledToZero    = "ScaledToZero"
	ReasonNotScaledToZero = "NotScaledToZero"
)

func (c *Condition) set(status corev1.ConditionStatus, reason string, now time.Time) {
	if c.Status != status {
		c.LastTransition = now
	}
	c.Status, c.Reason = status, reason
}

func (c *Condition) setTrue(reason string, now time.Time)  { c.set(corev1.ConditionTrue, reason, now) }
func (c *Condition) setFalse(reason string, now time.Time) { c.set(corev1.ConditionFalse, reason, now) }

// setIf is True with the reason if it holds, else False with the same reason.
func (c *Condition) setIf(holds bool, reason string, now time.Time) {
	if holds {
		c.setTrue(reason, now)
		return
	}
	c.setFalse(reason, now)
}

// failedReason is ScalingActive's reason for a metric type that gives no proposal.
func failedReason(kind autoscalingv2.MetricSourceType) string {
	switch kind {
	case autoscalingv2.ObjectMetricSourceType:
		return ReasonFailedGetObjectMetric
	case autoscalingv2.PodsMetricSourceType:
		return ReasonFailedGetPodsMetric
	case autoscalingv2.ResourceMetricSourceType:
		return ReasonFailedGetResourceMetric
	case autoscalingv2.ContainerResourceMetricSourceType:
		return ReasonFailedGetContainerResourceMetric
	case autoscalingv2.ExternalMetricSourceType:
		return ReasonFailedGetExternalMetric
	}
	return ReasonInvalidMetricSourceType
}
