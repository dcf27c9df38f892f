package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/program"
	"github.com/kube-rightsize/rightsize/recommend"
)

// step is one step of an explanation.
type step struct {
	Stage recommend.Stage `json:"stage"`
	Cause recommend.Cause `json:"cause"`
	Value int64           `json:"value"`
	// Unit is that of Value: m (of cpu), B (bytes), ppm (a share or a quantile, in millionths), or thousandths (of a ratio, or of an interval of
	// the history).
	Unit   string `json:"unit"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func stepOf(name corev1.ResourceName, s recommend.Step) step {
	return step{s.Stage, s.Cause, s.Value, unitOf(name, s), amountText(name, s.Before.Request), amountText(name, s.After.Request)}
}

func unitOf(name corev1.ResourceName, s recommend.Step) string {
	switch {
	case s.Stage == recommend.StageQuantile, s.Stage == recommend.StageMargin, s.Stage == recommend.StageStepLimit:
		return "ppm"
	case s.Stage == recommend.StageConfidence, s.Cause == recommend.FromMaxRatio:
		return "thousandths"
	case name == corev1.ResourceCPU:
		return "m"
	}
	return "B"
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
