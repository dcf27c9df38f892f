package replicas

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClass has a row for every cause.
func TestClass(t *testing.T) {
	c := (&Spec{}).Calculator(1, 1, noon)
	seen := map[Cause]bool{}
	for _, row := range []struct {
		why    string
		change func(*Pod)
		class  Class
		cause  Cause
		memory Class // of any other resource
	}{
		{why: "as usual", change: func(*Pod) {}, class: ClassReady, cause: CauseSampled, memory: ClassReady},
		{why: "deletion comes first", change: func(p *Pod) { p.Deleted, p.Phase = true, "Pending" }, class: ClassIgnored, cause: CauseDeleted, memory: ClassIgnored},
		{why: "failed, whatever its sample", change: func(p *Pod) { p.Phase = "Failed" }, class: ClassIgnored, cause: CauseFailed, memory: ClassIgnored},
		{why: "pending, sampled or not", change: func(p *Pod) { p.Phase, p.Sampled = "Pending", false }, class: ClassUnready, cause: CausePending, memory: ClassUnready},
		{why: "finished pods have no sample", change: func(p *Pod) { p.Phase, p.Sampled = "Succeeded", false }, class: ClassMissing, cause: CauseNoSample, memory: ClassMissing},
		{why: "no condition", change: func(p *Pod) { p.Ready = "" }, class: ClassUnready, cause: CauseNoReadyCondition, memory: ClassReady},
		{why: "no start time", change: func(p *Pod) { p.Started = time.Time{} }, class: ClassUnready, cause: CauseNotStarted, memory: ClassReady},
		{why: "not ready within 5 minutes", change: func(p *Pod) { p.Ready, p.Started = "False", noon.Add(-299*time.Second) }, class: ClassUnready, cause: CauseInitializing, memory: ClassReady},
		{why: "at 5 minutes the other rule holds", change: func(p *Pod) { p.Ready, p.Started, p.ReadyChanged = "False", noon.Add(-300*time.Second), noon }, class: ClassReady, cause: CauseSampled, memory: ClassReady},
		{why: "a window that began before readiness", change: func(p *Pod) { p.Started, p.ReadyChanged = noon.Add(-time.Minute), noon.Add(-29*time.Second) }, class: ClassUnready, cause: CauseSampleTooOld, memory: ClassReady},
		{why: "one that began with it", change: func(p *Pod) { p.Started, p.ReadyChanged = noon.Add(-time.Minute), noon.Add(-30*time.Second) }, class: ClassReady, cause: CauseSampled, memory: ClassReady},
		{why: "not ready since 29 s after its start", change: func(p *Pod) { p.Ready, p.ReadyChanged = "False", p.Started.Add(29*time.Second) }, class: ClassUnready, cause: CauseNeverReady, memory: ClassReady},
		{why: "since 30 s: it has been ready", change: func(p *Pod) { p.Ready, p.ReadyChanged = "False", p.Started.Add(30*time.Second) }, class: ClassReady, cause: CauseSampled, memory: ClassReady},
		{why: "Unknown is not unready", change: func(p *Pod) { p.Ready = "Unknown" }, class: ClassReady, cause: CauseSampled, memory: ClassReady},
	} {
		p := readyPods(1, 1000, 500)[0]
		row.change(&p)
		class, cause := c.Class("cpu", p)
		require.Equal(t, row.class, class, row.why)
		require.Equal(t, row.cause, cause, row.why)
		class, _ = c.Class("memory", p)
		require.Equal(t, row.memory, class, row.why)
		seen[cause] = true
		require.Equal(t, []any{class, cause}, []any{throughJSON(t, class), throughJSON(t, cause)})
	}
	for _, cause := range Causes() {
		require.True(t, seen[cause], "no row for %s", cause)
	}
	var class Class
	require.Error(t, class.UnmarshalText([]byte("guess")))
	_, err := class.MarshalText()
	require.Error(t, err, "the zero value is no class")
}
