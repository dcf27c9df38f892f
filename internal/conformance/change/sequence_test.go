package change

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

const (
	hpaKind    = "HorizontalPodAutoscaler"
	deployKind = "Deployment"
)

func amountOf(t *rapid.T, r corev1.ResourceName, label string) resource.Quantity {
	if r == "cpu" {
		return *resource.NewMilliQuantity(rapid.Int64Range(1, 40).Draw(t, label)*50, resource.DecimalSI)
	}
	return *resource.NewQuantity(rapid.Int64Range(1, 40).Draw(t, label)<<26, resource.BinarySI)
}

func resourcesOf(t *rapid.T, label string) (out corev1.ResourceRequirements) {
	for _, r := range []corev1.ResourceName{"cpu", "memory"} {
		if rapid.IntRange(0, 3).Draw(t, label+"-request-"+string(r)) > 0 {
			if out.Requests == nil {
				out.Requests = corev1.ResourceList{}
			}
			out.Requests[r] = amountOf(t, r, label)
		}
		if rapid.IntRange(0, 2).Draw(t, label+"-limit-"+string(r)) == 0 {
			if out.Limits == nil {
				out.Limits = corev1.ResourceList{}
			}
			out.Limits[r] = atLeast(out.Requests, r, amountOf(t, r, label))
		}
	}
	return out
}

// atLeast is a limit that is no lower than the request, if there is one.
func atLeast(requests corev1.ResourceList, r corev1.ResourceName, limit resource.Quantity) resource.Quantity {
	if q, ok := requests[r]; ok && q.Cmp(limit) > 0 {
		return q
	}
	return limit
}

func cpuMetric(target int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: "cpu", Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}
}

func podsMetric() autoscalingv2.MetricSpec {
	q := resource.MustParse("100")
	return autoscalingv2.MetricSpec{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{
		Metric: autoscalingv2.MetricIdentifier{Name: "requests_per_second"}, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: &q}}}
}

// world is one run: the cluster, what an importer stores, and what the objects were before us.
type world struct {
	*cluster
	t       *rapid.T
	gitops  bool // the objects are a server-side applier's, else kubectl create's
	applied [2]string
	taken   hpacouple.Taken
	last    *hpacouple.Change // the last change, nil once something else has been written
	before  string            // the values before it

	clean  bool   // nobody but us has written since we began
	clears bool   // an amount was taken away: the list that held it alone loses its own mark, "."
	start  string // the values when we began
	owned  [2][]string
	counts map[string]int
}

func (w *world) begin() {
	w.clean, w.clears, w.start, w.last = true, false, w.values(), nil
	w.owned = [2][]string{owners(w.hpa().ManagedFields), owners(w.deployment().ManagedFields)}
}

func newWorld(t *rapid.T, counts map[string]int) *world {
	w := &world{cluster: newCluster(t), t: t, counts: counts}
	labels := map[string]string{"app": name}
	d := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: deployKind}, ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}},
	}}
	spec := &d.Spec.Template.Spec
	for _, n := range []string{"app", "log"}[:rapid.IntRange(1, 2).Draw(t, "containers")] {
		spec.Containers = append(spec.Containers, corev1.Container{Name: n, Image: "example.invalid/" + n + ":1", Resources: resourcesOf(t, n)})
	}
	if rapid.Bool().Draw(t, "sidecar") {
		always := corev1.ContainerRestartPolicyAlways
		spec.InitContainers = append(spec.InitContainers, corev1.Container{Name: "proxy", Image: "example.invalid/proxy:1", RestartPolicy: &always, Resources: resourcesOf(t, "proxy")})
	}
	h := hpaFor()
	if rapid.IntRange(0, 5).Draw(t, "default metrics") > 0 {
		h.Spec.Metrics = append(h.Spec.Metrics, cpuMetric(rapid.Int32Range(30, 90).Draw(t, "target")))
		if rapid.Bool().Draw(t, "pods metric") {
			h.Spec.Metrics = slices.Insert(h.Spec.Metrics, rapid.IntRange(0, 1).Draw(t, "at"), podsMetric())
		}
	}
	w.create(h, d)
	if rapid.IntRange(0, 3).Draw(t, "narrow owner") == 0 {
		w.edits("kubectl-set")
	}
	w.begin()
	return w
}

func hpaFor(entries ...autoscalingv2.MetricSpec) *autoscalingv2.HorizontalPodAutoscaler {
	one := int32(1)
	return &autoscalingv2.HorizontalPodAutoscaler{TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: hpaKind}, ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: deployKind, Name: name}, MinReplicas: &one, MaxReplicas: 20, Metrics: entries}}
}

// create makes the objects, by kubectl create or by a GitOps controller.
func (w *world) create(h *autoscalingv2.HorizontalPodAutoscaler, d *appsv1.Deployment) {
	w.gitops = rapid.Bool().Draw(w.t, "gitops")
	w.applied = [2]string{manifest(w.t, h), manifest(w.t, d)}
	if w.gitops {
		w.applies(false)
		return
	}
	_, err := w.set.AutoscalingV2().HorizontalPodAutoscalers(namespace).Create(context.Background(), h, metav1.CreateOptions{FieldManager: "kubectl-create"})
	require.NoError(w.t, err)
	_, err = w.set.AppsV1().Deployments(namespace).Create(context.Background(), d, metav1.CreateOptions{FieldManager: "kubectl-create"})
	require.NoError(w.t, err)
}

// manifest is an object as a person would write it.
func manifest(t *rapid.T, object any) string {
	text, err := json.Marshal(object)
	require.NoError(t, err)
	var plain map[string]any
	require.NoError(t, json.Unmarshal(text, &plain))
	delete(plain, "status")
	delete(plain["metadata"].(map[string]any), "creationTimestamp")
	if spec, ok := plain["spec"].(map[string]any); ok {
		delete(spec, "strategy")
		if template, ok := spec["template"].(map[string]any); ok {
			delete(template["metadata"].(map[string]any), "creationTimestamp")
		}
	}
	text, err = json.Marshal(plain)
	require.NoError(t, err)
	return string(text)
}

// applies is a GitOps controller's sync of its manifests.
func (w *world) applies(force bool) (conflict bool) {
	for i, kind := range []string{hpaKind, deployKind} {
		if err := w.patch(kind, string(types.ApplyPatchType), "gitops", force, w.applied[i]); err != nil {
			require.True(w.t, !force || apierrors.IsInvalid(err), "%v", err) // its request may be above a limit of ours
			conflict = true
		}
	}
	return conflict
}

// edits writes one amount or the target by update.
func (w *world) edits(manager string) {
	if rapid.Bool().Draw(w.t, "edit the target") {
		list := w.hpa().Spec.Metrics
		to := cpuMetric(rapid.Int32Range(30, 90).Draw(w.t, "edited target"))
		i := slices.IndexFunc(list, func(m autoscalingv2.MetricSpec) bool { return m.Resource != nil })
		if i < 0 {
			list = append(list, to)
		} else {
			list[i] = to
		}
		text, err := json.Marshal(map[string]any{"spec": map[string]any{"metrics": list}})
		require.NoError(w.t, err)
		require.NoError(w.t, w.patch(hpaKind, string(types.MergePatchType), manager, false, string(text)))
		return
	}
	r := rapid.SampledFrom([]corev1.ResourceName{"cpu", "memory"}).Draw(w.t, "edited resource")
	q := amountOf(w.t, r, "edited")
	body := fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":"app","resources":{"requests":{"%s":"%s"}}}]}}}}`, r, q.String())
	if err := w.patch(deployKind, string(types.StrategicMergePatchType), manager, false, body); !apierrors.IsInvalid(err) { // above the limit
		require.NoError(w.t, err)
	}
}

// change is a random change of the live objects.
func (w *world) change() hpacouple.Change {
	c := hpacouple.Change{Workload: workload, HPA: hpacouple.HPARef{Namespace: namespace, Name: name}, Strategy: hpacouple.Rollout}
	spec := w.deployment().Spec.Template.Spec
	for _, place := range []hpacouple.Place{hpacouple.InContainers, hpacouple.InInitContainers} {
		list := spec.Containers
		if place == hpacouple.InInitContainers {
			list = spec.InitContainers
		}
		for i := range list {
			for _, r := range []corev1.ResourceName{"cpu", "memory"} {
				c.Amounts = append(c.Amounts, w.amounts(place, &list[i], r)...)
			}
		}
	}
	slices.SortFunc(c.Amounts, func(a, b hpacouple.AmountChange) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
	if rapid.IntRange(0, 3).Draw(w.t, "target changes") > 0 {
		from := int32(80)
		for _, m := range w.hpa().Spec.Metrics {
			if m.Resource != nil {
				from = *m.Resource.Target.AverageUtilization
			}
		}
		c.Targets = []hpacouple.TargetChange{{TargetRef: hpacouple.TargetRef{Type: autoscalingv2.ResourceMetricSourceType, Resource: "cpu"}, From: from, To: rapid.Int32Range(30, 90).Draw(w.t, "to")}}
	}
	return c
}

// amounts are random changes of a container's request and limit. A request above its limit is refused by every API server.
func (w *world) amounts(place hpacouple.Place, box *corev1.Container, r corev1.ResourceName) (out []hpacouple.AmountChange) {
	now := map[hpacouple.AmountKind]*resource.Quantity{}
	for _, kind := range []hpacouple.AmountKind{hpacouple.Limit, hpacouple.Request} {
		a := hpacouple.AmountChange{AmountRef: hpacouple.AmountRef{Place: place, Container: box.Name, Resource: r, Kind: kind}}
		was := box.Resources.Requests
		if kind == hpacouple.Limit {
			was = box.Resources.Limits
		}
		if q, ok := was[r]; ok {
			a.From, now[kind] = &q, &q
		}
		label := fmt.Sprint(box.Name, r, kind)
		if rapid.IntRange(0, 2).Draw(w.t, label+" changes") > 0 {
			continue
		}
		if kind == hpacouple.Request || rapid.IntRange(0, 3).Draw(w.t, label+" unset") > 0 {
			q := amountOf(w.t, r, label)
			a.To = &q
		}
		now[kind] = a.To
		out = append(out, a)
	}
	if request, limit := now[hpacouple.Request], now[hpacouple.Limit]; request != nil && limit != nil && len(out) > 0 && request.Cmp(*limit) > 0 {
		if i := slices.IndexFunc(out, func(a hpacouple.AmountChange) bool { return a.Kind == hpacouple.Limit }); i >= 0 {
			out[i].To = request
		} else {
			out[0].To = limit
		}
	}
	return out
}

// writes carries a change out, as an importer would. It is false where somebody else's claim stands in the way.
func (w *world) writes(c hpacouple.Change, retake bool) bool {
	for range 3 {
		got, errs := c.Writes(w.live(), hpacouple.WriteOptions{Taken: w.taken, Retake: retake})
		require.Empty(w.t, errs)
		require.Empty(w.t, got.Stale)
		if len(got.Contested) > 0 {
			require.False(w.t, retake)
			require.Empty(w.t, got.Writes)
			return false
		}
		w.taken = got.Taken
		w.send(got.Writes)
		for _, write := range got.Writes {
			if write.PatchType == hpacouple.JSONPatch {
				w.counts["cleared"]++
			}
		}
		w.taken = w.taken.Confirm(w.live(), "")
		if !got.Again {
			return true
		}
		w.counts["in two rounds"]++
	}
	w.t.Fatal("no end of rounds")
	return false
}

// expect is the values with a change made.
func (w *world) expect(c hpacouple.Change) string {
	h, d := w.hpa(), w.deployment()
	for _, t := range c.Targets {
		if len(h.Spec.Metrics) == 0 {
			h.Spec.Metrics = []autoscalingv2.MetricSpec{cpuMetric(80)}
		}
		for i := range h.Spec.Metrics {
			if m := h.Spec.Metrics[i].Resource; m != nil {
				m.Target.AverageUtilization = &t.To
			}
		}
	}
	for _, a := range c.Amounts {
		list := d.Spec.Template.Spec.Containers
		if a.Place == hpacouple.InInitContainers {
			list = d.Spec.Template.Spec.InitContainers
		}
		for i := range list {
			if list[i].Name != a.Container {
				continue
			}
			r := &list[i].Resources
			set := &r.Requests
			if a.Kind == hpacouple.Limit {
				set = &r.Limits
			}
			*set = maps.Clone(*set)
			if a.To == nil {
				delete(*set, a.Resource)
				continue
			}
			if *set == nil {
				*set = corev1.ResourceList{}
			}
			(*set)[a.Resource] = *a.To
		}
	}
	return valuesOf(h, d)
}

func (w *world) release(o hpacouple.ReleaseOptions) {
	o.Taken = w.taken
	for range 3 {
		got, errs := hpacouple.Release(workload, w.live(), o)
		require.Empty(w.t, errs)
		w.send(got.Writes)
		o.Taken, w.taken = got.Taken, got.Taken
		if !got.Again {
			return
		}
		w.counts["released in two rounds"]++
	}
	w.t.Fatal("no end of rounds")
}

// TestSequences: any sequence of changes, edits, syncs, rollbacks and releases. A change makes what it says and nothing else; a rollback
// restores exactly (law H3); a release changes no value and leaves nothing of ours; a release with the values leaves everything as it was
// before us, the owners by update included.
func TestSequences(t *testing.T) {
	counts := map[string]int{}
	require.NoError(t, setSequences())
	rapid.Check(t, func(t *rapid.T) { sequence(t, counts) })
	t.Logf("%v", counts)
	for _, kind := range []string{"changed", "contested", "retaken", "rolled back", "released", "released with values", "owners as before", "cleared", "in two rounds", "released in two rounds", "partly released", "edited", "synced by force"} {
		require.NotZero(t, counts[kind], "%s never came up", kind)
	}
}

// setSequences takes as many sequences as CONFORMANCE_SEQUENCES says, else 500, unless -rapid.checks is given.
var setSequences = sync.OnceValue(func() error {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if given {
		return nil
	}
	return flag.Set("rapid.checks", cmp.Or(os.Getenv("CONFORMANCE_SEQUENCES"), "500"))
})

func sequence(t *rapid.T, counts map[string]int) {
	w := newWorld(t, counts)
	for range rapid.IntRange(1, 8).Draw(t, "steps") {
		before := w.values()
		switch kind := rapid.SampledFrom([]string{"change", "change", "change", "edit", "sync", "rollback", "rollback", "release", "back", "part"}).Draw(t, "step"); kind {
		case "change":
			c, retake := w.change(), rapid.Bool().Draw(t, "retake")
			dry, errs := c.Writes(w.live(), hpacouple.WriteOptions{Taken: w.taken, Retake: retake})
			require.Empty(t, errs)
			if len(dry.Stays) > 0 {
				counts["stays"]++
				c.Amounts = slices.DeleteFunc(c.Amounts, func(a hpacouple.AmountChange) bool { return slices.Contains(dry.Stays, a.String()) })
			}
			want := w.expect(c)
			if !w.writes(c, retake) {
				counts["contested"]++
				require.Equal(t, before, w.values(), "nothing is written where a claim stands")
				continue
			}
			require.Equal(t, want, w.values())
			counts["changed"]++
			if retake && !w.clean {
				counts["retaken"]++
			}
			again, errs := c.Writes(w.live(), hpacouple.WriteOptions{Taken: w.taken})
			require.Empty(t, errs)
			require.Empty(t, again.Writes, "a change that was made has nothing to write")
			w.last, w.before = &c, before
			w.clears = w.clears || slices.ContainsFunc(c.Amounts, func(a hpacouple.AmountChange) bool { return a.To == nil })
		case "edit":
			w.edits("kubectl-edit")
			w.clean, w.last = false, nil
			counts["edited"]++
		case "sync":
			if !w.gitops {
				continue
			}
			if force := rapid.Bool().Draw(t, "force"); force {
				counts["synced by force"]++
				w.applies(true)
			} else if w.applies(false) {
				counts["sync refused"]++
			}
			w.clean, w.last = false, nil
		case "rollback":
			if w.last == nil {
				continue
			}
			require.True(t, w.writes(w.last.Reverse(), false), "ours")
			require.Equal(t, w.before, w.values(), "H3")
			w.last = nil
			counts["rolled back"]++
		case "part":
			o := hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"memory"}}
			if rapid.Bool().Draw(t, "by container") {
				o = hpacouple.ReleaseOptions{Containers: []string{"app"}}
			}
			w.release(o)
			require.Equal(t, before, w.values(), "a partial release changes no value")
			w.clean, w.last = false, nil
			counts["partly released"]++
		case "release":
			w.release(hpacouple.ReleaseOptions{})
			require.Equal(t, before, w.values(), "a release changes no value")
			w.nothingIsOurs()
			w.begin()
			counts["released"]++
		case "back":
			w.release(hpacouple.ReleaseOptions{Back: true})
			w.nothingIsOurs()
			if w.clean {
				require.Equal(t, w.start, w.values(), "everything is as it was before us")
				counts["released with values"]++
				if !w.gitops {
					require.Equal(t, w.owned[0], owners(w.hpa().ManagedFields))
					want, got := strings.Join(w.owned[1], "\n"), strings.Join(owners(w.deployment().ManagedFields), "\n")
					if w.clears {
						want, got = strings.ReplaceAll(want, `".":{},`, ""), strings.ReplaceAll(got, `".":{},`, "")
					}
					require.Equal(t, want, got)
					counts["owners as before"]++
				}
			}
			w.begin()
		}
	}
}

func (w *world) nothingIsOurs() {
	require.Empty(w.t, ours(w.hpa().ManagedFields))
	require.Empty(w.t, ours(w.deployment().ManagedFields))
	require.Equal(w.t, hpacouple.Taken{}, w.taken)
}
