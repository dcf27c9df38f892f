package usagefile

import (
	"fmt"
	"strings"
)

// Report says what became of the rows. What is not kept is not used; a counter's first reading is neither.
type Report struct {
	Rows        int64 `json:"rows"` // read
	Kept        int64 `json:"kept"`
	Invalid     int64 `json:"invalid"`     // NaN, infinite, negative, memory below one byte, or a time that cannot be
	Beyond      int64 `json:"beyond"`      // more than any machine has, 4096 cores or 64 TiB
	Late        int64 `json:"late"`        // older than a newer row of the same pod, container and resource
	Duplicates  int64 `json:"duplicates"`  // a second value of one pod, container and resource at one time
	Outside     int64 `json:"outside"`     // outside the window
	Resets      int64 `json:"resets"`      // a counter went down
	Foreign     int64 `json:"foreign"`     // of a pod or workload that is not asked for
	NoContainer int64 `json:"noContainer"` // of a whole pod, or of its sandbox
}

// fate is what becomes of a row.
type fate int

const (
	kept fate = iota + 1
	invalid
	beyond
	late
	duplicate
	outside
	reset
	foreign
	noContainer
	firstReading
)

func (r *Report) count(f fate) {
	r.Rows++
	switch f {
	case kept:
		r.Kept++
	case invalid:
		r.Invalid++
	case beyond:
		r.Beyond++
	case late:
		r.Late++
	case duplicate:
		r.Duplicates++
	case outside:
		r.Outside++
	case reset:
		r.Resets++
	case foreign:
		r.Foreign++
	case noContainer:
		r.NoContainer++
	}
}

// String names what was not used; empty where all was. A pod's own rows, unless there are no others, and those of other pods are no loss and not named.
func (r Report) String() string {
	var parts []string
	for _, p := range []struct {
		n    int64
		what string
	}{
		{r.Invalid, "not a measurement (NaN, infinite, negative, memory below one byte, or at an impossible time)"}, {r.Beyond, "more than any machine has (4096 cores, 64 TiB)"}, {r.Late, "older than the row before"},
		{r.Duplicates, "at the time of another"}, {r.Outside, "outside the window"}, {r.Resets, "after a counter's reset"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if r.Kept == 0 && r.NoContainer > 0 {
		parts = append(parts, fmt.Sprintf("%d of whole pods or their sandboxes; rows of containers are wanted", r.NoContainer))
	}
	return strings.Join(parts, ", ")
}
