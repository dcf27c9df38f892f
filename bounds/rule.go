package bounds

// Rule names what set a number. The empty rule means that nothing acted: the number is as it was asked for.
type Rule string

const (
	// RuleRecommended: the request is the recommendation.
	RuleRecommended Rule = "recommended"
	// RuleEqual: the recommendation equals the present request, which stays untouched.
	RuleEqual Rule = "equal"
	// RuleNone: there is no recommendation.
	RuleNone Rule = "no-recommendation"
	// RuleStep: rounded up to the rounding step.
	RuleStep Rule = "step"
	// RulePresent: rounding up would have turned a cut into a raise; the present request stays.
	RulePresent Rule = "present"
	// RuleLimit: the limit after the change.
	RuleLimit Rule = "limit"
	// RuleLock: the container was throttled or OOM-killed and must not decrease.
	RuleLock Rule = "lock"
	// RuleMaxUtilization: a cut was given back to keep the target at the maximum.
	RuleMaxUtilization Rule = "max-utilization"
	// RuleMinUtilization: a raise was given back to keep the target at the minimum.
	RuleMinUtilization Rule = "min-utilization"
	// RuleAutoPatch: the resource is not in auto-patch.
	RuleAutoPatch Rule = "not-in-auto-patch"
	// RuleSkip: the plan is skipped; nothing moves.
	RuleSkip Rule = "skip"
	// RuleDefault: the library's default target bounds.
	RuleDefault Rule = "default"
	// RuleOption: target bounds that the caller gave.
	RuleOption Rule = "option"
	// RuleLiveTarget: target bounds widened to hold the target that is in force.
	RuleLiveTarget Rule = "live-target"
)

// Rules returns the closed list.
func Rules() []Rule {
	return []Rule{RuleRecommended, RuleEqual, RuleNone, RuleStep, RulePresent, RuleLimit, RuleLock, RuleMaxUtilization, RuleMinUtilization,
		RuleAutoPatch, RuleSkip, RuleDefault, RuleOption, RuleLiveTarget}
}

// Sentence explains the rule to a person. A text outside the list gives "".
func (r Rule) Sentence() string {
	switch r {
	case RuleRecommended:
		return "as recommended"
	case RuleEqual:
		return "the recommendation equals the present request"
	case RuleNone:
		return "nothing was recommended"
	case RuleStep:
		return "rounded up to the step"
	case RulePresent:
		return "rounding up to the step would pass the present request"
	case RuleLimit:
		return "held at the limit after the change"
	case RuleLock:
		return "must not decrease (throttled or OOM-killed)"
	case RuleMaxUtilization:
		return "part of the cut given back, so that the target stays at its maximum"
	case RuleMinUtilization:
		return "part of the raise given back, so that the target stays at its minimum"
	case RuleAutoPatch:
		return "the resource is not in auto-patch"
	case RuleSkip:
		return "the plan is skipped"
	case RuleDefault:
		return "the default target bounds"
	case RuleOption:
		return "the target bounds that were given"
	case RuleLiveTarget:
		return "widened to hold the present target"
	}
	return ""
}

// Cause says why no requests and target fit (skip reason target-out-of-bounds). The zero value means that they do.
type Cause string

const (
	// CauseLimit: the limits after the change are below what the bounds need, or below the present request of a container that must not
	// decrease. The caller raises the limit.
	CauseLimit Cause = "limit"
	// CauseLock: a raise that must be kept, because its container is throttled or was OOM-killed, pushes the target below the minimum. The
	// caller lowers the minimum or waits.
	CauseLock Cause = "lock"
	// CauseReach: the pair fits, but its limits keep usage below its scale-out trigger, which the present pair can reach. The caller raises
	// the limits or lowers the maximum.
	CauseReach Cause = "reach"
	// CauseInit: the request sum is an aggregate in which init containers decide, and no request of a running container brings the target
	// into the bounds. The caller changes the init containers or the pod-level request.
	CauseInit Cause = "init-containers"
)

// Causes returns the closed list.
func Causes() []Cause { return []Cause{CauseLimit, CauseLock, CauseReach, CauseInit} }

// Sentence explains the cause to a person. A text outside the list gives "".
func (c Cause) Sentence() string {
	switch c {
	case CauseLimit:
		return "the limits after the change leave no room for requests that keep the target in bounds"
	case CauseLock:
		return "a container that must not decrease would push the target below its minimum"
	case CauseReach:
		return "with these limits usage could never reach the scale-out trigger of the new target"
	case CauseInit:
		return "init containers decide the request sum, so the containers' requests cannot bring the target into bounds"
	}
	return ""
}
