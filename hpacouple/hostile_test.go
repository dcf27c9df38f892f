package hpacouple_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

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

// P: no panic, no write to the input, equal answers, closed lists, on anything that the types allow.
func lawHostile(t *rapid.T) {
	in := rapid.OneOf(hostile(), valid()).Draw(t, "in")
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
		for _, check := range []func(*rapid.T, hpacouple.Input, hpacouple.Result){checkH1, checkH1b, checkH2, checkH4, checkH6, checkH7} {
			check(t, in, r)
		}
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
