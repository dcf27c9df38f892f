// Package change sends the writes of package hpacouple to a real API server where the variables of envtest name one, and otherwise to client-go's
// field-managed fake clientset, which tracks managedFields with the API server's own code but has no defaults, no validation and no guards.
package change

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// T is what tests and properties have in common.
type T interface {
	require.TestingT
	Helper()
	Logf(string, ...any)
}

var _ T = (*testing.T)(nil)

const namespace, name = "default", "web"

// apiServer is the real one, nil where there is none.
var apiServer *rest.Config

func TestMain(m *testing.M) {
	os.Exit(func() int {
		for _, variable := range []string{"KUBEBUILDER_ASSETS", "TEST_ASSET_KUBE_APISERVER"} {
			if os.Getenv(variable) == "" {
				continue
			}
			environment := &envtest.Environment{}
			config, err := environment.Start()
			if err != nil {
				fmt.Fprintln(os.Stderr, "the API server does not start:", err)
				return 1
			}
			apiServer = config
			apiServer.QPS = -1
			defer func() { _ = environment.Stop() }()
			break
		}
		return m.Run()
	}())
}

// cluster is one Deployment and its HPA on an API server. There is one cluster at a time.
type cluster struct {
	t   T
	set kubernetes.Interface
}

// newCluster is a cluster with these objects as they are, managedFields included.
func newCluster(t T, objects ...runtime.Object) *cluster {
	t.Helper()
	if apiServer == nil {
		return &cluster{t: t, set: fake.NewClientset(objects...)}
	}
	set, err := kubernetes.NewForConfig(apiServer)
	require.NoError(t, err)
	c := &cluster{t: t, set: set}
	ctx := context.Background()
	require.NoError(t, client.IgnoreNotFound(set.AutoscalingV2().HorizontalPodAutoscalers(namespace).Delete(ctx, name, metav1.DeleteOptions{})))
	require.NoError(t, client.IgnoreNotFound(set.AppsV1().Deployments(namespace).Delete(ctx, name, metav1.DeleteOptions{})))
	for _, o := range objects {
		c.install(o)
	}
	return c
}

// orReset is what an update sends for no managedFields: an empty list would leave them as they are.
func orReset(fields []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	if len(fields) == 0 {
		return []metav1.ManagedFieldsEntry{{}}
	}
	return fields
}

// install creates an object, and then says by an update that changes nothing else whose fields are whose.
func (c *cluster) install(o runtime.Object) {
	c.t.Helper()
	ctx := context.Background()
	switch o := o.DeepCopyObject().(type) {
	case *autoscalingv2.HorizontalPodAutoscaler:
		fields := o.ManagedFields
		o.UID, o.ResourceVersion, o.ManagedFields = "", "", nil
		made, err := c.set.AutoscalingV2().HorizontalPodAutoscalers(namespace).Create(ctx, o, metav1.CreateOptions{})
		require.NoError(c.t, err)
		made.ManagedFields = orReset(fields)
		_, err = c.set.AutoscalingV2().HorizontalPodAutoscalers(namespace).Update(ctx, made, metav1.UpdateOptions{})
		require.NoError(c.t, err)
	case *appsv1.Deployment:
		fields := o.ManagedFields
		o.UID, o.ResourceVersion, o.ManagedFields = "", "", nil
		made, err := c.set.AppsV1().Deployments(namespace).Create(ctx, o, metav1.CreateOptions{})
		require.NoError(c.t, err)
		made.ManagedFields = orReset(fields)
		_, err = c.set.AppsV1().Deployments(namespace).Update(ctx, made, metav1.UpdateOptions{})
		require.NoError(c.t, err)
	default:
		require.Fail(c.t, "no such object", "%T", o)
	}
}

func (c *cluster) hpa() *autoscalingv2.HorizontalPodAutoscaler {
	c.t.Helper()
	h, err := c.set.AutoscalingV2().HorizontalPodAutoscalers(namespace).Get(context.Background(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	return h
}

func (c *cluster) deployment() *appsv1.Deployment {
	c.t.Helper()
	d, err := c.set.AppsV1().Deployments(namespace).Get(context.Background(), name, metav1.GetOptions{})
	require.NoError(c.t, err)
	return d
}

func (c *cluster) live() hpacouple.Live {
	d := c.deployment()
	return hpacouple.Live{Meta: &d.ObjectMeta, Template: &d.Spec.Template.Spec, HPA: c.hpa()}
}

// patch sends one request.
func (c *cluster) patch(kind, patchType, fieldManager string, force bool, body string) (err error) {
	if refused := c.refuses(kind, patchType, fieldManager, force, body); refused != nil {
		return refused
	}
	o := metav1.PatchOptions{FieldManager: fieldManager}
	if patchType == string(types.ApplyPatchType) {
		o.Force = &force
	}
	if kind == "HorizontalPodAutoscaler" {
		_, err = c.set.AutoscalingV2().HorizontalPodAutoscalers(namespace).Patch(context.Background(), name, types.PatchType(patchType), []byte(body), o)
	} else {
		_, err = c.set.AppsV1().Deployments(namespace).Patch(context.Background(), name, types.PatchType(patchType), []byte(body), o)
	}
	return err
}

// refuses is the one validation that no sequence may do without: a server refuses a request above its limit. The fake tries the patch on a copy.
func (c *cluster) refuses(kind, patchType, fieldManager string, force bool, body string) error {
	if apiServer != nil || kind != "Deployment" {
		return nil
	}
	d, err := c.set.AppsV1().Deployments(namespace).Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		return nil // to be made
	}
	o := metav1.PatchOptions{FieldManager: fieldManager}
	if patchType == string(types.ApplyPatchType) {
		o.Force = &force
	}
	d, err = fake.NewClientset(d).AppsV1().Deployments(namespace).Patch(context.Background(), name, types.PatchType(patchType), []byte(body), o)
	if err != nil {
		return err
	}
	for _, list := range [][]corev1.Container{d.Spec.Template.Spec.Containers, d.Spec.Template.Spec.InitContainers} {
		for _, box := range list {
			for r, limit := range box.Resources.Limits {
				if request, there := box.Resources.Requests[r]; there && request.Cmp(limit) > 0 {
					return apierrors.NewInvalid(appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind(), name, nil)
				}
			}
		}
	}
	return nil
}

// send sends writes of the library, all of which must arrive. No test of the library's may see an empty list of metrics.
func (c *cluster) send(writes []hpacouple.Write) {
	c.t.Helper()
	for _, w := range writes {
		err := c.patch(w.Object.Kind, string(w.PatchType), w.FieldManager, w.Force, string(w.Body))
		require.NoError(c.t, err, "%s %s %s", w.PatchType, w.FieldManager, w.Body)
	}
}

// values are what matters of the two objects, in words: an absent list of metrics is the default that a server fills in.
func (c *cluster) values() string { return valuesOf(c.hpa(), c.deployment()) }

func valuesOf(h *autoscalingv2.HorizontalPodAutoscaler, d *appsv1.Deployment) string {
	var b strings.Builder
	if len(h.Spec.Metrics) == 0 {
		b.WriteString("cpu 80\n")
	}
	for _, m := range h.Spec.Metrics {
		switch {
		case m.Resource != nil && m.Resource.Target.AverageUtilization != nil:
			fmt.Fprintf(&b, "%s %d\n", m.Resource.Name, *m.Resource.Target.AverageUtilization)
		default:
			text, _ := json.Marshal(m)
			fmt.Fprintf(&b, "%s\n", text)
		}
	}
	fmt.Fprintf(&b, "replicas %d..%d\n", *h.Spec.MinReplicas, h.Spec.MaxReplicas)
	spec := d.Spec.Template.Spec
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for _, c := range list {
			fmt.Fprintf(&b, "%s %s", c.Name, c.Image)
			for _, part := range []struct {
				name string
				list corev1.ResourceList
			}{{"requests", c.Resources.Requests}, {"limits", c.Resources.Limits}} {
				for _, r := range []corev1.ResourceName{"cpu", "memory"} {
					if q, ok := part.list[r]; ok {
						fmt.Fprintf(&b, " %s.%s=%s", part.name, r, q.String())
					}
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// owners are the entries of managedFields, one a line, without times, in an order of their own.
func owners(list []metav1.ManagedFieldsEntry) (lines []string) {
	for _, e := range list {
		var fields any
		_ = json.Unmarshal(e.FieldsV1.GetRawBytes(), &fields)
		text, _ := json.Marshal(fields)
		lines = append(lines, fmt.Sprintf("%s %s %s %s %s", e.Manager, e.Operation, e.APIVersion, e.Subresource, text))
	}
	slices.Sort(lines)
	return lines
}

// ours is our entry below f:spec, empty where there is none.
func ours(list []metav1.ManagedFieldsEntry) string {
	for _, e := range list {
		if e.Manager == "kerf" && e.Operation == metav1.ManagedFieldsOperationApply {
			var fields map[string]json.RawMessage
			_ = json.Unmarshal(e.FieldsV1.GetRawBytes(), &fields)
			return string(fields["f:spec"])
		}
	}
	return ""
}
