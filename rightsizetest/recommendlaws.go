package rightsizetest

import (
	"slices"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// place is one resource of one container, with what is known about it. It is read from the input alone.
type place struct {
	container string
	resource  corev1.ResourceName
	rule      recommend.Rule
	view      usage.View // what the strategy's rule is about
	views     []usage.View
	kills     []usage.OOMKill
	throttled bool // more than the strategy lets pass
	off       bool // the policy does not want a recommendation
	present   int64
	limit     int64 // that stays; 0 is none
	least     int64 // of the policy; 0 is no bound
	most      int64
}

// ceiling is the lower of the policy's maximum and of a limit that stays; 0 is none.
func (p place) ceiling() int64 {
	if p.most == 0 || p.limit > 0 && p.limit < p.most {
		return p.limit
	}
	return p.most
}

// locked says whether the request must not fall.
func (p place) locked() bool {
	return p.resource == corev1.ResourceCPU && p.throttled || p.resource == corev1.ResourceMemory && len(p.kills) > 0
}

func amountIn(list corev1.ResourceList, name corev1.ResourceName) int64 {
	q := list[name].DeepCopy()
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// placesOf lists cpu and memory of every container, in the pod's order.
func placesOf(in recommend.Input, s recommend.Strategy) (out []place) {
	if in.Pod == nil {
		return nil
	}
	for _, c := range slices.Concat(in.Pod.Containers, in.Pod.InitContainers) {
		k := slices.IndexFunc(in.Usage, func(u recommend.ContainerUsage) bool { return u.Name == c.Name })
		policy := slices.IndexFunc(in.Policies, func(p recommend.Policy) bool { return p.Container == c.Name })
		if policy < 0 {
			policy = slices.IndexFunc(in.Policies, func(p recommend.Policy) bool { return p.Container == "*" })
		}
		for _, name := range recommend.Resources() {
			p := place{container: c.Name, resource: name, rule: s.CPU, present: amountIn(c.Resources.Requests, name)}
			if name == corev1.ResourceMemory {
				p.rule = s.Memory
			}
			limit := amountIn(c.Resources.Limits, name)
			if p.rule.Limit == recommend.Keep {
				p.limit = limit
			}
			if _, ok := c.Resources.Requests[name]; !ok {
				p.present = limit // as the API server has it
			}
			if policy >= 0 {
				of := in.Policies[policy]
				p.off = of.Off || of.Controlled != nil && !slices.Contains(of.Controlled, name)
				p.least, p.most = amountIn(of.MinAllowed, name), amountIn(of.MaxAllowed, name)
			}
			if k >= 0 {
				u := in.Usage[k]
				plain, peaks := u.CPU, u.CPUPeaks.Of
				if name == corev1.ResourceMemory {
					plain, peaks = u.Memory, u.MemoryPeaks.Of
				}
				p.view, p.views, p.kills = plain, []usage.View{plain, peaks}, u.Events.OOMKills
				if p.rule.From == recommend.Peaks {
					p.view = peaks
				}
				p.throttled = u.Events.Throttled != nil && *u.Events.Throttled > s.ThrottledAbove.Float()
			}
			out = append(out, p)
		}
	}
	return out
}

// answer is what a result says about a place; a container that is not in it has no recommendation.
func answer(r recommend.Result, p place) recommend.Amounts {
	for _, c := range r.Containers {
		if c.Name == p.container && p.resource == corev1.ResourceCPU {
			return c.CPU
		} else if c.Name == p.container {
			return c.Memory
		}
	}
	return recommend.Amounts{Outcome: recommend.None}
}

// notLess compares two results place by place: where there was a recommendation there still is one, and nothing in it is smaller.
func notLess(law Law, m measuredCase, less, more recommend.Result, bounds bool) *Violation {
	for _, p := range placesOf(m.in, m.s) {
		a, b := answer(less, p), answer(more, p)
		if a.Outcome != recommend.Recommended {
			continue
		}
		if b.Outcome != recommend.Recommended {
			return law.broken("%s of %s is recommended as %d, and with more there is no recommendation (%s)", p.resource, p.container, a.Request, b.Reason)
		}
		if b.Request < a.Request || bounds && (b.Lower < a.Lower || b.Upper < a.Upper) {
			return law.broken("%s of %s is %d (%d..%d), and with more it is %d (%d..%d)", p.resource, p.container, a.Request, a.Lower, a.Upper, b.Request, b.Lower, b.Upper)
		}
	}
	return nil
}

// eachView replaces every series of one resource, or of both where name is "".
func eachView(in recommend.Input, name corev1.ResourceName, f func(Series) Series) recommend.Input {
	out := copyUsage(in)
	for i := range out.Usage {
		u := &out.Usage[i]
		views := []*usage.View{&u.CPU, &u.CPUPeaks.Of}
		if name == corev1.ResourceMemory {
			views = []*usage.View{&u.Memory, &u.MemoryPeaks.Of}
		} else if name == "" {
			views = append(views, &u.Memory, &u.MemoryPeaks.Of)
		}
		for _, v := range views {
			if s, ok := (*v).(Series); ok {
				*v = f(s)
			}
		}
	}
	return out
}

// lawR1 raises one point, some or all. LimitRanges for whole pods are left out: there one container's share falls as another's rises.
func (f Recommender) lawR1(t *rapid.T, m *measuredCase) *Violation {
	m.in.LimitRanges = nil
	which := rapid.SampledFrom([]string{"the largest", "all", "some", "one"}).Draw(t, "points that rise")
	share := rapid.OneOf(rapid.SampledFrom([]float64{1, 9, 0.1}), rapid.Float64Range(0, 9)).Draw(t, "more")
	more := *m
	more.in = eachView(m.in, "", func(s Series) Series {
		one := rapid.IntRange(0, max(len(s)-1, 0)).Draw(t, "point")
		if which == "the largest" && len(s) > 0 {
			one = slices.Index(s.Values(), slices.Max(s.Values()))
		}
		for i := range s {
			if which == "all" || which != "some" && i == one || which == "some" && rapid.Bool().Draw(t, "this one") {
				s[i].Value += s[i].Value * share
			}
		}
		return s
	})
	return notLess(LawR1, *m, f.run(t, *m), f.run(t, more), true)
}

func (f Recommender) lawR3(t *rapid.T, m *measuredCase) *Violation {
	r := f.run(t, *m)
	for _, p := range placesOf(m.in, m.s) {
		ordered := func(a recommend.Amounts) bool {
			return 0 <= a.Lower && a.Lower <= a.Request && a.Request <= a.Upper && a.Request > 0
		}
		if a := answer(r, p); a.Outcome == recommend.Recommended && !ordered(a) {
			return LawR3.broken("%s of %s is %d within %d..%d", p.resource, p.container, a.Request, a.Lower, a.Upper)
		}
	}
	return nil
}

func (f Recommender) lawR4(t *rapid.T, m *measuredCase) *Violation {
	other := *m
	other.in = eachView(m.in, "", func(s Series) Series { return reorder(t, s, "order of points") })
	in := &other.in
	in.Usage, in.Policies = reorder(t, in.Usage, "order of usage"), reorder(t, in.Policies, "order of policies")
	in.Pod.Containers = reorder(t, in.Pod.Containers, "order of containers")
	for i := range in.Usage {
		in.Usage[i].Events.OOMKills = reorder(t, in.Usage[i].Events.OOMKills, "order of kills")
	}
	r, s := f.run(t, *m), f.run(t, other)
	for _, p := range placesOf(m.in, m.s) {
		a, b := answer(r, p), answer(s, p)
		if a.Outcome != b.Outcome || a.Request != b.Request || a.Lower != b.Lower || a.Upper != b.Upper {
			return LawR4.broken("%s of %s is %s %d (%d..%d), and in another order %s %d (%d..%d)", p.resource, p.container,
				a.Outcome, a.Request, a.Lower, a.Upper, b.Outcome, b.Request, b.Lower, b.Upper)
		}
	}
	return nil
}

// lawR5 asks strategies that hold.
func (f Recommender) lawR5(t *rapid.T, m *measuredCase) *Violation {
	m.s.Hold, m.in.LimitRanges = true, nil
	r := f.run(t, *m)
	for _, p := range placesOf(m.in, m.s) {
		least := p.present
		if c := p.ceiling(); c > 0 {
			least = min(least, c)
		}
		if a := answer(r, p); p.locked() && a.Outcome == recommend.Recommended && a.Request < least {
			return LawR5.broken("%s of %s falls from %d to %d", p.resource, p.container, p.present, a.Request)
		}
	}
	return nil
}

// lawR6 multiplies all numbers of one resource by k. Roundings are left: to whole amounts and to the step, in each of a few stages.
func (f Recommender) lawR6(t *rapid.T, m *measuredCase) *Violation {
	m.in.LimitRanges = nil
	name := rapid.SampledFrom(recommend.Resources()).Draw(t, "resource")
	k := rapid.SampledFrom([]int64{2, 10, 1000}).Draw(t, "k")
	large := measuredCase{in: eachView(m.in, name, func(s Series) Series {
		for i := range s {
			s[i].Value *= float64(k)
		}
		return s
	}), s: m.s}
	for _, list := range [][]corev1.Container{large.in.Pod.Containers, large.in.Pod.InitContainers} {
		for i := range list {
			multiply(list[i].Resources.Requests, name, k)
			multiply(list[i].Resources.Limits, name, k)
		}
	}
	for i := range large.in.Policies {
		multiply(large.in.Policies[i].MinAllowed, name, k)
		multiply(large.in.Policies[i].MaxAllowed, name, k)
	}
	rule := &large.s.CPU
	if name == corev1.ResourceMemory {
		rule = &large.s.Memory
		large.s.OOM.MinBump *= k
		for i := range large.in.Usage {
			for j := range large.in.Usage[i].Events.OOMKills {
				kill := &large.in.Usage[i].Events.OOMKills[j]
				kill.Request, kill.Limit, kill.Peak = kill.Request*k, kill.Limit*k, kill.Peak*k
			}
		}
	}
	rule.Minimum, rule.PodMinimum, rule.Step = rule.Minimum*k, rule.PodMinimum*k, max(rule.Step, 1)*k
	r, s := f.run(t, *m), f.run(t, large)
	for _, p := range placesOf(m.in, m.s) {
		a, b := answer(r, p), answer(s, p)
		if p.resource != name || a.Outcome != recommend.Recommended || b.Outcome != recommend.Recommended {
			continue
		}
		slack := (k + 1) * (p.rule.Step + 5)
		if off := b.Request - k*a.Request; off > slack || -off > slack {
			return LawR6.broken("%s of %s is %d, and with all numbers times %d it is %d", p.resource, p.container, a.Request, k, b.Request)
		}
	}
	return nil
}

func multiply(list corev1.ResourceList, name corev1.ResourceName, k int64) {
	if _, ok := list[name]; ok {
		list[name] = recommend.Quantity(name, amountIn(list, name)*k)
	}
}

func (f Recommender) lawR7(t *rapid.T, m *measuredCase) *Violation {
	m.in.LimitRanges = nil
	more := *m
	margin := recommend.PPM(rapid.IntRange(0, 1_000_000).Draw(t, "margin"))
	least := rapid.Int64Range(0, 100).Draw(t, "minimum")
	for _, r := range []*recommend.Rule{&more.s.CPU, &more.s.Memory} {
		r.Margin += margin
	}
	more.s.CPU.Minimum += least
	more.s.Memory.Minimum += least << 20
	return notLess(LawR7, *m, f.run(t, *m), f.run(t, more), false)
}

func (f Recommender) lawR8(t *rapid.T, m *measuredCase) *Violation {
	m.in.LimitRanges = nil
	more := *m
	for _, r := range []*recommend.Rule{&more.s.CPU, &more.s.Memory} {
		if !r.Target.Max {
			r.Target.Quantile = max(r.Target.Quantile, quantiles().Draw(t, "percentile"))
		}
		r.Upper = recommend.Statistic{Max: true}
	}
	return notLess(LawR8, *m, f.run(t, *m), f.run(t, more), false)
}

func (f Recommender) lawR9(t *rapid.T, m *measuredCase) *Violation {
	r := f.run(t, *m)
	for _, p := range placesOf(m.in, m.s) {
		a := answer(r, p)
		points := int64(0)
		for _, v := range p.views {
			if s, ok := v.(Series); ok {
				points += s.Count()
			}
		}
		if evidence := points > 0 || p.resource == corev1.ResourceMemory && len(p.kills) > 0; !evidence && a.Outcome == recommend.Recommended {
			return LawR9.broken("nothing was measured, and %s of %s is %d", p.resource, p.container, a.Request)
		}
		if a.Outcome != recommend.Recommended && (a.Request != 0 || a.Lower != 0 || a.Upper != 0) {
			return LawR9.broken("%s of %s is %s, with the numbers %d (%d..%d)", p.resource, p.container, a.Outcome, a.Request, a.Lower, a.Upper)
		}
	}
	return nil
}

func (f Recommender) lawR10(t *rapid.T, m *measuredCase) *Violation {
	m.in.LimitRanges = nil
	r := f.run(t, *m)
	for _, p := range placesOf(m.in, m.s) {
		a := answer(r, p)
		if a.Outcome != recommend.Recommended {
			continue
		}
		if p.off {
			return LawR10.broken("%s of %s is %d, and its policy has it switched off", p.resource, p.container, a.Request)
		}
		least, most := p.least, p.ceiling()
		if most > 0 {
			least = min(least, most)
		}
		for _, v := range []int64{a.Lower, a.Request, a.Upper} {
			if v < least || most > 0 && v > most {
				return LawR10.broken("%s of %s is %d (%d..%d), outside %d..%d", p.resource, p.container, a.Request, a.Lower, a.Upper, least, most)
			}
		}
	}
	return nil
}

func (f Recommender) lawP2(_ *rapid.T, m *measuredCase) *Violation {
	before := copyUsage(m.in)
	_, _ = f(m.in, m.s)
	if a, b := DescribeUsage(before, m.s), DescribeUsage(m.in, m.s); !assert.ObjectsAreEqual(a, b) {
		return LawP2.broken("it was\n%s\nand is\n%s", a, b)
	}
	return nil
}

func (f Recommender) lawP3(_ *rapid.T, m *measuredCase) *Violation {
	first, errFirst := f(copyUsage(m.in), m.s)
	second, errSecond := f(copyUsage(m.in), m.s)
	if (errFirst == nil) != (errSecond == nil) || !assert.ObjectsAreEqual(first, second) {
		return LawP3.broken("first\n  %s %v\nthen\n  %s %v", asJSON(first), errFirst, asJSON(second), errSecond)
	}
	return nil
}

func (f Recommender) lawP4(_ *rapid.T, m *measuredCase) *Violation {
	if _, err := f(copyUsage(m.in), m.s); err != nil {
		if crash, is := err.(*panicked); is {
			return LawP4.broken("%v", crash)
		}
	}
	return nil
}

func (f Recommender) lawP6(t *rapid.T, m *measuredCase) *Violation {
	r := f.run(t, *m)
	for _, p := range placesOf(m.in, m.s) {
		switch a := answer(r, p); a.Outcome {
		case recommend.Recommended:
			if a.Reason != "" {
				return LawP6.broken("%s of %s is recommended, with the reason %q not to", p.resource, p.container, a.Reason)
			}
		case recommend.None:
			found := slices.ContainsFunc(r.Containers, func(c recommend.Container) bool { return c.Name == p.container })
			if found && !slices.Contains(recommend.Reasons(), a.Reason) {
				return LawP6.broken("%s of %s has no recommendation, for the reason %q", p.resource, p.container, a.Reason)
			}
		default:
			return LawP6.broken("unknown outcome %q for %s of %s", a.Outcome, p.resource, p.container)
		}
	}
	return nil
}
