package manifest

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
)

// Origin is where something was read.
type Origin struct {
	File     string
	Document int // from 1
	Item     int // from 1 inside a list, 0 outside
	Line     int // from 1, where the object starts; 0 if unknown
}

// String is "file.yaml:12: document 2, item 3" without the parts that are zero.
func (o Origin) String() string {
	var b strings.Builder
	b.WriteString(o.File)
	if o.Line > 0 {
		fmt.Fprintf(&b, ":%d", o.Line)
	}
	if o.Document > 0 {
		fmt.Fprintf(&b, ": document %d", o.Document)
	}
	if o.Item > 0 {
		fmt.Fprintf(&b, ", item %d", o.Item)
	}
	return b.String()
}

// Problem is a fault of the input. Document and Item are 0 where the fault is
// the file's, Line is that of the fault itself, Field the path inside the
// object, such as spec.template.spec.containers[0].resources.requests.cpu.
type Problem struct {
	Origin
	Field   string
	Message string // what was found and what was expected
}

// String is one line for a person.
func (p Problem) String() string {
	if p.Field == "" {
		return p.Origin.String() + ": " + p.Message
	}
	return p.Origin.String() + ": " + p.Field + ": " + p.Message
}

// Identity names an object, as far as it names itself. Namespace is "default"
// where none was given.
type Identity struct {
	APIVersion string
	Kind       string
	Namespace  string
	Name       string
}

// Sourced is an object with its origin and what it is called. The namespace is
// filled in, in the object too.
type Sourced[T any] struct {
	Origin
	Identity
	Object T

	root *node // as it stands in the document
}

// Field is the origin with the line of a field, given by its path, such as spec.containers[0].resources.requests[cpu]. Where the field is not
// there it is the line of the innermost part of the path that is.
func (s Sourced[T]) Field(path string) Origin {
	o := s.Origin
	if n := s.root.walk(path); n != nil && n.line > 0 {
		o.Line = n.line
	}
	return o
}

// As is another object that was made of the same document.
func As[U, T any](s Sourced[T], object U) Sourced[U] {
	return Sourced[U]{s.Origin, s.Identity, object, s.root}
}

// Skipped is a document of a kind that is not read here.
type Skipped struct {
	Origin
	Identity
}

// Refused is an object of a kind that is read here, but with a problem: it is
// in no other list. Whoever draws a conclusion from the absence of an object
// ("this workload has no HPA") looks here first.
type Refused struct {
	Origin
	Identity
	// Target is what an autoscaler says that it scales, nil if it cannot be read.
	Target *autoscalingv2.CrossVersionObjectReference
	// Policy says that it is a policy, whatever its kind.
	Policy bool
	// Again says that it could be read, but is the second of its name.
	Again bool
}

// Objects is what was read, each list in the order of the input. The zero
// value is empty and ready.
type Objects struct {
	Deployments         []Sourced[*appsv1.Deployment]
	StatefulSets        []Sourced[*appsv1.StatefulSet]
	ReplicaSets         []Sourced[*appsv1.ReplicaSet]
	DaemonSets          []Sourced[*appsv1.DaemonSet]
	Autoscalers         []Sourced[*autoscalingv2.HorizontalPodAutoscaler]
	AutoscalersV1       []Sourced[*autoscalingv1.HorizontalPodAutoscaler]
	VerticalAutoscalers []Sourced[*VerticalPodAutoscaler]
	LimitRanges         []Sourced[*corev1.LimitRange]
	Pods                []Sourced[*corev1.Pod]
	Services            []Sourced[*corev1.Service]
	PodMetrics          []Sourced[*PodMetrics]
	Policies            []Sourced[*Policy]
	Skipped             []Skipped
	Refused             []Refused

	taken map[subject]Origin // of every object in the lists above
}

// subject is what there may be one of: one object per kind, namespace and
// name, whatever its version, and one policy per namespace.
type subject struct{ kind, namespace, name string }

// Add appends what other holds; the objects themselves are shared. An object
// that stands in both is kept once, the earlier one; the later one is a problem
// and goes to Refused. So is a second policy for one namespace.
func (o *Objects) Add(other Objects) []Problem {
	var found []Problem
	for _, k := range kinds {
		found = append(found, k.add(o, other)...)
	}
	o.Skipped = append(o.Skipped, other.Skipped...)
	o.Refused = append(o.Refused, other.Refused...)
	return found
}
