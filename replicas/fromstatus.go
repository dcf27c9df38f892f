package replicas

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// FromStatus is the state as a restarted controller has it: what an HPA's status holds. Recommendations and scale
// events are nowhere in the API.
func FromStatus(status autoscalingv2.HorizontalPodAutoscalerStatus) State {
	s := State{CurrentReplicas: status.CurrentReplicas, DesiredReplicas: status.DesiredReplicas}
	if status.LastScaleTime != nil {
		s.LastScaleTime = moment(status.LastScaleTime.Time)
	}
	for _, c := range status.Conditions {
		if p := s.Conditions.at(c.Type); p != nil {
			*p = Condition{Status: c.Status, Reason: c.Reason, LastTransition: moment(c.LastTransitionTime.Time)}
		}
	}
	return s
}
