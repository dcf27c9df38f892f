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
	errs = append(errs, share(path, s.OOM.Bump, maxPPM, "oom", "bump")...)
	errs = append(errs, amount(path, s.OOM.MinBump, "oom", "minBump")...)
	return append(errs, share(path, s.ThrottledAbove, Whole, "throttledAbove")...)
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
		errs = append(errs, share(path, s.of.Quantile, Whole, s.name, "quantile")...)
		if s.of.Max && s.of.Quantile != 0 {
			errs = append(errs, field.Invalid(path.Child(s.name), s.of.words(), "is either a quantile or the maximum"))
		}
	}
	if r.Target == (Statistic{}) {
		errs = append(errs, field.Required(path.Child("target"), "a quantile above 0, or the maximum: quantile 0 is the least that was ever used"))
	}
	if r.Target.below(r.Lower) {
		errs = append(errs, field.Invalid(path.Child("lower"), r.Lower.words(), "must not be above target"))
	}
	if r.Upper.below(r.Target) {
		errs = append(errs, field.Invalid(path.Child("upper"), r.Upper.words(), "must not be below target"))
	}
	errs = append(errs, share(path, r.Margin, maxPPM, "margin")...)
	if r.Confidence.Duration < 0 {
		errs = append(errs, field.Invalid(path.Child("confidence"), r.Confidence.Duration.String(), "must not be negative"))
	}
	errs = append(errs, amount(path, r.PodMinimum, "podMinimum")...)
	errs = append(errs, amount(path, r.Minimum, "minimum")...)
	errs = append(errs, share(path, r.MaxRaise, maxPPM, "maxRaise")...)
	errs = append(errs, share(path, r.MaxCut, Whole, "maxCut")...)
	errs = append(errs, amount(path, r.Step, "step")...)
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

// Paths are only put together for what is wrong: a strategy is validated with every recommendation.

func share(path *field.Path, v, most PPM, name string, more ...string) field.ErrorList {
	if v < 0 || v > most {
		return field.ErrorList{field.Invalid(path.Child(name, more...), int64(v), "must be within 0 and "+most.String()+" millionths")}
	}
	return nil
}

func amount(path *field.Path, v int64, name string, more ...string) field.ErrorList {
	if v < 0 || v > maxAmount {
		return field.ErrorList{field.Invalid(path.Child(name, more...), v, "must be within 0 and 1e14")}
	}
	return nil
}
