package usagefile

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// Pod names a pod; the namespace is empty where a file does not say it. Rows of replicas have the name of the workload or of the HPA.
type Pod struct{ Namespace, Name string }

// Collector takes rows and makes usage windows of them, pooled over the pods of a workload: one histogram per container and
// resource. The rows of one pod, container and resource must come in the order of their times; older ones are counted and not used (Late).
type Collector struct {
	// Window leaves out rows; the zero window keeps all.
	Window usage.Window
	// Match says which pods count; nil is all of them.
	Match func(pod Pod) bool
	// Limits are the changes of maxReplicas that rows of replicas are held against, one list for each HPA. Set it before rows are read.
	Limits [][]usage.MaxReplicas
	// Route, if set, passes each row on to the collector of the workload that a pod belongs to, for a file that holds several;
	// nil is foreign. RouteReplicas does so for rows of replicas and maxReplicas.
	Route, RouteReplicas func(pod Pod) *Collector
	// Progress is called every 65 536 rows and at the end, with the number of rows of the file so far; nil is nobody.
	Progress func(rows int64)

	vpa        bool
	halfLife   time.Duration
	rule       usage.PeakRule
	containers map[string]*container
	counts     map[instance]*counts
	report     Report

	quality map[quality]rows
}

type container struct {
	cpu, memory, peaks *usage.Histogram
	instances          map[instance]*state
}

// instance is one container of one pod; in the answers of Prometheus a container that was started again is another one.
type instance struct {
	pod    Pod
	series string
}

type state struct {
	peaks            usage.Instance
	lastCPU, lastMem time.Time
	counter          reading
	counting         bool
}

type reading struct {
	at    time.Time
	value float64
}

// NewCollector returns a collector for a strategy: with VPA's arithmetic VPA's histograms and peaks, otherwise the finer
// histograms without decay.
func NewCollector(s recommend.Strategy) *Collector {
	c := &Collector{vpa: s.Arithmetic == recommend.Upstream, containers: map[string]*container{}, counts: map[instance]*counts{}, rule: usage.VPAPeakRule()}
	if s.PeakInterval.Duration > 0 {
		c.rule.Interval = s.PeakInterval.Duration
	}
	if c.vpa {
		c.halfLife = 24 * time.Hour
	}
	return c
}

// row is one measurement.
type row struct {
	at        time.Time
	pod       Pod
	labels    map[string]string
	container string
	resource  corev1.ResourceName
	value     float64
	series    string // tells apart what has the same pod and container
	counter   bool   // the values are readings, not rates
}

// possible says whether a row can be a measurement: of some amount, between 1970 and 2200.
func (r row) possible() bool {
	const from, to = 0, 7258118400 // Unix seconds
	seconds := r.at.Unix()
	return r.value >= 0 && !math.IsInf(r.value, 1) && seconds >= from && seconds < to
}

func (r row) ofReplicas() bool { return r.resource == replicas || r.resource == maxReplicas }

// More than any machine has: 4096 cores, 64 TiB.
const (
	mostCores  = 4096
	mostMemory = 64 << 40
)

// Read takes everything in one file. The format is found by looking at it: JSON begins with {, everything else is CSV.
// name is for error messages; of is what the values are where the file does not say, and may be empty.
// Rows that cannot be measurements are counted (Report); an error is a file that cannot be read as any of the formats: what stands before the
// error has been taken, so Look at a file first.
func (c *Collector) Read(in io.Reader, name string, of corev1.ResourceName) error {
	return parse(in, name, parser{of: of, progress: c.Progress, take: func(r row) error {
		c.add(r)
		return nil
	}})
}

// add takes one row, here or in the collector that it is passed on to, and counts what became of it in both.
func (c *Collector) add(r row) fate {
	became := foreign
	route := c.Route
	if r.ofReplicas() {
		route = c.RouteReplicas
	}
	if c.Route == nil && c.RouteReplicas == nil {
		became = c.use(r)
	} else if route != nil {
		if to := route(r.pod); to != nil {
			became = to.add(r)
		}
	}
	c.report.count(became)
	return became
}

// use takes one row, and counts by container and resource what can be used.
func (c *Collector) use(r row) fate {
	became := c.put(r)
	n := c.quality[quality{r.container, r.resource}]
	switch became {
	case invalid, beyond:
		n.bad++
	case kept:
		n.good++
	default:
		return became
	}
	if c.quality == nil {
		c.quality = map[quality]rows{}
	}
	c.quality[quality{r.container, r.resource}] = n
	return became
}

// quality is what rows can be good or bad of.
type quality struct {
	container string
	resource  corev1.ResourceName
}

type rows struct{ good, bad int64 }

// Unusable names a container that is asked for, and a resource, of which more rows are no measurement than are, with both numbers; ok is false where there is none.
func (c *Collector) Unusable(of func(container string) bool) (container string, resource corev1.ResourceName, bad, good int64, ok bool) {
	keys := slices.SortedFunc(maps.Keys(c.quality), func(a, b quality) int {
		return cmp.Or(cmp.Compare(a.container, b.container), cmp.Compare(a.resource, b.resource))
	})
	for _, k := range keys {
		if n := c.quality[k]; n.bad > n.good && of(k.container) {
			return k.container, k.resource, n.bad, n.good, true
		}
	}
	return "", "", 0, 0, false
}

// put puts one row where it belongs.
func (c *Collector) put(r row) fate {
	switch {
	case !r.possible():
		return invalid
	case r.ofReplicas():
		return c.replica(r)
	case r.container == "" || r.container == "POD":
		return noContainer // the pod's own cgroup, or its sandbox
	case c.Match != nil && !c.Match(r.pod):
		return foreign
	case !c.Window.Contains(r.at):
		return outside
	}
	k := c.container(r.container)
	id := instance{r.pod, r.series}
	p := k.instances[id]
	if p == nil {
		p = &state{}
		k.instances[id] = p
	}
	if r.counter {
		old, known := p.counter, p.counting
		step := r.at.Sub(old.at).Seconds()
		switch {
		case known && step < 0:
			return late
		case known && step == 0:
			return duplicate
		}
		p.counter, p.counting = reading{r.at, r.value}, true
		switch {
		case !known:
			return firstReading // no rate yet
		case r.value < old.value:
			return reset
		}
		r.value = (r.value - old.value) / step
	}
	return c.take(k, p, r)
}

func (c *Collector) container(name string) *container {
	k := c.containers[name]
	if k != nil {
		return k
	}
	k = &container{instances: map[instance]*state{}}
	layouts := []usage.Layout{usage.Fine, usage.Fine, usage.Fine}
	if c.vpa {
		layouts = []usage.Layout{usage.VPACPU, usage.Fine, usage.VPAMemory}
	}
	for i, into := range []**usage.Histogram{&k.cpu, &k.memory, &k.peaks} {
		half := c.halfLife
		if i == 1 {
			half = 0
		}
		*into, _ = usage.NewHistogram(layouts[i], half) // both are known to be valid
	}
	c.containers[name] = k
	return k
}

// take puts a row where it belongs.
func (c *Collector) take(k *container, p *state, r row) fate {
	last := &p.lastCPU
	if r.resource == corev1.ResourceMemory {
		last = &p.lastMem
	}
	switch {
	case last.IsZero():
	case r.at.Equal(*last):
		return duplicate
	case r.at.Before(*last):
		return late
	}
	most := float64(mostCores)
	if r.resource == corev1.ResourceMemory {
		most = mostMemory
	}
	if r.value > most {
		return beyond
	}
	if r.resource == corev1.ResourceMemory && r.value < 1 { // of a container that has only just started; VPA's peaks would never rise from there
		return invalid
	}
	if r.resource == corev1.ResourceCPU {
		if k.cpu.Add(r.at, r.value, usage.VPASampleWeight) != nil {
			return invalid
		}
		*last = r.at
		return kept
	}
	if c.rule.Add(k.peaks, &p.peaks, r.at, int64(r.value)) != nil {
		return invalid
	}
	*last = r.at
	if k.memory.Add(r.at, r.value, 1) != nil {
		return invalid
	}
	return kept
}

// OOM takes an OOM kill: what the container needed becomes a memory peak, as VPA has it. pod and at may be empty: then it is
// the container that was measured last, at that time. Call it when all rows are read. A kill that is more than a peak's interval older than the last
// measurement is a peak of its own, as it would have been when it happened. It reports whether the kill counts; of one that nobody knows the time of, and
// no measurement either, no peak can be made.
func (c *Collector) OOM(name string, pod Pod, at time.Time, request int64) bool {
	if c.containers[name] == nil && at.IsZero() {
		if at = c.newest(); at.IsZero() {
			return false
		}
	}
	k := c.container(name)
	var found *state
	var newest time.Time
	ids := slices.SortedFunc(maps.Keys(k.instances), func(a, b instance) int {
		return cmp.Or(cmp.Compare(a.pod.Namespace, b.pod.Namespace), cmp.Compare(a.pod.Name, b.pod.Name), cmp.Compare(a.series, b.series))
	})
	for _, id := range ids {
		if pod.Name != "" && (id.pod.Name != pod.Name || id.pod.Namespace != "" && pod.Namespace != "" && id.pod.Namespace != pod.Namespace) {
			continue
		}
		if s := k.instances[id]; found == nil || s.lastMem.After(newest) {
			found, newest = s, s.lastMem
		}
	}
	if found == nil {
		found = &state{}
		k.instances[instance{pod: pod}] = found
	}
	if at.IsZero() {
		at = newest
	}
	if at.IsZero() { // of this pod no memory was measured
		at = k.memory.Last()
	}
	if at.IsZero() { // of none
		at = k.cpu.Last()
	}
	err := c.rule.OOM(k.peaks, &found.peaks, at, request)
	if errors.Is(err, usage.ErrTooOld) {
		err = k.peaks.Add(at, float64(c.rule.Needed(request)), 1)
	}
	return err == nil
}

// newest is the time of the newest measurement of any container.
func (c *Collector) newest() (newest time.Time) {
	for _, k := range c.containers {
		for _, h := range []*usage.Histogram{k.memory, k.cpu} {
			if last := h.Last(); last.After(newest) {
				newest = last
			}
		}
	}
	return newest
}

// Report returns what became of the rows so far.
func (c *Collector) Report() Report { return c.report }

// Usage returns the windows, by container name. OOM kills and throttling come from elsewhere.
func (c *Collector) Usage() []recommend.ContainerUsage {
	names := make([]string, 0, len(c.containers))
	for name := range c.containers {
		names = append(names, name)
	}
	slices.Sort(names)
	out := make([]recommend.ContainerUsage, 0, len(names))
	for _, name := range names {
		k := c.containers[name]
		u := recommend.ContainerUsage{Name: name, CPU: k.cpu, Memory: k.memory, MemoryPeaks: usage.Peaks{Of: k.peaks, Interval: c.rule.Interval}}
		out = append(out, u)
	}
	return out
}
