package usagefile

import (
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// Report says what became of the rows. What is not kept is not used.
type Report struct {
	Rows       int64 // read
	Kept       int64
	Invalid    int64 // NaN, infinite, negative, or a time that cannot be
	Late       int64 // memory older than a newer row of the same pod and container: its peak may be over
	Duplicates int64 // a second value of one pod and container at the time of the row before
	Outside    int64 // outside the window
	Resets     int64 // a counter went down
	Foreign    int64 // of a pod that is not asked for
}

// Collector takes rows and makes usage windows of them, pooled over the pods of a workload: one histogram per container and
// resource.
type Collector struct {
	// Window leaves out rows; the zero window keeps all.
	Window usage.Window
	// Match says which pods count; nil is all of them.
	Match func(pod string) bool
	// Route, if set, passes each row on to the collector of the workload that a pod belongs to, for a file that holds several;
	// nil is foreign. Rows of replicas are routed by what stands in place of the pod: the workload's or the HPA's name.
	Route func(pod string) *Collector
	// Progress is called now and then with the number of rows so far; nil is nobody.
	Progress func(rows int64)

	vpa        bool
	halfLife   time.Duration
	rule       usage.PeakRule
	containers map[string]*container
	replicas   []usage.Point
	report     Report
}

type container struct {
	cpu, memory, peaks *usage.Histogram
	pods               map[string]*pod
}

type pod struct {
	instance         usage.Instance
	lastCPU, lastMem time.Time
	counter          map[string]reading // by series, until it was turned into rates
}

type reading struct {
	at    time.Time
	value float64
}

// NewCollector returns a collector for a strategy: with VPA's arithmetic VPA's histograms and peaks, otherwise the finer
// histograms without decay.
func NewCollector(s recommend.Strategy) *Collector {
	c := &Collector{vpa: s.Arithmetic == recommend.Upstream, containers: map[string]*container{}, rule: usage.VPAPeakRule()}
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
	at             time.Time
	pod, container string
	resource       corev1.ResourceName
	value          float64
	series         string // set for counters: the values are readings, not rates
}

// replicas is the pseudo-resource of rows that hold a number of replicas.
const replicas corev1.ResourceName = "replicas"

var errResource = errors.New("the resource is none of cpu, memory and replicas")

// add takes one row. Only an unknown resource is an error: everything else is counted.
func (c *Collector) add(r row) error {
	c.report.Rows++
	if c.Progress != nil && c.report.Rows%65536 == 0 {
		c.Progress(c.report.Rows)
	}
	switch {
	case r.resource != corev1.ResourceCPU && r.resource != corev1.ResourceMemory && r.resource != replicas:
		return errResource
	case c.Route != nil:
		if to := c.Route(r.pod); to != nil {
			return to.add(r)
		}
		c.report.Foreign++
		return nil
	case r.resource == replicas:
		c.replicas = append(c.replicas, usage.Point{Time: r.at, Value: r.value})
		c.report.Kept++
		return nil
	case c.Match != nil && !c.Match(r.pod):
		c.report.Foreign++
		return nil
	case !c.Window.Contains(r.at):
		c.report.Outside++
		return nil
	}
	k := c.container(r.container)
	p := k.pods[r.pod]
	if p == nil {
		p = &pod{}
		k.pods[r.pod] = p
	}
	if r.series != "" {
		old, known := p.counter[r.series]
		if p.counter == nil {
			p.counter = map[string]reading{}
		}
		if !(r.value >= 0) {
			c.report.Invalid++
			return nil
		}
		p.counter[r.series] = reading{r.at, r.value}
		step := r.at.Sub(old.at).Seconds()
		switch {
		case !known:
			return nil // the first reading is no rate yet
		case r.value < old.value || step <= 0:
			c.report.Resets++
			return nil
		}
		r.value = (r.value - old.value) / step
	}
	c.count(c.take(k, p, r))
	return nil
}

func (c *Collector) container(name string) *container {
	k := c.containers[name]
	if k != nil {
		return k
	}
	k = &container{pods: map[string]*pod{}}
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
func (c *Collector) take(k *container, p *pod, r row) error {
	last := &p.lastCPU
	if r.resource == corev1.ResourceMemory {
		last = &p.lastMem
	}
	if r.at.Equal(*last) && !last.IsZero() {
		return errDuplicate
	}
	if r.resource == corev1.ResourceCPU {
		if err := k.cpu.Add(r.at, r.value, usage.VPASampleWeight); err != nil {
			return err
		}
		*last = r.at
		return nil
	}
	if !(r.value >= 0 && r.value < 1<<60) {
		return usage.ErrValue
	}
	if err := c.rule.Add(k.peaks, &p.instance, r.at, int64(r.value)); err != nil {
		return err
	}
	*last = r.at
	return k.memory.Add(r.at, r.value, 1)
}

var errDuplicate = errors.New("duplicate")

func (c *Collector) count(err error) {
	switch {
	case err == nil:
		c.report.Kept++
	case errors.Is(err, errDuplicate):
		c.report.Duplicates++
	case errors.Is(err, usage.ErrOrder):
		c.report.Late++
	default:
		c.report.Invalid++
	}
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

// Replicas judges the replica rows against the changes of maxReplicas.
func (c *Collector) Replicas(limits []usage.MaxReplicas) usage.Replicas {
	r, _ := usage.ReplicasOver(c.replicas, limits, c.Window)
	return r
}
