package main

import (
	"fmt"
	"strings"
)

// The builders below write manifests for tests. A box is a container: its name, and cpu and memory as "request", "request/limit" or "/limit".
type box struct{ name, cpu, memory string }

func (b box) yaml() string {
	var requests, limits []string
	for _, r := range [][2]string{{"cpu", b.cpu}, {"memory", b.memory}} {
		request, limit, _ := strings.Cut(r[1], "/")
		if request != "" {
			requests = append(requests, r[0]+": \""+request+"\"")
		}
		if limit != "" {
			limits = append(limits, r[0]+": \""+limit+"\"")
		}
	}
	return fmt.Sprintf("{name: %q, resources: {requests: {%s}, limits: {%s}}}", b.name, strings.Join(requests, ", "), strings.Join(limits, ", "))
}

func workloadDoc(kind, name string, boxes ...box) string {
	var list []string
	for _, b := range boxes {
		list = append(list, b.yaml())
	}
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: %s
metadata: {name: %s}
spec:
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s}}
    spec: {containers: [%s]}
`, kind, name, name, name, strings.Join(list, ", "))
}

// deployment is the Deployment web.
func deployment(boxes ...box) string { return workloadDoc("Deployment", "web", boxes...) }

func hpaDoc(name, kind, target string, entries ...string) string {
	return fmt.Sprintf(`---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: %s}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: %s, name: %s}
  maxReplicas: 10
  metrics: [%s]
`, name, kind, target, strings.Join(entries, ", "))
}

// hpa scales the Deployment web.
func hpa(entries ...string) string { return hpaDoc("web", "Deployment", "web", entries...) }

func utilization(resource string, percent int) string {
	return fmt.Sprintf("{type: Resource, resource: {name: %s, target: {type: Utilization, averageUtilization: %d}}}", resource, percent)
}

func raw(resource, value string) string {
	return fmt.Sprintf("{type: Resource, resource: {name: %s, target: {type: AverageValue, averageValue: %q}}}", resource, value)
}

func perContainer(container, resource string, percent int) string {
	return fmt.Sprintf("{type: ContainerResource, containerResource: {container: %s, name: %s, target: {type: Utilization, averageUtilization: %d}}}", container, resource, percent)
}

func external(metric, value string) string {
	return fmt.Sprintf("{type: External, external: {metric: {name: %s}, target: {type: AverageValue, averageValue: %q}}}", metric, value)
}

const policyOn = `---
spec: {hpa: {coordinate: true}}
`

// remembered is the Deployment web with its HPA after a change from 1 and 50 % to 700m and 71 %, with what is remembered of it.
const remembered = `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations:
    kube-rightsize.github.io/ledger: '{"change": {"workload": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "web"},
      "hpa": {"namespace": "default", "name": "web"}, "strategy": "Rollout",
      "amounts": [{"place": "containers", "container": "app", "resource": "cpu", "kind": "requests", "from": "1", "to": "700m"}],
      "targets": [{"type": "Resource", "resource": "cpu", "from": 50, "to": 71}]},
      "taken": {"metrics": {"targets": [{"type": "Resource", "resource": "cpu", "target": 50}],
        "owners": [{"manager": "kubectl-create", "operation": "Update", "apiVersion": "autoscaling/v2", "field": "spec.metrics"}]},
        "amounts": [{"place": "containers", "container": "app", "resource": "cpu", "kind": "requests", "value": "1",
          "owners": [{"manager": "kubectl-create", "operation": "Update", "apiVersion": "apps/v1", "field": "spec.template.spec.containers[name=\"app\"].resources.requests.cpu"}]}]}}'
  managedFields:
  - {manager: kerf, operation: Apply, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"app"}': {".": {}, "f:name": {}, "f:resources": {"f:requests": {"f:cpu": {}}}}}}}}}}
  - {manager: kubectl-create, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"app"}': {".": {}, "f:name": {}, "f:resources": {".": {}, "f:requests": {}}}}}}}}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, resources: {requests: {cpu: 700m}}}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  managedFields:
  - {manager: kerf, operation: Apply, apiVersion: autoscaling/v2, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:metrics": {}}}}
  - {manager: kubectl-create, operation: Update, apiVersion: autoscaling/v2, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:maxReplicas": {}, "f:minReplicas": {}, "f:scaleTargetRef": {}}}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 10
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 71}}}]
`

// forgotten is the same after the ledger was lost.
var forgotten = strings.Replace(remembered, "kube-rightsize.github.io/ledger:", "example.com/other:", 1)
