package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/yaml"
)

func TestRules(t *testing.T) {
	for _, args := range [][]string{{"--rules"}, {"--rules", "--read-only=false"}} {
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), args, &out))
		var role rbacv1.ClusterRole
		require.NoError(t, yaml.UnmarshalStrict(out.Bytes(), &role))
		patches := false
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				require.NotContains(t, []string{"*", "update", "delete"}, verb)
				patches = patches || verb == "patch"
			}
		}
		require.Equal(t, len(args) == 2, patches, "read-only is the default and patches nothing")
	}
}

func TestPolicyFile(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		name := filepath.Join(dir, "policy.yaml")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	p, err := readPolicy("")
	require.NoError(t, err)
	require.False(t, p.Coordinates(), "off by default")
	p, err = readPolicy(write("spec: {hpa: {coordinate: true, targetBounds: {maxUtilization: 85}}}"))
	require.NoError(t, err)
	require.True(t, p.Coordinates())
	require.False(t, p.Allows(86))
	for _, text := range []string{"spec: {hpa: {coordinates: true}}", "spec: {hpa: {targetBounds: {minUtilization: 0}}}", "["} {
		_, err = readPolicy(write(text))
		require.ErrorContains(t, err, "policy.yaml", text)
	}
	require.Error(t, run(t.Context(), []string{"--policy", filepath.Join(dir, "none")}, nil))
	require.Error(t, run(t.Context(), []string{"--nonsense"}, nil))
}

func TestWoken(t *testing.T) {
	h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "a"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "StatefulSet", Name: "db"}}}
	require.Empty(t, scaledBy("Deployment")(t.Context(), h))
	got := scaledBy("StatefulSet")(t.Context(), h)
	require.Equal(t, []string{"n/db"}, []string{got[0].String()})
	other := h.DeepCopy()
	other.Status.CurrentReplicas = 5
	require.False(t, specChanged.Update(event.UpdateEvent{ObjectOld: h, ObjectNew: other}), "a status wakes nobody")
	other.Spec.MaxReplicas = 5
	require.True(t, specChanged.Update(event.UpdateEvent{ObjectOld: h, ObjectNew: other}))
}
