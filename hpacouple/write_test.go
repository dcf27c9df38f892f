package hpacouple_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
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
