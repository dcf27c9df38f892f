package risk_test

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
)

func ExampleCheck() {
	target, least := int32(95), int32(1)
	hpa := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "web", OwnerReferences: []metav1.OwnerReference{{Kind: "ScaledObject", Name: "web"}}},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: &least, MaxReplicas: 10, Metrics: []autoscalingv2.MetricSpec{{
			Type: autoscalingv2.ResourceMetricSourceType,
			Resource: &autoscalingv2.ResourceMetricSource{Name: corev1.ResourceCPU,
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}},
		}}},
	}
	found := risk.Check(risk.Input{
		Workload:       risk.Object{Kind: "Deployment", Name: "web"},
		Pod:            metrics.Pod{Spec: &corev1.PodSpec{Containers: []corev1.Container{{Name: "app"}}}},
		TemplateLabels: map[string]string{"app": "web"},
		HPA:            hpa,
		Services:       []corev1.Service{{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{Selector: map[string]string{"app": "web"}}}},
	})
	for _, f := range found {
		fmt.Println(f.Flag, f.Object.Kind, f.Field, f.Number)
	}
	fmt.Println(risk.Flags(found)[0].Entry().Next)
	// Output:
	// hpa-coupled HorizontalPodAutoscaler spec.metrics[0].resource.target.averageUtilization 95
	// hpa-managed-elsewhere HorizontalPodAutoscaler metadata.ownerReferences[0] ScaledObject/web
	// ownership-unknown HorizontalPodAutoscaler metadata.managedFields 0
	// single-replica HorizontalPodAutoscaler spec.minReplicas 1
	// target-near-saturation HorizontalPodAutoscaler spec.metrics[0].resource.target.averageUtilization 95
	// target-uncomfortable HorizontalPodAutoscaler spec.metrics[0].resource.target.averageUtilization 95
	// metric-unknown Deployment spec.template.spec.containers[name="app"].resources.requests.cpu absent
	// Never change requests of that resource without the target.
}

func ExampleOwners() {
	others, complete := risk.Owners([]metav1.ManagedFieldsEntry{
		{Manager: "kerf", Operation: "Apply", APIVersion: "autoscaling/v2", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{"f:metrics":{}}}`)}},
		{Manager: "gitops", Operation: "Apply", APIVersion: "autoscaling/v2", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{"f:maxReplicas":{},"f:metrics":{}}}`)}},
	}, "kerf")
	fmt.Println(others, complete)
	// Output: [{gitops Apply autoscaling/v2 spec.metrics}] true
}

func ExampleZeroState() {
	none := int32(0)
	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	fmt.Println(risk.ZeroState(&none, hpa))
	hpa.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: risk.ScaledToZero, Status: corev1.ConditionTrue}}
	fmt.Println(risk.ZeroState(&none, hpa))
	// Output:
	// manual-pause
	// idle-by-hpa
}

func ExampleNeverWakes() {
	doubling := &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{
		Policies: []autoscalingv2.HPAScalingPolicy{{Type: autoscalingv2.PercentScalingPolicy, Value: 100, PeriodSeconds: 15}},
	}}
	fmt.Println(risk.NeverWakes(doubling), risk.NeverWakes(nil))
	// Output: true false
}

func ExampleSaturates() {
	fmt.Println(risk.Saturates(89, 0.1), risk.Saturates(90, 0.1), risk.Saturates(80, 0.25))
	// Output: false true true
}

func ExampleControls() {
	vpa := &risk.VPA{Containers: []risk.VPAContainer{
		{Name: "*", ControlledResources: []corev1.ResourceName{corev1.ResourceMemory}},
		{Name: "proxy", Mode: "Off"},
	}}
	fmt.Println(risk.Controls(vpa, "app", corev1.ResourceMemory), risk.Controls(vpa, "app", corev1.ResourceCPU), risk.Controls(vpa, "proxy", corev1.ResourceMemory))
	// Output: true false false
}

func ExampleReserved() {
	pod := metrics.Pod{Spec: &corev1.PodSpec{
		InitContainers: []corev1.Container{container("migrate", amounts("cpu", "2"), nil)},
		Containers:     []corev1.Container{container("app", amounts("cpu", "500m"), nil)},
		Overhead:       amounts("cpu", "250m"),
	}}
	milli, ok := risk.Reserved(pod, corev1.ResourceCPU)
	sum, _ := pod.Requests(corev1.ResourceCPU, "")
	fmt.Println(milli, ok, sum.Milli)
	// Output: 2250 true 500
}

func ExampleTargets() {
	hpa := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: "web"}}}
	fmt.Println(risk.Targets(hpa, risk.Object{Kind: "Deployment", Namespace: "default", Name: "web"}))
	// Output: true
}
