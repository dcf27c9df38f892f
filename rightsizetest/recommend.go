package rightsizetest

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// Recommender is what is checked by [CheckRecommend]: whatever turns what was measured into requests. Of the result the laws read the
// containers' names, and of cpu and memory Outcome, Reason, Request, Lower and Upper. An error means that it does not take this input or
// this strategy; a law is only checked where most of what is drawn is taken. [Formula] makes one of a function on plain numbers.
type Recommender func(recommend.Input, recommend.Strategy) (recommend.Result, error)

// RecommenderOf makes a recommender of a function that returns a list of errors, as [recommend.Workload] does.
func RecommenderOf(f func(recommend.Input, recommend.Strategy) (recommend.Result, field.ErrorList)) Recommender {
	return func(in recommend.Input, s recommend.Strategy) (recommend.Result, error) {
		r, errs := f(in, s)
		return r, errs.ToAggregate()
	}
}

// Need is one resource of one container in plain numbers, for a recommender that knows nothing of this module's types. Amounts are millicores
// or bytes, what was measured is in cores or bytes.
type Need struct {
	Container string
	Resource  corev1.ResourceName
	// Points are what was measured, in the order in which it came.
	Points []usage.Point
	// Percentile, Margin and Minimum are what is wished for: 0.95 of the points (1 is the largest), 0.15 on top, at least so much.
	Percentile, Margin float64
	Minimum            int64
	// Present is the request in force; 0 is none.
	Present int64
	// Locked says that the request must not fall: the container was throttled, or OOM-killed, and the resource is the one that it lacked.
	Locked bool
	// Least and Most are what policy and limit allow; 0 is no bound.
	Least, Most int64
}

// Advice is a request with its bounds, in millicores or bytes. Who has no bounds gives the request three times.
type Advice struct{ Lower, Request, Upper int64 }

// Formula is a recommender of plain numbers. Not ok is no recommendation.
type Formula func(Need) (Advice, bool)

// Recommender asks the formula about each resource of each container that is not switched off. It refuses what has no pod, and strategies
// that are not valid.
func (f Formula) Recommender() Recommender {
	return func(in recommend.Input, s recommend.Strategy) (recommend.Result, error) {
		var out recommend.Result
		if in.Pod == nil {
			return out, fmt.Errorf("a formula needs a pod")
		}
		if errs := s.Validate(nil); len(errs) > 0 {
			return out, errs.ToAggregate()
		}
		for _, p := range placesOf(in, s) {
			if p.resource == corev1.ResourceCPU {
				out.Containers = append(out.Containers, recommend.Container{Name: p.container})
			}
			c := &out.Containers[len(out.Containers)-1]
			a := &c.CPU
			if p.resource == corev1.ResourceMemory {
				a = &c.Memory
			}
			*a = recommend.Amounts{Resource: p.resource, Outcome: recommend.None, Reason: recommend.NoData, Limit: recommend.Limit{Mode: p.rule.Limit}}
			if p.off {
				a.Reason = recommend.NotControlled
				continue
			}
			n := Need{Container: p.container, Resource: p.resource, Percentile: p.rule.Target.Quantile.Float(), Margin: p.rule.Margin.Float(), Minimum: p.rule.Minimum,
				Present: p.present, Locked: p.locked(), Least: p.least, Most: p.ceiling()}
			if n.Most > 0 {
				n.Least = min(n.Least, n.Most)
			}
			if p.rule.Target.Max {
				n.Percentile = 1
			}
			if points, ok := p.view.(Series); ok {
				n.Points = append(n.Points, points...)
			}
			if v, ok := f(n); ok {
				a.Outcome, a.Reason, a.Lower, a.Request, a.Upper = recommend.Recommended, "", v.Lower, v.Request, v.Upper
			}
		}
		return out, nil
	}
}

// RecommendLaws returns the laws of [CheckRecommend].
func RecommendLaws() []Law {
	return []Law{LawR1, LawR3, LawR4, LawR5, LawR6, LawR7, LawR8, LawR9, LawR10, LawP2, LawP3, LawP4, LawP6}
}

// CheckRecommend checks laws of a recommender on random usage and strategies, each as a subtest with the law's name; without names it checks
// all of [RecommendLaws].
//
//	R1    more usage never gives a smaller request
//	R3    lower bound <= request <= upper bound, and no request is 0
//	R4    the order of samples, containers and policies does not matter
//	R5    what was throttled or OOM-killed does not fall
//	R6    all numbers k times as large give k times the request
//	R7    a larger margin or minimum never gives a smaller request
//	R8    a higher percentile never gives a smaller request
//	R9    no data is no recommendation
//	R10   request and bounds stay within what policy and limit allow
func CheckRecommend(t *testing.T, recommender Recommender, laws ...Law) {
	t.Helper()
	if len(laws) == 0 {
		laws = RecommendLaws()
	}
	for _, law := range laws {
		t.Run(string(law), func(t *testing.T) { CheckRecommendLaw(t, recommender, law) })
	}
}

// CheckRecommendLaw checks one law of [RecommendLaws].
func CheckRecommendLaw(t TB, recommender Recommender, law Law) {
	t.Helper()
	rapid.Check(t, recommender.Property(law))
}

// Property is one law of [RecommendLaws] for rapid.Check, or for a fuzz target by rapid.MakeFuzz.
func (f Recommender) Property(law Law) func(*rapid.T) {
	c := f.safe()
	check, ok := map[Law]func(*rapid.T, *measuredCase) *Violation{
		LawR1: c.lawR1, LawR3: c.lawR3, LawR4: c.lawR4, LawR5: c.lawR5, LawR6: c.lawR6, LawR7: c.lawR7, LawR8: c.lawR8, LawR9: c.lawR9,
		LawR10: c.lawR10, LawP2: c.lawP2, LawP3: c.lawP3, LawP4: c.lawP4, LawP6: c.lawP6,
	}[law]
	cases := measuredCases()
	switch law {
	case LawP2, LawP3, LawP4:
		cases = rapid.OneOf(cases, hostileCases(), hostileCases())
	}
	return func(t *rapid.T) {
		if !ok {
			t.Fatalf("%q is not a law of a recommender", law)
		}
		m := cases.Draw(t, "case")
		v := check(t, &m) // which may leave out what the law is not about
		found(t, m, v)
	}
}

// measuredCase is a draw that prints itself.
type measuredCase struct {
	in recommend.Input
	s  recommend.Strategy
}

// String describes the draw.
func (m measuredCase) String() string { return DescribeUsage(m.in, m.s) }

// GoString is how rapid prints a draw.
func (m measuredCase) GoString() string { return "\n" + m.String() }

func measuredCases() *rapid.Generator[measuredCase] {
	return rapid.Custom(func(t *rapid.T) measuredCase {
		return measuredCase{UsageInputs().Draw(t, "usage"), Strategies().Draw(t, "strategy")}
	})
}

func hostileCases() *rapid.Generator[measuredCase] {
	return rapid.Custom(func(t *rapid.T) measuredCase {
		return measuredCase{HostileUsageInputs().Draw(t, "usage"), rapid.OneOf(Strategies(), HostileStrategies()).Draw(t, "strategy")}
	})
}

func (f Recommender) safe() Recommender {
	return func(in recommend.Input, s recommend.Strategy) (r recommend.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &panicked{v}
			}
		}()
		return f(in, s)
	}
}

// run recommends on a copy, and leaves out the draw where the recommender does not take it.
func (f Recommender) run(t *rapid.T, m measuredCase) recommend.Result {
	r, err := f(copyUsage(m.in), m.s)
	if crash, is := err.(*panicked); is {
		found(t, m, LawP4.broken("%v", crash))
	}
	if err != nil {
		t.Skipf("the recommender does not take it: %v", err)
	}
	return r
}
