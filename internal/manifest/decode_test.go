package manifest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReadStrict has faults inside objects; each refuses its object only.
func TestReadStrict(t *testing.T) {
	hpa := func(spec string) string {
		return "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec: " + spec
	}
	metric := func(target string) string {
		return hpa("{scaleTargetRef: {kind: Deployment, name: web}, maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: " + target + "}}]}")
	}
	policy := func(hpa string) string { return "kind: P\nspec: {hpa: " + hpa + "}" }
	for _, c := range []struct{ name, input, want, why string }{
		{"fraction", metric("{averageUtilization: 71.4}"), "spec.metrics[0].resource.target.averageUtilization: found the number 71.4, expected a whole number", ""},
		{"percent sign", metric(`{averageUtilization: 71%}`), `spec.metrics[0].resource.target.averageUtilization: found "71%", expected a whole number`, ""},
		{"quoted number", metric(`{averageUtilization: "71"}`), `spec.metrics[0].resource.target.averageUtilization: found "71", expected a whole number`, ""},
		{"beyond int32", metric("{averageUtilization: 2147483648}"), "spec.metrics[0].resource.target.averageUtilization: found the number 2147483648, expected a whole number of at most 32 bits", ""},
		{"beyond int64", metric("{averageUtilization: 99999999999999999999}"), "found the number 99999999999999999999, expected a whole number of at most 32 bits", ""},
		{"metric field", metric("{averageUtilisation: 71}"), "spec.metrics[0].resource.target.averageUtilisation: found an unknown field, expected one of type, value, averageValue, averageUtilization", ""},
		{"spec field", hpa("{minReplica: 2}"), "spec.minReplica: found an unknown field, expected one of scaleTargetRef, minReplicas,", "minReplicas would be 1"},
		{"behavior field", hpa("{behavior: {scaleDown: {stabilizationWindow: 60}}}"), "spec.behavior.scaleDown.stabilizationWindow: found an unknown field", "300 s would be assumed"},
		{"metrics is an object", hpa("{metrics: {type: Resource}}"), "spec.metrics: found an object, expected a list", ""},
		{"metric is nothing", hpa("{metrics: [null]}"), "spec.metrics[0]: found nothing, expected an item", ""},
		{"resource target is text", metric("50"), "spec.metrics[0].resource.target: found the number 50, expected an object", ""},
		{"raw value", metric("{averageValue: 1,5}"), "spec.metrics[0].resource.target.5: found an unknown field", "flow YAML cuts 1,5 in two"},
		{"old field", "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: h}\nspec: {metrics: []}", "spec.metrics: found an unknown field", "v1 has none"},
		{"request for requests", container("{request: {cpu: 1}}"), resourcesPath + ".request: found an unknown field, expected one of limits, requests, claims", ""},
		{"upper case", strings.Replace(container("{}"), "resources", "Resources", 1), "spec.template.spec.containers[0].Resources: found an unknown field, expected resources", "a field of no release"},
		{"upper case of a resource", container("{requests: {CPU: 1}}"), resourcesPath + `.requests.CPU: found the resource "CPU", expected "cpu"`, "the request would be missing"},
		{"extended resource", container("{limits: {nvidia.com/gpu: x}}"), resourcesPath + `.limits[nvidia.com/gpu]: found "x", expected a quantity`, "its path in brackets"},
		{"quantity in a resize policy's neighbour", container("[1]"), resourcesPath + ": found a list, expected an object", ""},
		{"quantity in another place", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {overhead: {cpu: 1e-99999}}", "spec.overhead.cpu: found the number 1e-99999, expected a quantity with an exponent", "wherever there is one"},
		{"pod-level quantity", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {resources: {requests: {cpu: x}}}", `spec.resources.requests.cpu: found "x", expected a quantity`, ""},
		{"limit range", "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{type: Container, defaultRequests: {cpu: 1}}]}", "spec.limits[0].defaultRequests: found an unknown field", ""},
		{"replicas are text", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: three}", `spec.replicas: found "three", expected a whole number`, ""},
		{"label is a number", "apiVersion: v1\nkind: Service\nmetadata: {name: d, labels: {a: 1}}", "metadata.labels.a: found the number 1, expected text; if it is meant as text, put it in quotes", "the API server refuses it"},
		{"name is a number", "apiVersion: v1\nkind: Service\nmetadata: {name: 5}", "metadata.name: found the number 5, expected text", ""},
		{"time", "apiVersion: v1\nkind: Service\nmetadata: {name: d, creationTimestamp: yesterday}", `metadata.creationTimestamp: found "yesterday", expected a time such as`, ""},
		{"port", "apiVersion: v1\nkind: Service\nmetadata: {name: d}\nspec: {ports: [{port: 80, targetPort: true}]}", "spec.ports[0].targetPort: found the boolean true, expected a whole number or text", ""},
		{"boolean", "apiVersion: v1\nkind: Pod\nmetadata: {name: d}\nspec: {hostNetwork: 1}", "spec.hostNetwork: found the number 1, expected true or false", ""},
		{"update mode", "apiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nmetadata: {name: v}\nspec: {updatePolicy: {updateMode: Off}}", "spec.updatePolicy.updateMode: found the boolean Off, expected text; if it is meant as text, put it in quotes", "a famous trap"},
		{"VPA target", "apiVersion: autoscaling.k8s.io/v1\nkind: VerticalPodAutoscaler\nmetadata: {name: v}\nstatus: {recommendation: {containerRecommendations: [{target: {cpu: x}}]}}", `status.recommendation.containerRecommendations[0].target.cpu: found "x", expected a quantity`, ""},
		{"usage", "apiVersion: metrics.k8s.io/v1beta1\nkind: PodMetrics\nmetadata: {name: v}\ncontainers: [{usage: {cpu: 1x}}]", `containers[0].usage.cpu: found "1x", expected a quantity`, ""},
		{"window", "apiVersion: metrics.k8s.io/v1beta1\nkind: PodMetrics\nmetadata: {name: v}\nwindow: 15", "window: found the number 15, expected a duration such as 30s", ""},
		{"policy text", policy(`{coordinate: "true"}`), `spec.hpa.coordinate: found "true", expected true or false`, ""},
		{"policy fraction", policy("{targetBounds: {minUtilization: 49.5}}"), "spec.hpa.targetBounds.minUtilization: found the number 49.5, expected a whole number", ""},
		{"policy bound as quantity", policy("{targetBounds: {maxUtilization: 85%}}"), `spec.hpa.targetBounds.maxUtilization: found "85%", expected a whole number`, ""},
		{"policy field", policy("{coordinate: true, targetBound: {}}"), "spec.hpa.targetBound: found an unknown field, expected one of coordinate, targetBounds", ""},
		{"policy bounds", policy("{targetBounds: [40, 90]}"), "spec.hpa.targetBounds: found a list, expected an object", ""},
		{"policy bound name", policy("{targetBounds: {min: 40}}"), "spec.hpa.targetBounds.min: found an unknown field, expected one of minUtilization, maxUtilization", ""},
		{"policy key twice", policy("{coordinate: false, coordinate: true}"), `spec.hpa: found the key "coordinate" a second time`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(c.input+"\n---\n"+serviceB))
			require.NotEmpty(t, problems, c.why)
			require.Contains(t, problems[0].String(), c.want, c.why)
			require.Len(t, o.Refused, 1)
			require.Equal(t, 1, o.Refused[0].Document)
			require.Equal(t, []string{"Services", "Refused"}, []string{strings.Split(names(o)[0], ":")[0], strings.Split(names(o)[1], ":")[0]}, "in no other list")
		})
	}
}

// TestReadLenient has what must not be a problem.
func TestReadLenient(t *testing.T) {
	for _, c := range []struct{ name, input, why string }{
		{"field of a later release", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, later: {a: 1}}\nspec: {later: [1], template: {spec: {containers: [{name: a, later: x}]}}}", ""},
		{"nothing instead of a value", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, labels: null, creationTimestamp: null}\nspec: {replicas: null, template: {spec: {containers: [{name: a, resources: null}]}}}", "the API server takes it as absent"},
		{"nothing in resources", container("{requests: null, limits: }"), ""},
		{"number with a point", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: 3.0}", "kubectl sends 3"},
		{"exponent", `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 3e0}}`, "kubectl sends 3"},
		{"key twice in what is skipped", "kind: ConfigMap\napiVersion: v1\ndata: {a: b, a: c}", "nobody reads it"},
		{"odd tag in what is skipped", "kind: ConfigMap\napiVersion: v1\nbinaryData: {a: !!binary eA==}", "nobody reads it"},
		{"another Service", "kind: Service\napiVersion: serving.knative.dev/v1\nspec: {template: 5}", "of another group"},
		{"no name in what is skipped", "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1", ""},
		{"spec.hpa of another kind", "kind: RightsizingRecommendation\napiVersion: x.io/v1\nspec: {hpa: {target: 71}}", "neither coordinate nor targetBounds: no policy"},
		{"kind that ends with List", "kind: AllowList\napiVersion: x.io/v1\nspec: {items: []}", "no items of its own"},
		{"label written as a date", "apiVersion: v1\nkind: Service\nmetadata: {name: d, annotations: {on: 2026-01-01}}", "text, as in kubectl; the key is \"true\" there"},
		{"empty lists", "kind: List\nitems: []\n---\nkind: DeploymentList\nitems: []\n---\nkind: List\n", ""},
		{"aliases in moderation", "apiVersion: v1\nkind: Service\nmetadata: {name: d, labels: &l {a: b}, annotations: *l}\nspec: {selector: {<<: *l, c: d}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(c.input))
			require.Empty(t, texts(problems), c.why)
			require.Empty(t, o.Refused)
		})
	}
}

// TestReadTime: times are in UTC whatever the zone of the machine.
func TestReadTime(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	time.Local = time.FixedZone("elsewhere", 3600)
	o, problems := Read("f", strings.NewReader("apiVersion: metrics.k8s.io/v1beta1\nkind: PodMetrics\nmetadata: {name: p}\ntimestamp: 2026-01-05T12:00:00+02:00\n"))
	require.Empty(t, problems)
	require.Equal(t, "2026-01-05 10:00:00 +0000 UTC", o.PodMetrics[0].Object.Timestamp.Time.String())
}
