package replicas

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/metrics"
)

// usage adds up a pod's containers, or takes the named one. A pod of which any container lacks the resource has none.
func (v *view) usage(containers []ContainerMetrics, name corev1.ResourceName, container string, r *Reading) (int64, bool) {
	var sum total
	found := false
	for i := range containers {
		c := &containers[i]
		if container != "" && c.Name != container {
			continue
		}
		q, ok := c.Usage[name]
		if !ok {
			return 0, false
		}
		sum.add(v.milli(q, r))
		found = true
		if container != "" {
			break
		}
	}
	if v.wrap {
		return sum.wrapped(), found
	}
	milli, fits := sum.narrow()
	if !fits {
		r.OutOfRange = true
		milli = saturate(sum.exact())
	}
	return milli, found
}

// fromPod is the state of a pod.
func fromPod(p *corev1.Pod) Pod {
	out := Pod{Name: p.Name, Phase: p.Status.Phase, Deleted: p.DeletionTimestamp != nil}
	if p.Status.StartTime != nil {
		out.Started = p.Status.StartTime.Time
	}
	for i := range p.Status.Conditions {
		if c := &p.Status.Conditions[i]; c.Type == corev1.PodReady {
			out.Ready, out.ReadyChanged = c.Status, c.LastTransitionTime.Time
			break
		}
	}
	return out
}

func setRequest(pod *Pod, p *corev1.Pod, name corev1.ResourceName, container string) {
	sum, err := metrics.Pod{Spec: &p.Spec}.Requests(name, container)
	if err == nil {
		pod.Request = sum.Milli
		return
	}
	problem := &MetricError{Resource: string(name), Pod: p.Name}
	switch e := err.(type) {
	case *metrics.MissingRequestError:
		problem.Failure = FailureMissingPodRequest
		if len(e.Containers) > 0 {
			problem.Failure, problem.Container = FailureMissingRequest, e.Containers[0]
		}
	case *metrics.UnknownContainerError:
		problem.Failure, problem.Container = FailureUnknownContainer, e.Container
	default:
		problem.Failure, problem.Detail = FailureRequestRange, err.Error()
	}
	pod.Unrequested = problem
}
