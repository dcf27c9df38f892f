package metrics_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/metrics"
)

func spec(containers ...corev1.Container) *corev1.PodSpec {
	return &corev1.PodSpec{Containers: containers}
}

// TestWhatIsRead is HPA rules 10, 16 and 17: one pod at a time, its spec alone.
func TestWhatIsRead(t *testing.T) {
	template := spec(container("app", "500m", ""))
	running := &corev1.Pod{Spec: *spec(container("app", "2", ""))}
	running.Status.Phase = corev1.PodFailed
	running.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", AllocatedResources: cpu("3"), Resources: &corev1.ResourceRequirements{Requests: cpu("4")}},
		{Name: "ghost", AllocatedResources: cpu("5")}}
	for _, row := range []struct {
		name string
		pod  metrics.Pod
		want int64
		why  string
	}{
		{"the template", metrics.Pod{Spec: template, Live: running}, 500, "rule 17: an old pod has its own request; the template's is the one of pods to come"},
		{"a pod's own spec", metrics.Pod{Spec: &running.Spec}, 2000, "rules 10 and 16: a failed pod has a request too, the spec's, whatever the status says"},
		{"ephemeral containers", metrics.Pod{Spec: &corev1.PodSpec{Containers: template.Containers, EphemeralContainers: []corev1.EphemeralContainer{
			{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Resources: corev1.ResourceRequirements{Requests: cpu("7")}}}}}}, 500, "rule 11: they do not count"},
	} {
		sum, err := row.pod.Requests("cpu", "")
		require.NoError(t, err, row.name)
		require.Equal(t, row.want, sum.Milli, row.name+": "+row.why)
		require.Len(t, sum.Terms, 1)
	}
}

// TestAmountsOfContainers is HPA rule 12: what the created pod has, and where it came from.
func TestAmountsOfContainers(t *testing.T) {
	binary := resource.MustParse("1Gi")
	item := func(f func(i *corev1.LimitRangeItem)) []corev1.LimitRange {
		i := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer}
		f(&i)
		return []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{i}}}}
	}
	si := resource.DecimalSI
	from := func(m int64, s metrics.Source) metrics.Amount {
		return metrics.Amount{Milli: m, Source: s, Format: si}
	}
	none := metrics.Amount{}
	for _, row := range []struct {
		name           string
		given          corev1.Container
		ranges         []corev1.LimitRange
		request, limit metrics.Amount
		why            string
	}{
		{"nothing", container("c", "", ""), nil, none, none, "nothing stays nothing"},
		{"both", container("c", "1", "2"), nil, from(1000, metrics.SourceRequest), from(2000, metrics.SourceLimit), "as written"},
		{"limit alone", container("c", "", "2"), nil, from(2000, metrics.SourceLimit), from(2000, metrics.SourceLimit), "the limit stands in"},
		{"request alone", container("c", "1", ""), nil, from(1000, metrics.SourceRequest), none, "a request gives no limit"},
		{"zero", container("c", "0", ""), item(func(i *corev1.LimitRangeItem) { i.DefaultRequest = cpu("1") }), from(0, metrics.SourceRequest), none, "0 is an amount"},
		{"default limit and written request", container("c", "1", ""), item(func(i *corev1.LimitRangeItem) { i.Default = cpu("3") }), from(1000, metrics.SourceRequest), from(3000, metrics.SourceLimitRange), "what is missing is filled"},
		{"default limit and no request", container("c", "", ""), item(func(i *corev1.LimitRangeItem) { i.Default = cpu("3") }), from(3000, metrics.SourceLimitRange), from(3000, metrics.SourceLimitRange), "the default becomes the default request"},
		{"written limit before defaults", container("c", "", "2"), item(func(i *corev1.LimitRangeItem) { i.DefaultRequest, i.Default = cpu("1"), cpu("3") }), from(2000, metrics.SourceLimit), from(2000, metrics.SourceLimit), "the limit stands in before the LimitRange looks"},
		{"defaults", container("c", "", ""), item(func(i *corev1.LimitRangeItem) { i.DefaultRequest, i.Default = cpu("1"), cpu("3") }), from(1000, metrics.SourceLimitRange), from(3000, metrics.SourceLimitRange), "each for its own"},
		{"max", container("c", "", ""), item(func(i *corev1.LimitRangeItem) { i.Max = cpu("4") }), from(4000, metrics.SourceLimitRange), from(4000, metrics.SourceLimitRange), "max is the default limit, and so the default request"},
		{"min", container("c", "", ""), item(func(i *corev1.LimitRangeItem) { i.Min = cpu("100m") }), from(100, metrics.SourceLimitRange), none, "min is the default request, and no limit"},
		{"max and min", container("c", "", ""), item(func(i *corev1.LimitRangeItem) { i.Max, i.Min = cpu("4"), cpu("100m") }), from(4000, metrics.SourceLimitRange), from(4000, metrics.SourceLimitRange), "max goes before min"},
		{"default before max", container("c", "", ""), item(func(i *corev1.LimitRangeItem) { i.Default, i.Max = cpu("3"), cpu("4") }), from(3000, metrics.SourceLimitRange), from(3000, metrics.SourceLimitRange), "what is given goes first"},
		{"of pods", container("c", "", ""), item(func(i *corev1.LimitRangeItem) { i.Type, i.Default = corev1.LimitTypePod, cpu("3") }), none, none, "items of type Pod fill nothing in"},
		{"another resource", container("c", "", ""), item(func(i *corev1.LimitRangeItem) { i.Default = corev1.ResourceList{"memory": binary} }), none, none, "resource by resource"},
		{"the last item", container("c", "", ""), []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{
			{Type: "Container", Default: cpu("3"), DefaultRequest: cpu("1")}, {Type: "Container", DefaultRequest: cpu("2")}}}}},
			from(2000, metrics.SourceLimitRange), from(3000, metrics.SourceLimitRange), "of one object the last item that has one"},
		{"two objects", container("c", "", ""), []corev1.LimitRange{
			{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: "Container", Min: cpu("2")}}}},
			{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: "Container", Default: cpu("3")}}}}},
			from(2000, metrics.SourceLimitRange), from(3000, metrics.SourceLimitRange), "the first for the request, the second for the limit; equal names keep their order"},
	} {
		t.Run(row.name, func(t *testing.T) {
			pod := metrics.Pod{Spec: spec(row.given), LimitRanges: row.ranges}
			list, err := pod.Containers("cpu")
			require.Nil(t, err)
			require.Equal(t, []metrics.Container{{Name: "c", Role: metrics.RoleContainer, Request: row.request, Limit: row.limit}}, list, row.why)
			request, limit, err := pod.Defaults("cpu")
			require.Nil(t, err)
			bare, err := metrics.Pod{Spec: spec(container("c", "", "")), LimitRanges: row.ranges}.Containers("cpu")
			require.Nil(t, err)
			require.Equal(t, []metrics.Amount{bare[0].Request, bare[0].Limit}, []metrics.Amount{request, limit}, "the defaults are what a bare container gets")
		})
	}
}

// TestRoles: what a container is.
func TestRoles(t *testing.T) {
	with := func(name string, policy *corev1.ContainerRestartPolicy) corev1.Container {
		c := container(name, "1", "")
		c.RestartPolicy = policy
		return c
	}
	always, never := corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicy("Never")
	pod := metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{with("a", nil), with("b", &always)}, InitContainers: []corev1.Container{with("c", &always), with("d", &never), with("e", nil)}}}
	list, err := pod.Containers("cpu")
	require.Nil(t, err)
	var roles []metrics.Role
	for _, c := range list {
		roles = append(roles, c.Role)
	}
	require.Equal(t, []metrics.Role{metrics.RoleContainer, metrics.RoleContainer, metrics.RoleSidecar, metrics.RoleInit, metrics.RoleInit}, roles, "HPA rule 11: only init containers can be sidecars, only Always makes them so")
}

// TestBadAmounts: each amount that is read has its path.
func TestBadAmounts(t *testing.T) {
	const low, high = "-1", "9223372036854775808m"
	good := container("app", "1", "")
	for _, row := range []struct {
		name string
		pod  metrics.Pod
		path string
		bad  string
	}{
		{"request", metrics.Pod{Spec: spec(good, container("b", low, ""))}, "template.spec.containers[1].resources.requests[cpu]", low},
		{"limit", metrics.Pod{Spec: spec(good, container("b", "1", high))}, "template.spec.containers[1].resources.limits[cpu]", high},
		{"the first one", metrics.Pod{Spec: spec(container("a", "", low), container("b", high, ""))}, "template.spec.containers[0].resources.limits[cpu]", low},
		{"init container", metrics.Pod{Spec: &corev1.PodSpec{InitContainers: []corev1.Container{good, container("b", high, "")}}}, "template.spec.initContainers[1].resources.requests[cpu]", high},
		{"injected", metrics.Pod{Spec: spec(good), Live: &corev1.Pod{Spec: *spec(container("app", low, ""), container("b", low, ""))}}, "livePod.spec.containers[1].resources.requests[cpu]", low},
		{"injected init container", metrics.Pod{Spec: spec(good), Live: &corev1.Pod{Spec: corev1.PodSpec{InitContainers: []corev1.Container{container("b", low, "")}}}}, "livePod.spec.initContainers[0].resources.requests[cpu]", low},
		{"limit range", metrics.Pod{Spec: spec(good), LimitRanges: []corev1.LimitRange{{}, {Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: "Pod", Max: cpu(low)}, {Type: "Container", Max: cpu(low)}}}}}},
			"limitRanges[1].spec.limits[1].max[cpu]", low},
		{"limit range, default", metrics.Pod{Spec: spec(good), LimitRanges: []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: "Container", Default: cpu(high)}}}}}}, "limitRanges[0].spec.limits[0].default[cpu]", high},
		{"limit range, default request", metrics.Pod{Spec: spec(good), LimitRanges: []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: "Container", DefaultRequest: cpu(high)}}}}}}, "limitRanges[0].spec.limits[0].defaultRequest[cpu]", high},
		{"limit range, min", metrics.Pod{Spec: spec(good), LimitRanges: []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: "Container", Min: cpu(high)}}}}}}, "limitRanges[0].spec.limits[0].min[cpu]", high},
		{"overhead", metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{good}, Overhead: cpu(low)}}, "template.spec.overhead[cpu]", low},
		{"pod-level request", metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{good}, Resources: &corev1.ResourceRequirements{Requests: cpu(low)}}}, "template.spec.resources.requests[cpu]", low},
		{"pod-level limit", metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{good}, Resources: &corev1.ResourceRequirements{Limits: cpu(high)}}}, "template.spec.resources.limits[cpu]", high},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := row.pod.Requests("cpu", "")
			var bad *field.Error
			require.ErrorAs(t, err, &bad)
			require.Equal(t, row.path, bad.Field)
			require.Equal(t, row.bad, bad.BadValue)
			sum, err := row.pod.Requests("memory", "")
			require.Equal(t, int64(0), sum.Milli)
			require.False(t, errors.As(err, &bad), "another resource's amounts are not looked at")
		})
	}
	whole := metrics.Pod{Spec: &corev1.PodSpec{Resources: &corev1.ResourceRequirements{Requests: cpu("9223372036854775"), Limits: cpu("2")}, Overhead: cpu("1")}}
	_, err := whole.Requests("cpu", "")
	require.ErrorContains(t, err, "the request sum must be below", "a pod-level sum can pass int64 as well")
	request, limit, bad := whole.PodLevel("cpu")
	require.Nil(t, bad)
	require.Equal(t, []int64{9223372036854775000, 2000}, []int64{request.Milli, limit.Milli})
	require.Equal(t, []metrics.Source{metrics.SourcePodLevel, metrics.SourcePodLevel}, []metrics.Source{request.Source, limit.Source})
	for _, p := range []metrics.Pod{{}, {Spec: spec(good)}} {
		request, limit, bad := p.PodLevel("cpu")
		require.Nil(t, bad)
		require.False(t, request.Present() || limit.Present())
	}
}

// TestPodLevel is HPA rules 14 and 15 where the rows of TestRequests leave off.
func TestPodLevel(t *testing.T) {
	own := func(requests, limits corev1.ResourceList, containers ...corev1.Container) metrics.Pod {
		return metrics.Pod{Spec: &corev1.PodSpec{Containers: containers, Resources: &corev1.ResourceRequirements{Requests: requests, Limits: limits}}}
	}
	list := func(name corev1.ResourceName, text string) corev1.ResourceList {
		return corev1.ResourceList{name: resource.MustParse(text)}
	}
	live := func(p metrics.Pod, overhead corev1.ResourceList) metrics.Pod {
		p.Live = &corev1.Pod{Spec: corev1.PodSpec{Overhead: overhead}}
		return p
	}
	app, bare := container("app", "500m", ""), container("app", "", "")
	for _, row := range []struct {
		name     string
		pod      metrics.Pod
		want     int64
		basis    metrics.Basis
		overhead int64
		err, why string
	}{
		{"empty", own(nil, nil, app), 500, metrics.BasisContainers, 0, "", "nothing is given"},
		{"zero", own(cpu("0"), nil, app), 0, metrics.BasisPodLevel, 0, "", "a pod-level request of 0 is one"},
		{"request before limit", own(cpu("1"), cpu("3"), app), 1000, metrics.BasisPodLevel, 0, "", "the limit is only asked where there is no request"},
		{"huge pages select it", own(list("hugepages-2Mi", "2Mi"), nil, app), 500, metrics.BasisAggregate, 0, "", "any supported name selects the path"},
		{"storage does not", own(list("ephemeral-storage", "1Gi"), nil, container("a", "", "")), 0, metrics.BasisContainers, 0, "missing request for cpu in container a", "a name that the API server refuses"},
		{"storage with requests", own(list("ephemeral-storage", "1Gi"), nil, app), 500, metrics.BasisAggregate, 0, "", "the API server fills in what the containers request"},
		{"storage with memory requests", own(list("ephemeral-storage", "1Gi"), nil, corev1.Container{Name: "a", Resources: corev1.ResourceRequirements{Requests: list("memory", "1Gi")}}), 0, metrics.BasisPodLevel, 0, "missing pod-level request for cpu", "filled in for memory; cpu is nowhere"},
		{"storage limit with requests", own(nil, list("ephemeral-storage", "1Gi"), app), 500, metrics.BasisAggregate, 0, "", "the same for a limit"},
		{"memory limit", own(nil, list("memory", "1Gi"), app), 500, metrics.BasisAggregate, 0, "", "a supported limit selects it too"},
		{"live overhead", live(own(cpu("1"), nil, app), cpu("250m")), 1250, metrics.BasisPodLevel, 250, "", "the runtime class's, where the template has none"},
		{"template's overhead", live(metrics.Pod{Spec: &corev1.PodSpec{Overhead: list("memory", "1Mi"), Resources: &corev1.ResourceRequirements{Requests: cpu("1")}}}, cpu("250m")), 1000, metrics.BasisPodLevel, 0, "", "the template's list wins whole"},
		{"overhead alone", live(own(list("memory", "1Gi"), nil, bare), cpu("250m")), 250, metrics.BasisAggregate, 250, "", "the aggregate has the resource through the overhead"},
		{"limit and overhead", live(own(nil, cpu("3"), bare), cpu("250m")), 3250, metrics.BasisPodLevel, 250, "", "the pod-level limit goes before an aggregate of overhead alone"},
		{"only some request", own(list("memory", "1Gi"), nil, app, container("b", "", "")), 500, metrics.BasisAggregate, 0, "", "HPA rule 15: one without a request is no error"},
	} {
		t.Run(row.name, func(t *testing.T) {
			sum, err := row.pod.Requests("cpu", "")
			require.Equal(t, row.basis, sum.Basis, row.why)
			if row.err != "" {
				require.EqualError(t, err, row.err, row.why)
				return
			}
			require.NoError(t, err, row.why)
			require.Equal(t, row.want, sum.Milli, row.why)
			require.Equal(t, row.overhead, sum.Overhead, row.why)
			for _, term := range sum.Terms {
				require.Equal(t, sum.Basis != metrics.BasisPodLevel, term.Counted, row.why)
			}
			require.Equal(t, sum.Basis == metrics.BasisPodLevel, sum.PodLevel.Present(), row.why)
		})
	}
	limit, err := own(nil, cpu("3"), bare).Requests("cpu", "")
	require.NoError(t, err)
	require.Equal(t, metrics.SourceLimit, limit.PodLevel.Source, "the request is made of the limit")
}

// TestOneContainer is HPA rule 13 where the rows of TestRequests leave off.
func TestOneContainer(t *testing.T) {
	for _, row := range []struct {
		name   string
		pod    metrics.Pod
		ask    string
		want   int64
		counts []bool
		err    string
		why    string
	}{
		{"no request", metrics.Pod{Spec: spec(container("a", "1", ""), container("b", "", ""))}, "b", 0, []bool{false, true}, "missing request for cpu in container b", "its own request is needed"},
		{"zero", metrics.Pod{Spec: spec(container("a", "0", ""))}, "a", 0, []bool{true}, "", "a request of 0 is one"},
		{"unknown", metrics.Pod{Spec: spec(container("a", "1", ""))}, "b", 0, []bool{false}, "container b not found in the pod", "not there"},
		{"no pod", metrics.Pod{}, "b", 0, []bool{}, "container b not found in the pod", "not there"},
		{"twice", metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", "1", "")}, InitContainers: []corev1.Container{sidecar("a", "2", "")}}}, "a", 1000, []bool{true, false}, "", "regular containers first"},
		{"pod-level beside it", metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", "1", "")}, Resources: &corev1.ResourceRequirements{Requests: cpu("7")}, Overhead: cpu("-1")}}, "a", 1000, []bool{true}, "", "HPA rule 14: only without a container name"},
		{"injected", metrics.Pod{Spec: spec(container("a", "1", "")), Live: &corev1.Pod{Spec: *spec(container("b", "2", ""))}}, "b", 2000, []bool{false, true}, "", "injected containers can be named"},
	} {
		sum, err := row.pod.Requests("cpu", row.ask)
		counts := []bool{}
		for _, term := range sum.Terms {
			counts = append(counts, term.Counted)
		}
		require.Equal(t, row.counts, counts, row.name+": "+row.why)
		require.Equal(t, metrics.BasisContainer, sum.Basis)
		require.Equal(t, row.want, sum.Milli, row.name+": "+row.why)
		if row.err == "" {
			require.NoError(t, err, row.name)
		} else {
			require.EqualError(t, err, row.err, row.name)
		}
	}
}

// TestWith: the sum with other requests, by hand.
func TestWith(t *testing.T) {
	term := func(role metrics.Role, counted bool) metrics.Term {
		return metrics.Term{Container: metrics.Container{Role: role}, Counted: counted}
	}
	plain := metrics.Sum{Basis: metrics.BasisContainers, Terms: []metrics.Term{term("container", true), term("sidecar", true), term("init", false)}}
	aggregate := metrics.Sum{Basis: metrics.BasisAggregate, Overhead: 5, Terms: []metrics.Term{term("container", true), term("sidecar", true), term("init", true), term("sidecar", true), term("init", true)}}
	own := metrics.Sum{Basis: metrics.BasisPodLevel, Overhead: 5, PodLevel: metrics.Amount{Milli: 100, Source: "pod-level"}}
	const most = 9223372036854775807
	for _, row := range []struct {
		name string
		sum  metrics.Sum
		to   []int64
		want int64
		ok   bool
		why  string
	}{
		{"plain", plain, []int64{1, 2, 4}, 3, true, "containers and sidecars"},
		{"plain, negative container", plain, []int64{-1, 2, 4}, 0, false, "cannot be"},
		{"plain, negative sidecar", plain, []int64{1, -2, 4}, 0, false, "cannot be"},
		{"plain, negative init", plain, []int64{1, 2, -4}, 3, true, "does not count"},
		{"plain, the largest", plain, []int64{most - 1, 1, 0}, most, true, "fits"},
		{"plain, too large", plain, []int64{most, 1, 0}, 0, false, "passes int64"},
		{"aggregate, running", aggregate, []int64{10, 2, 4, 3, 9}, 20, true, "10 + 2 + 3, and the overhead; the steps need 6 and 14"},
		{"aggregate, first step", aggregate, []int64{10, 2, 14, 3, 9}, 21, true, "14 beside the sidecar of 2"},
		{"aggregate, last step", aggregate, []int64{10, 2, 4, 3, 11}, 21, true, "11 beside both sidecars"},
		{"aggregate, negative step", aggregate, []int64{10, 2, -1, 3, 9}, 0, false, "cannot be"},
		{"aggregate, negative last step", aggregate, []int64{10, 2, 4, 3, -1}, 0, false, "cannot be"},
		{"aggregate, step too large", aggregate, []int64{10, 2, most, 3, 9}, 0, false, "passes int64"},
		{"aggregate, overhead too large", aggregate, []int64{10, 0, most - 4, 3, 9}, 0, false, "passes int64 with the overhead"},
		{"aggregate, the largest", aggregate, []int64{10, 0, most - 5, 3, 9}, most, true, "fits"},
		{"pod-level", own, nil, 105, true, "containers play no part"},
	} {
		got, ok := row.sum.With(func(i int) int64 { return row.to[i] })
		require.Equal(t, row.ok, ok, row.name+": "+row.why)
		if ok {
			require.Equal(t, row.want, got, row.name+": "+row.why)
		}
	}
}

func TestAmount(t *testing.T) {
	require.Nil(t, metrics.Amount{Milli: 5}.Quantity(), "without a source there is no amount")
	require.False(t, metrics.Amount{Milli: 5}.Present())
	zero := metrics.Amount{Source: metrics.SourceRequest}
	require.True(t, zero.Present(), "0 is an amount")
	require.Equal(t, "0", zero.Quantity().String())
	pod := metrics.Pod{Spec: spec(corev1.Container{Name: "a", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"memory": resource.MustParse("1024Mi"), "cpu": resource.MustParse("1.0001")}}})}
	memory, _ := pod.Containers("memory")
	require.Equal(t, "1Gi", memory[0].Request.Quantity().String(), "canonical, in the format that was written")
	rounded, _ := pod.Containers("cpu")
	require.Equal(t, int64(1001), rounded[0].Request.Milli, "HPA rule 12: rounded up to a milli")
}
