package hpacouple

import "fmt"

// Outcome is what a plan comes to. The zero value is not a member of the list.
type Outcome string

const (
	// Uncoupled: no HPA entry depends on requests that are in auto-patch. The caller may change requests alone.
	Uncoupled Outcome = "Uncoupled"
	// Skip: the workload is coupled and a skip reason stands. The caller changes nothing and shows the reason.
	Skip Outcome = "Skip"
	// NoChange: no request changes. The caller has nothing to do.
	NoChange Outcome = "NoChange"
	// Coordinate: requests change, and the target with them. The caller asks [Admit], then writes both as one change.
	Coordinate Outcome = "Coordinate"
)

// Outcomes returns the closed list in order of precedence.
func Outcomes() []Outcome { return []Outcome{Uncoupled, Skip, NoChange, Coordinate} }

// Valid says whether o is a member of the list.
func (o Outcome) Valid() bool {
	for _, k := range Outcomes() {
		if o == k {
			return true
		}
	}
	return false
}

// MarshalText writes a member of the list and refuses every other text.
func (o Outcome) MarshalText() ([]byte, error) {
	if !o.Valid() {
		return nil, fmt.Errorf("unknown outcome %q", string(o))
	}
	return []byte(o), nil
}

// UnmarshalText reads a member of the list and refuses every other text.
func (o *Outcome) UnmarshalText(text []byte) error {
	if read := Outcome(text); read.Valid() {
		*o = read
		return nil
	}
	return fmt.Errorf("unknown outcome %q", string(text))
}
