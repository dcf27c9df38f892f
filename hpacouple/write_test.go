package hpacouple_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/risk"
)

func entry(manager string, operation metav1.ManagedFieldsOperationType, apiVersion, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: apiVersion, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
}

const (
	byUpdate = metav1.ManagedFieldsOperationUpdate
	byApply  = metav1.ManagedFieldsOperationApply
)

// appFields is a set of the pod template with one container.
func appFields(resources string) string {
	return `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:name":{},"f:resources":` + resources + `}}}}}}`
}

// brief prints writes: kind, type, manager, force.
func brief(writes []hpacouple.Write) (out []string) {
	for _, w := range writes {
		patch := "apply"
		if w.PatchType == hpacouple.JSONPatch {
			patch = "patch"
		}
		force := ""
		if w.Force {
			force = " force"
		}
		out = append(out, w.Object.Kind+" "+patch+" "+w.FieldManager+force)
	}
	return out
}

const (
	hpaForce = "HorizontalPodAutoscaler apply kerf force"
	hpaApply = "HorizontalPodAutoscaler apply kerf"
	podForce = "Deployment apply kerf force"
	podApply = "Deployment apply kerf"
	podPatch = "Deployment patch kerf"
)

func TestWrites(t *testing.T) {
	limit := hpacouple.AmountChange{AmountRef: amountPath("containers[app].resources.limits.cpu"), From: quantity("2")}
	request := amountPath("containers[app].resources.requests.cpu")
	// added is the rollback of a request that was absent before us.
	added := func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
		c.Amounts[0].From, c.Amounts[0].To = quantity("700m"), nil
		c.Targets[0].From, c.Targets[0].To = 50, 36
		s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests = list("700m")
		s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kerf", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))}
		o.Taken.Amounts = []hpacouple.TakenAmount{{AmountRef: request, Held: true}}
	}
	ours := []metav1.ManagedFieldsEntry{entry("kerf", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`)), entry("gitops", byApply, "apps/v1", appFields(`{}`))}
	for _, row := range []struct {
		name, why string
		change    func(*hpacouple.Change, *stage, *hpacouple.WriteOptions)
		want      []string // the writes
		says      string   // what a body holds
		never     string   // what no body holds
		contested []string
		stale     []string
		stays     []string
		again     bool
	}{
		{name: "first", why: "targets rise: the HPA first; both are taken by force, guarded by uid and resourceVersion", want: []string{hpaForce, podForce},
			says: `"metadata":{"name":"web","resourceVersion":"1000","uid":"00000000-0000-4000-8000-000000000001"}`},
		{name: "raise", why: "targets fall: the requests first", want: []string{podForce, hpaForce}, change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
			c.Amounts[0].To, c.Targets[0].To = quantity("2"), 25
		}},
		{name: "other manager", why: "the caller may choose", want: []string{"HorizontalPodAutoscaler apply sizer force", "Deployment apply sizer force"},
			change: func(_ *hpacouple.Change, _ *stage, o *hpacouple.WriteOptions) { o.FieldManager = "sizer" }},
		{name: "target equal", why: "only memory moved, or the pod's own request holds the sum: the HPA is not written", want: []string{podForce}, never: "metrics",
			change: func(c *hpacouple.Change, _ *stage, _ *hpacouple.WriteOptions) { c.Targets[0].To = c.Targets[0].From }},
		{name: "uncoupled", why: "without an HPA the workload alone", want: []string{podForce}, change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
			c.HPA, c.Targets, s.hpa = hpacouple.HPARef{}, nil, nil
		}},
		{name: "half written", why: "the HPA has its target already: the rest", want: []string{podForce}, never: "metrics",
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 71
			}},
		{name: "written", why: "nothing is left", change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
			*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 71
			s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests = list("0.7")
		}},
		{name: "stale target", why: "somebody wrote a third value: nothing is written, the workload neither", stale: []string{"spec.metrics: cpu"},
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 60
			}},
		{name: "stale request", why: "the same for a request", stale: []string{amountPath("containers[app].resources.requests.cpu").String()},
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests = list("900m")
			}},
		{name: "raw target now", why: "an entry with a raw value is no utilization target any more", stale: []string{"spec.metrics: cpu"},
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				s.hpa.Spec.Metrics[0].Resource.Target = autoscalingv2.MetricTarget{Type: "AverageValue", AverageValue: quantity("1")}
			}},
		{name: "another target of 0", why: "no API server has it: carried through, and not remembered, or the release would refuse the memory", want: []string{hpaForce, podForce}, says: `"averageUtilization":0`,
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				none := int32(0)
				s.hpa.Spec.Metrics = append(s.hpa.Spec.Metrics, autoscalingv2.MetricSpec{Type: "Resource", Resource: &autoscalingv2.ResourceMetricSource{Name: "memory",
					Target: autoscalingv2.MetricTarget{Type: "Utilization", AverageUtilization: &none}}})
			}},
		{name: "two entries of one name", why: "which one is meant cannot be told", stale: []string{"spec.metrics: cpu"},
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				s.hpa.Spec.Metrics = append(s.hpa.Spec.Metrics, *s.hpa.Spec.Metrics[0].DeepCopy())
			}},
		{name: "another HPA of that name", why: "its uid tells", stale: []string{"metadata.uid"},
			change: func(c *hpacouple.Change, _ *stage, _ *hpacouple.WriteOptions) { c.HPA.UID = "x" }},
		{name: "the HPA scales another workload now", why: "its target is not this one's any more", stale: []string{"spec.scaleTargetRef"},
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) { s.hpa.Spec.ScaleTargetRef.Name = "db" }},
		{name: "container gone", why: "an apply would make it anew", stale: []string{amountPath("containers[app].resources.requests.cpu").String()},
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				s.deployment.Spec.Template.Spec.Containers[0].Name = "web"
			}},
		{name: "taken back", why: "held once, somebody else's now: an unforced write would be refused, and half a change is none", contested: []string{"kubectl-create"},
			change: func(_ *hpacouple.Change, _ *stage, o *hpacouple.WriteOptions) {
				o.Taken.Amounts = []hpacouple.TakenAmount{{AmountRef: amountPath("containers[app].resources.requests.cpu"), Held: true}}
			}},
		{name: "retaken", why: "the plan was made from what they wrote", want: []string{hpaForce, podForce},
			change: func(_ *hpacouple.Change, _ *stage, o *hpacouple.WriteOptions) {
				o.Retake, o.Taken.Amounts = true, []hpacouple.TakenAmount{{AmountRef: amountPath("containers[app].resources.requests.cpu"), Held: true}}
			}},
		{name: "remembered, never held", why: "an earlier write never arrived", want: []string{hpaForce, podForce},
			change: func(_ *hpacouple.Change, _ *stage, o *hpacouple.WriteOptions) {
				o.Taken.Amounts = []hpacouple.TakenAmount{{AmountRef: amountPath("containers[app].resources.requests.cpu")}}
			}},
		{name: "another object's memory", why: "what was taken from an object that is gone does not count", want: []string{hpaForce, podForce},
			change: func(_ *hpacouple.Change, _ *stage, o *hpacouple.WriteOptions) {
				o.Taken = hpacouple.Taken{WorkloadUID: "gone", HPAUID: "gone", Metrics: &hpacouple.TakenMetrics{Held: true},
					Amounts: []hpacouple.TakenAmount{{AmountRef: amountPath("containers[app].resources.requests.cpu"), Held: true}}}
			}},
		{name: "second", why: "ours already: no force, and no resourceVersion", want: []string{hpaForce, podApply},
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) { s.deployment.ManagedFields = ours }},
		{name: "limit taken away", why: "not ours, so an apply cannot: a guarded patch behind it", want: []string{hpaForce, podForce, podPatch},
			says: `{"op":"test","path":"/spec/template/spec/containers/0/resources/limits/cpu","value":"2"},{"op":"remove","path":"/spec/template/spec/containers/0/resources/limits/cpu"}`,
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("2")
			}},
		{name: "limit in the way", why: "the new request is above the limit that goes: the patch first, alone, since the apply's guard would not survive it", want: []string{podPatch}, again: true,
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				c.Amounts[0].To, c.Targets[0].To = quantity("3"), 17
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("2")
			}},
		{name: "limit as high as the new request", why: "not in the way: one round", want: []string{podForce, podPatch, hpaForce},
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				c.Amounts[0].To, c.Targets[0].To = quantity("2"), 25
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("2")
			}},
		{name: "limit in the way, contested", why: "nothing is written, so there is no next round", contested: []string{"kubectl-create"},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				c.Amounts[0].To, c.Targets[0].To = quantity("3"), 17
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("2")
				o.Taken.Metrics = &hpacouple.TakenMetrics{Held: true}
			}},
		{name: "labels of ours", why: "left out they would be given up, and vanish", want: []string{hpaForce, podApply}, says: `"labels":{"team":"x"}`,
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				s.deployment.Labels = map[string]string{"team": "x", "app": "web"}
				s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kerf", byApply, "apps/v1", `{"f:metadata":{"f:labels":{"f:team":{}}},`+appFields(`{"f:requests":{"f:cpu":{}}}`)[1:])}
			}},
		{name: "an entry with two sources", why: "whatever it holds is carried through", want: []string{hpaForce, podForce}, says: `"object":{`,
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				s.hpa.Spec.Metrics[0].Object = &autoscalingv2.ObjectMetricSource{Metric: autoscalingv2.MetricIdentifier{Name: "hits"}}
			}},
		{name: "limit put back since", why: "it was taken away once and stands again: it stays", want: []string{hpaForce, podForce}, stays: []string{limit.AmountRef.String()},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("2")
				o.Taken.Amounts = []hpacouple.TakenAmount{{AmountRef: limit.AmountRef, Value: quantity("2"), Cleared: true, Held: true}}
			}},
		{name: "limit put back since, retaken", why: "the plan was made from it: it goes again", want: []string{hpaForce, podForce, podPatch},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("2")
				o.Retake, o.Taken.Amounts = true, []hpacouple.TakenAmount{{AmountRef: limit.AmountRef, Value: quantity("2"), Cleared: true, Held: true}}
			}},
		{name: "limit changed since the plan", why: "never ours: the plan was made for another limit", stale: []string{limit.AmountRef.String()},
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("1100m")
			}},
		{name: "added limit changed since", why: "the rollback leaves a limit that was absent before us to who has changed it", want: []string{hpaForce, podForce}, stays: []string{limit.AmountRef.String()},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("1500m")
				o.Taken.Amounts = []hpacouple.TakenAmount{{AmountRef: limit.AmountRef}}
			}},
		{name: "request above a limit that stays", why: "the server refuses the workload's half for ever: nothing is written", contested: []string{"kubectl-set"}, stays: []string{limit.AmountRef.String()},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				c.Amounts[0].To, c.Targets[0].To = quantity("1250m"), 40
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("1100m")
				s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kubectl-set", byUpdate, "apps/v1", appFields(`{"f:limits":{"f:cpu":{}}}`)))
				o.Taken.Amounts = []hpacouple.TakenAmount{{AmountRef: limit.AmountRef, Value: quantity("2"), Cleared: true, Held: true}}
			}},
		{name: "request above a limit that stays and is nobody's", why: "nobody to name: plan again", stale: []string{limit.AmountRef.String()}, stays: []string{limit.AmountRef.String()},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				c.Amounts[0].To, c.Targets[0].To = quantity("1250m"), 40
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("1100m")
				o.Taken.Amounts = []hpacouple.TakenAmount{{AmountRef: limit.AmountRef, Value: quantity("2"), Cleared: true, Held: true}}
			}},
		{name: "request above a limit lowered since", why: "the same for a limit that the change does not speak of", stale: []string{limit.AmountRef.String()},
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts[0].To, c.Targets[0].To = quantity("1250m"), 40
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("1100m")
			}},
		{name: "request up to a limit that stays", why: "the server accepts it", want: []string{podForce, hpaForce}, stays: []string{limit.AmountRef.String()},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				c.Amounts = append(c.Amounts, limit)
				c.Amounts[0].To, c.Targets[0].To = quantity("1250m"), 40
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("1250m")
				o.Taken.Amounts = []hpacouple.TakenAmount{{AmountRef: limit.AmountRef, Value: quantity("2"), Cleared: true, Held: true}}
			}},
		{name: "absent again, edited", why: "the request of a target is somebody else's by now: the target does not go back alone", stale: []string{request.String()},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				added(c, s, o)
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests = list("600m")
			}},
		{name: "absent again, the same value taken", why: "the value is somebody else's now, though it is the same", contested: []string{"helm"},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				added(c, s, o)
				s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("helm", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))}
			}},
		{name: "absent again, co-owned", why: "leaving it out would not take it away: the target does not go back alone", contested: []string{"gitops"},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				added(c, s, o)
				s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("gitops", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`)))
			}},
		{name: "absent again, co-owned, retaken", why: "a patch takes it away from both", want: []string{podPatch, hpaForce},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				added(c, s, o)
				o.Retake = true
				s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("gitops", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`)))
			}},
		{name: "absent again, co-owned, no target moves", why: "no half is left behind: it stays with its other owner", want: []string{podApply}, stays: []string{request.String()},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				added(c, s, o)
				c.Targets[0].To = c.Targets[0].From
				s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("gitops", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`)))
			}},
		{name: "absent again, a limit would stand in", why: "somebody set the limit again that we had taken away: it would count as the request", contested: []string{"kubectl-set"}, stays: []string{limit.AmountRef.String()},
			change: func(c *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				added(c, s, o)
				c.Amounts = append(c.Amounts, hpacouple.AmountChange{AmountRef: limit.AmountRef})
				c.Amounts[1].From = quantity("1400m")
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("2")
				s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kubectl-set", byUpdate, "apps/v1", appFields(`{"f:limits":{"f:cpu":{}}}`)))
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: limit.AmountRef, Held: true})
			}},
		{name: "unowned neighbour", why: "the last of our requests goes: the list stays in the body, or the memory request, which nobody owns, would go with it", want: []string{hpaForce, podApply},
			says: `{"name":"app","resources":{"requests":{}}}`, change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts[0].To = nil
				s.deployment.ManagedFields = ours
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("1Gi")
			}},
		{name: "unowned limit beside", why: "the same one level up", want: []string{hpaForce, podApply}, says: `{"name":"app","resources":{}}`,
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts[0].To = nil
				s.deployment.ManagedFields = ours
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("2")
			}},
		{name: "extended resource of ours", why: "what is ours stays in the body, whatever it is", want: []string{hpaForce, podApply}, says: `"requests":{"cpu":"700m","example.invalid/gpu":"1"}`,
			change: func(_ *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kerf", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{},"f:example.invalid/gpu":{}}}`))}
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests["example.invalid/gpu"] = resource.MustParse("1")
			}},
		{name: "not canonical", why: "amounts are written as the server stores them", want: []string{hpaForce, podForce}, says: `{"cpu":"1"}`,
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts[0].From, c.Amounts[0].To = quantity("2000m"), resource.NewMilliQuantity(1000, resource.BinarySI)
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests = list("2")
				c.Targets[0].To = 100
			}},
		{name: "not canonical, binary", why: "1500000000 bytes in binary format print so and are stored as 1500M", want: []string{podForce}, says: `{"memory":"1500M"}`,
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.HPA, c.Targets, s.hpa = hpacouple.HPARef{}, nil, nil
				c.Amounts[0] = hpacouple.AmountChange{AmountRef: amountPath("containers[app].resources.requests.memory"), From: quantity("1Gi"), To: resource.NewQuantity(1500000000, resource.BinarySI)}
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("1Gi")
				s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("helm", byUpdate, "apps/v1", appFields(`{"f:requests":{"f:memory":{}}}`))}
			}},
		{name: "no metrics yet", why: "a manifest without metrics has the default, 80 % cpu", want: []string{hpaForce, podForce}, says: `"averageUtilization":90`,
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				s.hpa.Spec.Metrics = nil
				c.Targets[0].From, c.Targets[0].To = 80, 90
			}},
		{name: "server strips managedFields", why: "the server makes an owner of all that stands: force", want: []string{hpaForce, podForce},
			change: func(_ *hpacouple.Change, s *stage, o *hpacouple.WriteOptions) {
				s.hpa.ManagedFields, s.deployment.ManagedFields, o.NoManagedFields = nil, nil, true
			}},
		{name: "nobody's request", why: "absent and unowned: no force", want: []string{hpaForce, podApply},
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts[0].From = nil
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests = nil
				s.deployment.ManagedFields = ours[1:]
			}},
		{name: "empty list of somebody's", why: "the first amount makes the list anew, which conflicts with who owns the list", want: []string{hpaForce, podForce},
			change: func(c *hpacouple.Change, s *stage, _ *hpacouple.WriteOptions) {
				c.Amounts[0].From = nil
				s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests = nil
				s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kubectl-create", byUpdate, "apps/v1", appFields(`{"f:requests":{}}`))}
			}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, c := staged(t, "apply/kubectl-create")
			o := hpacouple.WriteOptions{}
			if row.change != nil {
				row.change(&c, s, &o)
			}
			live := s.whole()
			before := snapshot(t, live, c, o)
			got, errs := c.Writes(live, o)
			require.Empty(t, errs, row.why)
			require.Equal(t, before, snapshot(t, live, c, o), "P2")
			require.Equal(t, row.want, brief(got.Writes), row.why)
			require.Empty(t, got.Taken.Validate(), row.why)
			require.Equal(t, row.stale, got.Stale, row.why)
			require.Equal(t, row.stays, got.Stays, row.why)
			require.Equal(t, row.again, got.Again, row.why)
			var who []string
			for _, o := range got.Contested {
				who = append(who, o.Manager)
			}
			require.Equal(t, row.contested, who, row.why)
			text := ""
			for _, w := range got.Writes {
				require.True(t, json.Valid(w.Body))
				text += string(w.Body)
			}
			require.Contains(t, text, row.says, row.why)
			if row.never != "" {
				require.NotContains(t, text, row.never, row.why)
			}
		})
	}
}

func snapshot(t testing.TB, values ...any) string {
	text, err := json.Marshal(values)
	require.NoError(t, err)
	return string(text)
}

// What is taken is returned, once, and kept over later changes.
func TestTaking(t *testing.T) {
	s, c := staged(t, "apply/kubectl-create")
	first, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
	require.Empty(t, errs)
	cpu := amountPath("containers[app].resources.requests.cpu")
	require.Equal(t, hpacouple.Taken{
		HPAUID: s.hpa.UID, WorkloadUID: s.deployment.UID, HPAName: "web", FieldManager: "kerf",
		Metrics: &hpacouple.TakenMetrics{Targets: []hpacouple.TakenTarget{{TargetRef: cpuEntry, Target: 50}},
			Owners: []risk.Owner{{Manager: "kubectl-create", Operation: "Update", APIVersion: "autoscaling/v2", Field: "spec.metrics"}}},
		Amounts: []hpacouple.TakenAmount{{AmountRef: cpu, Value: quantity("1"),
			Owners: []risk.Owner{{Manager: "kubectl-create", Operation: "Update", APIVersion: "apps/v1", Field: cpu.String()}}}},
	}, first.Taken)
	var read hpacouple.Taken
	require.NoError(t, json.Unmarshal([]byte(snapshot(t, first.Taken))[1:len(snapshot(t, first.Taken))-1], &read))
	require.Equal(t, snapshot(t, first.Taken), snapshot(t, read), "data to be stored")

	r := record(t)
	s.set(t, r, map[string]string{"hpa": "hpa-3", "deployment": "deployment-4"}) // as the server answered
	held := first.Taken.Confirm(s.whole(), "")
	require.True(t, held.Metrics.Held && held.Amounts[0].Held)
	require.False(t, first.Taken.Metrics.Held || first.Taken.Amounts[0].Held, "P2")
	require.Equal(t, first.Taken, first.Taken.Confirm(s.whole(), "nobody"), "another manager holds nothing")
	c.Amounts[0].From, c.Amounts[0].To = quantity("700m"), quantity("650m")
	c.Targets[0].From, c.Targets[0].To = 71, 76
	second, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Taken: held})
	require.Empty(t, errs)
	require.Equal(t, []string{hpaApply, podApply}, brief(second.Writes))
	require.Equal(t, held, second.Taken, "the first owner is remembered, not ourselves")
	for _, w := range second.Writes {
		require.NotContains(t, string(w.Body), "resourceVersion", "an unforced write need not fail where a status was written")
	}
}

// The second write was refused for good: the writes of the reverse take the first half back, and nothing else.
func TestHalfSentIsTakenBack(t *testing.T) {
	for _, row := range []struct {
		why     string
		arrived func(*stage)
		want    []string
	}{
		{"the HPA was written", func(s *stage) {
			*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 71
			s.hpa.ManagedFields = []metav1.ManagedFieldsEntry{entry("kerf", byApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
		}, []string{hpaApply}},
		{"the workload was", func(s *stage) {
			s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests = list("700m")
			s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kerf", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))}
		}, []string{podApply}},
		{"nothing was", func(*stage) {}, nil},
	} {
		s, c := staged(t, "apply/kubectl-create")
		first, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
		require.Empty(t, errs)
		row.arrived(s)
		got, errs := c.Reverse().Writes(s.whole(), hpacouple.WriteOptions{Taken: first.Taken})
		require.Empty(t, errs)
		require.Equal(t, row.want, brief(got.Writes), row.why)
		require.Empty(t, got.Stale, row.why)
		require.Equal(t, first.Taken.Metrics.Owners, got.Taken.Metrics.Owners, "what is remembered is for the release")
	}
}

// With Retake the memory follows the owners: a co-owner is added, and who had taken the field back is the one to whom it goes.
func TestRetaking(t *testing.T) {
	cpu := amountPath("containers[app].resources.requests.cpu")
	managers := func(owners []risk.Owner) (out []string) {
		for _, o := range owners {
			out = append(out, o.Manager)
		}
		return out
	}
	for _, row := range []struct {
		why    string
		change func(*stage, *hpacouple.Change)
		target int32
		value  string
		owners []string // of both
	}{
		{"somebody owns them as well", func(s *stage, c *hpacouple.Change) {
			s.hpa.ManagedFields = append(s.hpa.ManagedFields, entry("gitops", byApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`))
			s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("gitops", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`)))
			c.Amounts[0].From, c.Targets[0].From = quantity("700m"), 71
		}, 50, "1", []string{"kubectl-create", "gitops"}},
		{"somebody has edited them", func(s *stage, c *hpacouple.Change) {
			s.hpa.ManagedFields = []metav1.ManagedFieldsEntry{entry("kubectl-edit", byUpdate, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
			s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kubectl-edit", byUpdate, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))}
			*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 60
			s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("900m")
			c.Amounts[0].From, c.Targets[0].From = quantity("900m"), 60
		}, 60, "900m", []string{"kubectl-edit"}},
	} {
		s, taken := held(t)
		c := joint()
		c.Amounts[0].To, c.Targets[0].To = quantity("650m"), 76
		row.change(s, &c)
		got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Taken: taken, Retake: true})
		require.Empty(t, errs, row.why)
		require.Equal(t, []string{hpaForce, podForce}, brief(got.Writes), row.why)
		require.Equal(t, []hpacouple.TakenTarget{{TargetRef: cpuEntry, Target: row.target}}, got.Taken.Metrics.Targets, row.why)
		require.Equal(t, row.owners, managers(got.Taken.Metrics.Owners), row.why)
		require.Equal(t, cpu, got.Taken.Amounts[0].AmountRef)
		require.Equal(t, row.value, got.Taken.Amounts[0].Value.String(), row.why)
		require.Equal(t, row.owners, managers(got.Taken.Amounts[0].Owners), row.why)
	}
}

// What was taken away and is set again keeps its past: the value before us, not the absence that we made.
func TestClearedAndSetAgain(t *testing.T) {
	s, c := staged(t, "apply/kubectl-create")
	c.HPA, c.Targets, s.hpa = hpacouple.HPARef{}, nil, nil
	limits := amountPath("containers[app].resources.limits.cpu")
	resources := &s.deployment.Spec.Template.Spec.Containers[0].Resources
	resources.Limits = list("2")
	c.Amounts = []hpacouple.AmountChange{{AmountRef: limits, From: quantity("2")}}
	taken := hpacouple.Taken{}
	write := func() {
		got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Taken: taken})
		require.Empty(t, errs)
		require.Len(t, got.Writes, 1)
		taken = got.Taken
	}
	write()
	require.True(t, taken.Amounts[0].Cleared && !taken.Amounts[0].Held, "not known to have arrived")
	require.False(t, taken.Confirm(s.whole(), "").Amounts[0].Held, "nor while it stands")
	resources.Limits = nil
	taken = taken.Confirm(s.whole(), "")
	require.True(t, taken.Amounts[0].Cleared && taken.Amounts[0].Held)
	c.Amounts[0].From, c.Amounts[0].To = nil, quantity("3")
	write()
	write() // the first never arrived
	require.Equal(t, "2", taken.Amounts[0].Value.String())
	resources.Limits = list("3")
	s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kerf", byApply, "apps/v1", appFields(`{"f:limits":{"f:cpu":{}}}`)))
	taken = taken.Confirm(s.whole(), "")
	require.True(t, !taken.Amounts[0].Cleared && taken.Amounts[0].Held, "ours by now")
	require.Equal(t, "2", taken.Amounts[0].Value.String())
	c.Amounts[0].From, c.Amounts[0].To = quantity("3"), nil // ours: an apply leaves it out
	write()
	require.True(t, taken.Amounts[0].Cleared)
	require.Equal(t, "2", taken.Amounts[0].Value.String())
}

// Errors: what cannot be written at all.
func TestWritesRefuses(t *testing.T) {
	atomic := `{"f:spec":{"f:template":{"f:spec":{"f:containers":{}}}}}`
	for _, row := range []struct {
		why    string
		change func(*hpacouple.Change, *stage)
		field  string
		says   string
	}{
		{"kubectl hides managedFields, caches drop them", func(_ *hpacouple.Change, s *stage) { s.hpa.ManagedFields = nil }, "live.hpa.metadata.managedFields", "noManagedFields"},
		{"the same of the workload", func(_ *hpacouple.Change, s *stage) { s.deployment.ManagedFields = nil }, "live.meta.managedFields", "noManagedFields"},
		{"a set that cannot be read", func(_ *hpacouple.Change, s *stage) { s.hpa.ManagedFields[0].FieldsV1.Raw = []byte(`{"f:spec":1}`) }, "live.hpa.metadata.managedFields[0]", "FieldsV1"},
		{"a set of another type", func(_ *hpacouple.Change, s *stage) { s.hpa.ManagedFields[0].FieldsType = "FieldsV2" }, "live.hpa.metadata.managedFields[0]", "FieldsV1"},
		{"no set", func(_ *hpacouple.Change, s *stage) { s.hpa.ManagedFields[0].FieldsV1 = nil }, "live.hpa.metadata.managedFields[0]", "FieldsV1"},
		{"our entry twice", func(_ *hpacouple.Change, s *stage) {
			s.hpa.ManagedFields = append(s.hpa.ManagedFields, entry("kerf", byApply, "autoscaling/v2", "{}"), entry("kerf", byApply, "autoscaling/v1", "{}"))
		}, "live.hpa.metadata.managedFields[2]", "kerf"},
		{"another workload", func(_ *hpacouple.Change, s *stage) { s.deployment.Name = "db" }, "live.meta.name", "is not the workload"},
		{"a workload of another namespace", func(_ *hpacouple.Change, s *stage) { s.deployment.Namespace = "prod" }, "live.meta.name", "is not the workload"},
		{"another HPA", func(_ *hpacouple.Change, s *stage) { s.hpa.Name = "db" }, "live.hpa.metadata.name", "is not the HPA"},
		{"a kind of which nothing is known", func(c *hpacouple.Change, s *stage) {
			c.Workload.APIVersion, c.Workload.Kind = "argoproj.io/v1alpha1", "Rollout"
			s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("gitops", byApply, "argoproj.io/v1alpha1", atomic)}
		}, "workload.kind", "supported values"},
		{"our manager applied more than a body can keep", func(_ *hpacouple.Change, s *stage) {
			s.hpa.ManagedFields = append(s.hpa.ManagedFields, entry("kerf", byApply, "autoscaling/v2", `{"f:spec":{"f:maxReplicas":{}}}`))
		}, "live.hpa.metadata.managedFields", "f:maxReplicas"},
		{"kubectl moved everything to us", func(_ *hpacouple.Change, s *stage) {
			s.hpa.ManagedFields = append(s.hpa.ManagedFields, entry("kerf", byApply, "autoscaling/v2", `{"f:metadata":{"f:annotations":{"f:kubectl.kubernetes.io/last-applied-configuration":{}}}}`))
		}, "live.hpa.metadata.managedFields", "Repair"},
		{"owner references of ours", func(_ *hpacouple.Change, s *stage) {
			s.hpa.ManagedFields = append(s.hpa.ManagedFields, entry("kerf", byApply, "autoscaling/v2", `{"f:metadata":{"f:ownerReferences":{}}}`))
		}, "live.hpa.metadata.managedFields", "f:ownerReferences"},
		{"an empty node of ours stands for all of .spec", func(_ *hpacouple.Change, s *stage) {
			s.hpa.ManagedFields = append(s.hpa.ManagedFields, entry("kerf", byApply, "autoscaling/v2", `{"f:spec":{}}`))
		}, "live.hpa.metadata.managedFields", "f:spec"},
		{"an image of ours", func(_ *hpacouple.Change, s *stage) {
			s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kerf", byApply, "apps/v1", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:image":{}}}}}}}`))
		}, "live.meta.managedFields", "f:image"},
		{"replicas of ours", func(_ *hpacouple.Change, s *stage) {
			s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kerf", byApply, "apps/v1", `{"f:spec":{"f:replicas":{}}}`))
		}, "live.meta.managedFields", "f:replicas"},
		{"a node selector of ours", func(_ *hpacouple.Change, s *stage) {
			s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kerf", byApply, "apps/v1", `{"f:spec":{"f:template":{"f:spec":{"f:nodeSelector":{"f:disk":{}}}}}}`))
		}, "live.meta.managedFields", "f:nodeSelector"},
		{"an amount of ours that no body can hold", func(_ *hpacouple.Change, s *stage) {
			s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kerf", byApply, "apps/v1", appFields(`{"f:requests":{"f:memory":{}}}`)))
			s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests["memory"] = resource.MustParse("-1")
		}, "live.template", "negative"},
		{"a metric that no body can hold", func(_ *hpacouple.Change, s *stage) {
			s.hpa.Spec.Metrics = append(s.hpa.Spec.Metrics, autoscalingv2.MetricSpec{Type: "Pods", Pods: &autoscalingv2.PodsMetricSource{
				Target: autoscalingv2.MetricTarget{AverageValue: quantity("1000E")}}})
		}, "live.hpa.spec.metrics[1]", "read as the same"},
	} {
		s, c := staged(t, "apply/kubectl-create")
		row.change(&c, s)
		_, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
		require.Len(t, errs, 1, "%s: %v", row.why, errs)
		require.Equal(t, row.field, errs[0].Field, row.why)
		require.Contains(t, errs[0].Error(), row.says, row.why)
	}
	_, errs := joint().Writes(hpacouple.Live{}, hpacouple.WriteOptions{})
	require.Len(t, errs, 3, "no objects at all")
}

// Kinds beside the Deployment: those whose schema is known, and others where managedFields show that containers are merged by name.
func TestWritesOfOtherKinds(t *testing.T) {
	for _, row := range []struct {
		apiVersion, kind string
		fields           string
		ok               bool
	}{
		{"apps/v1", "StatefulSet", `{}`, true}, {"apps/v1", "DaemonSet", `{}`, true}, {"apps/v1", "ReplicaSet", `{}`, true}, {"v1", "ReplicationController", `{}`, true},
		{"example.invalid/v1", "Rollout", `{}`, false},
		{"example.invalid/v1", "Rollout", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{}}}}}`, false},
		{"example.invalid/v1", "Rollout", appFields(`{}`), true},
		{"example.invalid/v1", "Deployment", `{}`, false},
	} {
		s, c := staged(t, "apply/kubectl-create")
		c.Workload.APIVersion, c.Workload.Kind = row.apiVersion, row.kind
		s.hpa.Spec.ScaleTargetRef.APIVersion, s.hpa.Spec.ScaleTargetRef.Kind = row.apiVersion, row.kind
		s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("gitops", byApply, row.apiVersion, row.fields)}
		got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
		require.Equal(t, row.ok, len(errs) == 0, "%v %v", row, errs)
		if row.ok {
			require.Equal(t, hpacouple.ObjectRef{APIVersion: row.apiVersion, Kind: row.kind, Namespace: "default", Name: "web"}, got.Writes[1].Object)
			require.Contains(t, string(got.Writes[1].Body), `"kind":"`+row.kind+`"`)
		}
	}
}

func TestSafeOrder(t *testing.T) {
	window := func(s int32) *autoscalingv2.HorizontalPodAutoscalerBehavior {
		return &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: &s}}
	}
	disabled := window(0)
	policy := autoscalingv2.DisabledPolicySelect
	disabled.ScaleDown.SelectPolicy = &policy
	up, down, same := hpacouple.TargetChange{From: 50, To: 71}, hpacouple.TargetChange{From: 71, To: 50}, hpacouple.TargetChange{From: 50, To: 50}
	for _, row := range []struct {
		why      string
		targets  []hpacouple.TargetChange
		behavior *autoscalingv2.HorizontalPodAutoscalerBehavior
		want     hpacouple.Ordering
	}{
		{"requests fall: too low a utilization is held back by the window", []hpacouple.TargetChange{up}, nil, hpacouple.Ordering{First: hpacouple.TargetFirst, Safe: true, Window: 300}},
		{"requests rise", []hpacouple.TargetChange{down}, nil, hpacouple.Ordering{First: hpacouple.RequestsFirst, Safe: true, Window: 300}},
		{"a filled-in behavior without a window is the default too", []hpacouple.TargetChange{up}, &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &autoscalingv2.HPAScalingRules{}},
			hpacouple.Ordering{First: hpacouple.TargetFirst, Safe: true, Window: 300}},
		{"behavior of the other direction says nothing", []hpacouple.TargetChange{up}, &autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleUp: &autoscalingv2.HPAScalingRules{}},
			hpacouple.Ordering{First: hpacouple.TargetFirst, Safe: true, Window: 300}},
		{"the caller compares the window with his gap", []hpacouple.TargetChange{up}, window(1), hpacouple.Ordering{First: hpacouple.TargetFirst, Safe: true, Window: 1}},
		{"a window of 0 protects nothing", []hpacouple.TargetChange{up}, window(0), hpacouple.Ordering{First: hpacouple.TargetFirst}},
		{"and nothing the other way", []hpacouple.TargetChange{down}, window(0), hpacouple.Ordering{First: hpacouple.RequestsFirst}},
		{"scaling down is disabled", []hpacouple.TargetChange{up}, disabled, hpacouple.Ordering{First: hpacouple.TargetFirst, Safe: true}},
		{"entries disagree", []hpacouple.TargetChange{up, down}, nil, hpacouple.Ordering{First: hpacouple.TargetFirst, Window: 300}},
		{"an entry that stays has no say", []hpacouple.TargetChange{same, down}, nil, hpacouple.Ordering{First: hpacouple.RequestsFirst, Safe: true, Window: 300}},
		{"no targets: one write", nil, nil, hpacouple.Ordering{First: hpacouple.TargetFirst, Safe: true, Window: 300}},
	} {
		require.Equal(t, row.want, hpacouple.SafeOrder(row.targets, row.behavior), row.why)
	}
}

// B13, B16: the body of the HPA is the live list, in its order, with nothing but the coupled target changed.
func TestMetricsAreKept(t *testing.T) {
	text := `[{"type":"Pods","pods":{"metric":{"name":"rps","selector":{"matchLabels":{"z":"1","a":"2"}}},"target":{"type":"AverageValue","averageValue":"1k"}}},
		{"type":"Object","object":{"describedObject":{"apiVersion":"v1","kind":"Service","name":"web"},"metric":{"name":"hits"},"target":{"type":"Value","value":"2Gi"}}},
		{"type":"ContainerResource","containerResource":{"name":"cpu","container":"app","target":{"type":"Utilization","averageUtilization":50}}},
		{"type":"Resource","resource":{"name":"memory","target":{"type":"AverageValue","averageValue":"1181116006400m"}}},
		{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}},
		{"type":"External","external":{"metric":{"name":"queue"},"target":{"type":"AverageValue","averageValue":"30"}}}]`
	for _, row := range []struct {
		ref  hpacouple.TargetRef
		at   int
		path string
	}{
		{cpuEntry, 4, "resource"},
		{hpacouple.TargetRef{Type: "ContainerResource", Resource: "cpu", Container: "app"}, 2, "containerResource"},
	} {
		s, c := staged(t, "apply/kubectl-create")
		s.hpa.Spec.Metrics = nil
		require.NoError(t, json.Unmarshal([]byte(text), &s.hpa.Spec.Metrics))
		c.Targets[0].TargetRef = row.ref
		got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
		require.Empty(t, errs)
		var body struct {
			Spec struct{ Metrics []map[string]any }
		}
		require.NoError(t, json.Unmarshal(got.Writes[0].Body, &body))
		var want []map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &want))
		want[row.at][row.path].(map[string]any)["target"].(map[string]any)["averageUtilization"] = 71.0
		require.Equal(t, want, body.Spec.Metrics)
		plain := map[string]any{}
		require.NoError(t, json.Unmarshal(got.Writes[0].Body, &plain))
		sorted, _ := json.Marshal(plain)
		require.Equal(t, string(sorted), string(got.Writes[0].Body), "canonical: keys in byte order, no spaces")
	}
}

// Other entries are carried through as they are, also where their thousandths pass 64 bits: they are none of ours.
func TestOtherEntriesOfAnySize(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"10Pi", "10Pi"}, {"9.3E", "9300P"}, {"1e30", "1e30"}, {"8Ei", "9223372036854775807"}, {"16Ei", "9223372036854775807"}, {"-3", "-3"}, {"1n", "1n"}, {"0", "0"},
	} {
		s, c := staged(t, "apply/kubectl-create")
		s.hpa.Spec.Metrics = append(s.hpa.Spec.Metrics, autoscalingv2.MetricSpec{Type: "External", External: &autoscalingv2.ExternalMetricSource{
			Metric: autoscalingv2.MetricIdentifier{Name: "queue"}, Target: autoscalingv2.MetricTarget{Type: "AverageValue", AverageValue: quantity(row.text)}}})
		got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
		require.Empty(t, errs, row.text)
		require.Contains(t, string(got.Writes[0].Body), `"averageValue":"`+row.want+`"`, row.text)
	}
}

// An item of initContainers and the pod's own amounts, cleared and set.
func TestPlaces(t *testing.T) {
	s, c := staged(t, "quantity/sidecar-and-pod-level")
	c.HPA, c.Targets, s.hpa = hpacouple.HPARef{}, nil, nil
	c.Amounts = []hpacouple.AmountChange{
		{AmountRef: amountPath("initContainers[proxy].resources.requests.cpu"), From: quantity("200m")},
		{AmountRef: amountPath("resources.requests.cpu"), From: quantity("2")},
	}
	got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
	require.Empty(t, errs)
	require.Equal(t, []string{podPatch}, brief(got.Writes))
	require.JSONEq(t, `[{"op":"test","path":"/spec/template/spec/initContainers/0/name","value":"proxy"},
		{"op":"test","path":"/spec/template/spec/initContainers/0/resources/requests/cpu","value":"200m"},{"op":"remove","path":"/spec/template/spec/initContainers/0/resources/requests/cpu"},
		{"op":"test","path":"/spec/template/spec/resources/requests/cpu","value":"2"},{"op":"remove","path":"/spec/template/spec/resources/requests/cpu"}]`, string(got.Writes[0].Body))
	for _, a := range got.Taken.Amounts {
		require.True(t, a.Cleared)
	}
	// the pod's own request is the last of ours: its list stays in the body, or .spec would go with it
	s, _ = staged(t, "quantity/sidecar-and-pod-level")
	s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kerf", byApply, "apps/v1", `{"f:spec":{"f:template":{"f:spec":{"f:resources":{"f:requests":{"f:cpu":{}}}}}}}`))
	s.deployment.ManagedFields[0].FieldsV1.Raw = []byte(strings.ReplaceAll(string(s.deployment.ManagedFields[0].FieldsV1.Raw), `"f:cpu":{}`, `"f:memory":{}`))
	c.Amounts = c.Amounts[1:]
	got, errs = c.Writes(s.whole(), hpacouple.WriteOptions{})
	require.Empty(t, errs)
	require.Contains(t, string(got.Writes[0].Body), `"spec":{"template":{"spec":{"resources":{}}}}`)
}
