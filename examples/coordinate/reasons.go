package main

import (
	"cmp"
	"fmt"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/program"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// reasons says in words why the change is skipped, blocked or not needed, and what to do.
func (p *page) reasons(i *item) {
	switch i.Outcome {
	case hpacouple.Uncoupled:
		p.line("  " + program.Plain(uncoupled(i)) + "; requests may change alone.")
	case hpacouple.NoChange:
		p.line("  No request changes, so nothing is done.")
	case hpacouple.Skip:
		for _, s := range i.SkipReasons {
			p.skipped(i, s)
		}
		var more []string
		for _, c := range i.Admission.Causes {
			if c != skipreason.CauseSkipReason {
				more = append(more, string(c))
			}
		}
		if len(more) > 0 {
			p.line("  Without the skip it would be blocked: " + listed(more) + ".")
		}
	case hpacouple.Coordinate:
		for _, c := range i.Admission.Causes {
			p.blocked(i, c)
		}
	}
}

func (p *page) skipped(i *item, s skipreason.Skip) {
	e := s.Entry()
	p.line("  Skipped, " + p.paint(yellow, e.Code) + ": " + e.Sentence)
	next := e.Next
	switch {
	case s == skipreason.MissingRequest:
		var names []string
		for _, name := range i.Missing {
			names = append(names, cmp.Or(name, "the pod"))
		}
		if len(names) == 0 {
			names = []string{"the pod"}
		}
		p.line("    Without a request of its own: " + program.Plain(listed(names)) + ".")
	case s == skipreason.TargetOutOfBounds:
		p.line("    Cause, " + string(i.Cause) + ": " + i.Cause.Sentence() + ".")
		if w := i.plan.Working; w != nil && w.Needed != 0 {
			bound := w.Bounds.Hi
			if w.Acted == bounds.RuleMinUtilization {
				bound = w.Bounds.Lo
			}
			p.line(fmt.Sprintf("    Needed: a request sum of %s of %s at the bound of %d%%; recommended are %s.", thousandths(w.Needed, w.Resource), w.Resource, bound, thousandths(w.Wanted, w.Resource)))
		}
		next = i.Cause.Next()
	case s == skipreason.UnsupportedMetrics && len(i.OtherHPAs) > 0:
		names := []string{i.HPA.Name}
		for _, h := range i.OtherHPAs {
			names = append(names, h.Name)
		}
		next = "Delete all HPAs of the workload but one (" + program.Plain(listed(names)) + "), which may have one Resource utilization entry alone, or leave the resource out of auto-patch."
	}
	p.line("    Next: " + next)
}

func (p *page) blocked(i *item, c skipreason.BlockCause) {
	e := c.Entry()
	p.line("  Blocked, " + p.paint(yellow, string(i.Admission.Reason)+" "+e.Code) + ": " + e.Sentence)
	switch {
	case c != skipreason.CauseCoordinationOff:
		p.line("    Next: " + e.Next)
	case i.policyUnknown:
		p.line("    Next: Mend the policy of namespace " + program.Plain(i.Workload.Namespace) + " first; the faults say where.")
	default:
		p.line("    Next: " + e.Next)
		p.line("    The plan above is what would be done. To try it run again with --coordinate; to allow it, apply in namespace " + program.Plain(i.Workload.Namespace) + ":")
		p.line("      spec:\n        hpa:\n          coordinate: true")
	}
}

// uncoupled says why no HPA holds the workload's requests.
func uncoupled(i *item) string {
	switch {
	case i.Workload.Kind == "DaemonSet":
		return "No HPA scales a DaemonSet"
	case i.HPA.Name == "":
		return "No HPA scales this workload"
	}
	for _, t := range i.Targets {
		return "HPA " + i.HPA.Name + " measures utilization of " + string(t.Resource) + ", which is not in auto-patch"
	}
	var measured []string
	for _, e := range i.entries {
		switch {
		case e.Resource != "":
			measured = append(measured, fmt.Sprintf("%s %s as %s", e.Type, e.Resource, e.Target))
		default:
			measured = append(measured, fmt.Sprintf("%s %s", e.Type, e.Metric))
		}
	}
	return "HPA " + i.HPA.Name + " measures no utilization of cpu or memory (" + listed(measured) + ")"
}
