package hpacouple

import "log/slog"

// LogValue groups what a log line of a plan needs: workload, outcome, reasons, HPA, the targets and the request sum before and after, flags.
// It reads the plan and writes nothing.
func (r Result) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.Group("workload", "kind", r.Workload.Kind, "namespace", r.Workload.Namespace, "name", r.Workload.Name),
		slog.String("outcome", string(r.Outcome)),
	}
	text := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	text("skipReason", string(r.SkipReason))
	text("cause", string(r.Cause))
	text("standing", string(r.Standing))
	text("hpa", r.HPA.Name)
	for _, t := range r.Targets {
		attrs = append(attrs, slog.Group(string(t.Resource), "hpa", t.HPA, "container", t.Container, "targetFrom", t.From, "targetTo", t.To, "targetExact", string(t.Exact)))
	}
	if w := r.Working; w != nil {
		attrs = append(attrs, slog.Group("requestSum", "from", w.Old, "to", w.New, "boundBy", string(w.Acted)))
	}
	if len(r.RiskFlags) > 0 {
		attrs = append(attrs, slog.Any("riskFlags", words(r.RiskFlags, false)))
	}
	return slog.GroupValue(attrs...)
}

// LogValue groups what a log line of a verdict needs: allowed, reason, cause.
func (v Verdict) LogValue() slog.Value {
	attrs := []slog.Attr{slog.Bool("allowed", v.Allowed)}
	if v.Reason != "" {
		attrs = append(attrs, slog.String("reason", string(v.Reason)), slog.String("cause", string(v.Cause)))
	}
	return slog.GroupValue(attrs...)
}

// LogValue groups what a log line of a change needs: workload, HPA, each amount and target before and after; absent is "-".
func (c Change) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.Group("workload", "kind", c.Workload.Kind, "namespace", c.Workload.Namespace, "name", c.Workload.Name),
		slog.String("hpa", c.HPA.Name),
	}
	for i := range c.Amounts {
		a := &c.Amounts[i]
		from, to := "-", "-"
		if a.From != nil {
			from = text(*a.From)
		}
		if a.To != nil {
			to = text(*a.To)
		}
		attrs = append(attrs, slog.Group(a.Container+"."+string(a.Kind)+"."+string(a.Resource), "from", from, "to", to))
	}
	for _, t := range c.Targets {
		attrs = append(attrs, slog.Group("target."+t.String(), "from", t.From, "to", t.To))
	}
	return slog.GroupValue(attrs...)
}
