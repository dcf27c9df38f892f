package hpacouple_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// history is one workload over time: one container with cpu, its HPA, and the state that its controller keeps.
type history struct {
	t     *testing.T
	in    hpacouple.Input
	state bool
}

func begin(t *testing.T, target int32, request string, state bool) *history {
	s := &history{t: t, in: input(target, box{name: "app", request: request}), state: state}
	if state {
		s.in.State = &hpacouple.State{}
	}
	return s
}

// plan asks for a request and keeps the new state, as a controller does before it writes.
func (s *history) plan(request string) hpacouple.Result {
	s.t.Helper()
	s.in.Recommendations = []hpacouple.Recommendation{{Container: "app", Requests: cpuList(request)}}
	r, errs := hpacouple.Plan(s.in)
	require.Empty(s.t, errs)
	if s.state {
		s.in.State = r.State
	}
	return r
}

// change plans and writes both halves.
func (s *history) change(request string) hpacouple.Result {
	s.t.Helper()
	r := s.plan(request)
	s.in = apply(s.in, r)
	return r
}

func (s *history) setRequest(request string) {
	s.in.Pod.Spec.Containers[0].Resources.Requests = cpuList(request)
}

func (s *history) setTarget(target int32) {
	s.in.HPA.Spec.Metrics = hpa(utilization("cpu", target)).Spec.Metrics
}

// pair is what is in force.
func (s *history) pair() string {
	q := s.in.Pod.Spec.Containers[0].Resources.Requests["cpu"]
	return fmt.Sprintf("%dm@%d", q.MilliValue(), *s.in.HPA.Spec.Metrics[0].Resource.Target.AverageUtilization)
}

func show(p *hpacouple.AnchorPair) string {
	if p == nil {
		return "-"
	}
	text := ""
	for _, r := range p.Requests {
		text += fmt.Sprintf("%dm", r.Request.MilliValue())
	}
	text += fmt.Sprintf("@%d", p.Target)
	if p.Half {
		text += " half"
	}
	return text
}

// known is anchor, applied and pending in one line.
func known(s *hpacouple.State) string {
	return show(&s.Anchor) + " " + show(s.Applied) + " " + show(s.Pending)
}

func flagged(r hpacouple.Result) bool {
	for _, f := range r.RiskFlags {
		if f == skipreason.FlagHalfChange {
			return true
		}
	}
	return false
}

// Eleven changes of -5 % and the way back end where they began with an anchor, whether in steps or at once; without one some end elsewhere.
func TestElevenChangesAndBack(t *testing.T) {
	way := []string{"1000m"}
	for m := int64(1000); len(way) <= 11; {
		m = m * 95 / 100
		way = append(way, fmt.Sprintf("%dm", m))
	}
	require.Equal(t, "565m", way[11])
	for _, row := range []struct {
		name   string
		target int32
		state  bool
		back   []int
		end    string
		why    string
	}{
		{"back in steps", 50, true, []int{10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, "1000m@50", "every target is computed from what the user chose"},
		{"back at once", 50, true, []int{0}, "1000m@50", "every target is computed from what the user chose"},
		{"back at once from 48", 48, true, []int{0}, "1000m@48", "every target is computed from what the user chose"},
		{"without an anchor", 48, false, []int{0}, "1000m@49", "every target is rounded from a rounded one"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := begin(t, row.target, "1000m", row.state)
			for _, to := range way[1:] {
				require.Equal(t, hpacouple.Coordinate, s.change(to).Outcome)
			}
			for _, i := range row.back {
				require.Equal(t, hpacouple.Coordinate, s.change(way[i]).Outcome)
			}
			require.Equal(t, row.end, s.pair(), row.why)
			if row.state {
				require.Equal(t, hpacouple.StandingAnchor, s.plan("1000m").Standing)
				require.Equal(t, row.end+" - -", known(s.in.State))
			}
		})
	}
}

// B09: between 910m and 1000m the nearest percent flips between 80 and 73 for ever; a floored one falls by one in each cycle.
func TestFlip(t *testing.T) {
	for _, state := range []bool{false, true} {
		s := begin(t, 73, "1000m", state)
		for range 6 {
			s.change("910m")
			require.Equal(t, "910m@80", s.pair())
			s.change("1000m")
			require.Equal(t, "1000m@73", s.pair())
		}
	}
	floored := int64(73)
	for range 6 {
		floored = floored * 1000 / 910 * 910 / 1000
	}
	require.Equal(t, int64(67), floored, "what flooring would have done")
}

func TestStanding(t *testing.T) {
	for _, row := range []struct {
		name     string
		steps    func(s *history)
		ask      string
		standing hpacouple.Standing
		half     bool
		outcome  hpacouple.Outcome
		to       string
		state    string
		why      string
	}{
		{name: "begun", steps: func(*history) {}, ask: "700m", standing: hpacouple.StandingBegun, outcome: hpacouple.Coordinate,
			to: "700m@71", state: "1000m@50 - 700m@71", why: "the pair in force is what the user chose"},
		{name: "nothing written yet", steps: func(s *history) { s.plan("700m") }, ask: "700m", standing: hpacouple.StandingAnchor, outcome: hpacouple.Coordinate,
			to: "700m@71", state: "1000m@50 - 700m@71", why: "planning twice is planning once"},
		{name: "applied", steps: func(s *history) { s.change("700m") }, ask: "700m", standing: hpacouple.StandingApplied, outcome: hpacouple.NoChange,
			to: "700m@71", state: "1000m@50 700m@71 -", why: "B09: the second plan changes nothing, and what was pending is applied"},
		{name: "applied, then another", steps: func(s *history) { s.change("700m") }, ask: "800m", standing: hpacouple.StandingApplied, outcome: hpacouple.Coordinate,
			to: "800m@62", state: "1000m@50 700m@71 800m@62", why: "62.5 from the anchor, a tie goes down; 62.1 from 71"},
		{name: "half applied: requests", steps: func(s *history) { s.plan("700m"); s.setRequest("700m") }, ask: "700m", standing: hpacouple.StandingHalfApplied, half: true,
			outcome: hpacouple.NoChange, to: "700m@50", state: "1000m@50 - 700m@71", why: "700m@50 half-applied keeps the anchor; the pending change can be written again"},
		{name: "half applied: target", steps: func(s *history) { s.plan("700m"); s.setTarget(71) }, ask: "700m", standing: hpacouple.StandingHalfApplied, half: true,
			outcome: hpacouple.Coordinate, to: "700m@71", state: "1000m@50 - 700m@71", why: "the other half first"},
		{name: "half applied, another plan", steps: func(s *history) { s.plan("700m"); s.setRequest("700m") }, ask: "600m", standing: hpacouple.StandingHalfApplied, half: true,
			outcome: hpacouple.Coordinate, to: "600m@83", state: "1000m@50 700m@71 half 600m@83", why: "83.3 from the anchor, not 58 from 700m@50; 700m must stay known"},
		{name: "half applied, another plan, nothing written", steps: func(s *history) { s.plan("700m"); s.setRequest("700m"); s.plan("600m") }, ask: "650m",
			standing: hpacouple.StandingHalfApplied, half: true, outcome: hpacouple.Coordinate, to: "650m@77", state: "1000m@50 700m@71 half 650m@77", why: "still no edit"},
		{name: "half applied in the middle", steps: func(s *history) { s.change("700m"); s.plan("600m"); s.setTarget(83) }, ask: "600m", standing: hpacouple.StandingHalfApplied, half: true,
			outcome: hpacouple.Coordinate, to: "600m@83", state: "1000m@50 700m@71 600m@83", why: "700m is of the last change, 83 of the pending one"},
		{name: "in force unseen, undone, replaced, undone again", steps: func(s *history) { s.change("700m"); s.setRequest("1000m"); s.plan("600m"); s.setRequest("700m") }, ask: "600m",
			standing: hpacouple.StandingApplied, outcome: hpacouple.Coordinate, to: "600m@83", state: "1000m@50 700m@71 600m@83", why: "the replaced plan is remembered whole, not the half of it that was seen"},
		{name: "half reverted: requests", steps: func(s *history) { s.change("700m"); s.plan("700m"); s.setRequest("1000m") }, ask: "700m", standing: hpacouple.StandingHalfReverted, half: true,
			outcome: hpacouple.Coordinate, to: "700m@71", state: "1000m@50 700m@71 700m@71", why: "kubectl rollout undo takes the requests back alone; 101 would be double"},
		{name: "half reverted: target", steps: func(s *history) { s.change("700m"); s.plan("700m"); s.setTarget(50) }, ask: "800m", standing: hpacouple.StandingHalfReverted, half: true,
			outcome: hpacouple.Coordinate, to: "800m@62", state: "1000m@50 700m@71 800m@62", why: "from the anchor, not 44"},
		{name: "half reverted: to the change before", steps: func(s *history) { s.change("700m"); s.change("600m"); s.plan("600m"); s.setRequest("700m") }, ask: "600m",
			standing: hpacouple.StandingHalfReverted, half: true, outcome: hpacouple.Coordinate, to: "600m@83", state: "1000m@50 600m@83 600m@83",
			why: "kubectl rollout undo after a second change: 700m@83 would be an anchor that scales out at 581m"},
		{name: "half reverted: to the last change, from the anchor", steps: func(s *history) { s.change("700m"); s.change("1000m"); s.plan("1000m"); s.setRequest("700m") }, ask: "1000m",
			standing: hpacouple.StandingHalfReverted, half: true, outcome: hpacouple.Coordinate, to: "1000m@50", state: "1000m@50 - 1000m@50", why: "the same where the last change led back to the anchor"},
		{name: "both halves of the change before", steps: func(s *history) {
			s.change("700m")
			s.change("600m")
			s.plan("600m")
			s.setRequest("700m")
			s.setTarget(71)
		}, ask: "700m",
			standing: hpacouple.StandingApplied, outcome: hpacouple.NoChange, to: "700m@71", state: "1000m@50 600m@83 -", why: "a pair of ours"},
		{name: "all reverted", steps: func(s *history) { s.change("700m"); s.plan("700m"); s.setRequest("1000m"); s.setTarget(50) }, ask: "700m", standing: hpacouple.StandingAnchor,
			outcome: hpacouple.Coordinate, to: "700m@71", state: "1000m@50 - 700m@71", why: "nothing of ours is in force"},
		{name: "edited: requests alone", steps: func(s *history) { s.change("700m"); s.plan("700m"); s.setRequest("900m") }, ask: "700m", standing: hpacouple.StandingEdited,
			outcome: hpacouple.Skip, to: "900m@71", state: "900m@71 - -", why: "a person's edit is the new anchor; 91.3 is above 90"},
		{name: "edited: target alone", steps: func(s *history) { s.change("700m"); s.plan("700m"); s.setTarget(60) }, ask: "800m", standing: hpacouple.StandingEdited,
			outcome: hpacouple.Coordinate, to: "800m@52", state: "700m@60 - 800m@52", why: "52.5, a tie goes down"},
		{name: "edited: both", steps: func(s *history) { s.change("700m"); s.plan("700m"); s.setRequest("2000m"); s.setTarget(60) }, ask: "1500m", standing: hpacouple.StandingEdited,
			outcome: hpacouple.Coordinate, to: "1500m@80", state: "2000m@60 - 1500m@80", why: "nothing of the old anchor is left"},
		{name: "our own plan by hand", steps: func(s *history) { s.plan("700m"); s.setRequest("700m"); s.setTarget(71) }, ask: "700m", standing: hpacouple.StandingApplied,
			outcome: hpacouple.NoChange, to: "700m@71", state: "1000m@50 700m@71 -", why: "an edit equal to our plan is ours"},
		{name: "back to the anchor by a plan", steps: func(s *history) { s.change("700m"); s.change("1000m") }, ask: "1000m", standing: hpacouple.StandingAnchor,
			outcome: hpacouple.NoChange, to: "1000m@50", state: "1000m@50 - -", why: "exactly where the user was"},
		{name: "the bound held", steps: func(s *history) { s.change("300m") }, ask: "300m", standing: hpacouple.StandingApplied, outcome: hpacouple.NoChange,
			to: "556m@90", state: "1000m@50 556m@90 -", why: "bounds never move the anchor"},
		{name: "from the bound", steps: func(s *history) { s.change("300m") }, ask: "700m", standing: hpacouple.StandingApplied, outcome: hpacouple.Coordinate,
			to: "700m@71", state: "1000m@50 556m@90 700m@71", why: "71.4 from the anchor, 71.5 from 556m@90"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := begin(t, 50, "1000m", true)
			row.steps(s)
			if row.standing == hpacouple.StandingEdited && row.outcome == hpacouple.Skip { // the limit leaves no room to give the cut back
				s.in.Pod.Spec.Containers[0].Resources.Limits = cpuList("900m")
				s.in.Recommendations = []hpacouple.Recommendation{{Container: "app", Requests: cpuList(row.ask), Limits: cpuList(row.ask)}}
				r, errs := hpacouple.Plan(s.in)
				require.Empty(t, errs)
				check(t, s, r, row.standing, row.half, row.outcome, row.to, row.state, row.why)
				return
			}
			r := s.plan(row.ask)
			check(t, s, r, row.standing, row.half, row.outcome, row.to, row.state, row.why)
		})
	}
}

func check(t *testing.T, s *history, r hpacouple.Result, standing hpacouple.Standing, half bool, outcome hpacouple.Outcome, to, state, why string) {
	t.Helper()
	require.Equal(t, standing, r.Standing, why)
	require.Equal(t, half, flagged(r), why)
	require.Equal(t, outcome, r.Outcome, why)
	require.Equal(t, state, known(r.State), why)
	s.in = apply(s.in, r)
	require.Equal(t, to, s.pair(), why)
}

// A state is about two objects: a copy of a workload with its annotations, or an HPA made again, is none of them.
func TestStateOfOtherObjects(t *testing.T) {
	for _, row := range []struct {
		why               string
		workload, hpa     types.UID
		standing          hpacouple.Standing
		anchor            string
		workloadTo, hpaTo types.UID
	}{
		{why: "the same objects", workload: "w", hpa: "h", standing: hpacouple.StandingHalfReverted, anchor: "1000m@50", workloadTo: "w", hpaTo: "h"},
		{why: "a copy: 600m are 58 % from 700m@50, not 83", workload: "copy", hpa: "h2", standing: hpacouple.StandingBegun, anchor: "700m@50", workloadTo: "copy", hpaTo: "h2"},
		{why: "a copy behind the same HPA", workload: "copy", hpa: "h", standing: hpacouple.StandingBegun, anchor: "700m@50", workloadTo: "copy", hpaTo: "h"},
		{why: "the HPA was made again, at 50 for 700m", workload: "w", hpa: "h2", standing: hpacouple.StandingEdited, anchor: "700m@50", workloadTo: "w", hpaTo: "h2"},
		{why: "what is not known is not compared, and stays known", standing: hpacouple.StandingHalfReverted, anchor: "1000m@50", workloadTo: "w", hpaTo: "h"},
	} {
		t.Run(row.why, func(t *testing.T) {
			s := begin(t, 50, "1000m", true)
			s.in.Meta, s.in.HPA.UID = &metav1.ObjectMeta{UID: "w"}, "h"
			s.change("700m")
			s.plan("700m")
			s.setTarget(50) // the HPA of its own has its own target
			s.in.Meta, s.in.HPA.UID = &metav1.ObjectMeta{UID: row.workload}, row.hpa
			if row.workload == "" {
				s.in.Meta = nil
			}
			r := s.plan("600m")
			require.Equal(t, row.standing, r.Standing)
			require.Equal(t, row.anchor, show(&r.State.Anchor))
			require.Equal(t, row.workloadTo, r.State.WorkloadUID)
			require.Equal(t, row.hpaTo, r.State.HPAUID)
		})
	}
}

// While the HPA is gone requests change alone. They are ours all the same when it is there again (law H5 over any number of changes).
func TestHPAGoneForAWhile(t *testing.T) {
	for _, row := range []struct {
		why      string
		before   func(s *history)
		back     int32
		gone     string // what is asked for while the HPA is gone
		standing hpacouple.Standing
		anchor   string
	}{
		{why: "seen in force", before: func(s *history) { s.change("700m"); s.plan("700m") }, back: 71, gone: "600m", standing: hpacouple.StandingApplied, anchor: "1000m@50"},
		{why: "not yet seen in force", before: func(s *history) { s.change("700m") }, back: 71, gone: "600m", standing: hpacouple.StandingApplied, anchor: "1000m@50"},
		{why: "twice while it is gone", before: func(s *history) { s.change("700m"); s.in.HPA = nil; s.change("650m") }, back: 71, gone: "600m", standing: hpacouple.StandingApplied, anchor: "1000m@50"},
		{why: "back from a manifest, with the anchor's target", before: func(s *history) { s.change("700m"); s.plan("700m") }, back: 50, gone: "600m", standing: hpacouple.StandingHalfApplied, anchor: "1000m@50"},
		{why: "nothing of ours yet", before: func(s *history) { s.plan("1000m") }, back: 50, gone: "600m", standing: hpacouple.StandingApplied, anchor: "1000m@50"},
		{why: "a person changed requests first", before: func(s *history) { s.change("700m"); s.setRequest("900m") }, back: 71, gone: "600m", standing: hpacouple.StandingEdited, anchor: "600m@71"},
		{why: "nothing changed meanwhile", before: func(s *history) { s.change("700m"); s.plan("700m") }, back: 71, gone: "700m", standing: hpacouple.StandingApplied, anchor: "1000m@50"},
	} {
		t.Run(row.why, func(t *testing.T) {
			s := begin(t, 50, "1000m", true)
			row.before(s)
			s.in.HPA = nil
			require.Equal(t, hpacouple.Uncoupled, s.change(row.gone).Outcome)
			s.in.HPA = hpa(utilization("cpu", row.back))
			r := s.plan(row.gone)
			require.Equal(t, row.standing, r.Standing)
			require.Equal(t, row.anchor, show(&r.State.Anchor))
		})
	}
}

// Injected sidecars coming and going are no edits: their requests stand on both sides of the product.
func TestInjectedSidecars(t *testing.T) {
	s := begin(t, 50, "1000m", true)
	s.change("700m")
	mesh := func(request string) {
		s.in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "mesh", Resources: corev1.ResourceRequirements{Requests: cpuList(request)}}}}}
	}
	mesh("200m")
	r := s.plan("800m")
	require.Equal(t, hpacouple.StandingApplied, r.Standing)
	require.Equal(t, int64(1200), r.Working.Anchor.Requests)
	require.Equal(t, hpacouple.Fraction("60"), r.Targets[0].Exact, "1200m x 50 over 1000m")
	mesh("300m")
	r = s.plan("800m")
	require.Equal(t, hpacouple.StandingApplied, r.Standing, "another size is no edit either")
	require.Equal(t, "1000m@50", show(&r.State.Anchor))
	s.in.Pod.Live = nil
	r = s.change("1000m")
	require.Equal(t, "1000m@50", s.pair())
	require.Equal(t, hpacouple.StandingApplied, r.Standing)
}

// The person who adds a container, or gives the pod a request of its own, has chosen another pair.
func TestContainersOfTheTemplate(t *testing.T) {
	s := begin(t, 50, "1000m", true)
	s.change("700m")
	s.plan("700m")
	s.in.Pod.Spec.Containers = append(s.in.Pod.Spec.Containers, corev1.Container{Name: "new", Resources: corev1.ResourceRequirements{Requests: cpuList("100m")}})
	r := s.plan("700m")
	require.Equal(t, hpacouple.StandingEdited, r.Standing)
	require.Equal(t, "700m100m@71 - -", known(r.State))

	s = begin(t, 50, "1000m", true)
	s.change("700m")
	s.in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: cpuList("3")}
	r = s.plan("700m")
	require.Equal(t, hpacouple.StandingEdited, r.Standing)
	require.Equal(t, "3000m@71 - -", known(r.State))
	require.Empty(t, r.State.Anchor.Requests[0].Container, "the pod's own request")
	require.Equal(t, hpacouple.StandingAnchor, s.plan("700m").Standing)
}

// Another resource, or the loss of the only container with a request, leaves no product to keep.
func TestAnchorIsGone(t *testing.T) {
	s := begin(t, 50, "1000m", true)
	s.change("700m")
	s.in.Pod.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("1Gi")
	s.in.HPA = hpa(utilization("memory", 70))
	r := s.plan("700m")
	require.Equal(t, hpacouple.StandingEdited, r.Standing)
	require.Equal(t, corev1.ResourceMemory, r.State.Resource)

	s = begin(t, 50, "0", true)
	s.in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "mesh", Resources: corev1.ResourceRequirements{Requests: cpuList("100m")}}}}}
	s.in.Options.MinUtilization = 1
	s.change("100m")
	require.Equal(t, "100m@25", s.pair())
	s.in.Pod.Live = nil
	require.Equal(t, hpacouple.StandingEdited, s.plan("100m").Standing, "an anchor of 0 has no product")
}
