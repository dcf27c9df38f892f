package rightsizetest

import (
	"fmt"

	"pgregory.net/rapid"
)

// Law names what must hold for every plan, change, recommendation, histogram, quantile or simulated pass.
type Law string

const (
	// LawA2: requests and target are one change; both are written, and nothing else.
	LawA2 Law = "A2"
	// LawA5: the agent's policy decides: coordination is off unless it is switched on, and its bounds are not widened.
	LawA5 Law = "A5"
	// LawA6: a plan is skipped where a reason to skip stands, and nowhere else; where nothing stands in the way it coordinates.
	LawA6 Law = "A6"
	// LawA7: what blocks a coordinated change blocks all of it, and nothing else does.
	LawA7 Law = "A7"
	// LawA9: where no target has to change with the requests, the HPA holds nothing back.
	LawA9 Law = "A9"
	// LawA10: giving fields up changes no value.
	LawA10 Law = "A10"
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
	// LawN1: more usage never gives fewer replicas.
	LawN1 Law = "N1"
	// LawN2: a pass ends within minReplicas and maxReplicas.
	LawN2 Law = "N2"
	// LawN3: a pass is a function of its arguments.
	LawN3 Law = "N3"
	// LawN4: a pass is that of the real controller.
	LawN4 Law = "N4"
	// LawP2: the input is not written to.
	LawP2 Law = "P2"
	// LawP3: equal inputs give equal results, byte for byte.
	LawP3 Law = "P3"
	// LawP4: no input makes it panic.
	LawP4 Law = "P4"
	// LawP6: every outcome carries reasons, and every word is one of its closed list.
	LawP6 Law = "P6"
	// LawR1: more usage never gives a smaller request, nor a smaller bound.
	LawR1 Law = "R1"
	// LawR3: a recommendation lies between its bounds and is never 0: an HPA would have nothing to divide by.
	LawR3 Law = "R3"
	// LawR4: the order in which samples, containers and policies are given does not matter.
	LawR4 Law = "R4"
	// LawR5: a throttled container's cpu request, an OOM-killed one's memory request, is not recommended to fall.
	LawR5 Law = "R5"
	// LawR6: the recommendation does not depend on the size of the numbers, and so hides no constant.
	LawR6 Law = "R6"
	// LawR7: a larger margin or minimum never gives a smaller request.
	LawR7 Law = "R7"
	// LawR8: a higher percentile never gives a smaller request.
	LawR8 Law = "R8"
	// LawR9: without data there is no recommendation, and then there is no number that could be taken for one.
	LawR9 Law = "R9"
	// LawR10: what the owner allows, and a limit that stays, bound request, lower and upper bound.
	LawR10 Law = "R10"
	// LawQ1: quantiles are monotone and within the values.
	LawQ1 Law = "Q1"
	// LawQ2: a quantile is the one of its definition, up to the error that is stated.
	LawQ2 Law = "Q2"
	// LawQ3: the unit of the values does not matter.
	LawQ3 Law = "Q3"
	// LawQ4: without data there is no quantile, and values and shares that cannot be are refused.
	LawQ4 Law = "Q4"
	// LawM1: a merged with b is b merged with a.
	LawM1 Law = "M1"
	// LawM2: it does not matter which two of three are merged first.
	LawM2 Law = "M2"
	// LawM3: a merged with b is what took the samples of both, and b is as it was.
	LawM3 Law = "M3"
	// LawM4: encoding loses nothing.
	LawM4 Law = "M4"
)

// PlanLaws returns the laws of [CheckPlan].
func PlanLaws() []Law {
	return []Law{LawA6, LawH1, LawH1b, LawH2, LawH4, LawH5, LawH6, LawH7, LawH8, LawH9, LawH10, LawH11, LawP2, LawP3, LawP4, LawP6}
}

// sentences say what each law demands.
var sentences = map[Law]string{
	LawA2:  "both halves are written, and nothing else",
	LawA5:  "nothing is coordinated unless the policy says so, and no target leaves the policy's bounds",
	LawA6:  "the outcome is what the input asks for: skipped for a reason that stands, else coordinated",
	LawA7:  "a skip reason, a missing permission and objects that have changed block, and nothing else but the policy does",
	LawA9:  "a plan that changes no target is allowed",
	LawA10: "a release changes no value",
	LawH1:  "where no bound holds the target, 2 |R'T' - RT| <= R'",
	LawH1b: "where a bound holds the target, |R'T' - RT| < one step x T', never below RT at the maximum, never above at the minimum",
	LawH2:  "no request changes, so no target does",
	LawH3:  "the reverse restores exactly",
	LawH4:  "the target stays inside the bounds",
	LawH5:  "after any number of changes the product is that of the anchor",
	LawH6:  "what is locked does not decrease",
	LawH7:  "nobody ends outside present and recommended",
	LawH8:  "planning again changes nothing",
	LawH9:  "order does not matter",
	LawH10: "scaling all numbers leaves the target",
	LawH11: "plan, reverse, plan gives the same plan",
	LawN1:  "more usage never gives fewer replicas",
	LawN2:  "a pass ends within minReplicas and maxReplicas",
	LawN3:  "a pass depends on its arguments alone, and not on the order of pods",
	LawN4:  "a pass gives what Kubernetes gives",
	LawP2:  "the input is not written to",
	LawP3:  "equal inputs give equal results",
	LawP4:  "no panic",
	LawP6:  "reasons are given, in words of the closed lists",
	LawR1:  "more usage never gives a smaller request",
	LawR3:  "lower bound <= request <= upper bound, and no request is 0",
	LawR4:  "the order of samples, containers and policies does not matter",
	LawR5:  "what was throttled or OOM-killed does not fall, unless its limit or policy is below",
	LawR6:  "all numbers k times as large give k times the request, to rounding",
	LawR7:  "a larger margin or minimum never gives a smaller request",
	LawR8:  "a higher percentile never gives a smaller request",
	LawR9:  "no data is no recommendation, and no recommendation is no number",
	LawR10: "request and bounds stay within what policy and limit allow, and who is switched off gets nothing",
	LawQ1:  "quantiles do not fall as q rises, and lie within the values up to the stated error",
	LawQ2:  "|answer - true| <= e x true + a",
	LawQ3:  "values in a smaller unit give the quantile in that unit",
	LawQ4:  "no data, no quantile; what is no value or no share is refused",
	LawM1:  "merging is commutative",
	LawM2:  "merging is associative",
	LawM3:  "merging is adding, and an empty one adds nothing",
	LawM4:  "what is read back is what was written, and is written again in the same bytes",
}

// Sentence says what the law demands. A text outside the list gives "".
func (l Law) Sentence() string { return sentences[l] }

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

// found ends a draw for which a law was broken.
func found(t *rapid.T, what fmt.Stringer, v *Violation) {
	if v != nil {
		v.Input = what.String()
		t.Fatalf("%v", v)
	}
}
