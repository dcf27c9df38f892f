package usage

import (
	"slices"
	"time"
)

// OOMKill is one time that the kernel killed a container for its memory. Amounts are bytes; zero is not known.
type OOMKill struct {
	// Time of the kill. The zero time is not known; such a kill counts in every window, since leaving it out would be the dangerous side.
	Time time.Time `json:"time,omitzero"`
	// Times is for how many kills of the same amounts it stands; zero is one.
	Times   int64 `json:"times,omitempty"`
	Request int64 `json:"request,omitempty"` // at the time of the kill
	Limit   int64 `json:"limit,omitempty"`   // at the time of the kill; counts as the use where neither Request nor Peak is known
	Peak    int64 `json:"peak,omitempty"`    // highest use known before it
}

// Events are what happened to one container in the window.
type Events struct {
	OOMKills []OOMKill `json:"oomKills,omitempty"`
	// Throttled is the share of cpu periods in which the container was throttled, 0..1; nil is not known.
	Throttled *float64 `json:"throttled,omitempty"`
}

// In returns the OOM kills in the window and those of unknown time, by time; the throttled share is for the whole window that it was taken over.
func (e Events) In(window Window) Events {
	var kept Events
	for _, kill := range e.OOMKills {
		if kill.Time.IsZero() || window.Contains(kill.Time) {
			kept.OOMKills = append(kept.OOMKills, kill)
		}
	}
	slices.SortStableFunc(kept.OOMKills, func(a, b OOMKill) int { return a.Time.Compare(b.Time) })
	if e.Throttled != nil {
		throttled := *e.Throttled
		kept.Throttled = &throttled
	}
	return kept
}

// MaxReplicas says from when an HPA's maxReplicas had a value.
type MaxReplicas struct {
	From  time.Time `json:"from"`
	Value int32     `json:"value"`
}

// Replicas is what the window shows about the number of replicas.
type Replicas struct {
	Largest int32 `json:"largest"` // the most that were seen
	// Reached says that a sample was at or above the maxReplicas valid at its time: the HPA may have wanted more, and what
	// was used then says nothing about what would have been.
	Reached bool `json:"reached"`
	// AtMax of Known is the share of time at maxReplicas. A sample holds until the next one, the last one until the
	// window's end if that is set. Known leaves out time for which no maxReplicas is known.
	AtMax time.Duration `json:"atMax"`
	Known time.Duration `json:"known"`
}

// Share returns AtMax / Known; not ok when nothing is known.
func (r Replicas) Share() (float64, bool) {
	if r.Known <= 0 {
		return 0, false
	}
	return float64(r.AtMax) / float64(r.Known), true
}

// ReplicasOver looks at samples of the replica count together with the changes of maxReplicas. A sample counts against
// the maxReplicas that was valid at its time: the last change at or before it. A sample before the first change counts for
// Largest alone, as does one at a time whose maxReplicas is not positive: no HPA has such a one, so that it is not known. A window that ends
// before it starts holds nothing. Counts are read as whole numbers, rounded down; those above the largest int32 are dropped as infinite.
func ReplicasOver(counts []Point, limits []MaxReplicas, window Window) (Replicas, Report) {
	clean, report := Clean(counts, window)
	sorted := slices.Clone(limits)
	slices.SortStableFunc(sorted, func(a, b MaxReplicas) int { return a.From.Compare(b.From) })
	kept := clean[:0]
	for _, p := range clean {
		if p.Value > 1<<31-1 {
			report.Infinite++
			report.Kept--
			continue
		}
		kept = append(kept, p)
	}
	var r Replicas
	next := 0
	for i, p := range kept {
		count := int32(p.Value)
		r.Largest = max(r.Largest, count)
		for next < len(sorted) && !sorted[next].From.After(p.Time) {
			next++
		}
		if next == 0 || sorted[next-1].Value < 1 {
			continue
		}
		var held time.Duration
		switch {
		case i+1 < len(kept):
			held = kept[i+1].Time.Sub(p.Time)
		case !window.End.IsZero():
			held = window.End.Sub(p.Time)
		}
		r.Known += held
		if count >= sorted[next-1].Value {
			r.Reached = true
			r.AtMax += held
		}
	}
	return r, report
}
