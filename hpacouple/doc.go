// Package hpacouple changes a workload's requests and the target of its HorizontalPodAutoscaler together, so that scaling stays the same.
//
// An HPA with a utilization target divides usage by requests. Whoever lowers requests alone makes utilization rise and the HPA add replicas,
// and the saving is gone. This package keeps requests x target constant:
//
//	new target = old target x (sum of requests before) / (sum of requests after)
//
// [Target] is that formula. [Plan] is the hub's part: it takes the pod template, the HPA and the recommended requests, and returns the
// requests and the target that go together, or says why they stay. [Admit] is the agent's part: it holds a plan against the policy and the
// live objects and allows or blocks it.
//
// The package does not measure usage (package usage), does not know what a container needs (package recommend) and writes nothing.
package hpacouple

import "github.com/kube-rightsize/rightsize/bounds"

// Target returns the target that keeps requests x target constant: the formula of [bounds.Target], for a caller with three numbers.
//
//	T' = nearest whole percent to T x R / R'; a tie goes to the lower
//
// Units: targets in whole percent; request sums of one pod, both in the same unit (millicores, bytes). Rounding, special cases and law H1
// are those of [bounds.Target]: ok is false where no whole percent of int32 above 0 is the answer.
func Target(oldTarget int32, oldRequests, newRequests int64) (newTarget int32, ok bool) {
	return bounds.Target(oldTarget, oldRequests, newRequests)
}
