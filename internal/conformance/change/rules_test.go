package change

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// What docs/reference/ownership.md says in rules 39 to 41, and why bodies are what they are.

func podOf(owner, resources string) *appsv1.Deployment {
	d := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
	d.Spec.Template.Labels = d.Spec.Selector.MatchLabels
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "app", Image: "example.invalid/app:1", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}, Limits: corev1.ResourceList{"cpu": resource.MustParse("2")}}}}
	d.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: owner, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "apps/v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(
		`{"f:spec":{"f:selector":{},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:image":{},"f:name":{},"f:resources":` + resources + `}}}}}}`)}}
	return d
}

func (c *cluster) applyApp(manager, resources string, force bool) error {
	return c.patch("Deployment", string(types.ApplyPatchType), manager, force,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[{"name":"app"`+resources+`}]}}}}`)
}

func (c *cluster) app() corev1.ResourceRequirements {
	return c.deployment().Spec.Template.Spec.Containers[0].Resources
}

// 39: the cpu request is nobody's. It goes with a memory request that is left out, unless the body keeps the list.
func TestLeavingOutTakesWhatIsUnowned(t *testing.T) {
	for _, row := range []struct {
		why, body string
		stays     bool
	}{
		{"the name alone", "", false},
		{"an empty object of resources: the list itself was ours", `,"resources":{}`, false},
		{"an empty list", `,"resources":{"requests":{}}`, true},
	} {
		c := newCluster(t, podOf("kubectl-create", `{"f:limits":{".":{},"f:cpu":{}}}`))
		require.NoError(t, c.applyApp("kerf", `,"resources":{"requests":{"memory":"1Gi"}}`, false))
		require.NoError(t, c.applyApp("kerf", row.body, false))
		_, memory := c.app().Requests["memory"]
		_, cpu := c.app().Requests["cpu"]
		require.False(t, memory)
		require.Equal(t, row.stays, cpu, row.why)
		require.Contains(t, c.app().Limits, corev1.ResourceCPU, "what somebody owns stays")
	}
	c := newCluster(t, podOf("kubectl-create", `{"f:limits":{".":{},"f:cpu":{}}}`))
	require.NoError(t, c.applyApp("kerf", `,"resources":{"limits":{"memory":"1Gi"}}`, false))
	require.NoError(t, c.patch("Deployment", string(types.ApplyPatchType), "kerf", false, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}}`))
	require.Contains(t, c.app().Requests, corev1.ResourceCPU, "a list in which nothing was ours stays, although nobody owns what is in it")
}

// 40: who loses the only amount of a list goes on owning the list, and its next first amount conflicts.
func TestAnEmptyListConflicts(t *testing.T) {
	c := newCluster(t, podOf("kubectl-create", `{".":{},"f:limits":{".":{},"f:cpu":{}},"f:requests":{".":{},"f:cpu":{}}}`))
	require.NoError(t, c.applyApp("kerf", `,"resources":{"limits":{"cpu":"3"}}`, true))
	require.NoError(t, c.applyApp("kerf", "", false))
	require.Empty(t, c.app().Limits)
	require.ErrorContains(t, c.applyApp("kerf", `,"resources":{"limits":{"cpu":"3"}}`, false), `conflict with "kubectl-create" using apps/v1: .spec.template.spec.containers[name="app"].resources.limits`)
	require.NoError(t, c.applyApp("kerf", `,"resources":{"limits":{"cpu":"3"}}`, true))
}

// 41: a JSON patch that removes an amount takes it from every entry, and leaves the sender none.
func TestARemovalIsNobodys(t *testing.T) {
	c := newCluster(t, podOf("kubectl-create", `{".":{},"f:limits":{".":{},"f:cpu":{}},"f:requests":{".":{},"f:cpu":{}}}`))
	require.NoError(t, c.patch("Deployment", string(types.JSONPatchType), "kerf", false, `[{"op":"remove","path":"/spec/template/spec/containers/0/resources/limits/cpu"}]`))
	require.Empty(t, c.app().Limits)
	lines := owners(c.deployment().ManagedFields)
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "kubectl-create")
	require.NotContains(t, lines[0], "f:limits")
}
