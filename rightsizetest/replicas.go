package rightsizetest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Pass is one pass of the HPA controller over a workload with one utilization target. All pods are ready, have been for long, and were measured;
// the tolerance is 10 %, the HPA has no behavior, and what was recommended earlier has left the downscale window. There are as many pods as the
// scale asks for.
type Pass struct {
	// Target in whole percent.
	Target int32
	// Pods with what they request and use, in thousandths.
	Pods []PodUse
	// Min and Max are minReplicas and maxReplicas.
	Min, Max int32
}

// PodUse is what one pod requests and uses, in thousandths.
type PodUse struct{ Request, Usage int64 }

// Simulation is what is checked by [CheckReplicas]: how many replicas the pass leaves.
type Simulation func(Pass) int32

// ReplicaLaws returns the laws of [CheckReplicas].
func ReplicaLaws() []Law { return []Law{LawN1, LawN2, LawN3, LawN4, LawP2, LawP4} }

// CheckReplicas checks laws of a simulated HPA on random passes, each as a subtest with the law's name; without names it checks all of
// [ReplicaLaws].
//
//	N1    more usage never gives fewer replicas
//	N2    a pass ends within minReplicas and maxReplicas
//	N3    a pass depends on its arguments alone, and not on the order of pods
//	N4    a pass gives what Kubernetes 1.37 gives, to the last replica: whole percents, its floats, its tolerance, its limit on scaling up
func CheckReplicas(t *testing.T, simulation Simulation, laws ...Law) {
	t.Helper()
	if len(laws) == 0 {
		laws = ReplicaLaws()
	}
	for _, law := range laws {
		t.Run(string(law), func(t *testing.T) { CheckReplicasLaw(t, simulation, law) })
	}
}

// CheckReplicasLaw checks one law of [ReplicaLaws].
func CheckReplicasLaw(t TB, simulation Simulation, law Law) {
	t.Helper()
	rapid.Check(t, simulation.Property(law))
}

// Property is one law of [ReplicaLaws] for rapid.Check, or for a fuzz target by rapid.MakeFuzz.
func (f Simulation) Property(law Law) func(*rapid.T) {
	passes := Passes()
	switch law {
	case LawP2, LawP4:
		passes = rapid.OneOf(passes, HostilePasses())
	}
	return func(t *rapid.T) {
		if !slices.Contains(ReplicaLaws(), law) {
			t.Fatalf("%q is not a law of replicas", law)
		}
		p := passes.Draw(t, "pass")
		found(t, p, f.law(t, p, law))
	}
}

// String describes the pass.
func (p Pass) String() string {
	return fmt.Sprintf("  target %d %%, %d..%d replicas, %d pods with request and usage %v", p.Target, p.Min, p.Max, len(p.Pods), p.Pods)
}

// Passes draws passes of up to some thirty pods, of one request or of several, biased to the edges of the tolerance, of whole percents and of
// the replica bounds.
func Passes() *rapid.Generator[Pass] {
	return rapid.Custom(func(t *rapid.T) (p Pass) {
		p.Target = rapid.OneOf(rapid.Int32Range(40, 90), rapid.Int32Range(1, 300)).Draw(t, "target")
		request := rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(50, 4000), rapid.Int64Range(1, 1<<40)).Draw(t, "request")
		percent := rapid.OneOf(rapid.SampledFrom([]int64{int64(p.Target), int64(p.Target) * 9 / 10, int64(p.Target)*11/10 + 1, 0}), rapid.Int64Range(0, 4*int64(p.Target))).Draw(t, "percent")
		for range rapid.IntRange(1, 30).Draw(t, "pods") {
			pod := PodUse{Request: request, Usage: request * percent / 100}
			if oneIn(t, 4, "another pod") {
				pod = PodUse{Request: rapid.Int64Range(1, 4000).Draw(t, "request"), Usage: rapid.Int64Range(0, 8000).Draw(t, "usage")}
			}
			pod.Usage += rapid.Int64Range(0, 3).Draw(t, "a little more")
			p.Pods = append(p.Pods, pod)
		}
		n := int32(len(p.Pods))
		p.Min = rapid.Int32Range(1, n+2).Draw(t, "min")
		p.Max = p.Min + rapid.OneOf(rapid.Int32Range(0, 3*n), rapid.Just(int32(1000))).Draw(t, "above min")
		return p
	})
}

// HostilePasses draws anything: no pods, requests of 0 and below, targets that cannot be, numbers at the ends of their types.
func HostilePasses() *rapid.Generator[Pass] {
	amount := rapid.SampledFrom([]int64{0, 1, -1, 100, math.MaxInt64, math.MinInt64, math.MaxInt64 / 100})
	count := rapid.SampledFrom([]int32{0, 1, -1, 5, math.MaxInt32, math.MinInt32})
	return rapid.Custom(func(t *rapid.T) Pass {
		p := Pass{Target: count.Draw(t, "target"), Min: count.Draw(t, "min"), Max: count.Draw(t, "max")}
		for range rapid.IntRange(0, 4).Draw(t, "pods") {
			p.Pods = append(p.Pods, PodUse{Request: amount.Draw(t, "request"), Usage: amount.Draw(t, "usage")})
		}
		return p
	})
}

func (f Simulation) ask(p Pass) (n int32, broken *Violation) {
	defer func() {
		if v := recover(); v != nil {
			broken = LawP4.broken("panic: %v", v)
		}
	}()
	return f(Pass{Target: p.Target, Pods: slices.Clone(p.Pods), Min: p.Min, Max: p.Max}), nil
}

func (f Simulation) law(t *rapid.T, p Pass, law Law) *Violation {
	n, broken := f.ask(p)
	if broken != nil || law == LawP4 {
		return broken
	}
	switch law {
	case LawP2:
		given := slices.Clone(p.Pods)
		_, _ = func() (n int32, broken any) {
			defer func() { broken = recover() }()
			return f(p), nil
		}()
		if !assert.ObjectsAreEqual(given, p.Pods) {
			now := p.Pods
			p.Pods = given
			return law.broken("the pods are now %v", now)
		}
	case LawN1:
		more := Pass{Target: p.Target, Pods: slices.Clone(p.Pods), Min: p.Min, Max: p.Max}
		for i := range more.Pods {
			more.Pods[i].Usage += rapid.OneOf(rapid.Just[int64](0), rapid.Int64Range(0, more.Pods[i].Request)).Draw(t, "more")
		}
		if m, _ := f.ask(more); m < n {
			return law.broken("%d replicas, and %d with usage %v", n, m, more.Pods)
		}
	case LawN2:
		if n < p.Min || n > p.Max {
			return law.broken("%d replicas", n)
		}
	case LawN3:
		if m, _ := f.ask(p); m != n {
			return law.broken("first %d replicas, then %d", n, m)
		}
		other := p
		other.Pods = reorder(t, p.Pods, "order of pods")
		if m, _ := f.ask(other); m != n {
			return law.broken("%d replicas, and in another order %d", n, m)
		}
	case LawN4:
		if want := p.replicas(); want != n {
			return law.broken("%d replicas, and Kubernetes has %d", n, want)
		}
	}
	return nil
}

// replicas is the controller's arithmetic, for these plain passes, from end to end.
func (p Pass) replicas() int32 {
	current := int32(len(p.Pods))
	if current > p.Max {
		return p.Max
	}
	if current < p.Min {
		return p.Min
	}
	var used, requested int64
	for _, pod := range p.Pods {
		used, requested = used+pod.Usage, requested+pod.Request
	}
	wanted := current
	if ratio := float64(int32(used*100/requested)) / float64(p.Target); ratio < 1.0-0.1 || ratio > 1.0+0.1 {
		wanted = int32(math.Ceil(float64(ratio * float64(current))))
	}
	wanted = max(wanted, p.Min)
	return min(wanted, p.Max, max(2*current, 4))
}
