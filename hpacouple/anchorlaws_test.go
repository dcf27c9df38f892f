package hpacouple_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// H5, on the kit's random workloads and in a history of whole, half and forgotten writes.
func TestH5(t *testing.T) {
	rightsizetest.CheckPlanLaw(t, rightsizetest.PlannerOf(hpacouple.Plan), rightsizetest.LawH5)
	rapid.Check(t, lawAnchorHolds)
}
func FuzzH5(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawAnchorHolds)) }

// text is a half as text; two halves are equal if their texts are.
func requestsText(p *hpacouple.AnchorPair) string {
	if p == nil {
		return ""
	}
	var rows []string
	for _, r := range p.Requests {
		rows = append(rows, fmt.Sprintf("%s=%d", r.Container, r.Request.MilliValue()))
	}
	return strings.Join(rows, " ")
}

// naiveStanding is the comparison as a table of membership: which halves are known, and of which kind of pair.
func naiveStanding(s *hpacouple.State, live *hpacouple.AnchorPair) hpacouple.Standing {
	type half struct{ requests, target bool }
	var whole, seen, all half // of some pair as a whole; of pairs that were seen whole; of all pairs
	add := func(p *hpacouple.AnchorPair, wasSeen bool) {
		if p == nil {
			return
		}
		is := half{requestsText(p) == requestsText(live), p.Target == live.Target}
		if is == (half{true, true}) {
			whole = is
		}
		all = half{all.requests || is.requests, all.target || is.target}
		if wasSeen && !p.Half {
			seen = half{seen.requests || is.requests, seen.target || is.target}
		}
	}
	add(&s.Anchor, true)
	if whole.requests {
		return hpacouple.StandingAnchor
	}
	add(s.Applied, true)
	for i := range s.Previous {
		add(&s.Previous[i], true)
	}
	add(s.Pending, false)
	switch yes := (half{true, true}); {
	case all != yes:
		return hpacouple.StandingEdited
	case whole == yes:
		return hpacouple.StandingApplied
	case seen == yes:
		return hpacouple.StandingHalfReverted
	}
	return hpacouple.StandingHalfApplied
}

// live reads the pair in force through a plan without a state of its own.
func livePair(t *rapid.T, in hpacouple.Input) *hpacouple.AnchorPair {
	in.State = &hpacouple.State{}
	r, errs := hpacouple.Plan(in)
	require.Empty(t, errs)
	return &r.State.Anchor
}

// The standing is what the twin says; the new state knows what is in force; the anchor moves only by an edit; the product that is kept is the
// anchor's.
func lawStanding(t *rapid.T) {
	in := rightsizetest.StatefulInputs().Draw(t, "in")
	before := copyInput(in)
	r, ok := planned(t, in)
	require.Equal(t, before, in, "P2")
	if !ok || r.Standing == "" {
		return
	}
	require.True(t, r.Standing.Valid())
	live := livePair(t, in)
	want := hpacouple.StandingBegun
	if !in.State.Empty() {
		if want = hpacouple.StandingEdited; in.State.Resource == r.Working.Resource {
			want = naiveStanding(in.State, live)
		}
	}
	require.Equal(t, want, r.Standing)
	require.Equal(t, r.Standing.Half(), containsFlag(r.RiskFlags), "half a change is flagged")
	if r.Standing == hpacouple.StandingBegun || r.Standing == hpacouple.StandingEdited {
		require.Equal(t, show(live), show(&r.State.Anchor), "the pair in force is the new anchor")
	} else {
		require.Equal(t, requestsText(&in.State.Anchor), requestsText(&r.State.Anchor), "the anchor stays")
		require.Equal(t, in.State.Anchor.Target, r.State.Anchor.Target)
	}
	require.NotEqual(t, hpacouple.StandingEdited, naiveStanding(r.State, live), "what is in force stays known: %s", known(r.State))
	if r.Outcome == hpacouple.Coordinate {
		next := rightsizetest.Apply(in, r)
		after, errs := hpacouple.Plan(next)
		require.Empty(t, errs)
		require.NotEqual(t, hpacouple.StandingEdited, naiveStanding(r.State, livePair(t, next)), "what was planned is ours")
		require.Equal(t, show(&r.State.Anchor), show(&after.State.Anchor), "a change of ours never moves the anchor")
	}
}

func containsFlag(flags []skipreason.RiskFlag) bool {
	for _, f := range flags {
		if f == skipreason.FlagHalfChange {
			return true
		}
	}
	return false
}

func TestStandingLaw(t *testing.T) { rapid.Check(t, lawStanding) }
func FuzzStanding(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(lawStanding)) }

// H5: whatever becomes of our writes, the anchor is what the user chose: plans that nobody writes, halves of the newest plan, halves put back to
// the anchor. Whenever a whole change is in force it keeps the anchor's product (H1 or H1b); the product is computed here, not read.
func lawAnchorHolds(t *rapid.T) {
	target, request := rapid.Int32Range(40, 90).Draw(t, "T0"), rapid.Int64Range(20, 4000).Draw(t, "R0")
	s := history{in: input(target, box{name: "app", request: fmt.Sprintf("%dm", request)}), state: true}
	s.in.State = &hpacouple.State{}
	product := new(big.Int).Mul(big.NewInt(request), big.NewInt(int64(target)))
	var last hpacouple.Result // the newest plan that coordinates
	setR := func(m int64) { s.setRequest(fmt.Sprintf("%dm", m)) }
	for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
		step := rapid.IntRange(0, 6).Draw(t, fmt.Sprintf("step %d", i))
		switch {
		case step == 1 && last.State != nil: // the requests of the newest plan are written
			setR(last.Containers[0].To.MilliValue())
		case step == 2 && last.State != nil: // its target
			s.setTarget(last.Targets[0].To)
		case step == 3 && last.State != nil: // both
			s.in = apply(s.in, last)
		case step == 4: // kubectl rollout undo, to the user's requests
			setR(request)
		case step == 5: // somebody puts the user's target back
			s.setTarget(target)
		}
		s.in.Recommendations = []hpacouple.Recommendation{{Container: "app", Requests: cpuList(fmt.Sprintf("%dm", rapid.Int64Range(1, 5000).Draw(t, "to")))}}
		r, errs := hpacouple.Plan(s.in)
		require.Empty(t, errs)
		require.NotEqual(t, hpacouple.StandingEdited, r.Standing, "step %d: %s", step, s.pair())
		require.Equal(t, fmt.Sprintf("%dm@%d", request, target), show(&r.State.Anchor))
		s.in.State = r.State
		switch {
		case r.State.Pending == nil: // nothing is on its way any more, and nobody may write an older plan
			last = hpacouple.Result{}
		case r.Outcome == hpacouple.Coordinate:
			last = r
		}
		if r.Outcome == hpacouple.Coordinate && !r.Standing.Half() {
			now, to := r.Containers[0].To.MilliValue(), r.Targets[0].To
			gap := new(big.Int).Mul(big.NewInt(now), big.NewInt(int64(to)))
			gap.Sub(gap, product).Abs(gap)
			h1 := new(big.Int).Lsh(gap, 1).Cmp(big.NewInt(now)) <= 0
			h1b := r.Working.Acted != "" && gap.Cmp(big.NewInt(int64(to))) < 0
			require.True(t, h1 || h1b, "H5: %dm@%d from %dm@%d", now, to, request, target)
		}
	}
}

// A nil state changes nothing: the plan is that of an anchor at the pair in force, but for what it says about the state.
func lawStateless(t *rapid.T) {
	in := valid().Draw(t, "in")
	without, ok := planned(t, in)
	in.State = &hpacouple.State{}
	with, okWith := planned(t, in)
	require.Equal(t, ok, okWith)
	if !ok {
		return
	}
	require.Nil(t, without.State)
	require.Empty(t, without.Standing)
	with.State, with.Standing = nil, ""
	if with.Working != nil {
		require.True(t, with.Working.Anchor == nil || *with.Working.Anchor == bounds.Pair{Requests: with.Working.Old, Target: with.Targets[0].From})
		with.Working.Anchor = nil
	}
	require.Equal(t, marshal(t, without), marshal(t, with))
}

func TestStateless(t *testing.T) { rapid.Check(t, lawStateless) }

// Every standing has a share of more than a percent of the draws.
func TestStandingShares(t *testing.T) {
	counts, total := map[hpacouple.Standing]int{}, 0
	for seed := range 3000 {
		r, errs := hpacouple.Plan(rightsizetest.StatefulInputs().Example(seed))
		if len(errs) == 0 {
			counts[r.Standing]++
			total++
		}
	}
	for _, s := range hpacouple.Standings() {
		t.Logf("%-14s %4.1f %%", s, 100*float64(counts[s])/float64(total))
		require.Greater(t, 100*counts[s], total, s)
	}
}
