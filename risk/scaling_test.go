package risk_test

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

func zeroRows() []row {
	zero, pause, gate := skipreason.FlagScaleToZero, skipreason.FlagManualPause, skipreason.FlagZeroNeedsGate
	buffer, wakes := skipreason.FlagZeroWithoutBuffer, skipreason.FlagNeverWakes
	with := func(change func(*risk.Input)) func(*risk.Input) {
		return func(in *risk.Input) { toZero(in); change(in) }
	}
	planes := func(api, manager risk.Component) func(*risk.Input) {
		return with(func(in *risk.Input) {
			in.ControlPlane = &risk.ControlPlane{APIServer: api, ControllerManager: manager}
		})
	}
	new37, off, on := risk.Component{Version: "v1.37.0"}, ptr(false), ptr(true)
	paused := func(condition corev1.ConditionStatus) func(*risk.Input) {
		return func(in *risk.Input) {
			in.SpecReplicas = ptr(int32(0))
			if condition != "" {
				setCondition(in, risk.ScaledToZero, condition, "ScaledToZero")
			}
		}
	}
	up := func(rules autoscalingv2.HPAScalingRules) func(*risk.Input) {
		return with(func(in *risk.Input) { scaleUp(in, rules) })
	}
	percent := []autoscalingv2.HPAScalingPolicy{policy(autoscalingv2.PercentScalingPolicy, 900)}
	mixed := append([]autoscalingv2.HPAScalingPolicy{policy(autoscalingv2.PodsScalingPolicy, 1)}, percent...)
	return []row{
		{zero, toZero, hpaObject + "spec.minReplicas 0", "minReplicas 0"},
		{zero, func(in *risk.Input) { in.HPA.Spec.MinReplicas = ptr(int32(1)) }, "", "minReplicas 1"},
		{zero, func(in *risk.Input) { in.HPA.Spec.MinReplicas = nil }, "", "not given is 1"},
		{zero, func(in *risk.Input) { in.HPA.Spec.MinReplicas = ptr(int32(-1)) }, "", "refused by the API server"},
		{pause, paused(""), "Deployment/web spec.replicas 0", "B28: no condition"},
		{pause, paused(corev1.ConditionFalse), "Deployment/web spec.replicas 0", "B28: after waking it is False"},
		{pause, paused(corev1.ConditionUnknown), "Deployment/web spec.replicas 0", "only True counts"},
		{pause, paused(corev1.ConditionTrue), "", "B28: idle by the HPA"},
		{pause, func(in *risk.Input) {
			in.SpecReplicas, in.HPA.Status.CurrentReplicas = ptr(int32(1)), 0
		}, "", "B28: only spec.replicas counts"},
		{pause, func(in *risk.Input) { in.SpecReplicas = nil }, "", "not given is 1"},
		{pause, with(func(in *risk.Input) { paused("")(in); in.ControlPlane.ControllerManager.Version = "v1.35.9" }), "", "that controller manager has no such condition"},
		{pause, with(func(in *risk.Input) { paused("")(in); in.ControlPlane.ControllerManager.Version = "v1.36.0" }), "Deployment/web spec.replicas 0", "this one has"},
		{pause, func(in *risk.Input) { paused("")(in); in.ControlPlane.ControllerManager.Version = "v1.35.9" }, "Deployment/web spec.replicas 0", "minReplicas 2: a pause in every version"},
		{gate, planes(risk.Component{Version: "v1.36.4-gke.1"}, new37), "Component/kube-apiserver featureGates.HPAScaleToZero v1.36.4-gke.1", "alpha and off below 1.37"},
		{gate, planes(new37, risk.Component{Version: "1.36+"}), "Component/kube-controller-manager featureGates.HPAScaleToZero 1.36+", "half an upgrade"},
		{gate, planes(new37, risk.Component{Version: "v1.37.0", HPAScaleToZero: off}), "Component/kube-controller-manager featureGates.HPAScaleToZero false", "switched off"},
		{gate, planes(risk.Component{HPAScaleToZero: off}, new37), "Component/kube-apiserver featureGates.HPAScaleToZero false", "switched off, whatever the version"},
		{gate, planes(new37, new37), "", "on by default"},
		{gate, planes(risk.Component{Version: "v1.36.0", HPAScaleToZero: on}, risk.Component{Version: "v1.36.0", HPAScaleToZero: on}), "", "switched on in both"},
		{gate, planes(risk.Component{}, risk.Component{Version: "latest"}), "", "not known"},
		{gate, with(func(in *risk.Input) { in.ControlPlane = nil }), "", "not known"},
		{gate, func(in *risk.Input) { in.ControlPlane.APIServer.Version = "v1.30.0" }, "", "minReplicas 2"},
		{buffer, func(in *risk.Input) { in.HPA.Spec.MinReplicas = ptr(int32(0)) }, hpaObject + "spec.minReplicas 0", "requests are lost at zero"},
		{buffer, toZero, "", "not served"},
		{buffer, func(in *risk.Input) { in.HPA.Spec.MinReplicas = ptr(int32(1)) }, "", "minReplicas 1"},
		{wakes, up(autoscalingv2.HPAScalingRules{Policies: percent}), hpaObject + "spec.behavior.scaleUp 0", "ceil(0 x 10) is 0"},
		{wakes, up(autoscalingv2.HPAScalingRules{SelectPolicy: ptr(autoscalingv2.MinChangePolicySelect)}), hpaObject + "spec.behavior.scaleUp 0", "the default policies hold a Percent policy"},
		{wakes, up(autoscalingv2.HPAScalingRules{SelectPolicy: ptr(autoscalingv2.DisabledPolicySelect)}), hpaObject + "spec.behavior.scaleUp 0", "no step at all"},
		{wakes, with(func(in *risk.Input) { entries(in, utilization("cpu", 60)) }), hpaObject + "spec.metrics 0", "nothing to measure at zero"},
		{wakes, up(autoscalingv2.HPAScalingRules{Policies: mixed}), "", "Max takes the Pods policy"},
		{wakes, up(autoscalingv2.HPAScalingRules{}), "", "the default policies: 4 pods"},
		{wakes, toZero, "", "without behavior: 4 pods"},
		{wakes, func(in *risk.Input) { scaleUp(in, autoscalingv2.HPAScalingRules{Policies: percent}) }, "", "minReplicas 2 is no zero to wake from"},
	}
}

func targetRows() []row {
	saturated, uncomfortable := skipreason.FlagTargetNearSaturation, skipreason.FlagTargetUncomfortable
	memory, single, short := skipreason.FlagMemoryUtilization, skipreason.FlagSingleMetric, skipreason.FlagShortScaleDownWindow
	cpu := func(target int32) func(*risk.Input) {
		return func(in *risk.Input) { entries(in, utilization("cpu", target)) }
	}
	at := func(field, number string) string { return hpaObject + "spec.metrics[0]." + field + " " + number }
	const target, inContainer = "resource.target.averageUtilization", "containerResource.target.averageUtilization"
	tolerance := func(n int32, text string) func(*risk.Input) {
		return func(in *risk.Input) {
			cpu(n)(in)
			scaleUp(in, autoscalingv2.HPAScalingRules{Tolerance: ptr(resource.MustParse(text))})
		}
	}
	window := func(seconds *int32, choice *autoscalingv2.ScalingPolicySelect) func(*risk.Input) {
		return func(in *risk.Input) {
			scaleDown(in, autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: seconds, SelectPolicy: choice})
		}
	}
	const windowField = hpaObject + "spec.behavior.scaleDown.stabilizationWindowSeconds "
	return []row{
		{saturated, cpu(90), at(target, "90"), "trigger 100"},
		{saturated, cpu(500), at(target, "500"), "B25"},
		{saturated, func(in *risk.Input) { entries(in, containerUtilization("cpu", "app", 95)) }, at(inContainer, "95"), "one container saturates as well"},
		{saturated, cpu(89), "", "trigger 98"},
		{saturated, func(in *risk.Input) { entries(in, utilization("memory", 95)) }, "", "memory has its own flag"},
		{saturated, tolerance(80, "300m"), at(target, "80"), "trigger 105"},
		{saturated, tolerance(80, "200m"), "", "trigger 97"},
		{saturated, tolerance(90, "0"), at(target, "90"), "90 whatever the tolerance"},
		{saturated, func(in *risk.Input) { cpu(80)(in); in.Tolerance = ptr(resource.MustParse("0.25")) }, at(target, "80"), "the controller's tolerance: trigger 101"},
		{saturated, func(in *risk.Input) { tolerance(80, "100m")(in); in.Tolerance = ptr(resource.MustParse("0.25")) }, "", "the HPA's own goes before it"},
		{uncomfortable, cpu(49), at(target, "49"), "below 50"},
		{uncomfortable, cpu(71), at(target, "71"), "above 70"},
		{uncomfortable, func(in *risk.Input) { entries(in) }, hpaObject + "spec.metrics 80", "the default is 80"},
		{uncomfortable, cpu(50), "", "comfortable"},
		{uncomfortable, cpu(70), "", "comfortable"},
		{uncomfortable, func(in *risk.Input) { entries(in, utilization("memory", 80)) }, "", "a range for cpu"},
		{memory, func(in *risk.Input) { entries(in, utilization("memory", 60)) }, at(target, "60"), "A01, B24"},
		{memory, func(in *risk.Input) { entries(in, containerUtilization("memory", "app", 60)) }, at(inContainer, "60"), "one container"},
		{memory, func(in *risk.Input) { entries(in, raw("memory", "1Gi")) }, "", "a raw value"},
		{memory, cpu(60), "", "cpu"},
		{single, cpu(60), hpaObject + "spec.metrics cpu", "cpu alone, and memory ran out"},
		{single, func(in *risk.Input) { entries(in) }, hpaObject + "spec.metrics cpu", "the default is cpu alone"},
		{single, func(in *risk.Input) { entries(in, utilization("memory", 60)) }, hpaObject + "spec.metrics memory", "memory alone, and cpu ran out"},
		{single, func(in *risk.Input) { cpu(60)(in); in.OOMKilled = nil }, "", "nothing ran out but cpu"},
		{single, func(in *risk.Input) { entries(in, utilization("memory", 60)); in.Throttled = nil }, "", "nothing ran out but memory"},
		{single, func(in *risk.Input) { entries(in, utilization("cpu", 60), external()) }, "", "two entries"},
		{single, func(in *risk.Input) { entries(in, external()) }, "", "an outside metric can follow any load"},
		{short, window(ptr(int32(0)), nil), windowField + "0", "no window"},
		{short, window(ptr(int32(59)), nil), windowField + "59", "very short"},
		{short, window(ptr(int32(60)), nil), "", "four sync periods"},
		{short, window(nil, nil), "", "not given is 300"},
		{short, window(ptr(int32(0)), ptr(autoscalingv2.DisabledPolicySelect)), "", "nothing scales down"},
		{short, func(in *risk.Input) {
			scaleUp(in, autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: ptr(int32(0))})
		}, "", "the scale-up window"},
	}
}

func unknownRows() []row {
	unknown, never := skipreason.FlagMetricUnknown, skipreason.FlagNeverComputed
	active := func(status corev1.ConditionStatus, reason string) func(*risk.Input) {
		return func(in *risk.Input) { setCondition(in, autoscalingv2.ScalingActive, status, reason) }
	}
	measured := func(in *risk.Input) { entries(in, utilization("cpu", 60)) }
	const missing = `.resources.requests.cpu absent`
	fresh := func(change func(*risk.Input)) func(*risk.Input) {
		return func(in *risk.Input) {
			in.HPA.Status.LastScaleTime, in.HPA.Status.CurrentMetrics = nil, []autoscalingv2.MetricStatus{{}, {}}
			change(in)
		}
	}
	return []row{
		{unknown, active(corev1.ConditionFalse, "FailedGetExternalMetric"), hpaObject + "status.conditions[1] FailedGetExternalMetric", "C3"},
		{unknown, active(corev1.ConditionFalse, "AmbiguousSelector"), hpaObject + "status.conditions[1] AmbiguousSelector", "A20: another HPA selects the pods"},
		{unknown, active(corev1.ConditionFalse, "ScalingDisabled"), "", "a pause, not a failure"},
		{unknown, active(corev1.ConditionTrue, "ValidMetricFound"), "", "works"},
		{unknown, active(corev1.ConditionUnknown, "FailedGetExternalMetric"), "", "says nothing"},
		{unknown, func(in *risk.Input) { in.HPA.Status.CurrentMetrics[1].Type = "" }, hpaObject + "status.currentMetrics[1] empty", "A22: one fails while the others carry on"},
		{unknown, func(in *risk.Input) { in.HPA.Status.CurrentMetrics = nil }, "", "nothing computed yet"},
		{unknown, func(in *risk.Input) {
			entries(in, autoscalingv2.MetricSpec{Type: autoscalingv2.ObjectMetricSourceType, Object: &autoscalingv2.ObjectMetricSource{
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageValue: ptr(resource.MustParse("1"))}}})
		}, hpaObject + "spec.metrics[0] Object", "accepted by the API server, fails at run time"},
		{unknown, func(in *risk.Input) {
			entries(in, autoscalingv2.MetricSpec{Type: autoscalingv2.ObjectMetricSourceType, Object: &autoscalingv2.ObjectMetricSource{
				Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: ptr(resource.MustParse("1"))}}})
		}, "", "type and field agree"},
		{unknown, func(in *risk.Input) {
			measured(in)
			in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, container("proxy", amounts("memory", "1Gi"), nil))
		}, `Deployment/web spec.template.spec.containers[name="proxy"]` + missing, "A07"},
		{unknown, func(in *risk.Input) {
			measured(in)
			sidecar := container("proxy", nil, nil)
			sidecar.RestartPolicy = ptr(corev1.ContainerRestartPolicyAlways)
			in.Pod.Spec.InitContainers = append(in.Pod.Spec.InitContainers, sidecar)
		}, `Deployment/web spec.template.spec.initContainers[name="proxy"]` + missing, "A11: a sidecar counts"},
		{unknown, func(in *risk.Input) {
			measured(in)
			live := pod("web-1", "n1")
			live.Spec.Containers = []corev1.Container{container("proxy", nil, nil)}
			in.Pod.Live = &live
		}, `Pod/web-1 spec.containers[name="proxy"]` + missing, "an injected container is not in the template"},
		{unknown, func(in *risk.Input) {
			measured(in)
			in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, container("proxy", nil, amounts("cpu", "100m")))
		}, "", "A09: the limit stands in"},
		{unknown, func(in *risk.Input) {
			measured(in)
			in.Pod.Spec.InitContainers = append(in.Pod.Spec.InitContainers, container("seed", nil, nil))
		}, "", "A11: an ordinary init container needs no request"},
		{unknown, func(in *risk.Input) {
			entries(in, raw("cpu", "1"))
			in.Pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
		}, "", "a raw value needs no requests"},
		{unknown, func(in *risk.Input) { measured(in); in.Pod = metrics.Pod{} }, "", "the pod is not known"},
		{unknown, func(in *risk.Input) { measured(in); in.Pod.Spec = &corev1.PodSpec{} }, "", "a template without containers is no template"},
		{unknown, func(in *risk.Input) {
			measured(in)
			in.Pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: amounts("cpu", "0")}
		}, "Deployment/web spec.template.spec 0", "nothing can be divided by 0"},
		{unknown, func(in *risk.Input) {
			measured(in)
			in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, container("proxy", amounts("cpu", "0"), nil))
		}, "", "one request of 0 is a request"},
		{unknown, func(in *risk.Input) {
			measured(in)
			in.Pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
			in.Pod.Spec.InitContainers = nil
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: amounts("memory", "1Gi")}
		}, "Deployment/web spec.template.spec.resources.requests.cpu absent", "A12: neither the pod nor a container has it"},
		{unknown, func(in *risk.Input) {
			measured(in)
			in.Pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: amounts("cpu", "1")}
		}, "", "A12: the pod's own request"},
		{unknown, func(in *risk.Input) { entries(in, containerUtilization("cpu", "ap", 60)) }, hpaObject + "spec.metrics[0].containerResource.container ap", "A19: no such container"},
		{unknown, func(in *risk.Input) {
			entries(in, containerUtilization("cpu", "app", 60))
			in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, container("proxy", nil, nil))
		}, "", "other containers may lack requests"},
		{never, fresh(active(corev1.ConditionFalse, "FailedGetResourceMetric")), hpaObject + "status.conditions[1] FailedGetResourceMetric", "the metrics API is absent"},
		{never, fresh(active(corev1.ConditionFalse, "ScalingDisabled")), "", "paused from the start"},
		{never, fresh(func(in *risk.Input) { in.HPA.Status.Conditions = nil }), "", "not looked at yet"},
		{never, fresh(active(corev1.ConditionTrue, "ValidMetricFound")), "", "works"},
		{never, fresh(func(in *risk.Input) {
			active(corev1.ConditionFalse, "FailedGetResourceMetric")(in)
			in.HPA.Status.LastScaleTime = ptr(metav1.Unix(1, 0))
		}), "", "it has scaled before"},
		{never, func(in *risk.Input) {
			active(corev1.ConditionFalse, "FailedGetResourceMetric")(in)
			in.HPA.Status.LastScaleTime, in.HPA.Status.CurrentMetrics[0].Type = nil, ""
		}, "", "one of two metrics was read"},
	}
}
