package risk_test

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

func surroundingRows() []row {
	return append(append(podRows(), vpaRows()...), amountRows()...)
}

func podRows() []row {
	pending, uneven, resize := skipreason.FlagPodsPending, skipreason.FlagZonesUneven, skipreason.FlagResizePending
	pods := func(list ...corev1.Pod) func(*risk.Input) {
		return func(in *risk.Input) { in.Pods = list }
	}
	waiting := unschedulable("web-5")
	waiting.Status.Conditions[0].Reason = "SchedulingGated"
	started := unschedulable("web-5")
	started.Status.Phase = corev1.PodRunning
	resized := func(kind corev1.PodConditionType, status corev1.ConditionStatus, reason string, phase corev1.PodPhase) corev1.Pod {
		p := pod("web-1", "n1")
		p.Status.Phase = phase
		p.Status.Conditions = []corev1.PodCondition{{Type: kind, Status: status, Reason: reason}}
		return p
	}
	labelled := func(name, zone string) corev1.Pod {
		p := pod(name, "unknown-node")
		p.Labels = map[string]string{"topology.kubernetes.io/zone": zone}
		return p
	}
	const spread = "Deployment/web spec.template.spec.topologySpreadConstraints "
	return []row{
		{pending, pods(unschedulable("web-5")), "Pod/web-5 status.conditions[0] Unschedulable", "no node holds it"},
		{pending, pods(waiting), "", "held back by a gate, not by nodes"},
		{pending, pods(started), "", "an old condition of a pod that runs"},
		{pending, pods(deleted(unschedulable("web-5"))), "", "being deleted"},
		{pending, func(in *risk.Input) { pods(unschedulable("web-5"))(in); in.HPA = nil }, "", "no HPA asks for it"},
		{uneven, pods(pod("1", "n1"), pod("2", "n1"), pod("3", "n1"), pod("4", "n2")), spread + "2", "3 and 1"},
		{uneven, pods(pod("1", "n1"), pod("2", "n1")), spread + "2", "2 and none: an empty zone counts"},
		{uneven, pods(pod("1", "n1"), pod("2", "n1"), pod("3", "n2")), "", "2 and 1"},
		{uneven, pods(pod("1", "n1")), "", "one pod cannot be in two zones"},
		{uneven, pods(), "", "no pods"},
		{uneven, pods(pod("1", "n1"), pod("2", "n1"), deleted(pod("3", "n1")), pod("4", "n2")), "", "one of the three is being deleted"},
		{uneven, pods(pod("1", "n1"), pod("2", "n1"), pod("3", "n1"), pod("4", "n2"), pod("5", "unknown-node")), "", "the fifth could be anywhere"},
		{uneven, func(in *risk.Input) {
			in.NodeZones = nil
			pods(labelled("1", "a"), labelled("2", "a"), labelled("3", "a"), labelled("4", "b"))(in)
		}, spread + "2", "zones from the pods' labels"},
		{uneven, func(in *risk.Input) { in.NodeZones = nil; pods(labelled("1", "a"), labelled("2", "a"))(in) }, "", "other zones are not known"},
		{uneven, func(in *risk.Input) { in.HPA = nil; pods(pod("1", "n1"), pod("2", "n1"))(in) }, "", "no HPA averages over them"},
		{resize, pods(resized(corev1.PodResizePending, corev1.ConditionTrue, "Infeasible", corev1.PodRunning)), "Pod/web-1 status.conditions[0] Infeasible", "B22: it lasts"},
		{resize, pods(resized(corev1.PodResizeInProgress, corev1.ConditionTrue, "", corev1.PodRunning)), "Pod/web-1 status.conditions[0] True", "under way"},
		{resize, func(in *risk.Input) {
			pods(resized(corev1.PodResizePending, corev1.ConditionTrue, "Deferred", corev1.PodRunning))(in)
			in.HPA = nil
		}, "Pod/web-1 status.conditions[0] Deferred", "what is measured is mixed without an HPA as well"},
		{resize, pods(resized(corev1.PodResizePending, corev1.ConditionFalse, "Infeasible", corev1.PodRunning)), "", "over"},
		{resize, pods(resized(corev1.PodResizePending, corev1.ConditionTrue, "Deferred", corev1.PodSucceeded)), "", "finished"},
		{resize, pods(resized(corev1.PodReady, corev1.ConditionTrue, "", corev1.PodRunning)), "", "another condition"},
	}
}

func vpaRows() []row {
	overlap := skipreason.FlagVPAOverlap
	with := func(mode string, policies ...risk.VPAContainer) func(*risk.Input) {
		return func(in *risk.Input) {
			entries(in, utilization("cpu", 60))
			in.VPA.UpdateMode, in.VPA.Containers = mode, policies
		}
	}
	cpu, memory := []corev1.ResourceName{corev1.ResourceCPU}, []corev1.ResourceName{corev1.ResourceMemory}
	const place = "VerticalPodAutoscaler/web spec.resourcePolicy.containerPolicies cpu"
	return []row{
		{overlap, with(""), place, "not given is not Off, and no policy is both resources"},
		{overlap, with("Initial"), place, "changes requests when a pod is created"},
		{overlap, with("InPlaceOrRecreate", risk.VPAContainer{Name: "*", ControlledResources: cpu}), place, "the default policy"},
		{overlap, with("Recreate", risk.VPAContainer{Name: "*", ControlledResources: memory}, risk.VPAContainer{Name: "app"}), place, "a named policy takes nothing from *"},
		{overlap, func(in *risk.Input) {
			with("Recreate", risk.VPAContainer{Name: "*", Mode: "Off"}, risk.VPAContainer{Name: "proxy"})(in)
			in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{container("proxy", amounts("cpu", "1"), nil)}}}
		}, place, "an injected container"},
		{overlap, func(in *risk.Input) { with("Recreate")(in); in.Pod = metrics.Pod{} }, place, "the pod is not known, the policy is"},
		{overlap, with("Off"), "", "recommends only"},
		{overlap, with("Recreate", risk.VPAContainer{Name: "*", ControlledResources: memory}), "", "the other resource"},
		{overlap, with("Recreate", risk.VPAContainer{Name: "app", Mode: "Off"}), "", "leaves the container alone"},
		{overlap, with("Recreate", risk.VPAContainer{Name: "app", ControlledResources: []corev1.ResourceName{}}), "", "an empty list is none"},
		{overlap, func(in *risk.Input) {
			with("Recreate", risk.VPAContainer{Name: "app", Mode: "Off"}, risk.VPAContainer{Name: "proxy"})(in)
			in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, container("proxy", amounts("cpu", "1"), nil))
			entries(in, containerUtilization("cpu", "app", 60))
		}, "", "the entry is about one container"},
		{overlap, func(in *risk.Input) { with("Recreate")(in); entries(in, raw("cpu", "1")) }, "", "a raw value does not depend on requests"},
		{overlap, func(in *risk.Input) { with("Recreate")(in); in.VPA = nil }, "", "no VPA"},
	}
}

func amountRows() []row {
	node, tiny := skipreason.FlagRequestBeyondNode, skipreason.FlagTinyMemory
	request := func(requests, limits corev1.ResourceList) func(*risk.Input) {
		return func(in *risk.Input) {
			in.Pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: requests, Limits: limits}
		}
	}
	const place = "Deployment/web spec.template.spec "
	const app = `Deployment/web spec.template.spec.containers[name="app"].resources.`
	return []row{
		{node, request(amounts("cpu", "4001m"), nil), place + "4001m", "one thousandth too much"},
		{node, request(amounts("memory", "17Gi"), nil), place + "17Gi", "memory"},
		{node, func(in *risk.Input) {
			request(amounts("cpu", "4001m"), nil)(in)
			in.LargestNode = amounts("cpu", "4000500u")
		}, place + "4001m", "half a thousandth of the node is no room"},
		{node, func(in *risk.Input) {
			in.Pod.Spec.InitContainers[0].Resources.Requests = amounts("cpu", "5")
		}, place + "5", "an ordinary init container must fit, too"},
		{node, func(in *risk.Input) {
			request(amounts("cpu", "4"), nil)(in)
			in.Pod.Spec.Overhead = amounts("cpu", "250m")
		}, place + "4250m", "the overhead needs room"},
		{node, func(in *risk.Input) {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Requests: amounts("cpu", "6")}
		}, place + "6", "the pod's own request"},
		{node, func(in *risk.Input) {
			request(amounts("cpu", "3"), nil)(in)
			in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, container("proxy", amounts("cpu", "2"), nil), container("free", nil, nil))
			in.HPA = nil
		}, place + "5", "a container without request adds nothing; no HPA is needed"},
		{node, request(amounts("cpu", "4", "memory", "16Gi"), nil), "", "exactly the node"},
		{node, func(in *risk.Input) {
			request(amounts("cpu", "5"), nil)(in)
			in.LargestNode = amounts("memory", "1Gi")
		}, "", "the node's cpu is not known"},
		{node, func(in *risk.Input) { request(amounts("cpu", "5"), nil)(in); in.LargestNode = nil }, "", "no node is known"},
		{tiny, request(nil, amounts("memory", "128m")), app + "limits.memory 128m", "D02"},
		{tiny, request(amounts("memory", "1048575"), nil), app + "requests.memory 1048575", "one byte too few"},
		{tiny, func(in *risk.Input) {
			in.Pod.Spec.InitContainers[0].Resources.Requests = amounts("memory", "64k")
		}, `Deployment/web spec.template.spec.initContainers[name="migrate"].resources.requests.memory 64k`, "an init container"},
		{tiny, func(in *risk.Input) {
			in.Pod.Spec.Resources = &corev1.ResourceRequirements{Limits: amounts("memory", "1n")}
		}, "Deployment/web spec.template.spec.resources.limits.memory 1m", "the pod's own limit, in whole thousandths"},
		{tiny, func(in *risk.Input) {
			in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{InitContainers: []corev1.Container{container("proxy", amounts("memory", "64"), nil)}}}
		}, `Pod/ spec.initContainers[name="proxy"].resources.requests.memory 64`, "injected"},
		{tiny, func(in *risk.Input) {
			in.Pod.Live = &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{container("app", amounts("memory", "64"), nil)}}}
		}, "", "the template's container goes before the live pod's"},
		{tiny, func(in *risk.Input) {
			in.Pod.LimitRanges = []corev1.LimitRange{{Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: "Container", Default: amounts("memory", "512")}}}}}
		}, `Deployment/web spec.template.spec.initContainers[name="migrate"].resources.limits.memory 512`, "a LimitRange without a unit"},
		{tiny, request(amounts("memory", "1Mi"), nil), "", "exactly 1 MiB"},
		{tiny, request(amounts("memory", "0"), nil), "", "0 is meant"},
		{tiny, request(amounts("memory", "-1"), nil), "", "refused by the API server"},
		{tiny, request(amounts("cpu", "128m"), nil), "", "cpu is counted so"},
	}
}
