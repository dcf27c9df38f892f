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
// # The life of a change
//
// What an admitted plan changes is a value, and so is all that has to be remembered of it. A controller, or a person with kubectl, goes through it like this:
//
//	plan      [Plan] with Input.Meta (managedFields) and Input.State (&State{} at first), then [Admit] against objects read anew
//	change    [ChangeOf]; it carries the state
//	dry       [Change.Writes] with the live objects and the stored [Taken]. Not written where Stale or Contested says why. Send them with dryRun=All first:
//	          a webhook or a limit that refuses the second half then shows before the first is in force
//	store     the change and Writing.Taken, before the first write: what is taken cannot be read any more afterwards
//	write     each write in its order, as a PATCH of its type with its field manager and force. An answer of 409 means: read again, and go on from here
//	again     while Writing.Again says that a limit stood in the way, from "dry" with objects read anew
//	confirm   store [Taken.Confirm] of the live objects: from now on it is seen when somebody takes a field back
//	tell      [Change.Events], [Change.Records], [Change.RecommendationHPAStatus]; where it was refused, [Verdict.Events]
//	back      [Change.Reverse], written the same way; store its State again before
//	out       [Release], with the old values or without; then nothing of ours is left, and the state is thrown away
//
// The permissions that all of it needs are [Rules]. A controller that does so is in examples/controller.
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
