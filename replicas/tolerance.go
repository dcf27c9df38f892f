package replicas

// Tolerance is the band of the usage ratio within which nothing changes, as fractions: 0.1 is 10 %.
type Tolerance struct {
	Down float64 `json:"down"`
	Up   float64 `json:"up"`
}

// Within is 1.0-down <= ratio && ratio <= 1.0+up in float64, both ends inside.
//
// For some percentages the exact edge is outside, because 1.0+up is rounded: 36, 59, 61, 84, 86 up, and 18, 42, 43,
// 58, 59, 71, 84, 85, 96 to 99 down. A down tolerance of 1 or more never scales down. NaN is never within.
//
// Upstream: replica_calculator.go, Tolerances.isWithin.
func (t Tolerance) Within(ratio float64) bool {
	return 1.0-t.Down <= ratio && ratio <= 1.0+t.Up
}
