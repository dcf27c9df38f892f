package risk_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// P2, P3, P4: whatever the input, Check returns without a panic, leaves the input as it was, says the same again, sorted, each finding once,
// and every flag in the closed list and none of the planner's.
func TestLaws(t *testing.T) { rapid.Check(t, laws) }

func FuzzLaws(f *testing.F) { f.Fuzz(rapid.MakeFuzz(laws)) }

func laws(t *rapid.T) {
	in := hostileInput(t)
	before := copyOf(in)
	found := risk.Check(in)
	if again := risk.Check(copyOf(in)); !slices.Equal(found, again) {
		t.Fatalf("%v, then %v", found, again)
	}
	if !reflect.DeepEqual(before, in) {
		t.Fatalf("the input was written to")
	}
	if found == nil {
		t.Fatalf("a nil list")
	}
	order := skipreason.RiskFlags()
	at := func(f risk.Finding) int { return slices.Index(order, f.Flag) }
	for i, f := range found {
		if at(f) < 0 || slices.Contains(planners, f.Flag) || f.Field == "" || f.Number == "" || f.Detail == "" {
			t.Fatalf("%+v", f)
		}
		if slices.Contains(found[:i], f) {
			t.Fatalf("twice: %+v", f)
		}
		if i > 0 {
			a, b := found[i-1], f
			x := []string{a.Object.Kind, a.Object.Namespace, a.Object.Name, a.Field}
			y := []string{b.Object.Kind, b.Object.Namespace, b.Object.Name, b.Field}
			if at(a) > at(b) || (at(a) == at(b) && slices.Compare(x, y) > 0) {
				t.Fatalf("order: %+v before %+v", a, b)
			}
		}
	}
	if flags := risk.Flags(found); !slices.IsSortedFunc(flags, func(a, b skipreason.RiskFlag) int { return slices.Index(order, a) - slices.Index(order, b) }) ||
		len(flags) != len(slices.Compact(slices.Clone(flags))) {
		t.Fatalf("flags %v", flags)
	}
}

// The generator reaches every flag; otherwise the laws say little.
func TestGeneratorReachesEveryFlag(t *testing.T) {
	seen := map[skipreason.RiskFlag]int{}
	const draws = 500
	inputs := rapid.Custom(hostileInput)
	for seed := range draws {
		for _, flag := range risk.Flags(risk.Check(inputs.Example(seed))) {
			seen[flag]++
		}
	}
	for _, flag := range skipreason.RiskFlags() {
		if !slices.Contains(planners, flag) {
			t.Logf("%-25s %d of %d", flag, seen[flag], draws)
			require.GreaterOrEqual(t, seen[flag]*100, draws, "%s in fewer than one of a hundred inputs", flag)
		}
	}
}

// P3: the order of Services, of the named containers and of the entries of managedFields does not matter.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := hostileInput(t)
		mixed := copyOf(in)
		slices.Reverse(mixed.Services)
		slices.Reverse(mixed.OOMKilled)
		slices.Reverse(mixed.Throttled)
		if mixed.HPA != nil {
			slices.Reverse(mixed.HPA.ManagedFields)
		}
		if !slices.Equal(risk.Check(in), risk.Check(mixed)) {
			t.Fatalf("%v\n%v", risk.Check(in), risk.Check(mixed))
		}
	})
}

func TestEmptyInput(t *testing.T) {
	require.Equal(t, "[]", toJSON(risk.Check(risk.Input{})))
	found := risk.Check(risk.Input{HPA: &autoscalingv2.HorizontalPodAutoscaler{}, WorkloadMeta: &metav1.ObjectMeta{}, VPA: &risk.VPA{}, ControlPlane: &risk.ControlPlane{},
		OtherHPAs: []*autoscalingv2.HorizontalPodAutoscaler{nil}, Services: make([]corev1.Service, 2), Pods: make([]corev1.Pod, 2)})
	require.Equal(t, `["hpa-coupled","ownership-unknown","target-uncomfortable","vpa-overlap"]`, toJSON(risk.Flags(found)), "the defaults of an empty HPA: cpu 80")
}

// copyOf copies all that Check could write to.
func copyOf(in risk.Input) risk.Input {
	out := in
	out.Pod = metrics.Pod{Spec: in.Pod.Spec.DeepCopy(), Live: in.Pod.Live.DeepCopy()}
	for i := range in.Pod.LimitRanges {
		out.Pod.LimitRanges = append(out.Pod.LimitRanges, *in.Pod.LimitRanges[i].DeepCopy())
	}
	out.WorkloadMeta, out.HPA = in.WorkloadMeta.DeepCopy(), in.HPA.DeepCopy()
	out.OtherHPAs = nil
	for _, hpa := range in.OtherHPAs {
		out.OtherHPAs = append(out.OtherHPAs, hpa.DeepCopy())
	}
	out.Services, out.Pods = nil, nil
	for i := range in.Services {
		out.Services = append(out.Services, *in.Services[i].DeepCopy())
	}
	for i := range in.Pods {
		out.Pods = append(out.Pods, *in.Pods[i].DeepCopy())
	}
	if in.Tolerance != nil {
		out.Tolerance = ptr(in.Tolerance.DeepCopy())
	}
	out.LargestNode = in.LargestNode.DeepCopy()
	out.OOMKilled, out.Throttled = slices.Clone(in.OOMKilled), slices.Clone(in.Throttled)
	if in.VPA != nil {
		vpa := *in.VPA
		vpa.Containers = slices.Clone(vpa.Containers)
		out.VPA = &vpa
	}
	return out
}

// hostileInput starts from a sound input and breaks some of it: nils, extremes, garbage, unknown words.
func hostileInput(t *rapid.T) risk.Input {
	in := quiet()
	chance := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	// Rows of the table are changes that mean something; several of them at once meet in ways that no row does.
	for range rapid.IntRange(0, 9).Draw(t, "changes") {
		if in.HPA == nil || in.Pod.Spec == nil || in.WorkloadMeta == nil || in.VPA == nil || in.ControlPlane == nil ||
			len(in.Pod.Spec.Containers) == 0 || len(in.Pod.Spec.InitContainers) == 0 || len(in.HPA.Status.CurrentMetrics) < 2 {
			break
		}
		spread := rapid.Uint64().Draw(t, "row") * 0x9e3779b97f4a7c15 >> 36 // small numbers are drawn most; they must not mean the first rows
		flags := slices.DeleteFunc(skipreason.RiskFlags(), func(f skipreason.RiskFlag) bool { return slices.Contains(recommenders, f) })
		flag := flags[spread%uint64(len(flags))]
		if ofFlag := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.flag != flag }); len(ofFlag) > 0 {
			ofFlag[spread/64%uint64(len(ofFlag))].change(&in)
		}
	}
	words := rapid.SampledFrom([]string{"", "web", "app", "*", "Off", "default", "shop", "True", "\x00", "Deployment"})
	counts := rapid.SampledFrom([]int32{0, 1, 2, -1, 49, 90, 100, math.MaxInt32, math.MinInt32})
	quantities := rapid.SampledFrom([]string{"0", "1n", "-1", "128m", "1", "0.5", "100E", "9223372036854775807", "1e400", "-1e400", "1Ei", "1.1Gi"})
	list := rapid.Custom(func(t *rapid.T) corev1.ResourceList {
		return amounts(rapid.SampledFrom([]string{"cpu", "memory", "", "hugepages-2Mi"}).Draw(t, "name"), quantities.Draw(t, "quantity"), "cpu", quantities.Draw(t, "cpu"))
	})
	if chance("break HPA") && in.HPA != nil {
		spec := &in.HPA.Spec
		spec.MinReplicas, spec.MaxReplicas = ptr(counts.Draw(t, "min")), counts.Draw(t, "max")
		in.HPA.Namespace, in.HPA.Name = words.Draw(t, "namespace"), words.Draw(t, "name")
		target := counts.Draw(t, "target")
		q := resource.MustParse(quantities.Draw(t, "tolerance"))
		spec.Metrics = []autoscalingv2.MetricSpec{{}, {Type: "Resource"}, utilization("cpu", target), containerUtilization("memory", words.Draw(t, "in"), target)}
		spec.Metrics = spec.Metrics[rapid.IntRange(0, 4).Draw(t, "metrics"):]
		spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{
			ScaleUp:   &autoscalingv2.HPAScalingRules{Tolerance: &q, SelectPolicy: ptr(autoscalingv2.ScalingPolicySelect(words.Draw(t, "select")))},
			ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: ptr(counts.Draw(t, "window"))},
		}
		setCondition(&in, autoscalingv2.ScalingActive, corev1.ConditionStatus(words.Draw(t, "status")), words.Draw(t, "reason"))
		in.HPA.OwnerReferences = []metav1.OwnerReference{{}, {Kind: words.Draw(t, "owner")}}
		in.HPA.ManagedFields = append(in.HPA.ManagedFields, metav1.ManagedFieldsEntry{}, claim(words.Draw(t, "manager"), "Odd", "", string(rapid.SliceOf(rapid.Byte()).Draw(t, "fields"))))
	}
	if chance("break pod") {
		made := corev1.Container{Name: words.Draw(t, "container"), Resources: corev1.ResourceRequirements{Requests: list.Draw(t, "requests"), Limits: list.Draw(t, "limits")}}
		in.Pod.Spec = &corev1.PodSpec{Overhead: list.Draw(t, "overhead"), Containers: []corev1.Container{made, made, {}}, InitContainers: []corev1.Container{made}}
		in.Pod.LimitRanges = []corev1.LimitRange{{}, {Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: "Container", Default: list.Draw(t, "default")}}}}}
		in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{made, {Name: "x"}}}}
		if chance("pod level") {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: list.Draw(t, "pod requests")}
		}
		in.LargestNode = list.Draw(t, "node")
	}
	if chance("break the rest") {
		in.Workload = risk.Object{Kind: words.Draw(t, "kind"), Namespace: words.Draw(t, "space"), Name: words.Draw(t, "workload")}
		in.SpecReplicas = ptr(counts.Draw(t, "replicas"))
		in.Tolerance = ptr(resource.MustParse(quantities.Draw(t, "controller tolerance")))
		in.ControlPlane = &risk.ControlPlane{APIServer: risk.Component{Version: words.Draw(t, "version")}, ControllerManager: risk.Component{Version: "1.99999999999999999999.x"}}
		in.VPA = &risk.VPA{UpdateMode: words.Draw(t, "mode"), Containers: []risk.VPAContainer{{Name: words.Draw(t, "policy"), Mode: words.Draw(t, "container mode")}}}
		in.Services = append(in.Services, corev1.Service{}, service("", map[string]string{"": "", "app": "web"}))
		in.Pods = append(in.Pods, corev1.Pod{}, unschedulable(""), pod("", ""))
		in.OtherHPAs = append(in.OtherHPAs, nil, in.HPA, &autoscalingv2.HorizontalPodAutoscaler{})
		in.FieldManager = words.Draw(t, "field manager")
	}
	for _, drop := range []func(){
		func() { in.HPA = nil }, func() { in.Pod = metrics.Pod{} }, func() { in.WorkloadMeta = nil }, func() { in.VPA = nil },
		func() { in.NodeZones, in.TemplateLabels = nil, nil },
	} {
		if rapid.IntRange(0, 15).Draw(t, "drop") == 0 {
			drop()
		}
	}
	return in
}

func FuzzOwners(f *testing.F) {
	f.Add([]byte(requestClaim))
	f.Add([]byte(`{"f:spec":{"f:metrics":{},"f:targetCPUUtilizationPercentage":{}}}`))
	f.Add([]byte(`{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"\"}":{"f:resources":null}}}}}}`))
	f.Fuzz(func(t *testing.T, fields []byte) {
		entry := claim("x", "Update", "v", string(fields))
		owners, complete := risk.Owners([]metav1.ManagedFieldsEntry{entry}, "kerf")
		again, same := risk.Owners([]metav1.ManagedFieldsEntry{entry, entry}, "kerf")
		require.Equal(t, owners, again)
		require.Equal(t, complete, same)
		require.Equal(t, fields, entry.FieldsV1.Raw)
		for _, o := range owners {
			require.Contains(t, o.Field, "spec.")
		}
	})
}
