package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/logic"
	"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/model"
	vpautil "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender/util"
	vpa "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	resourcehelper "k8s.io/component-helpers/resource"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingv1conv "k8s.io/kubernetes/pkg/apis/autoscaling/v1"
	autoscalingv2conv "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
	"k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	corev1conv "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"pgregory.net/rapid"

	_ "github.com/kube-rightsize/rightsize"
)

// TestReach fails to build when an upstream release moves a piece that the other tests here stand on.
func TestReach(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, autoscaling.AddToScheme(scheme))
	require.NoError(t, autoscalingv1conv.AddToScheme(scheme))
	require.NoError(t, autoscalingv2conv.AddToScheme(scheme))
	require.NoError(t, corev1conv.AddToScheme(scheme))

	hpa := &autoscalingv2.HorizontalPodAutoscaler{}
	scheme.Default(hpa)
	require.Equal(t, int32(1), *hpa.Spec.MinReplicas)
	internal := &autoscaling.HorizontalPodAutoscaler{}
	require.NoError(t, scheme.Convert(hpa, internal, nil))
	require.NotEmpty(t, validation.ValidateHorizontalPodAutoscaler(internal, validation.HorizontalPodAutoscalerSpecValidationOptions{}))

	pods := corelisters.NewPodLister(cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}))
	require.NotNil(t, podautoscaler.NewReplicaCalculator(nil, pods, 0, 0))
	require.Empty(t, resourcehelper.PodRequests(&corev1.Pod{}, resourcehelper.PodResourcesOptions{}))
	require.NotNil(t, limitranger.PodMutateLimitFunc)
	require.NotNil(t, podapi.DefaultPodLevelResources)

	require.NotNil(t, logic.CreatePodResourceRecommender)
	require.NotNil(t, model.NewAggregateContainerState)
	require.NotNil(t, vpautil.NewDecayingHistogram)
	require.NotNil(t, vpa.NewCappingRecommendationProcessor)
	rapid.Check(t, func(t *rapid.T) { rapid.Bool().Draw(t, "b") })
}
