// Package recommend says what a container needs: usage windows in, requests out.
//
// Workload runs one pipeline of small stages for each container and resource; a Strategy sets what each stage does:
//
//	quantile -> margin -> confidence -> OOM -> hold -> minimum -> rounding -> step limit -> policy -> LimitRange -> limit
//
// Every stage that is switched on leaves a Step with what it found, what it made of it and where that came from. There
// are two ready strategies, VPA (what VPA 1.8 computes, bit for bit) and Peak, and any other that passes Validate.
//
// Missing data are never a small number. A container without samples, with too few, or with too short a history gets no
// recommendation and a reason; only an OOM kill stands in for samples, because it is evidence of need.
//
// Units: cpu in millicores, memory in bytes, int64. Rounding to a step comes before the caps, so that a cap is written
// exactly as it was given.
//
// Laws: R1 more usage never gives a smaller request. R2 VPA equals the real code; the deliberate differences are listed
// with the conformance tests. R3 lower bound <= request <= upper bound. Inputs are never written to.
package recommend
