package main

import (
	"fmt"
	"strings"

	"github.com/kube-rightsize/rightsize/internal/program"
)

// table is the report for people.
func table(r report) string {
	var b strings.Builder
	for n, i := range r.Items {
		if n > 0 {
			b.WriteString("\n")
		}
		i.table(&b)
	}
	return b.String()
}

func (i *item) table(b *strings.Builder) {
	line := func(format string, args ...any) { b.WriteString(program.Plain(fmt.Sprintf(format, args...)) + "\n") }
	wants := ""
	if i.WantedReplicas != nil {
		wants = fmt.Sprintf(" wants %d and", *i.WantedReplicas)
	}
	if i.WantedReplicas != nil && i.ExactWantedReplicas != nil && *i.ExactWantedReplicas != *i.WantedReplicas {
		wants = fmt.Sprintf(" wants %d (%d, did its integers not overflow) and", *i.WantedReplicas, *i.ExactWantedReplicas)
	}
	line("HPA %s (%s, %d..%d replicas) at %s:%s sets %d, now %d", i.HPA, i.Target, i.MinReplicas, i.MaxReplicas, i.At, wants, i.DesiredReplicas, i.CurrentReplicas)
	for _, m := range i.Metrics {
		m.table(line)
	}
	for _, s := range i.Steps {
		line("  = %s", s)
	}
	for _, s := range i.Refused {
		line("  the API server refuses this HPA: %s", s)
	}
	if i.Error != "" {
		line("  error: %s", i.Error)
	}
	if i.Event != "" {
		line("  event: %s", i.Event)
	}
	for _, c := range i.Conditions {
		line("  %s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	for _, f := range i.Risks {
		line("  risk %s: %s", f.Flag, f.Sentence)
		line("    %s, %s: %s", f.Object, f.Field, f.Found)
	}
}

// shownPods is how many pods that count are named; all are in the other formats.
const shownPods = 10

func (m *metric) table(line func(string, ...any)) {
	name := m.Name
	if m.Container != "" {
		name += " of container " + m.Container
	}
	wants := "failed"
	if m.Proposal != nil {
		wants = fmt.Sprintf("wants %d", *m.Proposal)
	}
	drives := ""
	if m.Drives {
		drives = ", and drives"
	}
	value := m.Value
	if value == "" {
		value = "unknown"
	}
	line("  %s %s: %s of %s, %s%s", m.Type, name, value, m.Target, wants, drives)
	for _, s := range m.Steps {
		line("      %s", s)
	}
	if m.Error != "" {
		line("      %s", m.Error)
	}
	if p := m.Pods; p != (podCounts{}) {
		unlisted := ""
		if p.Unlisted > 0 {
			unlisted = "; " + several(p.Unlisted, "sample") + " of pods that the selector does not list"
		}
		line("      pods: %d ready, %d unready, %d missing, %d ignored%s", p.Ready, p.Unready, p.Missing, p.Ignored, unlisted)
	}
	if n := len(m.Counted); n > shownPods {
		line("        %s and %d more: ready", strings.Join(m.Counted[:shownPods], ", "), n-shownPods)
	} else if n > 0 {
		line("        %s: ready", strings.Join(m.Counted, ", "))
	}
	for _, u := range m.Uncounted {
		line("        %s: %s, %s", u.Pod, u.Class, u.Cause)
	}
}
