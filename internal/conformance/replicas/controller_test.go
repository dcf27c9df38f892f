package replicas_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unsafe"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	k8serrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	coreinformers "k8s.io/client-go/informers/core/v1"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	v1core "k8s.io/client-go/kubernetes/typed/core/v1"
	autoscalinglisters "k8s.io/client-go/listers/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/util/selectors"

	"github.com/kube-rightsize/rightsize/replicas"
)

// plane is a world with the real controller in it. What the controller writes goes to the world at once.
type plane struct {
	world
	controller  *podautoscaler.HorizontalController
	handler     cache.ResourceEventHandler
	scaleError  error
	updateError error
	events      []string
}

// flags are the settings of the controller.
type flags struct {
	downscaleStabilization, cpuInitializationPeriod, initialReadinessDelay time.Duration
	tolerance                                                              float64
}

func (f flags) ours(scaleToZero bool) replicas.Flags {
	return replicas.Flags{Tolerance: &f.tolerance, DownscaleStabilization: &f.downscaleStabilization,
		CPUInitializationPeriod: &f.cpuInitializationPeriod, InitialReadinessDelay: &f.initialReadinessDelay, ScaleToZeroOff: !scaleToZero}
}

func newPlane(ctx context.Context, f flags) *plane {
	c := &plane{}
	mapper := apimeta.NewDefaultRESTMapper([]schema.GroupVersion{{Group: "apps", Version: "v1"}})
	mapper.Add(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, apimeta.RESTScopeNamespace)
	c.controller = podautoscaler.NewHorizontalController(ctx, noEvents{}, scales{c}, hpas{c}, mapper, c, hpaInformer{plane: c}, podInformer{c},
		15*time.Second, f.downscaleStabilization, f.tolerance, f.cpuInitializationPeriod, f.initialReadinessDelay)
	// No worker runs, and events are wanted as they are made.
	field[workqueue.TypedRateLimitingInterface[string]](c.controller, "queue").ShutDown()
	setField[record.EventRecorder](c.controller, "eventRecorder", recorder{c})
	return c
}

// field reads an unexported field of the controller; it panics when upstream changes its type.
func field[T any](of any, name string) T { return *fieldPointer[T](of, name) }

func setField[T any](of any, name string, v T) { *fieldPointer[T](of, name) = v }

func fieldPointer[T any](of any, name string) *T {
	f := reflect.ValueOf(of).Elem().FieldByName(name)
	if f.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("field %s is a %s", name, f.Type()))
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}

// pass is one pass of the real controller.
func (c *plane) pass(ctx context.Context) error {
	c.events = c.events[:0]
	_, err := reconcileKey(c.controller, ctx, namespace+"/hpa")
	return err
}

// meet shows an HPA to the controller for the first time.
func (c *plane) meet(hpa *autoscalingv2.HorizontalPodAutoscaler) { c.handler.OnAdd(hpa, false) }

// forget lets the controller forget the HPA, as a deletion or a restart does.
func (c *plane) forget(ctx context.Context) {
	hpa := c.hpa
	c.handler.OnDelete(hpa)
	c.hpa = nil
	if _, err := reconcileKey(c.controller, ctx, namespace+"/hpa"); err != nil {
		panic(err)
	}
	c.hpa = hpa
}

// rival lets another HPA select the pods of a selector, or no more.
func (c *plane) rival(selector string, there bool) {
	tracker := reflect.ValueOf(c.controller).Elem().FieldByName("selectorTracker")
	tracker = reflect.NewAt(tracker.Type(), unsafe.Pointer(tracker.UnsafeAddr())).Elem()
	key := selectors.Key{Namespace: namespace, Name: "rival"}
	args := []reflect.Value{reflect.ValueOf(namespace), reflect.ValueOf(key)}
	if !there {
		tracker.MethodByName("Delete").Call(args)
		return
	}
	parsed, err := labels.Parse(selector)
	if err != nil {
		panic(err)
	}
	tracker.MethodByName("PutIfAbsent").Call(append(args, reflect.ValueOf(parsed)))
}

// rescaleEvent is the event about a rescale; the others tell of failures.
func (c *plane) rescaleEvent() string {
	for _, e := range c.events {
		if strings.HasPrefix(e, "SuccessfulRescale") || strings.HasPrefix(e, "FailedRescale") {
			return e
		}
	}
	return " "
}

type recorder struct{ *plane }

func (r recorder) Event(_ runtime.Object, _, reason, message string) {
	r.events = append(r.events, reason+" "+message)
}

func (r recorder) Eventf(o runtime.Object, kind, reason, format string, args ...any) {
	r.Event(o, kind, reason, fmt.Sprintf(format, args...))
}

func (r recorder) AnnotatedEventf(o runtime.Object, _ map[string]string, kind, reason, format string, args ...any) {
	r.Eventf(o, kind, reason, format, args...)
}

type noEvents struct{}

func (noEvents) Events(string) v1core.EventInterface { return nil }

type scales struct{ *plane }

func (s scales) Scales(string) scaleclient.ScaleInterface { return scaleOf{plane: s.plane} }

type scaleOf struct {
	scaleclient.ScaleInterface
	plane *plane
}

func (s scaleOf) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	if s.plane.scaleError != nil {
		return nil, s.plane.scaleError
	}
	return s.plane.cluster.Scale.DeepCopy(), nil
}

func (s scaleOf) Update(_ context.Context, _ schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	if s.plane.updateError != nil {
		return nil, s.plane.updateError
	}
	s.plane.cluster.Scale.Spec.Replicas = scale.Spec.Replicas
	return scale, nil
}

type hpas struct{ *plane }

func (h hpas) HorizontalPodAutoscalers(string) autoscalingclient.HorizontalPodAutoscalerInterface {
	return hpaWriter{plane: h.plane}
}

type hpaWriter struct {
	autoscalingclient.HorizontalPodAutoscalerInterface
	plane *plane
}

func (h hpaWriter) UpdateStatus(_ context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler, _ metav1.UpdateOptions) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	h.plane.hpa.Status = *hpa.Status.DeepCopy()
	return hpa, nil
}

type hpaInformer struct {
	cache.SharedIndexInformer
	*plane
}

func (i hpaInformer) Informer() cache.SharedIndexInformer { return i }

func (i hpaInformer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	i.handler = h
	return nil, nil
}

func (i hpaInformer) HasSynced() bool { return true }

func (i hpaInformer) Lister() autoscalinglisters.HorizontalPodAutoscalerLister {
	return hpaLister{plane: i.plane}
}

type hpaLister struct {
	autoscalinglisters.HorizontalPodAutoscalerLister
	plane *plane
}

func (l hpaLister) HorizontalPodAutoscalers(string) autoscalinglisters.HorizontalPodAutoscalerNamespaceLister {
	return namespacedHPAs{plane: l.plane}
}

type namespacedHPAs struct {
	autoscalinglisters.HorizontalPodAutoscalerNamespaceLister
	plane *plane
}

func (l namespacedHPAs) Get(name string) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	if hpa := l.plane.hpa; hpa != nil {
		return hpa, nil
	}
	return nil, k8serrors.NewNotFound(schema.GroupResource{Group: "autoscaling", Resource: "horizontalpodautoscalers"}, name)
}

type podInformer struct{ *plane }

func (i podInformer) Informer() cache.SharedIndexInformer { return hpaInformer{plane: i.plane} }

func (i podInformer) Lister() corelisters.PodLister { return pods{&i.world} }

var (
	_          coreinformers.PodInformer = podInformer{}
	errGone                              = errors.New("gone away")
	errRefused                           = errors.New("refused")
)
