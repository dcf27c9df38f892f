package upstream

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSignature(t *testing.T) {
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "f.go")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	a := write("package a\nimport v1 \"k8s.io/api/core/v1\"\nfunc F(a, b int, pods []*v1.Pod) (n map[string]int64, err error) { return nil, nil }")
	b := write("package b\nimport corev1 \"k8s.io/api/core/v1\"\nfunc f(x int, y int, _ []*corev1.Pod) (map[string]int64, error)")
	c := write("package c\nimport corev1 \"k8s.io/api/apps/v1\"\nfunc f(x int, y int, _ []*corev1.Pod) (map[string]int64, error)")
	m := write("package m\ntype T struct{}\nfunc (t *T) F(a int) error { return nil }\nfunc f(t *T, a int) error { return nil }")

	for _, tt := range []struct {
		name, file, function, want, why string
	}{
		{"named", a, "F", `func(int, int, []*"k8s.io/api/core/v1".Pod) (map[string]int64, error)`, "names of parameters do not matter"},
		{"other import name", b, "f", `func(int, int, []*"k8s.io/api/core/v1".Pod) (map[string]int64, error)`, "nor does the name of an import"},
		{"other package", c, "f", `func(int, int, []*"k8s.io/api/apps/v1".Pod) (map[string]int64, error)`, "its path does"},
		{"method", m, "T.F", `func(*"x/own".T, int) error`, "the receiver is the first parameter"},
		{"function beside a method", m, "f", `func(*"x/own".T, int) error`, "as a linknamed function declares it"},
	} {
		got, err := Signature(tt.file, "x/own", tt.function)
		require.NoError(t, err, tt.name)
		require.Equal(t, tt.want, got, "%s: %s", tt.name, tt.why)
	}
	_, err := Signature(m, "x/own", "F")
	require.Error(t, err, "a method is not found by its bare name")
}

func TestModuleSignature(t *testing.T) {
	got, err := ModuleSignature("k8s.io/kubernetes", "pkg/controller/podautoscaler/replica_calculator.go", "calculateRequests")
	require.NoError(t, err)
	require.Equal(t, `func([]*"k8s.io/api/core/v1".Pod, string, "k8s.io/api/core/v1".ResourceName) (map[string]int64, error)`, got)
}
