package rightsizetest

import "fmt"

// Law names what must hold for every plan or change.
type Law string

const (
	// LawA2: requests and target are one change; both are written, and nothing else.
	LawA2 Law = "A2"
	// LawH1: where no bound holds the target, requests x target stays the same to half a percent.
	LawH1 Law = "H1"
	// LawH1b: where a bound holds the target, requests x target stays the same to one rounding step of the requests.
	LawH1b Law = "H1b"
	// LawH2: no request of the HPA's resource changes, so the target does not; nothing changes on Skip and NoChange.
	LawH2 Law = "H2"
	// LawH3: the reverse of a change puts requests, limits and target back exactly; what was absent is absent again.
	LawH3 Law = "H3"
	// LawH4: the target stays inside the bounds, widened to hold the one in force.
	LawH4 Law = "H4"
	// LawH5: after any number of changes the product is still that of the pair that the user chose.
	LawH5 Law = "H5"
	// LawH6: a throttled container's cpu request, an OOM-killed one's memory request, does not decrease, unless it was above its new limit.
	LawH6 Law = "H6"
	// LawH7: nobody gets more than the larger, or less than the smaller, of its present and its recommended request.
	LawH7 Law = "H7"
	// LawH8: planning again after the change was applied changes nothing.
	LawH8 Law = "H8"
	// LawH9: the order of containers and recommendations does not matter.
	LawH9 Law = "H9"
	// LawH10: multiplying all cpu numbers by a whole factor leaves the target, where no bound holds it.
	LawH10 Law = "H10"
	// LawH11: plan, reverse, plan gives the same plan, anchor included.
	LawH11 Law = "H11"
	// LawP2: the input is not written to.
	LawP2 Law = "P2"
	// LawP3: equal inputs give equal results, byte for byte.
	LawP3 Law = "P3"
	// LawP4: no input makes it panic.
	LawP4 Law = "P4"
	// LawP6: every outcome carries reasons, and every word is one of its closed list.
	LawP6 Law = "P6"
)

// PlanLaws returns the laws of [CheckPlan].
func PlanLaws() []Law {
	return []Law{LawH1, LawH1b, LawH2, LawH4, LawH5, LawH6, LawH7, LawH8, LawH9, LawH10, LawH11, LawP2, LawP3, LawP4, LawP6}
}

// Sentence says what the law demands. A text outside the list gives "".
func (l Law) Sentence() string {
	switch l {
	case LawA2:
		return "both halves are written, and nothing else"
	case LawH1:
		return "where no bound holds the target, 2 |R'T' - RT| <= R'"
	case LawH1b:
		return "where a bound holds the target, |R'T' - RT| < one step x T', never below RT at the maximum, never above at the minimum"
	case LawH2:
		return "no request changes, so no target does"
	case LawH3:
		return "the reverse restores exactly"
	case LawH4:
		return "the target stays inside the bounds"
	case LawH5:
		return "after any number of changes the product is that of the anchor"
	case LawH6:
		return "what is locked does not decrease"
	case LawH7:
		return "nobody ends outside present and recommended"
	case LawH8:
		return "planning again changes nothing"
	case LawH9:
		return "order does not matter"
	case LawH10:
		return "scaling all numbers leaves the target"
	case LawH11:
		return "plan, reverse, plan gives the same plan"
	case LawP2:
		return "the input is not written to"
	case LawP3:
		return "equal inputs give equal results"
	case LawP4:
		return "no panic"
	case LawP6:
		return "reasons are given, in words of the closed lists"
	}
	return ""
}

// Violation is a law that was broken, with the numbers that show it.
type Violation struct {
	Law Law
	// Text is for a person: what was found. Its wording may change.
	Text string
	// Input describes what it was found for.
	Input string
}

// Error names the law first.
func (v *Violation) Error() string {
	text := fmt.Sprintf("law %s is broken: %s\nfound: %s", v.Law, v.Law.Sentence(), v.Text)
	if v.Input != "" {
		text += "\nfor:\n" + v.Input
	}
	return text
}

// broken returns a violation without its input, which the caller of the law adds.
func (l Law) broken(format string, args ...any) *Violation {
	return &Violation{Law: l, Text: fmt.Sprintf(format, args...)}
}
