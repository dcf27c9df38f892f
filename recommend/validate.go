package recommend

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxAmount is the largest amount of a resource, VPA's MaxResourceAmount: a hundred terabytes, a hundred thousand million cores.
const maxAmount = 100_000_000_000_000

// maxPPM is the largest share that a margin or a step limit may be: a thousandfold.
const maxPPM = 1000 * Whole

// Validate returns what cannot be in a strategy, by field path.
func (s Strategy) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !slices.Contains(Arithmetics(), s.Arithmetic) {
		errs = append(errs, field.NotSupported(path.Child("arithmetic"), s.Arithmetic, Arithmetics()))
	}
	errs = append(errs, s.CPU.validate(path.Child("cpu"))...)
	errs = append(errs, s.Memory.validate(path.Child("memory"))...)
	if s.Window.Duration <= 0 {
		errs = append(errs, field.Invalid(path.Child("window"), s.Window.Duration.String(), "must be greater than 0"))
	}
	if peaks := s.CPU.From == Peaks || s.Memory.From == Peaks; peaks && s.PeakInterval.Duration <= 0 || s.PeakInterval.Duration < 0 {
		errs = append(errs, field.Invalid(path.Child("peakInterval"), s.PeakInterval.Duration.String(), "must be greater than 0 where peaks are used"))
	}
	if s.MinSamples < 0 {
		errs = append(errs, field.Invalid(path.Child("minSamples"), s.MinSamples, "must not be negative"))
	}
	if s.MinSpan.Duration < 0 || s.MinSpan.Duration > s.Window.Duration && s.Window.Duration > 0 {
		errs = append(errs, field.Invalid(path.Child("minSpan"), s.MinSpan.Duration.String(), "must be within 0 and the window"))
	}
	errs = append(errs, share(path.Child("oom", "bump"), s.OOM.Bump, maxPPM)...)
	errs = append(errs, amount(path.Child("oom", "minBump"), s.OOM.MinBump)...)
	return append(errs, share(path.Child("throttledAbove"), s.ThrottledAbove, Whole)...)
}

func (r Rule) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !slices.Contains(Sources(), r.From) {
		errs = append(errs, field.NotSupported(path.Child("from"), r.From, Sources()))
	}
	for _, s := range []struct {
		name string
		of   Statistic
	}{{"lower", r.Lower}, {"target", r.Target}, {"upper", r.Upper}} {
		errs = append(errs, share(path.Child(s.name, "quantile"), s.of.Quantile, Whole)...)
		if s.of.Max && s.of.Quantile != 0 {
			errs = append(errs, field.Invalid(path.Child(s.name), s.of, "is either a quantile or the maximum"))
		}
	}
	if r.Target.below(r.Lower) {
		errs = append(errs, field.Invalid(path.Child("lower"), r.Lower, "must not be above target"))
	}
	if r.Upper.below(r.Target) {
		errs = append(errs, field.Invalid(path.Child("upper"), r.Upper, "must not be below target"))
	}
	errs = append(errs, share(path.Child("margin"), r.Margin, maxPPM)...)
	if r.Confidence.Duration < 0 {
		errs = append(errs, field.Invalid(path.Child("confidence"), r.Confidence.Duration.String(), "must not be negative"))
	}
	errs = append(errs, amount(path.Child("podMinimum"), r.PodMinimum)...)
	errs = append(errs, amount(path.Child("minimum"), r.Minimum)...)
	errs = append(errs, share(path.Child("maxRaise"), r.MaxRaise, maxPPM)...)
	errs = append(errs, share(path.Child("maxCut"), r.MaxCut, Whole)...)
	errs = append(errs, amount(path.Child("step"), r.Step)...)
	if !slices.Contains(LimitModes(), r.Limit) {
		errs = append(errs, field.NotSupported(path.Child("limit"), r.Limit, LimitModes()))
	}
	return errs
}

func (s Statistic) below(o Statistic) bool {
	if s.Max || o.Max {
		return !s.Max
	}
	return s.Quantile < o.Quantile
}

func share(path *field.Path, v, most PPM) field.ErrorList {
	if v < 0 || v > most {
		return field.ErrorList{field.Invalid(path, int64(v), "must be within 0 and "+most.String()+" millionths")}
	}
	return nil
}

func amount(path *field.Path, v int64) field.ErrorList {
	if v < 0 || v > maxAmount {
		return field.ErrorList{field.Invalid(path, v, "must be within 0 and 1e14")}
	}
	return nil
}
