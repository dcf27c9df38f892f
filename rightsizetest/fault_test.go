package rightsizetest_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
	"github.com/kube-rightsize/rightsize/usage"
)

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("rapid.nofailfile", "true") // faults are planted here
	_ = flag.Set("rapid.shrinktime", "200ms")
	if n, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String()); err == nil && n < 300 {
		_ = flag.Set("rapid.checks", "300") // a fault must have the chance to be found
	}
	os.Exit(m.Run())
}

// recorder is a test that may fail without failing the real one.
type recorder struct {
	*testing.T
	mu     sync.Mutex
	failed bool
	text   strings.Builder
}

func (r *recorder) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(&r.text, format+"\n", args...)
}
func (r *recorder) Log(args ...any)                   { r.Logf("%s", fmt.Sprintln(args...)) }
func (r *recorder) Errorf(format string, args ...any) { r.Logf(format, args...); r.Fail() }
func (r *recorder) Error(args ...any)                 { r.Log(args...); r.Fail() }
func (r *recorder) Fatalf(format string, args ...any) { r.Logf(format, args...); r.FailNow() }
func (r *recorder) Fatal(args ...any)                 { r.Log(args...); r.FailNow() }
func (r *recorder) Fail()                             { r.failed = true }
func (r *recorder) FailNow()                          { r.failed = true; runtime.Goexit() }
func (r *recorder) Failed() bool                      { return r.failed }

// record runs a check to its end and returns what it would have done to its test.
func record(t *testing.T, check func(rightsizetest.TB)) (failed bool, text string) {
	r := &recorder{T: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(r)
	}()
	<-done
	return r.failed, r.text.String()
}

// caught proves that a law finds the fault that was planted for it, names itself, and shows what it was found for.
func caught(t *testing.T, law rightsizetest.Law, planted bool, check func(rightsizetest.TB), shown string) {
	t.Helper()
	require.NotEmpty(t, law.Sentence())
	require.True(t, planted, "a fault for each law")
	failed, text := record(t, check)
	require.True(t, failed, "the fault was not found")
	require.Contains(t, text, "law "+string(law)+" is broken: "+law.Sentence())
	require.Contains(t, text, "for:\n")
	require.Contains(t, text, shown)
}

func plan(in hpacouple.Input) (hpacouple.Result, error) {
	return rightsizetest.PlannerOf(hpacouple.Plan)(in)
}

// spoil plans and changes a coordinated result.
func spoil(f func(in hpacouple.Input, r *hpacouple.Result)) rightsizetest.Planner {
	return func(in hpacouple.Input) (hpacouple.Result, error) {
		r, err := plan(in)
		if err == nil && r.Outcome == hpacouple.Coordinate {
			f(in, &r)
		}
		return r, err
	}
}

// first is the first container and resource of a result that changes and that is accepted.
func first(r *hpacouple.Result, accept func(c *hpacouple.ContainerPlan) bool) *hpacouple.ContainerPlan {
	for i := range r.Containers {
		if c := &r.Containers[i]; c.Changes() && c.To != nil && accept(c) {
			return c
		}
	}
	return nil
}

// move changes the final request of a container by some thousandths.
func move(c *hpacouple.ContainerPlan, by int64) {
	if c != nil {
		c.To = resource.NewMilliQuantity(max(c.To.MilliValue()+by, 1), resource.DecimalSI)
	}
}

// faults is one faulty planner for each law.
func faults() map[rightsizetest.Law]rightsizetest.Planner {
	calls := 0
	return map[rightsizetest.Law]rightsizetest.Planner{
		rightsizetest.LawA6: idle(hpacouple.NoChange),
		rightsizetest.LawH1: spoil(func(_ hpacouple.Input, r *hpacouple.Result) { // rounds down
			if w := r.Working; w.Acted == "" && w.Old != w.New {
				r.Targets[0].To = int32(max(w.Old*int64(r.Targets[0].From)/w.New, w.Bounds.Lo))
			}
		}),
		rightsizetest.LawH1b: spoil(func(_ hpacouple.Input, r *hpacouple.Result) { // clamps the target and forgets the requests
			for i := range r.Containers {
				if c := &r.Containers[i]; r.Working.Acted != "" && c.Counted && c.Settled != nil {
					c.To = c.Settled
				}
			}
		}),
		rightsizetest.LawH2: spoil(func(_ hpacouple.Input, r *hpacouple.Result) { // moves the target for the other resource
			if r.Working.Old == r.Working.New {
				r.Targets[0].To = r.Targets[0].From + 1
			}
		}),
		rightsizetest.LawH4: spoil(func(_ hpacouple.Input, r *hpacouple.Result) { // keeps the product without bounds
			if w := r.Working; w.Acted != "" {
				r.Targets[0].To, _ = hpacouple.Target(r.Targets[0].From, w.Old, max(w.Wanted, 1))
			}
		}),
		rightsizetest.LawH5: func(in hpacouple.Input) (hpacouple.Result, error) { // starts each change from the last
			in.State = &hpacouple.State{}
			return plan(in)
		},
		rightsizetest.LawH6: func(in hpacouple.Input) (hpacouple.Result, error) { // does not know what is locked
			in = *in.DeepCopy()
			for i := range in.Recommendations {
				in.Recommendations[i].Throttled, in.Recommendations[i].OOMKilled = false, false
			}
			return plan(in)
		},
		rightsizetest.LawH7: spoil(func(_ hpacouple.Input, r *hpacouple.Result) { // gives more than was asked for
			move(first(r, func(c *hpacouple.ContainerPlan) bool { return c.LimitTo == nil }), 1<<40)
		}),
		rightsizetest.LawH8: func(in hpacouple.Input) (hpacouple.Result, error) { // never rests
			in = *in.DeepCopy()
			for i := range in.Recommendations {
				for name, q := range in.Recommendations[i].Requests {
					for _, c := range in.Pod.Spec.Containers {
						if p, ok := c.Resources.Requests[name]; ok && c.Name == in.Recommendations[i].Container && q.Cmp(p) <= 0 && p.MilliValue() > 1000 {
							in.Recommendations[i].Requests[name] = *resource.NewQuantity(p.Value()-1, resource.DecimalSI)
						}
					}
				}
			}
			return plan(in)
		},
		rightsizetest.LawH9: func(in hpacouple.Input) (hpacouple.Result, error) { // looks at the first container alone
			in = *in.DeepCopy()
			if len(in.Recommendations) > 1 {
				in.Recommendations = in.Recommendations[:1]
			}
			return plan(in)
		},
		rightsizetest.LawH10: func(in hpacouple.Input) (hpacouple.Result, error) { // adds a constant for a sidecar that is not there
			in = *in.DeepCopy()
			if in.Pod.Spec != nil && in.Pod.Live == nil {
				in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "mesh", Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("100m")}}}}}}
			}
			return plan(in)
		},
		rightsizetest.LawH11: func(in hpacouple.Input) (hpacouple.Result, error) { // takes its own plan for the user's choice
			r, err := plan(in)
			if r.State != nil && r.State.Pending != nil {
				r.State.Anchor = *r.State.Pending.DeepCopy()
			}
			return r, err
		},
		rightsizetest.LawP2: func(in hpacouple.Input) (hpacouple.Result, error) { // defaults the object that it was given
			if in.HPA != nil && in.HPA.Spec.MinReplicas == nil {
				one := int32(1)
				in.HPA.Spec.MinReplicas = &one
			}
			return plan(in)
		},
		rightsizetest.LawP3: func(in hpacouple.Input) (hpacouple.Result, error) { // remembers
			calls++
			r, err := plan(in)
			if calls%2 == 0 {
				r.Findings = nil
			}
			return r, err
		},
		rightsizetest.LawP4: func(in hpacouple.Input) (hpacouple.Result, error) { // no template, no plan
			_ = in.Pod.Spec.Containers
			return plan(in)
		},
		rightsizetest.LawP6: spoil(func(_ hpacouple.Input, r *hpacouple.Result) { r.Outcome = "Changed" }),
	}
}

// Each law catches the fault that was planted for it, names itself, and shows an input.
func TestEveryPlanLawCatchesItsFault(t *testing.T) {
	planted := faults()
	for _, law := range rightsizetest.PlanLaws() {
		t.Run(string(law), func(t *testing.T) {
			faulty, ok := planted[law]
			caught(t, law, ok, func(t rightsizetest.TB) { rightsizetest.CheckPlanLaw(t, faulty, law) }, "  ")
		})
	}
}

// The cardinal fault under another name: requests change, the target stays, and the plan calls itself Uncoupled.
func TestUncoupledIsNoExcuse(t *testing.T) {
	faulty := spoil(func(_ hpacouple.Input, r *hpacouple.Result) {
		r.Outcome, r.Targets = hpacouple.Uncoupled, nil
	})
	caught(t, rightsizetest.LawH1, true, func(t rightsizetest.TB) { rightsizetest.CheckPlanLaw(t, faulty, rightsizetest.LawH1) }, "  ")
}

// A planner that takes nothing passes no law, and an unknown law is no law.
func TestNothingIsNoProof(t *testing.T) {
	refuses := func(hpacouple.Input) (hpacouple.Result, error) { return hpacouple.Result{}, fmt.Errorf("not today") }
	failed, text := record(t, func(t rightsizetest.TB) { rightsizetest.CheckPlanLaw(t, refuses, rightsizetest.LawH1) })
	require.True(t, failed)
	require.Contains(t, text, "only generated 0 valid tests")
	failed, _ = record(t, func(t rightsizetest.TB) { rightsizetest.CheckPlanLaw(t, plan, "H99") })
	require.True(t, failed)
	require.Empty(t, rightsizetest.Law("H99").Sentence())
}

// What is shown is small: one container, one point, one pod.
func TestCounterexamplesAreSmall(t *testing.T) {
	require.NoError(t, flag.Set("rapid.shrinktime", "20s"))
	defer func() { require.NoError(t, flag.Set("rapid.shrinktime", "200ms")) }()
	inverted := rightsizetest.Formula(func(n rightsizetest.Need) (rightsizetest.Advice, bool) {
		return rightsizetest.Advice{Lower: 2, Request: 1, Upper: 2}, len(n.Points) > 0
	}).Recommender()
	for _, c := range []struct {
		why   string
		check func(rightsizetest.TB)
		shown string
		not   []string
	}{
		{"a recommender", func(t rightsizetest.TB) {
			rightsizetest.CheckRecommendLaw(t, inverted, rightsizetest.LawR3)
		}, "of app: 1 points: ", []string{"proxy", "policy", "limit range", "2 points"}},
		{"a simulation", func(t rightsizetest.TB) {
			rightsizetest.CheckReplicasLaw(t, func(p rightsizetest.Pass) int32 { return p.Max + 1 }, rightsizetest.LawN2)
		}, "1 pods", nil},
		{"a planner", func(t rightsizetest.TB) {
			rightsizetest.CheckPlanLaw(t, spoil(func(_ hpacouple.Input, r *hpacouple.Result) { r.Outcome = "Changed" }), rightsizetest.LawP6)
		}, "container c0", []string{"container c1", "init container"}},
		{"a quantile", func(t rightsizetest.TB) {
			rightsizetest.CheckQuantileLaw(t, func([]float64, float64) (float64, bool) { return -1, true }, usage.Lower, rightsizetest.LawQ1)
		}, "quantile 0 of [", []string{" 0]", " 1]"}},
	} {
		failed, text := record(t, c.check)
		require.True(t, failed, c.why)
		last := text[strings.LastIndex(text, "for:\n"):]
		require.Contains(t, last, c.shown, c.why)
		for _, word := range c.not {
			require.NotContains(t, last, word, c.why)
		}
	}
}
