package main

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	kubetesting "k8s.io/client-go/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
)

func TestChange(t *testing.T) {
	c := settled(t)
	_, err := c.pass()
	require.NoError(t, err)
	c.pair("700m", 71, "both halves")
	require.True(t, c.ledger().Taken.Metrics.Held, "from now on it is noticed when somebody takes it back")
	c.rest()
	c.pair("700m", 71, "at rest")
	require.Equal(t, []string{"kerf Apply"}, c.metricsOwners())
	require.Equal(t, []string{"kerf Apply"}, c.requestOwners())
	require.Equal(t, "True NoChange", c.condition(hpacouple.ConditionPlanned), "at rest")
	require.Equal(t, "True Allowed", c.condition(hpacouple.ConditionAdmitted))
	require.Equal(t, "True Applied", c.condition(Written))
	l := c.ledger()
	require.False(t, l.Unfinished)
	require.Equal(t, int32(50), l.Anchor.Anchor.Target)
	require.Equal(t, int32(71), l.Anchor.Applied.Target)
	require.Equal(t, "kubectl-create", l.Taken.Metrics.Owners[0].Manager)
	list := c.eventList()
	require.Len(t, list, 1)
	require.Equal(t, "Applied", list[0].Reason)
	require.Equal(t, map[string]string{"hpa": "web", "hpaResource": "cpu", "hpaTargetFrom": "50", "hpaTargetTo": "71"}, list[0].Annotations)
	sent := c.sent()
	c.rest()
	require.Equal(t, sent, c.sent(), "at rest nothing is sent")
}

func TestSecondChange(t *testing.T) {
	c := settled(t)
	c.rest()
	forced := c.forced()
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "620m"}}]}`)
	c.rest()
	c.pair("620m", 81, "from 1 at 50 %, which the user chose")
	require.Equal(t, forced, c.forced(), "no second force")
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "1"}}]}`)
	c.rest()
	c.pair("1", 50, "no drift")
}

// sent counts patches; only the fake can tell.
func (c *town) sent() (n int) {
	if f, ok := c.Interface.(*fake.Clientset); ok {
		for _, a := range f.Actions() {
			if a.GetVerb() == "patch" && !dryRun(a) {
				n++
			}
		}
	}
	return n
}

// forced counts forced writes of requests and targets; only the fake can tell.
func (c *town) forced() (n int) {
	f, ok := c.Interface.(*fake.Clientset)
	if !ok {
		return 0
	}
	for _, a := range f.Actions() {
		if p, ok := a.(kubetesting.PatchActionImpl); ok && !dryRun(a) && p.PatchOptions.FieldManager == "kerf" && p.PatchOptions.Force != nil && *p.PatchOptions.Force {
			n++
		}
	}
	return n
}

func TestEdit(t *testing.T) {
	c := settled(t)
	c.rest()
	c.retarget(60)
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "620m"}}]}`)
	c.rest()
	c.pair("700m", 60, "what a person has written is not overwritten")
	require.Equal(t, "False Contested", c.condition(Written))
	c.r.Retake = true
	c.rest()
	c.pair("620m", 68, "the edit is the new anchor: 700m x 60 % / 620m")
	require.Equal(t, int32(60), c.ledger().Anchor.Anchor.Target)
	require.Equal(t, "True Applied", c.condition(Written))
}

func TestRollback(t *testing.T) {
	c := settled(t)
	c.rest()
	c.annotate(RollBack, "true")
	c.rest()
	c.pair("1", 50, "as before")
	require.Nil(t, c.ledger().Change)
	require.Equal(t, int32(50), c.ledger().Anchor.Anchor.Target)
	events := c.eventList()
	require.Len(t, events, 2)
	require.True(t, slices.ContainsFunc(events, func(e corev1.Event) bool { return e.Annotations["hpaTargetTo"] == "50" }))
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "620m"}}]}`)
	c.rest()
	c.pair("1", 50, "no change as long as the rollback stands")
	c.annotate(RollBack, "")
	c.rest()
	c.pair("620m", 81, "and from the old anchor after it")
}

func TestRollbackOfALimit(t *testing.T) {
	c := settled(t)
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "700m"}, "limits": {"cpu": "900m"}}]}`)
	c.rest()
	c.pair("700m", 71, "")
	limit := c.deployment().Spec.Template.Spec.Containers[0].Resources.Limits["cpu"]
	require.Equal(t, "900m", limit.String())
	c.annotate(RollBack, "true")
	c.rest()
	c.pair("1", 50, "the request passes the limit on the way back")
	require.Empty(t, c.deployment().Spec.Template.Spec.Containers[0].Resources.Limits, "which was not there before")
}

func TestLimitInTheWay(t *testing.T) {
	c := open(t)
	c.deploy("500m", "600m")
	c.scale("Deployment", utilization("cpu", 80))
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "800m"}, "unsetLimits": ["cpu"]}]}`)
	c.rest()
	c.pair("800m", 50, "after the limit went")
	require.Empty(t, c.deployment().Spec.Template.Spec.Containers[0].Resources.Limits)
	c.annotate(RollBack, "true")
	c.rest()
	c.pair("500m", 80, "and the limit is back")
	limit := c.deployment().Spec.Template.Spec.Containers[0].Resources.Limits["cpu"]
	require.Equal(t, "600m", limit.String())
}

func TestRelease(t *testing.T) {
	for _, row := range []struct {
		name   string
		back   bool
		cpu    string
		target int32
	}{{"values stay", false, "700m", 71}, {"values go back", true, "1", 50}} {
		t.Run(row.name, func(t *testing.T) {
			c := settled(t)
			before := [][]string{c.metricsOwners(), c.requestOwners()}
			c.rest()
			if row.back {
				c.annotate(RollBack, "true")
			}
			c.annotate(Release, "true")
			c.rest()
			c.pair(row.cpu, row.target, row.name)
			require.Equal(t, before, [][]string{c.metricsOwners(), c.requestOwners()}, "who owned it owns it")
			for _, e := range append(c.hpa().ManagedFields, c.deployment().ManagedFields...) {
				require.NotContains(t, e.Manager, "kerf", "nothing of ours is left")
			}
			require.NotContains(t, c.deployment().Annotations, ledger.Annotation)
			require.NotContains(t, c.deployment().Annotations, Conditions)
			c.annotate(Release, "")
			c.annotate(RollBack, "")
			c.rest()
			c.pair("700m", 71, "it can come back")
		})
	}
}

func TestReadOnly(t *testing.T) {
	c := settled(t)
	c.r.Writes = false
	before := []any{c.deployment(), c.hpa()}
	c.rest()
	require.Equal(t, before, []any{c.deployment(), c.hpa()}, "not a byte")
	list := c.eventList()
	require.Len(t, list, 1, "said once")
	require.Equal(t, "Warning HPACoupled", list[0].Type+" "+list[0].Reason)
	require.Equal(t, "71", list[0].Annotations["hpaTargetTo"], "what would be done")
	for _, name := range []string{RollBack, Release} {
		c.r.Writes = true
		c.rest()
		c.r.Writes = false
		c.annotate(name, "true")
		c.rest()
		c.pair("700m", 71, name)
		require.Equal(t, []string{"kerf Apply"}, c.metricsOwners())
		c.annotate(name, "")
	}
}

func TestBlocked(t *testing.T) {
	most := int32(60)
	for _, row := range []struct {
		name   string
		policy hpacouple.Policy
		wish   string
		reason string
	}{
		{"coordination off", hpacouple.Policy{}, "", "coordination-off"},
		{"bounds of the policy", coordinating(&hpacouple.TargetBounds{MaxUtilization: &most}), "", "policy-bounds"},
		{"at maxReplicas", coordinating(nil), `{"containers": [{"container": "app", "requests": {"cpu": "700m"}}], "maxReplicasReached": true}`, "skip-reason"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := settled(t)
			if c.r.Policy = row.policy; row.wish != "" {
				c.annotate(Recommended, row.wish)
			}
			c.rest()
			c.pair("1", 50, "nothing at all")
			require.Equal(t, []string{"kubectl-create Update"}, c.metricsOwners())
			require.Equal(t, "False HPACoupled", c.condition(hpacouple.ConditionAdmitted))
			require.Contains(t, c.deployment().Annotations[Conditions], row.reason)
			require.NotContains(t, c.deployment().Annotations, ledger.Annotation)
			require.Len(t, c.eventList(), 1, "said once")
		})
	}
}

// meddling runs something before the nth request about workloads, or about HPAs.
type meddling struct {
	kubernetes.Interface
	workloads, hpas int
	what            func()
}

func (m *meddling) AppsV1() appsclient.AppsV1Interface {
	if m.workloads--; m.workloads == 0 {
		m.what()
	}
	return m.Interface.AppsV1()
}

func (m *meddling) AutoscalingV2() autoscalingclient.AutoscalingV2Interface {
	if m.hpas--; m.hpas == 0 {
		m.what()
	}
	return m.Interface.AutoscalingV2()
}

func TestStale(t *testing.T) {
	for _, row := range []struct {
		name      string
		workloads int
		say, why  string
	}{
		{"between plan and admission", 2, "stale", "the plan was made for 50 %"},
		{"between ledger and writes", 7, "False Stale", "and nothing is said to be applied"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := settled(t)
			c.r.Clients = &meddling{Interface: c.Interface, workloads: row.workloads, what: func() { c.retarget(65) }}
			_, err := c.pass()
			require.NoError(t, err)
			c.pair("1", 65, row.why)
			require.Contains(t, c.deployment().Annotations[Conditions]+c.condition(Written), row.say)
			require.NotEqual(t, "True Applied", c.condition(Written))
			c.r.Clients = c.Interface
			c.rest()
			require.Equal(t, "True Applied", c.condition(Written), "the next plan is made for 65 %")
			c.pair("723m", 90, "which the bound of 90 % holds: 1000m x 65 % / 90 %")
		})
	}
}

// An edit just before the HPA's write: its guard refuses it, on a real API server.
func TestRaced(t *testing.T) {
	if apiServer == nil {
		t.Skip("the fake does not check resourceVersion")
	}
	c := settled(t)
	c.r.Clients = &meddling{Interface: c.Interface, hpas: 6, what: func() { c.retarget(65) }}
	_, err := c.pass()
	require.ErrorContains(t, err, "the object has been modified")
	c.r.Clients = c.Interface
	c.rest()
	c.pair("723m", 90, "planned anew, for 65 %")
}

func TestForgotten(t *testing.T) {
	c := settled(t)
	c.rest()
	c.annotate(ledger.Annotation, "")
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "620m"}}]}`)
	c.rest()
	c.pair("700m", 71, "no anchor is begun on what may be half a change")
	require.Equal(t, "False Forgotten", c.condition(Written))
	c.annotate(Release, "true")
	c.rest()
	require.Empty(t, c.metricsOwners(), "without a memory the fields are nobody's")
	c.annotate(Release, "")
	c.rest()
	c.pair("620m", 80, "a new beginning: 700m x 71 % / 620m")
}

// kubectl rollout undo puts the annotations of the old revision back with its template: a ledger of long ago, say the one of a change that had only just
// been begun. It is nobody's licence to take by force what a person has just put back.
func TestRolloutUndone(t *testing.T) {
	for _, changes := range []int{1, 2} {
		c := settled(t)
		old := map[string]string{}
		c.r.Clients = &meddling{Interface: c.Interface, workloads: 7, what: func() { old = c.deployment().Annotations }} // between ledger and writes
		_, err := c.pass()
		require.NoError(t, err)
		require.Contains(t, old, ledger.Annotation)
		c.r.Clients = c.Interface
		c.rest()
		request, target := "700m", int32(71)
		if changes == 2 {
			c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "620m"}}]}`)
			c.rest()
			request, target = "620m", 81
		}
		c.pair(request, target, "at rest")
		forced := c.forced()
		patch, err := json.Marshal([]map[string]any{
			{"op": "replace", "path": "/spec/template/spec/containers/0/resources/requests/cpu", "value": "1"}, {"op": "replace", "path": "/metadata/annotations", "value": old}})
		require.NoError(t, err)
		_, err = c.AppsV1().Deployments(c.namespace).Patch(t.Context(), "web", types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: "kubectl-rollout"})
		require.NoError(t, err)
		c.rest()
		c.pair("1", target, "what the person put back stays")
		require.Equal(t, forced, c.forced())
		require.Equal(t, "False Forgotten", c.condition(Written))
		require.Contains(t, c.deployment().Annotations[Conditions], "was written by kubectl-rollout")
		c.annotate(Release, "true")
		c.rest()
		c.pair("1", target, "a release changes nothing")
		c.annotate(Release, "")
		c.rest()
		require.Equal(t, "True Applied", c.condition(Written), "a new beginning")
	}
}

// A copy of a workload comes with the annotations of the first, and with none of its history.
func TestCopied(t *testing.T) {
	c := settled(t)
	c.rest()
	c.pair("700m", 71, "the first")
	annotations := c.deployment().Annotations
	copied := open(t)
	copied.deploy("700m", "")
	copied.scale("Deployment", utilization("cpu", 50))
	d := copied.deployment()
	d.Annotations = annotations
	_, err := copied.AppsV1().Deployments(copied.namespace).Update(t.Context(), d, metav1.UpdateOptions{FieldManager: "kubectl-create"})
	require.NoError(t, err)
	copied.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "600m"}}]}`)
	copied.rest()
	copied.pair("600m", 58, "from 700m at 50, not 83 from the first one's 1000m at 50")
}

// The workload's write fails after the HPA's has gone through: the next pass sends the rest, and the rollback still knows the whole.
func TestHalfSent(t *testing.T) {
	c := settled(t)
	f, ok := c.Interface.(*fake.Clientset)
	if !ok {
		t.Skip("only the fake fails on request")
	}
	broken := true
	f.PrependReactor("patch", "deployments", func(a kubetesting.Action) (bool, runtime.Object, error) {
		if p := a.(kubetesting.PatchActionImpl); broken && !dryRun(a) && p.PatchOptions.FieldManager == "kerf" {
			return true, nil, errors.New("the connection broke")
		}
		return false, nil, nil
	})
	_, err := c.pass()
	require.ErrorContains(t, err, "the connection broke")
	c.pair("1", 71, "half a change")
	require.True(t, c.ledger().Unfinished)
	require.Equal(t, "False Failed", c.condition(Written))
	require.Equal(t, "WriteFailed", c.eventList()[0].Reason)
	broken = false
	c.rest()
	c.pair("700m", 71, "the rest")
	require.False(t, c.ledger().Unfinished)
	require.Len(t, c.eventList(), 2)
	c.annotate(RollBack, "true")
	c.rest()
	c.pair("1", 50, "both halves")
}

func TestAlone(t *testing.T) {
	c := settled(t)
	require.NoError(t, c.AutoscalingV2().HorizontalPodAutoscalers(c.namespace).Delete(t.Context(), "web", metav1.DeleteOptions{}))
	c.r.Policy = hpacouple.Policy{}
	for range 4 {
		_, err := c.pass()
		require.NoError(t, err)
	}
	got := c.deployment().Spec.Template.Spec.Containers[0].Resources.Requests["cpu"]
	require.Equal(t, "700m", got.String(), "without an HPA no policy is asked")
	require.Empty(t, c.eventList())
}

func TestStatefulSet(t *testing.T) {
	c := open(t)
	c.r.Kind = "StatefulSet"
	s := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: c.namespace, Annotations: map[string]string{
		Recommended: `{"containers": [{"container": "app", "requests": {"memory": "700Mi"}}]}`}},
		Spec: appsv1.StatefulSetSpec{ServiceName: "web", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: template("1", "")}}
	_, err := c.AppsV1().StatefulSets(c.namespace).Create(t.Context(), s, created)
	require.NoError(t, err)
	c.scale("StatefulSet", utilization("memory", 50))
	for range 4 {
		_, err := c.pass()
		require.NoError(t, err)
	}
	s, err = c.AppsV1().StatefulSets(c.namespace).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	got := s.Spec.Template.Spec.Containers[0].Resources.Requests["memory"]
	require.Equal(t, "700Mi", got.String())
	require.Equal(t, int32(73), *c.hpa().Spec.Metrics[0].Resource.Target.AverageUtilization)
}

func TestMisread(t *testing.T) {
	for _, row := range []struct{ name, annotation, text, want string }{
		{"recommendation", Recommended, `{"containers": [{"conteiner": "app"}]}`, `unknown field "conteiner"`},
		{"rollback", RollBack, "yes", "expected true or false"},
		{"ledger", ledger.Annotation, "{", "is not a ledger"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := settled(t)
			if c.annotate(row.annotation, row.text); row.annotation == ledger.Annotation { // in the name of its manager: of anybody else it is not read
				d := c.deployment()
				w, err := ledger.Annotate(hpacouple.ObjectRef{APIVersion: "apps/v1", Kind: "Deployment", Namespace: c.namespace, Name: "web"}, ledger.Guard{UID: d.UID}, ledger.Manager("kerf"), ledger.Annotation, row.text)
				require.NoError(t, err)
				require.NoError(t, c.r.send(t.Context(), w))
			}
			_, err := c.pass()
			require.ErrorContains(t, err, row.want)
			require.ErrorIs(t, err, reconcile.TerminalError(nil), "trying again does not help")
			require.Equal(t, "False Unreadable", c.condition(Written))
			c.pair("1", 50, "nothing is done")
		})
	}
}

func TestRefused(t *testing.T) {
	c := settled(t)
	c.annotate(Recommended, `{"containers": [{"container": "other", "requests": {"cpu": "1"}}]}`)
	c.rest()
	require.Equal(t, "Unknown Unknown", c.condition(hpacouple.ConditionPlanned))
	require.Contains(t, c.deployment().Annotations[Conditions], "the template has no container of that name")
}

func TestGone(t *testing.T) {
	c := open(t)
	_, err := c.pass()
	require.NoError(t, err)
	c.r.Kind = "Job"
	_, err = c.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Name: "web"}})
	require.ErrorContains(t, err, "not known")
}
