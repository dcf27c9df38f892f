package usagefile

import (
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Found is what a first reading of a file finds, before any of it is used: whom it concerns, and from when to when.
type Found struct {
	// Pods are those with cpu or memory.
	Pods map[Pod]Extent
	// Scaled are the names that rows of replicas are about.
	Scaled map[Pod]Extent
	// First and Last are the times of the oldest and the newest row.
	First, Last time.Time
	// Complete says that the file was read to its end, so that it concerns nobody else.
	Complete bool
}

// Extent is what one pod has in a file.
type Extent struct {
	First, Last time.Time
	Labels      map[string]string // nil where the file does not say
	// Unordered says where the rows of one container and resource go back in time; empty where they do not.
	Unordered string
}

// Look reads a file without using it. The memory that it needs depends on the number of pods and containers. With an error, Found is what
// could be read: of CSV everything but the lines at fault, of JSON what stands before (Complete is false).
func Look(in io.Reader, name string, of corev1.ResourceName) (Found, error) {
	f := Found{Pods: map[Pod]Extent{}, Scaled: map[Pod]Extent{}}
	type series struct {
		pod               Pod
		container, labels string
		resource          corev1.ResourceName
	}
	last := map[series]time.Time{}
	err := parse(in, name, of, true, func(r row) error {
		into := f.Pods
		if r.resource == replicas {
			into = f.Scaled
		}
		e, known := into[r.pod]
		if !known {
			e = Extent{First: r.at, Last: r.at, Labels: r.labels}
		}
		span(&e.First, &e.Last, r.at)
		span(&f.First, &f.Last, r.at)
		k := series{r.pod, r.container, r.series, r.resource}
		if before, ok := last[k]; ok && r.at.Before(before) && e.Unordered == "" && r.resource != replicas {
			e.Unordered = fmt.Sprintf("%s of pod %s, container %s: %s comes after %s", r.resource, r.pod.Name, r.container,
				r.at.Format(time.RFC3339), before.Format(time.RFC3339))
		}
		last[k] = r.at
		into[r.pod] = e
		return nil
	})
	f.Complete = err == nil || errors.Is(err, errLine)
	return f, err
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
