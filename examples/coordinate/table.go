package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/program"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
)

// page builds the text form. What comes from documents goes through plain before it is written.
type page struct {
	bytes.Buffer
	colour bool
}

// The colours, as ANSI escapes.
const (
	bold   = "\x1b[1m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
	normal = "\x1b[0m"
)

// table is the report for a person.
func table(r report, colour bool) []byte {
	p := &page{colour: colour}
	for i := range r.Items {
		p.item(&r.Items[i])
		p.line("")
	}
	for _, n := range r.Notes {
		p.line("Note: " + program.Plain(n))
	}
	if len(r.Notes) > 0 {
		p.line("")
	}
	p.summary(r)
	return p.Bytes()
}

func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

func (p *page) paint(colour, text string) string {
	if !p.colour {
		return text
	}
	return colour + text + normal
}

func (p *page) item(i *item) {
	verdict, colour := "allowed", green
	if !i.Admission.Allowed {
		verdict, colour = "blocked", yellow
	}
	outcome := string(i.Outcome)
	if i.SkipReason != "" {
		outcome += " (" + string(i.SkipReason) + ")"
	} else if i.Admission.Cause != "" {
		verdict += " (" + string(i.Admission.Cause) + ")"
	}
	if i.Action != actChange {
		outcome = string(i.Action) + " (" + outcome + ")"
	}
	name := program.Plain(i.Workload.String())
	p.line(p.paint(bold, name) + ": " + p.paint(colour, outcome+", "+verdict))
	p.line("")
	rows := [][]string{{"CONTAINER", "RESOURCE", "OLD -> NEW", "RECOMMENDED", "LIMIT", "SAVES/H", "WHY"}}
	for _, c := range i.Containers {
		rows = append(rows, containerRow(c))
	}
	for _, t := range i.Targets {
		rows = append(rows, targetRow(i, t))
	}
	if i.Action != actChange {
		p.undoing(i, rows)
		return
	}
	p.rows(rows)
	p.line("")
	p.scalePoint(i)
	p.footprints(i)
	p.saved(i)
	p.line("")
	p.explanations(i)
	p.reasons(i)
	p.line("  New requests from " + program.Plain(listed(i.Sources)) + ".")
	for _, n := range i.Notes {
		p.line("  Note: " + program.Plain(n))
	}
	p.flags(i)
}

// flags writes each risk flag with its sentence, and where it comes from: one line per object and detail.
func (p *page) flags(i *item) {
	if len(i.RiskFlags) > 0 {
		p.line("  Risk flags")
	}
	for _, f := range i.RiskFlags {
		p.line("    " + p.paint(yellow, string(f)) + ": " + f.Entry().Sentence)
		var groups [][]risk.Finding
		for _, found := range i.Findings {
			same := func(g []risk.Finding) bool { return g[0].Object == found.Object && g[0].Detail == found.Detail }
			if found.Flag != f {
				continue
			}
			if k := slices.IndexFunc(groups, same); k >= 0 {
				groups[k] = append(groups[k], found)
			} else {
				groups = append(groups, []risk.Finding{found})
			}
		}
		for _, g := range groups {
			where := g[0].Field
			if len(g) > 1 {
				where += " and " + count(len(g)-1, "more field")
			}
			p.line("      " + program.Plain(g[0].Object.Kind+" "+g[0].Object.Name+", "+where+": "+g[0].Detail))
		}
	}
}

func arrow(from, to string) string { return absent(from) + " -> " + absent(to) }

func absent(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func containerRow(c container) []string {
	unit := func(text string) string { return inUnit(text, c.Resource) }
	name := c.Name
	switch {
	case c.Injected:
		name += " (injected)"
	case c.Role != metrics.RoleContainer:
		name += " (" + string(c.Role) + ")"
	}
	why := c.BoundBy.Sentence()
	if c.Source == metrics.SourceLimit || c.Source == metrics.SourceLimitRange {
		why += "; the old request is the " + map[metrics.Source]string{metrics.SourceLimit: "limit", metrics.SourceLimitRange: "LimitRange's default"}[c.Source]
	}
	if c.Locked && c.BoundBy != bounds.RuleLock {
		why += "; must not decrease"
	}
	if c.LimitAsked != "" && c.LimitTo != c.LimitAsked && c.BoundBy != bounds.RuleSkip {
		why += "; the limit of " + unit(c.LimitAsked) + " waits for a change of requests"
	}
	limit := unit(c.LimitFrom)
	if c.LimitFrom != c.LimitTo {
		limit = arrow(unit(c.LimitFrom), unit(c.LimitTo))
	}
	return []string{program.Plain(name), string(c.Resource), arrow(unit(c.From), unit(c.To)), unit(c.Recommended), limit, perHour(c.Savings.PerHour), why}
}

func targetRow(i *item, t target) []string {
	name := "HPA " + i.HPA.Name
	if len(i.OtherHPAs) > 0 {
		name = "HPAs"
	}
	if t.Container != "" {
		name += ", container " + t.Container
	}
	wanted := ""
	if t.Wanted != "" {
		wanted = percent(t.Wanted)
	}
	return []string{program.Plain(name), string(t.Resource), fmt.Sprintf("%d%% -> %d%%", t.From, t.To), wanted, "", "", targetWhy(i, t)}
}

// targetWhy says why the target is what it will be.
func targetWhy(i *item, t target) string {
	w := i.Working
	mine := w != nil && w.Resource == t.Resource
	switch {
	case i.Action != actChange:
		return ""
	case i.Outcome == hpacouple.Skip:
		return bounds.RuleSkip.Sentence()
	case !mine:
		return bounds.RuleAutoPatch.Sentence()
	case i.Outcome == hpacouple.NoChange:
		return "no request changes, so the target stays"
	case w.Acted == bounds.RuleMaxUtilization:
		return fmt.Sprintf("held at the maximum, %d%% (%s)", w.Bounds.Hi, w.Bounds.HiBy.Sentence())
	case w.Acted == bounds.RuleMinUtilization:
		return fmt.Sprintf("held at the minimum, %d%% (%s)", w.Bounds.Lo, w.Bounds.LoBy.Sentence())
	case w.Basis == metrics.BasisPodLevel:
		return "the pod-level request decides, and it does not change"
	case t.From == t.To:
		return "the request sum changes too little, or not at all"
	}
	return "keeps request sum x target, to the nearest whole percent"
}

// rows writes a table. Columns that are empty but for their title are left out.
func (p *page) rows(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for k := range widths {
		used := false
		for r, row := range rows {
			widths[k] = max(widths[k], utf8.RuneCountInString(row[k]))
			used = used || (r > 0 && row[k] != "")
		}
		if !used {
			widths[k] = -1
		}
	}
	for _, row := range rows {
		line := ""
		for k, cell := range row {
			if widths[k] >= 0 {
				line += "  " + cell + strings.Repeat(" ", widths[k]-utf8.RuneCountInString(cell))
			}
		}
		p.line(line)
	}
}

// summary is the last line.
func (p *page) summary(r report) {
	if len(r.Items) == 0 && len(r.Errors) == 0 && r.undoes {
		p.line("Nothing is to be undone: no workload remembers a change, and of a release none has fields of " + program.Plain(r.manager) + ".")
		return
	}
	if len(r.Items) == 0 && len(r.Errors) == 0 {
		p.line("Nothing was planned: no workload has new requests. Give --request, --requests, --usage or a VerticalPodAutoscaler with a recommendation.")
		return
	}
	allowed := 0
	outcomes := map[hpacouple.Outcome]int{}
	for _, i := range r.Items {
		outcomes[i.Outcome]++
		if i.Admission.Allowed {
			allowed++
		}
	}
	text := count(len(r.Items), "workload") + " planned"
	var parts []string
	for _, o := range slices.Backward(hpacouple.Outcomes()) {
		if outcomes[o] > 0 {
			parts = append(parts, strconv.Itoa(outcomes[o])+" "+string(o))
		}
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	text += fmt.Sprintf(": %d allowed, %d blocked", allowed, len(r.Items)-allowed)
	if len(r.Errors) > 0 {
		text += "; " + p.paint(red, count(len(r.Errors), "fault")+" in the input")
	}
	p.line(text + "." + total(r))
}

// count is a number with its noun, which takes an s where there are several.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// undoing writes an item of which nothing new is planned.
func (p *page) undoing(i *item, rows [][]string) {
	if len(rows) > 1 {
		p.rows(rows)
		p.line("")
	}
	switch {
	case i.Admission.Cause != "":
		e := i.Admission.Cause.Entry()
		p.line("  Blocked, " + p.paint(yellow, string(i.Admission.Reason)+" "+e.Code) + ": " + e.Sentence)
		p.line("    Next: " + e.Next)
	case len(i.Writes) > 0:
		p.line("  " + count(len(i.Writes), "write") + "; -o writes shows them.")
	default:
		p.line("  Nothing is to be written.")
	}
	for _, n := range i.Notes {
		p.line("  Note: " + program.Plain(n))
	}
}
