package rightsizetest

import (
	"math/big"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

// The laws read what a plan does to the objects, never what it says about its own working.

// hpaOf is the first HPA that is there, and whether there are others.
func hpaOf(in hpacouple.Input) (one *autoscalingv2.HorizontalPodAutoscaler, several bool) {
	one = in.HPA
	for _, h := range in.OtherHPAs {
		switch {
		case one == nil:
			one = h
		case h != nil && h != one:
			several = true
		}
	}
	return one, several
}

// coupledEntry is the one entry that a plan can coordinate.
func coupledEntry(in hpacouple.Input) (metrics.Entry, bool) {
	one, several := hpaOf(in)
	if one == nil || several || in.Workload.Kind == "DaemonSet" {
		return metrics.Entry{}, false
	}
	entries := metrics.Classify(&one.Spec)
	if len(entries) != 1 || !entries[0].Coupled() || entries[0].Type != autoscalingv2.ResourceMetricSourceType || entries[0].Utilization < 1 {
		return metrics.Entry{}, false
	}
	e := entries[0]
	return e, in.Options.AutoPatch == nil || slices.Contains(in.Options.AutoPatch, e.Resource)
}

// pair is what is in force: the request sum of one pod in thousandths, and the target.
type pair struct {
	requests int64
	target   int32
	counted  map[string]int64 // the template's containers that count
	basis    metrics.Basis
}

func pairOf(in hpacouple.Input) (pair, bool) {
	e, ok := coupledEntry(in)
	if !ok {
		return pair{}, false
	}
	sum, err := in.Pod.Requests(e.Resource, "")
	if err != nil || sum.Milli < 1 {
		return pair{}, false
	}
	p := pair{requests: sum.Milli, target: e.Utilization, counted: map[string]int64{}, basis: sum.Basis}
	for _, t := range sum.Terms {
		if t.Counted && !t.Injected {
			p.counted[t.Name] = t.Request.Milli
		}
	}
	return p, true
}

func (p pair) product() *big.Int { return product(p.requests, int64(p.target)) }

func product(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// limits of the target: the hub's bounds, widened to hold the live target, and the step of requests in thousandths.
type limits struct {
	lo, hi int32
	step   int64
}

func limitsOf(in hpacouple.Input, live int32) limits {
	b := limits{lo: 40, hi: 90, step: stepOf(in, corev1.ResourceCPU)}
	if e, ok := coupledEntry(in); ok {
		b.step = stepOf(in, e.Resource)
	}
	if in.Options.MinUtilization != 0 {
		b.lo = in.Options.MinUtilization
	}
	if in.Options.MaxUtilization != 0 {
		b.hi = in.Options.MaxUtilization
	}
	b.lo, b.hi = min(b.lo, live), max(b.hi, live)
	return b
}

func stepOf(in hpacouple.Input, name corev1.ResourceName) int64 {
	if q, ok := in.Options.Steps[name]; ok {
		c := q.DeepCopy()
		return c.MilliValue()
	}
	if name == corev1.ResourceMemory {
		return 1 << 20 * 1000
	}
	return 1
}

// keeps says whether requests x target is what it was: H1 where no bound holds the target, else H1 or H1b. law is the one to report: H1 and H1b
// share the work.
func keeps(was *big.Int, now pair, b limits) *Violation {
	gap := new(big.Int).Sub(now.product(), was)
	size := new(big.Int).Abs(gap)
	if new(big.Int).Lsh(size, 1).Cmp(big.NewInt(now.requests)) <= 0 {
		return nil
	}
	if now.target != b.lo && now.target != b.hi {
		return LawH1.broken("R'T' = %d x %d = %v, should be %v within R'/2", now.requests, now.target, now.product(), was)
	}
	ok := size.Cmp(product(b.step, int64(now.target))) < 0
	if b.lo != b.hi {
		ok = ok && (gap.Sign() >= 0) == (now.target == b.hi)
	}
	if !ok {
		return LawH1b.broken("at the bound %d: R'T' = %d x %d = %v, should be %v within a step of %d x %d", now.target, now.requests, now.target, now.product(), was, b.step, now.target)
	}
	return nil
}
