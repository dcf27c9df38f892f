package recommend_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// TestKillOfUnknownAmount: what nobody knows is no small number.
func TestKillOfUnknownAmount(t *testing.T) {
	const gib = int64(1 << 30)
	for _, c := range []struct {
		why      string
		pod      *corev1.PodSpec
		kill     usage.OOMKill
		strategy recommend.Strategy
		reason   recommend.Reason
		memory   int64
	}{
		{why: "nothing is known", strategy: recommend.Peak(), reason: recommend.NoData},
		{why: "nothing is known, VPA", strategy: recommend.VPA(), reason: recommend.NoData},
		{why: "a container without a request", pod: podOf(resources(nil, nil)), strategy: recommend.Peak(), reason: recommend.NoData},
		{why: "the limit that it was killed at", kill: usage.OOMKill{Limit: 10 * gib}, strategy: recommend.Peak(), memory: 12 * gib},
		{why: "the request goes before the limit", kill: usage.OOMKill{Request: 5 * gib, Limit: 10 * gib}, strategy: recommend.Peak(), memory: 6 * gib},
		{why: "the highest use", kill: usage.OOMKill{Peak: 5 * gib, Limit: 10 * gib}, strategy: recommend.Peak(), memory: 6 * gib},
		{why: "the present request stands in", pod: podOf(resources(list("", "5Gi"), nil)), strategy: recommend.Peak(), memory: 6 * gib},
	} {
		c.strategy.MinSamples, c.strategy.MinSpan.Duration = 0, 0
		in := recommend.Input{Pod: c.pod, Usage: one(recommend.ContainerUsage{Events: usage.Events{OOMKills: []usage.OOMKill{c.kill}}})}
		r, errs := recommend.Workload(in, c.strategy)
		require.Empty(t, errs, c.why)
		require.Equal(t, c.reason, r.Containers[0].Memory.Reason, c.why)
		require.Equal(t, c.memory, r.Containers[0].Memory.Request, c.why)
	}
}

// TestLimitsThatHold: with Hold a limit whose fact holds does not fall, and a limit of a LimitRange goes with its default request.
func TestLimitsThatHold(t *testing.T) {
	throttled := 0.5
	held := recommend.VPA()
	held.Hold = true
	defaults := limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: list("1", ""), DefaultRequest: list("100m", "")})
	capped := []recommend.Policy{{Container: "a", MaxAllowed: list("400m", "")}}
	for _, c := range []struct {
		why       string
		in        recommend.Input
		strategy  recommend.Strategy
		throttled *float64
		request   int64
		limit     int64
		by        recommend.Cause
	}{
		{why: "in the present ratio", strategy: recommend.VPA(), in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", "")))}, request: 296, limit: 592},
		{why: "held", strategy: held, throttled: &throttled, in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", "")))}, request: 500, limit: 1000},
		{why: "held above the owner's policy", strategy: held, throttled: &throttled, in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", ""))), Policies: capped},
			request: 400, limit: 1000, by: recommend.FromThrottling},
		{why: "without Hold whoever coordinates the change holds it", strategy: recommend.VPA(), throttled: &throttled,
			in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", "")))}, request: 296, limit: 592},
		{why: "a default limit goes with its default request", strategy: recommend.VPA(), in: recommend.Input{Pod: podOf(resources(nil, nil)), LimitRanges: defaults}, request: 296, limit: 2960},
		{why: "a LimitRange's largest ratio", strategy: recommend.VPA(), in: recommend.Input{Pod: podOf(resources(list("500m", ""), list("1", ""))),
			LimitRanges: limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("1500m", "")})},
			request: 296, limit: 444, by: recommend.FromMaxRatio},
	} {
		h, err := usage.NewHistogram(usage.VPACPU, 24*time.Hour)
		require.NoError(t, err)
		for i := range 8 * 24 * 60 {
			require.NoError(t, h.Add(monday.Add(time.Duration(i)*time.Minute), 0.25, usage.VPASampleWeight))
		}
		c.in.Usage = one(recommend.ContainerUsage{CPU: h, Events: usage.Events{Throttled: c.throttled}})
		r, errs := recommend.Workload(c.in, c.strategy)
		require.Empty(t, errs, c.why)
		cpu := r.Containers[0].CPU
		require.Equal(t, c.request, cpu.Request, c.why)
		require.Equal(t, c.limit, *cpu.Limit.To, c.why)
		require.Equal(t, c.by, cpu.Limit.By, c.why)
	}
}
