package rightsizetest_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/usage"
)

var workload = rightsizetest.RecommenderOf(recommend.Workload)

func TestRecommend(t *testing.T) { rightsizetest.CheckRecommend(t, workload) }

// formula is a right recommender of plain numbers.
func formula(n rightsizetest.Need) (rightsizetest.Advice, bool) {
	if len(n.Points) == 0 {
		return rightsizetest.Advice{}, false
	}
	unit := 1.0
	if n.Resource == corev1.ResourceCPU {
		unit = 1000
	}
	values := rightsizetest.Series(n.Points).Values()
	slices.Sort(values)
	v := values[max(int(math.Ceil(n.Percentile*float64(len(values))-1e-9)), 1)-1]
	request := max(int64(math.Ceil(v*unit*(1+n.Margin))), n.Minimum, 1)
	if n.Locked {
		request = max(request, n.Present)
	}
	request = max(request, n.Least)
	if n.Most > 0 {
		request = min(request, n.Most)
	}
	return rightsizetest.Advice{Lower: request, Request: request, Upper: request}, true
}

func TestFormula(t *testing.T) {
	rightsizetest.CheckRecommend(t, rightsizetest.Formula(formula).Recommender())
}

// fault makes a faulty recommender of plain numbers: it changes what the right one is told, or what it answers.
func fault(f func(n *rightsizetest.Need) func(a *rightsizetest.Advice)) rightsizetest.Recommender {
	return rightsizetest.Formula(func(n rightsizetest.Need) (rightsizetest.Advice, bool) {
		after := f(&n)
		a, ok := formula(n)
		if ok && after != nil {
			after(&a)
		}
		return a, ok
	}).Recommender()
}

// recommenderFaults is one faulty recommender for each law.
func recommenderFaults() map[rightsizetest.Law]rightsizetest.Recommender {
	calls := int64(0)
	return map[rightsizetest.Law]rightsizetest.Recommender{
		rightsizetest.LawR1: fault(func(n *rightsizetest.Need) func(*rightsizetest.Advice) { // takes spikes for noise
			mean := 0.0
			for _, p := range n.Points {
				mean += p.Value / float64(len(n.Points))
			}
			n.Points = slices.DeleteFunc(n.Points, func(p usage.Point) bool { return p.Value > 1.2*mean })
			return nil
		}),
		rightsizetest.LawR3: fault(func(n *rightsizetest.Need) func(*rightsizetest.Advice) { // bounds around the percentile, not around the request
			return func(a *rightsizetest.Advice) { a.Upper = int64(float64(a.Request) / (1 + n.Margin)) }
		}),
		rightsizetest.LawR4: fault(func(n *rightsizetest.Need) func(*rightsizetest.Advice) { // thinks that the last one is the latest
			if k := len(n.Points); k > 3 {
				n.Points = n.Points[k-3:]
			}
			return nil
		}),
		rightsizetest.LawR5: fault(func(n *rightsizetest.Need) func(*rightsizetest.Advice) { // does not know what is locked
			n.Locked = false
			return nil
		}),
		rightsizetest.LawR6: fault(func(n *rightsizetest.Need) func(*rightsizetest.Advice) { // a hundred on top, because it has always been so
			return func(a *rightsizetest.Advice) { a.Request, a.Upper = a.Request+100, a.Upper+100 }
		}),
		rightsizetest.LawR7: fault(func(n *rightsizetest.Need) func(*rightsizetest.Advice) { // a margin on both sides
			return func(a *rightsizetest.Advice) {
				a.Request = max(int64(float64(a.Request)*(1-n.Margin/2)), 1)
			}
		}),
		rightsizetest.LawR8: fault(func(n *rightsizetest.Need) func(*rightsizetest.Advice) { // reads 95 as 9.5
			n.Percentile = math.Mod(10*n.Percentile, 1)
			return nil
		}),
		rightsizetest.LawR9: rightsizetest.Formula(func(n rightsizetest.Need) (rightsizetest.Advice, bool) { // no data is the minimum
			a, ok := formula(n)
			if !ok {
				a = rightsizetest.Advice{Lower: n.Minimum, Request: n.Minimum, Upper: n.Minimum}
			}
			return a, true
		}).Recommender(),
		rightsizetest.LawR10: fault(func(n *rightsizetest.Need) func(*rightsizetest.Advice) { // bounds the request alone
			most := n.Most
			return func(a *rightsizetest.Advice) {
				if most > 0 {
					a.Upper = 2 * most
				}
			}
		}),
		rightsizetest.LawP2: func(in recommend.Input, s recommend.Strategy) (recommend.Result, error) { // sorts what it was given
			for i := range in.Usage {
				if v, ok := in.Usage[i].CPU.(rightsizetest.Series); ok {
					slices.SortFunc(v, func(a, b usage.Point) int { return a.Time.Compare(b.Time) })
				}
			}
			return workload(in, s)
		},
		rightsizetest.LawP3: fault(func(n *rightsizetest.Need) func(*rightsizetest.Advice) { // remembers
			calls++
			return func(a *rightsizetest.Advice) { a.Upper += calls }
		}),
		rightsizetest.LawP4: func(in recommend.Input, s recommend.Strategy) (recommend.Result, error) { // no pod, no recommendation
			_ = in.Pod.Containers
			return workload(in, s)
		},
		rightsizetest.LawP6: func(in recommend.Input, s recommend.Strategy) (recommend.Result, error) { // does not say why not
			r, err := workload(in, s)
			for i := range r.Containers {
				r.Containers[i].CPU.Reason = ""
			}
			return r, err
		},
	}
}

func TestEveryRecommendLawCatchesItsFault(t *testing.T) {
	planted := recommenderFaults()
	for _, law := range rightsizetest.RecommendLaws() {
		t.Run(string(law), func(t *testing.T) {
			faulty, ok := planted[law]
			caught(t, law, ok, func(t rightsizetest.TB) { rightsizetest.CheckRecommendLaw(t, faulty, law) }, "strategy: ")
		})
	}
	refuses := func(recommend.Input, recommend.Strategy) (recommend.Result, error) {
		return recommend.Result{}, errors.New("not today")
	}
	failed, _ := record(t, func(t rightsizetest.TB) { rightsizetest.CheckRecommendLaw(t, refuses, rightsizetest.LawR1) })
	require.True(t, failed, "a recommender that takes nothing passes no law")
	failed, _ = record(t, func(t rightsizetest.TB) { rightsizetest.CheckRecommendLaw(t, workload, rightsizetest.LawH1) })
	require.True(t, failed, "no law of a recommender")
}

// A recommendation of every kind has its share of what is drawn, and so has each fact that a law asks for.
func TestUsageShares(t *testing.T) {
	const draws = 2000
	seen, places := map[string]int{}, 0
	for i := range draws {
		in, s := rightsizetest.UsageInputs().Example(i), rightsizetest.Strategies().Example(i)
		r, err := workload(in, s)
		require.NoError(t, err)
		for _, c := range r.Containers {
			for _, a := range []recommend.Amounts{c.CPU, c.Memory} {
				places++
				seen[string(a.Outcome)]++
				seen["reason "+string(a.Reason)]++
				for _, step := range a.Steps {
					if step.Acted() {
						seen["stage "+string(step.Stage)]++
					}
				}
			}
			if c.Facts.Throttled {
				seen["throttled"]++
			}
			if c.Facts.OOMKilled {
				seen["OOM-killed"]++
			}
		}
	}
	kinds := []string{string(recommend.Recommended), string(recommend.None), "throttled", "OOM-killed"}
	for _, stage := range recommend.Stages() {
		kinds = append(kinds, "stage "+string(stage))
	}
	for _, reason := range []recommend.Reason{recommend.NoData, recommend.TooFewSamples, recommend.NotControlled} {
		kinds = append(kinds, "reason "+string(reason))
	}
	for _, kind := range kinds {
		percent := 100 * float64(seen[kind]) / float64(places)
		t.Logf("%-30s %6.2f %%", kind, percent)
		require.Greater(t, percent, 1.0, kind)
	}
}

// Hostile draws are often enough taken to reach the arithmetic, and often enough refused.
func TestHostileUsageShares(t *testing.T) {
	taken, refused, strategies := 0, 0, 0
	for i := range 1000 {
		_, err := workload(rightsizetest.HostileUsageInputs().Example(i), rightsizetest.Strategies().Example(i))
		if err == nil {
			taken++
		} else {
			refused++
		}
		if rightsizetest.HostileStrategies().Example(i).Validate(nil) == nil {
			strategies++
		}
	}
	t.Logf("taken %d, refused %d, valid strategies %d of 1000", taken, refused, strategies)
	require.Greater(t, taken, 50)
	require.Greater(t, refused, 50)
	require.Greater(t, strategies, 50)
	require.Less(t, strategies, 950)
}

// Windows draws valid ones alone.
func TestWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		require.True(t, rightsizetest.Windows().Draw(t, "window").Valid())
	})
}
