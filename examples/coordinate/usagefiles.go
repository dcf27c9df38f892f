package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/internal/program"
	"github.com/kube-rightsize/rightsize/internal/usagefile"
	window "github.com/kube-rightsize/rightsize/usage"
)

// usageReport says what became of the rows of --usage.
type usageReport struct {
	Files     []fileUsage     `json:"files"`
	Workloads []workloadUsage `json:"workloads"` // those that rows belong to
}

type fileUsage struct {
	File string `json:"file"`
	usagefile.Report
	Used bool `json:"used"` // false: the file has a fault
}

type workloadUsage struct {
	workloadName
	usagefile.Report
	// Start is the beginning of the strategy's window, which ends with the newest row.
	Start string `json:"start"`
	// Replicas is what rows of replicas show, for each HPA; empty without any.
	Replicas []replicasSeen `json:"replicas"`
}

// usageInput is one file that is read twice: first to know whom it concerns, whether it is whole, and from when to when; then to use it. So the
// order of files plays no part, the window is known before the first row is used, and no half of a file is planned on.
type usageInput struct {
	shown string
	of    corev1.ResourceName
	open  func(read func(io.Reader)) []fault
	found usagefile.Found
	used  bool
}

// usageInputs are the files of --usage, or the built-in example. What cannot be read twice, as a pipe, is kept in a temporary file until done
// is called.
func usageInputs(d documents, s settings) (inputs []*usageInput, done func()) {
	var kept []string
	done = func() {
		for _, name := range kept {
			_ = os.Remove(name) // a temporary file that stays is no fault of the report
		}
	}
	if len(s.files) == 0 && len(s.usage) == 0 {
		return []*usageInput{{shown: "example usage", open: func(read func(io.Reader)) []fault {
			read(strings.NewReader(exampleUsage))
			return nil
		}}}, done
	}
	for _, u := range s.usage {
		in := &usageInput{shown: u.name, of: u.resource}
		name := u.name
		info, err := os.Stat(name)
		if name != "-" && err == nil && info.IsDir() {
			in.open = func(func(io.Reader)) []fault {
				return []fault{{File: name, Message: "is a directory, expected a file"}}
			}
			inputs = append(inputs, in)
			continue
		}
		if name == "-" || err == nil && !info.Mode().IsRegular() {
			problems := faultsOf(program.Open(name, d.stdin, func(shown string, r io.Reader) []manifest.Problem {
				in.shown = shown
				at := manifest.Origin{File: shown}
				if r == nil {
					return []manifest.Problem{{Origin: at, Message: "there is no standard input"}}
				}
				if name, err = spool(r); err != nil {
					return []manifest.Problem{{Origin: at, Message: "cannot be read: " + err.Error()}}
				}
				kept = append(kept, name)
				return nil
			}))
			if len(problems) > 0 {
				in.open = func(func(io.Reader)) []fault { return problems }
				inputs = append(inputs, in)
				continue
			}
		}
		in.open = func(read func(io.Reader)) []fault {
			return faultsOf(program.Open(name, nil, func(_ string, r io.Reader) []manifest.Problem {
				read(r)
				return nil
			}))
		}
		inputs = append(inputs, in)
	}
	return inputs, done
}

// spool copies a stream into a temporary file.
func spool(r io.Reader) (name string, err error) {
	f, err := os.CreateTemp("", "coordinate-usage-")
	if err != nil {
		return "", err
	}
	if _, err = io.Copy(f, r); err == nil {
		err = f.Close()
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return f.Name(), err
}

// belongs is where the rows of pods and of replica series go.
type belongs struct {
	owners
	pods, scaled map[usagefile.Pod]*task
	foreign      []string
}

// look reads all files for the first time.
func (b *belongs) look(inputs []*usageInput, progress *progress) (faults []fault) {
	b.pods, b.scaled = map[usagefile.Pod]*task{}, map[usagefile.Pod]*task{}
	for _, in := range inputs {
		var err error
		problems := in.open(func(r io.Reader) { in.found, err = usagefile.Look(r, in.shown, in.of, progress.of()) })
		in.used = err == nil && len(problems) == 0
		faults = append(faults, problems...)
		broken := ""
		if err != nil || len(problems) > 0 {
			broken = "usage file " + in.shown + " could not be read whole"
		}
		if err != nil {
			faults = append(faults, fault{File: in.shown, Message: strings.TrimPrefix(err.Error(), in.shown+": ")})
		}
		for pod, e := range in.found.Pods {
			to := b.ofPod(pod, e.Labels)
			b.pods[pod] = b.only(to, "pod", pod, e)
			for _, t := range to {
				t.measured.concerned(e, cmp.Or(broken, e.Unordered), len(to) == 1)
			}
		}
		for pod, e := range in.found.Scaled {
			to := b.ofReplicas(pod)
			b.scaled[pod] = b.only(to, "replicas of", pod, e)
			for _, t := range to {
				t.measured.concerned(usagefile.Extent{}, cmp.Or(broken, e.Unordered), false)
				if len(to) == 1 {
					t.measured.scales(pod, e.First, in.found.Limits[pod])
				}
			}
		}
		if broken != "" && !in.found.Complete {
			for _, t := range b.tasks { // nobody knows whom the rest would have been about
				t.measured.concerned(usagefile.Extent{}, broken, false)
			}
		}
	}
	slices.Sort(b.foreign)
	b.foreign = slices.Compact(b.foreign)
	return faults
}

// only returns the one workload, and remembers what belongs to none or to several.
func (b *belongs) only(to []*task, what string, pod usagefile.Pod, e usagefile.Extent) *task {
	if len(to) == 1 {
		return to[0]
	}
	if e.First.IsZero() { // it has no measurement
		return nil
	}
	text := what + " " + strings.TrimPrefix(pod.Namespace+"/"+pod.Name, "/")
	if len(to) > 1 {
		text += " (may be of " + to[0].String() + " or " + to[1].String() + ")"
	}
	b.foreign = append(b.foreign, text)
	return nil
}

// concerned takes note of what a file has about the workload.
func (m *measured) concerned(e usagefile.Extent, broken string, use bool) {
	if broken != "" {
		m.broken = append(m.broken, broken)
	}
	if use {
		m.any = true
		if e.Last.After(m.last) {
			m.last = e.Last
		}
	}
}

// read reads all whole files for the second time, the oldest first, and uses what is in the windows.
func (b *belongs) read(inputs []*usageInput, s settings, progress *progress, report *usageReport) (notes []string, faults []fault) {
	strategy := s.strategy()
	whose := "the window of preset " + s.preset
	if s.window > 0 {
		whose = "the window of --window"
	}
	for _, t := range b.tasks {
		if span := strategy.Window.Duration; t.measured.any && span > 0 {
			t.measured.collector.Window = window.Window{Start: t.measured.last.Add(-span)}
		}
		t.holdAgainstLimits()
	}
	ordered := slices.Clone(inputs)
	slices.SortStableFunc(ordered, func(x, y *usageInput) int {
		return cmp.Or(x.found.First.Compare(y.found.First), x.found.Last.Compare(y.found.Last), cmp.Compare(x.shown, y.shown))
	})
	reports := map[*usageInput]usagefile.Report{}
	to := func(of map[usagefile.Pod]*task) func(usagefile.Pod) *usagefile.Collector {
		return func(p usagefile.Pod) *usagefile.Collector {
			if t := of[p]; t != nil {
				return t.measured.collector
			}
			return nil
		}
	}
	for _, in := range ordered {
		if !in.used {
			continue
		}
		front := usagefile.NewCollector(strategy)
		front.Route, front.RouteReplicas, front.Progress = to(b.pods), to(b.scaled), progress.of()
		faults = append(faults, in.open(func(r io.Reader) {
			if err := front.Read(r, in.shown, in.of); err != nil { // it has changed since it was looked at
				faults = append(faults, fault{File: in.shown, Message: strings.TrimPrefix(err.Error(), in.shown+": ")})
				for _, t := range b.tasks {
					t.measured.concerned(usagefile.Extent{}, "usage file "+in.shown+" changed while it was read", false)
				}
			}
		})...)
		reports[in] = front.Report()
	}
	for _, in := range inputs {
		r := reports[in]
		report.Files = append(report.Files, fileUsage{in.shown, r, in.used})
		if text := r.String(); text != "" {
			notes = append(notes, "usage file "+in.shown+": not used are "+text)
		}
		for _, text := range in.found.Warnings {
			notes = append(notes, "usage file "+in.shown+": the database warned: "+text)
		}
	}
	for _, t := range b.tasks {
		t.judgeReplicas()
		r := t.measured.collector.Report()
		if r.Rows == 0 {
			continue
		}
		start := ""
		if at := t.measured.collector.Window.Start; !at.IsZero() {
			start = at.UTC().Format(time.RFC3339)
		}
		report.Workloads = append(report.Workloads, workloadUsage{workloadName{t.Kind, t.Namespace, t.Name}, r, start, list(t.measured.scaled.seen)})
		if r.Outside > 0 {
			t.usageNotes = append(t.usageNotes, fmt.Sprintf("usage before %s, %s, is left out: %s", start, whose, count(int(r.Outside), "row")))
		}
		if r.Late > 0 {
			t.measured.broken = append(t.measured.broken, "usage files overlap in time: "+count(int(r.Late), "row")+" older than what another file had said of the same pod, container and resource")
		}
	}
	if n := len(b.foreign); n > 0 {
		const most = 10
		text := strings.Join(b.foreign[:min(n, most)], ", ")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
		notes = append(notes, "usage that belongs to none of the workloads, so not used: "+text)
	}
	return notes, faults
}
