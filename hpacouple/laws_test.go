package hpacouple_test

import (
	"encoding/json"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// The laws of the target. Each reads the sums from the objects, before and after the plan was applied, and holds the plan's own working
// against them.

func product(sum int64, target int32) *big.Int {
	return new(big.Int).Mul(big.NewInt(sum), big.NewInt(int64(target)))
}

// planned plans; a draw that is no valid input has no plan.
func planned(t *rapid.T, in hpacouple.Input) (hpacouple.Result, bool) {
	r, errs := hpacouple.Plan(in)
	return r, len(errs) == 0
}

func marshal(t *rapid.T, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// stateful draws an input with or without a state.
func stateful() *rapid.Generator[hpacouple.Input] {
	return rapid.OneOf(valid(), rightsizetest.StatefulInputs())
}

// onPlan draws an input, plans, and checks a law of the plan.
func onPlan(t *rapid.T, inputs *rapid.Generator[hpacouple.Input], check func(t *rapid.T, in hpacouple.Input, r hpacouple.Result)) {
	in := inputs.Draw(t, "in")
	if r, ok := planned(t, in); ok {
		check(t, in, r)
	}
}

// coordinated is a plan that found its one coupled entry and whose requests and target go together.
type coordinated struct {
	in       hpacouple.Input
	r        hpacouple.Result
	old, now int64 // request sums of the objects before and after
	from, to int32
	kept     *big.Int // the product to keep
	lo, hi   int32
	step     int64
	moves    bool // a request that counts changes
}

// coordinates reads a plan that has a coupled entry that it can work with, and is not skipped; ok is false for another one.
func coordinates(t *rapid.T, in hpacouple.Input, r hpacouple.Result) (c coordinated, ok bool) {
	if r.Working == nil || r.Outcome == hpacouple.Skip {
		return c, false
	}
	c = coordinated{in: in, r: r, from: r.Targets[0].From, to: r.Targets[0].To}
	c.old, c.now = sumOf(t, in, r.Working.Resource), sumOf(t, rightsizetest.Apply(in, r), r.Working.Resource)
	require.Equal(t, c.old, r.Working.Old, "the sum of the objects")
	require.Equal(t, c.now, r.Working.New, "the sum of the objects after the change")
	c.kept = product(c.old, c.from)
	if a := r.Working.Anchor; a != nil {
		c.kept = product(a.Requests, a.Target)
	}
	c.lo, c.hi = 40, 90
	if in.Options.MinUtilization != 0 {
		c.lo = in.Options.MinUtilization
	}
	if in.Options.MaxUtilization != 0 {
		c.hi = in.Options.MaxUtilization
	}
	c.lo, c.hi = min(c.lo, c.from), max(c.hi, c.from)
	require.Equal(t, [2]int64{int64(c.lo), int64(c.hi)}, [2]int64{r.Working.Bounds.Lo, r.Working.Bounds.Hi}, "widened to hold the live target and no further")
	c.step = stepOf(in, r.Working.Resource)
	c.moves = slices.ContainsFunc(r.Containers, func(p hpacouple.ContainerPlan) bool {
		return p.Counted && p.Resource == r.Working.Resource && p.Changes()
	})
	return c, true
}

func sumOf(t *rapid.T, in hpacouple.Input, name corev1.ResourceName) int64 {
	sum, err := in.Pod.Requests(name, "")
	require.NoError(t, err)
	return sum.Milli
}

func stepOf(in hpacouple.Input, name corev1.ResourceName) int64 {
	if q, ok := in.Options.Steps[name]; ok {
		c := q.DeepCopy()
		return c.MilliValue()
	}
	if name == corev1.ResourceMemory {
		return 1 << 20 * 1000
	}
	return 1
}

// H1: where no bound acts, 2 |R'T' - RT| <= R', whatever the basis of the sum.
func lawH1(t *rapid.T) { onPlan(t, stateful(), checkH1) }

func checkH1(t *rapid.T, in hpacouple.Input, r hpacouple.Result) {
	c, ok := coordinates(t, in, r)
	if !ok || c.r.Working.Acted != "" || !c.moves {
		return
	}
	gap := new(big.Int).Sub(product(c.now, c.to), c.kept)
	require.LessOrEqual(t, gap.Abs(gap).Lsh(gap, 1).Cmp(big.NewInt(c.now)), 0, "H1: %s", marshal(t, c.r))
	require.Equal(t, new(big.Rat).SetFrac(c.kept, big.NewInt(c.now)), fractionOf(t, c.r.Targets[0].Exact))
}

func fractionOf(t *rapid.T, f hpacouple.Fraction) *big.Rat {
	x, ok := new(big.Rat).SetString(string(f))
	require.True(t, ok, f)
	return x
}

// H1b: where a bound acts, |R'T' - RT| < T' x step with the plan's own step, never below at the maximum, never above at the minimum. With a
// state the product is the anchor's, which half a change in force can be too far from: then it is H5's subject.
func lawH1b(t *rapid.T) { onPlan(t, valid(), checkH1b) }

func checkH1b(t *rapid.T, in hpacouple.Input, r hpacouple.Result) {
	c, ok := coordinates(t, in, r)
	if !ok || c.r.Working.Acted == "" || !c.moves {
		return
	}
	gap := new(big.Int).Sub(product(c.now, c.to), c.kept)
	require.Negative(t, new(big.Int).Abs(gap).Cmp(product(c.step, c.to)), "H1b: %s", marshal(t, c.r))
	if c.r.Working.Acted == bounds.RuleMaxUtilization {
		require.GreaterOrEqual(t, gap.Sign(), 0, "at the maximum never less")
	} else {
		require.LessOrEqual(t, gap.Sign(), 0, "at the minimum never more")
	}
}

// H2: no request that counts changes, so the target does not; and on Skip and NoChange nothing does.
func lawH2(t *rapid.T) { onPlan(t, stateful(), checkH2) }

func checkH2(t *rapid.T, in hpacouple.Input, r hpacouple.Result) {
	name := corev1.ResourceName("")
	if r.Working != nil {
		name = r.Working.Resource
	}
	moves := slices.ContainsFunc(r.Containers, func(p hpacouple.ContainerPlan) bool { return p.Counted && p.Resource == name && p.Changes() })
	for _, target := range r.Targets {
		require.True(t, target.From == target.To || (moves && r.Outcome == hpacouple.Coordinate && target.Resource == name), "H2: %s", marshal(t, r))
	}
	if r.Outcome == hpacouple.Skip || r.Outcome == hpacouple.NoChange {
		require.Equal(t, in.Pod.Spec, rightsizetest.Apply(in, r).Pod.Spec, "H2: nothing is written on %s", r.Outcome)
	}
	if r.Outcome == hpacouple.Coordinate || r.Outcome == hpacouple.Uncoupled {
		return
	}
	require.False(t, slices.ContainsFunc(r.Containers, hpacouple.ContainerPlan.Changes))
}

// H4: the exact target for the settled requests is inside the effective bounds, or a bound acts and the target is that bound, or the plan is
// skipped. Compared as fractions, before any rounding: 90.09 is outside 40..90.
func lawH4(t *rapid.T) { onPlan(t, stateful(), checkH4) }

func checkH4(t *rapid.T, in hpacouple.Input, r hpacouple.Result) {
	c, ok := coordinates(t, in, r)
	if !ok {
		return
	}
	w := c.r.Working
	require.Positive(t, w.Wanted, "a settled sum of 0 has no target")
	wanted := new(big.Rat).SetFrac(c.kept, big.NewInt(w.Wanted))
	require.Equal(t, wanted, fractionOf(t, c.r.Targets[0].Wanted))
	above, below := wanted.Cmp(new(big.Rat).SetInt64(int64(c.hi))) > 0, wanted.Cmp(new(big.Rat).SetInt64(int64(c.lo))) < 0
	switch w.Acted {
	case "":
		require.False(t, above || below, "H4: %v is outside %d..%d and nothing acted: %s", wanted, c.lo, c.hi, marshal(t, c.r))
		require.True(t, c.r.Outcome == hpacouple.NoChange || w.Wanted == w.New, "what is settled is what is written")
	case bounds.RuleMaxUtilization:
		require.True(t, above, "H4: %v is not above %d", wanted, c.hi)
		require.True(t, !c.moves || c.to == c.hi, "the target is the bound")
	case bounds.RuleMinUtilization:
		require.True(t, below, "H4: %v is not below %d", wanted, c.lo)
		require.True(t, !c.moves || c.to == c.lo, "the target is the bound")
	default:
		require.Fail(t, "no rule of a bound", w.Acted)
	}
	require.True(t, c.lo <= c.to && c.to <= c.hi, "H4: rounding does not leave the bounds either")
}

func TestH1(t *testing.T)  { rapid.Check(t, lawH1) }
func FuzzH1(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(lawH1)) }
func TestH1b(t *testing.T) { rapid.Check(t, lawH1b) }
func FuzzH1b(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH1b)) }
func TestH2(t *testing.T)  { rapid.Check(t, lawH2) }
func FuzzH2(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(lawH2)) }
func TestH4(t *testing.T)  { rapid.Check(t, lawH4) }
func FuzzH4(f *testing.F)  { f.Fuzz(rapid.MakeFuzz(lawH4)) }
