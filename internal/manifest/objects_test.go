package manifest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// TestReadKinds reads lists, policies and what has no namespace.
func TestReadKinds(t *testing.T) {
	for _, c := range []struct {
		name, input string
		want        []string
		why         string
	}{
		{"list", "kind: List\nitems:\n- {apiVersion: v1, kind: Service, metadata: {name: a, namespace: m}}\n- {kind: Secret, apiVersion: v1, metadata: {name: s}}\n",
			[]string{"Services: 3: document 1, item 1: v1 Service m/a", "Skipped: 4: document 1, item 2: v1 Secret default/s"}, ""},
		{"typed list", "kind: ServiceList\napiVersion: v1\nitems:\n- {metadata: {name: a}}\n", []string{"Services: 4: document 1, item 1: v1 Service default/a"}, "its items do not say what they are"},
		{"typed list of another kind", "kind: SecretList\napiVersion: v1\nitems:\n- {metadata: {name: a}}\n", []string{"Skipped: 4: document 1, item 1: v1 Secret default/a"}, ""},
		{"policy of any kind", "apiVersion: x.io/v1\nkind: Deployment\nmetadata: {name: p, namespace: m}\nspec: {hpa: {targetBounds: {}}}", []string{"Policies: 1: document 1: x.io/v1 Deployment m/p"}, "the content decides"},
		{"policy without a name", "spec: {hpa: {coordinate: null}}", []string{"Policies: 1: document 1:   default/"}, ""},
		{"policy in a list", "kind: List\nitems: [{spec: {hpa: {coordinate: yes}}}]", []string{"Policies: 2: document 1, item 1:   default/"}, ""},
		{"both versions of an HPA", "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: b}\n",
			[]string{"Autoscalers: 5: document 2: autoscaling/v2 HorizontalPodAutoscaler default/b", "AutoscalersV1: 1: document 1: autoscaling/v1 HorizontalPodAutoscaler default/a"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(c.input))
			require.Empty(t, texts(problems), c.why)
			require.Equal(t, c.want, names(o), c.why)
			for _, s := range o.Services {
				require.Equal(t, s.Namespace, s.Object.Namespace, "the namespace is filled in")
				require.Equal(t, "Service", s.Object.Kind, "so is the kind")
			}
		})
	}
}

// TestReadPolicy keeps the raw policy and tells absent bounds from given ones.
func TestReadPolicy(t *testing.T) {
	o, problems := Read("f", strings.NewReader("spec:\n  hpa:\n    targetBounds: {maxUtilization: 85}\n    coordinate: on\n"))
	require.Empty(t, problems)
	hpa := o.Policies[0].Object.Spec.HPA
	require.True(t, hpa.Coordinate)
	require.Nil(t, hpa.TargetBounds.MinUtilization)
	require.Equal(t, int32(85), *hpa.TargetBounds.MaxUtilization)
	require.Equal(t, `{"targetBounds":{"maxUtilization":85},"coordinate":true}`, string(hpa.Raw))
}

// TestReadOrderOfMetrics: B13, B16. The order of the list is the live one, and
// nothing is added to it.
func TestReadOrderOfMetrics(t *testing.T) {
	const cpu = `{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}`
	const memory = `{"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}}`
	for _, metrics := range [][]string{{cpu, memory}, {memory, cpu}, {memory, memory, cpu}} {
		o, problems := Read("f", strings.NewReader(`{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"},
			"spec": {"metrics": [`+strings.Join(metrics, ",")+`]}}`))
		require.Empty(t, problems)
		got := o.Autoscalers[0].Object.Spec.Metrics
		require.Len(t, got, len(metrics))
		for i, m := range metrics {
			require.Equal(t, m == cpu, got[i].Resource.Name == "cpu", "entry %d of %v", i, metrics)
			require.Equal(t, autoscalingv2.ResourceMetricSourceType, got[i].Type)
		}
	}
}

// TestAdd finds objects that are there twice, in one file and across files.
func TestAdd(t *testing.T) {
	const hpa1 = "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec: {scaleTargetRef: {kind: Deployment, name: x}}\n"
	const hpa2 = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: default}\nspec: {scaleTargetRef: {kind: Deployment, name: z}}\n"
	const policy1 = "kind: P\nmetadata: {name: p}\nspec: {hpa: {coordinate: true}}\n"
	const policy2 = "kind: Q\nmetadata: {name: q}\nspec: {hpa: {coordinate: false}}\n"
	for _, c := range []struct {
		name, first, second string
		want                string // of both in one file
		wantAdded           string // of the second file added to the first
		why                 string
	}{
		{"the same", serviceA, serviceA, "f:5: document 2: found a second Service default/a, expected one; the first is at f:1: document 1",
			"g:1: document 1: found a second Service default/a, expected one; the first is at f:1: document 1", "both origins"},
		{"HPA in two versions", hpa1, hpa2, "f:6: document 2: found a second HorizontalPodAutoscaler default/h, expected one; the first is at f:1: document 1",
			"g:1: document 1: found a second HorizontalPodAutoscaler default/h, expected one; the first is at f:1: document 1", "one object to the API server"},
		{"policies", policy1, policy2, "f:5: document 2: found a second policy for namespace default, expected one; the first is at f:1: document 1",
			"g:1: document 1: found a second policy for namespace default, expected one; the first is at f:1: document 1", "one governs a namespace"},
		{"another name", serviceA, serviceB, "", "", ""},
		{"another namespace", serviceA, strings.Replace(serviceA, "name: a", "name: a, namespace: m", 1), "", "", ""},
		{"another kind", serviceA, strings.Replace(serviceA, "Service", "Pod", 1), "", "", ""},
		{"skipped", "kind: X\nmetadata: {name: a}\n", "kind: X\nmetadata: {name: a}\n", "", "", "nobody reads them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			both, problems := Read("f", strings.NewReader(c.first+"---\n"+c.second))
			require.Equal(t, c.want, strings.Join(texts(problems), "\n"), c.why)

			o, problems := Read("f", strings.NewReader(c.first))
			require.Empty(t, problems)
			other, problems := Read("g", strings.NewReader(c.second))
			require.Empty(t, problems)
			before := summary(other, nil)
			require.Equal(t, c.wantAdded, strings.Join(texts(o.Add(other)), "\n"), c.why)
			require.Equal(t, before, summary(other, nil), "what is added stays as it is")
			require.Len(t, names(o), len(names(both)))
			if c.want != "" {
				require.Equal(t, both.Refused[0].Identity, o.Refused[0].Identity)
				require.Equal(t, both.Refused[0].Target, o.Refused[0].Target)
			}
			var all Objects
			require.Empty(t, all.Add(o), "what was refused is no problem twice")
			require.Equal(t, summary(o, nil), summary(all, nil), "the zero value takes all")
		})
	}
}

// TestField finds the lines of fields by the paths that the library's faults have.
func TestField(t *testing.T) {
	const doc = "kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec:\n  containers:\n  - name: app\n    resources:\n      requests:\n        cpu: 1\n        memory: 1Gi\n  - name: side\n"
	o, problems := Read("f", strings.NewReader("---\n"+doc))
	require.Empty(t, texts(problems))
	for _, c := range []struct {
		path string
		line int
		why  string
	}{
		{"", 2, "the object"},
		{"metadata.name", 4, ""},
		{"spec.containers[0].resources.requests[memory]", 11, "as the library writes it"},
		{"spec.containers[0].resources.requests.memory", 11, "as this package writes it"},
		{"spec.containers[1]", 12, ""},
		{"spec.containers[1].resources.requests[cpu]", 12, "not there: the innermost part"},
		{"spec.containers[2].name", 7, "not there"},
		{"spec.containers[-1]", 7, "not there"},
		{"spec.containers[", 7, "no path"},
		{"status", 2, "not there"},
		{"..[]..", 2, "no path"},
	} {
		require.Equal(t, Origin{File: "f", Document: 1, Line: c.line}, o.Pods[0].Field(c.path), "%s %s", c.path, c.why)
	}
	require.Equal(t, 11, As(o.Pods[0], "anything").Field("spec.containers[0].resources.requests[memory]").Line)
	require.Equal(t, Origin{}, Sourced[int]{}.Field("spec"), "made by hand")
}
