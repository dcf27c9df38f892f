package usage

import "time"

// Window is a span of elapsed time, [Start, End). A zero Start or End leaves that side open; the zero Window holds
// every time. Times are compared as instants: a day on which clocks change counts 23 or 25 hours, and the zone of a
// time does not matter. Adjoining windows share no sample.
type Window struct {
	Start, End time.Time
}

// Last returns the window of length d that ends just before end.
func Last(end time.Time, d time.Duration) Window {
	return Window{Start: end.Add(-d), End: end}
}

// Contains reports whether t lies in the window.
func (w Window) Contains(t time.Time) bool {
	return (w.Start.IsZero() || !t.Before(w.Start)) && (w.End.IsZero() || t.Before(w.End))
}

// Valid reports whether the window can hold anything: an end that is set comes after the start.
func (w Window) Valid() bool {
	return w.Start.IsZero() || w.End.IsZero() || w.Start.Before(w.End)
}
