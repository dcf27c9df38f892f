package manifest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// names lists what was found: document, item and line of each object, skipped
// ones and refused ones included.
func names(o Objects) []string {
	var all []string
	for _, line := range strings.Split(summary(o, nil), "\n") {
		if line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "Raw") {
			all = append(all, strings.ReplaceAll(line, " f:", " "))
		}
	}
	return all
}

func texts(problems []Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}

const (
	serviceA = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
	serviceB = "apiVersion: v1\nkind: Service\nmetadata: {name: b}\n"
	jsonA    = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}`
	jsonB    = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"b"}}`
)

// TestReadDocuments cuts files into documents.
func TestReadDocuments(t *testing.T) {
	at := func(name string, document, line int) string {
		return fmt.Sprintf("Services: %d: document %d: v1 Service default/%s", line, document, name)
	}
	utf16 := func(s string, low int) string {
		b := make([]byte, 2*len(s))
		for i := range len(s) {
			b[2*i+low] = s[i]
		}
		return string(b)
	}
	for _, c := range []struct {
		name, input string
		want        []string
		why         string
	}{
		{"nothing", "", nil, "an empty file is no fault"},
		{"blank lines and comments", "\n  \n# a\n\t# b\n", nil, "so is one of comments"},
		{"null", "null\n---\n~\n", nil, "and a document that is null"},
		{"one", serviceA, []string{at("a", 1, 1)}, ""},
		{"two", serviceA + "---\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, ""},
		{"no line break at the end", serviceA + "---\n" + strings.TrimSpace(serviceB), []string{at("a", 1, 1), at("b", 2, 5)}, ""},
		{"separator first", "---\n" + serviceA, []string{at("a", 1, 2)}, "no empty document in front of it"},
		{"comments first", "# c\n\n---\n" + serviceA, []string{at("a", 1, 4)}, "comments are no document"},
		{"empty between", serviceA + "---\n---\n# c\n---\n" + serviceB, []string{at("a", 1, 1), at("b", 4, 8)}, "they count, as in YAML"},
		{"separator last", serviceA + "---\n", []string{at("a", 1, 1)}, ""},
		{"comment behind the separator", serviceA + "--- # c\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, ""},
		{"blanks behind the separator", serviceA + "--- \t\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, ""},
		{"content behind the separator", "--- " + jsonA + "\n--- " + jsonB, []string{at("a", 1, 1), at("b", 2, 2)}, ""},
		{"flow YAML behind the separator", "--- {kind: Service, apiVersion: v1, metadata: {name: a}}", []string{at("a", 1, 1)}, ""},
		{"dots", serviceA + "...\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, "dots end a document"},
		{"dots and separator", serviceA + "...\n---\n" + serviceB + "...\n", []string{at("a", 1, 1), at("b", 2, 6)}, ""},
		{"directive", "%YAML 1.1\n---\n" + serviceA + "...\n%YAML 1.1\n---\n" + serviceB, []string{at("a", 1, 3), at("b", 2, 9)}, "it belongs to the document behind it"},
		{"indented separator", serviceA + "x: |\n  ---\n  y\n", []string{at("a", 1, 1)}, "part of a text"},
		{"separator with a tail", serviceA + "x: |\n  a\n---\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 7)}, "it ends a text as well"},
		{"CR LF", strings.ReplaceAll(serviceA+"---\n"+serviceB, "\n", "\r\n"), []string{at("a", 1, 1), at("b", 2, 5)}, "written on Windows"},
		{"CR", strings.ReplaceAll(serviceA+"---\n"+serviceB, "\n", "\r"), []string{at("a", 1, 1), at("b", 2, 5)}, "a line break in YAML"},
		{"byte order mark", "\xef\xbb\xbf" + serviceA, []string{at("a", 1, 1)}, ""},
		{"byte order mark and separator", "\xef\xbb\xbf---\n" + serviceA, []string{at("a", 1, 2)}, ""},
		{"joined files", serviceA + "\xef\xbb\xbf---\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, "a byte order mark in the middle"},
		{"UTF-16 little endian", "\xff\xfe" + utf16(serviceA, 0), []string{at("a", 1, 1)}, "what PowerShell's > writes"},
		{"UTF-16 big endian", "\xfe\xff" + utf16(serviceA, 1), []string{at("a", 1, 1)}, ""},
		{"JSON", jsonA, []string{at("a", 1, 1)}, ""},
		{"JSON, several", jsonA + "\n\n" + jsonB, []string{at("a", 1, 1), at("b", 2, 3)}, ""},
		{"JSON, joined", jsonA + jsonB, []string{at("a", 1, 1), at("b", 2, 1)}, ""},
		{"JSON with separators", jsonA + "\n---\n" + jsonB + "\n---\n", []string{at("a", 1, 1), at("b", 2, 3)}, ""},
		{"JSON and comments", "# c\n---\n# d\n" + jsonA + "\n# e\n", []string{at("a", 1, 4)}, ""},
		{"JSON with tabs", "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Service\",\n\t\"metadata\": {\"name\": \"a\"}\n}", []string{at("a", 1, 1)}, "YAML forbids them"},
		{"JSON, half a surrogate pair each", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a","labels":{"x":"\ud83d\ude00"}}}`, []string{at("a", 1, 1)}, "YAML knows no pairs"},
		{"JSON and YAML", jsonA + "\n---\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 3)}, ""},
		{"line separator in a comment", "# c\u2028apiVersion: v1\nkind: Service\nmetadata: {name: a}", []string{at("a", 1, 2)}, "a line break to kubectl's parser, so the comment ends there"},
		{"flow YAML", "{apiVersion: v1, kind: Service, metadata: {name: a}}", []string{at("a", 1, 1)}, "starts like JSON"},
		{"flow YAML with quoted keys", `{"apiVersion": v1, "kind": 'Service', metadata: {name: a},}`, []string{at("a", 1, 1)}, "looks even more like JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(c.input))
			require.Empty(t, problems, c.why)
			require.Equal(t, c.want, names(o), c.why)
		})
	}
}

// TestReadBroken has files that are no documents. What is behind them is read.
func TestReadBroken(t *testing.T) {
	for _, c := range []struct{ name, input, want, why string }{
		{"syntax", "a: b: c\n", "f:1: document 1: not valid YAML: mapping values are not allowed in this context", ""},
		{"syntax, further down", "\n# c\na:\n  b: [\n", "f:5: document 1: not valid YAML: did not find expected node content", "lines are the file's"},
		{"tab", "a:\n\tb: c\n", "f:2: document 1: not valid YAML: found character that cannot start any token", ""},
		{"template", "{{- if .Values.x }}\na: b\n", "f:1: document 1: not valid YAML: did not find expected node content", "a Helm chart before it is rendered"},
		{"template of a value", "a: {{ .Values.x }}\nkind: Service\napiVersion: v1\nmetadata: {name: x}", "f:1: document 1: a: found an object as a key, expected text", "valid YAML, oddly"},
		{"windows-1252", "a: caf\xe9\n", "f:1: document 1: found the byte 0xe9, expected UTF-8 (is the file in windows-1252 or another old encoding?)", ""},
		{"NUL", "a: b\nc: \x00\n", "f:2: document 1: found the control character 0x00, expected text", ""},
		{"UTF-16 without a mark", "a\x00:\x00 \x00b\x00", "f:1: document 1: found the control character 0x00, expected text", ""},
		{"escape", "a: \x1b[31m\n", "f:1: document 1: found the control character 0x1b, expected text", "the terminal of who reads the message is safe"},
		{"text", "hello\n", `f:1: document 1: found "hello", expected a Kubernetes object`, ""},
		{"number", "5\n", "f:1: document 1: found the number 5, expected a Kubernetes object", ""},
		{"list", "- a\n", "f:1: document 1: found a list, expected a Kubernetes object", ""},
		{"no kind", "a: b\n", "f:1: document 1: kind: found nothing, expected the kind of a Kubernetes object", ""},
		{"kind is a number", "a: b\nkind: 5\n", "f:2: document 1: kind: found the number 5, expected the kind of a Kubernetes object", ""},
		{"no apiVersion", "kind: Service\nmetadata: {name: x}\n", "f:1: document 1: apiVersion: found nothing, expected v1 for a Service", ""},
		{"old version", "kind: Deployment\napiVersion: extensions/v1beta1\nmetadata: {name: x}\n", `f:2: document 1: apiVersion: found "extensions/v1beta1", expected apps/v1 for a Deployment`, "skipping it would hide a workload"},
		{"wrong group", "kind: Deployment\napiVersion: v1\nmetadata: {name: x}\n", `f:2: document 1: apiVersion: found "v1", expected apps/v1 for a Deployment`, "no API server has it"},
		{"no name", "kind: Service\napiVersion: v1\n", "f:1: document 1: metadata.name: found nothing, expected the name of the object", ""},
		{"JSON cut off", `{"kind":"Service",` + "\n", "f:3: document 1: not valid JSON: it ends in the middle", "told as JSON"},
		{"JSON with a fault", `{"kind":"Service"` + "\n" + `"a":1}`, "f:2: document 1: not valid JSON: ", ""},
		{"JSON key twice", `{"kind":"Service","apiVersion":"v1",` + "\n" + `"metadata":{"name":"x","name":"y"}}`, `f:2: document 1: metadata: found the key "name" a second time, expected it once`, ""},
		{"YAML key twice", "kind: Service\napiVersion: v1\nmetadata:\n  name: x\n  \"name\": y\n", `f:5: document 1: metadata: found the key "name" a second time, expected it once`, "in quotes or not"},
		{"key twice at the top", "kind: ConfigMap\nkind: Deployment\n", `f:2: document 1: found the key "kind" a second time, expected it once`, "whatever the first says"},
		{"alias of nothing", "a: *b\n", "f:1: document 1: not valid YAML: unknown anchor 'b' referenced", ""},
		{"alias inside itself", "kind: Service\na: &a\n- *a\n", "f:3: document 1: alias *a stands inside what it names", "endless"},
		{"merge of a text", "kind: Service\napiVersion: v1\nmetadata: {name: x, <<: 5}\n", "f:3: document 1: metadata: found the number 5 to merge (<<), expected an object or a list of objects", ""},
		{"key in front of a merge", "kind: Service\napiVersion: v1\nmetadata:\n  name: x\n  <<: {name: y}\n", `f:4: document 1: metadata: found the key "name" in front of a merge (<<) that has it too`, "kubectl takes y, others x"},
		{"tag", "kind: Service\napiVersion: v1\nmetadata: {name: !!binary eA==}\n", `f:3: document 1: metadata.name: found the tag "!!binary", expected a value without a tag`, ""},
		{"two YAML versions", "%YAML 2.0\n---\na: b\n", "f:1: document 1: not valid YAML: found incompatible YAML document", ""},
		{"unusual line break", "a: b\u2028--- \u2028c: d\n", "f:1: document 1: ", "a line break to the parser"},
		{"list in a list", "kind: List\nitems:\n- kind: List\n  items: []\n", "f:3: document 1, item 1: found a List inside a list, expected an object", ""},
		{"items is an object", "kind: List\nitems: {}\n", "f:2: document 1: items: found an object, expected a list", ""},
		{"item is nothing", "kind: List\nitems:\n-\n", "f:3: document 1, item 1: found nothing, expected a Kubernetes object", ""},
		{"deep YAML", strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "f:1: document 1: values are nested more than 1000 deep", ""},
		{"deeper YAML", strings.Repeat("- ", 20000), "f:1: document 1: not valid YAML: exceeded max depth of 10000", ""},
		{"deep JSON", strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000), "f:1: document 1: values are nested more than 1000 deep", ""},
		{"too many values", "[" + strings.Repeat(",", maxPieces) + "]", "f:1: document 1: found more than 2000000 lines, commas and opening brackets in one document, expected fewer", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(c.input+"\n---\n"+serviceB))
			require.NotEmpty(t, problems, c.why)
			require.Contains(t, problems[0].String(), c.want, c.why)
			require.NotEmpty(t, o.Services, "the document behind is read")
			require.Equal(t, "b", o.Services[len(o.Services)-1].Name)
		})
	}
}

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
		{"the same", serviceA, serviceA, "f:5: document 2: found a second Service default/a, expected one; the first, at f:1: document 1, stays",
			"g:1: document 1: found a second Service default/a, expected one; the first, at f:1: document 1, stays", "both origins"},
		{"HPA in two versions", hpa1, hpa2, "f:6: document 2: found a second HorizontalPodAutoscaler default/h, expected one; the first, at f:1: document 1, stays",
			"g:1: document 1: found a second HorizontalPodAutoscaler default/h, expected one; the first, at f:1: document 1, stays", "one object to the API server"},
		{"policies", policy1, policy2, "f:5: document 2: found a second policy for namespace default, expected one; the first, at f:1: document 1, stays",
			"g:1: document 1: found a second policy for namespace default, expected one; the first, at f:1: document 1, stays", "one governs a namespace"},
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

// silent returns nothing, and never ends.
type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

// endless never ends either, but says something.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

// TestReadReader: whatever the reader does.
func TestReadReader(t *testing.T) {
	for _, c := range []struct {
		name string
		r    io.Reader
		want string
	}{
		{"none", nil, "f: there is nothing to read from"},
		{"error", broken{}, "f: cannot be read: disk on fire"},
		{"silent", silent{}, "f: cannot be read: multiple Read calls return no data or error"},
		{"endless", endless{}, "f: found more than 16 MiB, expected a smaller file"},
		{"UTF-16 that grows", strings.NewReader("\xfe\xff" + strings.Repeat("\x20\x28", MaxSize/2-1)), "f: found more than 16 MiB, expected a smaller file"},
		{"half a character", strings.NewReader("\xfe\xff\x00"), "f: found UTF-16 with half a character at its end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", c.r)
			require.Equal(t, []string{c.want}, texts(problems))
			require.Empty(t, names(o))
			rows, problems := ReadRequests("f", c.r)
			require.Len(t, problems, 1)
			require.Empty(t, rows)
		})
	}
}
