package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/internal/ledger"
)

// Whatever became of the HPA, nothing of ours stays anywhere.
func TestReleaseOfAllHPAs(t *testing.T) {
	another := func(c *town, name string) {
		h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: c.namespace}, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, MaxReplicas: 10,
			Metrics: []autoscalingv2.MetricSpec{utilization("memory", 70)}}}
		_, err := c.AutoscalingV2().HorizontalPodAutoscalers(c.namespace).Create(c.Context(), h, created)
		require.NoError(c, err)
	}
	retarget := func(c *town) {
		h := c.hpa()
		h.Spec.ScaleTargetRef.Name = "other"
		_, err := c.AutoscalingV2().HorizontalPodAutoscalers(c.namespace).Update(c.Context(), h, metav1.UpdateOptions{FieldManager: "kubectl-edit"})
		require.NoError(c, err)
	}
	for _, row := range []struct {
		name string
		what func(*town)
		gone bool
	}{
		{"another one comes first by name", func(c *town) { another(c, "aaa") }, false},
		{"rolled back, and another one", func(c *town) {
			c.annotate(RollBack, "true")
			c.rest()
			c.annotate(RollBack, "")
			c.annotate(Recommended, "")
			another(c, "aaa")
		}, false},
		{"it scales another workload", retarget, false},
		{"another one, and the memory is lost", func(c *town) { another(c, "aaa"); c.annotate(ledger.Annotation, "") }, false},
		{"it is gone", func(c *town) {
			require.NoError(c, c.AutoscalingV2().HorizontalPodAutoscalers(c.namespace).Delete(c.Context(), "web", metav1.DeleteOptions{}))
		}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := settled(t)
			c.rest()
			row.what(c)
			c.annotate(Release, "true")
			for range 5 {
				_, err := c.pass()
				require.NoError(t, err)
			}
			require.NotContains(t, c.requestOwners(), "kerf Apply")
			require.NotContains(t, c.deployment().Annotations, ledger.Annotation)
			require.NotContains(t, c.deployment().Annotations, Conditions)
			if !row.gone {
				require.NotContains(t, c.metricsOwners(), "kerf Apply")
			}
		})
	}
}
