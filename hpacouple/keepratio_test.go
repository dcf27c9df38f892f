package hpacouple_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

func amountList(cpu, memory string) corev1.ResourceList {
	list := corev1.ResourceList{}
	if cpu != "" {
		list[corev1.ResourceCPU] = resource.MustParse(cpu)
	}
	if memory != "" {
		list[corev1.ResourceMemory] = resource.MustParse(memory)
	}
	return list
}

// TestKeepRatio: the limit goes with the request that the plan settles on, not with the one that was asked for.
func TestKeepRatio(t *testing.T) {
	for _, c := range []struct {
		why                    string
		requests, limits, asks corev1.ResourceList
		least                  corev1.ResourceList
		throttled, oomKilled   bool
		max                    int32
		outcome                hpacouple.Outcome
		cpu, cpuLimit          string
		memory, memoryLimit    string
	}{
		{why: "the ratio of 2 stays", requests: amountList("1", "1Gi"), limits: amountList("2", "2Gi"), asks: amountList("700m", "600Mi"),
			outcome: hpacouple.Coordinate, cpu: "700m", cpuLimit: "1400m", memory: "600Mi", memoryLimit: "1200Mi"},
		{why: "a bound on the target moves the request, and the limit with it", requests: amountList("500m", "512Mi"), limits: amountList("1", ""),
			asks: amountList("250m", ""), max: 75, outcome: hpacouple.Coordinate, cpu: "334m", cpuLimit: "668m"},
		{why: "a Guaranteed pod is fitted, not skipped, and stays Guaranteed", requests: amountList("500m", "512Mi"), limits: amountList("500m", "512Mi"),
			asks: amountList("250m", "400Mi"), max: 75, outcome: hpacouple.Coordinate, cpu: "334m", cpuLimit: "334m", memory: "400Mi", memoryLimit: "400Mi"},
		{why: "a held memory request holds its limit", requests: amountList("1", "512Mi"), limits: amountList("", "1Gi"), asks: amountList("700m", "400Mi"),
			oomKilled: true, outcome: hpacouple.Coordinate, cpu: "700m", memory: "512Mi", memoryLimit: "1Gi"},
		{why: "a held cpu request holds its limit", requests: amountList("500m", "512Mi"), limits: amountList("1", "1Gi"), asks: amountList("296m", "400Mi"),
			throttled: true, outcome: hpacouple.Coordinate, cpu: "500m", cpuLimit: "1", memory: "400Mi", memoryLimit: "800Mi"},
		{why: "an odd limit of a request that stays keeps every thousandth", requests: amountList("1", "512Mi"), limits: amountList("", "1073741824500m"),
			asks: amountList("700m", "512Mi"), outcome: hpacouple.Coordinate, cpu: "700m", memory: "512Mi", memoryLimit: "1073741824500m"},
		{why: "rounded down to a whole unit, and never below the request", requests: amountList("3m", "512Mi"), limits: amountList("4m", ""),
			asks: amountList("2m", ""), outcome: hpacouple.Coordinate, cpu: "2m", cpuLimit: "2m"},
		{why: "rounded down to a whole byte", requests: amountList("1", "1000Mi"), limits: amountList("", "1073741826"), asks: amountList("700m", "600Mi"),
			outcome: hpacouple.Coordinate, cpu: "700m", memory: "600Mi", memoryLimit: "644245095"},
		{why: "a start-up peak is the least that it becomes", requests: amountList("1", "1Gi"), limits: amountList("2", ""), asks: amountList("700m", ""),
			least: amountList("1800m", ""), outcome: hpacouple.Coordinate, cpu: "700m", cpuLimit: "1800m"},
		{why: "a request that rises takes the limit along", requests: amountList("500m", "1Gi"), limits: amountList("1", ""), asks: amountList("600m", ""),
			throttled: true, outcome: hpacouple.Coordinate, cpu: "600m", cpuLimit: "1200m"},
		{why: "without a limit there is none afterwards", requests: amountList("1", "1Gi"), asks: amountList("700m", ""),
			least: amountList("2", ""), outcome: hpacouple.Coordinate, cpu: "700m"},
	} {
		t.Run(c.why, func(t *testing.T) {
			in := shopInput()
			in.Pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: c.requests, Limits: c.limits}
			in.Options.MaxUtilization = c.max
			in.Recommendations = []hpacouple.Recommendation{{Container: "app", Requests: c.asks, Limits: c.least, Throttled: c.throttled, OOMKilled: c.oomKilled,
				KeepRatio: []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}}}
			p, errs := hpacouple.Plan(in)
			require.Empty(t, errs)
			require.Equal(t, c.outcome, p.Outcome, p.Cause)
			after := finalOf(p)
			require.Equal(t, [4]string{c.cpu, c.cpuLimit, c.memory, c.memoryLimit}, after)
		})
	}
}

// finalOf are the final requests and limits of the container app, empty where there is none.
func finalOf(p hpacouple.Result) (out [4]string) {
	show := func(q *resource.Quantity) string {
		if q == nil {
			return ""
		}
		return q.String()
	}
	for _, c := range p.Containers {
		k := 0
		if c.Resource == corev1.ResourceMemory {
			k = 2
		}
		if c.Name == "app" {
			out[k], out[k+1] = show(c.To), show(c.LimitTo)
		}
	}
	return out
}

func TestKeepRatioRefused(t *testing.T) {
	for _, c := range []struct {
		why, field string
		r          hpacouple.Recommendation
	}{
		{"scaled and unset", "recommendations[0].keepRatio[cpu]", hpacouple.Recommendation{Container: "app",
			KeepRatio: []corev1.ResourceName{"cpu"}, UnsetLimits: []corev1.ResourceName{"cpu"}}},
		{"another resource", "recommendations[0].keepRatio[0]", hpacouple.Recommendation{Container: "app", KeepRatio: []corev1.ResourceName{"disk"}}},
		{"a limit beyond int64", "recommendations[app].keepRatio[cpu]", hpacouple.Recommendation{Container: "app", Requests: amountList("1e15", ""),
			KeepRatio: []corev1.ResourceName{"cpu"}}},
	} {
		in := shopInput()
		in.Pod.Spec.Containers[0].Resources.Limits = amountList("1000", "")
		in.Recommendations = []hpacouple.Recommendation{c.r}
		_, errs := hpacouple.Plan(in)
		require.NotEmpty(t, errs, c.why)
		require.Equal(t, c.field, errs[0].Field, c.why)
	}
}

// TestFromUsageHolds: what was measured as too small does not fall, neither request nor limit.
func TestFromUsageHolds(t *testing.T) {
	throttled := 0.4
	for _, c := range []struct {
		why             string
		events          usage.Events
		requests, limit corev1.ResourceList
		ranges          []corev1.LimitRange
		want            [4]string
	}{
		{why: "an OOM-killed container keeps its memory limit", events: usage.Events{OOMKills: []usage.OOMKill{{}}},
			requests: amountList("1", "512Mi"), limit: amountList("", "1Gi"), want: [4]string{"697m", "", "512Mi", "1Gi"}},
		{why: "a throttled container keeps its cpu limit", events: usage.Events{Throttled: &throttled},
			requests: amountList("1", "512Mi"), limit: amountList("2", "1Gi"), want: [4]string{"1", "2", "480Mi", "960Mi"}},
		{why: "also where a LimitRange would lower it", events: usage.Events{Throttled: &throttled},
			ranges: []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer,
				MaxLimitRequestRatio: amountList("1500m", "")}}}}},
			requests: amountList("1", "512Mi"), limit: amountList("2", "1Gi"), want: [4]string{"1", "2", "480Mi", "960Mi"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			in := shopInput()
			in.Pod.LimitRanges = c.ranges
			in.Pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: c.requests, Limits: c.limit}
			u := steady(0.6, 400<<20)
			u.MemoryPeaks = usage.Peaks{Of: u.Memory, Interval: 24 * 3600e9}
			u.Events = c.events
			p, errs := hpacouple.FromUsage(in, hpacouple.Measured{Strategy: recommend.VPA(), Containers: []recommend.ContainerUsage{u}})
			require.Empty(t, errs)
			got := finalOf(p.Plan)
			got[0], c.want[0] = "", "" // cpu's request is the quantile's business
			if c.events.Throttled != nil {
				got[2], got[3], c.want[2], c.want[3] = "", "", "", ""
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestLockedMayRise: a LimitRange that would lower a locked container's limit does not keep its request from rising.
func TestLockedMayRise(t *testing.T) {
	throttled := 0.4
	in := shopInput()
	in.Pod.LimitRanges = []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer,
		MaxLimitRequestRatio: amountList("1200m", "")}}}}}
	in.Pod.Spec.Containers[0].Resources.Limits = amountList("1500m", "")
	in.Options.MinUtilization = 10
	u := steady(1.6, 400<<20)
	u.Events.Throttled = &throttled
	p, errs := hpacouple.FromUsage(in, hpacouple.Measured{Strategy: recommend.VPA(), Containers: []recommend.ContainerUsage{u}})
	require.Empty(t, errs)
	require.Equal(t, hpacouple.Coordinate, p.Plan.Outcome)
	cpu := p.Plan.Containers[0]
	require.Greater(t, cpu.To.MilliValue(), int64(1600))
	require.Equal(t, cpu.To.MilliValue()*3/2, cpu.LimitTo.MilliValue())
}
