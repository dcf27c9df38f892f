package skipreason

// Skip is a hub's reason for leaving requests and target as they are although the workload is coupled. The zero value means that there is
// none; it is not a member of the list.
type Skip string

const (
	// MaxReplicasReached: the HPA was at maxReplicas in the recommendation window.
	MaxReplicasReached Skip = "max-replicas-reached"
	// UnsupportedMetrics: more than one utilization entry, any other entry beside it, or an entry for one container.
	UnsupportedMetrics Skip = "unsupported-metrics"
	// MissingRequest: a counted container has no request of the HPA's resource, or the request sum is 0.
	MissingRequest Skip = "missing-request"
	// TargetOutOfBounds: no pair of requests and target satisfies the bounds, the limits and the locks.
	TargetOutOfBounds Skip = "target-out-of-bounds"
)

// Skips returns the skip reasons in their order of precedence: where several hold, the first is the skip reason.
func Skips() []Skip {
	return []Skip{MaxReplicasReached, UnsupportedMetrics, MissingRequest, TargetOutOfBounds}
}

// Valid says whether s is a member of the list.
func (s Skip) Valid() bool { return known(s, Skips()) }

// MarshalText writes a member of the list, or nothing for the zero value, and refuses every other text.
func (s Skip) MarshalText() ([]byte, error) { return encode(s, Skips(), "skip reason", true) }

// UnmarshalText reads a member of the list, or the empty text as "none", and refuses every other text.
func (s *Skip) UnmarshalText(text []byte) (err error) {
	*s, err = decode(text, Skips(), "skip reason", true)
	return err
}
