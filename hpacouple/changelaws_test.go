package hpacouple_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// The laws of a change and of its way back, on objects as a server stores them.

// drawChange draws an input whose amounts are spelled as a server spells them, its plan and its change.
func drawChange(t *rapid.T, inputs *rapid.Generator[hpacouple.Input]) (in hpacouple.Input, r hpacouple.Result, c hpacouple.Change) {
	in = inputs.Draw(t, "in")
	if in.HPA == nil && len(in.OtherHPAs) > 0 {
		in.HPA, in.OtherHPAs = in.OtherHPAs[0], in.OtherHPAs[1:]
	}
	text := marshal(t, in.Pod.Spec)
	in.Pod.Spec = nil
	require.NoError(t, json.Unmarshal([]byte(text), &in.Pod.Spec))
	r, ok := planned(t, in)
	if !ok {
		t.Skip("no plan")
	}
	if c, ok = hpacouple.ChangeOf(r); !ok {
		t.Skip("no change")
	}
	return in, r, c
}

// written is the input with the change in it, the state included.
func written(in hpacouple.Input, c hpacouple.Change) hpacouple.Input {
	out := copyInput(in)
	o := rightsizetest.WriteInMemory(rightsizetest.Objects{Template: out.Pod.Spec, HPA: out.HPA, State: out.State}, *c.DeepCopy())
	out.Pod.Spec, out.HPA, out.State = o.Template, o.HPA, o.State
	return out
}

// H3: the reverse restores template and targets exactly, byte for byte; the reverse of the reverse is the change.
func lawH3(t *rapid.T) {
	in, _, c := drawChange(t, stateful())
	before := marshal(t, c)
	require.Equal(t, before, marshal(t, c.Reverse().Reverse()), "H3: back and back again")
	after := written(in, c)
	require.NotEqual(t, marshal(t, in.Pod.Spec), marshal(t, after.Pod.Spec), "a change changes")
	back := written(after, c.Reverse())
	require.Equal(t, before, marshal(t, c), "P2: the change is not written to")
	require.Equal(t, marshal(t, in.Pod.Spec), marshal(t, back.Pod.Spec), "H3")
	require.Equal(t, marshal(t, in.HPA), marshal(t, back.HPA), "H3")
}

// H11: plan, write, plan, put back, plan gives the same plan again, anchor included.
func lawH11(t *rapid.T) {
	in, _, _ := drawChange(t, valid())
	in.State = &hpacouple.State{} // an anchor begins with the pair in force
	first, ok := planned(t, in)
	require.True(t, ok)
	c, ok := hpacouple.ChangeOf(first)
	require.True(t, ok)
	after := written(in, c)
	if rapid.Bool().Draw(t, "seen") { // whether anybody planned while the change was in force
		seen, ok := planned(t, after)
		require.True(t, ok)
		after.State = seen.State
	}
	state := after.State
	after = written(after, c.Reverse())
	after.State = state
	again, ok := planned(t, after)
	require.True(t, ok)
	require.Equal(t, first.Outcome, again.Outcome, "H11")
	require.Equal(t, marshal(t, first.Containers), marshal(t, again.Containers), "H11")
	require.Equal(t, first.Targets, again.Targets, "H11")
	require.Equal(t, first.SkipReasons, again.SkipReasons)
	require.Equal(t, marshal(t, first.Working), marshal(t, again.Working), "H11: the product that is kept is the same")
	if first.Working != nil {
		require.Equal(t, marshal(t, first.State.Anchor), marshal(t, again.State.Anchor), "H11: the anchor is the user's pair")
		require.Equal(t, hpacouple.StandingBegun, first.Standing)
		require.Equal(t, hpacouple.StandingAnchor, again.Standing)
	}
}

func TestH3(t *testing.T)  { rapid.Check(t, lawH3) }
func FuzzH3(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(lawH3)) }
func TestH11(t *testing.T) { rapid.Check(t, lawH11) }
func FuzzH11(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH11)) }
