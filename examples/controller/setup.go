package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/yaml"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/risk"
)

// run reads the flags and runs the controllers until the context ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	r := Reconciler{Now: time.Now}
	flags := flag.NewFlagSet("controller", flag.ContinueOnError)
	config.RegisterFlags(flags)
	readOnly := flags.Bool("read-only", true, "write nothing but events")
	policy := flags.String("policy", "", "a file with the policy (spec.hpa.coordinate, spec.hpa.targetBounds), for instance a mounted ConfigMap, read anew for each workload; without one coordination is off")
	rules := flags.Bool("rules", false, "print the ClusterRole that these flags need, and end")
	elect := flags.Bool("leader-elect", false, "of several replicas let one work at a time")
	electIn := flags.String("leader-election-namespace", "", "where the lease of the leader is kept (default: the controller's own namespace)")
	names := flags.String("namespaces", "", "look after these alone, separated by commas (default: all)")
	metricsAddress := flags.String("metrics-bind-address", "0", "where metrics are served; 0 for nowhere")
	flags.StringVar(&r.FieldManager, "field-manager", risk.DefaultFieldManager, "the field manager of the writes")
	flags.BoolVar(&r.Retake, "retake", false, "also take what somebody has taken back, or owns as well")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if r.Writes = !*readOnly; *rules {
		return printRules(out, r.Writes, namespaces(*names), *elect, *electIn)
	}
	var err error
	if r.Policy, err = readPolicy(*policy); err != nil {
		return err
	}
	if *policy != "" {
		r.ReadPolicy = func() (hpacouple.Policy, error) { return readPolicy(*policy) }
	}
	ctrl.SetLogger(zap.New())
	cfg, err := config.GetConfig()
	if err != nil {
		return err
	}
	if r.Clients, err = kubernetes.NewForConfig(cfg); err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{Scheme: clientgoscheme.Scheme, Metrics: server.Options{BindAddress: *metricsAddress},
		LeaderElection: *elect, LeaderElectionID: "rightsize-controller", LeaderElectionNamespace: *electIn, LeaderElectionReleaseOnCancel: true,
		Cache: cache.Options{DefaultNamespaces: watched(namespaces(*names))}})
	if err != nil {
		return err
	}
	if err := watch(mgr, r); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// watch adds one controller for each kind of workload. What they watch only wakes them: they read from the API server.
func watch(mgr ctrl.Manager, r Reconciler) error {
	for _, kind := range []struct {
		name   string
		object client.Object
	}{{"Deployment", &appsv1.Deployment{}}, {"StatefulSet", &appsv1.StatefulSet{}}} {
		each := r
		each.Kind = kind.name
		woken := predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{})
		err := ctrl.NewControllerManagedBy(mgr).Named("rightsize-"+kind.name).
			For(kind.object, builder.OnlyMetadata, builder.WithPredicates(woken)).
			Watches(&autoscalingv2.HorizontalPodAutoscaler{}, handler.EnqueueRequestsFromMapFunc(scaledBy(kind.name)), builder.WithPredicates(specChanged)).
			Complete(&each)
		if err != nil {
			return fmt.Errorf("controller of %s: %w", kind.name, err)
		}
	}
	return nil
}

// scaledBy wakes the workload that an HPA scales.
func scaledBy(kind string) handler.MapFunc {
	return func(_ context.Context, o client.Object) []ctrl.Request {
		h, ok := o.(*autoscalingv2.HorizontalPodAutoscaler)
		if !ok || h.Spec.ScaleTargetRef.Kind != kind {
			return nil
		}
		return []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: h.Namespace, Name: h.Spec.ScaleTargetRef.Name}}}
	}
}

// specChanged leaves out the status, which an HPA's controller writes every few seconds.
var specChanged = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, ok := e.ObjectOld.(*autoscalingv2.HorizontalPodAutoscaler)
	after, is := e.ObjectNew.(*autoscalingv2.HorizontalPodAutoscaler)
	return !ok || !is || !equality.Semantic.DeepEqual(before.Spec, after.Spec)
}}

// readPolicy reads the policy strictly; without a file coordination is off.
func readPolicy(file string) (p hpacouple.Policy, err error) {
	if file == "" {
		return p, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return p, err
	}
	if err := yaml.UnmarshalStrict(text, &p); err != nil {
		return p, fmt.Errorf("%s: %w", file, err)
	}
	if errs := p.Validate(); len(errs) > 0 {
		return p, fmt.Errorf("%s: %w", file, errs.ToAggregate())
	}
	return p, nil
}

// namespaces are the names in the flag, none for all.
func namespaces(flag string) (names []string) {
	for _, n := range strings.Split(flag, ",") {
		if n = strings.TrimSpace(n); n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

func watched(names []string) map[string]cache.Config {
	if len(names) == 0 {
		return nil
	}
	out := map[string]cache.Config{}
	for _, n := range names {
		out[n] = cache.Config{}
	}
	return out
}

// printRules prints the permissions: those of the library's writes, and what watching, reading and telling needs beside them. They are a ClusterRole, or
// a Role in each of the namespaces; the leader's lease is a Role of its own.
func printRules(out io.Writer, writes bool, names []string, elect bool, electIn string) error {
	see := []string{"get", "list", "watch"}
	rules := append(hpacouple.Rules(!writes),
		rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"deployments", "statefulsets"}, Verbs: see},
		rbacv1.PolicyRule{APIGroups: []string{"autoscaling"}, Resources: []string{"horizontalpodautoscalers"}, Verbs: see},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"limitranges", "pods"}, Verbs: []string{"list"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"create"}})
	var roles []any
	role := func(name, namespace string, rules []rbacv1.PolicyRule) {
		roles = append(roles, rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Rules: rules})
	}
	for _, n := range names {
		role("rightsize-controller", n, rules)
	}
	if len(names) == 0 {
		roles = append(roles, rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
			ObjectMeta: metav1.ObjectMeta{Name: "rightsize-controller"}, Rules: rules})
	}
	if elect {
		role("rightsize-controller-leader", electIn, []rbacv1.PolicyRule{
			{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create"}},
			{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{"rightsize-controller"}, Verbs: []string{"get", "update"}},
			{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}}})
	}
	for i, r := range roles {
		text, err := yaml.Marshal(r)
		if err != nil {
			return err
		}
		if i > 0 {
			text = append([]byte("---\n"), text...)
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	return nil
}
