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
)

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
