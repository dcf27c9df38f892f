package metrics

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateRules(r *autoscalingv2.HPAScalingRules, at *place) (errs field.ErrorList) {
	if r == nil {
		return nil
	}
	if w := r.StabilizationWindowSeconds; w != nil && *w < 0 {
		errs = append(errs, field.Invalid(at.Child("stabilizationWindowSeconds"), *w, "must be greater than or equal to zero"))
	} else if w != nil && *w > 3600 {
		errs = append(errs, field.Invalid(at.Child("stabilizationWindowSeconds"), *w, "must be less than or equal to 3600"))
	}
	if p := r.SelectPolicy; p != nil {
		switch *p {
		case autoscalingv2.MaxChangePolicySelect, autoscalingv2.MinChangePolicySelect, autoscalingv2.DisabledPolicySelect:
		default:
			errs = append(errs, field.NotSupported(at.Child("selectPolicy"), string(*p), []string{"Disabled", "Max", "Min"}))
		}
	}
	if r.Policies != nil && len(r.Policies) == 0 { // nil is filled by the defaults, an empty list is not
		errs = append(errs, field.Required(at.Child("policies"), "must specify at least one Policy"))
	}
	for i, p := range r.Policies {
		errs = append(errs, validatePolicy(p, at.in("policies").at(i))...)
	}
	if r.Tolerance != nil && r.Tolerance.Sign() < 0 {
		c := r.Tolerance.DeepCopy()
		errs = append(errs, field.Invalid(at.Child("tolerance"), c.String(), "must be greater than or equal to 0"))
	}
	return errs
}

func validatePolicy(p autoscalingv2.HPAScalingPolicy, at *place) (errs field.ErrorList) {
	if p.Type != autoscalingv2.PodsScalingPolicy && p.Type != autoscalingv2.PercentScalingPolicy {
		errs = append(errs, field.NotSupported(at.Child("type"), string(p.Type), []string{"Percent", "Pods"}))
	}
	if p.Value <= 0 {
		errs = append(errs, field.Invalid(at.Child("value"), p.Value, "must be greater than zero"))
	}
	if p.PeriodSeconds <= 0 {
		errs = append(errs, field.Invalid(at.Child("periodSeconds"), p.PeriodSeconds, "must be greater than zero"))
	} else if p.PeriodSeconds > 1800 {
		errs = append(errs, field.Invalid(at.Child("periodSeconds"), p.PeriodSeconds, "must be less than or equal to 1800"))
	}
	return errs
}
