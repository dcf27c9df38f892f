package rightsizetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// UsageInputs draws a workload of one to three containers with what was measured about it: series of cpu and memory and of their peaks, some
// of them empty or not there, OOM kills, throttling, policies, LimitRanges and prices. Every view is a [Series] or nil. Amounts are whole millicores and bytes.
func UsageInputs() *rapid.Generator[recommend.Input] {
	return rapid.Custom(func(t *rapid.T) recommend.Input {
		in := recommend.Input{Pod: &corev1.PodSpec{}, Replicas: rapid.Int32Range(0, 100).Draw(t, "replicas"), Prices: recommend.Prices{CPU: 31_611, Memory: 4_237}}
		names := []string{"app", "proxy", "agent"}[:rapid.IntRange(1, 3).Draw(t, "containers")]
		for _, name := range names {
			c := corev1.Container{Name: name}
			drawAmounts(t, &c.Resources)
			in.Pod.Containers = append(in.Pod.Containers, c)
			if oneIn(t, 20, "not measured") {
				continue
			}
			in.Usage = append(in.Usage, drawUsage(t, name))
		}
		if oneIn(t, 6, "side") { // a sidecar is an init container that goes on
			always := corev1.ContainerRestartPolicyAlways
			last := len(in.Pod.Containers) - 1
			side := in.Pod.Containers[last]
			side.RestartPolicy = &always
			in.Pod.Containers, in.Pod.InitContainers = in.Pod.Containers[:last], []corev1.Container{side}
		}
		in.Policies = Policies(names...).Draw(t, "policies")
		if oneIn(t, 5, "ranges") {
			in.LimitRanges = drawRanges(t)
		}
		return in
	})
}

func drawAmounts(t *rapid.T, r *corev1.ResourceRequirements) {
	r.Requests, r.Limits = corev1.ResourceList{}, corev1.ResourceList{}
	for _, name := range recommend.Resources() {
		request := rapid.Int64Range(1, 4000).Draw(t, "request") * unitIn(name)
		if !oneIn(t, 4, "no request") {
			r.Requests[name] = recommend.Quantity(name, request)
		}
		if rapid.Bool().Draw(t, "limited") {
			r.Limits[name] = recommend.Quantity(name, request*rapid.Int64Range(1, 8).Draw(t, "ratio"))
		}
	}
}

func drawUsage(t *rapid.T, name string) recommend.ContainerUsage {
	u := recommend.ContainerUsage{Name: name, CPUPeaks: usage.Peaks{Interval: 24 * time.Hour}, MemoryPeaks: usage.Peaks{Interval: 24 * time.Hour}}
	for _, v := range []struct {
		into    *usage.View
		largest float64
	}{{&u.CPU, 4}, {&u.Memory, 8e9}, {&u.CPUPeaks.Of, 4}, {&u.MemoryPeaks.Of, 8e9}} {
		if !oneIn(t, 20, "nil") {
			*v.into = SeriesOf(v.largest).Draw(t, "series")
		}
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "kills") {
		kill := usage.OOMKill{Time: began().Add(time.Hour), Request: rapid.Int64Range(0, 1<<32).Draw(t, "killed at")}
		if rapid.Bool().Draw(t, "peak") {
			kill.Peak = rapid.Int64Range(0, 1<<33).Draw(t, "peak")
		}
		u.Events.OOMKills = append(u.Events.OOMKills, kill)
	}
	if rapid.Bool().Draw(t, "throttling known") {
		u.Events.Throttled = ptrTo(rapid.Float64Range(0, 0.2).Draw(t, "throttled"))
	}
	if oneIn(t, 4, "start") {
		u.StartupCPU = ptrTo(rapid.Float64Range(0, 4).Draw(t, "start-up"))
	}
	return u
}

func drawRanges(t *rapid.T) []corev1.LimitRange {
	item := corev1.LimitRangeItem{Type: rapid.SampledFrom([]corev1.LimitType{corev1.LimitTypeContainer, corev1.LimitTypePod}).Draw(t, "type"),
		Min: corev1.ResourceList{}, Max: corev1.ResourceList{}}
	for _, name := range recommend.Resources() {
		least := rapid.Int64Range(1, 500).Draw(t, "least")
		if rapid.Bool().Draw(t, "min") {
			item.Min[name] = recommend.Quantity(name, least*unitIn(name))
		}
		if rapid.Bool().Draw(t, "max") {
			item.Max[name] = recommend.Quantity(name, (least+rapid.Int64Range(1, 8000).Draw(t, "most"))*unitIn(name))
		}
	}
	return []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}}}
}

// HostileUsageInputs draws anything that the types allow: no pod, nobody's usage, views of any values, negative and absurd facts.
func HostileUsageInputs() *rapid.Generator[recommend.Input] {
	view := rapid.Custom(func(t *rapid.T) usage.View {
		switch rapid.IntRange(0, 5).Draw(t, "view") {
		case 0:
			return nil
		case 1:
			return (*usage.Samples)(nil)
		case 2:
			return (*usage.Histogram)(nil)
		case 3:
			return (*usage.Quantiles)(nil)
		}
		return HostileSeries().Draw(t, "series")
	})
	amount := rapid.SampledFrom([]int64{0, 1, 1 << 30, 1e14, -1, 1<<63 - 1, -1 << 63})
	return rapid.Custom(func(t *rapid.T) recommend.Input {
		in := UsageInputs().Draw(t, "sound")
		if oneIn(t, 8, "no pod") {
			in.Pod = nil
		}
		for i := range in.Usage {
			u := &in.Usage[i]
			u.CPU, u.Memory = view.Draw(t, "cpu"), view.Draw(t, "memory")
			u.CPUPeaks, u.MemoryPeaks = usage.Peaks{Of: view.Draw(t, "peaks")}, usage.Peaks{Of: view.Draw(t, "peaks")}
			if oneIn(t, 12, "name") {
				u.Name = rapid.SampledFrom([]string{"", "nobody", "app"}).Draw(t, "name")
			}
			if oneIn(t, 8, "events") {
				u.Events.Throttled = ptrTo(hostileFloats().Draw(t, "throttled"))
				u.Events.OOMKills = []usage.OOMKill{{Time: hostileTimes().Draw(t, "killed"), Request: amount.Draw(t, "request"), Limit: amount.Draw(t, "limit"), Peak: amount.Draw(t, "peak")}}
				u.StartupCPU = ptrTo(hostileFloats().Draw(t, "start-up"))
			}
		}
		if in.Pod != nil && oneIn(t, 8, "amounts") {
			r := &in.Pod.Containers
			if len(*r) > 0 {
				(*r)[0].Resources = corev1.ResourceRequirements{Requests: hostileLists().Draw(t, "requests"), Limits: hostileLists().Draw(t, "limits")}
			}
		}
		if oneIn(t, 8, "policies") {
			in.Policies = HostilePolicies().Draw(t, "policies")
			in.MaxAllowed = hostileLists().Draw(t, "max allowed")
		}
		if oneIn(t, 8, "window") {
			in.Window = HostileWindows().Draw(t, "window")
		}
		if oneIn(t, 8, "ranges") {
			in.LimitRanges = []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
				Type: rapid.SampledFrom([]corev1.LimitType{"Container", "Pod", ""}).Draw(t, "type"), Default: hostileLists().Draw(t, "default"),
				DefaultRequest: hostileLists().Draw(t, "default request"), Min: hostileLists().Draw(t, "min"), Max: hostileLists().Draw(t, "max"),
				MaxLimitRequestRatio: hostileLists().Draw(t, "ratio")}}}}}
		}
		if oneIn(t, 10, "numbers") {
			in.Replicas, in.Prices = rapid.SampledFrom([]int32{-1, 0, 1<<31 - 1}).Draw(t, "replicas"), recommend.Prices{CPU: amount.Draw(t, "cpu"), Memory: amount.Draw(t, "memory")}
		}
		return in
	})
}

// copyUsage copies what a recommender could write to: the pod, the policies, and every [Series].
func copyUsage(in recommend.Input) recommend.Input {
	out := in
	out.Pod = in.Pod.DeepCopy()
	out.LimitRanges = nil
	for i := range in.LimitRanges {
		out.LimitRanges = append(out.LimitRanges, *in.LimitRanges[i].DeepCopy())
	}
	out.MaxAllowed = in.MaxAllowed.DeepCopy()
	out.Policies = nil
	for _, p := range in.Policies {
		p.MinAllowed, p.MaxAllowed, p.Controlled = p.MinAllowed.DeepCopy(), p.MaxAllowed.DeepCopy(), slices.Clone(p.Controlled)
		out.Policies = append(out.Policies, p)
	}
	out.Usage = nil
	for _, u := range in.Usage {
		for _, v := range []*usage.View{&u.CPU, &u.Memory, &u.CPUPeaks.Of, &u.MemoryPeaks.Of} {
			if s, ok := (*v).(Series); ok {
				*v = slices.Clone(s)
			}
		}
		u.Events.OOMKills = slices.Clone(u.Events.OOMKills)
		if u.Events.Throttled != nil {
			u.Events.Throttled = ptrTo(*u.Events.Throttled)
		}
		if u.StartupCPU != nil {
			u.StartupCPU = ptrTo(*u.StartupCPU)
		}
		out.Usage = append(out.Usage, u)
	}
	return out
}

// DescribeUsage prints a workload with what was measured, and the strategy, for a person.
func DescribeUsage(in recommend.Input, s recommend.Strategy) string {
	in = copyUsage(in) // printing a quantity writes to it
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	if in.Pod == nil {
		line("no pod")
	} else {
		for _, c := range slices.Concat(in.Pod.Containers, in.Pod.InitContainers) {
			line("container %s: requests %s limits %s", c.Name, amounts(c.Resources.Requests), amounts(c.Resources.Limits))
		}
	}
	for _, u := range in.Usage {
		for _, v := range []struct {
			name string
			of   usage.View
		}{{"cpu", u.CPU}, {"memory", u.Memory}, {"cpu peaks", u.CPUPeaks.Of}, {"memory peaks", u.MemoryPeaks.Of}} {
			if v.of != nil {
				line("%s of %s: %v", v.name, u.Name, v.of)
			}
		}
		for _, kill := range u.Events.OOMKills {
			line("%s was OOM-killed: %s", u.Name, asJSON(kill))
		}
		if u.Events.Throttled != nil {
			line("%s was throttled: %v", u.Name, *u.Events.Throttled)
		}
		if u.StartupCPU != nil {
			line("start-up of %s: %v cores", u.Name, *u.StartupCPU)
		}
	}
	for _, p := range in.Policies {
		line("policy for %q: off %t controlled %v min %s max %s", p.Container, p.Off, p.Controlled, amounts(p.MinAllowed), amounts(p.MaxAllowed))
	}
	for i := range in.LimitRanges {
		line("limit range: %s", asJSON(in.LimitRanges[i].Spec))
	}
	line("strategy: %s", asJSON(s))
	return strings.TrimRight(b.String(), "\n")
}
