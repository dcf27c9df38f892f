package risk

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// ShortWindowSeconds is the scale-down stabilization window below which a count flaps: four sync periods of the HPA controller.
const ShortWindowSeconds int32 = 60

// scaleDownWindow raises short-scale-down-window: behavior.scaleDown.stabilizationWindowSeconds is given and below 60, and selectPolicy is not
// Disabled. A window that is not given is 300, a flag of the controller manager.
// Source: protocol B5, B6, C4; pkg/controller/podautoscaler/config/v1alpha1/defaults.go.
func (c *checker) scaleDownWindow() {
	b := c.in.HPA.Spec.Behavior
	if b == nil || b.ScaleDown == nil || b.ScaleDown.StabilizationWindowSeconds == nil {
		return
	}
	if p := b.ScaleDown.SelectPolicy; p != nil && *p == autoscalingv2.DisabledPolicySelect {
		return
	}
	if w := *b.ScaleDown.StabilizationWindowSeconds; w < ShortWindowSeconds {
		c.add(skipreason.FlagShortScaleDownWindow, c.hpa, "spec.behavior.scaleDown.stabilizationWindowSeconds", decimal(w), "the default is 300")
	}
}
