package ledger

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/risk"
)

func full() Ledger {
	from, to := resource.MustParse("1"), resource.MustParse("700m")
	ref := hpacouple.AmountRef{Place: hpacouple.InContainers, Container: "app", Resource: "cpu", Kind: hpacouple.Request}
	pair := func(q resource.Quantity, target int32) *hpacouple.AnchorPair {
		return &hpacouple.AnchorPair{Target: target, Requests: []hpacouple.AnchorRequest{{Container: "app", Request: q}}}
	}
	state := hpacouple.State{Version: hpacouple.StateVersion, Resource: "cpu", Anchor: *pair(from, 50), Pending: pair(to, 71)}
	c := hpacouple.Change{Workload: hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "n", Name: "web"}, HPA: hpacouple.HPARef{Name: "web"},
		Strategy: hpacouple.Rollout, State: &state, Amounts: []hpacouple.AmountChange{{AmountRef: ref, From: &from, To: &to}},
		Targets: []hpacouple.TargetChange{{TargetRef: hpacouple.TargetRef{Type: "Resource", Resource: "cpu"}, From: 50, To: 71}}}
	return Ledger{}.Begin(c, hpacouple.Taken{Amounts: []hpacouple.TakenAmount{{AmountRef: ref, Value: &from}}})
}

func TestRoundTrip(t *testing.T) {
	for _, l := range []Ledger{{}, full(), full().Finished(full().Taken), full().RolledBack(full().Taken), full().Released(full().Taken), full().Released(hpacouple.Taken{})} {
		text, err := l.Text()
		require.NoError(t, err)
		require.Equal(t, l.Empty(), text == "")
		meta := &metav1.ObjectMeta{Annotations: map[string]string{Annotation: text, "other": "x"}}
		if text == "" {
			meta.Annotations = nil
		}
		again, by, err := Read(meta, "kerf")
		require.NoError(t, err)
		require.Empty(t, by)
		want, err := json.Marshal(l)
		require.NoError(t, err)
		got, err := json.Marshal(again)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got))
	}
}

func TestLife(t *testing.T) {
	begun := full()
	require.True(t, begun.Unfinished)
	require.Equal(t, begun.Change.State, begun.Anchor)
	seen := begun.Finished(begun.Taken).Seen(&hpacouple.State{}, begun.Taken)
	require.Nil(t, seen.Anchor, "an empty state is none")
	require.Equal(t, &hpacouple.State{}, seen.State(), "and an anchor begins")
	back := seen.RolledBack(begun.Taken)
	require.Nil(t, back.Change)
	require.Equal(t, begun.Change.State, back.Anchor, "the state that knows both pairs")
	require.NotNil(t, seen.Change, "the old ledger stays as it was")
}

func TestRefused(t *testing.T) {
	good, err := full().Text()
	require.NoError(t, err)
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", "is not a ledger"},
		{"no JSON", "{", "is not a ledger"},
		{"unknown", `{"x": 1}`, `unknown field "x"`},
		{"two", good + "{}", "something follows it"},
		{"a change without strategy", `{"change": {"strategy": ""}}`, "strategy"},
		{"a change of nothing", `{"change": {"strategy": "Rollout", "hpa": {}, "workload": {"kind": ""}}, "taken": {}}`, "change.workload.apiVersion"},
		{"another version", `{"anchor": {"version": "v0", "resource": "cpu", "anchor": {"target": 1, "requests": []}}}`, "anchor.version"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, _, err := Read(&metav1.ObjectMeta{Annotations: map[string]string{Annotation: row.text}}, "kerf")
			require.ErrorContains(t, err, row.want)
		})
	}
}

// A ledger counts as long as nobody else has written it.
func TestWrittenBySomebodyElse(t *testing.T) {
	text, err := full().Text()
	require.NoError(t, err)
	const fields = `{"f:metadata":{"f:annotations":{"f:kube-rightsize.github.io/ledger":{}}}}`
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: "apps/v1", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
	}
	ours := entry("kerf-ledger", "Apply", fields)
	for _, row := range []struct {
		why     string
		entries []metav1.ManagedFieldsEntry
		by      string
	}{
		{why: "managedFields are not known"},
		{why: "ours", entries: []metav1.ManagedFieldsEntry{entry("kubectl-create", "Update", `{"f:spec":{}}`), ours}},
		{why: "co-owned: they wrote the same", entries: []metav1.ManagedFieldsEntry{entry("gitops", "Apply", fields), ours}},
		{why: "nobody's", entries: []metav1.ManagedFieldsEntry{entry("kubectl-create", "Update", `{"f:metadata":{"f:annotations":{".":{},"f:other":{}}}}`)}},
		{why: "kubectl rollout undo", entries: []metav1.ManagedFieldsEntry{entry("kubectl-rollout", "Update", fields), entry("kerf-ledger", "Apply", `{"f:metadata":{"f:annotations":{}}}`)}, by: "kubectl-rollout"},
		{why: "a copy", entries: []metav1.ManagedFieldsEntry{entry("kubectl-create", "Update", fields)}, by: "kubectl-create"},
		{why: "in our name, but by update", entries: []metav1.ManagedFieldsEntry{entry("kerf-ledger", "Update", fields)}, by: "kerf-ledger"},
		{why: "the ledger of another manager of changes", entries: []metav1.ManagedFieldsEntry{entry("other-ledger", "Apply", fields)}, by: "other-ledger"},
	} {
		l, by, err := Read(&metav1.ObjectMeta{Annotations: map[string]string{Annotation: text}, ManagedFields: row.entries}, "kerf")
		require.NoError(t, err, row.why)
		require.Equal(t, row.by, by, row.why)
		require.Equal(t, row.by != "", l.Empty(), row.why)
	}
}

func TestAnnotate(t *testing.T) {
	o := hpacouple.ObjectRef{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "n", Name: "web"}
	w, err := Annotate(o, Guard{UID: "u", ResourceVersion: "7"}, Manager("kerf"), Annotation, "{}")
	require.NoError(t, err)
	require.Equal(t, hpacouple.Write{Object: o, PatchType: hpacouple.ApplyPatch, FieldManager: "kerf-ledger", Force: true, Body: w.Body}, w)
	require.JSONEq(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"kube-rightsize.github.io/ledger":"{}"},"name":"web","uid":"u","resourceVersion":"7"}}`, string(w.Body))
	w, err = Annotate(o, Guard{UID: "u"}, "m", Annotation, "")
	require.NoError(t, err)
	require.Equal(t, hpacouple.JSONPatch, w.PatchType)
	require.JSONEq(t, `[{"op":"test","path":"/metadata/uid","value":"u"},{"op":"remove","path":"/metadata/annotations/kube-rightsize.github.io~1ledger"}]`, string(w.Body))
}

func TestOf(t *testing.T) {
	l := Ledger{}.Of("a").Begin(*full().Change, full().Taken)
	require.False(t, l.Of("a").Empty())
	require.False(t, l.Of("").Empty(), "a manifest has no uid")
	require.True(t, l.Of("b").Empty(), "a copy is another workload")
	taken := full()
	taken.Taken.WorkloadUID = "a"
	require.True(t, taken.Of("b").Empty(), "ledgers from before know it from what was taken")
}

func TestNoticed(t *testing.T) {
	begun, nobody := full(), &metav1.ObjectMeta{}
	begun.Taken.Metrics = &hpacouple.TakenMetrics{}
	same := begun.Noticed(begun.Taken, "kerf", nobody)
	require.False(t, same.Taken.Amounts[0].Held || same.Taken.Metrics.Held, "nothing has happened")
	now := *begun.Taken.DeepCopy()
	now.Amounts[0].Owners = []risk.Owner{{Manager: "kubectl-rollout"}}
	now.Metrics.Owners = []risk.Owner{{Manager: "kubectl-edit"}}
	other := begun.Noticed(now, "kerf", nobody)
	require.True(t, other.Taken.Amounts[0].Held, "another owner than at the beginning")
	require.True(t, other.Taken.Metrics.Held)
	require.False(t, begun.Taken.Amounts[0].Held, "a copy")
	applied := &metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kerf", Operation: metav1.ManagedFieldsOperationApply}}}
	require.True(t, begun.Noticed(begun.Taken, "kerf", applied).Taken.Amounts[0].Held, "the first write has arrived")
}
