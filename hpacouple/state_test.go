package hpacouple_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Where nothing can be compared the state comes back as it was.
func TestStatePassesThrough(t *testing.T) {
	s := begin(t, 50, "1000m", true)
	s.change("700m")
	s.plan("700m")
	before := known(s.in.State)
	keep := s.in
	for name, spoil := range map[string]func(in *hpacouple.Input){
		"no HPA":          func(in *hpacouple.Input) { in.HPA = nil },
		"two entries":     func(in *hpacouple.Input) { in.HPA = hpa(utilization("cpu", 30), utilization("memory", 40)) },
		"missing request": func(in *hpacouple.Input) { in.Pod.Spec.Containers[0].Resources.Requests = nil },
		"not auto-patch":  func(in *hpacouple.Input) { in.Options.AutoPatch = []corev1.ResourceName{"memory"} },
	} {
		in := copyInput(keep)
		spoil(&in)
		r, errs := hpacouple.Plan(in)
		require.Empty(t, errs, name)
		require.Empty(t, r.Standing, name)
		require.Equal(t, before, known(r.State), name)
	}
	in := copyInput(keep)
	in.State = &hpacouple.State{}
	in.HPA = nil
	r, _ := hpacouple.Plan(in)
	require.True(t, r.State.Empty(), "an anchor begins when there is a pair")
	in.State = nil
	r, _ = hpacouple.Plan(in)
	require.Nil(t, r.State)
}

// A skipped plan compares as well: a person's edit is noticed, nothing becomes pending.
func TestSkippedPlanKeepsTheState(t *testing.T) {
	s := begin(t, 50, "1000m", true)
	s.change("700m")
	s.in.MaxReplicasReached = true
	require.Equal(t, "1000m@50 700m@71 -", known(s.plan("800m").State))
	s.setTarget(60)
	require.Equal(t, "700m@60 - -", known(s.plan("800m").State))
}

func TestStateIsRefused(t *testing.T) {
	good := func() *hpacouple.State {
		pair := func(target int32) *hpacouple.AnchorPair {
			return &hpacouple.AnchorPair{Target: target, Requests: []hpacouple.AnchorRequest{{Container: "app", Request: resource.MustParse("1")}}}
		}
		return &hpacouple.State{Version: hpacouple.StateVersion, Resource: "cpu", Anchor: *pair(50), Applied: pair(60), Pending: pair(70)}
	}
	for _, row := range []struct {
		name  string
		spoil func(s *hpacouple.State)
		field string
		why   string
	}{
		{"nothing", func(*hpacouple.State) {}, "", "it is valid"},
		{"no version", func(s *hpacouple.State) { s.Version = "" }, "state.version", "only the empty state has none"},
		{"another version", func(s *hpacouple.State) { s.Version = "v2" }, "state.version", "it may mean something else"},
		{"another resource", func(s *hpacouple.State) { s.Resource = "pods" }, "state.resource", "cpu and memory have requests"},
		{"no target", func(s *hpacouple.State) { s.Anchor.Target = 0 }, "state.anchor.target", "0 is no target"},
		{"no requests", func(s *hpacouple.State) { s.Applied.Requests = nil }, "state.applied.requests", "half a pair"},
		{"negative", func(s *hpacouple.State) { s.Pending.Requests[0].Request = resource.MustParse("-1") }, "state.pending.requests[0].request", "cannot be"},
		{"twice", func(s *hpacouple.State) { s.Anchor.Requests = append(s.Anchor.Requests, s.Anchor.Requests[0]) }, "state.anchor.requests[1].container", "which one"},
		{"another container", func(s *hpacouple.State) { s.Applied.Requests[0].Container = "b" }, "state.applied.requests", "an edit would have made another anchor"},
		{"huge", func(s *hpacouple.State) { s.Anchor.Requests[0].Request = resource.MustParse("1e400") }, "state.anchor.requests[0].request", "thousandths are int64"},
	} {
		in := input(50, box{name: "app", request: "1000m"})
		in.State = good()
		row.spoil(in.State)
		r, errs := hpacouple.Plan(in)
		if row.field == "" {
			require.Empty(t, errs, row.name)
			continue
		}
		require.NotEmpty(t, errs, row.name)
		require.Equal(t, row.field, errs[0].Field, row.why)
		require.Equal(t, hpacouple.Result{}, r)
	}
	in := input(50, box{name: "app", request: "1000m"})
	in.State = good()
	in.State.Anchor.Requests[0].Request = resource.MustParse("9223372036854775")
	in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "mesh", Resources: corev1.ResourceRequirements{Requests: cpuList("1000")}}}}}
	in.State.Applied.Requests[0].Request, in.State.Applied.Target = resource.MustParse("1"), 50
	_, errs := hpacouple.Plan(in)
	require.Len(t, errs, 1)
	require.Equal(t, "state.anchor.requests", errs[0].Field, "the sum is beyond int64")
}

// The state is an annotation's text: it comes back equal, unknown standings are refused.
func TestStateAsText(t *testing.T) {
	s := begin(t, 50, "1000m", true)
	s.change("700m")
	s.plan("600m")
	text, err := json.Marshal(s.in.State)
	require.NoError(t, err)
	require.Equal(t, `{"version":"v1","resource":"cpu","anchor":{"target":50,"requests":[{"container":"app","request":"1"}]},`+
		`"applied":{"target":71,"requests":[{"container":"app","request":"700m"}]},"pending":{"target":83,"requests":[{"container":"app","request":"600m"}]}}`, string(text))
	var back hpacouple.State
	require.NoError(t, json.Unmarshal(text, &back))
	again, err := json.Marshal(&back)
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
	s.in.State = &back
	require.Equal(t, hpacouple.StandingApplied, s.plan("600m").Standing)
	for _, w := range hpacouple.Standings() {
		require.True(t, w.Valid())
		var read hpacouple.Standing
		require.NoError(t, read.UnmarshalText([]byte(w)))
		require.Equal(t, w, read)
	}
	var read hpacouple.Standing
	require.Error(t, read.UnmarshalText([]byte("Applied")))
	_, err = hpacouple.Standing("x").MarshalText()
	require.Error(t, err)
	require.False(t, read.Valid())
}

// TestNoState: a pointer to none is the state to begin with, not a panic.
func TestNoState(t *testing.T) {
	var none *hpacouple.State
	require.True(t, none.Empty())
	require.Empty(t, none.Validate(nil))
}
