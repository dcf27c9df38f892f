package replicas

import "math"

// ObjectValue is the proposal of an Object metric with a Value target. Both are in thousandths.
//
//	ratio    = value / target
//	proposal = ceil(ratio * ready pods), or the present count within tolerance
//
// Ready pods are Running and Ready; deleted ones count. If none is ready the proposal is 0, whatever the load. From
// zero replicas it is ceil(ratio), without tolerance and without pods. Rounding up costs up to one pod.
//
// Fails with no-pods (not from zero) and no-target. Upstream: GetObjectMetricReplicas, getUsageRatioReplicaCount.
func (c Calculator) ObjectValue(value int64, pods []Pod, target MilliTarget) (Result, error) {
	if err := c.checkTarget(int64(target)); err != nil {
		return Result{}, err
	}
	r := Result{Milli: value, Total: value}
	if err := c.value(&r, float64(value)/float64(target), pods); err != nil {
		return Result{}, err
	}
	return r, nil
}

// ExternalValue is ObjectValue for an External metric: the value is the sum of every series. Upstream stops adding
// when the sum exceeds int64 and takes the largest int64 (Capped); series that follow are not subtracted.
//
// Fails with empty (no series), no-pods (not from zero) and no-target. Upstream: GetExternalMetricReplicas.
func (c Calculator) ExternalValue(series []int64, pods []Pod, target MilliTarget) (Result, error) {
	if err := c.checkTarget(int64(target)); err != nil {
		return Result{}, err
	}
	if len(series) == 0 {
		return Result{}, &MetricError{Failure: FailureEmpty}
	}
	var r Result
	r.Milli = c.seriesSum(&r, series)
	r.Total = r.Milli
	if err := c.value(&r, float64(r.Milli)/float64(target), pods); err != nil {
		return Result{}, err
	}
	return r, nil
}

// seriesSum adds as upstream does, except that sums below int64 do not wrap.
func (c *Calculator) seriesSum(r *Result, series []int64) int64 {
	var exact total
	for _, v := range series {
		running, fits := exact.narrow()
		if c.ReproduceOverflow {
			running, fits = exact.wrapped(), true
		}
		if fits && v > 0 && running > math.MaxInt64-v {
			r.Capped = true
			return math.MaxInt64
		}
		exact.add(v)
		if _, fits = exact.narrow(); !fits {
			r.OutOfRange.Sum = true
		}
	}
	if c.ReproduceOverflow {
		return exact.wrapped()
	}
	sum, fits := exact.narrow()
	if !fits {
		return math.MinInt64
	}
	return sum
}

// value is the common formula of Value targets.
func (c *Calculator) value(r *Result, ratio float64, pods []Pod) error {
	r.setRatio(ratio, ratio)
	r.Outcome = OutcomeComputed
	if c.Current == 0 {
		n, beyond := toInt32(math.Ceil(ratio), c.ReproduceOverflow)
		r.Replicas, r.OutOfRange.Replicas = n, beyond
		return nil
	}
	if c.Tolerance.Within(ratio) {
		r.Replicas, r.Outcome = c.Current, OutcomeTolerance
		return nil
	}
	if err := checkPods(pods); err != nil {
		return err
	}
	for i := range pods {
		if pods[i].isReady() {
			r.Pods.Ready++
		}
	}
	product := float64(ratio * float64(r.Pods.Ready))
	if product > math.MaxInt32 {
		r.Replicas, r.Capped = math.MaxInt32, true
		return nil
	}
	n, beyond := toInt32(math.Ceil(product), c.ReproduceOverflow)
	r.Replicas, r.OutOfRange.Replicas = n, beyond
	return nil
}
