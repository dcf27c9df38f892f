package replicas_test

import (
	"context"
	"testing"
	"unsafe" // for go:linkname and the fields of Tolerances

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	metricsapi "k8s.io/metrics/pkg/apis/metrics/v1beta1"

	"github.com/kube-rightsize/rightsize/internal/conformance/upstream"
	"github.com/kube-rightsize/rightsize/replicas"
)

// reconcileKey is one pass of the real controller over one HPA.
//
//go:linkname reconcileKey k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).reconcileKey
func reconcileKey(a *podautoscaler.HorizontalController, ctx context.Context, key string) (deleted bool, err error)

// getPodMetrics adds up the containers of the resource metrics API's items.
//
//go:linkname getPodMetrics k8s.io/kubernetes/pkg/controller/podautoscaler/metrics.getPodMetrics
func getPodMetrics(ctx context.Context, rawMetrics []metricsapi.PodMetrics, resource corev1.ResourceName) metricsclient.PodMetricsInfo

// getContainerMetrics takes one container of each.
//
//go:linkname getContainerMetrics k8s.io/kubernetes/pkg/controller/podautoscaler/metrics.getContainerMetrics
func getContainerMetrics(ctx context.Context, rawMetrics []metricsapi.PodMetrics, resource corev1.ResourceName, container string) metricsclient.PodMetricsInfo

func TestSignatures(t *testing.T) {
	for _, f := range []struct{ file, theirs, ours string }{
		{"pkg/controller/podautoscaler/horizontal.go", "HorizontalController.reconcileKey", "reconcileKey"},
		{"pkg/controller/podautoscaler/metrics/client.go", "getPodMetrics", "getPodMetrics"},
		{"pkg/controller/podautoscaler/metrics/client.go", "getContainerMetrics", "getContainerMetrics"},
	} {
		want, err := upstream.ModuleSignature("k8s.io/kubernetes", f.file, f.theirs)
		require.NoError(t, err)
		got, err := upstream.Signature("upstream_test.go", "", f.ours)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// tolerances builds upstream's type, whose fields are not exported: first down, then up.
func tolerances(t replicas.Tolerance) podautoscaler.Tolerances {
	fields := [2]float64{t.Down, t.Up}
	return *(*podautoscaler.Tolerances)(unsafe.Pointer(&fields))
}

func TestTolerancesLayout(t *testing.T) {
	require.Equal(t, unsafe.Sizeof([2]float64{}), unsafe.Sizeof(podautoscaler.Tolerances{}))
	require.Equal(t, "[down:10.0%, up:20.0%]", tolerances(replicas.Tolerance{Down: 0.1, Up: 0.2}).String())
}
