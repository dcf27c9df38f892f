package change

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

// pair is what is in force: thousandths of cpu by container, in their order, and the target.
type pair struct {
	requests string
	sum      int64
	target   int32
}

func (w *world) pair() (p pair) {
	for _, c := range w.deployment().Spec.Template.Spec.Containers {
		q := c.Resources.Requests["cpu"]
		p.requests += fmt.Sprintf("%s %d ", c.Name, q.MilliValue())
		p.sum += q.MilliValue()
	}
	p.target = *w.hpa().Spec.Metrics[0].Resource.Target.AverageUtilization
	return p
}

func pairOf(a hpacouple.AnchorPair) (p pair) {
	for _, r := range a.Requests {
		p.requests += fmt.Sprintf("%s %d ", r.Container, r.Request.MilliValue())
		p.sum += r.Request.MilliValue()
	}
	p.target = a.Target
	return p
}

// life is a controller that plans with a state, and what a bystander knows of it: the pair that people chose, and all that was planned since.
type life struct {
	*world
	state   *hpacouple.State
	stored  *hpacouple.Change
	plan    hpacouple.Result
	asked   []hpacouple.Recommendation
	chosen  *pair
	planned []pair   // since then
	done    []pair   // of these, what was in force as a whole
	mixed   bool     // what is remembered need not be what people chose: a change was cut short, or made over an undo
	undone  bool     // since the last release
	history []string // the template's requests, revision by revision
}

func (l *life) live() hpacouple.Live {
	d := l.deployment()
	return hpacouple.Live{Meta: &d.ObjectMeta, Template: &d.Spec.Template.Spec, HPA: l.hpa()}
}

func (l *life) ask(asked []hpacouple.Recommendation) hpacouple.Result {
	live := l.live()
	r, errs := hpacouple.Plan(hpacouple.Input{Workload: workload, Meta: live.Meta, Pod: metrics.Pod{Spec: live.Template}, HPA: live.HPA, State: l.state, Recommendations: asked})
	require.Empty(l.t, errs)
	return r
}

// anchor holds the state's anchor against the bystander's: somebody else's half makes the pair in force the new one.
func (l *life) anchor(r hpacouple.Result) {
	live := l.pair()
	knows := func(is func(pair) bool) bool {
		return l.chosen != nil && (is(*l.chosen) || slices.ContainsFunc(l.planned, is))
	}
	if !knows(func(p pair) bool { return p.requests == live.requests }) || !knows(func(p pair) bool { return p.target == live.target }) {
		l.chosen, l.planned, l.done = &live, nil, nil
		l.counts["chosen"]++
	} else if r.Standing == hpacouple.StandingEdited { // a plan too long ago to be remembered, or the same number by chance
		recent := append(append([]pair{*l.chosen}, l.planned[max(0, len(l.planned)-1):]...), l.done[max(0, len(l.done)-2):]...)
		remembered := func(is func(pair) bool) bool { return slices.ContainsFunc(recent, is) }
		require.False(l.t, remembered(func(p pair) bool { return p.requests == live.requests }) && remembered(func(p pair) bool { return p.target == live.target }), "%v is no edit: %v", live, recent)
		l.chosen, l.planned, l.done = &live, nil, nil
		l.counts["forgotten"]++
	}
	require.Equal(l.t, *l.chosen, pairOf(r.State.Anchor), "the anchor is what people chose")
	if r.Standing.Half() {
		l.counts["half"]++
	}
}

// keepsTheProduct is law H5 over the whole history: the target in force is the nearest whole percent to what people chose, unless a bound acted.
func (l *life) keepsTheProduct(r hpacouple.Result) {
	if r.Working.Acted == "" && !l.nearest() {
		require.Fail(l.t, "H5", "%+v is not what was chosen, %+v", l.pair(), *l.chosen)
	}
}

// nearest says whether the target in force is the nearest whole percent to what people chose.
func (l *life) nearest() bool {
	now := l.pair()
	off := l.chosen.sum*int64(l.chosen.target) - now.sum*int64(now.target)
	return 2*max(off, -off) <= now.sum
}

func (l *life) draws() (asked []hpacouple.Recommendation) {
	for _, c := range l.deployment().Spec.Template.Spec.Containers {
		q := resource.NewMilliQuantity(10*rapid.Int64Range(30, 120).Draw(l.t, c.Name), resource.DecimalSI)
		asked = append(asked, hpacouple.Recommendation{Container: c.Name, Requests: corev1.ResourceList{"cpu": *q}})
	}
	return asked
}

// step plans and writes; it may be cut short after some of the writes, before they are confirmed.
func (l *life) step() {
	l.asked = l.draws()
	r, chosen, planned, done := l.ask(l.asked), l.chosen, l.planned, l.done
	l.anchor(r)
	if r.Outcome != hpacouple.Coordinate {
		l.state, l.stored = r.State, nil
		return
	}
	verdict, errs := hpacouple.Admit(r, hpacouple.Admission{Policy: hpacouple.Policy{Spec: hpacouple.PolicySpec{HPA: &hpacouple.HPAPolicy{Coordinate: true}}}, MayPatchHPA: true, Live: l.live()})
	require.Empty(l.t, errs)
	if !verdict.Allowed { // outside the policy's bounds, because the live target is
		l.state, l.stored = r.State, nil
		return
	}
	c, ok := hpacouple.ChangeOf(r)
	require.True(l.t, ok)
	retake := rapid.Bool().Draw(l.t, "retake")
	got, errs := c.Writes(l.live(), hpacouple.WriteOptions{Taken: l.taken, Retake: retake})
	require.Empty(l.t, errs)
	require.Empty(l.t, got.Stale)
	if len(got.Contested) > 0 {
		require.Empty(l.t, got.Writes)
		l.counts["contested"]++
		l.chosen, l.planned, l.done = chosen, planned, done // nothing is written, so nothing is stored
		return
	}
	l.mixed = l.mixed || (retake && l.undone)
	l.before = l.values()
	l.state, l.taken, l.plan = r.State, got.Taken, r
	p := pair{target: r.Targets[0].To}
	for _, a := range r.Containers {
		p.requests += fmt.Sprintf("%s %d ", a.Name, a.To.MilliValue())
		p.sum += a.To.MilliValue()
	}
	l.planned = append(slices.Clip(l.planned), p)
	if cut := rapid.IntRange(0, 2*len(got.Writes)).Draw(l.t, "cut"); cut < len(got.Writes) {
		l.send(got.Writes[:cut])
		l.stored, l.clean, l.mixed = nil, false, true
		l.counts["cut short"]++
		return
	}
	l.send(got.Writes)
	l.taken = l.taken.Confirm(l.live(), "")
	l.stored, l.done = &c, append(slices.Clip(l.done), p)
	l.counts["changed"]++
	require.Equal(l.t, p, l.pair())
	l.keepsTheProduct(r)
}

// rollback restores the values (H3), and the same plan comes again (H11).
func (l *life) rollback() {
	if l.stored == nil {
		return
	}
	l.state = l.stored.State.DeepCopy()
	require.True(l.t, l.writes(l.stored.Reverse(), false), "ours")
	require.Equal(l.t, l.before, l.values(), "H3")
	again := l.ask(l.asked)
	require.Equal(l.t, l.plan.Outcome, again.Outcome, "H11")
	require.Equal(l.t, l.plan.Targets, again.Targets, "H11")
	require.Equal(l.t, l.plan.Containers, again.Containers, "H11")
	l.stored, l.done = nil, l.done[:len(l.done)-1]
	l.counts["rolled back"]++
}

// edit is a person's: of the target, or of a request; its numbers are seldom ours.
func (l *life) edit() {
	if rapid.Bool().Draw(l.t, "edit the target") {
		target := rapid.Int32Range(45, 85).Draw(l.t, "edited target")
		require.NoError(l.t, l.patch(hpaKind, string(types.MergePatchType), "kubectl-edit", false,
			fmt.Sprintf(`{"spec":{"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":%d}}}]}}`, target)))
	} else {
		l.setRequests("kubectl-edit", fmt.Sprintf("app %d ", 10*rapid.Int64Range(30, 120).Draw(l.t, "edited request")+3))
	}
	l.clean, l.stored = false, nil
	l.counts["edited"]++
}

func (l *life) setRequests(manager, requests string) {
	var items []string
	words := strings.Fields(requests)
	for i := 0; i < len(words); i += 2 {
		items = append(items, fmt.Sprintf(`{"name":"%s","resources":{"requests":{"cpu":"%sm"}}}`, words[i], words[i+1]))
	}
	require.NoError(l.t, l.patch(deployKind, string(types.StrategicMergePatchType), manager, false,
		`{"spec":{"template":{"spec":{"containers":[`+strings.Join(items, ",")+`]}}}}`))
}

// undo puts the requests of the revision before back, as kubectl rollout undo does.
func (l *life) undo() {
	if len(l.history) < 2 {
		return
	}
	l.setRequests("kubectl-rollout", l.history[len(l.history)-2])
	l.clean, l.stored, l.undone = false, nil, true
	l.counts["undone"]++
}

func (l *life) release(back bool) {
	before := l.values()
	l.world.release(hpacouple.ReleaseOptions{Back: back})
	l.nothingIsOurs()
	switch {
	case !back:
		require.Equal(l.t, before, l.values(), "a release changes no value")
		l.counts["released"]++
	case l.clean:
		require.Equal(l.t, l.start, l.values(), "everything is as it was before us")
		l.counts["released with values"]++
	case !l.mixed:
		l.notHalf(before)
	}
	l.begin()
	l.mixed, l.undone = false, false
	l.state, l.stored, l.chosen, l.planned, l.done = &hpacouple.State{}, nil, nil, nil, nil
}

// notHalf: whatever others did meanwhile, a release with the values moves both halves or none.
func (l *life) notHalf(before string) {
	target := func(values string) string { first, _, _ := strings.Cut(values, "\n"); return first }
	after := l.values()
	_, was, _ := strings.Cut(before, "\n")
	_, is, _ := strings.Cut(after, "\n")
	if (target(before) != target(after)) != (was != is) {
		l.counts["one half moved"]++
		require.True(l.t, l.nearest(), "a half moves alone only to what people chose, %+v: %q, %q", *l.chosen, before, after)
	}
}

// TestLives: whatever sequence of plans, cuts, edits, undos, rollbacks and releases, each target is computed from what people chose (H5), a rollback
// restores exactly (H3) and plans the same again (H11), and a release changes nothing.
func TestLives(t *testing.T) {
	counts := map[string]int{}
	require.NoError(t, setSequences())
	rapid.Check(t, func(t *rapid.T) {
		l := &life{world: bornWith(t, counts), state: &hpacouple.State{}}
		for range rapid.IntRange(2, 9).Draw(t, "steps") {
			if now := l.pair().requests; len(l.history) == 0 || l.history[len(l.history)-1] != now {
				l.history = append(l.history, now)
			}
			switch rapid.SampledFrom([]string{"plan", "plan", "plan", "plan", "edit", "undo", "rollback", "release", "back"}).Draw(t, "step") {
			case "plan":
				l.step()
			case "edit":
				l.edit()
			case "undo":
				l.undo()
			case "rollback":
				l.rollback()
			case "release":
				l.release(false)
			case "back":
				l.release(true)
			}
		}
	})
	t.Logf("%v", counts)
	for _, kind := range []string{"changed", "chosen", "contested", "cut short", "half", "edited", "undone", "rolled back", "released", "released with values"} {
		require.NotZero(t, counts[kind], "%s never came up", kind)
	}
}

// bornWith is a world whose containers all request cpu and whose HPA has one target.
func bornWith(t *rapid.T, counts map[string]int) *world {
	w := &world{cluster: newCluster(t), t: t, counts: counts}
	d, h := podOf("", ""), hpaFor(cpuMetric(rapid.Int32Range(45, 85).Draw(t, "target")))
	d.ManagedFields = nil
	app := &d.Spec.Template.Spec.Containers[0]
	app.Resources.Limits = nil
	app.Resources.Requests["cpu"] = *resource.NewMilliQuantity(10*rapid.Int64Range(50, 100).Draw(t, "request"), resource.DecimalSI)
	if rapid.Bool().Draw(t, "two containers") {
		log := app.DeepCopy()
		log.Name = "log"
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, *log)
	}
	w.create(h, d)
	w.begin()
	return w
}
