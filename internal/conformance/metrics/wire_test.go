package metrics_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"pgregory.net/rapid"
)

// TestWire: the other tests apply defaults and conversions to objects in memory. Here some of them take the way over JSON
// through the API server's codecs, and must come out equal: as the server reads them and as it gives them out again.
func TestWire(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		if rapid.IntRange(0, 19).Draw(t, "which") > 0 {
			return
		}
		s := drawShape(t)
		pod := &corev1.Pod{Spec: s.drawTemplate(t).Spec}
		limitRange := &corev1.LimitRange{}
		if drawn := s.drawLimitRanges(t); len(drawn) > 0 {
			limitRange = &drawn[0]
		}
		throughCodec(t, pod, corev1.SchemeGroupVersion.WithKind("Pod"))
		throughCodec(t, limitRange, corev1.SchemeGroupVersion.WithKind("LimitRange"))
		throughCodec(t, drawHPAs(t).hpa(t), autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"))
		throughCodec(t, drawV1(t), autoscalingv1.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"))
		seen["of each kind"]++
	})
	seen.require(t, "of each kind", 100, "of each kind")
}

func throughCodec(t fataler, object runtime.Object, kind schema.GroupVersionKind) {
	object.GetObjectKind().SetGroupVersionKind(kind)
	text, err := json.Marshal(object)
	must(t, err)
	object = read(t, text) // what a typed client leaves out of its JSON is no matter of the server

	got, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), text)
	must(t, err)
	defaulted := object.DeepCopyObject()
	legacyscheme.Scheme.Default(defaulted)
	want, err := legacyscheme.Scheme.ConvertToVersion(defaulted, runtime.InternalGroupVersioner)
	must(t, err)
	got.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	want.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	require.True(t, equality.Semantic.DeepEqual(want, got), "%s\n%s\n%s", text, asJSON(t, want), asJSON(t, got))

	text, err = runtime.Encode(legacyscheme.Codecs.LegacyCodec(kind.GroupVersion()), got)
	must(t, err)
	back, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(kind.GroupVersion()), text)
	must(t, err)
	served, err := legacyscheme.Scheme.ConvertToVersion(want, kind.GroupVersion())
	must(t, err)
	legacyscheme.Scheme.Default(served)
	back.GetObjectKind().SetGroupVersionKind(kind)
	served.GetObjectKind().SetGroupVersionKind(kind)
	require.True(t, equality.Semantic.DeepEqual(served, back), "%s", text)
}

func read(t fataler, text []byte) runtime.Object {
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
	must(t, err)
	return object
}
