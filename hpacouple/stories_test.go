package hpacouple_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/risk"
)

// testdata/ownership.json was recorded from a kube-apiserver v1.37.2: objects, writes and what became of them. Each write in it that is of
// the library's making is asked for here, from the object as it was recorded, and compared.

type recording struct {
	Stories []story
	Objects map[string]json.RawMessage
}

type story struct {
	Name, Verdict, Why string
	Before             map[string]string
	Former             []former
	Steps              []step
}

type former struct {
	Object, Path                   string
	Value                          any
	Manager, Operation, APIVersion string
}

type step struct {
	By    string
	Write struct {
		Object, Verb, Subresource, APIVersion, ContentType, FieldManager string
		Force                                                            bool
		Body                                                             json.RawMessage
	}
	Status int
	After  map[string]string
}

// tester is a test, a benchmark or a property.
type tester interface {
	require.TestingT
	Helper()
	Fatal(...any)
}

var recorded = sync.OnceValues(func() (r recording, err error) {
	text, err := os.ReadFile("testdata/ownership.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err
})

func record(t tester) recording {
	t.Helper()
	r, err := recorded()
	require.NoError(t, err)
	require.Len(t, r.Stories, 139)
	return r
}

// stage is the live objects of a story.
type stage struct {
	deployment *appsv1.Deployment
	hpa        *autoscalingv2.HorizontalPodAutoscaler
	taken      hpacouple.Taken
	omitted    bool // what a body leaves out is meant to go
	retake     bool
}

func (s *stage) set(t tester, r recording, names map[string]string) {
	t.Helper()
	for object, name := range names {
		text := r.Objects[name]
		require.NotEmpty(t, text, name)
		switch object {
		case "hpa":
			s.hpa = new(autoscalingv2.HorizontalPodAutoscaler)
			require.NoError(t, json.Unmarshal(text, s.hpa))
		case "deployment":
			s.deployment = new(appsv1.Deployment)
			require.NoError(t, json.Unmarshal(text, s.deployment))
		}
	}
}

// takenAlready says whether kerf has taken its fields before the story begins.
func (s *stage) takenAlready() bool {
	var all []metav1.ManagedFieldsEntry
	if s.hpa != nil {
		all = append(all, s.hpa.ManagedFields...)
	}
	if s.deployment != nil {
		all = append(all, s.deployment.ManagedFields...)
	}
	return slices.ContainsFunc(all, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == "kerf" })
}

// live is the objects with the guards that a recorded body has: without a resourceVersion or uid in the object there is none in the body.
func (s *stage) live(body json.RawMessage) hpacouple.Live {
	var guards struct {
		Metadata struct {
			UID             types.UID
			ResourceVersion string
		}
	}
	_ = json.Unmarshal(body, &guards)
	var l hpacouple.Live
	if s.hpa != nil {
		l.HPA = s.hpa.DeepCopy()
		l.HPA.UID, l.HPA.ResourceVersion = guards.Metadata.UID, guards.Metadata.ResourceVersion
	}
	if s.deployment != nil {
		d := s.deployment.DeepCopy()
		d.UID, d.ResourceVersion = guards.Metadata.UID, guards.Metadata.ResourceVersion
		l.Meta, l.Template = &d.ObjectMeta, &d.Spec.Template.Spec
	}
	return l
}

var web = hpacouple.Workload{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"}

var cpuEntry = hpacouple.TargetRef{Type: "Resource", Resource: "cpu"}

// amountPath reads containers[app].resources.requests.cpu.
func amountPath(path string) (ref hpacouple.AmountRef) {
	ref.Place = hpacouple.InPod
	if place, rest, ok := strings.Cut(path, "["); ok {
		ref.Place = hpacouple.Place(place)
		ref.Container, path, _ = strings.Cut(rest, "].")
	}
	parts := strings.Split(path, ".")
	ref.Kind, ref.Resource = hpacouple.AmountKind(parts[1]), corev1.ResourceName(parts[2])
	return ref
}

func quantity(text string) *resource.Quantity {
	q := resource.MustParse(text)
	return &q
}

// memory is what a library that took the fields remembers.
func memory(list []former) (t hpacouple.Taken) {
	for _, f := range list {
		var owners []risk.Owner
		if f.Manager != "" {
			field := "spec." + f.Path
			if f.Object == "deployment" {
				field = amountPath(f.Path).String()
			}
			owners = []risk.Owner{{Manager: f.Manager, Operation: metav1.ManagedFieldsOperationType(f.Operation), APIVersion: f.APIVersion, Field: field}}
		}
		if f.Object == "hpa" {
			if t.Metrics == nil {
				t.Metrics = &hpacouple.TakenMetrics{Targets: []hpacouple.TakenTarget{{TargetRef: cpuEntry, Target: int32(f.Value.(float64))}}}
			}
			t.Metrics.Owners = append(t.Metrics.Owners, owners...)
			continue
		}
		a := hpacouple.TakenAmount{AmountRef: amountPath(f.Path), Owners: owners}
		if f.Value != nil {
			a.Value = quantity(f.Value.(string))
		}
		if i := slices.IndexFunc(t.Amounts, func(b hpacouple.TakenAmount) bool { return b.AmountRef == a.AmountRef }); i >= 0 {
			t.Amounts[i].Owners = append(t.Amounts[i].Owners, owners...)
			continue
		}
		t.Amounts = append(t.Amounts, a)
	}
	return t
}

// wish is the change that a recorded apply makes of the live objects.
func wish(t tester, s *stage, st step) (c hpacouple.Change) {
	t.Helper()
	c = hpacouple.Change{Workload: web, Strategy: hpacouple.Rollout}
	if st.Write.Object == "hpa" {
		var body autoscalingv2.HorizontalPodAutoscaler
		require.NoError(t, json.Unmarshal(st.Write.Body, &body))
		c.HPA = hpacouple.HPARef{Namespace: "default", Name: "web"}
		for _, now := range s.hpa.Spec.Metrics {
			for _, next := range body.Spec.Metrics {
				if now.Resource != nil && next.Resource != nil && now.Resource.Name == next.Resource.Name {
					from, to := *now.Resource.Target.AverageUtilization, *next.Resource.Target.AverageUtilization
					c.Targets = append(c.Targets, hpacouple.TargetChange{
						TargetRef: hpacouple.TargetRef{Type: "Resource", Resource: now.Resource.Name}, From: from, To: to})
				}
			}
		}
		return c
	}
	var body appsv1.Deployment
	require.NoError(t, json.Unmarshal(st.Write.Body, &body))
	row := func(place hpacouple.Place, name string, live, next corev1.ResourceRequirements) {
		for _, kind := range hpacouple.AmountKinds() {
			was, will := live.Requests, next.Requests
			if kind == hpacouple.Limit {
				was, will = live.Limits, next.Limits
			}
			for _, r := range []corev1.ResourceName{"cpu", "memory"} {
				ref := hpacouple.AmountRef{Place: place, Container: name, Resource: r, Kind: kind}
				from, had := was[r]
				to, has := will[r]
				if has && to.IsZero() { // null in the body
					has = false
				}
				a := hpacouple.AmountChange{AmountRef: ref}
				if had {
					a.From = &from
				}
				if has {
					a.To = &to
				} else if !had || !(s.omitted || absentBefore(s.taken, ref)) {
					continue // not spoken of
				}
				c.Amounts = append(c.Amounts, a)
			}
		}
	}
	find := func(list []corev1.Container, name string) corev1.ResourceRequirements {
		for _, c := range list {
			if c.Name == name {
				return c.Resources
			}
		}
		return corev1.ResourceRequirements{}
	}
	spec, live := body.Spec.Template.Spec, s.deployment.Spec.Template.Spec
	for place, lists := range map[hpacouple.Place][2][]corev1.Container{
		hpacouple.InContainers: {live.Containers, spec.Containers}, hpacouple.InInitContainers: {live.InitContainers, spec.InitContainers}} {
		names := map[string]bool{}
		for _, list := range lists {
			for _, c := range list {
				names[c.Name] = true
			}
		}
		for name := range names {
			row(place, name, find(lists[0], name), find(lists[1], name))
		}
	}
	if spec.Resources != nil {
		row(hpacouple.InPod, "", *live.Resources, *spec.Resources)
	}
	return c
}

func absentBefore(t hpacouple.Taken, ref hpacouple.AmountRef) bool {
	return slices.ContainsFunc(t.Amounts, func(a hpacouple.TakenAmount) bool { return a.AmountRef == ref && a.Value == nil })
}

// play asks for the write of one step. did says in a word what came of it.
func play(t tester, s *stage, st step) (did string) {
	t.Helper()
	writes, why := ask(t, s, st)
	if len(writes) == 0 {
		return why
	}
	require.Len(t, writes, 1)
	w := writes[0]
	want := st.Write
	body := string(w.Body)
	same := string(w.PatchType) == want.ContentType && w.FieldManager == want.FieldManager && w.Force == want.Force && want.Subresource == "" && jsonEqual(w.Body, want.Body)
	if same {
		return "equal"
	}
	switch {
	case w.PatchType == hpacouple.ApplyPatch:
		return "apply"
	case strings.Contains(body, `"/spec/`):
		return "one-write"
	case strings.Contains(body, `"add"`):
		return "restore"
	}
	return "drop"
}

func jsonEqual(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

func ask(t tester, s *stage, st step) (writes []hpacouple.Write, why string) {
	t.Helper()
	live := s.live(st.Write.Body)
	if st.Write.Object == "hpa" {
		live.Meta, live.Template = nil, nil
	} else {
		live.HPA = nil
	}
	var spec struct{ Spec *json.RawMessage }
	_ = json.Unmarshal(st.Write.Body, &spec)
	text := string(st.Write.Body)
	apply := st.Write.ContentType == string(hpacouple.ApplyPatch)
	absent := false
	if apply && s.deployment != nil && st.Write.Object == "deployment" {
		absent = len(wish(t, s, st).Amounts) > 0
	}
	if apply && (spec.Spec != nil || absent) {
		c := wish(t, s, st)
		if live.Meta == nil { // a change has a workload, too
			d := appsv1.Deployment{}
			d.Name = "web"
			live.Meta, live.Template = &d.ObjectMeta, &d.Spec.Template.Spec
		}
		w, errs := c.Writes(live, hpacouple.WriteOptions{Taken: s.taken, Retake: s.retake, NoManagedFields: true})
		if len(errs) > 0 {
			return nil, "error " + errs[0].Error()
		}
		s.taken = w.Taken
		switch {
		case len(w.Contested) > 0:
			return nil, "contested"
		case len(w.Stale) > 0:
			return nil, "stale"
		case len(w.Writes) == 0:
			return nil, "nothing"
		}
		return w.Writes, ""
	}
	if strings.Contains(text, `"replace"`) && strings.Contains(text, "/manager\"") && strings.Contains(text, "kubectl-client-side-apply") {
		w, errs := hpacouple.Repair(web, live, "")
		require.Empty(t, errs)
		s.taken = hpacouple.Taken{} // the fields are their former owner's again
		return w, "nothing"
	}
	o := hpacouple.ReleaseOptions{NoManagedFields: true}
	remembered := strings.Contains(text, `"add"`)
	if strings.Contains(text, `/spec/metrics/`) || strings.Contains(text, "/spec/template/spec/containers/0/") || strings.Contains(st.Write.ContentType, "merge") {
		o.Back, remembered = true, true
	}
	if apply && s.taken.Metrics != nil && len(s.taken.Metrics.Owners) == 0 {
		o.Back, remembered = true, true
	}
	if remembered { // of this object alone: the stories tell of one at a time
		if o.Taken = s.taken; st.Write.Object == "hpa" {
			o.Taken.Amounts = nil
		} else {
			o.Taken.Metrics = nil
		}
	}
	if strings.HasSuffix(text, `f:requests/f:memory"}]`) {
		o.Resources = []corev1.ResourceName{"memory"}
	}
	if strings.Contains(text, `k:{\"name\":\"sidecar\"}"}`) {
		o.Containers = []string{"sidecar"}
	}
	r, errs := hpacouple.Release(web, live, o)
	if len(errs) > 0 {
		return nil, "error " + errs[0].Error()
	}
	return r.Writes, "nothing"
}

// other is what the library does instead of a recorded write, and why. The results are compared in internal/conformance.
type other struct {
	did, why string
	steps    string // story#step
}

var others = []other{
	{did: "nothing", why: "the recorded write is of the importer's making: an annotation of his own",
		steps: "apply/annotation-other-manager#0 apply/annotation-other-manager#4 release-drop/part#1"},
	{did: "nothing", why: "a value that already stands is not written: it would be co-owned for nothing",
		steps: `apply/same-value#0 quantity/cpu-whole#0 quantity/cpu-whole#1 quantity/cpu-whole#2 quantity/cpu-whole#3 quantity/cpu-fraction#0 quantity/cpu-fraction#1
			quantity/memory-binary#0 quantity/memory-binary#1 quantity/memory-binary#2 quantity/memory-fraction#0 quantity/memory-fraction#1 quantity/own-respelled#1`},
	{did: "nothing", why: "never an apply in somebody else's name; the recorded one is refused, loses fields, or leaves an entry behind",
		steps: `release-apply-as/server-side-apply-part#0 release-apply-as/server-side-apply-part#1 release-apply-as/server-side-apply-part-not-required#0
			release-apply-as/server-side-apply-whole#0 release-apply-as/server-side-apply-whole#1 release-apply-as/update-owner#0 release-apply-as/update-owner#1
			release-apply-as/update-owner-then-server-side#0`},
	{did: "nothing", why: "nothing is ours any more: there is nothing to release",
		steps: `apply/no-managed-fields-empty-apply#0 release-old-value/own-other-name#1 life/edited-then-released#2 life/applier-forces#3 keda/reset#3`},
	{did: "drop", why: "never an empty apply for a release: of a sole owner it removes the fields; a drop does the same where it would be harmless",
		steps: `release-naive/kubectl-create#0 release-naive/kubectl-create#1 release-naive/client-side-apply#0 release-naive/client-side-apply#1
			release-naive/server-side-apply#0 release-naive/server-side-apply#1 release-naive/after-rollback#2 release-naive/after-rollback#3
			release-same-value/kubectl-create#1 release-same-value/kubectl-create#3 release-same-value/after-rollback#2
			release-old-value/kubectl-create#2 release-old-value/client-side-apply#2 release-old-value/helm#2 release-old-value/controller#2 release-old-value/server-side-apply#2
			release-apply-as/server-side-apply-whole#2 release-apply-as/server-side-apply-whole#3 release-apply-as/update-owner#2 release-apply-as/update-owner#3
			release-apply-as/update-owner-then-server-side#1 release-co-owned/all#2 release-co-owned/partly#0 life/edited-then-released#3 life/applier-forces#4
			quantity/cpu-whole#4 quantity/cpu-fraction#2 quantity/memory-binary#3 quantity/memory-fraction#2 v1/co-owned#1 apply/through-kubectl#4 apply/through-kubectl#5`},
	{did: "drop", why: "never a removed key, never a subresource, never less than the highest node that would be empty",
		steps: "release-drop/key-removed#0 release-drop/part-too-little#0 subresource/managed-fields-by-status#0"},
	{did: "drop", why: "a field is never given back to an applier, who may have left it out since",
		steps: `release-restore/server-side-apply#0 release-restore/server-side-apply#1 release-restore/server-side-apply-dropped-the-field#0
			release-restore/server-side-apply-dropped-the-field#1 release-restore/two-appliers#0`},
	{did: "drop", why: "built from the object as it is, at the entry's real place and without a resourceVersion, which status writes would make stale",
		steps: "guard/json-patch-tests#0 guard/json-patch-tests#1 guard/json-patch-tests#2"},
	{did: "one-write", why: "one patch sets the value and takes our entry out; it tests first that our entry still has the field, or an edit made since would be undone",
		steps: `release-old-value/one-write#0 release-old-value/one-write#1 release-old-value/kubectl-create#0 release-old-value/kubectl-create#1
			release-old-value/client-side-apply#0 release-old-value/client-side-apply#1 release-old-value/helm#0 release-old-value/helm#1
			release-old-value/controller#0 release-old-value/controller#1 release-old-value/json-merge-patch-list#0 release-old-value/json-merge-patch-list#1
			release-same-value/kubectl-create#0 release-same-value/kubectl-create#2 release-same-value/own-other-name#0 release-gone/patch-old-value#0 release-drop/key-removed#1`},
	{did: "restore", why: "the same test of our own field before it is given back",
		steps: "v1/release-restore#0 v1/release-restore-wrong-path#0"},
	{did: "restore", why: "a value that already stands moves no ownership: the entry does",
		steps: "release-same-value/after-rollback#1 quantity/update-same-respelled#1"},
	{did: "apply", why: "the old value is applied in our own name, and released afterwards: its former owner is an applier, or of autoscaling/v1",
		steps: `release-drop/value-in-the-same-patch#0 release-old-value/server-side-apply#0 release-old-value/server-side-apply#1 release-old-value/own-other-name#0
			v1/release-old-value#0 v1/release-old-value-by-v1#0`},
	{did: "apply", why: "the body holds all that is ours, and the whole list",
		steps: "apply/second-change-forgets#0 apply/own-annotation#0 rollback/limits-forgotten#0 metrics/only-ours#0"},
	{did: "apply", why: "absent is left out, not null", steps: "rollback/null#0"},
	{did: "apply", why: "the container's name stays in the body: leaving out all below a field removes what nobody owns in it", steps: "rollback/request-absent#1 apply/unowned#3"},
	{did: "apply", why: "the default is applied, and then dropped: the empty apply removes everything below .spec that nobody owns", steps: "apply/unowned#2"},
	{did: "apply", why: "the first take-over is forced; a dry run without force is the caller's", steps: "guard/dry-run#0 apply/through-kubectl#6"},
	{did: "nothing", why: "kubectl has moved everything to us: the target is there already, and any other is an error that names Repair", steps: "apply/through-kubectl#3"},
	{did: "contested", why: "an unforced write would be refused: somebody has written since, or owns the field as well",
		steps: `rollback/edited#1 life/applier-forces#2 life/applier-forces-same-value#1 life/client-drops-container#1 life/rollout-undo#1 metrics/client-changes-list#1 v1/target-written#1`},
	{did: "stale", why: "a container that is gone is never named", steps: "guard/container-gone#0"},
	{did: "stale", why: "a request above the limit in force is never sent: the server refuses it, and the target may have been written by then", steps: "guard/above-limit#0"},
}

// retaken are steps in which the library overrides somebody's claim, because it is told to.
var retaken = []string{"apply/same-value#2", "rollback/edited#2", "life/client-drops-container#2", "v1/target-written#2"}

func TestStories(t *testing.T) {
	r := record(t)
	want := map[string]other{}
	for _, o := range others {
		for _, id := range strings.Fields(o.steps) {
			require.NotContains(t, want, id)
			want[id] = o
		}
	}
	equal, steps := 0, 0
	for _, st := range r.Stories {
		s := &stage{omitted: st.Name == "rollback/absent-co-owned" || st.Name == "rollback/null"}
		s.set(t, r, st.Before)
		if st.Name == "life/rollout-undo" { // recorded without what was remembered
			st.Former = []former{{"deployment", "containers[app].resources.requests.cpu", "1", "kubectl-create", "Update", "apps/v1"}}
		}
		if s.takenAlready() {
			s.taken = memory(st.Former).Confirm(s.live(nil), "")
		}
		for i, step := range st.Steps {
			if id := fmt.Sprintf("%s#%d", st.Name, i); step.By == "library" {
				if id == "release-restore/raced#1" { // asked for before somebody took the field
					s.set(t, r, st.Before)
				}
				if id == "metrics/stale-list#0" { // asked for before somebody added a metric
					s.hpa.Spec.Metrics = s.hpa.Spec.Metrics[:1]
				}
				s.retake = slices.Contains(retaken, id)
				did, expected := play(t, s, step), want[id]
				if steps++; did == "equal" {
					equal++
				}
				if expected.did == "" {
					expected = other{did: "equal", why: st.Why}
				}
				require.Equal(t, expected.did, did, "%s (%s): %s", id, st.Verdict, expected.why)
				require.False(t, did == "equal" && st.Verdict == "wrong" && step.Status == 200 && !harmless[id], "%s is a harm: %s", id, st.Why)
				delete(want, id)
			}
			s.set(t, r, step.After)
			s.taken = s.taken.Confirm(s.live(nil), "")
		}
	}
	require.Empty(t, want, "steps that no story has")
	t.Logf("%d of %d writes of the library are equal", equal, steps)
	require.Equal(t, 251, steps)
}

// harmless are right writes within stories that end in a harm: the rollback before it.
var harmless = map[string]bool{"release-naive/after-rollback#0": true, "release-naive/after-rollback#1": true, "release-same-value/after-rollback#0": true,
	"quantity/update-same-respelled#0": true}
