package replicas

import "math"

// ObjectAverage is the proposal of an Object metric with an AverageValue target. Both are in thousandths.
//
//	ratio    = value / (target * status replicas)
//	proposal = ceil(value / target), or status replicas within tolerance
//
// No pods take part. Within tolerance the proposal is the *status* count: while status lags behind spec, as in a
// rollout with surge pods, the size creeps. While status is zero, whatever spec says, there is no ratio (Unbounded),
// no tolerance, and no average (NoAverage); at a spec of zero with pods left in status the tolerance holds. The average
// that status shows is rounded up. Rounding the proposal up costs up to one pod.
//
// Fails with no-target. Upstream: GetObjectPerPodMetricReplicas.
func (c Calculator) ObjectAverage(value int64, target MilliTarget) (Result, error) {
	r := Result{Total: value}
	if err := c.checkTarget(int64(target)); err != nil {
		return Result{}, err
	}
	if !c.perReplica(&r, value, target) {
		n, beyond := toInt32(math.Ceil(float64(value)/float64(target)), c.ReproduceOverflow)
		r.Replicas, r.OutOfRange.Replicas = n, beyond
	}
	c.setAverage(&r, value)
	return r, nil
}

// ExternalAverage is ObjectAverage for an External metric: the value is the sum of every series.
//
// Upstream takes any running sum below zero for an overflow and stops with the largest int64. A true overflow is
// reported as Capped; a negative sum as NegativeSum, and it proposes the largest int32, an outage turned into a bill.
//
// Fails with empty (no series) and no-target. Upstream: GetExternalPerPodMetricReplicas.
func (c Calculator) ExternalAverage(series []int64, target MilliTarget) (Result, error) {
	var r Result
	if err := c.checkTarget(int64(target)); err != nil {
		return r, err
	}
	if len(series) == 0 {
		return r, &MetricError{Failure: FailureEmpty}
	}
	value := int64(0)
	for _, v := range series {
		sum := value + v
		if sum < 0 {
			r.Capped, r.NegativeSum = v >= 0, v < 0
			value = math.MaxInt64
			break
		}
		value = sum
	}
	r.Total = value
	if !c.perReplica(&r, value, target) {
		wanted := math.Ceil(float64(value) / float64(target))
		r.Capped = r.Capped || wanted > math.MaxInt32
		r.Replicas, r.OutOfRange.Replicas = toInt32(min(wanted, math.MaxInt32), c.ReproduceOverflow)
	}
	// As floats, the largest 512 sums are all 2^63.
	if float64(value) >= float64(math.MaxInt64) {
		r.Milli = math.MaxInt64
		return r, nil
	}
	c.setAverage(&r, value)
	return r, nil
}

// perReplica sets the ratio, and the count if it is within tolerance.
func (c *Calculator) perReplica(r *Result, value int64, target MilliTarget) (held bool) {
	ratio := float64(value) / float64(float64(target)*float64(c.Status))
	r.setRatio(ratio, ratio)
	if c.Tolerance.Within(ratio) {
		r.Replicas, r.Outcome = c.Status, OutcomeTolerance
		return true
	}
	r.Outcome = OutcomeComputed
	return false
}

// setAverage sets ceil(value / status replicas).
func (c *Calculator) setAverage(r *Result, value int64) {
	average := math.Ceil(float64(value) / float64(c.Status))
	r.Milli, r.OutOfRange.Average = toInt64(average, c.ReproduceOverflow)
	if c.Status != 0 {
		return
	}
	r.NoAverage = true
	if !c.ReproduceOverflow {
		r.Milli = 0
	}
}
