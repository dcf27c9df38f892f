package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
)

func TestRollingOut(t *testing.T) {
	c := settled(t)
	status := func(reason string) {
		d := c.deployment()
		d.Status.ObservedGeneration = 1 << 40
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: reason}}
		_, err := c.AppsV1().Deployments(c.namespace).UpdateStatus(t.Context(), d, metav1.UpdateOptions{})
		require.NoError(t, err)
	}
	status("ReplicaSetUpdated")
	c.rest()
	c.pair("1", 50, "not during a rollout")
	require.Equal(t, "False RollingOut", c.condition(Written))
	result, err := c.pass()
	require.NoError(t, err)
	require.Positive(t, result.RequeueAfter)
	status("NewReplicaSetAvailable")
	c.rest()
	c.pair("700m", 71, "after it")
}

func TestRollbackWithoutTheHPA(t *testing.T) {
	c := settled(t)
	c.rest()
	require.NoError(t, c.AutoscalingV2().HorizontalPodAutoscalers(c.namespace).Delete(t.Context(), "web", metav1.DeleteOptions{}))
	c.annotate(RollBack, "true")
	for range 4 {
		_, err := c.pass()
		require.NoError(t, err)
	}
	got := c.deployment().Spec.Template.Spec.Containers[0].Resources.Requests["cpu"]
	require.Equal(t, "1", got.String())
	require.Nil(t, c.ledger().Anchor, "which was about the HPA")
}

func TestPolicyChanges(t *testing.T) {
	c := settled(t)
	policy := hpacouple.Policy{}
	c.r.ReadPolicy = func() (hpacouple.Policy, error) { return policy, nil }
	c.rest()
	c.pair("1", 50, "off")
	policy = coordinating(nil)
	c.rest()
	c.pair("700m", 71, "on, without a restart")
}

func TestReadOnlySaysSo(t *testing.T) {
	c := settled(t)
	require.NoError(t, c.AutoscalingV2().HorizontalPodAutoscalers(c.namespace).Delete(t.Context(), "web", metav1.DeleteOptions{}))
	c.r.Writes = false
	for range 3 {
		_, err := c.pass()
		require.NoError(t, err)
	}
	require.Len(t, c.eventList(), 1, "also where requests change alone")
}

func TestRoles(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"--rules", "--namespaces", "a, b", "--leader-elect", "--leader-election-namespace", "c"}, &out))
	require.Equal(t, 3, strings.Count(out.String(), "kind: Role\n"))
	require.NotContains(t, out.String(), "ClusterRole")
}

func TestTheWayBackIsOpen(t *testing.T) {
	c := settled(t)
	c.rest()
	c.annotate(Recommended, "{")
	c.annotate(RollBack, "true")
	c.rest()
	c.pair("1", 50, "a recommendation that cannot be read stands in no rollback's way")
	c.annotate(ledger.Annotation, "{")
	c.annotate(Release, "true")
	c.annotate(RollBack, "")
	c.rest()
	require.NotContains(t, c.metricsOwners(), "kerf Apply")
	require.NotContains(t, c.deployment().Annotations, ledger.Annotation)
}

func TestWrittenIsOfThisPass(t *testing.T) {
	c := settled(t)
	c.rest()
	require.Equal(t, "True Applied", c.condition(Written))
	c.r.Policy = hpacouple.Policy{}
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "650m"}}]}`)
	c.rest()
	require.Equal(t, "False Blocked", c.condition(Written))
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "700m"}}]}`)
	c.rest()
	require.Equal(t, "True Applied", c.condition(Written))
}
