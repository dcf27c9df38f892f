package risk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// alive says whether a pod is neither being deleted nor finished.
func alive(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded
}

func podObject(pod *corev1.Pod) Object {
	return Object{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}
}

// pending raises pods-pending: a pod that is not being deleted has phase Pending and condition PodScheduled False with reason Unschedulable.
// Source: protocol B6.
func (c *checker) pending() {
	for i := range c.in.Pods {
		pod := &c.in.Pods[i]
		if !alive(pod) || pod.Status.Phase != corev1.PodPending {
			continue
		}
		for j, p := range pod.Status.Conditions {
			if p.Type == corev1.PodScheduled && p.Status == corev1.ConditionFalse && p.Reason == corev1.PodReasonUnschedulable {
				c.add(skipreason.FlagPodsPending, podObject(pod), conditionField(j), p.Reason, "no node can hold this pod")
			}
		}
	}
}

// resizing raises resize-pending: a pod that is neither being deleted nor finished has condition PodResizePending or PodResizeInProgress with
// status True. The HPA divides by the request in the spec at once, while the container still runs with the old one, and a resize that is
// Deferred or Infeasible makes that last. It is raised without an HPA as well: what is measured meanwhile belongs to neither amount.
// Source: protocol B7; calculateRequests in pkg/controller/podautoscaler/replica_calculator.go reads the spec alone.
func (c *checker) resizing() {
	for i := range c.in.Pods {
		pod := &c.in.Pods[i]
		if !alive(pod) {
			continue
		}
		for j, p := range pod.Status.Conditions {
			if (p.Type == corev1.PodResizePending || p.Type == corev1.PodResizeInProgress) && p.Status == corev1.ConditionTrue {
				c.add(skipreason.FlagResizePending, podObject(pod), conditionField(j), cmp.Or(p.Reason, "True"), string(p.Type)+" is True")
			}
		}
	}
}

// zones raises zones-uneven: among the running pods that are not being deleted, the zone with most has more than one above the zone with
// fewest. Zones are those of the nodes that were given, with or without pods, and those of the pods. Where the zone of one of these pods is not
// known, nothing is said: it could be the one that makes the zones even.
// Source: protocol B6.
func (c *checker) zones() {
	if len(c.in.Pods) == 0 {
		return
	}
	count := map[string]int{}
	for _, zone := range c.in.NodeZones {
		if zone != "" {
			count[zone] = 0
		}
	}
	for i := range c.in.Pods {
		pod := &c.in.Pods[i]
		if !alive(pod) || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		zone := c.in.NodeZones[pod.Spec.NodeName]
		if zone == "" {
			zone = pod.Labels[corev1.LabelTopologyZone]
		}
		if zone == "" {
			return
		}
		count[zone]++
	}
	names := slices.Sorted(maps.Keys(count))
	if len(names) == 0 {
		return
	}
	most, fewest := names[0], names[0]
	for _, zone := range names {
		if count[zone] > count[most] {
			most = zone
		}
		if count[zone] < count[fewest] {
			fewest = zone
		}
	}
	if gap := count[most] - count[fewest]; gap > 1 {
		detail := fmt.Sprintf("%d pods in zone %s, %d in zone %s", count[most], most, count[fewest], fewest)
		c.add(skipreason.FlagZonesUneven, c.in.Workload, "spec.template.spec.topologySpreadConstraints", strconv.Itoa(gap), detail)
	}
}
