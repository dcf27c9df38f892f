package replicas

import (
	corev1 "k8s.io/api/core/v1"
)

// ResourceAverage is the proposal of a Resource or ContainerResource metric with a raw AverageValue target, in
// thousandths. It does not depend on requests.
//
//	mean     = sum(usage) / number of samples, truncated
//	ratio    = mean / target
//	proposal = ceil(ratio * pods that counted), or the present count within tolerance
//
// Truncation keeps pods busier by less than a thousandth; rounding the proposal up costs up to one pod. A missing pod
// is taken to use exactly the target on a scale-down and nothing on a scale-up, an unready one nothing on a scale-up.
// Samples of unlisted pods count, in the mean as well.
//
// Fails with no-pods, no-samples, no-target. Law N1. Upstream: GetRawResourceReplicas.
func (c Calculator) ResourceAverage(resource corev1.ResourceName, pods []Pod, unlisted []int64, target MilliTarget) (Result, error) {
	return c.average(isCPU(resource), pods, unlisted, int64(target))
}

// PodsAverage is ResourceAverage for a Pods metric: readiness does not matter.
//
// Upstream: GetMetricReplicas.
func (c Calculator) PodsAverage(pods []Pod, unlisted []int64, target MilliTarget) (Result, error) {
	return c.average(false, pods, unlisted, int64(target))
}

// average is the common formula. Upstream: calcPlainMetricReplicas.
func (c *Calculator) average(cpu bool, pods []Pod, unlisted []int64, target int64) (Result, error) {
	var r Result
	if err := c.checkTarget(target); err != nil {
		return r, err
	}
	if err := checkPods(pods); err != nil {
		return r, err
	}
	var sum total
	for i := range pods {
		v := c.verdict(&pods[i], cpu)
		r.Pods.count(v)
		if v == counted {
			sum.add(pods[i].Sample.Milli)
		}
	}
	for _, v := range unlisted {
		sum.add(v)
	}
	r.Pods.Unlisted = len(unlisted)
	n := r.Pods.Ready + len(unlisted)
	if n == 0 {
		return r, &MetricError{Failure: FailureNoSamples}
	}
	r.Milli = c.mean(sum, n, &r.OutOfRange)
	first := float64(r.Milli) / float64(target)

	up := lift(r.Pods, first)
	if !up && r.Pods.Missing == 0 {
		c.direct(&r, first)
		return r, nil
	}
	if r.Pods.Missing > 0 && first != 1.0 {
		r.Pods.Filled += r.Pods.Missing
		if first < 1.0 {
			for range r.Pods.Missing {
				sum.add(target)
			}
		}
	}
	if up {
		r.Pods.Filled += r.Pods.Unready
	}
	n += r.Pods.Filled
	c.refilled(&r, first, float64(c.mean(sum, n, &r.OutOfRange))/float64(target), n)
	return r, nil
}

func (c *Calculator) mean(sum total, n int, out *OutOfRange) int64 {
	exact := mean(sum, int64(n), out)
	if c.ReproduceOverflow {
		return sum.wrapped() / int64(n)
	}
	return exact
}
