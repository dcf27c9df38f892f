package replicas

import (
	"math"

	corev1 "k8s.io/api/core/v1"
)

// Utilization is the proposal of a Resource or ContainerResource metric with a utilization target in whole percent.
//
//	u        = sum(usage) * 100 / sum(request), truncated to whole percent
//	ratio    = u / target
//	proposal = ceil(ratio * pods that counted), or the present count within tolerance
//
// The sums go over the pods that count with a sample. Truncating u keeps pods busier than the target says, by up to
// one point; rounding the proposal up costs up to one pod. If pods are missing, or unready while ratio > 1, they are
// filled in and the ratio is computed again: on a scale-down a missing pod uses its request, or target percent of it
// if that is more; on a scale-up it and every unready pod use nothing.
//
// unlisted are samples, in thousandths, of pods that the selector does not list (any more). Their usage is left out,
// but the second pass counts them as pods.
//
// Fails with no-pods, no-samples, missing-request, missing-pod-request, unknown-container, request-range,
// zero-request, no-target. Law N1. Upstream: GetResourceReplicas.
func (c Calculator) Utilization(resource corev1.ResourceName, pods []Pod, unlisted []int64, target int32) (Result, error) {
	var r Result
	if err := c.checkTarget(int64(target)); err != nil {
		return r, err
	}
	if err := checkPods(pods); err != nil {
		return r, err
	}
	sums := utilizationSums{floor: int64(max(100, target)), reproduce: c.ReproduceOverflow}
	cpu := isCPU(resource)
	for i := range pods {
		v := c.verdict(&pods[i], cpu)
		r.Pods.count(v)
		sums.add(&pods[i], v)
	}
	r.Pods.Unlisted = len(unlisted)
	if r.Pods.Ready+len(unlisted) == 0 {
		return r, &MetricError{Failure: FailureNoSamples}
	}
	if sums.unrequested != nil {
		return r, asMetricError(sums.unrequested)
	}
	u, ok := sums.percent(sums.usage, sums.request, &r.OutOfRange)
	if !ok {
		return r, &MetricError{Failure: FailureZeroRequest}
	}
	r.Utilization = u
	r.Milli = sums.mean(int64(r.Pods.Ready), &r.OutOfRange)
	first := float64(u) / float64(target)

	up := lift(r.Pods, first)
	if !up && r.Pods.Missing == 0 {
		c.direct(&r, first)
		return r, nil
	}
	usage, request := sums.usage, sums.request
	if r.Pods.Missing > 0 && first != 1.0 {
		r.Pods.Filled += r.Pods.Missing
		request.join(sums.missingRequest)
		if first < 1.0 {
			usage.join(sums.missingFill)
			r.OutOfRange.Sum = r.OutOfRange.Sum || sums.fillBeyond
		}
	}
	if up {
		r.Pods.Filled += r.Pods.Unready
		request.join(sums.unreadyRequest)
	}
	u, ok = sums.percent(usage, request, &r.OutOfRange)
	if !ok {
		return r, &MetricError{Failure: FailureZeroRequest}
	}
	c.refilled(&r, first, float64(u)/float64(target), r.Pods.Ready+len(unlisted)+r.Pods.Filled)
	return r, nil
}

// utilizationSums are the sums of one walk over the pods.
type utilizationSums struct {
	floor     int64 // percent of its request that a missing pod uses on a scale-down
	reproduce bool

	usage, request              total // pods that count with their sample
	missingRequest, missingFill total
	unreadyRequest              total
	fillBeyond                  bool
	unrequested                 *MetricError // of the first pod that has one
}

func (s *utilizationSums) add(p *Pod, v verdict) {
	if p.Unrequested != nil && s.unrequested == nil {
		s.unrequested = p.Unrequested
	}
	switch v {
	case counted:
		s.usage.add(p.Sample.Milli)
		s.request.add(p.Request)
	case missingSample:
		s.missingRequest.add(p.Request)
		s.fill(p.Request)
	case ignoredDeleted, ignoredFailed:
	default:
		s.unreadyRequest.add(p.Request)
	}
}

// fill adds what a missing pod is taken to use on a scale-down.
func (s *utilizationSums) fill(request int64) {
	if request <= math.MaxInt64/math.MaxInt32 && request >= -math.MaxInt64/math.MaxInt32 {
		s.missingFill.add(request * s.floor / 100)
		return
	}
	exact := times(request, s.floor)
	wrapped := request * s.floor / 100
	if v, fits := exact.narrow(); !fits || v != wrapped {
		s.fillBeyond = true
	}
	if s.reproduce {
		s.missingFill.add(wrapped)
		return
	}
	s.missingFill.join(exact)
}

// percent is the utilization of two sums; not ok if there is nothing to divide by.
func (s *utilizationSums) percent(usage, request total, out *OutOfRange) (u int64, ok bool) {
	exact := request != (total{})
	if exact {
		u = percent(usage, request, out)
	}
	if !s.reproduce {
		return u, exact
	}
	if request.wrapped() == 0 {
		return 0, false
	}
	return wrappedPercent(usage, request), true
}

// mean is the average that status shows beside the utilization.
func (s *utilizationSums) mean(n int64, out *OutOfRange) int64 {
	if n == 0 {
		return 0
	}
	exact := mean(s.usage, n, out)
	if s.reproduce {
		return s.usage.wrapped() / n
	}
	return exact
}
