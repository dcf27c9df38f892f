package rightsizetest

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// lawProduct is H1 and H1b. What the plan calls itself is not asked: requests that change alone break the product under any name.
func lawProduct(in hpacouple.Input, r hpacouple.Result) *Violation {
	was, ok := pairOf(in)
	now, okNow := pairOf(Apply(in, r))
	if !ok || !okNow || maps.Equal(was.counted, now.counted) {
		return nil
	}
	return keeps(was.product(), now, limitsOf(in, was.target))
}

func lawH2(in hpacouple.Input, r hpacouple.Result) *Violation {
	next := Apply(in, r)
	was, ok := pairOf(in)
	now, okNow := pairOf(next)
	if ok && okNow && was.target != now.target && maps.Equal(was.counted, now.counted) {
		return LawH2.broken("no request that counts changes, but the target goes from %d to %d", was.target, now.target)
	}
	if r.Outcome == hpacouple.Coordinate || r.Outcome == hpacouple.Uncoupled {
		return nil
	}
	for _, t := range r.Targets {
		if t.From != t.To {
			return LawH2.broken("the outcome is %s, but the target goes from %d to %d", r.Outcome, t.From, t.To)
		}
	}
	for i := range r.Containers {
		if c := &r.Containers[i]; c.Changes() {
			return LawH2.broken("the outcome is %s, but %s of %s goes from %s to %s", r.Outcome, c.Resource, c.Name, asJSON(c.From), asJSON(c.To))
		}
	}
	return nil
}

func lawH4(in hpacouple.Input, r hpacouple.Result) *Violation {
	was, ok := pairOf(in)
	now, okNow := pairOf(Apply(in, r))
	if !ok || !okNow {
		return nil
	}
	if b := limitsOf(in, was.target); now.target < b.lo || now.target > b.hi {
		return LawH4.broken("the new target is %d, outside %d..%d", now.target, b.lo, b.hi)
	}
	return nil
}

// each calls f for every container of the template and both resources, before and after the plan, with its recommendation.
func each(in hpacouple.Input, r hpacouple.Result, f func(was, now metrics.Container, name corev1.ResourceName, rec hpacouple.Recommendation) *Violation) *Violation {
	next := Apply(in, r)
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		before, bad := in.Pod.Containers(name)
		after, worse := next.Pod.Containers(name)
		if bad != nil || worse != nil || len(before) != len(after) {
			continue
		}
		for i := range before {
			k := slices.IndexFunc(in.Recommendations, func(r hpacouple.Recommendation) bool { return r.Container == before[i].Name })
			if k < 0 || before[i].Injected {
				continue
			}
			if v := f(before[i], after[i], name, in.Recommendations[k]); v != nil {
				return v
			}
		}
	}
	return nil
}

func lawH6(in hpacouple.Input, r hpacouple.Result) *Violation {
	return each(in, r, func(was, now metrics.Container, name corev1.ResourceName, rec hpacouple.Recommendation) *Violation {
		locked := (name == corev1.ResourceCPU && rec.Throttled) || (name == corev1.ResourceMemory && rec.OOMKilled)
		above := now.Limit.Present() && was.Request.Milli > now.Limit.Milli
		if locked && !above && now.Request.Milli < was.Request.Milli {
			return LawH6.broken("%s of %s falls from %d to %d thousandths", name, was.Name, was.Request.Milli, now.Request.Milli)
		}
		return nil
	})
}

func lawH7(in hpacouple.Input, r hpacouple.Result) *Violation {
	return each(in, r, func(was, now metrics.Container, name corev1.ResourceName, rec hpacouple.Recommendation) *Violation {
		wished := was.Request.Milli
		if q, ok := rec.Requests[name]; ok {
			c := q.DeepCopy()
			wished = c.MilliValue()
		}
		up := wished
		if step := stepOf(in, name); wished != was.Request.Milli && wished%step != 0 {
			up = wished - wished%step + step
		}
		if wished < was.Request.Milli {
			up = min(up, was.Request.Milli)
		}
		low, high := min(was.Request.Milli, up), max(was.Request.Milli, up)
		if now.Limit.Present() { // a limit that comes down takes the request with it, to a whole millicore or byte
			low = min(low, now.Limit.Milli-now.Limit.Milli%unitOf(name))
		}
		if now.Request.Milli < low || now.Request.Milli > high {
			return LawH7.broken("%s of %s ends at %d thousandths, outside %d..%d", name, was.Name, now.Request.Milli, low, high)
		}
		return nil
	})
}

func unitOf(name corev1.ResourceName) int64 {
	if name == corev1.ResourceMemory {
		return 1000
	}
	return 1
}

// changed says what a plan changes, in a few words; empty for nothing.
func changed(r hpacouple.Result) string {
	for i := range r.Containers {
		if c := &r.Containers[i]; c.Changes() {
			return string(c.Resource) + " of " + c.Name + " from " + asJSON(c.From) + " to " + asJSON(c.To)
		}
	}
	for _, t := range r.Targets {
		if t.From != t.To {
			return "target of " + string(t.Resource) + asJSON([]int32{t.From, t.To})
		}
	}
	return ""
}

func (p Planner) lawH8(in hpacouple.Input, r hpacouple.Result) *Violation {
	next, err := p(Apply(in, r))
	switch {
	case err != nil:
		return LawH8.broken("what was planned cannot be planned again: %v", err)
	case changed(next) != "":
		return LawH8.broken("after %s the second plan changes %s", r.Outcome, changed(next))
	case r.Outcome == hpacouple.Coordinate && next.Outcome != hpacouple.NoChange:
		return LawH8.broken("the second plan is %s, not NoChange", next.Outcome)
	case r.Outcome != hpacouple.Coordinate && next.Outcome != r.Outcome:
		return LawH8.broken("nothing changed, but the outcome went from %s to %s", r.Outcome, next.Outcome)
	}
	return nil
}

// byName is what a plan decides, as text that does not depend on order.
func byName(r hpacouple.Result) string {
	type row struct{ Name, Resource, To, Limit, By string }
	var rows []row
	for i := range r.Containers {
		c := &r.Containers[i]
		rows = append(rows, row{c.Name, string(c.Resource), asJSON(c.To), asJSON(c.LimitTo), string(c.BoundBy)})
	}
	slices.SortFunc(rows, func(a, b row) int {
		return slices.Compare([]string{a.Name, a.Resource}, []string{b.Name, b.Resource})
	})
	var targets []int32
	for _, t := range r.Targets {
		targets = append(targets, t.To)
	}
	missing := slices.Sorted(slices.Values(r.Missing))
	return asJSON(map[string]any{"outcome": r.Outcome, "skip": r.SkipReasons, "missing": missing, "containers": rows, "targets": targets, "state": r.State})
}

// lawH11 plans, applies nothing or everything and puts the objects back, with the state that the plan returned, and plans again.
func (p Planner) lawH11(in hpacouple.Input, r hpacouple.Result) *Violation {
	back := in
	back.State = r.State.DeepCopy()
	again, err := p(back)
	if err != nil {
		return LawH11.broken("the second plan fails: %v", err)
	}
	if byName(r) != byName(again) {
		return LawH11.broken("the plan was\n  %s\nand is\n  %s", byName(r), byName(again))
	}
	return nil
}

func (p Planner) lawP2(in hpacouple.Input) *Violation {
	before := in.DeepCopy()
	_, _ = p(in)
	if !assert.ObjectsAreEqual(*before, in) {
		return LawP2.broken("the input is now\n%s", Describe(in))
	}
	return nil
}

func (p Planner) lawP3(in hpacouple.Input) *Violation {
	first, errFirst := p(in)
	second, errSecond := p(in)
	same := asJSON(first) == asJSON(second)
	if _, err := json.Marshal(first); err != nil { // a word of no closed list has no text
		same = assert.ObjectsAreEqual(first, second)
	}
	if (errFirst == nil) != (errSecond == nil) || !same {
		return LawP3.broken("first\n  %s %v\nthen\n  %s %v", asJSON(first), errFirst, asJSON(second), errSecond)
	}
	return nil
}

func (p Planner) lawP4(in hpacouple.Input) *Violation {
	_, err := p(in)
	if crash, is := err.(*panicked); is {
		return LawP4.broken("%v", crash)
	}
	return nil
}

func lawP6(_ hpacouple.Input, r hpacouple.Result) *Violation {
	if !r.Outcome.Valid() {
		return LawP6.broken("unknown outcome %q", r.Outcome)
	}
	if (r.Outcome == hpacouple.Skip) != (len(r.SkipReasons) > 0) || (len(r.SkipReasons) > 0 && r.SkipReason != r.SkipReasons[0]) {
		return LawP6.broken("outcome %s with skip reason %q of %q", r.Outcome, r.SkipReason, r.SkipReasons)
	}
	last := -1
	for _, s := range r.SkipReasons {
		at := slices.Index(skipreason.Skips(), s)
		if at <= last {
			return LawP6.broken("skip reasons %q are not in the order of the list", r.SkipReasons)
		}
		last = at
	}
	if r.Cause != "" && !slices.Contains(bounds.Causes(), r.Cause) {
		return LawP6.broken("unknown cause %q", r.Cause)
	}
	for _, f := range r.RiskFlags {
		if !f.Valid() {
			return LawP6.broken("unknown risk flag %q", f)
		}
	}
	for i := range r.Containers {
		if c := &r.Containers[i]; !slices.Contains(bounds.Rules(), c.BoundBy) {
			return LawP6.broken("unknown rule %q of %s", c.BoundBy, c.Name)
		}
	}
	if r.Standing != "" && !r.Standing.Valid() {
		return LawP6.broken("unknown standing %q", r.Standing)
	}
	return nil
}

// drift is H5: the product after a change is that of the pair with which everything began. A pair that a coarse step left away from it at one bound (law
// H1b) can meet the other bound next, where no request moves past the one in force: then the product comes nearer.
func drift(began *big.Int, in hpacouple.Input, now pair) *Violation {
	was, _ := pairOf(in)
	v := keeps(began, now, limitsOf(in, was.target))
	if v == nil || between(was.product(), now.product(), began) {
		return nil
	}
	return LawH5.broken("%s", v.Text)
}

// between says whether b lies between a and c, and is not a.
func between(a, b, c *big.Int) bool {
	way := a.Cmp(b)
	return way != 0 && (b.Cmp(c) == way || b.Cmp(c) == 0)
}
