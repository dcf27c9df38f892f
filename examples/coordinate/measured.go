package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/usagefile"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/skipreason"
	window "github.com/kube-rightsize/rightsize/usage"
)

// measured is what usage says about a workload.
type measured struct {
	collector *usagefile.Collector
	result    recommend.Result
	any       bool      // there are rows about it
	last      time.Time // of the newest one
	broken    []string  // why it cannot be planned on
	scaled    scaled
}

// strategy is the preset, with the program's steps (VPA itself would write single bytes) and window.
func (s settings) strategy() recommend.Strategy {
	r := recommend.VPA()
	if s.preset == "peak" {
		r = recommend.Peak()
	}
	if s.window > 0 {
		r.Window.Duration = s.window
	}
	r.CPU.Step, r.Memory.Step = 1, 1<<20
	if q, ok := s.options.Steps[corev1.ResourceCPU]; ok {
		r.CPU.Step = max(q.MilliValue(), 1)
	}
	if q, ok := s.options.Steps[corev1.ResourceMemory]; ok {
		r.Memory.Step = max(q.Value(), 1)
	}
	return r
}

// measure reads the files of --usage and turns them into wishes. Where the usage of a workload cannot be read whole and in order, the workload
// is not planned: the missing part may hold the peak.
func measure(tasks []*task, around *surroundings, d documents, s settings, r *report) {
	if len(s.usage) == 0 && len(s.files) > 0 {
		return
	}
	for _, w := range s.startups {
		if !slices.ContainsFunc(tasks, func(t *task) bool { return t.is(w.scope) && t.has(w.container) }) {
			r.Errors = append(r.Errors, fault{Field: w.source.Field, Message: "found no workload with a container " + w.container})
		}
	}
	strategy := s.strategy()
	for _, t := range tasks {
		t.measured = &measured{collector: usagefile.NewCollector(strategy)}
	}
	inputs, done := usageInputs(d, s)
	defer done()
	b := belongs{owners: newOwners(tasks, around)}
	progress := &progress{show: s.progress}
	faults := b.look(inputs, progress)
	r.Usage = &usageReport{Files: []fileUsage{}, Workloads: []workloadUsage{}}
	notes, more := b.read(inputs, s, progress, r.Usage)
	r.Notes, r.Errors = append(r.Notes, notes...), append(r.Errors, append(faults, more...)...)
	for _, t := range tasks {
		if len(t.measured.broken) > 0 {
			slices.Sort(t.measured.broken)
			t.measured.broken = slices.Compact(t.measured.broken)
			r.Errors = append(r.Errors, faultAt(t.origin, "", t.String()+" is not planned: "+strings.Join(t.measured.broken, "; ")))
			continue
		}
		r.Errors = append(r.Errors, t.wishFromUsage(strategy, s)...)
	}
}

// strays says why the window cannot be believed, if so: it goes back from the newest row, and one row of a wrong clock then leaves out all others. What it
// keeps is less than what it leaves out, and covers less than a tenth of it.
func (m *measured) strays() string {
	start, rows := m.collector.Window.Start, m.collector.Report()
	if start.IsZero() || rows.Outside <= rows.Kept {
		return ""
	}
	first := m.last
	for _, u := range m.collector.Usage() {
		for _, v := range []window.View{u.CPU, u.Memory} {
			if v != nil && v.Count() > 0 && v.First().Before(first) {
				first = v.First()
			}
		}
	}
	if m.last.Sub(first) >= m.last.Sub(start)/10 {
		return ""
	}
	return fmt.Sprintf("the window before its newest row, of %s, leaves out %d rows and keeps %d: is that row's time right?", m.last.UTC().Format(time.RFC3339), rows.Outside, rows.Kept)
}

// leastMemory is less than any process of a container lives on: 64 KiB.
const leastMemory = 64 << 10

// wishFromUsage recommends for one workload, and wishes for what is recommended.
func (t *task) wishFromUsage(strategy recommend.Strategy, s settings) (faults []fault) {
	in := recommend.Input{Pod: &t.template.Spec, Replicas: t.podCount(s), Prices: s.prices}
	for _, r := range t.ranges {
		in.LimitRanges = append(in.LimitRanges, *r.Object)
	}
	for _, h := range t.hpas {
		in.MemoryScaled = in.MemoryScaled || slices.ContainsFunc(metrics.Classify(&h.Object.Spec), func(e metrics.Entry) bool {
			return e.Coupled() && e.Resource == corev1.ResourceMemory
		})
	}
	if container, resource, bad, good, ok := t.measured.collector.Unusable(t.has); ok {
		return []fault{faultAt(t.origin, "", fmt.Sprintf("%s is not planned: %d rows of %s of container %s are no measurement and %d are", t, bad, resource, container, good))}
	}
	if why := t.measured.strays(); why != "" {
		return []fault{faultAt(t.origin, "", t.String()+" is not planned: "+why)}
	}
	t.killed()
	for _, u := range t.measured.collector.Usage() {
		if !t.has(u.Name) {
			t.usageNotes = append(t.usageNotes, fmt.Sprintf("usage of container %s, which the template does not hold, is left out", u.Name))
			continue
		}
		if most, ok := u.Memory.Max(); ok && most > 0 && most < leastMemory {
			return []fault{faultAt(t.origin, "", fmt.Sprintf("%s is not planned: container %s never used more than %g bytes of memory: are these MiB?", t, u.Name, most))}
		}
		if slices.Contains(t.throttled, u.Name) {
			all := 1.0
			u.Events.Throttled = &all
		}
		u.Events.OOMKills = t.kills(u.Name)
		for _, w := range s.startups {
			if t.is(w.scope) && w.container == u.Name {
				cores := w.amount.AsApproximateFloat64()
				u.StartupCPU = &cores
			}
		}
		in.Usage = append(in.Usage, u)
	}
	result, errs := recommend.Workload(in, strategy)
	for _, e := range errs {
		faults = append(faults, faultAt(t.origin, e.Field, e.ErrorBody()+" ("+t.String()+")"))
	}
	if len(errs) > 0 {
		return faults
	}
	t.measured.result = result
	for i := range result.Containers {
		c := &result.Containers[i]
		for _, a := range []*recommend.Amounts{&c.CPU, &c.Memory} {
			if a.Outcome != recommend.Recommended && t.measured.any {
				t.usageNotes = append(t.usageNotes, fmt.Sprintf("container %s: no request of %s from usage: %s", c.Name, a.Resource, a.Reason))
			}
		}
		if asked, ok := hpacouple.RecommendationFor(*c); ok {
			t.wishFor(asked, strategy.Name)
		}
	}
	return nil
}

// wishFor wishes for what is recommended for a container.
func (t *task) wishFor(r hpacouple.Recommendation, from string) {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		w := wish{scope: scope{t.Kind, t.Namespace, t.Name, r.Container}, rank: fromUsage, from: from, resource: name, source: fault{Field: "--usage"}}
		if q, ok := r.Requests[name]; ok {
			w.amount = q
			t.wishes = append(t.wishes, w)
		}
		w.amount, w.isLimit, w.keepsRatio = resource.Quantity{}, true, slices.Contains(r.KeepRatio, name)
		q, ok := r.Limits[name]
		if w.amount = q; ok || w.keepsRatio {
			t.wishes = append(t.wishes, w)
		}
	}
}

// podCount is how many pods save.
func (t *task) podCount(s settings) int32 {
	if s.count != nil {
		return *s.count
	}
	for _, h := range t.hpas {
		if n := h.Object.Status.CurrentReplicas; n > 0 {
			return n
		}
	}
	if t.replicas != nil {
		return max(*t.replicas, 0)
	}
	return 1
}

// explain adds to an item what usage says, and what is saved.
func (t *task) explain(i *item, s settings) {
	t.saves(i, s)
	if t.measured == nil {
		return
	}
	for k := range i.Containers {
		c := &i.Containers[k]
		for _, m := range t.measured.result.Containers {
			a := m.CPU
			if c.Resource == corev1.ResourceMemory {
				a = m.Memory
			}
			if m.Name != c.Name {
				continue
			}
			for _, st := range a.Steps {
				c.Explanation = append(c.Explanation, stepOf(c.Resource, st))
			}
		}
	}
	for _, f := range skipreason.RiskFlags() {
		only := slices.Contains([]skipreason.RiskFlag{skipreason.FlagFewSamples, skipreason.FlagIdle, skipreason.FlagCappedBelowPeak,
			skipreason.FlagLimitBelowStartup, skipreason.FlagMemoryIndependent, skipreason.FlagHeap}, f)
		if only && slices.Contains(t.measured.result.Flags, f) {
			i.RiskFlags = append(i.RiskFlags, f)
		}
	}
}
