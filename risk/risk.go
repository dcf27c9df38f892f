package risk

import (
	"cmp"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// Object names an object of the cluster. An empty namespace means "default".
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Finding is one mistake at one place.
type Finding struct {
	// Flag says what is wrong; its catalogue entry explains it.
	Flag skipreason.RiskFlag `json:"flag"`
	// Object is where it is.
	Object Object `json:"object"`
	// Field is the path in that object. Metrics and conditions have their index; containers have their name, as the API server writes
	// conflicts: spec.template.spec.containers[name="app"].resources.requests.cpu.
	Field string `json:"field"`
	// Number is the decisive number or text, such as "95".
	Number string `json:"number"`
	// Detail is one short fact. Its wording may change.
	Detail string `json:"detail"`
}

// Input is what is known about one workload. The zero value of each field means "not known" and raises nothing, unless its comment says
// otherwise. Nothing is written to, and nothing of it is kept.
type Input struct {
	// Workload names the workload.
	Workload Object
	// SpecReplicas is spec.replicas of the workload; nil is 1, the API server's default.
	SpecReplicas *int32
	// Pod is the workload's pod, with what the cluster adds to the template.
	Pod metrics.Pod
	// TemplateLabels are the labels of the pod template; Services are matched against them.
	TemplateLabels map[string]string
	// WorkloadMeta is the workload's metadata, for its owners. Nil asks nothing about who owns the workload; metadata without managedFields
	// raises ownership-unknown.
	WorkloadMeta *metav1.ObjectMeta

	// HPA is the workload's HPA, by the caller's word; its scaleTargetRef is not compared. An HPA that has no defaults filled in means what
	// the API server would make of it. Nil leaves all questions about scaling unasked; only the pods and their amounts are looked at.
	HPA *autoscalingv2.HorizontalPodAutoscaler
	// OtherHPAs are other HPAs, of any workload and namespace. They may hold HPA again, and nils.
	OtherHPAs []*autoscalingv2.HorizontalPodAutoscaler
	// VPA is the VerticalPodAutoscaler that targets the workload, by the caller's word.
	VPA *VPA

	// Services are Services of any namespace.
	Services []corev1.Service
	// Pods are the workload's pods.
	Pods []corev1.Pod
	// NodeZones gives the zone of each node on which the workload's pods may run, by node name. A zone without pods counts as one with 0.
	// Where it does not know a pod's node, the pod's own label topology.kubernetes.io/zone says the zone (set since Kubernetes 1.35).
	NodeZones map[string]string
	// LargestNode is the allocatable amount of the largest node that the pods may run on. A resource that it does not name is not judged.
	LargestNode corev1.ResourceList
	// ControlPlane is what is known about the control plane's components.
	ControlPlane *ControlPlane

	// FieldManager is our own field manager; empty means [DefaultFieldManager].
	FieldManager string
	// Tolerance is the HPA controller's --horizontal-pod-autoscaler-tolerance; nil means the default, 0.1.
	Tolerance *resource.Quantity
	// OOMKilled names containers that were OOM-killed.
	OOMKilled []string
	// Throttled names containers that were throttled.
	Throttled []string
}

// DefaultFieldManager is the field manager under which coordinated changes are written.
const DefaultFieldManager = "kerf"

// Check returns all findings, in the order of [skipreason.RiskFlags], then by object (kind, namespace, name), then by field. No finding
// appears twice. The list is never nil.
//
// It is total: whatever the API server would refuse raises what can be told from it, and no more. Laws: input unchanged, equal twice, every
// flag in the closed list.
func Check(in Input) []Finding {
	c := &checker{in: &in, found: make([]Finding, 0, 4)}
	c.list = c.ours()
	if in.HPA != nil {
		c.hpa = Object{Kind: "HorizontalPodAutoscaler", Namespace: in.HPA.Namespace, Name: in.HPA.Name}
		c.entries = metrics.Classify(&in.HPA.Spec)
	}
	c.coupled()
	c.ambiguous()
	if in.HPA != nil {
		c.managedElsewhere()
		c.singleReplica()
		c.atMaxReplicas()
		c.manualPause()
		c.toZero()
		c.scaleDownWindow()
		c.targets()
		c.singleMetric()
		c.unknownMetrics()
		c.neverComputed()
		c.pending()
		c.zones()
		c.vpaOverlap()
	}
	c.resizing()
	c.beyondNode()
	c.tinyMemory()
	slices.SortFunc(c.found, Compare)
	return slices.Compact(c.found)
}

// Flags returns the flags of findings, each once, in the order of [skipreason.RiskFlags]. The list is never nil.
func Flags(findings []Finding) []skipreason.RiskFlag {
	flags := make([]skipreason.RiskFlag, 0, len(findings))
	for i := range findings {
		if f := findings[i].Flag; f.Valid() && !slices.Contains(flags, f) {
			flags = append(flags, f)
		}
	}
	slices.SortFunc(flags, func(a, b skipreason.RiskFlag) int { return cmp.Compare(a.Order(), b.Order()) })
	return flags
}

// checker gathers findings about one input.
type checker struct {
	in      *Input
	hpa     Object
	list    []*autoscalingv2.HorizontalPodAutoscaler // the workload's, each once
	entries []metrics.Entry
	found   []Finding
}

func (c *checker) add(flag skipreason.RiskFlag, object Object, field, number, detail string) {
	c.found = append(c.found, Finding{Flag: flag, Object: object, Field: field, Number: number, Detail: detail})
}

// Compare orders findings as [Check] lists them: by flag, in the order of [skipreason.RiskFlags], then by object, field, number and detail.
func Compare(a, b Finding) int {
	if c := cmp.Compare(a.Flag.Order(), b.Flag.Order()); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.Object.Kind, b.Object.Kind),
		cmp.Compare(a.Object.Namespace, b.Object.Namespace),
		cmp.Compare(a.Object.Name, b.Object.Name),
		cmp.Compare(a.Field, b.Field),
		cmp.Compare(a.Number, b.Number),
		cmp.Compare(a.Detail, b.Detail),
	)
}

// sameNamespace compares namespaces, of which the empty one means "default".
func sameNamespace(a, b string) bool {
	return cmp.Or(a, metav1.NamespaceDefault) == cmp.Or(b, metav1.NamespaceDefault)
}
