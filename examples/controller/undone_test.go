package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"

	"github.com/kube-rightsize/rightsize/internal/ledger"
)

// kubectl rollout undo puts back the template and the annotations of the revision before, as the ReplicaSet has them: the ledger as it stood
// before the template changed.
func TestUndoneAsTheReplicaSetHasIt(t *testing.T) {
	for _, manager := range []string{"kubectl-rollout", "kubectl-create"} {
		t.Run(manager, func(t *testing.T) {
			c := settled(t)
			copied := ""
			c.r.Clients = &meddling{Interface: c.Interface, hpas: 6, what: func() { copied = c.deployment().Annotations[ledger.Annotation] }}
			c.rest()
			c.pair("700m", 71, "")
			require.Contains(t, copied, `"unfinished":true`, "between the ledger and the writes")
			c.r.Clients = c.Interface
			undo := func() {
				d := c.deployment()
				d.Annotations[ledger.Annotation] = copied
				d.Spec.Template.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("1")
				_, err := c.AppsV1().Deployments(c.namespace).Update(t.Context(), d, metav1.UpdateOptions{FieldManager: manager})
				require.NoError(t, err)
			}
			undo()
			forced := c.forced()
			c.rest()
			c.pair("1", 71, "a person has taken it back")
			require.Equal(t, "False Forgotten", c.condition(Written))
			require.Equal(t, forced, c.forced())
			c.annotate(Release, "true")
			c.rest()
			c.pair("1", 71, "a release changes nothing")
			require.NotContains(t, c.requestOwners(), "kerf Apply", "and nothing is ours")
			require.NotContains(t, c.deployment().Annotations, ledger.Annotation)
		})
	}
}

// refuse lets the API server refuse writes of the Deployment in our name.
func (c *town) refuse(dry bool) {
	f, ok := c.Interface.(*fake.Clientset)
	if !ok {
		c.Skip("only the fake refuses on request")
	}
	f.PrependReactor("patch", "deployments", func(a kubetesting.Action) (bool, runtime.Object, error) {
		if p := a.(kubetesting.PatchActionImpl); p.PatchOptions.FieldManager == "kerf" && (dry || !dryRun(a)) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "web", errors.New("a webhook says no"))
		}
		return false, nil, nil
	})
}

func TestRefusedForGood(t *testing.T) {
	for _, dry := range []bool{true, false} {
		c := settled(t)
		c.refuse(dry)
		c.rest()
		c.pair("1", 50, "no half stays in force")
		require.Equal(t, "False Refused", c.condition(Written))
		if dry {
			require.Equal(t, []string{"kubectl-create Update"}, c.metricsOwners(), "the dry run says so before anything is taken")
		}
		require.Len(t, c.eventList(), 1)
		require.Equal(t, "WriteRefused", c.eventList()[0].Reason)
		require.False(t, c.ledger().Unfinished)
		sent := c.sent()
		c.rest()
		require.Equal(t, sent, c.sent(), "and it is not sent again and again")
	}
}

// A copy of the workload, with its annotations, is another workload.
func TestLedgerOfAnother(t *testing.T) {
	c := settled(t)
	c.rest()
	l := c.ledger()
	l.Workload = "of another"
	text, err := l.Text()
	require.NoError(t, err)
	if apiServer == nil {
		d := c.deployment()
		d.UID = "this"
		_, err = c.AppsV1().Deployments(c.namespace).Update(t.Context(), d, metav1.UpdateOptions{FieldManager: "kubectl-edit"})
		require.NoError(t, err)
	}
	c.annotate(ledger.Annotation, text)
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "620m"}}]}`)
	c.rest()
	c.pair("700m", 71, "nothing is planned from somebody else's anchor")
	require.Equal(t, "False Forgotten", c.condition(Written))
}
