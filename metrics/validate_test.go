package metrics_test

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/metrics"
)

// validHPA is an HPA with one entry that the API server accepts.
func validHPA() *autoscalingv2.HorizontalPodAutoscaler {
	return only(entry("Resource", target("Utilization", "u")))
}

func only(entries ...autoscalingv2.MetricSpec) *autoscalingv2.HorizontalPodAutoscaler {
	h := &autoscalingv2.HorizontalPodAutoscaler{}
	h.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	h.Spec.MinReplicas, h.Spec.MaxReplicas, h.Spec.Metrics = ptr(int32(2)), 10, entries
	return h
}

// plain writes an error as path, type and value; its detail is for people.
func plain(errs field.ErrorList) []string {
	out := []string{}
	for _, e := range errs {
		text := e.Field + ": " + e.Type.String()
		switch v := reflect.ValueOf(e.BadValue); {
		case e.Type != field.ErrorTypeInvalid && e.Type != field.ErrorTypeNotSupported:
		case v.Kind() == reflect.String:
			text += ": " + strconv.Quote(v.String())
		default:
			text += fmt.Sprintf(": %v", e.BadValue)
		}
		out = append(out, text)
	}
	return out
}

// checked is one change of a valid HPA and the errors that it must give; none for a near miss.
type checked struct {
	name   string
	change func(h *autoscalingv2.HorizontalPodAutoscaler)
	want   []string
	why    string
}

func runChecked(t *testing.T, rows []checked) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			h := validHPA()
			row.change(h)
			if row.want == nil {
				row.want = []string{}
			}
			require.Equal(t, row.want, plain(metrics.Validate(h)), row.why)
		})
	}
}

func entries(list ...autoscalingv2.MetricSpec) func(*autoscalingv2.HorizontalPodAutoscaler) {
	return func(h *autoscalingv2.HorizontalPodAutoscaler) { h.Spec.Metrics = list }
}

// TestValidateSpec is HPA rule 75 but for the entries.
func TestValidateSpec(t *testing.T) {
	require.Equal(t, []string{"spec: Required value"}, plain(metrics.Validate(nil)))
	ref := func(apiVersion, kind, name string) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return func(h *autoscalingv2.HorizontalPodAutoscaler) {
			h.Spec.ScaleTargetRef = autoscalingv2.CrossVersionObjectReference{APIVersion: apiVersion, Kind: kind, Name: name}
		}
	}
	replicas := func(least *int32, most int32) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return func(h *autoscalingv2.HorizontalPodAutoscaler) { h.Spec.MinReplicas, h.Spec.MaxReplicas = least, most }
	}
	runChecked(t, []checked{
		{"valid", func(*autoscalingv2.HorizontalPodAutoscaler) {}, nil, "what all rows start from"},
		{"max 1", replicas(nil, 1), nil, "the least maximum; no minimum is 1"},
		{"max 0", replicas(ptr(int32(0)), 0), []string{"spec.maxReplicas: Required value", "spec.metrics: Forbidden"}, "0 is unset"},
		{"max 0, no minimum", replicas(nil, 0), []string{"spec.maxReplicas: Required value", "spec.maxReplicas: Invalid value: 0"}, "and below the minimum of 1"},
		{"max -1", replicas(nil, -1), []string{"spec.maxReplicas: Invalid value: -1", "spec.maxReplicas: Invalid value: -1"}, "below 1, and below the minimum"},
		{"max int32", replicas(nil, math.MaxInt32), nil, "no upper bound"},
		{"min = max", replicas(ptr(int32(3)), 3), nil, "the least maximum for 3"},
		{"min > max", replicas(ptr(int32(4)), 3), []string{"spec.maxReplicas: Invalid value: 3"}, "the path is the maximum's"},
		{"min -1", replicas(ptr(int32(-1)), 3), []string{"spec.minReplicas: Invalid value: -1"}, "negative"},
		{"min 0", replicas(ptr(int32(0)), 3), []string{"spec.metrics: Forbidden"}, "nothing would wake it: cpu needs pods"},
		{"min 1", replicas(ptr(int32(1)), 3), nil, "one pod is enough for cpu"},
		{"min 0, default metrics", func(h *autoscalingv2.HorizontalPodAutoscaler) {
			h.Spec.MinReplicas, h.Spec.Metrics = ptr(int32(0)), nil
		},
			[]string{"spec.metrics: Forbidden"}, "cpu 80 does not wake either"},
		{"min 0, object", func(h *autoscalingv2.HorizontalPodAutoscaler) {
			h.Spec.MinReplicas = ptr(int32(0))
			h.Spec.Metrics = append(h.Spec.Metrics, withObjectVersion(entry("Object", target("Value", "v"))))
		}, nil, "one entry that wakes is enough"},
		{"min 0, external", func(h *autoscalingv2.HorizontalPodAutoscaler) {
			h.Spec.MinReplicas, h.Spec.Metrics = ptr(int32(0)), []autoscalingv2.MetricSpec{entry("External", target("Value", "v"))}
		}, nil, "HPAScaleToZero is on"},
		{"min 0, pods", func(h *autoscalingv2.HorizontalPodAutoscaler) {
			h.Spec.MinReplicas, h.Spec.Metrics = ptr(int32(0)), []autoscalingv2.MetricSpec{entry("Pods", target("AverageValue", "a"))}
		}, []string{"spec.metrics: Forbidden"}, "no pods, no samples"},
		{"no kind", ref("apps/v1", "", "web"), []string{"spec.scaleTargetRef.kind: Required value"}, "kind"},
		{"no name", ref("apps/v1", "Deployment", ""), []string{"spec.scaleTargetRef.name: Required value"}, "name"},
		{"kind with a slash", ref("apps/v1", "a/b", "web"), []string{`spec.scaleTargetRef.kind: Invalid value: "a/b"`}, "must be a segment of a path"},
		{"name is dots", ref("apps/v1", "Deployment", ".."), []string{`spec.scaleTargetRef.name: Invalid value: ".."`}, "must be a segment of a path"},
		{"name of both faults", ref("apps/v1", "Deployment", "a/%"), []string{`spec.scaleTargetRef.name: Invalid value: "a/%"`, `spec.scaleTargetRef.name: Invalid value: "a/%"`}, "one error for each"},
		{"name with dots", ref("apps/v1", "Deployment", "..."), nil, "only one or two dots are a path of their own"},
		{"odd name", ref("apps/v1", "deployment", "A b:c"), nil, "no more is checked"},
		{"core group", ref("v1", "Pod", "web"), []string{`spec.scaleTargetRef.apiVersion: Invalid value: "v1"`}, "a group is needed"},
		{"no version", ref("", "Deployment", "web"), []string{`spec.scaleTargetRef.apiVersion: Invalid value: ""`}, "a group is needed"},
		{"replication controller", ref("v1", "ReplicationController", "web"), nil, "the one kind of the core group"},
		{"replication controller without version", ref("", "ReplicationController", "web"), nil, "the one kind of the core group"},
		{"two slashes", ref("a/b/c", "Deployment", "web"), []string{`spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c"`}, "no group and version"},
		{"two slashes, replication controller", ref("a/b/c", "ReplicationController", "web"), []string{`spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c"`}, "no group and version"},
	})
}

func withObjectVersion(m autoscalingv2.MetricSpec) autoscalingv2.MetricSpec {
	m.Object.DescribedObject.APIVersion = "networking.k8s.io/v1"
	return m
}

// TestValidateEntries: which source must be there.
func TestValidateEntries(t *testing.T) {
	cpu, pods := entry("Resource", target("Utilization", "u")), entry("Pods", target("AverageValue", "a"))
	both := func(kind autoscalingv2.MetricSourceType) autoscalingv2.MetricSpec {
		m := cpu
		m.Type, m.Pods = kind, pods.Pods
		return m
	}
	typed := func(m autoscalingv2.MetricSpec, kind autoscalingv2.MetricSourceType) autoscalingv2.MetricSpec {
		m.Type = kind
		return m
	}
	broken := both("Resource")
	broken.Resource = &autoscalingv2.ResourceMetricSource{}
	const unsupported = `: Unsupported value: "`
	runChecked(t, []checked{
		{"no entries", entries(), nil, "become cpu 80"},
		{"duplicates", entries(cpu, cpu), nil, "HPA rule 76"},
		{"no type", entries(typed(cpu, "")), []string{"spec.metrics[0].type: Required value", `spec.metrics[0].type` + unsupported + `"`, `spec.metrics[0].type` + unsupported + `"`},
			"the validation function says it twice"},
		{"unknown type", entries(cpu, typed(cpu, "resource")), []string{`spec.metrics[1].type` + unsupported + `resource"`, `spec.metrics[1].type` + unsupported + `resource"`}, "case matters"},
		{"no source", entries(typed(autoscalingv2.MetricSpec{}, "Object")), []string{"spec.metrics[0].object: Required value"}, "the type's source"},
		{"no source: external", entries(typed(autoscalingv2.MetricSpec{}, "External")), []string{"spec.metrics[0].external: Required value"}, "the type's source"},
		{"no source: pods", entries(typed(autoscalingv2.MetricSpec{}, "Pods")), []string{"spec.metrics[0].pods: Required value"}, "the type's source"},
		{"no source: resource", entries(typed(autoscalingv2.MetricSpec{}, "Resource")), []string{"spec.metrics[0].resource: Required value"}, "the type's source"},
		{"no source: container", entries(typed(autoscalingv2.MetricSpec{}, "ContainerResource")), []string{"spec.metrics[0].containerResource: Required value"}, "the type's source"},
		{"another source", entries(typed(cpu, "Pods")), []string{"spec.metrics[0].pods: Required value"}, "a single wrong source is not named"},
		{"two sources", entries(both("Resource")), []string{"spec.metrics[0].pods: Forbidden"}, "only one"},
		{"two sources, the other type", entries(both("Pods")), []string{"spec.metrics[0].resource: Forbidden"}, "only one"},
		{"two sources, none of the type", entries(both("External")), []string{"spec.metrics[0].external: Required value", "spec.metrics[0].pods: Forbidden", "spec.metrics[0].resource: Forbidden"}, "both"},
		{"only the first source is checked", entries(broken), []string{"spec.metrics[0].pods: Forbidden"}, "pods are looked at before resource"},
	})
}

// TestValidateTargets is HPA rules 75 and 76: which fields of a target.
func TestValidateTargets(t *testing.T) {
	of := func(source autoscalingv2.MetricSourceType, kind autoscalingv2.MetricTargetType, fields string) func(*autoscalingv2.HorizontalPodAutoscaler) {
		m := entry(source, target(kind, fields))
		if m.Object != nil {
			m = withObjectVersion(m)
		}
		return entries(m)
	}
	percent := func(u int32) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return entries(entry("Resource", autoscalingv2.MetricTarget{Type: "Utilization", AverageUtilization: &u}))
	}
	amount := func(text string) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return entries(entry("Pods", autoscalingv2.MetricTarget{Type: "AverageValue", AverageValue: quantity(text)}))
	}
	value := func(text string) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return entries(entry("External", autoscalingv2.MetricTarget{Type: "Value", Value: quantity(text)}))
	}
	const at = "spec.metrics[0]."
	runChecked(t, []checked{
		{"utilization 1", percent(1), nil, "the least"},
		{"utilization 0", percent(0), []string{at + "resource.target.averageUtilization: Invalid value: 0"}, "must be above 0"},
		{"utilization -1", percent(-1), []string{at + "resource.target.averageUtilization: Invalid value: -1"}, "must be above 0"},
		{"utilization int32", percent(math.MaxInt32), nil, "no upper bound"},
		{"average 1n", amount("1n"), nil, "any amount above 0"},
		{"average 0", amount("0"), []string{at + `pods.target.averageValue: Invalid value: "0"`}, "must be positive"},
		{"average -1n", amount("-1n"), []string{at + `pods.target.averageValue: Invalid value: "-1n"`}, "must be positive"},
		{"value 1n", value("1n"), nil, "any amount above 0"},
		{"value 0", value("0"), []string{at + `external.target.value: Invalid value: "0"`}, "must be positive"},
		{"value -1", value("-1"), []string{at + `external.target.value: Invalid value: "-1"`}, "must be positive"},
		{"no target type", of("Resource", "", "u"), []string{at + "resource.target.type: Required value", at + `resource.target.type: Invalid value: ""`}, "both are said"},
		{"unknown target type", of("Resource", "utilization", "u"), []string{at + `resource.target.type: Invalid value: "utilization"`}, "case matters"},
		{"type AverageValue with a utilization", of("Resource", "AverageValue", "u"), nil, "HPA rule 76: not compared"},
		{"type Value with a utilization", of("Resource", "Value", "u"), nil, "HPA rule 76: not compared"},
		{"type Utilization with a value", of("Resource", "Utilization", "a"), nil, "HPA rule 76: not compared"},
		{"value beside a utilization", of("Resource", "Utilization", "uv"), nil, "accepted and ignored"},
		{"resource with neither", of("Resource", "Utilization", "v"), []string{at + "resource.target.averageUtilization: Required value"}, "exactly one"},
		{"resource with both", of("Resource", "Utilization", "ua"), []string{at + "resource.target.averageValue: Forbidden"}, "exactly one"},
		{"container with neither", of("ContainerResource", "Utilization", ""), []string{at + "containerResource.target.averageUtilization: Required value"}, "exactly one"},
		{"container with both", of("ContainerResource", "Utilization", "ua"), []string{at + "containerResource.target.averageValue: Forbidden"}, "exactly one"},
		{"container, one", of("ContainerResource", "AverageValue", "a"), nil, "exactly one"},
		{"object, both", of("Object", "Value", "av"), nil, "at least one, both allowed"},
		{"object, average", of("Object", "AverageValue", "a"), nil, "at least one"},
		{"object, value", of("Object", "Value", "v"), nil, "at least one"},
		{"object, neither", of("Object", "Utilization", "u"), []string{at + "object.target.averageValue: Required value"}, "at least one"},
		{"object, type Utilization", of("Object", "Utilization", "v"), nil, "HPA rule 76: accepted, fails at run time"},
		{"external, value", of("External", "Value", "v"), nil, "exactly one"},
		{"external, average", of("External", "AverageValue", "a"), nil, "exactly one"},
		{"external, both", of("External", "Value", "av"), []string{at + "external.target.value: Forbidden"}, "exactly one"},
		{"external, neither", of("External", "Value", "u"), []string{at + "external.target.averageValue: Required value"}, "exactly one"},
		{"pods, average", of("Pods", "AverageValue", "auv"), nil, "averageValue; the rest is ignored"},
		{"pods, none", of("Pods", "AverageValue", "v"), []string{at + "pods.target.averageValue: Required value"}, "averageValue"},
	})
}

// TestValidateNames: names of metrics, resources and containers.
func TestValidateNames(t *testing.T) {
	change := func(source autoscalingv2.MetricSourceType, f func(*autoscalingv2.MetricSpec)) func(*autoscalingv2.HorizontalPodAutoscaler) {
		m := entry(source, target("AverageValue", "a"))
		if m.Object != nil {
			m = withObjectVersion(m)
		}
		f(&m)
		return entries(m)
	}
	id := func(source autoscalingv2.MetricSourceType, name string) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return change(source, func(m *autoscalingv2.MetricSpec) {
			switch {
			case m.Pods != nil:
				m.Pods.Metric.Name = name
			case m.Object != nil:
				m.Object.Metric.Name = name
			case m.External != nil:
				m.External.Metric.Name = name
			}
		})
	}
	describes := func(apiVersion, kind, name string) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return change("Object", func(m *autoscalingv2.MetricSpec) {
			m.Object.DescribedObject = autoscalingv2.CrossVersionObjectReference{APIVersion: apiVersion, Kind: kind, Name: name}
		})
	}
	container := func(name corev1.ResourceName, container string) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return change("ContainerResource", func(m *autoscalingv2.MetricSpec) {
			m.ContainerResource.Name, m.ContainerResource.Container = name, container
		})
	}
	const at = "spec.metrics[0]."
	const bad = at + "containerResource.name: Invalid value: "
	runChecked(t, []checked{
		{"pods without name", id("Pods", ""), []string{at + "pods.metric.name: Required value"}, "a metric"},
		{"pods, bad name", id("Pods", "a/b"), []string{at + `pods.metric.name: Invalid value: "a/b"`}, "a segment of a path"},
		{"object without name", id("Object", ""), []string{at + "object.metric.name: Required value"}, "a metric"},
		{"object, bad name", id("Object", "."), []string{at + `object.metric.name: Invalid value: "."`}, "a segment of a path"},
		{"external without name", id("External", ""), []string{at + "external.metric.name: Required value"}, "a metric"},
		{"external, bad name", id("External", "100%"), []string{at + `external.metric.name: Invalid value: "100%"`}, "a segment of a path"},
		{"external, odd name", id("External", "s3:requests"), nil, "no more is checked"},
		{"object of the core group", describes("v1", "Service", "front"), nil, "only the scale target needs a group"},
		{"object without version", describes("", "Service", "front"), nil, "only the scale target needs a group"},
		{"object, bad version", describes("a/b/c", "Service", "front"), []string{at + `object.describedObject.apiVersion: Invalid value: "a/b/c"`}, "no group and version"},
		{"object, nothing", describes("", "", ""), []string{at + "object.describedObject.kind: Required value", at + "object.describedObject.name: Required value"}, "a described object"},
		{"resource without name", change("Resource", func(m *autoscalingv2.MetricSpec) { m.Resource.Name = "" }), []string{at + "resource.name: Required value"}, "a resource"},
		{"any resource name", change("Resource", func(m *autoscalingv2.MetricSpec) { m.Resource.Name = "no such/thing!" }), nil, "HPA rule 76: not checked for Resource"},
		{"container without anything", container("", ""), []string{at + "containerResource.name: Required value", at + "containerResource.container: Required value"}, "both"},
		{"container, cpu", container("cpu", "app"), nil, "a container's resource"},
		{"container, memory", container("memory", "app"), nil, "a container's resource"},
		{"container, ephemeral storage", container("ephemeral-storage", "app"), nil, "a container's resource"},
		{"container, huge pages", container("hugepages-2Mi", "app"), nil, "a container's resource"},
		{"container, device", container("example.com/gpu", "app"), nil, "an extended resource"},
		{"container, native prefix", container("kubernetes.io/gpu", "app"), nil, "accepted, as upstream does"},
		{"container, requested device", container("requests.example.com/gpu", "app"), []string{bad + `"requests.example.com/gpu"`}, "the prefix is a quota's"},
		{"container, device too long", container(corev1.ResourceName(strings.Repeat("d", 250)+"/gpu"), "app"), []string{bad + `"` + strings.Repeat("d", 250) + `/gpu"`}, "too long for a quota's name"},
		{"container, device at its longest", container(corev1.ResourceName(strings.Repeat("d", 244)+"/gpu"), "app"), nil, "253 with the quota's prefix of 9"},
		{"container, other word", container("gpu", "app"), []string{bad + `"gpu"`, bad + `"gpu"`}, "neither standard nor a container's"},
		{"container, a quota's word", container("pods", "app"), []string{bad + `"pods"`}, "standard, but no container's"},
		{"container, another quota's word", container("requests.cpu", "app"), []string{bad + `"requests.cpu"`}, "standard, but no container's"},
		{"container, quota of huge pages", container("requests.hugepages-2Mi", "app"), []string{bad + `"requests.hugepages-2Mi"`}, "standard, but no container's"},
		{"container, no word", container("a b", "app"), []string{bad + `"a b"`, bad + `"a b"`}, "not qualified, and no container's; it is not asked whether it is standard"},
		{"container, bad huge pages", container("hugepages-2 Mi", "app"), []string{bad + `"hugepages-2 Mi"`}, "not qualified"},
		{"container, bad device", container("a b/c", "app"), []string{bad + `"a b/c"`, bad + `"a b/c"`}, "not qualified, no extended resource"},
		{"container, two slashes", container("a/b/c", "app"), []string{bad + `"a/b/c"`, bad + `"a/b/c"`}, "not qualified, no extended resource"},
		{"container name", container("cpu", "App"), []string{at + `containerResource.container: Invalid value: "App"`}, "a label"},
		{"container name with a dot", container("cpu", "a.b"), []string{at + `containerResource.container: Invalid value: "a.b"`}, "a label"},
		{"container name at its longest", container("cpu", strings.Repeat("c", 63)), nil, "63 characters"},
		{"container name too long", container("cpu", strings.Repeat("c", 64)), []string{at + `containerResource.container: Invalid value: "` + strings.Repeat("c", 64) + `"`}, "63 characters"},
	})
	for _, name := range []corev1.ResourceName{"requests.cpu", "requests.memory", "requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage",
		"pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims", "storage", "requests.storage",
		"services.nodeports", "services.loadbalancers"} {
		h := validHPA()
		container(name, "app")(h)
		require.Equal(t, []string{bad + `"` + string(name) + `"`}, plain(metrics.Validate(h)), "one error: the name is standard, but no container's")
	}
}

// TestValidateBehavior is HPA rule 77.
func TestValidateBehavior(t *testing.T) {
	good := autoscalingv2.HPAScalingPolicy{Type: "Pods", Value: 1, PeriodSeconds: 15}
	rules := func(f func(r *autoscalingv2.HPAScalingRules)) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return func(h *autoscalingv2.HorizontalPodAutoscaler) {
			r := &autoscalingv2.HPAScalingRules{Policies: []autoscalingv2.HPAScalingPolicy{good}}
			f(r)
			h.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: r}
		}
	}
	window := func(w int32) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return rules(func(r *autoscalingv2.HPAScalingRules) { r.StabilizationWindowSeconds = &w })
	}
	selects := func(s autoscalingv2.ScalingPolicySelect) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return rules(func(r *autoscalingv2.HPAScalingRules) { r.SelectPolicy = &s })
	}
	tolerates := func(text string) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return rules(func(r *autoscalingv2.HPAScalingRules) { r.Tolerance = quantity(text) })
	}
	policy := func(kind autoscalingv2.HPAScalingPolicyType, value, period int32) func(*autoscalingv2.HorizontalPodAutoscaler) {
		return rules(func(r *autoscalingv2.HPAScalingRules) {
			r.Policies = append(r.Policies, autoscalingv2.HPAScalingPolicy{Type: kind, Value: value, PeriodSeconds: period})
		})
	}
	const at = "spec.behavior.scaleUp."
	runChecked(t, []checked{
		{"empty", func(h *autoscalingv2.HorizontalPodAutoscaler) {
			h.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{}
		}, nil, "filled by the defaults"},
		{"rules without policies", rules(func(r *autoscalingv2.HPAScalingRules) { r.Policies = nil }), nil, "filled by the defaults"},
		{"empty policies", rules(func(r *autoscalingv2.HPAScalingRules) { r.Policies = []autoscalingv2.HPAScalingPolicy{} }), []string{at + "policies: Required value"}, "an explicit empty list is not filled"},
		{"window 0", window(0), nil, "the least"},
		{"window -1", window(-1), []string{at + "stabilizationWindowSeconds: Invalid value: -1"}, "0..3600"},
		{"window 3600", window(3600), nil, "the most"},
		{"window 3601", window(3601), []string{at + "stabilizationWindowSeconds: Invalid value: 3601"}, "0..3600"},
		{"select Max", selects("Max"), nil, "one of three"},
		{"select Min", selects("Min"), nil, "one of three"},
		{"select Disabled", selects("Disabled"), nil, "one of three"},
		{"select none", selects(""), []string{at + `selectPolicy: Unsupported value: ""`}, "one of three"},
		{"select other", selects("max"), []string{at + `selectPolicy: Unsupported value: "max"`}, "one of three"},
		{"tolerance 0", tolerates("0"), nil, "the least"},
		{"tolerance 1000", tolerates("1000"), nil, "no upper bound"},
		{"tolerance -1n", tolerates("-1n"), []string{at + `tolerance: Invalid value: "-1n"`}, "not below 0"},
		{"percent", policy("Percent", math.MaxInt32, 1800), nil, "no upper bound on the value"},
		{"pods", policy("Pods", 1, 1), nil, "the least of both"},
		{"policy type", policy("percent", 1, 1), []string{at + `policies[1].type: Unsupported value: "percent"`}, "one of two"},
		{"value 0", policy("Pods", 0, 1), []string{at + "policies[1].value: Invalid value: 0"}, "above 0"},
		{"value -1", policy("Pods", -1, 1), []string{at + "policies[1].value: Invalid value: -1"}, "above 0"},
		{"period 0", policy("Pods", 1, 0), []string{at + "policies[1].periodSeconds: Invalid value: 0"}, "1..1800"},
		{"period 1801", policy("Pods", 1, 1801), []string{at + "policies[1].periodSeconds: Invalid value: 1801"}, "1..1800"},
		{"scale down", func(h *autoscalingv2.HorizontalPodAutoscaler) {
			h.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: ptr(int32(-1))}}
		}, []string{"spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1"}, "the other direction"},
	})
}
