package recommend

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/usage"
)

// validate returns what cannot be in an input, apart from the quantities, which are read later.
func (in Input) validate(s Strategy) field.ErrorList {
	var errs field.ErrorList
	if !in.Window.Valid() {
		errs = append(errs, field.Invalid(field.NewPath("window"), in.Window.End, "must end after it starts"))
	}
	if in.Replicas < 0 {
		errs = append(errs, field.Invalid(field.NewPath("replicas"), in.Replicas, "must not be negative"))
	}
	if in.Prices.CPU < 0 {
		errs = append(errs, field.Invalid(field.NewPath("prices", "cpu"), in.Prices.CPU, "must not be negative"))
	}
	if in.Prices.Memory < 0 {
		errs = append(errs, field.Invalid(field.NewPath("prices", "memory"), in.Prices.Memory, "must not be negative"))
	}
	seen := map[string]bool{}
	for i, u := range in.Usage {
		path := field.NewPath("usage").Index(i)
		switch {
		case u.Name == "":
			errs = append(errs, field.Required(path.Child("name"), ""))
		case seen[u.Name]:
			errs = append(errs, field.Duplicate(path.Child("name"), u.Name))
		}
		seen[u.Name] = true
		if in.Pod != nil {
			if c, _ := specOf(in.Pod, u.Name); c == nil && u.Name != "" {
				errs = append(errs, field.Invalid(path.Child("name"), u.Name, "the pod has no such container"))
			}
		}
		errs = append(errs, u.validate(path, in.Window, s)...)
	}
	seen = map[string]bool{}
	for i, p := range in.Policies {
		path := field.NewPath("policies").Index(i)
		if strings.TrimSpace(p.Container) == "" {
			errs = append(errs, field.Required(path.Child("container"), `a name or "*"`))
		}
		if seen[p.Container] {
			errs = append(errs, field.Duplicate(path.Child("container"), p.Container))
		}
		seen[p.Container] = true
		for j, name := range p.Controlled {
			if name != corev1.ResourceCPU && name != corev1.ResourceMemory {
				errs = append(errs, field.NotSupported(path.Child("controlled").Index(j), name, Resources()))
			}
		}
	}
	return errs
}

func (u ContainerUsage) validate(path *field.Path, window usage.Window, s Strategy) field.ErrorList {
	var errs field.ErrorList
	for _, v := range []struct {
		name  string
		peaks usage.Peaks
		from  Source
	}{{"cpuPeaks", u.CPUPeaks, s.CPU.From}, {"memoryPeaks", u.MemoryPeaks, s.Memory.From}} {
		if v.from == Peaks && !usage.Empty(v.peaks.Of) && v.peaks.Interval < s.PeakInterval.Duration {
			errs = append(errs, field.Invalid(path.Child(v.name, "interval"), v.peaks.Interval.String(), "must not be shorter than the strategy's peakInterval"))
		}
	}
	for _, v := range []struct {
		name  string
		of    usage.View
		peaks bool
	}{{"cpu", u.CPU, false}, {"memory", u.Memory, false}, {"cpuPeaks", u.CPUPeaks.Of, true}, {"memoryPeaks", u.MemoryPeaks.Of, true}} {
		if _, can := v.of.(*usage.Samples); can || usage.Empty(v.of) {
			continue
		}
		first, last := v.of.First(), v.of.Last()
		early := !first.IsZero() && !window.Start.IsZero() && first.Before(window.Start)
		// A peak stands at the end of its interval, which may lie beyond the window.
		late := !v.peaks && !last.IsZero() && !window.End.IsZero() && !last.Before(window.End)
		if early || late {
			errs = append(errs, field.Invalid(path.Child(v.name), first, "has samples outside the window and cannot be cut"))
		}
	}
	if t := u.Events.Throttled; t != nil && !(*t >= 0 && *t <= 1) {
		errs = append(errs, field.Invalid(path.Child("events", "throttled"), "not a share", "must be within 0 and 1"))
	}
	if s := u.StartupCPU; s != nil && !(*s >= 0 && *s <= maxAmount/1000) {
		errs = append(errs, field.Invalid(path.Child("startupCPU"), "not an amount", "must be within 0 and 1e11 cores"))
	}
	for i, k := range u.Events.OOMKills {
		if k.Times < 0 {
			errs = append(errs, field.Invalid(path.Child("events", "oomKills").Index(i).Child("times"), k.Times, "must not be negative"))
		}
		for _, v := range []int64{k.Request, k.Limit, k.Peak} {
			if v < 0 || v > maxAmount {
				errs = append(errs, field.Invalid(path.Child("events", "oomKills").Index(i), v, "must be within 0 and 1e14 bytes"))
			}
		}
	}
	return errs
}

// after returns the pod with the recommended requests and limits; the given one is not written to.
func after(pod *corev1.PodSpec, containers []Container) *corev1.PodSpec {
	changed := pod.DeepCopy()
	for i := range containers {
		c := &containers[i]
		spec, _ := specOf(changed, c.Name)
		if spec == nil {
			continue
		}
		for _, a := range []*Amounts{&c.CPU, &c.Memory} {
			if a.Outcome != Recommended {
				continue
			}
			if spec.Resources.Requests == nil {
				spec.Resources.Requests = corev1.ResourceList{}
			}
			spec.Resources.Requests[a.Resource] = Quantity(a.Resource, a.Request)
			if a.Limit.To == nil {
				delete(spec.Resources.Limits, a.Resource)
			} else if a.Limit.From == nil || *a.Limit.From != *a.Limit.To {
				if spec.Resources.Limits == nil {
					spec.Resources.Limits = corev1.ResourceList{}
				}
				spec.Resources.Limits[a.Resource] = Quantity(a.Resource, *a.Limit.To)
			}
		}
	}
	return changed
}

// Quantity returns an amount, millicores or bytes, as a quantity: always whole millicores or whole bytes.
func Quantity(name corev1.ResourceName, amount int64) resource.Quantity {
	if name == corev1.ResourceCPU {
		return *resource.NewMilliQuantity(amount, resource.DecimalSI)
	}
	return *resource.NewQuantity(amount, resource.BinarySI)
}
