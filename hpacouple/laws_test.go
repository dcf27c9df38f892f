package hpacouple_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

func product(sum int64, target int32) *big.Int {
	return new(big.Int).Mul(big.NewInt(sum), big.NewInt(int64(target)))
}

func planned(t *rapid.T, in hpacouple.Input) (hpacouple.Result, bool) {
	r, errs := hpacouple.Plan(in)
	return r, len(errs) == 0
}

// lawPlan checks on one valid input what every plan promises: H1, H1b, H2, H4, H6, H7, H8 and the P-laws.
func lawPlan(t *rapid.T) {
	in := valid().Draw(t, "in")
	before := copyInput(in)
	r, ok := planned(t, in)
	require.Equal(t, before, in, "P2: the input is not written to")
	if !ok {
		return
	}
	again, _ := planned(t, in)
	require.Equal(t, marshal(t, r), marshal(t, again), "P3: equal twice")
	checkClosed(t, r)
	checkProduct(t, r)
	checkContainers(t, in, r)
	checkAgain(t, in, r)
}

func marshal(t *rapid.T, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func checkClosed(t *rapid.T, r hpacouple.Result) {
	require.True(t, r.Outcome.Valid())
	require.Equal(t, r.Outcome == hpacouple.Skip, len(r.SkipReasons) > 0)
	require.Equal(t, slices.Contains(r.SkipReasons, skipreason.TargetOutOfBounds), r.Cause != "")
	order := skipreason.Skips()
	for i, s := range r.SkipReasons {
		require.True(t, s.Valid())
		require.True(t, i == 0 || slices.Index(order, r.SkipReasons[i-1]) < slices.Index(order, s), "A6: in order")
	}
	for _, f := range r.RiskFlags {
		require.True(t, f.Valid())
	}
	for _, c := range r.Containers {
		require.Contains(t, bounds.Rules(), c.BoundBy)
		require.Contains(t, metrics.Roles(), c.Role)
	}
	if r.Cause != "" {
		require.Contains(t, bounds.Causes(), r.Cause)
	}
	var back hpacouple.Result
	require.NoError(t, json.Unmarshal([]byte(marshal(t, r)), &back))
	require.Equal(t, marshal(t, r), marshal(t, back), "JSON round trip")
}

func checkProduct(t *rapid.T, r hpacouple.Result) {
	w := r.Working
	if r.Outcome != hpacouple.Coordinate {
		for _, target := range r.Targets {
			require.Equal(t, target.From, target.To, "H2")
		}
		return
	}
	require.Len(t, r.Targets, 1)
	from, to := r.Targets[0].From, r.Targets[0].To
	if !slices.ContainsFunc(r.Containers, func(c hpacouple.ContainerPlan) bool { return c.Counted && c.Changes() }) {
		require.Equal(t, from, to, "H2: no change of requests, no change of the target: %s", marshal(t, r))
		return
	}
	require.GreaterOrEqual(t, to, int32(1))
	gap := new(big.Int).Sub(product(w.New, to), product(w.Old, from))
	size := new(big.Int).Abs(gap)
	if w.Acted == "" {
		require.LessOrEqual(t, size.Lsh(size, 1).Cmp(big.NewInt(w.New)), 0, "H1")
	} else if w.Basis == metrics.BasisContainers {
		step := int64(1 << 24 * 1000) // the largest that is drawn
		if w.Resource == "cpu" {
			step = 50
		}
		require.Negative(t, size.Cmp(product(step, to)), "H1b")
	}
	inside := w.Bounds.Contains(int64(to))
	require.True(t, inside, "H4")
}

func checkContainers(t *rapid.T, in hpacouple.Input, r hpacouple.Result) {
	stays := r.Outcome == hpacouple.Skip || r.Outcome == hpacouple.NoChange
	for _, c := range r.Containers {
		from, to := int64(0), int64(0)
		if c.From != nil {
			from = c.From.MilliValue()
		}
		if c.To != nil {
			to = c.To.MilliValue()
		}
		if stays {
			require.Equal(t, from, to, "nothing moves on %s", r.Outcome)
			require.Equal(t, c.LimitFrom, c.LimitTo)
			continue
		}
		if c.Locked && !(c.LimitTo != nil && c.LimitTo.MilliValue() < from) {
			require.GreaterOrEqual(t, to, from, "H6")
		}
		if c.Settled == nil {
			require.Nil(t, c.From)
			require.Nil(t, c.To)
			continue
		}
		settled := c.Settled.MilliValue()
		require.True(t, min(from, settled) <= to && to <= max(from, settled), "H7: %s", marshal(t, c))
		if c.LimitTo != nil && c.Changes() {
			require.LessOrEqual(t, to, c.LimitTo.MilliValue(), "a request never passes its limit")
		}
		if c.Changes() {
			unit := int64(1)
			if c.Resource == "memory" {
				unit = 1000
			}
			require.Zero(t, to%unit, "what is written is whole millicores or bytes")
			require.Equal(t, c.To.String(), reparse(c.To.String()), "canonical")
		}
	}
}

func reparse(text string) string {
	q := resource.MustParse(text)
	return q.String()
}

// checkAgain applies the plan and plans again: H8. Where the outcome is not NoChange then, nothing changes all the same.
func checkAgain(t *rapid.T, in hpacouple.Input, r hpacouple.Result) {
	next, errs := hpacouple.Plan(apply(in, r))
	require.Empty(t, errs, "what was planned is valid")
	if r.Outcome == hpacouple.Coordinate {
		require.Equal(t, hpacouple.NoChange, next.Outcome, "H8: %s then %s", marshal(t, r), marshal(t, next))
		return
	}
	require.Equal(t, r.Outcome, next.Outcome)
	for _, c := range next.Containers {
		require.False(t, c.Changes(), "H8")
	}
}

// apply writes a plan into a copy of the input, as a controller would write it into the objects.
func apply(in hpacouple.Input, r hpacouple.Result) hpacouple.Input {
	out := copyInput(in)
	write := func(list []corev1.Container) {
		for i := range list {
			res := &list[i].Resources
			for _, c := range r.Containers {
				if c.Name != list[i].Name || c.Injected {
					continue
				}
				limitMoves := (c.LimitFrom == nil) != (c.LimitTo == nil) || (c.LimitFrom != nil && c.LimitFrom.Cmp(*c.LimitTo) != 0)
				if limitMoves {
					if c.LimitTo == nil {
						delete(res.Limits, c.Resource)
					} else {
						set(&res.Limits, c.Resource, *c.LimitTo)
					}
				}
				if (limitMoves || c.Changes()) && c.To != nil {
					set(&res.Requests, c.Resource, *c.To)
				}
			}
		}
	}
	write(out.Pod.Spec.Containers)
	write(out.Pod.Spec.InitContainers)
	if out.HPA != nil && len(r.Targets) == 1 && len(out.HPA.Spec.Metrics) == 1 && out.HPA.Spec.Metrics[0].Resource != nil {
		to := r.Targets[0].To
		out.HPA.Spec.Metrics[0].Resource.Target.AverageUtilization = &to
	} else if out.HPA != nil && len(r.Targets) == 1 && len(out.HPA.Spec.Metrics) == 0 {
		out.HPA.Spec.Metrics = hpa(utilization("cpu", r.Targets[0].To)).Spec.Metrics
	}
	return out
}

func set(list *corev1.ResourceList, name corev1.ResourceName, q resource.Quantity) {
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[name] = q.DeepCopy()
}

func TestH8(t *testing.T) { rapid.Check(t, lawPlan) }
func FuzzH8(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawPlan)) }

// H9: the order of containers and of recommendations does not matter.
func lawH9(t *rapid.T) {
	in := valid().Draw(t, "in")
	r, ok := planned(t, in)
	other := copyInput(in)
	other.Pod.Spec.Containers = rapid.Permutation(other.Pod.Spec.Containers).Draw(t, "containers")
	other.Recommendations = rapid.Permutation(other.Recommendations).Draw(t, "recommendations")
	s, okOther := planned(t, other)
	require.Equal(t, ok, okOther)
	if !ok {
		return
	}
	for _, x := range []*hpacouple.Result{&r, &s} {
		slices.Sort(x.Missing)
		sort.SliceStable(x.Containers, func(i, j int) bool { return x.Containers[i].Name < x.Containers[j].Name })
		sort.SliceStable(x.Observed.Amounts, func(i, j int) bool { return x.Observed.Amounts[i].Container < x.Observed.Amounts[j].Container })
	}
	require.Equal(t, marshal(t, r), marshal(t, s))
}

func TestH9(t *testing.T) { rapid.Check(t, lawH9) }
func FuzzH9(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH9)) }

// H10: multiplying all cpu numbers by a whole k leaves the target, for whole-milli recommendations when no bound acts.
func lawH10(t *rapid.T) {
	target := rapid.Int32Range(40, 90).Draw(t, "T")
	k := rapid.SampledFrom([]int64{2, 3, 10, 1000}).Draw(t, "k")
	small, large := input(target), input(target)
	for i := range rapid.IntRange(1, 3).Draw(t, "n") {
		from, to := rapid.Int64Range(1, 3000).Draw(t, "from"), rapid.Int64Range(1, 3000).Draw(t, "to")
		for _, x := range []struct {
			in *hpacouple.Input
			k  int64
		}{{&small, 1}, {&large, k}} {
			q := milli(from * x.k)
			p := milli(to * x.k)
			name := fmt.Sprintf("c%d", i)
			x.in.Pod.Spec.Containers = append(x.in.Pod.Spec.Containers, corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": q}}})
			x.in.Recommendations = append(x.in.Recommendations, hpacouple.Recommendation{Container: name, Requests: corev1.ResourceList{"cpu": p}})
		}
	}
	a, _ := planned(t, small)
	b, _ := planned(t, large)
	require.Equal(t, a.Working.Acted, b.Working.Acted)
	if a.Working.Acted == "" {
		require.Equal(t, a.Outcome, b.Outcome)
		require.Equal(t, a.Targets[0].To, b.Targets[0].To)
		require.Equal(t, a.Targets[0].Exact, b.Targets[0].Exact)
	}
}

func TestH10(t *testing.T) { rapid.Check(t, lawH10) }
func FuzzH10(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH10)) }

// P: no panic, no write to the input, equal answers, closed lists, on anything that the types allow.
func lawHostile(t *rapid.T) {
	in := hostile().Draw(t, "in")
	before := copyInput(in)
	r, errs := hpacouple.Plan(in)
	require.Equal(t, before, in)
	s, errsAgain := hpacouple.Plan(in)
	require.Equal(t, fmt.Sprint(errs), fmt.Sprint(errsAgain))
	require.Equal(t, marshal(t, orEmpty(r, len(errs))), marshal(t, orEmpty(s, len(errsAgain))))
	for _, e := range errs {
		require.NotEmpty(t, e.Field)
	}
	if len(errs) == 0 {
		checkClosed(t, r)
		checkProduct(t, r)
		checkContainers(t, in, r)
	} else {
		require.Equal(t, hpacouple.Result{}, r, "an error list comes without a plan")
	}
	verdict, _ := hpacouple.Admit(r, hpacouple.Admission{MayPatchHPA: true, Live: hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA}})
	require.Equal(t, verdict.Reason != "", len(verdict.Causes) > 0)
	require.Equal(t, before, in)
}

func orEmpty(r hpacouple.Result, errs int) any {
	if errs > 0 {
		return nil
	}
	return r
}

func TestHostile(t *testing.T) { rapid.Check(t, lawHostile) }
func FuzzHostile(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawHostile)) }

// P2: a result shares nothing with its input: writing into every quantity of the result leaves the input as it was.
func TestResultSharesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := valid().Draw(t, "in")
		before := copyInput(in)
		r, ok := planned(t, in)
		if !ok {
			return
		}
		spoil := func(q *resource.Quantity) {
			if q != nil {
				q.Add(resource.MustParse("1e30"))
			}
		}
		for i := range r.Containers {
			c := &r.Containers[i]
			for _, q := range []*resource.Quantity{c.From, c.Recommended, c.Settled, c.To, c.LimitFrom, c.LimitAsked, c.LimitTo} {
				spoil(q)
			}
		}
		for i := range r.Observed.Amounts {
			spoil(r.Observed.Amounts[i].Request)
			spoil(r.Observed.Amounts[i].Limit)
		}
		for i := range r.Observed.Entries {
			spoil(r.Observed.Entries[i].Value)
		}
		require.Equal(t, before, in)
	})
}

// Plans may be made from several goroutines over the same objects.
func TestPlanFromSeveralGoroutines(t *testing.T) {
	in := input(50, box{"app", "1000m", "2", "700m", ""}, box{"side", "500m", "", "", ""})
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				hpacouple.Plan(in)
			}
		}()
	}
	wg.Wait()
}

// The generator reaches every outcome, skip reason and acting bound: a share under 1 percent is a fault of the generator.
func TestGeneratorShares(t *testing.T) {
	counts, total := map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		in := valid().Draw(t, "in")
		r, ok := planned(t, in)
		total++
		if !ok {
			counts["(error)"]++
			return
		}
		counts["outcome "+string(r.Outcome)]++
		for _, s := range r.SkipReasons {
			counts["skip "+string(s)]++
		}
		if r.Working != nil && r.Working.Acted != "" {
			counts["bound "+string(r.Working.Acted)]++
		}
	})
	for range 20 { // a fixed number of draws on top, so that shares mean something with few checks
		for seed := range 100 {
			r, errs := hpacouple.Plan(valid().Example(total + seed))
			total++
			if len(errs) > 0 {
				counts["(error)"]++
				continue
			}
			counts["outcome "+string(r.Outcome)]++
			for _, s := range r.SkipReasons {
				counts["skip "+string(s)]++
			}
			if r.Working != nil && r.Working.Acted != "" {
				counts["bound "+string(r.Working.Acted)]++
			}
		}
	}
	want := []string{"bound max-utilization", "bound min-utilization"}
	for _, o := range hpacouple.Outcomes() {
		want = append(want, "outcome "+string(o))
	}
	for _, s := range skipreason.Skips() {
		want = append(want, "skip "+string(s))
	}
	for _, name := range append(want, "(error)") {
		share := 100 * float64(counts[name]) / float64(total)
		t.Logf("%-32s %5.1f %%", name, share)
		if name != "(error)" {
			require.GreaterOrEqual(t, share, 1.0, name)
		}
	}
	require.Less(t, counts["(error)"], total/4, "valid draws are mostly valid")
}
