package hpacouple_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
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
	anyName     = mostly([]string{"app", "log"}, []string{"", "a\"b", "\xff", "k:{}"})
	anyManager  = rapid.SampledFrom([]string{"kerf", "kubectl-create", "gitops", ""})
	anyVersion  = mostly([]string{"apps/v1", "autoscaling/v2", "autoscaling/v1"}, []string{"", "x/y/z"})
	anyOp       = mostly([]metav1.ManagedFieldsOperationType{byUpdate, byApply}, []metav1.ManagedFieldsOperationType{""})
	anyResource = mostly([]corev1.ResourceName{"cpu", "memory", "example.invalid/gpu"}, []corev1.ResourceName{"", "a/b~c"})
	anyFields   = mostly([]string{`{}`, `{"f:spec":{}}`, `{"f:spec":{"f:metrics":{}}}`, `{"f:spec":{"f:targetCPUUtilizationPercentage":{}}}`, `{"f:metadata":{"f:annotations":{"f:x":{}},"f:labels":{".":{}}}}`,
		appFields(`{"f:requests":{"f:cpu":{}}}`), appFields(`{"f:requests":{"f:cpu":{},"f:memory":{}}}`), appFields(`{"f:limits":{"f:cpu":{},"f:memory":{}}}`), appFields(`{"f:requests":{"f:cpu":{},"f:memory":{}},"f:limits":{}}`), appFields(`{".":{},"f:claims":{}}`), appFields(`{}`),
		`{"f:spec":{"f:template":{"f:spec":{"f:resources":{"f:requests":{"f:cpu":{}}}}}}}`, `{"f:spec":{"f:template":{"f:spec":{"f:containers":{}}}}}`}, []string{`null`, `[]`, ``, `{"f:spec":1}`})
)

// mostly draws what clusters hold, and now and then what they cannot.
func mostly[V any](usual, odd []V) *rapid.Generator[V] {
	return rapid.Custom(func(t *rapid.T) V {
		if oneIn(t, 250, "odd") {
			return rapid.SampledFrom(odd).Draw(t, "value")
		}
		return rapid.SampledFrom(usual).Draw(t, "value")
	})
}

func anyQuantity(t *rapid.T) *resource.Quantity {
	switch rapid.IntRange(0, 99).Draw(t, "quantity") {
	case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10:
		return nil
	case 98:
		return resource.NewQuantity(rapid.SampledFrom([]int64{0, -1, 1, math.MaxInt64, math.MinInt64}).Draw(t, "edge"), resource.BinarySI)
	case 99:
		return quantity(rapid.SampledFrom([]string{"1n", "100u", "1.1Gi", "1e30", "1E", "12e6"}).Draw(t, "odd"))
	}
	return quantity(rapid.SampledFrom([]string{"1", "700m", "2", "1Gi"}).Draw(t, "plain"))
}

func anyRef(t *rapid.T) hpacouple.AmountRef {
	ref := hpacouple.AmountRef{Place: mostly([]hpacouple.Place{"containers", "containers", "containers", "initContainers", "pod"}, []hpacouple.Place{"", "x"}).Draw(t, "place"), Container: anyName.Draw(t, "container"),
		Resource: anyResource.Draw(t, "resource"), Kind: mostly(hpacouple.AmountKinds(), []hpacouple.AmountKind{"", "x"}).Draw(t, "kind")}
	if ref.Place == hpacouple.InPod && !oneIn(t, 50, "named pod") {
		ref.Container = ""
	}
	return ref
}

func anyTargetRef(t *rapid.T) hpacouple.TargetRef {
	ref := hpacouple.TargetRef{Type: mostly([]autoscalingv2.MetricSourceType{"Resource"}, []autoscalingv2.MetricSourceType{"ContainerResource", "Pods", ""}).Draw(t, "type"),
		Resource: anyResource.Draw(t, "resource"), Container: anyName.Draw(t, "container")}
	if ref.Type == "Resource" && !oneIn(t, 50, "named") {
		ref.Container = ""
	}
	return ref
}

func anyOwners(t *rapid.T) (out []risk.Owner) {
	for range rapid.IntRange(0, 2).Draw(t, "owners") {
		out = append(out, risk.Owner{Manager: anyManager.Draw(t, "manager"), APIVersion: anyVersion.Draw(t, "version"),
			Operation: anyOp.Draw(t, "operation")})
	}
	return out
}

func anyEntries(t *rapid.T) (out []metav1.ManagedFieldsEntry) {
	for range rapid.IntRange(0, 3).Draw(t, "entries") {
		e := entry(anyManager.Draw(t, "manager"), anyOp.Draw(t, "operation"),
			anyVersion.Draw(t, "version"), anyFields.Draw(t, "fields"))
		if oneIn(t, 60, "no set") {
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

func anyContainers(t *rapid.T, names ...string) (out []corev1.Container) {
	for _, n := range names {
		out = append(out, corev1.Container{Name: n, Resources: corev1.ResourceRequirements{Requests: anyList(t), Limits: anyList(t)}})
	}
	for range rapid.IntRange(0, 2).Draw(t, "containers") {
		out = append(out, corev1.Container{Name: anyName.Draw(t, "name"), Resources: corev1.ResourceRequirements{Requests: anyList(t), Limits: anyList(t)}})
	}
	return out
}

func anyMetrics(t *rapid.T) (out []autoscalingv2.MetricSpec) {
	for range rapid.IntRange(0, 3).Draw(t, "metrics") {
		m := autoscalingv2.MetricSpec{Type: anyTargetRef(t).Type}
		if rapid.Bool().Draw(t, "source") {
			m.Resource = &autoscalingv2.ResourceMetricSource{Name: anyResource.Draw(t, "resource")}
			if n := rapid.SampledFrom([]int32{50, 50, 50, 71, 0, math.MinInt32, math.MaxInt32}).Draw(t, "target"); !oneIn(t, 5, "no utilization") {
				m.Resource.Target.AverageUtilization = &n
			}
			if oneIn(t, 5, "raw") {
				m.Resource.Target.AverageValue = anyQuantity(t)
			}
		}
		if oneIn(t, 4, "pods") {
			m.Pods = &autoscalingv2.PodsMetricSource{Target: autoscalingv2.MetricTarget{Value: anyQuantity(t)}}
		}
		out = append(out, m)
	}
	return out
}

func anyLive(t *rapid.T) (l hpacouple.Live) {
	if !oneIn(t, 60, "no workload") {
		l.Meta = &metav1.ObjectMeta{Name: anyName.Draw(t, "name"), Namespace: anyName.Draw(t, "namespace"), ManagedFields: anyEntries(t), Annotations: map[string]string{"x": "<&>\xff"}}
	}
	if !oneIn(t, 60, "no template") {
		l.Template = &corev1.PodSpec{Containers: anyContainers(t, "app"), InitContainers: anyContainers(t)}
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

func anyTaken(t *rapid.T, rows []hpacouple.AmountChange) (out hpacouple.Taken) {
	for range rapid.IntRange(0, 3).Draw(t, "taken") {
		ref := anyRef(t)
		if len(rows) > 0 && rapid.Bool().Draw(t, "of the change") {
			ref = rapid.SampledFrom(rows).Draw(t, "row").AmountRef
		}
		if slices.ContainsFunc(out.Amounts, func(a hpacouple.TakenAmount) bool { return a.AmountRef == ref }) && !oneIn(t, 20, "twice") {
			continue
		}
		out.Amounts = append(out.Amounts, hpacouple.TakenAmount{AmountRef: ref, Value: anyQuantity(t), Owners: anyOwners(t), Held: rapid.Bool().Draw(t, "held"), Cleared: rapid.Bool().Draw(t, "cleared")})
	}
	if rapid.Bool().Draw(t, "taken metrics") {
		out.Metrics = &hpacouple.TakenMetrics{Owners: anyOwners(t), Targets: []hpacouple.TakenTarget{{TargetRef: anyTargetRef(t), Target: mostly([]int32{50, 60, 80}, []int32{0, -1}).Draw(t, "target")}}}
	}
	return out
}

// P-laws of writes and releases on anything that the types allow: no panic, inputs not written to, equal twice, bodies that are JSON, words of
// the closed lists.
func lawWritesCounted(t *rapid.T, counts map[string]int) {
	live := anyLive(t)
	w := hpacouple.Workload{APIVersion: anyVersion.Draw(t, "workload version"), Kind: rapid.SampledFrom([]string{"Deployment", "Rollout", ""}).Draw(t, "workload kind"), Name: anyName.Draw(t, "workload")}
	if live.Meta != nil && !oneIn(t, 40, "other names") {
		w = hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: live.Meta.Namespace, Name: live.Meta.Name}
	}
	c := hpacouple.Change{Workload: w, Strategy: mostly(hpacouple.Strategies(), []hpacouple.Strategy{""}).Draw(t, "strategy")}
	for range rapid.IntRange(0, 3).Draw(t, "rows") {
		a := hpacouple.AmountChange{AmountRef: anyRef(t), From: anyQuantity(t), To: anyQuantity(t)}
		if slices.ContainsFunc(c.Amounts, func(b hpacouple.AmountChange) bool { return a.AmountRef == b.AmountRef }) && !oneIn(t, 20, "twice") {
			continue
		}
		if live.Template != nil && !oneIn(t, 8, "another value") {
			a.From = standing(live.Template, a.AmountRef)
		}
		c.Amounts = append(c.Amounts, a)
	}
	if live.HPA != nil && rapid.Bool().Draw(t, "targets") {
		c.HPA.Name = live.HPA.Name
		c.Targets = []hpacouple.TargetChange{{TargetRef: anyTargetRef(t), From: mostly([]int32{50}, []int32{71, 0, math.MinInt32}).Draw(t, "from"), To: rapid.SampledFrom([]int32{71, 50, math.MaxInt32}).Draw(t, "to")}}
	}
	taken := anyTaken(t, c.Amounts)
	o := hpacouple.WriteOptions{Taken: taken, Retake: rapid.Bool().Draw(t, "retake"), NoManagedFields: !oneIn(t, 20, "managedFields")}
	o.Retake = o.Retake && oneIn(t, 2, "really")
	ro := hpacouple.ReleaseOptions{Taken: taken, Back: rapid.Bool().Draw(t, "back"), NoManagedFields: o.NoManagedFields}
	if oneIn(t, 3, "part") {
		ro.Resources = []corev1.ResourceName{anyResource.Draw(t, "released")}
	}
	before := hostileSnapshot(live, c, taken)
	got, errs := c.Writes(live, o)
	count := func(kind string, when bool) {
		if when {
			counts[kind]++
		}
	}
	count("errors", len(errs) > 0)
	count("writes", len(got.Writes) > 0)
	count("stale", len(got.Stale) > 0)
	count("contested", len(got.Contested) > 0)
	count("stays", len(got.Stays) > 0)
	count("again", got.Again)
	again, _ := c.Writes(live, o)
	require.Equal(t, got, again, "P3")
	checkWrites(t, got.Writes, errs != nil)
	if errs == nil { // what is handed back is accepted, whatever the objects are
		_, errs := hpacouple.Release(w, live, hpacouple.ReleaseOptions{Taken: got.Taken, NoManagedFields: true})
		for _, e := range errs {
			require.NotContains(t, e.Field, "taken", "%v", e)
		}
	}
	if len(got.Contested)+len(got.Stale) > 0 {
		require.Empty(t, got.Writes, "all or nothing")
	}
	released, errs := hpacouple.Release(w, live, ro)
	count("released", len(released.Writes) > 0)
	count("released again", released.Again)
	count("kept", len(released.Kept) > 0)
	for _, w := range released.Writes {
		count("given back", strings.Contains(string(w.Body), `"add"`))
	}
	releasedAgain, _ := hpacouple.Release(w, live, ro)
	require.Equal(t, released, releasedAgain, "P3")
	checkWrites(t, released.Writes, errs != nil)
	repaired, errs := hpacouple.Repair(w, live, "")
	checkWrites(t, repaired, errs != nil)
	_ = taken.Confirm(live, "")
	_, _, _ = c.Reverse(), c.Events(), c.RecommendationHPAStatus()
	require.Equal(t, before, hostileSnapshot(live, c, taken), "P2")
}

// standing is the live amount.
func standing(spec *corev1.PodSpec, ref hpacouple.AmountRef) *resource.Quantity {
	for _, c := range append(slices.Clone(spec.Containers), spec.InitContainers...) {
		l := c.Resources.Requests
		if ref.Kind == hpacouple.Limit {
			l = c.Resources.Limits
		}
		if q, ok := l[ref.Resource]; ok && c.Name == ref.Container {
			return &q
		}
	}
	return nil
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

// TestWritesTotal also counts: a generator that never gets as far as a write tests nothing. Rarer kinds have rows of their own.
func TestWritesTotal(t *testing.T) {
	counts := map[string]int{}
	rapid.Check(t, func(t *rapid.T) { lawWritesCounted(t, counts) })
	t.Log(counts)
	for _, kind := range []string{"writes", "stale", "released", "errors"} {
		require.NotZero(t, counts[kind], "%s never came up", kind)
	}
}

func lawWritesTotal(t *rapid.T) { lawWritesCounted(t, map[string]int{}) }

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

// oneIn is true in one of n draws. Ranges favour their ends, so the bits are mixed; a smallest draw is false.
func oneIn(t *rapid.T, n uint64, label string) bool {
	x := rapid.Uint64().Draw(t, label)
	mixed := (x ^ x>>31) * 0x9e3779b97f4a7c15
	return x != 0 && (mixed>>32)%n == 0
}
