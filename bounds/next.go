package bounds

// Next says what the caller does about the cause. A text outside the list gives "".
func (c Cause) Next() string {
	switch c {
	case CauseLimit:
		return "Give a higher limit after the change, or recommend requests nearer to the present ones; a wider maximum of the target bounds helps too."
	case CauseLock:
		return "Lower the minimum of the target bounds, or wait until the container is no longer throttled or OOM-killed."
	case CauseReach:
		return "Give higher limits after the change, or lower the maximum of the target bounds: a wider maximum makes it worse."
	case CauseInit:
		return "Change the requests of the init containers or of the pod itself, or recommend requests that need no fitting."
	}
	return ""
}
