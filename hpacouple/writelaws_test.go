package hpacouple_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/risk"
)

var (
	anyName     = rapid.SampledFrom([]string{"app", "log", "", "a\"b", "\xff", "k:{}"})
	anyManager  = rapid.SampledFrom([]string{"kerf", "kubectl-create", "gitops", ""})
	anyVersion  = rapid.SampledFrom([]string{"apps/v1", "autoscaling/v2", "autoscaling/v1", "", "x/y/z"})
	anyResource = rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory", "example.invalid/gpu", "", "a/b~c"})
	anyFields   = rapid.SampledFrom([]string{`{}`, `{"f:spec":{}}`, `{"f:spec":{"f:metrics":{}}}`, `{"f:spec":{"f:targetCPUUtilizationPercentage":{}}}`, `{"f:metadata":{"f:annotations":{"f:x":{}},"f:labels":{".":{}}}}`,
		appFields(`{"f:requests":{"f:cpu":{}}}`), appFields(`{"f:requests":{"f:cpu":{},"f:memory":{}},"f:limits":{}}`), appFields(`{".":{},"f:claims":{}}`), appFields(`{}`),
		`{"f:spec":{"f:template":{"f:spec":{"f:resources":{"f:requests":{"f:cpu":{}}}}}}}`, `{"f:spec":{"f:template":{"f:spec":{"f:containers":{}}}}}`, `null`, `[]`, ``, `{"f:spec":1}`})
)

func anyQuantity(t *rapid.T) *resource.Quantity {
	switch rapid.IntRange(0, 6).Draw(t, "quantity") {
	case 0:
		return nil
	case 1:
		return resource.NewQuantity(rapid.SampledFrom([]int64{0, -1, 1, math.MaxInt64, math.MinInt64}).Draw(t, "edge"), resource.BinarySI)
	case 2:
		return quantity(rapid.SampledFrom([]string{"1n", "100u", "1.1Gi", "1e30", "1E", "12e6"}).Draw(t, "odd"))
	}
	return quantity(rapid.SampledFrom([]string{"1", "700m", "2", "1Gi"}).Draw(t, "plain"))
}

func anyRef(t *rapid.T) hpacouple.AmountRef {
	return hpacouple.AmountRef{Place: rapid.SampledFrom(append(hpacouple.Places(), "", "x")).Draw(t, "place"), Container: anyName.Draw(t, "container"),
		Resource: anyResource.Draw(t, "resource"), Kind: rapid.SampledFrom(append(hpacouple.AmountKinds(), "", "x")).Draw(t, "kind")}
}

func anyTargetRef(t *rapid.T) hpacouple.TargetRef {
	return hpacouple.TargetRef{Type: rapid.SampledFrom([]autoscalingv2.MetricSourceType{"Resource", "ContainerResource", "Pods", ""}).Draw(t, "type"),
		Resource: anyResource.Draw(t, "resource"), Container: anyName.Draw(t, "container")}
}

func anyOwners(t *rapid.T) (out []risk.Owner) {
	for range rapid.IntRange(0, 2).Draw(t, "owners") {
		out = append(out, risk.Owner{Manager: anyManager.Draw(t, "manager"), APIVersion: anyVersion.Draw(t, "version"),
			Operation: rapid.SampledFrom([]metav1.ManagedFieldsOperationType{"Update", "Apply", ""}).Draw(t, "operation")})
	}
	return out
}

func anyEntries(t *rapid.T) (out []metav1.ManagedFieldsEntry) {
	for range rapid.IntRange(0, 3).Draw(t, "entries") {
		e := entry(anyManager.Draw(t, "manager"), rapid.SampledFrom([]metav1.ManagedFieldsOperationType{"Update", "Apply", ""}).Draw(t, "operation"),
			anyVersion.Draw(t, "version"), anyFields.Draw(t, "fields"))
		if oneIn(t, 20, "no set") {
			e.FieldsV1 = nil
		}
		if oneIn(t, 8, "subresource") {
			e.Subresource = "status"
		}
		out = append(out, e)
	}
	return out
}

func anyList(t *rapid.T) corev1.ResourceList {
	out := corev1.ResourceList{}
	for range rapid.IntRange(0, 3).Draw(t, "amounts") {
		if q := anyQuantity(t); q != nil {
			out[anyResource.Draw(t, "resource")] = *q
		}
	}
	return out
}

func anyContainers(t *rapid.T) (out []corev1.Container) {
	for range rapid.IntRange(0, 3).Draw(t, "containers") {
		out = append(out, corev1.Container{Name: anyName.Draw(t, "name"), Resources: corev1.ResourceRequirements{Requests: anyList(t), Limits: anyList(t)}})
	}
	return out
}

func anyMetrics(t *rapid.T) (out []autoscalingv2.MetricSpec) {
	for range rapid.IntRange(0, 3).Draw(t, "metrics") {
		m := autoscalingv2.MetricSpec{Type: anyTargetRef(t).Type}
		if rapid.Bool().Draw(t, "source") {
			m.Resource = &autoscalingv2.ResourceMetricSource{Name: anyResource.Draw(t, "resource")}
			if n := rapid.SampledFrom([]int32{50, 71, 0, math.MinInt32, math.MaxInt32}).Draw(t, "target"); rapid.Bool().Draw(t, "utilization") {
				m.Resource.Target.AverageUtilization = &n
			}
			m.Resource.Target.AverageValue = anyQuantity(t)
		}
		if oneIn(t, 4, "pods") {
			m.Pods = &autoscalingv2.PodsMetricSource{Target: autoscalingv2.MetricTarget{Value: anyQuantity(t)}}
		}
		out = append(out, m)
	}
	return out
}

func anyLive(t *rapid.T) (l hpacouple.Live) {
	if !oneIn(t, 10, "no workload") {
		l.Meta = &metav1.ObjectMeta{Name: anyName.Draw(t, "name"), Namespace: anyName.Draw(t, "namespace"), ManagedFields: anyEntries(t), Annotations: map[string]string{"x": "<&>\xff"}}
	}
	if !oneIn(t, 10, "no template") {
		l.Template = &corev1.PodSpec{Containers: anyContainers(t), InitContainers: anyContainers(t)}
		if oneIn(t, 3, "pod level") {
			l.Template.Resources = &corev1.ResourceRequirements{Requests: anyList(t)}
		}
	}
	if !oneIn(t, 10, "no HPA") {
		l.HPA = &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: anyName.Draw(t, "hpa"), ManagedFields: anyEntries(t)},
			Spec: autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: anyMetrics(t)}}
	}
	return l
}

func anyTaken(t *rapid.T) (out hpacouple.Taken) {
	for range rapid.IntRange(0, 3).Draw(t, "taken") {
		out.Amounts = append(out.Amounts, hpacouple.TakenAmount{AmountRef: anyRef(t), Value: anyQuantity(t), Owners: anyOwners(t), Held: rapid.Bool().Draw(t, "held"), Cleared: rapid.Bool().Draw(t, "cleared")})
	}
	if rapid.Bool().Draw(t, "taken metrics") {
		out.Metrics = &hpacouple.TakenMetrics{Owners: anyOwners(t), Targets: []hpacouple.TakenTarget{{TargetRef: anyTargetRef(t), Target: rapid.Int32().Draw(t, "target")}}}
	}
	return out
}

// P-laws of writes and releases on anything that the types allow: no panic, inputs not written to, equal twice, bodies that are JSON, words of
// the closed lists.
func lawWritesTotal(t *rapid.T) {
	live := anyLive(t)
	w := hpacouple.Workload{APIVersion: anyVersion.Draw(t, "workload version"), Kind: rapid.SampledFrom([]string{"Deployment", "Rollout", ""}).Draw(t, "workload kind"), Name: anyName.Draw(t, "workload")}
	if live.Meta != nil && !oneIn(t, 4, "other names") {
		w = hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: live.Meta.Namespace, Name: live.Meta.Name}
	}
	c := hpacouple.Change{Workload: w, Strategy: rapid.SampledFrom([]hpacouple.Strategy{"Rollout", "Rollout", "Rollout", ""}).Draw(t, "strategy")}
	for range rapid.IntRange(0, 3).Draw(t, "rows") {
		c.Amounts = append(c.Amounts, hpacouple.AmountChange{AmountRef: anyRef(t), From: anyQuantity(t), To: anyQuantity(t)})
	}
	if live.HPA != nil && rapid.Bool().Draw(t, "targets") {
		c.HPA.Name = live.HPA.Name
		c.Targets = []hpacouple.TargetChange{{TargetRef: anyTargetRef(t), From: rapid.SampledFrom([]int32{50, 71, 0, math.MinInt32}).Draw(t, "from"), To: rapid.SampledFrom([]int32{71, 50, math.MaxInt32}).Draw(t, "to")}}
	}
	taken := anyTaken(t)
	o := hpacouple.WriteOptions{Taken: taken, Retake: rapid.Bool().Draw(t, "retake"), NoManagedFields: !oneIn(t, 3, "managedFields")}
	ro := hpacouple.ReleaseOptions{Taken: taken, Back: rapid.Bool().Draw(t, "back"), NoManagedFields: o.NoManagedFields}
	if oneIn(t, 3, "part") {
		ro.Resources = []corev1.ResourceName{anyResource.Draw(t, "released")}
	}
	before := hostileSnapshot(live, c, taken)
	got, errs := c.Writes(live, o)
	again, _ := c.Writes(live, o)
	require.Equal(t, got, again, "P3")
	checkWrites(t, got.Writes, errs != nil)
	if len(got.Contested)+len(got.Stale) > 0 {
		require.Empty(t, got.Writes, "all or nothing")
	}
	released, errs := hpacouple.Release(w, live, ro)
	releasedAgain, _ := hpacouple.Release(w, live, ro)
	require.Equal(t, released, releasedAgain, "P3")
	checkWrites(t, released.Writes, errs != nil)
	repaired, errs := hpacouple.Repair(w, live, "")
	checkWrites(t, repaired, errs != nil)
	_ = taken.Confirm(live, "")
	_, _, _ = c.Reverse(), c.Events(), c.RecommendationHPAStatus()
	require.Equal(t, before, hostileSnapshot(live, c, taken), "P2")
}

// hostileSnapshot prints by Go's own means: marshalling would refuse unknown words.
func hostileSnapshot(live hpacouple.Live, c hpacouple.Change, taken hpacouple.Taken) []any {
	l := hpacouple.Live{Meta: live.Meta.DeepCopy(), Template: live.Template.DeepCopy(), HPA: live.HPA.DeepCopy()}
	return []any{l, *c.DeepCopy(), *taken.DeepCopy()}
}

func checkWrites(t *rapid.T, writes []hpacouple.Write, failed bool) {
	require.False(t, failed && len(writes) > 0, "errors or writes")
	for _, w := range writes {
		require.True(t, json.Valid(w.Body), "%s", w.Body)
		require.True(t, w.PatchType.Valid())
		require.NotEmpty(t, w.Object.Kind)
		require.False(t, w.Force && w.PatchType == hpacouple.JSONPatch)
	}
}

func TestWritesTotal(t *testing.T)   { rapid.Check(t, lawWritesTotal) }
func FuzzWritesTotal(f *testing.F)   { f.Fuzz(rapid.MakeFuzz(lawWritesTotal)) }
func FuzzReverse(f *testing.F)       { f.Fuzz(rapid.MakeFuzz(lawReverse)) }
func TestBodyHoldsOurs(t *testing.T) { rapid.Check(t, lawBodyHoldsOurs) }

// A body holds all that is ours and what changes, and nothing else: compared with a naive walk over the leaves.
func lawBodyHoldsOurs(t *rapid.T) {
	s, c := staged(t, "quantity/two-containers")
	c.HPA, c.Targets, c.Amounts, s.hpa = hpacouple.HPARef{}, nil, nil, nil
	spec := &s.deployment.Spec.Template.Spec
	mine := map[string]any{}
	want := map[string]string{}
	value := func(container, kind, name string) (resource.Quantity, bool) {
		for i := range spec.Containers {
			if spec.Containers[i].Name == container {
				l := spec.Containers[i].Resources.Requests
				if kind == "limits" {
					l = spec.Containers[i].Resources.Limits
				}
				q, ok := l[corev1.ResourceName(name)]
				return q, ok
			}
		}
		return resource.Quantity{}, false
	}
	named := map[string]bool{}
	for _, container := range []string{"app", "sidecar"} {
		for _, kind := range []string{"requests", "limits"} {
			for _, name := range []string{"cpu", "memory"} {
				leaf := container + "/" + kind + "/" + name
				q, there := value(container, kind, name)
				if there && rapid.Bool().Draw(t, leaf+" ours") {
					node := mine
					for _, k := range []string{"f:spec", "f:template", "f:spec", "f:containers", `k:{"name":"` + container + `"}`, "f:resources", "f:" + kind} {
						if node[k] == nil {
							node[k] = map[string]any{}
						}
						node = node[k].(map[string]any)
					}
					node["f:"+name] = map[string]any{}
					want[leaf], named[container] = q.String(), true
				}
				if oneIn(t, 3, leaf+" changes") {
					a := hpacouple.AmountChange{AmountRef: hpacouple.AmountRef{Place: "containers", Container: container, Resource: corev1.ResourceName(name), Kind: hpacouple.AmountKind(kind)}, To: quantity("123m")}
					if there {
						a.From = &q
					}
					c.Amounts = append(c.Amounts, a)
					want[leaf], named[container] = "123m", true
				}
			}
		}
	}
	raw, _ := json.Marshal(mine)
	s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kerf", byApply, "apps/v1", string(raw)))
	got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Retake: true})
	require.Empty(t, errs)
	if len(c.Amounts) == 0 {
		require.Empty(t, got.Writes)
		return
	}
	var body struct {
		Metadata map[string]any
		Spec     struct {
			Template struct {
				Spec struct{ Containers []map[string]any }
			}
		}
	}
	require.NoError(t, json.Unmarshal(got.Writes[0].Body, &body))
	have := map[string]string{}
	var names []string
	for _, item := range body.Spec.Template.Spec.Containers {
		container := item["name"].(string)
		names = append(names, container)
		resources, _ := item["resources"].(map[string]any)
		require.LessOrEqual(t, len(item), 2)
		for kind, l := range resources {
			for name, q := range l.(map[string]any) {
				have[container+"/"+kind+"/"+name] = q.(string)
			}
		}
	}
	require.Equal(t, want, have)
	require.True(t, slices.IsSorted(names), "in the order of the template")
	require.Len(t, names, len(named))
	require.Subset(t, []string{"name", "uid", "resourceVersion"}, keysOf(body.Metadata))
}

func keysOf(m map[string]any) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}

func oneIn(t *rapid.T, n int, label string) bool { return rapid.IntRange(0, n-1).Draw(t, label) == 0 }
