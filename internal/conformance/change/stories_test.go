package change

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/risk"
)

type recording struct {
	Stories []struct {
		Name   string
		Before map[string]string
		Former []struct {
			Object, Path                   string
			Value                          any
			Manager, Operation, APIVersion string
		}
		Steps []struct {
			Write  write
			Status int
			After  map[string]string
		}
	}
	Objects map[string]json.RawMessage
}

func record(t *testing.T) (r recording) {
	text, err := os.ReadFile("../../../hpacouple/testdata/ownership.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

var workload = hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: namespace, Name: name}

var cpuRequest = hpacouple.AmountRef{Place: hpacouple.InContainers, Container: "app", Resource: "cpu", Kind: hpacouple.Request}

// Where the library builds another write than the recorded one, the result is the recorded one all the same: values and managedFields, times
// aside. The result is that of the story's last step that changed the object.
func TestOtherWritesReachTheRecordedResult(t *testing.T) {
	for _, row := range []struct {
		why, story string
		step       int // the objects as they are before it
		until      int // the result is what stands after it
		back       bool
		objects    []string
		v1         bool // the fake knows no autoscaling/v1
	}{
		{why: "one patch instead of two", story: "release-old-value/one-write", until: 1, back: true, objects: []string{"hpa", "deployment"}},
		{why: "one patch instead of a patch and an empty apply", story: "release-old-value/kubectl-create", until: 2, back: true, objects: []string{"hpa", "deployment"}},
		{why: "the same for kubectl apply", story: "release-old-value/client-side-apply", until: 2, back: true, objects: []string{"hpa", "deployment"}},
		{why: "the same for helm", story: "release-old-value/helm", until: 2, back: true, objects: []string{"hpa", "deployment"}},
		{why: "the same where the former owner's entry has gone", story: "release-old-value/controller", until: 2, back: true, objects: []string{"hpa", "deployment"}},
		{why: "the changed value makes the entry again", story: "release-gone/patch-old-value", until: 0, back: true, objects: []string{"hpa"}},
		{why: "a drop instead of an empty apply, co-owned", story: "release-co-owned/all", step: 2, until: 3, objects: []string{"hpa", "deployment"}},
		{why: "a drop of the item that is left after an edit", story: "life/edited-then-released", step: 2, until: 3, objects: []string{"hpa", "deployment"}},
		{why: "the same after an applier forced its values", story: "life/applier-forces", step: 2, until: 4, objects: []string{"hpa", "deployment"}},
		{why: "a co-owned canonical value", story: "quantity/cpu-whole", step: 4, until: 4, objects: []string{"deployment"}},
		{why: "a co-owned fraction", story: "quantity/memory-fraction", step: 2, until: 2, objects: []string{"deployment"}},
		{why: "an operator has reset: nothing to do", story: "keda/reset", step: 3, until: 3, objects: []string{"hpa"}},
		{why: "the old value applied, then dropped", story: "release-drop/rolled-back", until: 3, back: true, objects: []string{"hpa", "deployment"}},
		{why: "in the spelling of the former owner's version", story: "v1/release-restore", until: 0, objects: []string{"hpa"}, v1: true},
		{why: "a drop instead of an empty apply, co-owned under two spellings", story: "v1/co-owned", step: 1, until: 1, objects: []string{"hpa"}, v1: true},
		{why: "no write in somebody else's name: applied, then given back", story: "v1/release-old-value-by-v1", until: 0, back: true, objects: []string{"hpa"}, v1: true},
	} {
		t.Run(row.story, func(t *testing.T) {
			if row.v1 && apiServer == nil {
				t.Skip("needs a real API server")
			}
			r := record(t)
			for _, st := range r.Stories {
				if st.Name != row.story {
					continue
				}
				now, want := map[string]string{}, map[string]string{}
				for object, n := range st.Before {
					now[object], want[object] = n, n
				}
				for i := 0; i <= row.until; i++ {
					for object, n := range st.Steps[i].After {
						if i < row.step {
							now[object] = n
						}
						want[object] = n
					}
				}
				var objects []runtime.Object
				h, d := decode(t, r, now)
				o := hpacouple.ReleaseOptions{Back: row.back}
				if h != nil {
					objects = append(objects, h)
				}
				if d != nil {
					objects = append(objects, d)
				}
				for _, f := range st.Former {
					owner := risk.Owner{Manager: f.Manager, Operation: metav1.ManagedFieldsOperationType(f.Operation), APIVersion: f.APIVersion}
					if f.Object == "hpa" {
						o.Taken.Metrics = &hpacouple.TakenMetrics{Owners: []risk.Owner{owner}, Targets: []hpacouple.TakenTarget{{
							TargetRef: hpacouple.TargetRef{Type: autoscalingv2.ResourceMetricSourceType, Resource: "cpu"}, Target: int32(f.Value.(float64))}}}
						continue
					}
					q := resource.MustParse(f.Value.(string))
					o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: cpuRequest, Value: &q, Owners: []risk.Owner{owner}})
				}
				c := newCluster(t, objects...)
				live := func() (l hpacouple.Live) {
					if h != nil {
						l.HPA = c.hpa()
					}
					if d != nil {
						d := c.deployment()
						l.Meta, l.Template = &d.ObjectMeta, &d.Spec.Template.Spec
					}
					return l
				}
				for again := true; again; {
					got, errs := hpacouple.Release(workload, live(), o)
					require.Empty(t, errs)
					c.send(got.Writes)
					again = got.Again
				}
				wantHPA, wantDeployment := decode(t, r, want)
				for _, object := range row.objects {
					if object == "hpa" {
						require.Equal(t, wantHPA.Spec, c.hpa().Spec, row.why)
						require.Equal(t, owners(wantHPA.ManagedFields), owners(c.hpa().ManagedFields), row.why)
					} else {
						require.Equal(t, wantDeployment.Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().String(),
							c.deployment().Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().String(), row.why)
						require.Equal(t, owners(wantDeployment.ManagedFields), owners(c.deployment().ManagedFields), row.why)
					}
				}
				return
			}
			t.Fatal("no such story")
		})
	}
}

// A former owner who has written since the release was asked for keeps what he wrote: the release fails as a whole, and is asked for again.
func TestGivenBackRaced(t *testing.T) {
	for _, row := range []struct {
		why      string
		sets     string // what the former owner wrote before us
		since    string // and since
		fails    bool
		versions bool // it takes a resourceVersion, which the fake does not count
	}{
		{"his entry lives on without the list: the list would be replaced", `"image":"example.invalid/app:2","resources":{"requests":{"cpu":"2"}}`, `"resources":{"requests":{"memory":"1Gi"}}`, true, false},
		{"his entry was gone and is there again: ours would take its place", `"resources":{"requests":{"cpu":"2"}}`, `"image":"example.invalid/app:3"`, true, true},
		{"his entry has the list: the leaf goes beside what he wrote", `"resources":{"requests":{"cpu":"2","memory":"1Gi"}}`, `"resources":{"requests":{"memory":"2Gi"}}`, false, false},
		{"nobody has written", `"image":"example.invalid/app:2","resources":{"requests":{"cpu":"2"}}`, ``, false, false},
	} {
		r := record(t)
		var c *cluster
		for _, st := range r.Stories {
			if st.Name == "apply/kubectl-create" {
				h, d := decode(t, r, st.Before)
				c = newCluster(t, h, d)
			}
		}
		edit := func(container string) {
			body := `{"spec":{"template":{"spec":{"containers":[{"name":"app",` + container + `}]}}}}`
			require.NoError(t, c.patch("Deployment", string(types.StrategicMergePatchType), "editor", false, body))
		}
		edit(row.sets)
		d := c.deployment()
		q, to := d.Spec.Template.Spec.Containers[0].Resources.Requests["cpu"], resource.MustParse("1500m")
		change := hpacouple.Change{Workload: workload, Strategy: hpacouple.Rollout, Amounts: []hpacouple.AmountChange{{AmountRef: cpuRequest, From: &q, To: &to}}}
		got, errs := change.Writes(c.live(), hpacouple.WriteOptions{})
		require.Empty(t, errs)
		c.send(got.Writes)
		o := hpacouple.ReleaseOptions{Taken: got.Taken}
		released, errs := hpacouple.Release(workload, c.live(), o)
		require.Empty(t, errs)
		require.Len(t, released.Writes, 1)
		if row.since != "" {
			edit(row.since)
		}
		write := released.Writes[0]
		before := owners(c.deployment().ManagedFields)
		err := c.patch(write.Object.Kind, string(write.PatchType), write.FieldManager, write.Force, string(write.Body))
		require.Equal(t, row.fails && (apiServer != nil || !row.versions), err != nil, "%s: %v", row.why, err)
		if err != nil {
			require.Equal(t, before, owners(c.deployment().ManagedFields), row.why)
			released, errs = hpacouple.Release(workload, c.live(), o)
			require.Empty(t, errs)
			c.send(released.Writes)
		}
		require.Empty(t, ours(c.deployment().ManagedFields))
	}
}

func decode(t *testing.T, r recording, names map[string]string) (h *autoscalingv2.HorizontalPodAutoscaler, d *appsv1.Deployment) {
	if n, ok := names["hpa"]; ok {
		h = new(autoscalingv2.HorizontalPodAutoscaler)
		require.NoError(t, json.Unmarshal(r.Objects[n], h))
	}
	if n, ok := names["deployment"]; ok {
		d = new(appsv1.Deployment)
		require.NoError(t, json.Unmarshal(r.Objects[n], d))
	}
	return h, d
}
