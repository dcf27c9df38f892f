package risk_test

import (
	"encoding/json"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
)

func ptr[T any](v T) *T { return &v }

func amounts(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func container(name string, requests, limits corev1.ResourceList) corev1.Container {
	return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: requests, Limits: limits}}
}

func utilization(name corev1.ResourceName, target int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: name, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}
}

func containerUtilization(name corev1.ResourceName, in string, target int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ContainerResourceMetricSourceType, ContainerResource: &autoscalingv2.ContainerResourceMetricSource{
		Name: name, Container: in, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}
}

func raw(name corev1.ResourceName, value string) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: name, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: ptr(resource.MustParse(value))}}}
}

func external() autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{
		Metric: autoscalingv2.MetricIdentifier{Name: "queue_depth"},
		Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: ptr(resource.MustParse("30"))}}}
}

// claim is an entry of managedFields.
func claim(manager string, operation metav1.ManagedFieldsOperationType, version, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: version, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
}

const requestClaim = `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:name":{},"f:resources":{"f:requests":{"f:cpu":{}}}}}}}}}`

// quiet is a workload with an HPA that raises nothing at all, and whose surroundings are all known.
func quiet() risk.Input {
	meta := metav1.ObjectMeta{Name: "web", Namespace: "shop"}
	workloadMeta := meta
	workloadMeta.ManagedFields = []metav1.ManagedFieldsEntry{claim("kerf", metav1.ManagedFieldsOperationApply, "apps/v1", requestClaim)}
	hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: meta}
	hpa.ManagedFields = []metav1.ManagedFieldsEntry{claim("kerf", metav1.ManagedFieldsOperationApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
	hpa.Spec = autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		MinReplicas:    ptr(int32(2)), MaxReplicas: 10,
		Metrics: []autoscalingv2.MetricSpec{external(), raw("cpu", "500m")},
	}
	hpa.Status = autoscalingv2.HorizontalPodAutoscalerStatus{
		CurrentReplicas: 4, DesiredReplicas: 4, LastScaleTime: ptr(metav1.Unix(1700000000, 0)),
		CurrentMetrics: []autoscalingv2.MetricStatus{{Type: autoscalingv2.ExternalMetricSourceType}, {Type: autoscalingv2.ResourceMetricSourceType}},
		Conditions: []autoscalingv2.HorizontalPodAutoscalerCondition{
			{Type: autoscalingv2.AbleToScale, Status: corev1.ConditionTrue, Reason: "ReadyForNewScale"},
			{Type: autoscalingv2.ScalingActive, Status: corev1.ConditionTrue, Reason: "ValidMetricFound"},
			{Type: autoscalingv2.ScalingLimited, Status: corev1.ConditionFalse, Reason: "DesiredWithinRange"},
		},
	}
	return risk.Input{
		Workload:     risk.Object{Kind: "Deployment", Namespace: "shop", Name: "web"},
		SpecReplicas: ptr(int32(4)),
		Pod: metrics.Pod{Spec: &corev1.PodSpec{
			InitContainers: []corev1.Container{container("migrate", amounts("cpu", "1"), nil)},
			Containers:     []corev1.Container{container("app", amounts("cpu", "500m", "memory", "512Mi"), amounts("cpu", "1", "memory", "1Gi"))},
		}},
		TemplateLabels: map[string]string{"app": "web", "tier": "front"},
		WorkloadMeta:   &workloadMeta,
		HPA:            hpa,
		VPA:            &risk.VPA{Object: risk.Object{Kind: "VerticalPodAutoscaler", Namespace: "shop", Name: "web"}},
		Services:       []corev1.Service{service("web", map[string]string{"app": "web"})},
		Pods:           []corev1.Pod{pod("web-1", "n1"), pod("web-2", "n2"), pod("web-3", "n1"), pod("web-4", "n2")},
		NodeZones:      map[string]string{"n1": "a", "n2": "b"},
		ControlPlane:   &risk.ControlPlane{APIServer: risk.Component{Version: "v1.37.2"}, ControllerManager: risk.Component{Version: "v1.37.2"}},
		LargestNode:    amounts("cpu", "4", "memory", "16Gi"),
		OOMKilled:      []string{"app"},
		Throttled:      []string{"app"},
	}
}

func service(name string, selector map[string]string) corev1.Service {
	return corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"}, Spec: corev1.ServiceSpec{Selector: selector}}
}

func pod(name, node string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"},
		Spec:       corev1.PodSpec{NodeName: node},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

func unschedulable(name string) corev1.Pod {
	p := pod(name, "")
	p.Status.Phase = corev1.PodPending
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable"}}
	return p
}

func deleted(p corev1.Pod) corev1.Pod {
	p.DeletionTimestamp = ptr(metav1.NewTime(time.Unix(1700000000, 0)))
	return p
}

// setCondition replaces or adds a condition of the HPA.
func setCondition(in *risk.Input, kind autoscalingv2.HorizontalPodAutoscalerConditionType, status corev1.ConditionStatus, reason string) {
	made := autoscalingv2.HorizontalPodAutoscalerCondition{Type: kind, Status: status, Reason: reason}
	for i, c := range in.HPA.Status.Conditions {
		if c.Type == kind {
			in.HPA.Status.Conditions[i] = made
			return
		}
	}
	in.HPA.Status.Conditions = append(in.HPA.Status.Conditions, made)
}

// toZero makes a workload that may go to zero and is not served.
func toZero(in *risk.Input) {
	in.HPA.Spec.MinReplicas = ptr(int32(0))
	in.Services = nil
}

func entries(in *risk.Input, list ...autoscalingv2.MetricSpec) { in.HPA.Spec.Metrics = list }

func scaleUp(in *risk.Input, rules autoscalingv2.HPAScalingRules) {
	in.HPA.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &rules}
}

func scaleDown(in *risk.Input, rules autoscalingv2.HPAScalingRules) {
	in.HPA.Spec.Behavior = &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &rules}
}

func policy(kind autoscalingv2.HPAScalingPolicyType, value int32) autoscalingv2.HPAScalingPolicy {
	return autoscalingv2.HPAScalingPolicy{Type: kind, Value: value, PeriodSeconds: 15}
}

func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
