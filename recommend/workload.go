package recommend

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/skipreason"
	"github.com/kube-rightsize/rightsize/usage"
)

// Workload recommends requests for every container of a workload.
//
// What cannot be (a strategy that is not valid, a maximum below a minimum, a negative quantity, usage of a container that
// the pod does not have) is an error list by field path, and then the result is empty. Everything else is an outcome per
// container and resource. Containers that have no usage stand in the result without a recommendation.
//
// Laws: R1 (more usage, no smaller request), R2 (VPA equals upstream), R3 (lower <= request <= upper).
func Workload(in Input, s Strategy) (Result, field.ErrorList) {
	errs := s.Validate(field.NewPath("strategy"))
	errs = append(errs, in.validate(s)...)
	if len(errs) > 0 {
		return Result{}, errs
	}
	var r reader
	ranges := r.limitRanges(in.LimitRanges)
	names, at := in.containers()
	share := int64(0)
	for _, u := range in.Usage {
		if p, _ := in.policyOf(u.Name); !p.Off && roleOf(in.Pod, u.Name) != startOnly {
			share++
		}
	}
	result := Result{Containers: make([]Container, len(names))}
	drafts := make([]*draft, 0, 2*len(names))
	within := make([]ContainerUsage, len(names))
	for i, name := range names {
		c := &result.Containers[i]
		c.Name = name
		if at[i] >= 0 {
			within[i] = in.cut(at[i])
		}
		u := within[i]
		c.Facts = factsOf(u, s)
		for _, res := range [...]struct {
			name  corev1.ResourceName
			out   *Amounts
			rule  Rule
			plain usage.View
			peaks usage.Peaks
		}{{corev1.ResourceCPU, &c.CPU, s.CPU, u.CPU, u.CPUPeaks}, {corev1.ResourceMemory, &c.Memory, s.Memory, u.Memory, u.MemoryPeaks}} {
			*res.out = Amounts{Resource: res.name, Limit: Limit{Mode: res.rule.Limit}, Steps: make([]Step, 0, 8)}
			d := &draft{rule: res.rule, arithmetic: s.Arithmetic, out: res.out,
				caps: ranges.container[res.name], maxRatio: ranges.ratio[res.name]}
			if u.StartupCPU != nil && res.name == corev1.ResourceCPU {
				d.startup, _ = fromFloat(float64(*u.StartupCPU*1000), Exact)
			}
			spec, path := specOf(in.Pod, name)
			r.present(d, spec, path, ranges)
			controlled := d.setPolicy(&r, in, name)
			drafts = append(drafts, d)
			if !controlled {
				d.refuse(NotControlled)
				continue
			}
			m := measured{view: res.plain, history: res.plain, share: max(share, 1)}
			if res.rule.From == Peaks {
				m.view, m.useOnly = res.peaks.Of, res.peaks.UseOnly
				if usage.Empty(m.history) {
					m.history = m.view
				}
			}
			if s.Arithmetic == Upstream {
				m.history = u.CPU
			}
			if res.name == corev1.ResourceMemory {
				m.kills = u.Events.OOMKills
			}
			if s.Hold && res.name == corev1.ResourceCPU && c.Facts.Throttled {
				m.hold = FromThrottling
			}
			if s.Hold && res.name == corev1.ResourceMemory && c.Facts.OOMKilled {
				m.hold = FromOOMKill
			}
			d.held = m.hold
			reason := d.run(s, m)
			if reason == NoData && res.rule.From == Peaks && !usage.Empty(res.plain) {
				reason = MissingQuantile // there are data, of the other kind
			}
			if reason != "" {
				d.refuse(reason)
				continue
			}
			d.out.Outcome = Recommended
			d.allowed()
			if !d.container() {
				d.refuse(BoundsConflict)
			}
		}
	}
	starting := r.starting(in.Pod, names, ranges)
	if len(r.errs) > 0 {
		return Result{}, r.errs
	}
	for _, name := range Resources() {
		b := ranges.pod[name]
		if b == (bounds{}) && ranges.podRatio[name] == 0 {
			continue
		}
		var together []*draft
		for i, d := range drafts {
			switch {
			case d.out.Resource != name:
			case roleOf(in.Pod, names[i/2]) == startOnly: // it has ended before the others start
				podRange([]*draft{d}, bounds{most: b.most})
			default:
				together = append(together, d)
			}
		}
		podRange(together, b)
		if most := ranges.podRatio[name]; most > 0 {
			podRatio(inOrder(in.Pod, name, names, drafts, starting), together, most, b.most)
		}
	}
	workload := map[skipreason.RiskFlag]bool{}
	for i := range result.Containers {
		c := &result.Containers[i]
		memory := drafts[2*i+1]
		below := false
		for _, d := range []*draft{drafts[2*i], memory} {
			if d.out.Outcome != Recommended {
				d.out.Limit.To = copied(d.out.Limit.From)
				continue
			}
			d.capAtLimit()
			low, ok := d.finish()
			if !ok {
				path := field.NewPath("containers").Key(c.Name).Child(string(d.out.Resource), "limit")
				return Result{}, field.ErrorList{field.Invalid(path, d.now.Request, "the limit in the present ratio to this request does not fit 64 bits")}
			}
			below = below || low
		}
		spec, _ := specOf(in.Pod, c.Name)
		holds := in.flagsOf(c, within[i], spec, memory)
		holds[skipreason.FlagLimitBelowStartup] = below
		c.Flags = flags(holds)
		c.Savings = savings(c, in.Prices, in.Replicas)
		if roleOf(in.Pod, c.Name) == beside {
			result.Savings.CPUMilli += c.Savings.CPUMilli
			result.Savings.MemoryBytes += c.Savings.MemoryBytes
		}
		for f, on := range holds {
			workload[f] = workload[f] || on
		}
	}
	result.Savings = result.Savings.At(in.Prices, in.Replicas)
	if in.Pod != nil {
		result.QoS = QoSChange(ranges.finished(in.Pod), ranges.finished(after(in.Pod, result.Containers)))
		workload[skipreason.FlagQoSChange] = result.QoS.InPlaceRefused
	}
	result.Flags = flags(workload)
	return result, nil
}

func (d *draft) refuse(why Reason) {
	d.out.Outcome, d.out.Reason = None, why
	d.out.Steps, d.out.CappedBy, d.out.Uncapped = nil, "", 0
}

func copied(v *int64) *int64 {
	if v == nil {
		return nil
	}
	n := *v
	return &n
}

// containers returns the names in the order of the result, and where each one's usage stands; -1 is none.
func (in Input) containers() (names []string, at []int) {
	find := func(name string) int {
		return slices.IndexFunc(in.Usage, func(u ContainerUsage) bool { return u.Name == name })
	}
	if in.Pod == nil {
		for i, u := range in.Usage {
			names, at = append(names, u.Name), append(at, i)
		}
		return names, at
	}
	for i := range in.Pod.Containers {
		name := in.Pod.Containers[i].Name
		names, at = append(names, name), append(at, find(name))
	}
	for i := range in.Pod.InitContainers {
		name := in.Pod.InitContainers[i].Name
		if j := find(name); j >= 0 || roleOf(in.Pod, name) == beside {
			names, at = append(names, name), append(at, j)
		}
	}
	return names, at
}

// cut returns one container's usage within the window.
func (in Input) cut(i int) ContainerUsage {
	u := in.Usage[i]
	if in.Window == (usage.Window{}) {
		return u
	}
	u.Events = u.Events.In(in.Window)
	within := func(v usage.View) usage.View {
		if s, ok := v.(*usage.Samples); ok {
			return s.In(in.Window)
		}
		return v
	}
	u.CPU, u.Memory = within(u.CPU), within(u.Memory)
	u.CPUPeaks.Of, u.MemoryPeaks.Of = within(u.CPUPeaks.Of), within(u.MemoryPeaks.Of)
	return u
}

func factsOf(u ContainerUsage, s Strategy) Facts {
	f := Facts{OOMKilled: len(u.Events.OOMKills) > 0}
	for _, kill := range u.Events.OOMKills {
		f.OOMKills += min(max(kill.Times, 1), math.MaxInt64-f.OOMKills)
	}
	if t := u.Events.Throttled; t != nil {
		f.Throttled = *t > s.ThrottledAbove.Float()
	}
	return f
}

// policyOf returns the container's policy: the one with its name, otherwise the one for "*".
func (in Input) policyOf(name string) (Policy, int) {
	for _, want := range [...]string{name, "*"} {
		for i, p := range in.Policies {
			if p.Container == want {
				return p, i
			}
		}
	}
	return Policy{}, -1
}

// setPolicy reads the policy's bounds. It reports whether the policy wants a recommendation.
func (d *draft) setPolicy(r *reader, in Input, name string) bool {
	p, i := in.policyOf(name)
	if i < 0 && in.MaxAllowed == nil {
		return true
	}
	path := field.NewPath("policies").Index(max(i, 0))
	d.policy.least, _ = r.amount(path.Child("minAllowed"), p.MinAllowed, d.out.Resource, ceilAmount)
	if most, ok := r.most(path.Child("maxAllowed"), p.MaxAllowed, d.out.Resource); ok {
		d.policy.most = most
	} else {
		d.policy.most, _ = r.most(field.NewPath("maxAllowed"), in.MaxAllowed, d.out.Resource)
	}
	if impossible(d.policy) {
		r.errs = append(r.errs, field.Invalid(path.Child("maxAllowed").Key(string(d.out.Resource)), d.policy.most, "must not be below minAllowed"))
	}
	return !p.Off && (p.Controlled == nil || slices.Contains(p.Controlled, d.out.Resource))
}

func (in Input) flagsOf(c *Container, u ContainerUsage, spec *corev1.Container, memory *draft) map[skipreason.RiskFlag]bool {
	holds := map[skipreason.RiskFlag]bool{
		skipreason.FlagThrottled: c.Facts.Throttled,
		skipreason.FlagOOMKilled: c.Facts.OOMKilled,
		skipreason.FlagHeap:      hasHeap(spec),
	}
	for _, v := range []usage.View{u.CPU, u.Memory} {
		if !usage.Empty(v) && (v.Count() < fewSamples || span(v) < day) {
			holds[skipreason.FlagFewSamples] = true
		}
	}
	if !usage.Empty(u.CPU) {
		if most, ok := u.CPU.Max(); ok && most < idleCores {
			holds[skipreason.FlagIdle] = true
		}
	}
	samples := u.Memory
	if usage.Empty(samples) {
		samples = u.MemoryPeaks.Of
	}
	slowed := slices.ContainsFunc(c.Memory.Steps, func(s Step) bool { return s.Stage == StageStepLimit && s.After.Request < s.Before.Request })
	if c.Memory.Outcome == Recommended && (c.Memory.CappedBy != "" || slowed) {
		need := int64(0)
		if !usage.Empty(samples) {
			if most, ok := samples.Max(); ok {
				need = truncate(most)
			}
		}
		for _, step := range c.Memory.Steps {
			if step.Stage == StageOOM {
				need = max(need, step.Value)
			}
		}
		holds[skipreason.FlagCappedBelowPeak] = c.Memory.Request < need
	}
	if most, seen := unpeaked(u); seen && c.Memory.Outcome == Recommended && memory.rule.From == Peaks && c.Memory.Request < most {
		holds[skipreason.FlagCappedBelowPeak] = true
	}
	holds[skipreason.FlagMemoryIndependent] = in.MemoryScaled && independent(samples, u.CPU)
	return holds
}

// unpeaked returns the largest memory sample in bytes where the peaks do not hold it, as after usage.PeakRule met a zero in the first sample of an
// interval: then a request that the peaks give can be far below what was used.
func unpeaked(u ContainerUsage) (int64, bool) {
	if usage.Empty(u.Memory) || usage.Empty(u.MemoryPeaks.Of) {
		return 0, false
	}
	most, ok := u.Memory.Max()
	peak, known := u.MemoryPeaks.Of.Max()
	return truncate(most), ok && known && truncate(peak) < truncate(most)
}
