package manifest

import (
	"fmt"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kind is one kind of object that is read.
type kind struct {
	name     string
	group    string
	versions []string
	load     func(*reader, *node, Origin, Identity)
	add      func(*Objects, Objects) []Problem
}

// kinds has an entry per Go type. policyKind is not among what is looked up by
// name: what makes a policy is its content.
var (
	policyKind = kindOf("", "", nil, func(o *Objects) *[]Sourced[*Policy] { return &o.Policies })

	kinds = []kind{
		kindOf("Deployment", "apps", []string{"v1"},
			func(o *Objects) *[]Sourced[*appsv1.Deployment] { return &o.Deployments }),
		kindOf("StatefulSet", "apps", []string{"v1"},
			func(o *Objects) *[]Sourced[*appsv1.StatefulSet] { return &o.StatefulSets }),
		kindOf("ReplicaSet", "apps", []string{"v1"},
			func(o *Objects) *[]Sourced[*appsv1.ReplicaSet] { return &o.ReplicaSets }),
		kindOf("DaemonSet", "apps", []string{"v1"},
			func(o *Objects) *[]Sourced[*appsv1.DaemonSet] { return &o.DaemonSets }),
		kindOf("HorizontalPodAutoscaler", "autoscaling", []string{"v2"},
			func(o *Objects) *[]Sourced[*autoscalingv2.HorizontalPodAutoscaler] { return &o.Autoscalers }),
		kindOf("HorizontalPodAutoscaler", "autoscaling", []string{"v1"},
			func(o *Objects) *[]Sourced[*autoscalingv1.HorizontalPodAutoscaler] { return &o.AutoscalersV1 }),
		kindOf("VerticalPodAutoscaler", "autoscaling.k8s.io", []string{"v1", "v1beta2"},
			func(o *Objects) *[]Sourced[*VerticalPodAutoscaler] { return &o.VerticalAutoscalers }),
		kindOf("LimitRange", "", []string{"v1"},
			func(o *Objects) *[]Sourced[*corev1.LimitRange] { return &o.LimitRanges }),
		kindOf("Pod", "", []string{"v1"},
			func(o *Objects) *[]Sourced[*corev1.Pod] { return &o.Pods }),
		kindOf("Service", "", []string{"v1"},
			func(o *Objects) *[]Sourced[*corev1.Service] { return &o.Services }),
		kindOf("PodMetrics", "metrics.k8s.io", []string{"v1beta1"},
			func(o *Objects) *[]Sourced[*PodMetrics] { return &o.PodMetrics }),
		policyKind,
	}
)

// find looks up a kind by what a document says of itself. Not found and no
// expectation: another kind, to be skipped, such as a Service of Knative. Not
// found with an expectation: a kind that is read, in a version or a built-in
// group (they have no dot) that does not serve it.
func find(apiVersion, name string) (found *kind, expected string) {
	group, version := "", apiVersion
	if i := strings.IndexByte(apiVersion, '/'); i >= 0 {
		group, version = apiVersion[:i], apiVersion[i+1:]
	}
	var readable []string
	for i := range kinds {
		k := &kinds[i]
		if k.name != name || name == "" {
			continue
		}
		known := group == k.group || !strings.Contains(group, ".")
		for _, v := range k.versions {
			if group == k.group && version == v {
				return k, ""
			}
			if known {
				readable = append(readable, strings.TrimPrefix(k.group+"/"+v, "/"))
			}
		}
	}
	return nil, strings.Join(readable, " or ")
}

// kindOf ties a Go type to its list in Objects.
func kindOf[T any, P interface {
	*T
	metav1.Object
	GetObjectKind() schema.ObjectKind
}](name, group string, versions []string, list func(*Objects) *[]Sourced[P]) kind {
	// put keeps one object, unless its place is taken.
	put := func(o *Objects, s Sourced[P]) *Problem {
		place := subject{name, s.Namespace, s.Name}
		what := s.Kind + " " + clip(s.Namespace) + "/" + clip(s.Name)
		if name == "" {
			place.name = ""
			what = "policy for namespace " + clip(s.Namespace)
		}
		if first, taken := o.taken[place]; taken {
			o.Refused = append(o.Refused, Refused{s.Origin, s.Identity, target(s.Object), name == "", true})
			return &Problem{Origin: s.Origin, Message: fmt.Sprintf("found a second %s, expected one; the first is at %s", what, first)}
		}
		if o.taken == nil {
			o.taken = map[subject]Origin{}
		}
		o.taken[place] = s.Origin
		*list(o) = append(*list(o), s)
		return nil
	}

	load := func(r *reader, n *node, at Origin, id Identity) {
		object := P(new(T))
		d := decoder{r, at}
		before := r.count
		d.faults(n, nil)
		d.decode(n, nil, reflect.ValueOf(object).Elem(), false)
		if r.count == before && name != "" && id.Name == "" {
			d.problem(n, (&path{key: "metadata"}).down("name"), "found nothing, expected the name of the object")
		}
		if r.count > before {
			r.objects.Refused = append(r.objects.Refused, Refused{at, id, target(object), name == "", false})
			return
		}
		object.SetNamespace(id.Namespace)
		object.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(id.APIVersion, id.Kind))
		if p, ok := any(object).(*Policy); ok {
			p.Spec.HPA.Raw = appendJSON(nil, n.field("spec").field("hpa"))
		}
		if problem := put(&r.objects, Sourced[P]{at, id, object, n}); problem != nil {
			r.report(*problem)
		}
	}

	add := func(o *Objects, other Objects) []Problem {
		var found []Problem
		for _, s := range *list(&other) {
			if problem := put(o, s); problem != nil {
				found = append(found, *problem)
			}
		}
		return found
	}
	return kind{name, group, versions, load, add}
}

// target is what an autoscaler scales, as far as it could be read.
func target(object any) *autoscalingv2.CrossVersionObjectReference {
	var ref autoscalingv2.CrossVersionObjectReference
	switch o := object.(type) {
	case *autoscalingv2.HorizontalPodAutoscaler:
		ref = o.Spec.ScaleTargetRef
	case *autoscalingv1.HorizontalPodAutoscaler:
		ref = autoscalingv2.CrossVersionObjectReference(o.Spec.ScaleTargetRef)
	case *VerticalPodAutoscaler:
		ref = o.Spec.TargetRef
	}
	if ref.Kind == "" || ref.Name == "" {
		return nil
	}
	return &ref
}
