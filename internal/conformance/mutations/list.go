package main

// mutation is one change of the library that a differential test must notice.
type mutation struct{ file, why, old, new string }

var mutations = []mutation{
	{"tolerance.go", "the upper edge is outside", `ratio <= 1.0+t.Up`, `ratio < 1.0+t.Up`},
	{"tolerance.go", "the lower edge is outside", `1.0-t.Down <= ratio`, `1.0-t.Down < ratio`},
	{"total.go", "utilization is rounded up", `p := u * 100 / r`, `p := (u*100 + r - 1) / r`},
	{"total.go", "negative sums lose their upper half", `t.hi += v>>63 + int64(carry)`, `t.hi += int64(carry)`},
	{"calculator.go", "the present count is the multiplier, not the ready pods", `c.scaled(ratio, r.Pods.Ready, &r.OutOfRange)`, `c.scaled(ratio, int(c.Current), &r.OutOfRange)`},
	{"calculator.go", "multiplied exactly, without float64's rounding up", `math.Ceil(float64(ratio*float64(n)))`, `math.Ceil(float64(ratio*float64(n)) - 1e-9)`},
	{"calculator.go", "a reversal is not held", `if (first < 1.0 && again > 1.0) || (first > 1.0 && again < 1.0) {`, `if false {`},
	{"calculator.go", "a number against the ratio is not held", `(again > 1.0 && proposal < c.Current)`, `false`},
	{"calculator.go", "unready pods count on a scale-down too", `pods.Unready > 0 && ratio > 1.0`, `pods.Unready > 0`},
	{"resource.go", "missing pods use 100 % whatever the target", `floor: int64(max(100, target))`, `floor: 100`},
	{"resource.go", "missing pods are filled in at a ratio of 1", `r.Pods.Missing > 0 && first != 1.0`, `r.Pods.Missing > 0`},
	{"resource.go", "unlisted samples are no pods", `r.Pods.Ready+len(unlisted)+r.Pods.Filled)`, `r.Pods.Ready+r.Pods.Filled)`},
	{"average.go", "missing pods use nothing on a scale-down", `sum.add(target)`, `sum.add(0)`},
	{"average.go", "unlisted samples do not count in the mean", `		sum.add(v)
	}
	r.Pods.Unlisted`, `		sum.add(0 * v)
	}
	r.Pods.Unlisted`},
	{"pod.go", "Ready Unknown is not ready", `notReady := p.Ready == corev1.ConditionFalse`, `notReady := p.Ready != corev1.ConditionTrue`},
	{"pod.go", "a sample exactly one window after the transition is too old", `p.Sample.At.Before(p.ReadyChanged.Add(p.Sample.Window))`, `!p.Sample.At.After(p.ReadyChanged.Add(p.Sample.Window))`},
	{"pod.go", "the end of the initialization period belongs to it", `p.Started.Add(c.CPUInitializationPeriod).After(c.Now)`, `!p.Started.Add(c.CPUInitializationPeriod).Before(c.Now)`},
	{"pod.go", "finished pods are ignored", `case corev1.PodFailed:`, `case corev1.PodFailed, corev1.PodSucceeded:`},
	{"pod.go", "deleted pods are not ready for a Value target", `p.Phase == corev1.PodRunning &&`, `!p.Deleted && p.Phase == corev1.PodRunning &&`},
	{"value.go", "tolerance holds at zero replicas", `if c.Current == 0 {`, `if c.Current == 0 && !c.Tolerance.Within(ratio) {`},
	{"perreplica.go", "within tolerance the spec's count is proposed", `r.Replicas, r.Outcome = c.Status, OutcomeTolerance`, `r.Replicas, r.Outcome = c.Current, OutcomeTolerance`},
	{"perreplica.go", "a negative sum is no overflow", `if sum < 0 {`, `if sum < 0 && v >= 0 {`},
	{"perreplica.go", "the average is rounded down", `average := math.Ceil(`, `average := math.Floor(`},
	{"evaluate.go", "on a tie the last metric drives", `m.Result.Replicas > largest`, `m.Result.Replicas >= largest`},
	{"evaluate.go", "a failing metric blocks an unchanged count", `largest < d.Current)`, `largest <= d.Current)`},
	{"normalize.go", "without behavior a record as old as the window is over", `if r.At.Before(cutoff) {`, `if !r.At.After(cutoff) {`},
	{"normalize.go", "with behavior a record as old as the window counts", `if r.At.After(downCutoff) {`, `if !r.At.Before(downCutoff) {`},
	{"normalize.go", "a slot is reused when one window is over", `r.At.Before(upCutoff) && r.At.Before(downCutoff)`, `r.At.Before(upCutoff) || r.At.Before(downCutoff)`},
	{"normalize.go", "a missing scale-down window is 5 minutes", `window, _ := toInt32(math.Trunc(flag.Seconds()), s.ReproduceOverflow)`, `window, _ := toInt32(300+0*math.Trunc(flag.Seconds()), s.ReproduceOverflow)`},
	{"events.go", "an event as old as the period counts", `if events[i].At.After(cutoff) {`, `if !events[i].At.Before(cutoff) {`},
	{"events.go", "the first outdated slot is reused", `		if events[i].Outdated {`, `		if events[i].Outdated && slot < 0 {`},
	{"events.go", "events outdate by the other direction's period", `before-after, longest(b.policies(false)), now)`, `before-after, longest(b.policies(true)), now)`},
	{"rate.go", "the limit without behavior is at least 3", `math.Max(2.0*float64(current), 4.0)`, `math.Max(2.0*float64(current), 3.0)`},
	{"rate.go", "Percent up is truncated", `allowed = math.Ceil(allowed)`, `allowed = math.Trunc(allowed)`},
	{"rate.go", "removed pods do not move the period's start", `- changed(s.ScaleUps, period, now) + changed(s.ScaleDowns, period, now)`, `- changed(s.ScaleUps, period, now) + 0*changed(s.ScaleDowns, period, now)`},
	{"rate.go", "selectPolicy Min is Max", `selected != autoscalingv2.MinChangePolicySelect`, `true`},
	{"spec.go", "tolerances are swapped", `c.Tolerance.Up = or(s.Behavior.ScaleUp.Tolerance, c.Tolerance.Up)`, `c.Tolerance.Up = or(s.Behavior.ScaleDown.Tolerance, c.Tolerance.Up)`},
	{"state.go", "the first count is not remembered", `if len(s.Recommendations) == 0 {`, `if false {`},
	{"step.go", "a manual pause wakes", `ownZero && (lowest != 0 || spec.wakes())`, `(ownZero || true) && (lowest != 0 || spec.wakes())`},
	{"step.go", "at the own zero a raised minimum does not lift", `if lowest := spec.Min(); d.Current == 0 && desired < lowest {`, `if lowest := spec.Min(); false && desired < lowest {`},
	{"step.go", "any zero is the HPA's own", `desired == 0 && spec.Min() == 0 && spec.wakes()`, `desired == 0 && spec.Min() == 0`},
	{"step.go", "a cut to the maximum is no event", `s.store(spec.Behavior, d.Current, desired, now)`, `if d.Path == PathMetrics {
		s.store(spec.Behavior, d.Current, desired, now)
	}`},
	{"condition.go", "every pass is a transition", `if c.Status != status {`, `if true {`},
	{"observe.go", "an unlisted pod's sample is dropped", `r.Unlisted = append(r.Unlisted, s.Milli)
			delete(samples, m.Name)`, `_ = s
			delete(samples, m.Name)`},
	{"observepod.go", "a container without the resource is skipped", `		if !ok {
			return 0, false
		}
		sum.add`, `		if !ok {
			continue
		}
		sum.add`},
	{"observepod.go", "containers add up without wrapping", `return sum.wrapped(), found`, `return saturate(sum.exact()), found`},
	{"quantity.go", "a decimal beyond int64 is read as an amount of 64 bits is", `return d.UnscaledBig().Int64() << 63`, `return 0`},
	{"quantity.go", "what does not fit is read as the largest", `	return q.MilliValue()
}`, `	m, _ := milli(q)
	return m
}`},
	{"evaluate.go", "upstream's reading is not taken when asked", `if c.ReproduceOverflow && reading.Beyond != nil {`, `if false {`},
	{"perreplica.go", "no average over no replicas is reproduced as 0", `toInt32(min(wanted, math.MaxInt32), c.ReproduceOverflow)`, `toInt32(min(wanted, math.MaxInt32), false)`},
}
