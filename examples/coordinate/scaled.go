package main

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/internal/manifest"
	"github.com/kube-rightsize/rightsize/internal/usagefile"
	window "github.com/kube-rightsize/rightsize/usage"
)

// scaled is what files say of the replicas of a workload.
type scaled struct {
	first  time.Time // of the rows of replicas; zero without any
	limits map[usagefile.Pod][]window.MaxReplicas
	seen   []replicasSeen
}

// replicasSeen is what the window shows of the replicas under one HPA.
type replicasSeen struct {
	HPA     string `json:"hpa"`
	Largest int32  `json:"largest"`
	// Reached says that there were as many as the maxReplicas of that time, and Share for how much of the time that is known, in percent;
	// empty where nothing is known.
	Reached bool   `json:"reached"`
	Share   string `json:"share"`
	// Measured says that maxReplicas was measured too. Otherwise today's counts for the whole window.
	Measured bool `json:"measured"`
}

// scales takes note of what one file says of the replicas of one name.
func (m *measured) scales(name usagefile.Pod, counts time.Time, limits []window.MaxReplicas) {
	if !counts.IsZero() && (m.scaled.first.IsZero() || counts.Before(m.scaled.first)) {
		m.scaled.first = counts
	}
	if m.scaled.limits == nil {
		m.scaled.limits = map[usagefile.Pod][]window.MaxReplicas{}
	}
	m.scaled.limits[name] = append(m.scaled.limits[name], limits...)
}

// limitsOf are the changes of an HPA's maxReplicas: those of its name, or of the workload's unless another HPA has that name.
func (t *task) limitsOf(hpa string) (limits []window.MaxReplicas) {
	others := slices.ContainsFunc(t.hpas, func(h manifest.Sourced[*autoscalingv2.HorizontalPodAutoscaler]) bool {
		return h.Name == t.Name && h.Name != hpa
	})
	for name, list := range t.measured.scaled.limits { // sorted below; of two at one time the lower one counts
		if name.Name == hpa || name.Name == t.Name && !others {
			limits = append(limits, list...)
		}
	}
	slices.SortFunc(limits, func(a, b window.MaxReplicas) int {
		return cmp.Or(a.From.Compare(b.From), cmp.Compare(b.Value, a.Value))
	})
	return limits
}

// holdAgainstLimits says what rows of replicas are held against: the maxReplicas of their time where files have it, otherwise today's.
func (t *task) holdAgainstLimits() {
	m := t.measured
	if m.scaled.first.IsZero() {
		return
	}
	for _, h := range t.hpas {
		limits := t.limitsOf(h.Name)
		m.scaled.seen = append(m.scaled.seen, replicasSeen{HPA: h.Name, Measured: len(limits) > 0})
		if len(limits) == 0 {
			limits = []window.MaxReplicas{{From: time.Unix(0, 0), Value: h.Object.Spec.MaxReplicas}}
			t.usageNotes = append(t.usageNotes, fmt.Sprintf("usage: no file has rows of maxReplicas for HPA %s, so replicas are held against today's, %d", h.Name, h.Object.Spec.MaxReplicas))
		} else if first := limits[0].From; m.scaled.first.Before(first) && m.collector.Window.Contains(first) {
			t.usageNotes = append(t.usageNotes, fmt.Sprintf("usage: before %s nobody knows the maxReplicas of HPA %s, so replicas of that time are not held against it",
				first.UTC().Format(time.RFC3339), h.Name))
		}
		m.collector.Limits = append(m.collector.Limits, limits)
	}
}

// judgeReplicas takes note of what was seen, when all rows are read.
func (t *task) judgeReplicas() {
	for i, r := range t.measured.collector.Replicas() {
		seen := &t.measured.scaled.seen[i]
		seen.Largest, seen.Reached = r.Largest, r.Reached
		if r.Known > 0 {
			share := big.NewRat(int64(r.AtMax), int64(r.Known))
			seen.Share = decimals(share.Mul(share, big.NewRat(100, 1)))
		}
		if r.Reached {
			t.atMax = true
			text := fmt.Sprintf("usage: HPA %s had as many replicas as its maxReplicas", seen.HPA)
			if seen.Share != "" {
				text += ", for " + seen.Share + " % of the time"
			}
			t.usageNotes = append(t.usageNotes, fmt.Sprintf("%s; the most were %d", text, r.Largest))
		}
	}
}
