package risk_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
)

// Each object of testdata/owners.json was recorded from a kube-apiserver, with its owners restated by the recorder as one line an entry:
// "manager Operation [apiVersion] [subresource]: paths".
func TestOwnersAsRecorded(t *testing.T) {
	text, err := os.ReadFile("testdata/owners.json")
	require.NoError(t, err)
	var recorded struct {
		Objects []struct {
			Story, Kind   string
			Owners        []string
			ManagedFields []metav1.ManagedFieldsEntry
		}
	}
	require.NoError(t, json.Unmarshal(text, &recorded))
	require.Len(t, recorded.Objects, 144)
	claims := 0
	for _, o := range recorded.Objects {
		want := []risk.Owner{}
		for _, line := range o.Owners {
			who, what, _ := strings.Cut(line, ": ")
			words := strings.Fields(who)
			owner := risk.Owner{Manager: words[0], Operation: metav1.ManagedFieldsOperationType(words[1]), APIVersion: "autoscaling/v2"}
			if o.Kind == "Deployment" {
				owner.APIVersion = "apps/v1"
			}
			if len(words) > 2 {
				owner.APIVersion = words[2]
			}
			if owner.Manager == "kerf" || slices.Contains(words, "status") || slices.Contains(words, "scale") {
				continue
			}
			for _, path := range strings.Fields(what) {
				if owner.Field = spelled(path, owner.APIVersion); owner.Field != "" {
					want = append(want, owner)
				}
			}
		}
		got, complete := risk.Owners(o.ManagedFields, "kerf")
		require.ElementsMatch(t, want, got, o.Story)
		require.Equal(t, len(o.ManagedFields) > 0, complete, o.Story)
		claims += len(got)
	}
	require.Equal(t, 104, claims, "an empty recording would agree with anything")
}

// spelled turns a recorded path into the field's path, or into nothing where it is none that a coordinated change writes.
func spelled(path, version string) string {
	switch {
	case path == "metrics" && version != "autoscaling/v1", path == "targetCPUUtilizationPercentage":
		return "spec." + path
	case !strings.Contains(path, "resources."), !strings.HasSuffix(path, ".cpu") && !strings.HasSuffix(path, ".memory"):
		return ""
	}
	return "spec.template.spec." + strings.NewReplacer("[", `[name="`, "]", `"]`).Replace(path)
}

func TestOwnersOnHostileInput(t *testing.T) {
	for _, row := range []struct {
		name, fields string
		want         []string
		complete     bool
		why          string
	}{
		{"empty", ``, nil, false, "not JSON"},
		{"null", `null`, nil, false, "not an object"},
		{"list", `[]`, nil, false, "not an object"},
		{"cut off", `{"f:spec":{"f:metrics":{}`, nil, false, "not JSON"},
		{"nothing", `{}`, nil, true, "owns nothing"},
		{"spec is a number", `{"f:spec":1}`, nil, false, "not an object"},
		{"leaf is a number", `{"f:spec":{"f:metrics":1}}`, []string{"spec.metrics"}, true, "the name is enough"},
		{"deep", strings.Repeat(`{"f:spec":`, 20000) + `{}` + strings.Repeat(`}`, 20000), nil, false, "deeper than the decoder goes"},
		{"upper case", `{"F:SPEC":{"F:METRICS":{}}}`, nil, true, "names have a case"},
		{"broken keys", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{":{},"k:[]":{},"k:{\"name\":1}":{},"k:{\"other\":\"x\"}":{},"v:1":{},"":{}}}}}}`, nil, true, "none of them names a container"},
		{"one part unreadable", `{"f:spec":{"f:metrics":{},"f:template":[]}}`, []string{"spec.metrics"}, false, "what can be read is listed"},
		{"quotes in a name", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"a\\\"]\"}":{"f:resources":{"f:limits":{"f:memory":{}}}}}}}}}`, []string{`spec.template.spec.containers[name="a\"]"].resources.limits.memory`}, true, "quoted"},
		{"pod level and sidecar", `{"f:spec":{"f:template":{"f:spec":{"f:resources":{"f:requests":{"f:cpu":{},"f:pods":{}}},"f:initContainers":{"k:{\"name\":\"s\"}":{"f:resources":{"f:requests":{".":{},"f:memory":{}}}}}}}}}`,
			[]string{`spec.template.spec.initContainers[name="s"].resources.requests.memory`, "spec.template.spec.resources.requests.cpu"}, true, "sorted by field"},
	} {
		t.Run(row.name, func(t *testing.T) {
			owners, complete := risk.Owners([]metav1.ManagedFieldsEntry{claim("x", "Update", "v", row.fields), claim("x", "Update", "v", row.fields)}, "kerf")
			var fields []string
			for _, o := range owners {
				fields = append(fields, o.Field)
			}
			require.Equal(t, row.want, fields, row.why)
			require.Equal(t, row.complete, complete, row.why)
		})
	}
	odd := claim("x", "Update", "v", `{"f:spec":{"f:metrics":{}}}`)
	odd.FieldsType = "FieldsV2"
	_, complete := risk.Owners([]metav1.ManagedFieldsEntry{odd}, "kerf")
	require.False(t, complete, "another format")
}

func TestZeroState(t *testing.T) {
	hpa := func(status corev1.ConditionStatus) *autoscalingv2.HorizontalPodAutoscaler {
		in := quiet()
		if status != "" {
			setCondition(&in, risk.ScaledToZero, status, "x")
		}
		return in.HPA
	}
	for _, row := range []struct {
		replicas *int32
		hpa      *autoscalingv2.HorizontalPodAutoscaler
		want     risk.State
		why      string
	}{
		{ptr(int32(0)), hpa("True"), risk.IdleByHPA, "B28"},
		{ptr(int32(0)), hpa(""), risk.ManualPause, "B28"},
		{ptr(int32(0)), hpa("False"), risk.ManualPause, "B28"},
		{ptr(int32(1)), hpa("True"), risk.Active, "B28: the status does not count"},
		{ptr(int32(0)), nil, risk.ManualPause, "no HPA: a person did it"},
		{nil, hpa("True"), risk.Active, "not given is 1"},
		{nil, nil, risk.Active, "not given is 1"},
		{ptr(int32(math.MinInt32)), nil, risk.Active, "not 0"},
	} {
		require.Equal(t, row.want, risk.ZeroState(row.replicas, row.hpa), row.why)
	}
	for _, s := range risk.States() {
		var back risk.State
		require.NoError(t, json.Unmarshal([]byte(toJSON(s)), &back))
		require.Equal(t, s, back)
	}
	var s risk.State
	require.Error(t, json.Unmarshal([]byte(`"idle"`), &s))
	require.Error(t, json.Unmarshal([]byte(`""`), &s))
}

// The twin computes the controller's scale-up limit from zero pods, policy by policy, without any event.
func TestNeverWakesAgainstTheLimitFromZero(t *testing.T) {
	limit := func(rules *autoscalingv2.HPAScalingRules) float64 {
		choice, policies := "Max", rules.Policies
		if rules.SelectPolicy != nil {
			choice = string(*rules.SelectPolicy)
		}
		if policies == nil {
			policies = []autoscalingv2.HPAScalingPolicy{{Type: "Pods", Value: 4}, {Type: "Percent", Value: 100}}
		}
		most, fewest := math.Inf(-1), math.Inf(1)
		for _, p := range policies {
			proposed := 0.0
			if p.Type == "Pods" {
				proposed += float64(p.Value)
			} else {
				proposed *= 1 + float64(p.Value)/100
			}
			most, fewest = math.Max(most, proposed), math.Min(fewest, proposed)
		}
		return map[string]float64{"Disabled": 0, "Min": fewest}[choice] + map[bool]float64{true: 0, false: most}[choice == "Disabled" || choice == "Min"]
	}
	kinds := []autoscalingv2.HPAScalingPolicy{policy("Pods", 1), policy("Pods", 0), policy("Percent", 100), policy("Percent", math.MaxInt32), policy("Pods", math.MaxInt32)}
	lists := [][]autoscalingv2.HPAScalingPolicy{nil, {}}
	for _, a := range kinds {
		lists = append(lists, []autoscalingv2.HPAScalingPolicy{a})
		for _, b := range kinds {
			lists = append(lists, []autoscalingv2.HPAScalingPolicy{a, b})
		}
	}
	never := 0
	for _, choice := range []*autoscalingv2.ScalingPolicySelect{nil, ptr(autoscalingv2.MaxChangePolicySelect), ptr(autoscalingv2.MinChangePolicySelect), ptr(autoscalingv2.DisabledPolicySelect), ptr(autoscalingv2.ScalingPolicySelect("odd"))} {
		for _, list := range lists {
			rules := &autoscalingv2.HPAScalingRules{SelectPolicy: choice, Policies: list}
			got := risk.NeverWakes(&autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: rules})
			require.Equal(t, limit(rules) <= 0, got, toJSON(rules))
			if got {
				never++
			}
		}
	}
	require.Equal(t, 96, never, "of %d", 5*len(lists))
	require.False(t, risk.NeverWakes(nil))
	require.False(t, risk.NeverWakes(&autoscalingv2.HorizontalPodAutoscalerBehavior{}))
}

// The twin looks for the scale-out trigger by a linear scan.
func TestSaturatesAgainstTheTrigger(t *testing.T) {
	for _, tolerance := range []float64{0, 0.05, 0.1, 0.11, 0.2, 0.25, 0.3, 1, 98, 99, math.Inf(1), math.NaN()} {
		for target := int32(-2); target < 120; target++ {
			triggers := false // below 100
			for u := 1; u < 100 && target > 0; u++ {
				triggers = triggers || float64(u)/float64(target) > 1.0+tolerance
			}
			want := target > 0 && (target >= 90 || !triggers)
			if math.IsNaN(tolerance) {
				want = target >= 90
			}
			require.Equal(t, want, risk.Saturates(target, tolerance), "%d %v", target, tolerance)
		}
	}
	require.True(t, risk.Saturates(math.MaxInt32, 0))
	require.False(t, risk.Saturates(89, 0.1))
	require.True(t, risk.Saturates(90, 0.1), "with the default both conditions begin at 90")
	require.False(t, float64(99)/float64(89) <= 1.1)
}

func TestReservedAgainstEveryMoment(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	rapid.Check(t, func(t *rapid.T) {
		type part struct {
			cpu     int64
			sidecar bool
		}
		parts := rapid.Custom(func(t *rapid.T) part {
			return part{rapid.Int64Range(0, 3000).Draw(t, "cpu"), rapid.Bool().Draw(t, "sidecar")}
		})
		init, main := rapid.SliceOfN(parts, 0, 5).Draw(t, "init"), rapid.SliceOfN(parts, 1, 3).Draw(t, "main")
		overhead := rapid.Int64Range(0, 500).Draw(t, "overhead")
		spec := &corev1.PodSpec{Overhead: corev1.ResourceList{"cpu": exact.Quantity(overhead, "DecimalSI")}}
		for i, p := range init {
			c := container(string(rune('a'+i)), corev1.ResourceList{"cpu": exact.Quantity(p.cpu, "DecimalSI")}, nil)
			if p.sidecar {
				c.RestartPolicy = &always
			}
			spec.InitContainers = append(spec.InitContainers, c)
		}
		for i, p := range main {
			spec.Containers = append(spec.Containers, container(string(rune('p'+i)), corev1.ResourceList{"cpu": exact.Quantity(p.cpu, "DecimalSI")}, nil))
		}
		// The moments of the pod's life: each init container with the sidecars before it, then all sidecars and containers.
		var want int64
		for moment := 0; moment <= len(init); moment++ {
			running := overhead
			for i, p := range init {
				if (i < moment && p.sidecar) || i == moment {
					running += p.cpu
				}
			}
			for _, p := range main {
				if moment == len(init) {
					running += p.cpu
				}
			}
			want = max(want, running)
		}
		got, ok := risk.Reserved(metrics.Pod{Spec: spec}, "cpu")
		if !ok || got != want {
			t.Fatalf("got %d %v, want %d", got, ok, want)
		}
	})
	_, ok := risk.Reserved(metrics.Pod{}, "cpu")
	require.False(t, ok, "no pod")
	_, ok = risk.Reserved(metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", amounts("cpu", "-1"), nil)}}}, "cpu")
	require.False(t, ok, "negative")
	_, ok = risk.Reserved(metrics.Pod{Spec: &corev1.PodSpec{Overhead: amounts("cpu", "-1"), Containers: []corev1.Container{container("a", amounts("cpu", "1"), nil)}}}, "cpu")
	require.False(t, ok, "negative overhead")
	_, ok = risk.Reserved(metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", amounts("memory", "1"), nil), container("b", amounts("memory", "1Ei"), nil)}}}, "memory")
	require.False(t, ok, "beyond int64")
	got, ok := risk.Reserved(metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{container("a", nil, nil)}}, Live: &corev1.Pod{Spec: corev1.PodSpec{Overhead: amounts("cpu", "1")}}}, "cpu")
	require.True(t, ok)
	require.EqualValues(t, 1000, got, "the live pod's overhead")
}

func TestControls(t *testing.T) {
	cpu := []corev1.ResourceName{"cpu"}
	for _, row := range []struct {
		vpa       *risk.VPA
		container string
		resource  corev1.ResourceName
		want      bool
		why       string
	}{
		{nil, "app", "cpu", false, "no VPA"},
		{&risk.VPA{}, "app", "cpu", true, "the default controls cpu"},
		{&risk.VPA{}, "app", "memory", true, "and memory"},
		{&risk.VPA{}, "app", "hugepages-2Mi", false, "and nothing else"},
		{&risk.VPA{UpdateMode: "Off"}, "app", "cpu", false, "Off"},
		{&risk.VPA{UpdateMode: "off"}, "app", "cpu", true, "the API knows no such word; it is not Off"},
		{&risk.VPA{Containers: []risk.VPAContainer{{Name: "*", Mode: "Off"}, {Name: "*", ControlledResources: cpu}}}, "app", "cpu", true, "the last * counts"},
		{&risk.VPA{Containers: []risk.VPAContainer{{Name: "app", Mode: "Off"}, {Name: "app"}}}, "app", "cpu", false, "the first of the name counts"},
		{&risk.VPA{Containers: []risk.VPAContainer{{Name: "app"}, {Name: "*", Mode: "Off"}}}, "app", "memory", true, "the name goes before *"},
		{&risk.VPA{Containers: []risk.VPAContainer{{Name: "*", ControlledResources: cpu}}}, "app", "memory", false, "only cpu"},
	} {
		require.Equal(t, row.want, risk.Controls(row.vpa, row.container, row.resource), row.why)
	}
}
