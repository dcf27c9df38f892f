package recommend

import corev1 "k8s.io/api/core/v1"

// QoSClass returns the class that Kubernetes gives a pod (GetPodQOS in pkg/apis/core/helper/qos, v1.37):
// Guaranteed if every container, init containers included, has limits for cpu and memory and requests that equal them;
// BestEffort if none has a request or limit of either; otherwise Burstable. Requests and limits of the pod itself, if set,
// decide instead. A missing request is the limit, as the API server makes it. A nil pod has no class.
func QoSClass(pod *corev1.PodSpec) corev1.PodQOSClass {
	if pod == nil {
		return ""
	}
	var all []corev1.ResourceRequirements
	if r := pod.Resources; r != nil && (len(r.Requests) > 0 || len(r.Limits) > 0) {
		all = append(all, *r)
	} else {
		for i := range pod.Containers {
			all = append(all, pod.Containers[i].Resources)
		}
		for i := range pod.InitContainers {
			all = append(all, pod.InitContainers[i].Resources)
		}
	}
	anything, guaranteed := false, len(all) > 0
	for _, r := range all {
		for _, name := range Resources() {
			request, limit := r.Requests[name], r.Limits[name]
			_, requested := r.Requests[name]
			anything = anything || request.Sign() > 0 || limit.Sign() > 0
			if limit.Sign() <= 0 || requested && request.Cmp(limit) != 0 {
				guaranteed = false
			}
		}
	}
	switch {
	case !anything:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

// QoSChange compares the classes of a pod before and after. In place the class cannot change.
func QoSChange(old, new *corev1.PodSpec) QoS {
	q := QoS{From: QoSClass(old), To: QoSClass(new)}
	q.InPlaceRefused = q.From != q.To
	return q
}
