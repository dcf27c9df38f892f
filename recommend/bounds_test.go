package recommend_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/recommend"
)

func podItem(least, most string) corev1.LimitRangeItem {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypePod}
	if least != "" {
		item.Min = list(least, "")
	}
	if most != "" {
		item.Max = list(most, "")
	}
	return item
}

func podRatioItem(most string) corev1.LimitRangeItem {
	return corev1.LimitRangeItem{Type: corev1.LimitTypePod, MaxLimitRequestRatio: list(most, "")}
}

func containerItem(least, most string) corev1.LimitRangeItem {
	item := podItem(least, most)
	item.Type = corev1.LimitTypeContainer
	return item
}

// TestBoundsTogether: policy, container and pod LimitRanges at once. Nobody is moved past a bound of its own, and where no amount keeps all of
// them there is none.
func TestBoundsTogether(t *testing.T) {
	keepRatio := func(s *recommend.Strategy) { s.CPU.Limit = recommend.KeepRatio }
	for _, c := range []struct {
		why      string
		pod      *corev1.PodSpec
		use      []float64 // cores, by container; 0: none
		policies []recommend.Policy
		items    []corev1.LimitRangeItem
		strategy func(*recommend.Strategy)
		want     []int64 // requests; 0: none
		limits   []int64 // of KeepRatio; 0: none
		reason   recommend.Reason
		capped   []recommend.Cause
	}{
		{why: "a pod's minimum does not pass maxAllowed", pod: podOf(resources(list("100m", ""), nil)), use: []float64{0.1},
			policies: []recommend.Policy{{Container: "a", MaxAllowed: list("200m", "")}}, items: []corev1.LimitRangeItem{podItem("1", "")},
			want: []int64{0}, reason: recommend.BoundsConflict},
		{why: "a pod's minimum does not pass a container's maximum", pod: podOf(resources(list("100m", ""), nil)), use: []float64{0.1},
			items: []corev1.LimitRangeItem{podItem("1", ""), containerItem("", "300m")}, want: []int64{0}, reason: recommend.BoundsConflict},
		{why: "the others make up a pod's minimum", pod: podOf(resources(list("100m", ""), nil), resources(list("100m", ""), nil)), use: []float64{0.1, 0.1},
			policies: []recommend.Policy{{Container: "a", MaxAllowed: list("200m", "")}}, items: []corev1.LimitRangeItem{podItem("1", "")},
			want: []int64{200, 800}},
		{why: "a pod's maximum does not pass minAllowed", pod: podOf(resources(list("100m", ""), nil), resources(list("100m", ""), nil)), use: []float64{1, 1},
			policies: []recommend.Policy{{Container: "a", MinAllowed: list("900m", "")}}, items: []corev1.LimitRangeItem{podItem("", "1")},
			want: []int64{900, 100}, capped: []recommend.Cause{recommend.FromPodMax, recommend.FromPodMax}},
		{why: "a neighbour that stays takes up the whole pod's maximum", pod: podOf(resources(list("100m", ""), nil), resources(list("400m", ""), nil)), use: []float64{0.4},
			items: []corev1.LimitRangeItem{podItem("", "300m")}, want: []int64{0, 0}, reason: recommend.BoundsConflict},
		{why: "a container's minimum above maxAllowed", pod: podOf(resources(list("100m", ""), nil)), use: []float64{0.1},
			policies: []recommend.Policy{{Container: "a", MaxAllowed: list("200m", "")}}, items: []corev1.LimitRangeItem{containerItem("300m", "")},
			want: []int64{0}, reason: recommend.BoundsConflict},
		{why: "minAllowed above a container's maximum", pod: podOf(resources(list("100m", ""), nil)), use: []float64{0.1},
			policies: []recommend.Policy{{Container: "a", MinAllowed: list("400m", "")}}, items: []corev1.LimitRangeItem{containerItem("", "300m")},
			want: []int64{0}, reason: recommend.BoundsConflict},
		{why: "the limits that there are count, also beside a container without one",
			pod: podOf(resources(list("100m", ""), list("1", "")), resources(list("100m", ""), nil)), use: []float64{0.1, 0.1}, strategy: keepRatio,
			items: []corev1.LimitRangeItem{podItem("", "500m")}, want: []int64{50, 100}, limits: []int64{500, 0}},
		{why: "the limit of a container that stays counts against the pod's maximum",
			pod: podOf(resources(list("100m", ""), list("100m", "")), resources(list("100m", ""), list("600m", ""))), use: []float64{0.8}, strategy: keepRatio,
			items: []corev1.LimitRangeItem{podItem("", "1")}, want: []int64{400, 0}, limits: []int64{400, 0}},
		{why: "limits that stay and are above the pod's maximum: the pod is refused whatever the requests",
			pod: podOf(resources(list("100m", ""), list("1", "")), resources(list("100m", ""), list("1", ""))), use: []float64{0.1, 0.1},
			items: []corev1.LimitRangeItem{podItem("", "1500m")}, want: []int64{0, 0}, reason: recommend.BoundsConflict},
		{why: "a minimum of requests and a maximum of limits that a ratio of 10 cannot both keep",
			pod: podOf(resources(list("100m", ""), list("1", ""))), use: []float64{0.2}, strategy: keepRatio,
			items: []corev1.LimitRangeItem{podItem("500m", "1")}, want: []int64{0}, reason: recommend.BoundsConflict},
		{why: "a cut never leaves nothing", pod: podOf(resources(list("1", ""), nil), resources(list("1m", ""), nil)), use: []float64{1, 0.001},
			items: []corev1.LimitRangeItem{podItem("", "500m")}, want: []int64{499, 1}},
		{why: "nor does a share of less than one", pod: podOf(resources(list("1", ""), nil), resources(list("2m", ""), nil)), use: []float64{1, 0.002},
			items: []corev1.LimitRangeItem{podItem("", "100m")}, want: []int64{99, 1}},
		{why: "a limit that stays keeps the request below minAllowed, and the pod below its minimum", pod: podOf(resources(list("100m", ""), list("100m", ""))), use: []float64{0.05},
			policies: []recommend.Policy{{Container: "a", MinAllowed: list("200m", "")}}, items: []corev1.LimitRangeItem{podItem("150m", "")},
			want: []int64{0}, reason: recommend.BoundsConflict},
		{why: "a largest ratio to a limit that stays above maxAllowed", pod: podOf(resources(list("500m", ""), list("1", ""))), use: []float64{0.05},
			policies: []recommend.Policy{{Container: "a", MaxAllowed: list("200m", "")}}, items: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("4", "")}},
			want: []int64{0}, reason: recommend.BoundsConflict},
		{why: "requests far above limits that stay are cut from these", pod: podOf(resources(list("100m", ""), list("1", "")), resources(list("100m", ""), list("1", ""))), use: []float64{1e9, 1e9},
			items: []corev1.LimitRangeItem{podItem("", "2")}, want: []int64{1000, 1000}},
		{why: "the least limit of several ratios counts", pod: podOf(resources(list("100m", ""), list("1", ""))), use: []float64{0.1}, strategy: keepRatio,
			items: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("4", "")}, {Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("2", "")},
				{Type: corev1.LimitTypeContainer, MaxLimitRequestRatio: list("3", "")}}, want: []int64{100}, limits: []int64{200}},
		{why: "a ratio that leaves less than one unit of a container's maximum", pod: podOf(resources(list("1m", ""), list("5", ""))), use: []float64{2}, strategy: keepRatio,
			items: []corev1.LimitRangeItem{containerItem("", "3")}, want: []int64{1}, limits: []int64{3000}},
		{why: "a pod's largest ratio to a limit that stays: 2000/3, rounded up", pod: podOf(resources(list("1", ""), list("2", ""))), use: []float64{0.2},
			items: []corev1.LimitRangeItem{podRatioItem("3")}, want: []int64{667}},
		{why: "of the sums, so that a container without use is counted", pod: podOf(resources(list("1", ""), list("2", "")), resources(list("500m", ""), list("1", ""))), use: []float64{0.2},
			items: []corev1.LimitRangeItem{podRatioItem("3")}, want: []int64{500, 0}},
		{why: "and those in proportion that have it", pod: podOf(resources(list("1", ""), list("2", "")), resources(list("1", ""), list("2", ""))), use: []float64{0.2, 0.1},
			items: []corev1.LimitRangeItem{podRatioItem("4")}, want: []int64{667, 334}},
		{why: "not past maxAllowed: the pod is refused", pod: podOf(resources(list("1", ""), list("2", ""))), use: []float64{0.2},
			policies: []recommend.Policy{{Container: "a", MaxAllowed: list("600m", "")}}, items: []corev1.LimitRangeItem{podRatioItem("3")}, want: []int64{0}, reason: recommend.BoundsConflict},
		{why: "a limit of every request alone", pod: podOf(resources(list("1", ""), list("2", ""))), use: []float64{0.2}, strategy: keepRatio,
			items: []corev1.LimitRangeItem{podRatioItem("2")}, want: []int64{200}, limits: []int64{400}},
		{why: "limits that follow are no help: 100 x 1 + 900 x 4 is 3.7 of 1000", pod: podOf(resources(list("100m", ""), list("100m", "")), resources(list("100m", ""), list("400m", ""))), use: []float64{0.1, 0.9}, strategy: keepRatio,
			items: []corev1.LimitRangeItem{podRatioItem("3")}, want: []int64{0, 0}, reason: recommend.BoundsConflict},
		{why: "a limit that is dropped leaves none to have a ratio", pod: podOf(resources(list("1", ""), list("2", ""))), use: []float64{0.2}, strategy: func(s *recommend.Strategy) { s.CPU.Limit = recommend.Unset },
			items: []corev1.LimitRangeItem{podRatioItem("3")}, want: []int64{0}, reason: recommend.BoundsConflict},
		{why: "a pod without limits was refused before", pod: podOf(resources(list("1", ""), nil)), use: []float64{0.2},
			items: []corev1.LimitRangeItem{podRatioItem("3")}, want: []int64{200}},
		{why: "a ratio that the API server's float division takes to be above 16.1: 161 / 10", pod: podOf(resources(list("1", ""), list("161m", ""))), use: []float64{0.01},
			items: []corev1.LimitRangeItem{podRatioItem("16100m")}, want: []int64{11}},
		{why: "the largest of several minimums counts", pod: podOf(resources(list("100m", ""), nil)), use: []float64{0.01},
			items: []corev1.LimitRangeItem{containerItem("20m", ""), containerItem("70m", ""), containerItem("30m", "")}, want: []int64{70}},
		{why: "the smallest of several maximums counts", pod: podOf(resources(list("100m", ""), nil)), use: []float64{2},
			items: []corev1.LimitRangeItem{containerItem("", "900m"), containerItem("", "700m"), containerItem("", "800m")}, want: []int64{700}},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := plain()
			if c.strategy != nil {
				c.strategy(&s)
			}
			in := recommend.Input{Pod: c.pod, Policies: c.policies, LimitRanges: limitRange(c.items...)}
			for i, cores := range c.use {
				in.Usage = append(in.Usage, recommend.ContainerUsage{Name: string(rune('a' + i)), CPU: flat(t, cores, 3)})
			}
			r, errs := recommend.Workload(in, s)
			require.Empty(t, errs)
			for i, want := range c.want {
				got := r.Containers[i].CPU
				require.Equal(t, want, got.Request, "%s: %v", got.Reason, got.Steps)
				if want == 0 && i < len(c.use) {
					require.Equal(t, c.reason, got.Reason)
				}
				if c.limits != nil && c.limits[i] > 0 {
					require.Equal(t, c.limits[i], *got.Limit.To)
				}
				if c.capped != nil {
					require.Equal(t, c.capped[i], got.CappedBy)
				}
			}
		})
	}
}

// TestInitContainers: what ends before the containers start is not in their sums.
func TestInitContainers(t *testing.T) {
	pod := podOf(resources(list("100m", ""), nil))
	pod.InitContainers = []corev1.Container{{Name: "init", Resources: resources(list("2", ""), nil)}}
	use := []recommend.ContainerUsage{{Name: "a", CPU: flat(t, 0.1, 3)}, {Name: "init", CPU: flat(t, 0.3, 3)}}
	r, errs := recommend.Workload(recommend.Input{Pod: pod, Usage: use, LimitRanges: limitRange(podItem("150m", "250m"))}, plain())
	require.Empty(t, errs)
	require.Equal(t, int64(150), r.Containers[0].CPU.Request, "the pod's minimum is the container's alone")
	require.Equal(t, int64(250), r.Containers[1].CPU.Request, "an init container by itself is bounded by the pod's maximum")
	require.Equal(t, int64(1750), r.Containers[1].Savings.CPUMilli)
	require.Equal(t, int64(-50), r.Savings.CPUMilli, "the init container holds nothing while the pod runs")

	s := plain()
	s.CPU.PodMinimum = 500
	r, errs = recommend.Workload(recommend.Input{Pod: pod, Usage: use}, s)
	require.Empty(t, errs)
	require.Equal(t, int64(500), r.Containers[0].CPU.Request, "nor does it share the minimum")

	always := corev1.ContainerRestartPolicyAlways
	pod.InitContainers[0].RestartPolicy = &always
	r, errs = recommend.Workload(recommend.Input{Pod: pod, Usage: use}, s)
	require.Empty(t, errs)
	require.Equal(t, int64(250), r.Containers[0].CPU.Request, "a sidecar runs beside them")
	require.Equal(t, int64(-150+1700), r.Savings.CPUMilli)
}

// TestLimitRangeDefaults: a container without amounts has those that the API server gives it, completed as it completes them, the first
// LimitRange by name before the others.
func TestLimitRangeDefaults(t *testing.T) {
	named := func(name string, items ...corev1.LimitRangeItem) corev1.LimitRange {
		return corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.LimitRangeSpec{Limits: items}}
	}
	item := func(request, limit, least, most string) corev1.LimitRangeItem {
		i := containerItem(least, most)
		if request != "" {
			i.DefaultRequest = list(request, "")
		}
		if limit != "" {
			i.Default = list(limit, "")
		}
		return i
	}
	for _, c := range []struct {
		why     string
		own     corev1.ResourceRequirements
		ranges  []corev1.LimitRange
		present int64 // request; 0: none
		limit   int64 // after 50m of use; 0: none
	}{
		{why: "default and default request", ranges: []corev1.LimitRange{named("a", item("100m", "1", "", ""))}, present: 100, limit: 500},
		{why: "the default stands in for the default request", ranges: []corev1.LimitRange{named("a", item("", "1", "", ""))}, present: 1000, limit: 50},
		{why: "the maximum stands in for both", ranges: []corev1.LimitRange{named("a", item("", "", "", "1"))}, present: 1000, limit: 50},
		{why: "the minimum stands in for the default request", ranges: []corev1.LimitRange{named("a", item("", "", "20m", ""))}, present: 20},
		{why: "the first by name wins", ranges: []corev1.LimitRange{named("b", item("300m", "3", "", "")), named("a", item("100m", "2", "", ""))}, present: 100, limit: 1000},
		{why: "the second fills what the first leaves open", ranges: []corev1.LimitRange{named("a", item("100m", "", "", "")), named("b", item("300m", "3", "", ""))}, present: 100, limit: 1500},
		{why: "the later item of one LimitRange wins", ranges: []corev1.LimitRange{named("a", item("300m", "3", "", ""), item("100m", "2", "", ""))}, present: 100, limit: 1000},
		{why: "a limit of its own stands in for the request", own: resources(nil, list("200m", "")), ranges: []corev1.LimitRange{named("a", item("100m", "1", "", ""))}, present: 200, limit: 50},
		{why: "a request of its own goes with the default limit", own: resources(list("500m", ""), nil), ranges: []corev1.LimitRange{named("a", item("100m", "1", "", ""))}, present: 500, limit: 100},
		{why: "a maximum that came later than the request: 2 to 3 is no ratio, and the limit is not below the request", own: resources(list("3", ""), nil), ranges: []corev1.LimitRange{named("a", item("", "", "", "2"))}, present: 3000, limit: 50},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := plain()
			s.CPU.Limit = recommend.KeepRatio
			r, errs := recommend.Workload(recommend.Input{Pod: podOf(c.own), LimitRanges: c.ranges, Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.05, 3)})}, s)
			require.Empty(t, errs)
			got := r.Containers[0].CPU
			require.Equal(t, c.present, *got.Present)
			require.Equal(t, int64(50), got.Request)
			if c.limit == 0 {
				require.Nil(t, got.Limit.To)
				return
			}
			require.Equal(t, c.limit, *got.Limit.To)
		})
	}
}

// TestQoSOfFinishedPods: a pod that gets all amounts from a LimitRange is not BestEffort when it runs.
func TestQoSOfFinishedPods(t *testing.T) {
	defaults := limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: list("1", "1Gi"), DefaultRequest: list("100m", "100Mi")})
	equal := limitRange(corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Default: list("1", "1Gi")})
	for _, c := range []struct {
		why         string
		own         corev1.ResourceRequirements
		ranges      []corev1.LimitRange
		from, after corev1.PodQOSClass
	}{
		{why: "without a LimitRange", from: corev1.PodQOSBestEffort, after: corev1.PodQOSBurstable},
		{why: "Burstable by its defaults", ranges: defaults, from: corev1.PodQOSBurstable, after: corev1.PodQOSBurstable},
		{why: "Guaranteed by its defaults", ranges: equal, from: corev1.PodQOSGuaranteed, after: corev1.PodQOSBurstable},
		{why: "a limit of its own stands in for the request, and no default does", own: resources(nil, list("1", "1Gi")), ranges: defaults, from: corev1.PodQOSGuaranteed, after: corev1.PodQOSBurstable},
		{why: "its own amounts count first", own: resources(list("100m", "100Mi"), nil), ranges: equal, from: corev1.PodQOSBurstable, after: corev1.PodQOSBurstable},
	} {
		r, errs := recommend.Workload(recommend.Input{Pod: podOf(c.own), LimitRanges: c.ranges, Usage: one(recommend.ContainerUsage{CPU: flat(t, 0.05, 3)})}, plain())
		require.Empty(t, errs)
		require.Equal(t, recommend.QoS{From: c.from, To: c.after, InPlaceRefused: c.from != c.after}, r.QoS, c.why)
	}
}

// TestQoSInit: init containers decide a class with the others.
func TestQoSInit(t *testing.T) {
	pod := podOf(resources(list("1", "1Gi"), list("1", "1Gi")))
	require.Equal(t, corev1.PodQOSGuaranteed, recommend.QoSClass(pod))
	pod.InitContainers = []corev1.Container{{Name: "init"}}
	require.Equal(t, corev1.PodQOSBurstable, recommend.QoSClass(pod))
	pod = podOf(resources(nil, nil))
	pod.InitContainers = []corev1.Container{{Name: "init", Resources: resources(list("1", ""), nil)}}
	require.Equal(t, corev1.PodQOSBurstable, recommend.QoSClass(pod))
}

// boundsHold: what is recommended keeps the policy, the LimitRanges of containers and those of the pod, as their texts say it, however they meet.
// Limits that are there already may break them; they do so before and after.
func boundsHold(t *rapid.T) {
	s := plain()
	s.CPU.Limit = rapid.SampledFrom(recommend.LimitModes()).Draw(t, "limit")
	var pod corev1.PodSpec
	in := recommend.Input{Pod: &pod}
	milli := func(label string, least, most int64) int64 { return rapid.Int64Range(least, most).Draw(t, label) }
	for i := range rapid.IntRange(1, 4).Draw(t, "containers") {
		name := string(rune('a' + i))
		r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
		request := milli("request", 1, 1000)
		if rapid.Bool().Draw(t, "requested") {
			r.Requests[corev1.ResourceCPU] = recommend.Quantity(corev1.ResourceCPU, request)
		}
		if rapid.Bool().Draw(t, "limited") {
			r.Limits[corev1.ResourceCPU] = recommend.Quantity(corev1.ResourceCPU, request+milli("more", 0, 3000))
		}
		pod.Containers = append(pod.Containers, corev1.Container{Name: name, Resources: r})
		if rapid.IntRange(0, 3).Draw(t, "measured") > 0 {
			in.Usage = append(in.Usage, recommend.ContainerUsage{Name: name, CPU: samplesOf(t, []float64{float64(milli("use", 0, 3000)) / 1000}, 1)})
		}
		if rapid.Bool().Draw(t, "policy") {
			least := milli("min", 0, 500)
			in.Policies = append(in.Policies, recommend.Policy{Container: name,
				MinAllowed: corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, least)},
				MaxAllowed: corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, least+milli("max", 1, 3000))}})
		}
	}
	bounds := func(kind corev1.LimitType, least, most int64) (item corev1.LimitRangeItem) {
		item.Type = kind
		low := milli("low", 1, least)
		if rapid.Bool().Draw(t, "has min") {
			item.Min = corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, low)}
		}
		if rapid.Bool().Draw(t, "has max") {
			item.Max = corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, low+milli("high", 0, most))}
		}
		return item
	}
	of, together := bounds(corev1.LimitTypeContainer, 300, 3000), bounds(corev1.LimitTypePod, 3000, 5000)
	largest := int64(0)
	if rapid.Bool().Draw(t, "has ratio") {
		largest = milli("ratio", 1000, 5000)
		together.MaxLimitRequestRatio = corev1.ResourceList{corev1.ResourceCPU: recommend.Quantity(corev1.ResourceCPU, largest)}
	}
	in.LimitRanges = limitRange(of, together)
	result, errs := recommend.Workload(in, s)
	require.Empty(t, errs)

	value := func(list corev1.ResourceList) (int64, bool) {
		q, ok := list[corev1.ResourceCPU]
		return q.MilliValue(), ok
	}
	low, _ := value(of.Min)
	high, capped := value(of.Max)
	requests, limits, moved, was := int64(0), int64(0), false, int64(0)
	for i, c := range result.Containers {
		limit, limited := value(pod.Containers[i].Resources.Limits)
		if !limited && capped {
			limit, limited = high, true // what the API server gives
		}
		was += limit
		if c.CPU.Outcome != recommend.Recommended {
			if c.CPU.Present != nil {
				requests += *c.CPU.Present
			}
			limits += limit
			continue
		}
		moved = true
		after := int64(0)
		switch {
		case c.CPU.Limit.To != nil:
			after = *c.CPU.Limit.To
		case capped && (s.CPU.Limit == recommend.Unset || !limited):
			after = high
		case s.CPU.Limit == recommend.Keep && limited:
			after = limit
		}
		requests += c.CPU.Request
		limits += after
		fits := s.CPU.Limit != recommend.Keep || limit == 0 || limit > c.CPU.Request // a limit that stays wins over the rest
		if fits {
			require.GreaterOrEqual(t, c.CPU.Request, low)
		}
		if capped {
			require.LessOrEqual(t, c.CPU.Request, high)
			if s.CPU.Limit == recommend.KeepRatio {
				require.LessOrEqual(t, after, high)
			}
		}
		for _, p := range in.Policies {
			if p.Container == c.Name {
				least, _ := value(p.MinAllowed)
				most, _ := value(p.MaxAllowed)
				require.LessOrEqual(t, c.CPU.Request, most)
				if fits {
					require.GreaterOrEqual(t, c.CPU.Request, least)
				}
			}
		}
	}
	if !moved {
		return
	}
	if least, ok := value(together.Min); ok {
		require.GreaterOrEqual(t, requests, least)
	}
	if most, ok := value(together.Max); ok {
		require.LessOrEqual(t, requests, most)
		require.LessOrEqual(t, limits, most)
	}
	if largest > 0 && was > 0 {
		require.Positive(t, limits)
		require.LessOrEqual(t, limits*1000, requests*largest)
	}
}

func TestBoundsHold(t *testing.T) { rapid.Check(t, boundsHold) }
func FuzzBoundsHold(f *testing.F) { f.Fuzz(rapid.MakeFuzz(boundsHold)) }
