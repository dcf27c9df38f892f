package skipreason

// RiskFlag is something that a person should know about a workload, its HPA or the change. A flag never stops anything by itself. The zero
// value is not a member of the list.
type RiskFlag string

// The rule of each flag, with its threshold, stands in the [Catalogue].
const (
	FlagHPACoupled           RiskFlag = "hpa-coupled"
	FlagHPAAmbiguous         RiskFlag = "hpa-ambiguous"
	FlagHPAManagedElsewhere  RiskFlag = "hpa-managed-elsewhere"
	FlagOwnershipUnknown     RiskFlag = "ownership-unknown"
	FlagTargetOutsideBounds  RiskFlag = "target-outside-bounds"
	FlagTargetUnreachable    RiskFlag = "target-unreachable"
	FlagTriggerNearLimit     RiskFlag = "trigger-near-limit"
	FlagHalfChange           RiskFlag = "half-change"
	FlagThrottled            RiskFlag = "throttled"
	FlagOOMKilled            RiskFlag = "oom-killed"
	FlagQoSChange            RiskFlag = "qos-change"
	FlagPodLevelRequests     RiskFlag = "pod-level-requests"
	FlagSingleReplica        RiskFlag = "single-replica"
	FlagScaleToZero          RiskFlag = "scale-to-zero"
	FlagManualPause          RiskFlag = "manual-pause"
	FlagZeroNeedsGate        RiskFlag = "zero-needs-gate"
	FlagZeroWithoutBuffer    RiskFlag = "zero-without-buffer"
	FlagNeverWakes           RiskFlag = "never-wakes"
	FlagShortScaleDownWindow RiskFlag = "short-scale-down-window"
	FlagMemoryUtilization    RiskFlag = "memory-utilization"
	FlagTargetNearSaturation RiskFlag = "target-near-saturation"
	FlagTargetUncomfortable  RiskFlag = "target-uncomfortable"
	FlagAtMaxReplicas        RiskFlag = "at-max-replicas"
	FlagSingleMetric         RiskFlag = "single-metric"
	FlagMetricUnknown        RiskFlag = "metric-unknown"
	FlagNeverComputed        RiskFlag = "never-computed"
	FlagPodsPending          RiskFlag = "pods-pending"
	FlagZonesUneven          RiskFlag = "zones-uneven"
	FlagVPAOverlap           RiskFlag = "vpa-overlap"
	FlagResizePending        RiskFlag = "resize-pending"
	FlagRequestBeyondNode    RiskFlag = "request-beyond-node"
	FlagTinyMemory           RiskFlag = "tiny-memory"
	FlagFewSamples           RiskFlag = "few-samples"
	FlagIdle                 RiskFlag = "idle"
	FlagCappedBelowPeak      RiskFlag = "capped-below-peak"
	FlagLimitBelowStartup    RiskFlag = "limit-below-startup"
	FlagMemoryIndependent    RiskFlag = "memory-independent"
	FlagHeap                 RiskFlag = "heap"
)

// riskFlags is the closed list in the order in which results list flags.
var riskFlags = [...]RiskFlag{
	FlagHPACoupled, FlagHPAAmbiguous, FlagHPAManagedElsewhere, FlagOwnershipUnknown,
	FlagTargetOutsideBounds, FlagTargetUnreachable, FlagTriggerNearLimit, FlagHalfChange,
	FlagThrottled, FlagOOMKilled, FlagQoSChange, FlagPodLevelRequests,
	FlagSingleReplica, FlagScaleToZero, FlagManualPause, FlagZeroNeedsGate, FlagZeroWithoutBuffer, FlagNeverWakes,
	FlagShortScaleDownWindow, FlagMemoryUtilization, FlagTargetNearSaturation, FlagTargetUncomfortable,
	FlagAtMaxReplicas, FlagSingleMetric, FlagMetricUnknown, FlagNeverComputed, FlagPodsPending, FlagZonesUneven,
	FlagVPAOverlap, FlagResizePending, FlagRequestBeyondNode, FlagTinyMemory,
	FlagFewSamples, FlagIdle, FlagCappedBelowPeak, FlagLimitBelowStartup, FlagMemoryIndependent, FlagHeap,
}

// RiskFlags returns all flags in the order in which results list them. The slice is the caller's.
func RiskFlags() []RiskFlag { return append([]RiskFlag(nil), riskFlags[:]...) }

// Order returns the flag's place in [RiskFlags], or their number for a text outside the list.
func (f RiskFlag) Order() int {
	for i := range riskFlags {
		if riskFlags[i] == f {
			return i
		}
	}
	return len(riskFlags)
}

// Valid says whether f is a member of the list.
func (f RiskFlag) Valid() bool { return f.Order() < len(riskFlags) }

// MarshalText writes a member of the list and refuses every other text, the empty one included.
func (f RiskFlag) MarshalText() ([]byte, error) { return encode(f, RiskFlags(), "risk flag", false) }

// UnmarshalText reads a member of the list and refuses every other text, the empty one included.
func (f *RiskFlag) UnmarshalText(text []byte) (err error) {
	*f, err = decode(text, RiskFlags(), "risk flag", false)
	return err
}
