package hpacouple

import "fmt"

// Standing says what the pair in force is in the eyes of the state that [Plan] was given. The zero value means that there was no state, or no
// entry that can be coordinated; it is not a member of the list.
type Standing string

const (
	// StandingBegun: there was no anchor yet; the pair in force became it. The caller stores the state.
	StandingBegun Standing = "begun"
	// StandingAnchor: requests and target are the anchor's; nothing of ours is in force.
	StandingAnchor Standing = "anchor"
	// StandingApplied: requests and target are those of one change of ours.
	StandingApplied Standing = "applied"
	// StandingHalfApplied: each half is ours or the anchor's, and the change that is pending (or was replaced before both its halves were seen)
	// has only one in force. The caller writes the pending change again or reverses it; the plan goes on from the anchor.
	StandingHalfApplied Standing = "half-applied"
	// StandingHalfReverted: one half is that of the last change, the other was put back to the anchor's. The caller finds out who did it; the
	// plan goes on from the anchor.
	StandingHalfReverted Standing = "half-reverted"
	// StandingEdited: somebody else chose requests or target; the pair in force is the new anchor.
	StandingEdited Standing = "edited"
)

// Standings returns the closed list.
func Standings() []Standing {
	return []Standing{StandingBegun, StandingAnchor, StandingApplied, StandingHalfApplied, StandingHalfReverted, StandingEdited}
}

// Valid says whether s is a member of the list.
func (s Standing) Valid() bool {
	for _, k := range Standings() {
		if s == k {
			return true
		}
	}
	return false
}

// Half says whether requests and target in force do not belong together (flag half-change).
func (s Standing) Half() bool { return s == StandingHalfApplied || s == StandingHalfReverted }

// MarshalText writes a member of the list, or nothing for the zero value, and refuses every other text.
func (s Standing) MarshalText() ([]byte, error) {
	if s != "" && !s.Valid() {
		return nil, fmt.Errorf("unknown standing %q", string(s))
	}
	return []byte(s), nil
}

// UnmarshalText reads a member of the list, or the empty text as "none", and refuses every other text.
func (s *Standing) UnmarshalText(text []byte) error {
	if read := Standing(text); read == "" || read.Valid() {
		*s = read
		return nil
	}
	return fmt.Errorf("unknown standing %q", string(text))
}
