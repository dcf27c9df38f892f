package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	kubetesting "k8s.io/client-go/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
)

// The tests run against a real API server where the variables of envtest name one, and otherwise against client-go's fake that tracks managedFields.
// The fake has no defaults, no validation and no checks of resourceVersion and uid; what depends on them is tested against the real one alone.
var apiServer *rest.Config

func TestMain(m *testing.M) {
	os.Exit(func() int {
		for _, name := range []string{"KUBEBUILDER_ASSETS", "TEST_ASSET_KUBE_APISERVER", "USE_EXISTING_CLUSTER"} {
			if value := os.Getenv(name); value == "" || value == "false" {
				continue
			}
			environment := &envtest.Environment{}
			config, err := environment.Start()
			if err != nil {
				fmt.Fprintln(os.Stderr, "the API server does not start:", err)
				return 1
			}
			apiServer = config
			defer func() { _ = environment.Stop() }()
			break
		}
		return m.Run()
	}())
}

// town is a cluster with the Deployment web and its HPA, both of kubectl create.
type town struct {
	*testing.T
	kubernetes.Interface
	namespace string
	r         *Reconciler
}

func open(t *testing.T) *town {
	t.Helper()
	c := &town{T: t, namespace: "default"}
	if apiServer == nil {
		f := fake.NewClientset()
		countGenerations(f)
		noDryRuns(f)
		c.Interface = f
	} else {
		clients, err := kubernetes.NewForConfig(apiServer)
		require.NoError(t, err)
		c.Interface = clients
		ns, err := clients.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		c.namespace = ns.Name
		t.Cleanup(func() {
			require.NoError(t, clients.CoreV1().Namespaces().Delete(context.Background(), ns.Name, metav1.DeleteOptions{}))
		})
	}
	c.r = &Reconciler{Clients: c.Interface, Kind: "Deployment", Policy: coordinating(nil), Writes: true, FieldManager: "kerf",
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
	return c
}

// noDryRuns makes the fake change nothing in a dry run.
func noDryRuns(f *fake.Clientset) {
	for resource, object := range map[string]runtime.Object{"deployments": &appsv1.Deployment{}, "statefulsets": &appsv1.StatefulSet{}, "horizontalpodautoscalers": &autoscalingv2.HorizontalPodAutoscaler{}} {
		f.PrependReactor("patch", resource, func(a kubetesting.Action) (bool, runtime.Object, error) { return dryRun(a), object, nil })
	}
}

func dryRun(a kubetesting.Action) bool {
	p, ok := a.(kubetesting.PatchActionImpl)
	return ok && len(p.PatchOptions.DryRun) > 0
}

// countGenerations makes the fake count every write of a Deployment in its generation, as the API server counts those of spec and annotations.
func countGenerations(f *fake.Clientset) {
	writes := int64(0)
	for _, verb := range []string{"create", "update", "patch"} {
		f.PrependReactor(verb, "deployments", func(kubetesting.Action) (bool, runtime.Object, error) {
			writes++
			return false, nil, nil
		})
	}
	f.PrependReactor("get", "deployments", func(a kubetesting.Action) (bool, runtime.Object, error) {
		found, err := f.Tracker().Get(a.GetResource(), a.GetNamespace(), a.(kubetesting.GetAction).GetName())
		if err != nil {
			return true, nil, err
		}
		d := found.(*appsv1.Deployment).DeepCopy()
		d.Generation = writes
		return true, d, nil
	})
}

func coordinating(bounds *hpacouple.TargetBounds) hpacouple.Policy {
	return hpacouple.Policy{Spec: hpacouple.PolicySpec{HPA: &hpacouple.HPAPolicy{Coordinate: true, TargetBounds: bounds}}}
}

// settled is a town with web at 1 cpu and 50 %, of which 700m are recommended.
func settled(t *testing.T) *town {
	t.Helper()
	c := open(t)
	c.deploy("1", "")
	c.scale("Deployment", utilization("cpu", 50))
	c.annotate(Recommended, `{"containers": [{"container": "app", "requests": {"cpu": "700m"}}]}`)
	return c
}

var created = metav1.CreateOptions{FieldManager: "kubectl-create"}

func template(cpu, limit string) corev1.PodTemplateSpec {
	box := corev1.Container{Name: "app", Image: "registry.example/web:1", Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("1Gi")}}}
	if limit != "" {
		box.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse(limit)}
	}
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{box}}}
}

func (c *town) deploy(cpu, limit string) {
	c.Helper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: c.namespace}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, Template: template(cpu, limit)}}
	_, err := c.AppsV1().Deployments(c.namespace).Create(c.Context(), d, created)
	require.NoError(c, err)
}

func utilization(name corev1.ResourceName, target int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: name,
		Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &target}}}
}

func (c *town) scale(kind string, entries ...autoscalingv2.MetricSpec) {
	c.Helper()
	h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: c.namespace}, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: kind, Name: "web"}, MaxReplicas: 10, Metrics: entries}}
	_, err := c.AutoscalingV2().HorizontalPodAutoscalers(c.namespace).Create(c.Context(), h, created)
	require.NoError(c, err)
}

func (c *town) deployment() *appsv1.Deployment {
	c.Helper()
	d, err := c.AppsV1().Deployments(c.namespace).Get(c.Context(), "web", metav1.GetOptions{})
	require.NoError(c, err)
	return d
}

func (c *town) hpa() *autoscalingv2.HorizontalPodAutoscaler {
	c.Helper()
	h, err := c.AutoscalingV2().HorizontalPodAutoscalers(c.namespace).Get(c.Context(), "web", metav1.GetOptions{})
	require.NoError(c, err)
	return h
}

// annotate sets an annotation as a person does; the empty value takes it away.
func (c *town) annotate(name, value string) {
	c.Helper()
	d := c.deployment()
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	if d.Annotations[name] = value; value == "" {
		delete(d.Annotations, name)
	}
	_, err := c.AppsV1().Deployments(c.namespace).Update(c.Context(), d, metav1.UpdateOptions{FieldManager: "kubectl-annotate"})
	require.NoError(c, err)
}

// retarget sets the target as a person does.
func (c *town) retarget(target int32) {
	c.Helper()
	h := c.hpa()
	h.Spec.Metrics[0].Resource.Target.AverageUtilization = &target
	_, err := c.AutoscalingV2().HorizontalPodAutoscalers(c.namespace).Update(c.Context(), h, metav1.UpdateOptions{FieldManager: "kubectl-edit"})
	require.NoError(c, err)
}

// pass runs the reconciler once.
func (c *town) pass() (ctrl.Result, error) {
	return c.r.Reconcile(context.Background(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: c.namespace, Name: "web"}})
}

// rest runs the reconciler until nothing moves, as watches do.
func (c *town) rest() {
	c.Helper()
	before := ""
	for range 10 {
		_, err := c.pass()
		require.NoError(c, err)
		d, h := c.deployment(), c.hpa()
		text, err := json.Marshal([]any{d.Spec, d.ObjectMeta, h.Spec, h.ObjectMeta})
		require.NoError(c, err)
		if string(text) == before {
			return
		}
		before = string(text)
	}
	c.Fatal("the reconciler does not come to rest")
}

// pair requires the cpu request and the target.
func (c *town) pair(cpu string, target int32, why string) {
	c.Helper()
	got := c.deployment().Spec.Template.Spec.Containers[0].Resources.Requests["cpu"]
	require.Equal(c, cpu, got.String(), why)
	require.Equal(c, target, *c.hpa().Spec.Metrics[0].Resource.Target.AverageUtilization, why)
	memory := c.deployment().Spec.Template.Spec.Containers[0].Resources.Requests["memory"]
	require.Equal(c, "1Gi", memory.String(), "what nobody spoke of stays")
}

func (c *town) ledger() ledger.Ledger {
	c.Helper()
	d := c.deployment()
	l, _, err := ledger.Read(&d.ObjectMeta, c.r.FieldManager)
	require.NoError(c, err)
	return l
}

// condition is a condition as "status reason".
func (c *town) condition(kind string) string {
	c.Helper()
	text, ok := c.deployment().Annotations[Conditions]
	if !ok {
		return ""
	}
	var list []metav1.Condition
	require.NoError(c, json.Unmarshal([]byte(text), &list))
	for _, k := range list {
		if k.Type == kind {
			return string(k.Status) + " " + k.Reason
		}
	}
	return ""
}

func (c *town) eventList() []corev1.Event {
	c.Helper()
	list, err := c.CoreV1().Events(c.namespace).List(c.Context(), metav1.ListOptions{})
	require.NoError(c, err)
	return list.Items
}

// owners are the managers that own spec.metrics and the container's cpu request, by managedFields.
func owns(list []metav1.ManagedFieldsEntry, path ...string) (managers []string) {
	for _, e := range list {
		if e.Subresource != "" || e.FieldsV1 == nil {
			continue
		}
		var at any
		if json.Unmarshal(e.FieldsV1.GetRawBytes(), &at) != nil {
			continue
		}
		for _, key := range path {
			m, _ := at.(map[string]any)
			at = m[key]
		}
		if at != nil {
			managers = append(managers, e.Manager+" "+string(e.Operation))
		}
	}
	return managers
}

func (c *town) metricsOwners() []string {
	return owns(c.hpa().ManagedFields, "f:spec", "f:metrics")
}

func (c *town) requestOwners() []string {
	return owns(c.deployment().ManagedFields, "f:spec", "f:template", "f:spec", "f:containers", `k:{"name":"app"}`, "f:resources", "f:requests", "f:cpu")
}
