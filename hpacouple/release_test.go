package hpacouple_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/risk"
)

// ops prints a JSON patch of managedFields: op and path, values of tests left out.
func ops(t testing.TB, body []byte) (out []string) {
	var list []struct{ Op, Path string }
	require.NoError(t, json.Unmarshal(body, &list), string(body))
	for _, o := range list {
		if o.Op != "test" {
			path := strings.Replace(strings.Replace(o.Path, "/metadata/managedFields", "MF", 1), `/f:spec/f:template/f:spec/f:containers/k:{"name":"app"}`, "/app", 1)
			out = append(out, o.Op+" "+path)
		}
	}
	return out
}

// twoItems is a set of the container app with all of both, and of the container log.
func twoItems(log string) string {
	return strings.Replace(appFields(both), `"k:{\"name\":\"app\"}"`, `"k:{\"name\":\"log\"}":`+log+`,"k:{\"name\":\"app\"}"`, 1)
}

const both = `{"f:requests":{"f:cpu":{},"f:memory":{}},"f:limits":{"f:cpu":{}}}`

// Releases of the workload alone: which part of our entry is taken out, and what is given back to whom.
func TestReleaseParts(t *testing.T) {
	owner := func(manager string, op metav1.ManagedFieldsOperationType) []risk.Owner {
		return []risk.Owner{{Manager: manager, Operation: op, APIVersion: "apps/v1"}}
	}
	taken := func(path string, value string, owners []risk.Owner) hpacouple.TakenAmount {
		a := hpacouple.TakenAmount{AmountRef: amountPath("containers[app].resources." + path), Owners: owners, Held: true}
		if value != "" {
			a.Value = quantity(value)
		}
		return a
	}
	for _, row := range []struct {
		name, why string
		ours      string
		others    []metav1.ManagedFieldsEntry
		taken     []hpacouple.TakenAmount
		o         hpacouple.ReleaseOptions
		want      []string
		left      int // amounts that are still remembered
		kept      []string
	}{
		{name: "whole", why: "D: the entry", ours: appFields(both), want: []string{"remove MF/0"}},
		{name: "with an annotation", why: "the annotation stays ours", ours: `{"f:metadata":{"f:annotations":{"f:x":{}}},` + appFields(both)[1:], want: []string{"remove MF/0/fieldsV1/f:spec"}},
		{name: "an annotation alone", why: "nothing to release", ours: `{"f:metadata":{"f:annotations":{"f:x":{}}}}`},
		{name: "an empty entry", why: "it goes", ours: `{}`, want: []string{"remove MF/0"}},
		{name: "one resource", why: "memory leaves, cpu stays", ours: appFields(both), o: hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"memory"}},
			want: []string{"remove MF/0/fieldsV1/app/f:resources/f:requests/f:memory"}},
		{name: "the other resource", why: "the highest node that would be empty: the list of limits", ours: appFields(both), o: hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"cpu"}},
			want: []string{"remove MF/0/fieldsV1/app/f:resources/f:requests/f:cpu", "remove MF/0/fieldsV1/app/f:resources/f:limits"}},
		{name: "all resources by name", why: "nothing would be left but names: the entry", ours: appFields(both), o: hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"cpu", "memory"}}, want: []string{"remove MF/0"}},
		{name: "another resource", why: "nothing of ours", ours: appFields(both), o: hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"example.invalid/gpu"}}},
		{name: "another container", why: "nothing of ours", ours: appFields(both), o: hpacouple.ReleaseOptions{Containers: []string{"log"}}},
		{name: "a container of which the name alone is ours", why: "after a rollback to absent: its owner could not drop it else", ours: twoItems(`{".":{},"f:name":{}}`),
			o: hpacouple.ReleaseOptions{Containers: []string{"log"}}, want: []string{`remove MF/0/fieldsV1/f:spec/f:template/f:spec/f:containers/k:{"name":"log"}`}},
		{name: "the same by resource", why: "nothing of it belongs to another resource", ours: twoItems(`{".":{},"f:name":{}}`),
			o:    hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"memory"}},
			want: []string{`remove MF/0/fieldsV1/f:spec/f:template/f:spec/f:containers/k:{"name":"log"}`, "remove MF/0/fieldsV1/app/f:resources/f:requests/f:memory"}},
		{name: "the other container", why: "the name that is left belongs to one that stays", ours: twoItems(`{".":{},"f:name":{}}`),
			o: hpacouple.ReleaseOptions{Containers: []string{"app"}}, want: []string{"remove MF/0/fieldsV1/app"}},
		{name: "empty lists", why: "what a body kept as an empty object goes with the rest: the item", ours: twoItems(`{".":{},"f:name":{},"f:resources":{"f:limits":{},"f:requests":{"f:cpu":{}}}}`),
			o: hpacouple.ReleaseOptions{Containers: []string{"log"}}, want: []string{`remove MF/0/fieldsV1/f:spec/f:template/f:spec/f:containers/k:{"name":"log"}`}},
		{name: "an empty node elsewhere", why: "it is no container's", ours: `{"f:spec":{"f:template":{"f:spec":{"f:volumes":{}}}}}`, o: hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"cpu"}}},
		{name: "R, the owner applies by now", why: "its next apply would conflict with an entry of its own name: D", ours: appFields(`{"f:requests":{"f:cpu":{}}}`),
			others: []metav1.ManagedFieldsEntry{entry("helm", byApply, "apps/v1", `{"f:spec":{"f:replicas":{}}}`)}, taken: []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("helm", byUpdate))}, want: []string{"remove MF/0"}},
		{name: "R, the owner applies and updates", why: "the same with both entries", ours: appFields(`{"f:requests":{"f:cpu":{}}}`),
			others: []metav1.ManagedFieldsEntry{entry("helm", byApply, "apps/v1", `{"f:spec":{"f:replicas":{}}}`), entry("helm", byUpdate, "apps/v1", appFields(`{}`))},
			taken:  []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("helm", byUpdate))}, want: []string{"remove MF/0"}},
		{name: "R, our own name by update", why: "ours is the entry that goes", ours: appFields(`{"f:requests":{"f:cpu":{}}}`),
			taken: []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("kerf", byUpdate))}, want: []string{"add MF/-", "remove MF/0"}},
		{name: "R, the entry is of another version", why: "a path there would be of that version's spelling: an entry of the remembered one", ours: appFields(`{"f:requests":{"f:cpu":{}}}`),
			others: []metav1.ManagedFieldsEntry{entry("helm", byUpdate, "apps/v1beta1", appFields(`{}`))}, taken: []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("helm", byUpdate))},
			want: []string{"add MF/-", "remove MF/0"}},
		{name: "R", why: "to the owner by update; the node that is empty there says that it owns itself", ours: appFields(`{"f:requests":{"f:cpu":{}}}`),
			others: []metav1.ManagedFieldsEntry{entry("helm", byUpdate, "apps/v1", appFields(`{".":{},"f:requests":{}}`))}, taken: []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("helm", byUpdate))},
			want: []string{"add MF/1/fieldsV1/app/f:resources/f:requests/.", "add MF/1/fieldsV1/app/f:resources/f:requests/f:cpu", "remove MF/0"}},
		{name: "R, two fields under one node", why: "the node says so once; the second finds what the first added", ours: appFields(both),
			others: []metav1.ManagedFieldsEntry{entry("helm", byUpdate, "apps/v1", appFields(`{}`))},
			taken:  []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("helm", byUpdate)), taken("requests.memory", "1Gi", owner("helm", byUpdate))},
			want:   []string{"add MF/1/fieldsV1/app/f:resources/.", "add MF/1/fieldsV1/app/f:resources/f:requests", "add MF/1/fieldsV1/app/f:resources/f:requests/f:memory", "remove MF/0"}},
		{name: "R, the entry is gone", why: "made anew once, with all its fields, at the end", ours: appFields(both),
			taken: []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("kubectl-set", byUpdate)), taken("requests.memory", "1Gi", owner("kubectl-set", byUpdate))},
			want:  []string{"add MF/-", "remove MF/0"}},
		{name: "an applier", why: "never back to it: D", ours: appFields(`{"f:requests":{"f:cpu":{}}}`), others: []metav1.ManagedFieldsEntry{entry("gitops", byApply, "apps/v1", appFields(`{}`))},
			taken: []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("gitops", byApply))}, want: []string{"remove MF/0"}},
		{name: "co-owned by now", why: "it has an owner: D", ours: appFields(`{"f:requests":{"f:cpu":{}}}`), others: []metav1.ManagedFieldsEntry{entry("gitops", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))},
			taken: []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("helm", byUpdate))}, want: []string{"remove MF/0"}},
		{name: "lost since", why: "what is not ours is not given away", ours: appFields(`{"f:requests":{"f:memory":{}}}`), taken: []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("helm", byUpdate))},
			want: []string{"remove MF/0"}},
		{name: "R of a part", why: "memory goes back to its owner, cpu stays ours and remembered", ours: appFields(both), o: hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"memory"}},
			taken: []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("helm", byUpdate)), taken("requests.memory", "1Gi", owner("helm", byUpdate))}, left: 1,
			want: []string{"add MF/-", "remove MF/0/fieldsV1/app/f:resources/f:requests/f:memory"}},
		{name: "a subresource of the same name", why: "it is another owner: the entry is made anew", ours: appFields(`{"f:requests":{"f:cpu":{}}}`),
			others: []metav1.ManagedFieldsEntry{{Manager: "helm", Operation: byUpdate, APIVersion: "apps/v1", Subresource: "scale", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{"f:replicas":{}}}`)}}},
			taken:  []hpacouple.TakenAmount{taken("requests.cpu", "1", owner("helm", byUpdate))}, want: []string{"add MF/-", "remove MF/0"}},
		{name: "back, not remembered", why: "the value stays, and says so", ours: appFields(`{"f:requests":{"f:cpu":{}}}`), o: hpacouple.ReleaseOptions{Back: true}, want: []string{"remove MF/0"},
			kept: []string{amountPath("containers[app].resources.requests.cpu").String()}},
		{name: "back, co-owned", why: "the other owner holds the value", ours: appFields(`{"f:requests":{"f:cpu":{}}}`), others: []metav1.ManagedFieldsEntry{entry("gitops", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))},
			o: hpacouple.ReleaseOptions{Back: true}, taken: []hpacouple.TakenAmount{taken("requests.cpu", "2", owner("helm", byUpdate))}, want: []string{"remove MF/0"},
			kept: []string{amountPath("containers[app].resources.requests.cpu").String()}},
		{name: "back already", why: "a value that stands is not written: R", ours: appFields(`{"f:requests":{"f:cpu":{}}}`), o: hpacouple.ReleaseOptions{Back: true},
			taken: []hpacouple.TakenAmount{taken("requests.cpu", "1000m", owner("helm", byUpdate))}, want: []string{"add MF/-", "remove MF/0"}},
		{name: "nothing of ours", why: "somebody has taken all: nothing to do"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, _ := staged(t, "apply/kubectl-create")
			s.deployment.ManagedFields = row.others
			if row.ours != "" {
				s.deployment.ManagedFields = append([]metav1.ManagedFieldsEntry{entry("kerf", byApply, "apps/v1", row.ours)}, row.others...)
			}
			s.hpa = nil
			live := s.whole()
			row.o.Taken.Amounts, row.o.NoManagedFields = row.taken, true
			before := snapshot(t, live, row.o)
			got, errs := hpacouple.Release(web, live, row.o)
			require.Empty(t, errs, row.why)
			require.Equal(t, before, snapshot(t, live, row.o), "P2")
			require.Equal(t, row.want != nil, len(got.Writes) == 1, row.why)
			if len(got.Writes) == 1 {
				require.Equal(t, row.want, ops(t, got.Writes[0].Body), row.why)
			}
			require.Len(t, got.Taken.Amounts, row.left, row.why)
			require.Equal(t, row.kept, got.Kept, row.why)
			require.False(t, got.Again)
		})
	}
}

// With the values: in one write where that is exact, in two rounds else.
func TestReleaseBack(t *testing.T) {
	r := record(t)
	for _, row := range []struct {
		why    string
		change func(*hpacouple.Taken)
		want   []string
		again  bool
	}{
		{"one owner by update: one patch per object in its name, the requests first since the target falls", func(*hpacouple.Taken) {},
			[]string{"Deployment patch kubectl-create", "HorizontalPodAutoscaler patch kubectl-create"}, false},
		{"an applier: the old values in our own name first", func(t *hpacouple.Taken) {
			t.Metrics.Owners[0].Operation, t.Amounts[0].Owners[0].Operation = byApply, byApply
		}, []string{podApply, hpaApply}, true},
		{"an owner by update who applies by now: a patch in its name would make a second entry", func(t *hpacouple.Taken) {
			for _, o := range []*[]risk.Owner{&t.Metrics.Owners, &t.Amounts[0].Owners} {
				*o = []risk.Owner{{Manager: "helm", Operation: byUpdate, APIVersion: (*o)[0].APIVersion}}
			}
		}, []string{podApply, hpaApply}, true},
		{"an owner of autoscaling/v1: a patch of the v2 object would make it a second entry", func(t *hpacouple.Taken) {
			t.Metrics.Owners[0].APIVersion = "autoscaling/v1"
		}, []string{"Deployment patch kubectl-create", hpaApply}, true},
		{"several owners", func(t *hpacouple.Taken) {
			t.Metrics.Owners = append(t.Metrics.Owners, risk.Owner{Manager: "gitops", Operation: byApply, APIVersion: "autoscaling/v2"})
		}, []string{"Deployment patch kubectl-create", hpaApply}, true},
		{"nobody's: never the empty apply", func(t *hpacouple.Taken) { t.Metrics.Owners, t.Metrics.Targets[0].Target = nil, 80 }, []string{hpaApply, "Deployment patch kubectl-create"}, true},
		{"a memory that says absent of an owner: nothing that a patch could set", func(t *hpacouple.Taken) { t.Amounts[0].Value = nil },
			[]string{podApply, "HorizontalPodAutoscaler patch kubectl-create"}, true},
		{"it was absent", func(t *hpacouple.Taken) { t.Amounts[0].Value, t.Amounts[0].Owners = nil, nil }, []string{podApply, "HorizontalPodAutoscaler patch kubectl-create"}, true},
	} {
		s, _ := staged(t, "release-restore/kubectl-create")
		s.hpa.ManagedFields = append(s.hpa.ManagedFields, entry("helm", byApply, "autoscaling/v2", `{"f:spec":{"f:maxReplicas":{}}}`))
		s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("helm", byApply, "apps/v1", `{"f:spec":{"f:replicas":{}}}`))
		row.change(&s.taken)
		got, errs := hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Taken: s.taken, Back: true})
		require.Empty(t, errs)
		require.Equal(t, row.want, brief(got.Writes), row.why)
		require.Equal(t, row.again, got.Again, row.why)
		if row.again {
			require.Equal(t, snapshot(t, s.taken.Amounts, s.taken.Metrics.Owners), snapshot(t, got.Taken.Amounts, got.Taken.Metrics.Owners), "needed again")
		} else {
			require.Equal(t, hpacouple.Taken{}, got.Taken)
		}
		for _, w := range got.Writes {
			require.NotContains(t, string(w.Body), `"spec":{}`)
			require.Contains(t, string(w.Body), "spec", "an empty apply is never sent")
		}
	}
	s := &stage{}
	s.set(t, r, map[string]string{"hpa": "hpa-3"})
	_, errs := hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Back: true})
	require.Empty(t, errs, "an HPA alone")
	_, errs = hpacouple.Release(hpacouple.Workload{}, hpacouple.Live{}, hpacouple.ReleaseOptions{})
	require.Len(t, errs, 4, "no workload and no objects")
	_, errs = hpacouple.Release(web, hpacouple.Live{HPA: s.hpa}, hpacouple.ReleaseOptions{Taken: hpacouple.Taken{
		Metrics: &hpacouple.TakenMetrics{Targets: []hpacouple.TakenTarget{{}}},
		Amounts: []hpacouple.TakenAmount{{AmountRef: amountPath("resources.requests.cpu"), Value: quantity("-1")}, {AmountRef: amountPath("resources.requests.cpu")}}}})
	require.Len(t, errs, 3, "a memory that cannot be meant")
}

// The HPA's list goes back to an owner by update only if nobody else owns it by now, under either of its spellings.
func TestReleaseOfACoOwnedList(t *testing.T) {
	for _, row := range []struct {
		why   string
		other metav1.ManagedFieldsEntry
		want  []string
	}{
		{"nobody else", entry("gitops", byApply, "autoscaling/v2", `{"f:spec":{"f:maxReplicas":{}}}`), []string{"add MF/1/fieldsV1/f:spec/f:metrics", "remove MF/0"}},
		{"an applier", entry("gitops", byApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`), []string{"remove MF/0"}},
		{"an applier of autoscaling/v1", entry("gitops", byApply, "autoscaling/v1", `{"f:spec":{"f:targetCPUUtilizationPercentage":{}}}`), []string{"remove MF/0"}},
		{"in autoscaling/v1 there is no such field", entry("gitops", byApply, "autoscaling/v1", `{"f:spec":{"f:metrics":{}}}`), []string{"add MF/1/fieldsV1/f:spec/f:metrics", "remove MF/0"}},
	} {
		s, _ := staged(t, "release-restore/kubectl-create")
		s.hpa.ManagedFields = append(s.hpa.ManagedFields, row.other)
		s.deployment = nil
		got, errs := hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Taken: s.taken})
		require.Empty(t, errs)
		require.Equal(t, row.want, ops(t, got.Writes[0].Body), row.why)
	}
}

// What is given back must not replace what its owner has got since the object was read: then the whole patch fails.
func TestGivenBackIsTested(t *testing.T) {
	s, _ := staged(t, "release-restore/kubectl-create")
	ours := entry("kerf", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))
	o := hpacouple.ReleaseOptions{Taken: hpacouple.Taken{Amounts: []hpacouple.TakenAmount{{AmountRef: amountPath("containers[app].resources.requests.cpu"), Value: quantity("1"),
		Owners: []risk.Owner{{Manager: "helm", Operation: byUpdate, APIVersion: "apps/v1"}}}}}}
	const image = `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{"f:image":{}}}}}}}`
	const item = `/metadata/managedFields/1/fieldsV1/f:spec/f:template/f:spec/f:containers/k:{\"name\":\"app\"}`
	for _, row := range []struct {
		why      string
		fields   string // of helm's entry
		version  string // the object's resourceVersion
		says     string
		saysNone string
	}{
		{"f:resources is made anew: all that is beside it is as it was", image, "7", `{"op":"test","path":"` + item + `","value":{"f:image":{}}},{"op":"add","path":"` + item + `/f:resources","value":{"f:requests":{"f:cpu":{}}}}`, "resourceVersion"},
		{"the list is there: the leaf replaces nothing", appFields(`{"f:requests":{".":{},"f:memory":{}}}`), "7", `"value":"apps/v1"},{"op":"add","path":"` + item + `/f:resources/f:requests/f:cpu","value":{}}`, "resourceVersion"},
		{"the entry is gone: it could be there again", "", "7", `{"op":"test","path":"/metadata/resourceVersion","value":"7"},{"op":"add","path":"/metadata/managedFields/-"`, ""},
		{"a manifest has no version to test", "", "", `{"op":"add","path":"/metadata/managedFields/-"`, "resourceVersion"},
	} {
		s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{ours}
		if row.fields != "" {
			s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("helm", byUpdate, "apps/v1", row.fields))
		}
		s.deployment.ResourceVersion = row.version
		live := s.whole()
		live.HPA = nil
		got, errs := hpacouple.Release(web, live, o)
		require.Empty(t, errs)
		require.Contains(t, string(got.Writes[0].Body), row.says, row.why)
		if row.saysNone != "" {
			require.NotContains(t, string(got.Writes[0].Body), row.saysNone, row.why)
		}
	}
}

func TestRepair(t *testing.T) {
	s, _ := staged(t, "apply/through-kubectl-repaired")
	got, errs := hpacouple.Repair(web, s.whole(), "")
	require.Empty(t, errs)
	require.Equal(t, []string{"replace MF/0/manager", "replace MF/0/operation"}, ops(t, got[0].Body))
	again := s.hpa.DeepCopy()
	again.ManagedFields = append(again.ManagedFields, entry("kubectl-client-side-apply", byUpdate, "autoscaling/v2", "{}"))
	got, errs = hpacouple.Repair(web, hpacouple.Live{HPA: again}, "")
	require.Empty(t, errs)
	require.Empty(t, got, "the former name has an entry again: which fields were whose cannot be told")
	again.ManagedFields[len(again.ManagedFields)-1].APIVersion = "autoscaling/v1"
	got, errs = hpacouple.Repair(web, hpacouple.Live{HPA: again}, "")
	require.Empty(t, errs)
	require.Len(t, got, 1, "an entry of another version is another owner")
	s, _ = staged(t, "release-restore/kubectl-create")
	got, errs = hpacouple.Repair(web, s.whole(), "")
	require.Empty(t, errs)
	require.Empty(t, got, "nothing is broken")
	_, errs = hpacouple.Repair(web, hpacouple.Live{}, "")
	require.Len(t, errs, 1)
}
