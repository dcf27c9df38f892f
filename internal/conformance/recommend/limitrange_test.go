package recommend_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	vpa_types "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/limitrange"
	vpa_api "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

// TestR2LimitRanges compares what the real admission makes of a recommendation under LimitRanges, policies and limits with what the library
// recommends at once. The real side sees the pod as the API server completes it.
func TestR2LimitRanges(t *testing.T) {
	total := counts{}
	for n := range streams(t) / 4 {
		r := rand.New(rand.NewPCG(seed(t)^0x11, uint64(n)))
		c := drawAdmission(t, r)
		for !c.possible() {
			c = drawAdmission(t, r)
		}
		c.check(t, total)
		if t.Failed() {
			t.Fatalf("stream %d of seed %d", n, seed(t))
		}
	}
	t.Log(total)
	for _, what := range []string{"container equal", "raised", "cut", "conflict", "pod cut equal", "pod cut to at least one", "pod raise equal",
		"pod raise higher, so that the sum is reached", "requests only, not by the ratio of the limit", "several LimitRanges"} {
		require.Positive(t, total[what], "the streams do not reach: %s", what)
	}
}

// admission is one pod with LimitRanges of one kind, as its author wrote it and as the API server completes it.
type admission struct {
	in       recommend.Input
	pod      *corev1.Pod
	policy   *vpa_types.PodResourcePolicy
	strategy recommend.Strategy
	states   model.ContainerNameToAggregateStateMap
	pods     bool                         // LimitRanges are for pods, otherwise for containers
	most     map[corev1.ResourceName]bool // those of pods have a maximum, otherwise a minimum
}

func drawAdmission(t *testing.T, r *rand.Rand) *admission {
	s := defaults()
	s.use()
	c := &admission{in: recommend.Input{Pod: &corev1.PodSpec{}}, policy: &vpa_types.PodResourcePolicy{}, strategy: recommend.VPA(),
		states: model.ContainerNameToAggregateStateMap{}, pods: r.IntN(2) == 0,
		most: map[corev1.ResourceName]bool{corev1.ResourceCPU: r.IntN(2) == 0, corev1.ResourceMemory: r.IntN(2) == 0}}
	c.strategy.CPU.PodMinimum, c.strategy.Memory.PodMinimum = 0, 0
	for i := range 1 + r.IntN(3) {
		name := string(rune('a' + i))
		p := newPair(t, s)
		one := newInstance(p)
		for n := range 1 + r.IntN(5) {
			at := noon.Add(time.Duration(n) * time.Hour)
			one.cpuSample(t, at, 1+r.Int64N(4000))
			one.memorySample(t, s.rule(), at, 1+r.Int64N(1<<32))
		}
		c.states[name] = p.real
		c.in.Usage = append(c.in.Usage, recommend.ContainerUsage{Name: name, CPU: p.cpu, MemoryPeaks: usage.Peaks{Of: p.peaks, Interval: s.interval}})
		c.in.Pod.Containers = append(c.in.Pod.Containers, corev1.Container{Name: name, Resources: c.drawWhole(r)})
		if !c.pods && r.IntN(2) == 0 {
			least, most := drawBounds(r)
			for _, list := range []corev1.ResourceList{least, most} {
				for name, q := range list {
					list[name] = recommend.Quantity(name, roundedUp(q, name))
				}
			}
			c.in.Policies = append(c.in.Policies, recommend.Policy{Container: name, MinAllowed: least, MaxAllowed: most})
			theirs := vpa_types.ContainerResourcePolicy{ContainerName: name, MinAllowed: least.DeepCopy(), MaxAllowed: most.DeepCopy()}
			c.policy.ContainerPolicies = append(c.policy.ContainerPolicies, theirs)
		}
	}
	if !c.pods && r.IntN(4) == 0 {
		c.strategy.CPU.Limit, c.strategy.Memory.Limit = recommend.Keep, recommend.Keep
		for i := range c.policy.ContainerPolicies {
			only := vpa_types.ContainerControlledValuesRequestsOnly
			c.policy.ContainerPolicies[i].ControlledValues = &only
		}
		if len(c.policy.ContainerPolicies) < len(c.in.Usage) {
			only := vpa_types.ContainerControlledValuesRequestsOnly
			c.policy.ContainerPolicies = append(c.policy.ContainerPolicies, vpa_types.ContainerResourcePolicy{ContainerName: "*", ControlledValues: &only})
		}
	}
	for i := range 1 + r.IntN(2) {
		c.in.LimitRanges = append(c.in.LimitRanges, c.drawRange(r, string(rune('p'+i))))
	}
	c.complete()
	return c
}

// drawWhole draws whole requests and limits; for pods' LimitRanges both, which the real code needs to scale by.
func (c *admission) drawWhole(r *rand.Rand) corev1.ResourceRequirements {
	out := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for _, name := range recommend.Resources() {
		request := 1 + r.Int64N(2000)
		if name == corev1.ResourceMemory {
			request = 1 + r.Int64N(1<<32)
		}
		if c.pods || r.IntN(3) > 0 {
			out.Requests[name] = recommend.Quantity(name, request)
		}
		if c.pods || r.IntN(3) > 0 {
			limit := request * (1 + r.Int64N(4))
			if r.IntN(2) == 0 {
				limit = request + r.Int64N(request)
			}
			out.Limits[name] = recommend.Quantity(name, limit)
		}
	}
	return out
}

func (c *admission) drawRange(r *rand.Rand, name string) corev1.LimitRange {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: corev1.ResourceList{}, Max: corev1.ResourceList{}}
	if c.pods {
		item.Type = corev1.LimitTypePod
	}
	for _, res := range recommend.Resources() {
		unit := int64(1)
		if res == corev1.ResourceMemory {
			unit = 1 << 20
		}
		least := 1 + r.Int64N(2000*unit)
		if c.pods && c.most[res] { // either side alone, so that the two do not meet
			item.Max[res] = recommend.Quantity(res, 20+r.Int64N(int64(1)<<(5+r.IntN(30))))
			continue
		}
		if c.pods {
			least = 1 + r.Int64N(unit<<(8+r.IntN(7)))
		}
		if r.IntN(2) == 0 {
			item.Min[res] = recommend.Quantity(res, least)
		}
		if !c.pods && r.IntN(2) == 0 {
			item.Max[res] = recommend.Quantity(res, 2500*unit+r.Int64N(4000*unit))
		}
	}
	return corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "n"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}}
}

// complete does what the API server does: SetDefaults_LimitRangeItem to the LimitRanges, and their defaults to the pod.
func (c *admission) complete() {
	c.pod = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "n"}, Spec: *c.in.Pod.DeepCopy()}
	limit, request := corev1.ResourceList{}, corev1.ResourceList{}
	for _, l := range c.in.LimitRanges {
		item := l.Spec.Limits[0]
		if item.Type != corev1.LimitTypeContainer {
			continue
		}
		for _, res := range recommend.Resources() {
			most, hasMost := item.Max[res]
			least, hasLeast := item.Min[res]
			if _, done := limit[res]; !done && hasMost {
				limit[res] = most
			}
			if _, done := request[res]; !done && (hasMost || hasLeast) {
				request[res] = least
				if hasMost {
					request[res] = most
				}
			}
		}
	}
	for i := range c.pod.Spec.Containers {
		own := &c.pod.Spec.Containers[i].Resources
		if own.Requests == nil {
			own.Requests = corev1.ResourceList{}
		}
		if own.Limits == nil {
			own.Limits = corev1.ResourceList{}
		}
		for _, res := range recommend.Resources() {
			l, limited := own.Limits[res]
			if _, requested := own.Requests[res]; !requested && limited {
				own.Requests[res] = l
			}
			if d, ok := limit[res]; ok && !limited {
				own.Limits[res] = d
			}
			if _, requested := own.Requests[res]; !requested {
				if d, ok := request[res]; ok {
					own.Requests[res] = d
				}
			}
		}
	}
}

// possible reports whether no request is above the limit that a LimitRange gives: the API server refuses such a pod.
func (c *admission) possible() bool {
	for i := range c.pod.Spec.Containers {
		own := c.pod.Spec.Containers[i].Resources
		for _, res := range recommend.Resources() {
			request := own.Requests[res]
			if limit, ok := own.Limits[res]; ok && request.Cmp(limit) > 0 {
				return false
			}
		}
	}
	return true
}

// admitted is the real side: the recommender's list, capped by its policies, then what the webhook makes of it.
func (c *admission) admitted(t *testing.T) map[string]vpa_types.RecommendedContainerResources {
	config := vpaConfig()
	config.PodMinCPUMillicores, config.PodMinMemoryMb = 0, 0
	for name, state := range c.states {
		state.UpdateFromPolicy(vpa_api.GetContainerResourcePolicy(name, c.policy))
	}
	raw := logic.CreatePodResourceRecommender(config).GetRecommendedPodResources(c.states)
	list := logic.MapToListOfRecommendedContainerResources(raw, logic.RecommendationFormat{RoundCPUMillicores: 1, RoundMemoryBytes: 1})
	capped, err := vpa_api.ApplyVPAPolicy(list, c.policy, nil)
	require.NoError(t, err)
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	for i := range c.in.LimitRanges {
		l := c.in.LimitRanges[i].DeepCopy()
		if item := &l.Spec.Limits[0]; item.Type == corev1.LimitTypeContainer {
			item.Default = item.Max.DeepCopy()
		}
		require.NoError(t, factory.Core().V1().LimitRanges().Informer().GetIndexer().Add(l))
	}
	calculator, err := limitrange.NewLimitsRangeCalculator(factory)
	require.NoError(t, err)
	vpa := &vpa_types.VerticalPodAutoscaler{Spec: vpa_types.VerticalPodAutoscalerSpec{ResourcePolicy: c.policy}, Status: vpa_types.VerticalPodAutoscalerStatus{Recommendation: capped}}
	done, _, err := vpa_api.NewCappingRecommendationProcessor(calculator).Apply(vpa, c.pod)
	require.NoError(t, err)
	out := map[string]vpa_types.RecommendedContainerResources{}
	for _, one := range done.ContainerRecommendations {
		out[one.ContainerName] = one
	}
	return out
}

func (c *admission) check(t *testing.T, total counts) {
	want := c.admitted(t)
	got, errs := recommend.Workload(c.in, c.strategy)
	require.Empty(t, errs)
	if len(c.in.LimitRanges) > 1 {
		total["several LimitRanges"]++
	}
	for _, res := range recommend.Resources() {
		if c.pods {
			c.checkPod(t, res, got, want, total)
			continue
		}
		for i := range got.Containers {
			c.checkContainer(t, res, i, got, want, total)
		}
	}
}

func of(x *recommend.Container, res corev1.ResourceName) *recommend.Amounts {
	if res == corev1.ResourceCPU {
		return &x.CPU
	}
	return &x.Memory
}

// checkContainer: equal, or a conflict in which the real answer breaks one of the bounds.
func (c *admission) checkContainer(t *testing.T, res corev1.ResourceName, i int, got recommend.Result, want map[string]vpa_types.RecommendedContainerResources, total counts) {
	a, theirs := of(&got.Containers[i], res), want[got.Containers[i].Name]
	target := theirs.Target[res]
	if a.Reason == recommend.BoundsConflict { // DIVERGENCES.md: policy against LimitRange
		total["conflict"]++
		require.True(t, c.breaks(res, i, target), "%s would do", target.String())
		return
	}
	require.Equal(t, recommend.Recommended, a.Outcome, "%v", a.Reason)
	switch {
	case a.Request > a.Uncapped:
		total["raised"]++
	case a.Request < a.Uncapped:
		total["cut"]++
	default:
		total["container equal"]++
	}
	for _, x := range []struct {
		want corev1.ResourceList
		got  int64
	}{{theirs.Target, a.Request}, {theirs.LowerBound, a.Lower}, {theirs.UpperBound, a.Upper}} {
		q := x.want[res]
		limit := c.pod.Spec.Containers[i].Resources.Limits[res]
		switch {
		case sameAmount(q, *a, x.got):
		case c.strategy.CPU.Limit == recommend.Keep && roundedUp(q, res) < x.got: // DIVERGENCES.md: a limit that stays
			total["requests only, not by the ratio of the limit"]++
		case c.breaks(res, i, q): // DIVERGENCES.md: a ratio that leaves less than one unit
			total["the real request would be refused"]++
		default:
			require.Fail(t, "differs", "%s: want %s, got %d: %v", res, q.String(), x.got, a.Steps)
		}
		mine := recommend.Quantity(res, x.got) // a limit that stays wins over minAllowed, on both sides
		require.True(t, sameAmount(limit, *a, x.got) || !c.requestBreaks(res, i, mine), "%d: %v", x.got, a.Steps)
	}
}

// requestBreaks reports whether a request by itself is outside a container's LimitRange, the policy or its limit.
func (c *admission) requestBreaks(res corev1.ResourceName, i int, request resource.Quantity) bool {
	for _, l := range c.in.LimitRanges {
		item := l.Spec.Limits[0]
		least, most := item.Min[res], item.Max[res]
		if request.Cmp(least) < 0 || !most.IsZero() && request.Cmp(most) > 0 {
			return true
		}
	}
	if limit := c.pod.Spec.Containers[i].Resources.Limits[res]; !limit.IsZero() && c.strategy.CPU.Limit == recommend.Keep && request.Cmp(limit) > 0 {
		return true
	}
	policy := vpa_api.GetContainerResourcePolicy(c.pod.Spec.Containers[i].Name, c.policy)
	if policy == nil {
		return false
	}
	least, most := policy.MinAllowed[res], policy.MaxAllowed[res]
	return request.Cmp(least) < 0 || !most.IsZero() && request.Cmp(most) > 0
}

// breaks is requestBreaks also with the limit that goes with the request.
func (c *admission) breaks(res corev1.ResourceName, i int, request resource.Quantity) bool {
	own := c.pod.Spec.Containers[i].Resources
	limits, _ := vpa_api.GetProportionalLimit(own.Limits.DeepCopy(), own.Requests.DeepCopy(), corev1.ResourceList{res: request}, nil)
	limit, limited := limits[res]
	for _, l := range c.in.LimitRanges {
		if most, ok := l.Spec.Limits[0].Max[res]; ok && limited && limit.Cmp(most) > 0 {
			return true
		}
	}
	return c.requestBreaks(res, i, request)
}

// checkPod: the real sums of limits may miss the maximum by what each container's rounding adds, and the real sum of memory requests the minimum
// by what it takes; here they do not. Otherwise the requests are equal. The real code scales each bound by its own sum, here both go with the
// request, so that they are not compared.
func (c *admission) checkPod(t *testing.T, res corev1.ResourceName, got recommend.Result, want map[string]vpa_types.RecommendedContainerResources, total counts) {
	least, most := int64(0), int64(0)
	for _, l := range c.in.LimitRanges {
		item := l.Spec.Limits[0]
		low, high := item.Min[res], item.Max[res]
		least = max(least, roundedUp(low, res))
		if v := roundedUp(high, res); v > 0 && (most == 0 || v < most) {
			most = v
		}
	}
	n := int64(len(got.Containers))
	var requests, limits, realRequests, realLimits, uncapped int64
	equal, nothing := true, false
	for i := range got.Containers {
		a, theirs := of(&got.Containers[i], res), want[got.Containers[i].Name]
		own := c.pod.Spec.Containers[i].Resources
		target := theirs.Target[res]
		require.Equal(t, recommend.Recommended, a.Outcome)
		scaled, _ := vpa_api.GetProportionalLimit(own.Limits.DeepCopy(), own.Requests.DeepCopy(), corev1.ResourceList{res: target}, nil)
		limit := scaled[res]
		uncapped += a.Uncapped
		requests += a.Request
		limits += *a.Limit.To
		realRequests += roundedUp(target, res)
		realLimits += roundedUp(limit, res)
		equal = equal && roundedUp(target, res) == a.Request
		nothing = nothing || target.Sign() <= 0
		require.InDelta(t, roundedUp(target, res), a.Request, float64(n)+1, "%s of %s", res, got.Containers[i].Name)
	}
	if most > 0 {
		require.LessOrEqual(t, limits, most)
		require.LessOrEqual(t, requests, most)
	}
	require.GreaterOrEqual(t, requests, least)
	switch {
	case requests < uncapped && equal:
		total["pod cut equal"]++
	case requests < uncapped && nothing: // DIVERGENCES.md: nobody is cut to nothing
		total["pod cut to at least one"]++
	case requests < uncapped: // DIVERGENCES.md: the sum of limits
		total["pod cut lower, so that the sum fits"]++
		require.Greater(t, realLimits, most)
	case requests > uncapped && equal:
		total["pod raise equal"]++
	case requests > uncapped: // DIVERGENCES.md: the sum of memory requests
		total["pod raise higher, so that the sum is reached"]++
		require.Equal(t, corev1.ResourceMemory, res)
		require.Less(t, realRequests, least)
	default:
		require.True(t, equal)
	}
}
