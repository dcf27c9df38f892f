package replicas

import "time"

// store keeps a change of the scale for the policies. It overwrites the last slot that is older than the longest
// period of its own direction, so a longer period of the other direction may miss changes that it should count.
//
// Upstream: horizontal.go, storeScaleEvent, markScaleEventsOutdated.
func (s *State) store(b *Behavior, before, after int32, now time.Time) {
	if b == nil {
		return
	}
	if after > before {
		s.ScaleUps = put(s.ScaleUps, after-before, longest(b.policies(true)), now)
		return
	}
	s.ScaleDowns = put(s.ScaleDowns, before-after, longest(b.policies(false)), now)
}

func put(events []ScaleEvent, change, period int32, now time.Time) []ScaleEvent {
	cutoff := now.Add(-time.Duration(period) * time.Second)
	slot := -1
	for i := range events {
		if events[i].At.Before(cutoff) {
			events[i].Outdated = true
		}
		if events[i].Outdated {
			slot = i
		}
	}
	event := ScaleEvent{Change: change, At: now}
	if slot >= 0 {
		events[slot] = event
		return events
	}
	return append(events, event)
}

func longest(policies []Policy) int32 {
	period := int32(0)
	for i := range policies {
		period = max(period, policies[i].PeriodSeconds)
	}
	return period
}

// changed is the sum of changes strictly younger than a period. Upstream: getReplicasChangePerPeriod.
func changed(events []ScaleEvent, period int32, now time.Time) int64 {
	cutoff := now.Add(-time.Duration(period) * time.Second)
	sum := int64(0)
	for i := range events {
		if events[i].At.After(cutoff) {
			sum += int64(events[i].Change)
		}
	}
	return sum
}
