package metrics_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/features"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
)

// TestGates: what follows compares with the defaults of v1.37. Where a default moves, the library's documents must move too.
func TestGates(t *testing.T) {
	require.True(t, utilfeature.DefaultFeatureGate.Enabled(features.PodLevelResources))
	require.True(t, utilfeature.DefaultFeatureGate.Enabled(features.PodLevelResourcesFixDefaulting))
	require.True(t, utilfeature.DefaultFeatureGate.Enabled(features.HPAScaleToZero))
	require.True(t, utilfeature.DefaultFeatureGate.Enabled(features.HPAConfigurableTolerance))
}

// fataler is what *testing.T and *rapid.T have in common here.
type fataler interface {
	require.TestingT
	Helper()
}

func must(t fataler, err error) {
	t.Helper()
	require.NoError(t, err)
}

// admitted is what becomes of a pod template on its way to the HPA controller, by the code that an API server runs:
//
//  1. the template is stored in a Deployment: defaults of apps/v1;
//  2. a pod is made from it and posted: defaults of core/v1, which copy limits into missing requests;
//  3. mutating admission: the LimitRanger plugin, once for each LimitRange of the namespace, each as the API server has
//     stored it, with its own defaults. A real one takes them in the order of a map; here it is the order of names, which
//     is the library's choice;
//  4. the registry's PrepareForCreate: defaults of pod-level resources, with every container in sight;
//  5. it is written, and read again with the defaults of core/v1.
//
// The second result says whether the API server would have accepted the pod.
func admitted(t fataler, template *corev1.PodTemplateSpec, limitRanges []corev1.LimitRange) (*corev1.Pod, bool) {
	deployment := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: *template.DeepCopy()}}
	legacyscheme.Scheme.Default(deployment)
	posted := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod"}, Spec: deployment.Spec.Template.Spec}
	return create(t, posted, limitRanges)
}

// create is steps 2 to 5 of admitted.
func create(t fataler, posted *corev1.Pod, limitRanges []corev1.LimitRange) (*corev1.Pod, bool) {
	legacyscheme.Scheme.Default(posted)
	pod := &core.Pod{}
	must(t, legacyscheme.Scheme.Convert(posted, pod, nil))

	stored := make([]*corev1.LimitRange, len(limitRanges))
	for i := range limitRanges {
		stored[i] = limitRanges[i].DeepCopy()
		legacyscheme.Scheme.Default(stored[i])
	}
	slices.SortStableFunc(stored, func(a, b *corev1.LimitRange) int { return strings.Compare(a.Name, b.Name) })
	for _, limitRange := range stored {
		must(t, limitranger.PodMutateLimitFunc(limitRange, pod))
	}

	podregistry.Strategy.PrepareForCreate(context.Background(), pod)
	valid := len(podregistry.Strategy.Validate(context.Background(), pod)) == 0
	for _, limitRange := range stored {
		valid = valid && limitranger.PodValidateLimitFunc(limitRange, pod) == nil
	}

	read := &corev1.Pod{}
	must(t, legacyscheme.Scheme.Convert(pod, read, nil))
	legacyscheme.Scheme.Default(read)
	return read, valid
}
