package usagefile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/usage"
)

// Found is what a first reading of a file finds, before any of it is used: whom it concerns, and from when to when.
type Found struct {
	// Pods are those with cpu or memory.
	Pods map[Pod]Extent
	// Scaled are the names that rows of replicas are about; Limits are the changes of maxReplicas, by name too.
	Scaled map[Pod]Extent
	Limits map[Pod][]usage.MaxReplicas
	// First and Last are the times of the oldest and the newest row.
	First, Last time.Time
	// Warnings are those of the database, the first few.
	Warnings []string
	// Complete says that the file was read to its end, so that it concerns nobody else.
	Complete bool
}

// Extent is what one pod has in a file.
type Extent struct {
	First, Last time.Time         // zero without a row that can be a measurement
	Labels      map[string]string // nil where the file does not say
	// Unordered says where the rows of one container and resource go back in time, or have two values at one; empty where they do not.
	Unordered string
}

const (
	mostChanges  = 1000 // of one HPA's maxReplicas: each is an edit by somebody
	mostWarnings = 10
)

// about is what has an order of its own.
type about struct {
	pod               Pod
	container, series string
	resource          corev1.ResourceName
}

// course is what Look remembers of a series.
type course struct {
	last               time.Time
	rows, rises, falls int64
	counter            bool // known as one
	value, most        float64
}

// Look reads a file without using it. The memory that it needs depends on the number of pods and containers. With an error, Found is what
// could be read: of CSV everything but the lines at fault, of JSON what stands before (Complete is false). progress is as in Collector.
func Look(in io.Reader, name string, of corev1.ResourceName, progress func(rows int64)) (Found, error) {
	f := Found{Pods: map[Pod]Extent{}, Scaled: map[Pod]Extent{}, Limits: map[Pod][]usage.MaxReplicas{}}
	courses := map[about]*course{}
	err := parse(in, name, parser{of: of, goesOn: true, progress: progress, warned: f.warn, lost: f.lost, take: func(r row) error {
		into := f.Pods
		if r.ofReplicas() {
			into = f.Scaled
		}
		e := into[r.pod]
		if e.Labels == nil {
			e.Labels = r.labels
		}
		if r.possible() { // what is no measurement moves no window
			span(&e.First, &e.Last, r.at)
			span(&f.First, &f.Last, r.at)
		}
		k := about{r.pod, r.container, r.series, r.resource}
		s := courses[k]
		if s == nil {
			s = &course{last: r.at, counter: r.counter, value: math.NaN()}
			courses[k] = s
		}
		if r.at.Before(s.last) && e.Unordered == "" {
			e.Unordered = fmt.Sprintf("%s: %s comes after %s", k, r.at.Format(time.RFC3339), s.last.Format(time.RFC3339))
		}
		if s.rows > 0 && r.at.Equal(s.last) && r.value != s.value && !r.ofReplicas() && e.Unordered == "" { // which of them is right nobody knows
			e.Unordered = fmt.Sprintf("%s: two values at %s, %g and %g", k, r.at.Format(time.RFC3339), s.value, r.value)
		}
		into[r.pod] = e
		changed := s.add(r)
		if changed && r.resource == maxReplicas {
			return f.limit(r)
		}
		return nil
	}})
	f.Complete = err == nil || errors.Is(err, errLine)
	if err == nil {
		if k := counters(courses); len(k) > 0 {
			err = fmt.Errorf("%s: %s only ever rises, up to %g: that is a counter of seconds and not a use of cores; give its rate", name, k[0], courses[k[0]].most)
		}
	}
	return f, err
}

// lost takes note of whom a line concerns that cannot be read. What is about a pod may be about a workload or its HPA as well.
func (f *Found) lost(r row) {
	for _, into := range []map[Pod]Extent{f.Pods, f.Scaled} {
		if _, known := into[r.pod]; !known {
			into[r.pod] = Extent{}
		}
	}
}

func (f *Found) warn(text string) {
	if len(f.Warnings) < mostWarnings {
		f.Warnings = append(f.Warnings, text)
	}
}

// limit takes note of a change of maxReplicas.
func (f *Found) limit(r row) error {
	if !(r.value >= 1 && r.value <= math.MaxInt32) {
		return nil // Read counts it
	}
	if len(f.Limits[r.pod]) == mostChanges {
		return fmt.Errorf("maxReplicas of %s changes more than %d times: is this the number of replicas?", r.pod.Name, mostChanges)
	}
	f.Limits[r.pod] = append(f.Limits[r.pod], usage.MaxReplicas{From: r.at, Value: int32(r.value)})
	return nil
}

// add takes note of a row, and says whether its value is another than that of the row before. What is not a number changes nothing.
func (s *course) add(r row) (changed bool) {
	s.last = r.at
	if math.IsNaN(r.value) {
		return false
	}
	s.rows++
	if r.value > s.value {
		s.rises++
	}
	if r.value < s.value {
		s.falls++
	}
	changed = r.value != s.value // the first one is
	s.value, s.most = r.value, max(s.most, r.value)
	return changed
}

// counters are the series of cpu that rise from row to row, fall hardly ever (a reset), and end where no container is: seconds that were used
// so far, and not cores.
func counters(courses map[about]*course) []about {
	const least, cores, falls = 10, 256, 50
	var found []about
	for k, s := range courses {
		if k.resource == corev1.ResourceCPU && !s.counter && s.rows >= least && s.most > cores && s.rises*2 > s.rows && s.falls*falls <= s.rows {
			found = append(found, k)
		}
	}
	slices.SortFunc(found, func(a, b about) int { return cmp.Compare(a.String(), b.String()) })
	return found
}

// String names it for people.
func (k about) String() string {
	if k.container == "" {
		return fmt.Sprintf("%s of %s", k.resource, k.pod.Name)
	}
	return fmt.Sprintf("%s of pod %s, container %s", k.resource, k.pod.Name, k.container)
}

// span widens an interval to a time; two zero times are none yet.
func span(first, last *time.Time, at time.Time) {
	if first.IsZero() || at.Before(*first) {
		*first = at
	}
	if last.IsZero() || at.After(*last) {
		*last = at
	}
}
