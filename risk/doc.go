// Package risk finds operating mistakes in an HPA and its surroundings: the workload, its pods, other autoscalers, Services, the control
// plane. It never says what to do with a change; its findings travel with every outcome and stop none.
//
// [Check] asks every question at once and answers with findings: which flag, in which object, at which field, with which number. The rule of
// each flag, with its threshold, stands in the catalogue of package skipreason; the functions here repeat it and name its source. The small
// decisions that others share are functions of their own: [Owners], [ZeroState], [NeverWakes], [Controls], [Reserved].
//
// What is not known raises nothing: an input that is nil or empty leaves its questions unasked, and its comment says so. The one exception is
// ownership, where not knowing is itself the risk.
//
// Not here, because they depend on a planned change: target-outside-bounds, target-unreachable, trigger-near-limit, half-change, throttled,
// oom-killed, qos-change, pod-level-requests.
package risk
