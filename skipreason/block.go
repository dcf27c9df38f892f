package skipreason

// Block is an agent's reason for making no change at all. The zero value means that there is none; it is not a member of the list.
type Block string

// HPACoupled is the one block reason: the workload is coupled to an HPA, and the change may not be made. The [BlockCause] says why.
const HPACoupled Block = "HPACoupled"

// Blocks returns the block reasons.
func Blocks() []Block { return []Block{HPACoupled} }

// Valid says whether b is a member of the list.
func (b Block) Valid() bool { return known(b, Blocks()) }

// MarshalText writes a member of the list, or nothing for the zero value, and refuses every other text.
func (b Block) MarshalText() ([]byte, error) { return encode(b, Blocks(), "block reason", true) }

// UnmarshalText reads a member of the list, or the empty text as "none", and refuses every other text.
func (b *Block) UnmarshalText(text []byte) (err error) {
	*b, err = decode(text, Blocks(), "block reason", true)
	return err
}

// BlockCause says why a change was blocked. The zero value means that it was not; it is not a member of the list.
type BlockCause string

const (
	// CauseCoordinationOff: the policy does not switch coordination on.
	CauseCoordinationOff BlockCause = "coordination-off"
	// CauseSkipReason: the plan carries a skip reason.
	CauseSkipReason BlockCause = "skip-reason"
	// CausePolicyBounds: the new target would leave the policy's bounds.
	CausePolicyBounds BlockCause = "policy-bounds"
	// CauseReadOnly: the agent may not patch HPAs.
	CauseReadOnly BlockCause = "read-only"
	// CauseStale: the live objects are not the ones that were planned for.
	CauseStale BlockCause = "stale"
)

// BlockCauses returns the causes in their order of precedence: where several hold, the first is the cause.
func BlockCauses() []BlockCause {
	return []BlockCause{CauseCoordinationOff, CauseSkipReason, CausePolicyBounds, CauseReadOnly, CauseStale}
}

// Valid says whether c is a member of the list.
func (c BlockCause) Valid() bool { return known(c, BlockCauses()) }

// MarshalText writes a member of the list, or nothing for the zero value, and refuses every other text.
func (c BlockCause) MarshalText() ([]byte, error) {
	return encode(c, BlockCauses(), "block cause", true)
}

// UnmarshalText reads a member of the list, or the empty text as "none", and refuses every other text.
func (c *BlockCause) UnmarshalText(text []byte) (err error) {
	*c, err = decode(text, BlockCauses(), "block cause", true)
	return err
}
