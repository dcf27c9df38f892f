package main

import (
	"fmt"
	"strings"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/replicas"
)

// limitedBy is what held the wanted count back.
func limitedBy(d *replicas.Decision) string {
	switch {
	case d.LimitedBy != "":
		return d.LimitedBy
	case d.Path != replicas.PathMetrics || d.Stabilized == d.Proposal:
		return ""
	case d.Proposal >= d.Current:
		return replicas.ReasonScaleUpStabilized
	}
	return replicas.ReasonScaleDownStabilized
}

// steps say how the count came about after the metrics. exact is the same pass without overflows.
func steps(spec *replicas.Spec, d, exact *replicas.Decision) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch d.Path {
	case replicas.PathNoScale:
		add("the scale cannot be read: nothing is done")
	case replicas.PathPaused:
		add("zero replicas that the HPA has not made itself: paused until somebody scales up")
	case replicas.PathAboveMax:
		add("%d is above maxReplicas: %d at once; no metric is read", d.Current, d.Desired)
	case replicas.PathBelowMin:
		add("%d is below minReplicas: %d at once; no metric is read", d.Current, d.Desired)
	case replicas.PathSelector:
		add("the pod selector is unusable: nothing is done")
	case replicas.PathFailed:
		add("%s", failed(d))
	case replicas.PathMetrics:
		out = normalized(spec, d)
	}
	if d.Proposal != exact.Proposal || d.Desired != exact.Desired {
		add("without overflows it would want %d and set %d", exact.Proposal, exact.Desired)
	}
	return out
}

// failed says why a pass over failing metrics does nothing.
func failed(d *replicas.Decision) string {
	if d.Invalid == len(d.Metrics) {
		return several(d.Invalid, "metric") + " failed, and there is no other: nothing is done"
	}
	largest := int32(0)
	for i := range d.Metrics {
		if m := &d.Metrics[i]; m.Error == nil && (largest == 0 || m.Result.Replicas > largest) {
			largest = m.Result.Replicas
		}
	}
	return fmt.Sprintf("%d of %d metrics failed, and the others want %d, fewer than %d: a failing metric blocks scaling down, because it might want more; nothing is done",
		d.Invalid, len(d.Metrics), largest, d.Current)
}

// normalized are the steps from the largest proposal to the count.
func normalized(spec *replicas.Spec, d *replicas.Decision) (out []string) {
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if d.Invalid > 0 {
		add("%d of %d metrics failed; since the others do not want fewer, they decide", d.Invalid, len(spec.Metrics))
	}
	below := ""
	if d.Driver >= 0 && d.Metrics[d.Driver].Result.Replicas < 0 {
		below = " (below zero counts as 0)"
	}
	add("the largest proposal is %d%s", d.Proposal, below)
	if d.Stabilized != d.Proposal {
		add("the stabilization window of %s makes it %d; of the past it knows the present count alone", window(spec, d), d.Stabilized)
	}
	switch d.LimitedBy {
	case "":
		return out
	case replicas.ReasonTooFewReplicas:
		add("%s: minReplicas makes it %d", d.LimitedBy, d.Desired)
	case replicas.ReasonTooManyReplicas:
		add("%s: maxReplicas makes it %d", d.LimitedBy, d.Desired)
	default:
		add("%s: %s, which makes it %d", d.LimitedBy, limit(spec, d), d.Desired)
	}
	if d.Reason == replicas.RescaleUnstated {
		add("the metrics want the present count, and an earlier recommendation moves it: the event gives no reason")
	}
	return out
}

func window(spec *replicas.Spec, d *replicas.Decision) time.Duration {
	if b := spec.Behavior; b != nil {
		w := b.ScaleDown.StabilizationWindowSeconds
		if d.Proposal >= d.Current {
			w = b.ScaleUp.StabilizationWindowSeconds
		}
		if w != nil {
			return time.Duration(*w) * time.Second
		}
	}
	return 5 * time.Minute // the controller's own, unless it was told another
}

// limit is the rate limit with its policies. No change of the past is known, so that every period starts at the present
// count.
func limit(spec *replicas.Spec, d *replicas.Decision) string {
	if spec.Behavior == nil {
		return fmt.Sprintf("at most twice %d, or 4", d.Current)
	}
	rules, direction := spec.Behavior.ScaleDown, "scaleDown"
	if d.Stabilized > d.Current {
		rules, direction = spec.Behavior.ScaleUp, "scaleUp"
	}
	if rules.SelectPolicy == autoscalingv2.DisabledPolicySelect {
		return direction + " has selectPolicy Disabled"
	}
	var policies []string
	for _, p := range rules.Policies {
		policies = append(policies, fmt.Sprintf("%s %d per %d s", p.Type, p.Value, p.PeriodSeconds))
	}
	return fmt.Sprintf("from %d the policies of %s (%s; selectPolicy %s) allow %d", d.Current, direction, strings.Join(policies, ", "), rules.SelectPolicy, d.Limit)
}
