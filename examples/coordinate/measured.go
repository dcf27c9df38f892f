package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/internal/program"
	"github.com/kube-rightsize/rightsize/internal/usagefile"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/skipreason"
	window "github.com/kube-rightsize/rightsize/usage"
)

// usageFile is a value of --usage.
type usageFile struct {
	name     string
	resource corev1.ResourceName // what its values are, where it does not say
}

func usageFileOf(text string) usageFile {
	if of, name, ok := strings.Cut(text, "="); ok && slices.Contains([]string{"cpu", "memory", "replicas"}, of) {
		return usageFile{name, corev1.ResourceName(of)}
	}
	return usageFile{name: text}
}

// measured is what usage says about a workload.
type measured struct {
	collector *usagefile.Collector
	result    recommend.Result
}

// strategy is the preset, with the program's steps: VPA itself would write single bytes.
func (s settings) strategy() recommend.Strategy {
	r := recommend.VPA()
	if s.preset == "peak" {
		r = recommend.Peak()
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

// startUp reads the value of --start-up.
func (s *settings) startUp(value string) error {
	one := settings{}
	if err := one.wish("--start-up", value); err != nil {
		return err
	}
	for _, w := range one.wishes {
		if w.resource != corev1.ResourceCPU {
			return errors.New("expected an amount of cpu alone")
		}
	}
	s.startups = append(s.startups, one.wishes...)
	return nil
}

func setPreset(s *settings, value string) error {
	if value != "vpa" && value != "peak" {
		return errors.New("expected vpa or peak")
	}
	s.preset = value
	return nil
}

func setReplicas(s *settings, value string) error {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n < 0 {
		return errors.New("expected a whole number, not below 0")
	}
	s.count = int32(n)
	return nil
}

// setPrice reads prices; a millionth of the currency unit is the smallest one.
func setPrice(s *settings, value string) error {
	list, err := amounts(value)
	if err != nil {
		return err
	}
	for name, into := range map[corev1.ResourceName]*int64{corev1.ResourceCPU: &s.prices.CPU, corev1.ResourceMemory: &s.prices.Memory} {
		q, ok := list[name]
		if !ok {
			continue
		}
		most := resource.MustParse("1e6")
		if q.Sign() < 0 || q.Cmp(most) > 0 {
			return errors.New("expected prices from 0 to a million")
		}
		*into = q.ScaledValue(resource.Micro)
	}
	return nil
}

// measure reads the files of --usage and turns them into wishes.
func measure(tasks []*task, d documents, s settings) (notes []string, faults []fault) {
	builtIn := len(s.files) == 0 && len(s.usage) == 0
	if len(s.usage) == 0 && !builtIn {
		return nil, nil
	}
	strategy := s.strategy()
	for _, w := range s.startups {
		if !slices.ContainsFunc(tasks, func(t *task) bool { return t.is(w.scope) && t.has(w.container) }) {
			faults = append(faults, fault{Field: w.source.Field, Message: "found no workload with a container " + w.container})
		}
	}
	for _, t := range tasks {
		t.measured = &measured{collector: usagefile.NewCollector(strategy)}
	}
	front := usagefile.NewCollector(strategy)
	front.Route, front.Progress = router(tasks), s.progress
	if builtIn {
		if err := front.Read(strings.NewReader(exampleUsage), "example usage", ""); err != nil {
			faults = append(faults, fault{Message: err.Error()})
		}
	}
	for _, u := range s.usage {
		faults = append(faults, faultsOf(program.Open(u.name, d.stdin, func(shown string, r io.Reader) []manifest.Problem {
			at := manifest.Origin{File: shown}
			if r == nil {
				return []manifest.Problem{{Origin: at, Message: "there is no standard input"}}
			}
			if err := front.Read(r, shown, u.resource); err != nil {
				return []manifest.Problem{{Origin: at, Message: strings.TrimPrefix(err.Error(), shown+": ")}}
			}
			return nil
		}))...)
	}
	if n := front.Report().Foreign; n > 0 {
		notes = append(notes, fmt.Sprintf("usage of pods that belong to none of the workloads, so not used: %s", count(int(n), "row")))
	}
	for _, t := range tasks {
		faults = append(faults, t.wishFromUsage(strategy, s)...)
	}
	return notes, faults
}

// router finds the collector of the workload that a pod belongs to: one of its pods among the manifests, the only workload there is, or the
// workload with the longest name that the pod's name begins with. The answers are kept: a file names few pods many times.
func router(tasks []*task) func(pod string) *usagefile.Collector {
	known := map[string]*usagefile.Collector{}
	for _, t := range tasks {
		for _, p := range t.pods {
			known[p.Name] = t.measured.collector
		}
		for _, h := range t.hpas {
			known[h.Name] = t.measured.collector
		}
	}
	for _, t := range tasks {
		known[t.Name] = t.measured.collector
	}
	byLength := slices.Clone(tasks)
	slices.SortStableFunc(byLength, func(a, b *task) int { return cmp.Compare(len(b.Name), len(a.Name)) })
	return func(pod string) *usagefile.Collector {
		c, ok := known[pod]
		if ok {
			return c
		}
		for _, t := range byLength {
			if strings.HasPrefix(pod, t.Name+"-") || len(tasks) == 1 {
				c = t.measured.collector
				break
			}
		}
		known[strings.Clone(pod)] = c
		return c
	}
}

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
	for _, u := range t.measured.collector.Usage() {
		if !t.has(u.Name) {
			t.notes = append(t.notes, fmt.Sprintf("usage of container %s, which the template does not hold, is left out", u.Name))
			continue
		}
		if slices.Contains(t.throttled, u.Name) {
			all := 1.0
			u.Events.Throttled = &all
		}
		if slices.Contains(t.oomKilled, u.Name) {
			u.Events.OOMKills = []window.OOMKill{{}} // when and at what request is not known: the present one stands in
		}
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
	for _, h := range t.hpas {
		seen := t.measured.collector.Replicas([]window.MaxReplicas{{From: time.Unix(0, 0), Value: h.Object.Spec.MaxReplicas}})
		if seen.Reached {
			t.atMax = true
			t.notes = append(t.notes, fmt.Sprintf("usage: HPA %s had %d replicas, its maxReplicas", h.Name, seen.Largest))
		}
	}
	for i := range result.Containers {
		c := &result.Containers[i]
		for _, a := range []*recommend.Amounts{&c.CPU, &c.Memory} {
			if a.Outcome != recommend.Recommended {
				if a.Reason != recommend.NoData || !slices.ContainsFunc(in.Usage, func(u recommend.ContainerUsage) bool { return u.Name == c.Name }) {
					continue
				}
				t.notes = append(t.notes, fmt.Sprintf("usage of container %s says nothing about %s: %s", c.Name, a.Resource, a.Reason))
				continue
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
	if s.count > 0 {
		return s.count
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

// step is one step of an explanation.
type step struct {
	Stage  recommend.Stage `json:"stage"`
	Cause  recommend.Cause `json:"cause"`
	Value  int64           `json:"value"`
	Before string          `json:"before"`
	After  string          `json:"after"`
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
				c.Explanation = append(c.Explanation, step{st.Stage, st.Cause, st.Value, amountText(c.Resource, st.Before.Request), amountText(c.Resource, st.After.Request)})
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

func amountText(name corev1.ResourceName, v int64) string {
	q := recommend.Quantity(name, v)
	return q.String()
}

// explanations says in the table how each request was made of usage.
func (p *page) explanations(i *item) {
	for _, c := range i.Containers {
		if len(c.Explanation) == 0 {
			continue
		}
		var parts []string
		for _, s := range c.Explanation {
			if s.Before != s.After {
				parts = append(parts, fmt.Sprintf("%s (%s) %s", s.Stage, s.Cause, inUnit(s.After, c.Resource)))
			}
		}
		p.line("  " + program.Plain(c.Name) + " " + string(c.Resource) + " from usage: " + strings.Join(parts, ", "))
	}
}
