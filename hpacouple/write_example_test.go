package hpacouple_test

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

// deployed is a Deployment and its HPA as an API server has them, made by kubectl create.
func deployed() (hpacouple.Workload, hpacouple.Live) {
	set := func(apiVersion, fields string) []metav1.ManagedFieldsEntry {
		return []metav1.ManagedFieldsEntry{{Manager: "kubectl-create", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: apiVersion,
			FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}}
	}
	target := int32(50)
	return hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}, hpacouple.Live{
		Meta: &metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "d1", ResourceVersion: "41", ManagedFields: set("apps/v1",
			`{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:name":{},"f:resources":{"f:requests":{"f:cpu":{}}}}}}}}}`)},
		Template: &corev1.PodSpec{Containers: []corev1.Container{{Name: "app",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}}}},
		HPA: &autoscalingv2.HorizontalPodAutoscaler{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "h1", ResourceVersion: "42", ManagedFields: set("autoscaling/v2", `{"f:spec":{"f:maxReplicas":{},"f:metrics":{}}}`)},
			Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 10,
				ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
				Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
					Name: "cpu", Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}},
			}},
	}
}

// changed is the change of those objects to 700m.
func changed(w hpacouple.Workload, live hpacouple.Live) hpacouple.Change {
	plan, errs := hpacouple.Plan(hpacouple.Input{Workload: w, Pod: metrics.Pod{Spec: live.Template}, HPA: live.HPA,
		Recommendations: []hpacouple.Recommendation{{Container: "app", Requests: corev1.ResourceList{"cpu": resource.MustParse("700m")}}}})
	if len(errs) > 0 {
		fmt.Println(errs)
	}
	c, _ := hpacouple.ChangeOf(plan)
	return c
}

func ExampleChangeOf() {
	c := changed(deployed())
	fmt.Println(c.Strategy, c.HPA.Name)
	for _, a := range c.Amounts {
		fmt.Println(a, a.From, "->", a.To)
	}
	for _, t := range c.Targets {
		fmt.Println(t, t.From, "->", t.To)
	}
	// Output:
	// Rollout web
	// spec.template.spec.containers[name="app"].resources.requests.cpu 1 -> 700m
	// cpu 50 -> 71
}

// The first change takes the fields over: by force, guarded, and with what is to be remembered.
func ExampleChange_Writes() {
	w, live := deployed()
	got, errs := changed(w, live).Writes(live, hpacouple.WriteOptions{})
	if len(errs) > 0 {
		fmt.Println(errs)
	}
	fmt.Println("order:", got.Order.First, "safe:", got.Order.Safe)
	for _, write := range got.Writes {
		fmt.Println(write.Object.Kind, write.PatchType, write.FieldManager, write.Force)
		fmt.Println(string(write.Body))
	}
	fmt.Println("store:", got.Taken.Metrics.Targets[0].Target, got.Taken.Metrics.Owners[0].Manager)
	// Output:
	// order: target-first safe: true
	// HorizontalPodAutoscaler application/apply-patch+yaml kerf true
	// {"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web","resourceVersion":"42","uid":"h1"},"spec":{"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":71,"type":"Utilization"}},"type":"Resource"}]}}
	// Deployment application/apply-patch+yaml kerf true
	// {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","resourceVersion":"41","uid":"d1"},"spec":{"template":{"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"700m"}}}]}}}}
	// store: 50 kubectl-create
}

func ExampleChange_Reverse() {
	c := changed(deployed()).Reverse()
	fmt.Println(c.Amounts[0].From, "->", c.Amounts[0].To)
	fmt.Println(c.Targets[0].From, "->", c.Targets[0].To)
	// Output:
	// 700m -> 1
	// 71 -> 50
}

// taken is the objects after the change was written: kerf owns the metrics and the request.
func taken(live hpacouple.Live) hpacouple.Live {
	hpa := live.HPA.DeepCopy()
	*hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 71
	hpa.ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "kerf", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "autoscaling/v2", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{"f:metrics":{}}}`)}},
		{Manager: "kubectl-create", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "autoscaling/v2", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{"f:maxReplicas":{}}}`)}},
	}
	meta, template := live.Meta.DeepCopy(), live.Template.DeepCopy()
	template.Containers[0].Resources.Requests["cpu"] = resource.MustParse("700m")
	const app = `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:name":{},"f:resources":{"f:requests":`
	meta.ManagedFields[0].FieldsV1.Raw = []byte(app + `{}}}}}}}}`)
	meta.ManagedFields = append([]metav1.ManagedFieldsEntry{{Manager: "kerf", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "apps/v1",
		FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(app + `{"f:cpu":{}}}}}}}}}`)}}}, meta.ManagedFields...)
	return hpacouple.Live{Meta: meta, Template: template, HPA: hpa}
}

// The writes have been answered: what is ours is marked, so that a later loss of it is seen.
func ExampleTaken_Confirm() {
	w, live := deployed()
	got, _ := changed(w, live).Writes(live, hpacouple.WriteOptions{})
	fmt.Println(got.Taken.Metrics.Held, got.Taken.Confirm(taken(live), "").Metrics.Held)
	// Output: false true
}

// The HPA is gone: the requests go back alone.
func ExampleTaken_WithoutHPA() {
	w, live := deployed()
	got, _ := changed(w, live).Writes(live, hpacouple.WriteOptions{})
	now := taken(live)
	now.HPA = nil
	_, errs := hpacouple.Release(w, now, hpacouple.ReleaseOptions{Taken: got.Taken, Back: true})
	fmt.Println(errs[0])
	released, _ := hpacouple.Release(w, now, hpacouple.ReleaseOptions{Taken: got.Taken.WithoutHPA(), Back: true})
	fmt.Println(len(released.Writes), released.Writes[0].Object.Kind)
	// Output:
	// live.hpa: Required value: its target goes back together with the requests
	// 1 Deployment
}

// A memory that was stored is read before it is used.
func ExampleTaken_Validate() {
	target := hpacouple.TakenTarget{TargetRef: hpacouple.TargetRef{Type: "Resource", Resource: "cpu"}}
	fmt.Println(hpacouple.Taken{Metrics: &hpacouple.TakenMetrics{Targets: []hpacouple.TakenTarget{target}}}.Validate()[0])
	// Output: taken.metrics.targets[0].target: Invalid value: "0": must be at least 1
}

// The value stays; the field is its former owner's again.
func ExampleRelease() {
	w, live := deployed()
	got, _ := changed(w, live).Writes(live, hpacouple.WriteOptions{})
	released, errs := hpacouple.Release(w, taken(live), hpacouple.ReleaseOptions{Taken: got.Taken})
	if len(errs) > 0 {
		fmt.Println(errs)
	}
	fmt.Println(released.Writes[0].PatchType, released.Writes[0].FieldManager)
	fmt.Println(string(released.Writes[0].Body))
	// Output:
	// application/json-patch+json kerf
	// [{"op":"test","path":"/metadata/managedFields/0/fieldsV1/f:spec/f:metrics","value":{}},{"op":"test","path":"/metadata/managedFields/1/manager","value":"kubectl-create"},{"op":"test","path":"/metadata/managedFields/1/operation","value":"Update"},{"op":"test","path":"/metadata/managedFields/1/apiVersion","value":"autoscaling/v2"},{"op":"add","path":"/metadata/managedFields/1/fieldsV1/f:spec/f:metrics","value":{}},{"op":"test","path":"/metadata/managedFields/0/manager","value":"kerf"},{"op":"test","path":"/metadata/managedFields/0/operation","value":"Apply"},{"op":"remove","path":"/metadata/managedFields/0"}]
}

// Rollback and release in one write of each object, where that is exact: requests and target together.
func ExampleRelease_back() {
	w, live := deployed()
	got, _ := changed(w, live).Writes(live, hpacouple.WriteOptions{})
	released, _ := hpacouple.Release(w, taken(live), hpacouple.ReleaseOptions{Taken: got.Taken, Back: true})
	for _, write := range released.Writes {
		fmt.Println(write.Object.Kind, "in the name of", write.FieldManager)
	}
	fmt.Println("again:", released.Again, "kept:", len(released.Kept))
	// Output:
	// Deployment in the name of kubectl-create
	// HorizontalPodAutoscaler in the name of kubectl-create
	// again: false kept: 0
}

func ExampleRepair() {
	w, live := deployed()
	hpa := live.HPA.DeepCopy()
	hpa.ManagedFields[0].Manager, hpa.ManagedFields[0].Operation = "kerf", metav1.ManagedFieldsOperationApply
	hpa.ManagedFields[0].FieldsV1.Raw = []byte(`{"f:metadata":{"f:annotations":{"f:kubectl.kubernetes.io/last-applied-configuration":{}}},"f:spec":{"f:maxReplicas":{},"f:metrics":{}}}`)
	_, errs := changed(w, live).Writes(hpacouple.Live{Meta: live.Meta, Template: live.Template, HPA: hpa}, hpacouple.WriteOptions{})
	fmt.Println(errs[0].Type, errs[0].Field)
	writes, _ := hpacouple.Repair(w, hpacouple.Live{HPA: hpa}, "")
	fmt.Println(string(writes[0].Body))
	// Output:
	// Forbidden live.hpa.metadata.managedFields
	// [{"op":"test","path":"/metadata/managedFields/0/manager","value":"kerf"},{"op":"test","path":"/metadata/managedFields/0/operation","value":"Apply"},{"op":"replace","path":"/metadata/managedFields/0/manager","value":"kubectl-client-side-apply"},{"op":"replace","path":"/metadata/managedFields/0/operation","value":"Update"}]
}

func ExampleSafeOrder() {
	lower := []hpacouple.TargetChange{{From: 50, To: 71}} // requests fall
	fmt.Printf("%+v\n", hpacouple.SafeOrder(lower, nil))
	none := int32(0)
	fmt.Printf("%+v\n", hpacouple.SafeOrder(lower, &autoscalingv2.HorizontalPodAutoscalerBehavior{
		ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: &none}}))
	// Output:
	// {First:target-first Safe:true Window:300}
	// {First:target-first Safe:false Window:0}
}

func ExampleChange_Events() {
	for _, e := range changed(deployed()).Events() {
		fmt.Println(e.Type, e.Reason, e.Message)
		fmt.Println(e.Details.Annotations())
	}
	// Output:
	// Normal Applied requests and the cpu target of HPA web changed together: 50% to 71%
	// map[hpa:web hpaResource:cpu hpaTargetFrom:50 hpaTargetTo:71]
}

func ExampleRecommendationHPAOf() {
	w, live := deployed()
	plan, _ := hpacouple.Plan(hpacouple.Input{Workload: w, Pod: metrics.Pod{Spec: live.Template}, HPA: live.HPA, MaxReplicasReached: true})
	fmt.Printf("%+v\n", *hpacouple.RecommendationHPAOf(plan))
	fmt.Println(*changed(w, live).RecommendationHPAStatus().PreviousHPATarget)
	// Output:
	// {Name:web Resource:cpu Target:50 SkipReason:max-replicas-reached}
	// 50
}

func ExampleRules() {
	for _, r := range hpacouple.Rules(false) {
		fmt.Printf("%q %v %v\n", r.APIGroups[0], r.Resources, r.Verbs)
	}
	// Output:
	// "autoscaling" [horizontalpodautoscalers] [get patch]
	// "apps" [daemonsets deployments replicasets statefulsets] [get patch]
	// "" [replicationcontrollers] [get patch]
}
