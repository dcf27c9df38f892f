package usagefile

import (
	"math"
	"slices"
	"time"

	"github.com/kube-rightsize/rightsize/usage"
)

// piece is how many rows of a series are kept until they are judged.
const piece = 1024

// counts are the rows of one series of replicas. They are judged piece by piece, and a piece begins with the last row of the one before: what
// the library says of the pieces adds up to what it says of the whole.
type counts struct {
	rows []usage.Point
	seen []usage.Replicas // one for each of the collector's limits
}

// replica takes a row of replicas or of maxReplicas; those of maxReplicas were read by Look.
func (c *Collector) replica(r row) fate {
	switch {
	case r.value > math.MaxInt32 || r.resource == maxReplicas && r.value < 1:
		return invalid
	case r.resource == maxReplicas:
		return kept
	case !c.Window.Contains(r.at):
		return outside
	}
	k := instance{r.pod, r.series}
	s := c.counts[k]
	if s == nil {
		s = &counts{seen: make([]usage.Replicas, len(c.Limits))}
		c.counts[k] = s
	}
	if n := len(s.rows); n > 0 {
		last := &s.rows[n-1]
		switch {
		case r.at.Before(last.Time):
			return late
		case r.at.Equal(last.Time):
			last.Value = max(last.Value, r.value)
			return duplicate
		}
	}
	s.rows = append(s.rows, usage.Point{Time: r.at, Value: r.value})
	if len(s.rows) > piece {
		c.judge(s, usage.Window{})
		s.rows = append(s.rows[:0], s.rows[len(s.rows)-1])
	}
	return kept
}

// judge holds a piece against each of the limits.
func (c *Collector) judge(s *counts, within usage.Window) {
	for i, limits := range c.Limits {
		one, _ := usage.ReplicasOver(s.rows, limits, within) // the rows are clean
		s.seen[i] = both(s.seen[i], one)
	}
}

// both adds what was seen in two parts.
func both(a, b usage.Replicas) usage.Replicas {
	return usage.Replicas{Largest: max(a.Largest, b.Largest), Reached: a.Reached || b.Reached, AtMax: sum(a.AtMax, b.AtMax), Known: sum(a.Known, b.Known)}
}

// sum ends at the longest duration, 292 years: several series of lifetimes are still all of the time, or none.
func sum(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Replicas returns what was seen against each of Limits. Times of several series add up.
func (c *Collector) Replicas() []usage.Replicas {
	out := make([]usage.Replicas, len(c.Limits))
	for _, s := range c.counts { // a sum, whatever the order
		whole := counts{s.rows, slices.Clone(s.seen)}
		c.judge(&whole, c.Window)
		for i := range out {
			out[i] = both(out[i], whole.seen[i])
		}
	}
	return out
}
