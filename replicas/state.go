package replicas

import (
	"time"
)

// State is what the controller remembers about one HPA between passes. The zero value is an HPA that it has never
// seen. Recommendations and scale events live in the controller's memory only: a restart, or another leader, begins
// without them, and so with a new downscale window.
type State struct {
	// Recommendations are the unstabilized numbers. Slots are reused, so they are in no order of time.
	Recommendations []Recommendation `json:"recommendations,omitempty"`
	// ScaleUps and ScaleDowns are past changes. They are stored only while the HPA has a behavior.
	ScaleUps   []ScaleEvent `json:"scaleUps,omitempty"`
	ScaleDowns []ScaleEvent `json:"scaleDowns,omitempty"`

	// Conditions, LastScaleTime and the two counts are the HPA's status.
	Conditions      Conditions `json:"conditions,omitzero"`
	LastScaleTime   time.Time  `json:"lastScaleTime,omitzero"`
	CurrentReplicas int32      `json:"currentReplicas"`
	DesiredReplicas int32      `json:"desiredReplicas"`
}

// Recommendation is one past number.
type Recommendation struct {
	Replicas int32     `json:"replicas"`
	At       time.Time `json:"at"`
}

// ScaleEvent is one past change of the scale.
type ScaleEvent struct {
	// Change is how many pods were added or removed.
	Change int32     `json:"change"`
	At     time.Time `json:"at"`
	// Outdated slots are reused by the next event of the same direction. Until then they still count for a policy
	// whose period is long enough.
	Outdated bool `json:"outdated,omitempty"`
}

// clone is a copy that shares nothing, with room for what one pass adds.
func (s *State) clone() State {
	c := *s
	c.Recommendations = append(make([]Recommendation, 0, len(s.Recommendations)+1), s.Recommendations...)
	c.ScaleUps = append([]ScaleEvent(nil), s.ScaleUps...)
	c.ScaleDowns = append([]ScaleEvent(nil), s.ScaleDowns...)
	return c
}

// moment is a time as state keeps it: in UTC, which strips a monotonic reading too, so that a JSON round trip keeps it.
func moment(t time.Time) time.Time { return t.UTC() }

// begin records the first count that is seen. Upstream: recordInitialRecommendation.
func (s *State) begin(current int32, now time.Time) {
	if len(s.Recommendations) == 0 {
		s.Recommendations = append(s.Recommendations, Recommendation{Replicas: current, At: now})
	}
}

// recommend records a number, in the slot of an old one if there is one.
func (s *State) recommend(replicas int32, now time.Time, old int) {
	r := Recommendation{Replicas: replicas, At: now}
	if old >= 0 {
		s.Recommendations[old] = r
		return
	}
	s.Recommendations = append(s.Recommendations, r)
}
