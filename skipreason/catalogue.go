package skipreason

// Kind says which list a catalogue entry belongs to.
type Kind string

const (
	KindSkip       Kind = "skip reason"
	KindBlock      Kind = "block reason"
	KindBlockCause Kind = "block cause"
	KindRiskFlag   Kind = "risk flag"
)

// Entry explains one word of the vocabulary.
type Entry struct {
	// Code is the word itself.
	Code string `json:"code"`
	// Kind is the list that it belongs to.
	Kind Kind `json:"kind"`
	// Sentence is for a person.
	Sentence string `json:"sentence"`
	// Rule is exact, with its threshold.
	Rule string `json:"rule"`
	// Next is what the caller does next.
	Next string `json:"next"`
}

// Catalogue returns every word with its explanation: skip reasons, block reasons, block causes, risk flags, each in the order of its list.
// The slice is the caller's.
func Catalogue() []Entry {
	var all []Entry
	for _, s := range Skips() {
		all = append(all, s.Entry())
	}
	for _, b := range Blocks() {
		all = append(all, b.Entry())
	}
	for _, c := range BlockCauses() {
		all = append(all, c.Entry())
	}
	for _, f := range RiskFlags() {
		all = append(all, f.Entry())
	}
	return all
}

// Entry explains s. A text outside the list gives an entry with empty explanations.
func (s Skip) Entry() Entry {
	e := Entry{Code: string(s), Kind: KindSkip}
	switch s {
	case MaxReplicasReached:
		e.Sentence = "The HPA was at maxReplicas in the recommendation window, so what was measured is not what the workload wanted."
		e.Rule = "The caller's replica facts say that status or spec replicas equalled maxReplicas at some time of the window."
		e.Next = "Raise maxReplicas, wait for a window without it, then plan again."
	case UnsupportedMetrics:
		e.Sentence = "The HPA measures more than one thing, or one container alone; one new target cannot keep all of it the same."
		e.Rule = "A coupled HPA with two or more entries, or a utilization entry of type ContainerResource, or a second HPA for the same workload."
		e.Next = "Leave one HPA with one Resource utilization entry, or take the resource out of auto-patch."
	case MissingRequest:
		e.Sentence = "A container that counts has no request of the HPA's resource, so the HPA cannot compute utilization at all."
		e.Rule = "After limits standing in and LimitRange defaults, a counted container has no request of the resource, or the request sum is 0."
		e.Next = "Set the request of the named container, then plan again."
	case TargetOutOfBounds:
		e.Sentence = "No requests and target exist that keep the product inside the bounds, under the limits and above what must not decrease."
		e.Rule = "Fitting the requests to the effective target bounds needs more room than limits and locks leave, or the fitted pair cannot reach its scale-out trigger although the present one can."
		e.Next = "Do what the cause says."
	}
	return e
}

// Entry explains b. A text outside the list gives an entry with empty explanations.
func (b Block) Entry() Entry {
	e := Entry{Code: string(b), Kind: KindBlock}
	if b == HPACoupled {
		e.Sentence = "The workload is coupled to an HPA and its change may not be made; nothing was changed."
		e.Rule = "The HPA's resource is in auto-patch and one of the block causes holds."
		e.Next = "Read the cause. The plan still shows what would be done and what it would save."
	}
	return e
}

// Entry explains c. A text outside the list gives an entry with empty explanations.
func (c BlockCause) Entry() Entry {
	e := Entry{Code: string(c), Kind: KindBlockCause}
	switch c {
	case CauseCoordinationOff:
		e.Sentence = "Coordination with the HPA is off in the policy."
		e.Rule = "The policy has no spec.hpa, or spec.hpa.coordinate is not true. Off is the default."
		e.Next = "Set spec.hpa.coordinate: true in the policy of the namespace, or take the HPA's resource out of auto-patch."
	case CauseSkipReason:
		e.Sentence = "The plan was skipped, and a skipped plan is never applied."
		e.Rule = "The plan's outcome is Skip."
		e.Next = "Read the skip reason of the plan."
	case CausePolicyBounds:
		e.Sentence = "The new target would leave the bounds that the policy allows."
		e.Rule = "The new target differs from the present one and is below minUtilization or above maxUtilization; a side that is not given is open."
		e.Next = "Widen spec.hpa.targetBounds, or give the planner the same bounds so that it fits the requests to them."
	case CauseReadOnly:
		e.Sentence = "The agent has no permission to patch HPAs."
		e.Rule = "The caller says that HPAs may not be patched."
		e.Next = "Leave read-only mode and grant get and patch on horizontalpodautoscalers."
	case CauseStale:
		e.Sentence = "The workload or its HPA has changed since the plan was made."
		e.Rule = "What the HPA scales, an entry or target of it, its scale-up tolerance, a written request or limit, or the request sum of the template differs in the live objects from what the plan recorded (Observed)."
		e.Next = "Plan again from the live objects."
	}
	return e
}
