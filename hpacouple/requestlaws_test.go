package hpacouple_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// The laws of the requests, on what a plan does to the objects.

// moved is one container of the template and one resource, before and after a plan, with what was asked for it.
type moved struct {
	was, now metrics.Container
	name     corev1.ResourceName
	ask      hpacouple.Recommendation
	plan     *hpacouple.ContainerPlan // nil where the plan does not list it
}

// eachMoved calls f for all containers of the template and both resources.
func eachMoved(t *rapid.T, in hpacouple.Input, r hpacouple.Result, f func(m moved)) {
	after := rightsizetest.Apply(in, r)
	for _, name := range []corev1.ResourceName{"cpu", "memory"} {
		before, err := in.Pod.Containers(name)
		require.Nil(t, err)
		now, err := after.Pod.Containers(name)
		require.Nil(t, err, "what is written can be read")
		require.Len(t, now, len(before))
		for i := range before {
			m := moved{was: before[i], now: now[i], name: name}
			for _, ask := range in.Recommendations {
				if ask.Container == m.was.Name && !m.was.Injected {
					m.ask = ask
				}
			}
			for k := range r.Containers {
				if p := &r.Containers[k]; p.Name == m.was.Name && p.Resource == name {
					m.plan = p
				}
			}
			f(m)
		}
	}
}

func (m moved) locked() bool {
	return (m.name == "cpu" && m.ask.Throttled) || (m.name == "memory" && m.ask.OOMKilled)
}

// H6: what is locked does not decrease, unless it was above its limit after the change.
func lawH6(t *rapid.T) { onPlan(t, stateful(), checkH6) }

func checkH6(t *rapid.T, in hpacouple.Input, r hpacouple.Result) {
	eachMoved(t, in, r, func(m moved) {
		above := m.now.Limit.Present() && m.was.Request.Milli > m.now.Limit.Milli
		require.True(t, !m.locked() || above || m.now.Request.Milli >= m.was.Request.Milli, "H6: %s of %s goes from %d to %d", m.name, m.was.Name, m.was.Request.Milli, m.now.Request.Milli)
		require.True(t, m.plan == nil || m.plan.Locked == m.locked())
	})
}

// naiveSettled is the request that the container would get for itself, step by step in big integers; nil where it gets none.
func (m moved) naiveSettled(in hpacouple.Input) *big.Int {
	unit, present := int64(1), big.NewInt(m.was.Request.Milli)
	if m.name == "memory" {
		unit = 1000
	}
	limit, asksLimit := m.was.Limit, false
	if q, ok := m.ask.Limits[m.name]; ok {
		asksLimit = true
		limit = metrics.Amount{Milli: floorMilli(q), Source: metrics.SourceLimit}
	}
	for _, name := range m.ask.UnsetLimits {
		if name == m.name {
			asksLimit = true
			_, limit, _ = in.Pod.Defaults(name)
		}
	}
	if slices.Contains(m.ask.KeepRatio, m.name) { // the limit goes with the request, up to the pod's own limit
		limit, asksLimit = metrics.Amount{}, false
		if _, own, _ := in.Pod.PodLevel(m.name); m.was.Limit.Present() && own.Present() {
			limit = metrics.Amount{Milli: own.Milli - own.Milli%unit, Source: metrics.SourcePodLevel}
		}
	}
	q, asked := m.ask.Requests[m.name]
	v := new(big.Int).Set(present)
	if asked {
		c := q.DeepCopy()
		v.SetInt64(c.MilliValue())
		if v.Cmp(present) != 0 {
			step := big.NewInt(stepOf(in, m.name))
			cut := v.Cmp(present) < 0
			v.Add(v, step).Sub(v, big.NewInt(1)).Div(v, step).Mul(v, step)
			if cut && v.Cmp(present) > 0 {
				v.Set(present)
			}
		}
	}
	if m.locked() && v.Cmp(present) < 0 {
		v.Set(present)
	}
	if (asked || asksLimit) && limit.Present() {
		most := big.NewInt(limit.Milli - limit.Milli%unit)
		if fits := !slices.Contains(m.ask.KeepRatio, m.name) && present.Cmp(big.NewInt(limit.Milli)) <= 0; fits && present.Cmp(most) > 0 {
			most = present // a fraction of a byte that is there may stay
		}
		if v.Cmp(most) > 0 || (!asked && !m.was.Request.Present() && limit.Source == metrics.SourceLimit) {
			v = most
		}
	}
	return v
}

func floorMilli(q resource.Quantity) int64 {
	c := q.DeepCopy()
	m := c.MilliValue()
	if c.Cmp(*resource.NewMilliQuantity(m, resource.DecimalSI)) < 0 {
		m--
	}
	return m
}

// H7: nobody ends above the larger of present and settled, or below the smaller. The settled request is the twin's, and so is the plan's own.
// What is written is whole and at or below its limit, in canonical text.
func lawH7(t *rapid.T) { onPlan(t, stateful(), checkH7) }

func checkH7(t *rapid.T, in hpacouple.Input, r hpacouple.Result) {
	eachMoved(t, in, r, func(m moved) {
		settled := m.naiveSettled(in)
		low, high := big.NewInt(m.was.Request.Milli), settled
		if low.Cmp(high) > 0 {
			low, high = high, low
		}
		now := big.NewInt(m.now.Request.Milli)
		require.True(t, low.Cmp(now) <= 0 && now.Cmp(high) <= 0, "H7: %s of %s ends at %v, outside %v..%v: %s", m.name, m.was.Name, now, low, high, marshal(t, m.plan))
		if m.plan == nil {
			require.Equal(t, m.was, m.now, "what is not listed does not move")
			return
		}
		if patched := in.Options.AutoPatch == nil || slices.Contains(in.Options.AutoPatch, m.name); patched && m.plan.Settled != nil {
			require.Equal(t, settled.String(), big.NewInt(m.plan.Settled.MilliValue()).String(), "settled: %s", marshal(t, m.plan))
		}
		if !m.plan.Changes() {
			return
		}
		require.True(t, !m.now.Limit.Present() || m.now.Request.Milli <= m.now.Limit.Milli, "a request never passes its limit")
		require.True(t, m.name != "memory" || m.now.Request.Milli%1000 == 0, "whole bytes are written")
		require.Equal(t, m.plan.To.String(), reparse(m.plan.To.String()), "canonical")
	})
}

func reparse(text string) string {
	q := resource.MustParse(text)
	return q.String()
}

// H8: planning again after the plan was applied changes nothing. After Coordinate the outcome is NoChange; where nothing is coordinated it is
// the same again.
func lawH8(t *rapid.T) { onPlan(t, stateful(), checkH8) }

func checkH8(t *rapid.T, in hpacouple.Input, r hpacouple.Result) {
	next, errs := hpacouple.Plan(rightsizetest.Apply(in, r))
	require.Empty(t, errs, "what was planned is valid")
	want := r.Outcome
	if want == hpacouple.Coordinate {
		want = hpacouple.NoChange
	}
	require.Equal(t, want, next.Outcome, "H8: %s then %s", marshal(t, r), marshal(t, next))
	for _, c := range next.Containers {
		require.False(t, c.Changes(), "H8: %s", marshal(t, c))
	}
	for _, target := range next.Targets {
		require.Equal(t, target.From, target.To, "H8")
	}
}

func TestH6(t *testing.T) { rapid.Check(t, lawH6) }
func FuzzH6(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH6)) }
func TestH7(t *testing.T) { rapid.Check(t, lawH7) }
func FuzzH7(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH7)) }
func TestH8(t *testing.T) { rapid.Check(t, lawH8) }
func FuzzH8(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH8)) }
