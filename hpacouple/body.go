package hpacouple

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
)

// begin writes what every body has: apiVersion, kind, and metadata with what our manager owns in it and the guards.
func (s *scene) begin(ref ObjectRef, meta *metav1.ObjectMeta, tree *fieldsv1.Node, force bool) (j jsonText) {
	j = make(jsonText, 0, 512)
	j.open('{')
	j.pair("apiVersion", ref.APIVersion)
	j.pair("kind", ref.Kind)
	j.key("metadata")
	j.open('{')
	owned := tree.Child("f:metadata")
	writeStrings(&j, "annotations", owned.Child("f:annotations"), meta.Annotations)
	writeStrings(&j, "labels", owned.Child("f:labels"), meta.Labels)
	j.pair("name", ref.Name)
	if force {
		j.pair("resourceVersion", meta.ResourceVersion)
	}
	j.pair("uid", string(meta.UID))
	j.shut('}')
	return j
}

// writeStrings writes the live annotations or labels that are ours.
func writeStrings(j *jsonText, name string, owned *fieldsv1.Node, live map[string]string) {
	if owned == nil {
		return
	}
	var keys []string
	for i := range owned.Children {
		if k, ok := strings.CutPrefix(owned.Children[i].Key, "f:"); ok {
			if _, there := live[k]; there {
				keys = append(keys, k)
			}
		}
	}
	slices.Sort(keys)
	j.key(name)
	j.open('{')
	for _, k := range keys {
		j.key(k)
		j.text(live[k])
	}
	j.shut('}')
}

// hpaBody is the body of an apply of the HPA.
func (s *scene) hpaBody(list []autoscalingv2.MetricSpec, force bool) ([]byte, field.ErrorList) {
	tree := s.hpa.ours()
	var spec []string
	if s.hpa.mine >= 0 {
		spec = metricsPlace{}.path(s.hpa.entries[s.hpa.mine].APIVersion)[1:]
	}
	if errs := foreign(tree, spec, field.NewPath("live", "hpa", "metadata", "managedFields")); len(errs) > 0 {
		return nil, errs
	}
	j := s.begin(s.hpaRef(), &s.live.HPA.ObjectMeta, tree, force)
	j.key("spec")
	j.open('{')
	j.key("metrics")
	j.open('[')
	for i := range list {
		entry, err := metricText(&list[i])
		if err != nil {
			return nil, field.ErrorList{field.Invalid(field.NewPath("live", "hpa", "spec", "metrics").Index(i), string(list[i].Type), err.Error())}
		}
		j.raw(entry)
	}
	j.shut(']')
	j.shut('}')
	j.shut('}')
	return j, nil
}

// metricText is one entry of spec.metrics as canonical JSON, and its quantities as the API server stores them. They are others' and are carried
// through whatever they are, unless no text would read back as the same (1000E prints as 1).
func metricText(m *autoscalingv2.MetricSpec) ([]byte, error) {
	if ref, target := targetOf(m); target != nil && target.Type == autoscalingv2.UtilizationMetricType && target.Value == nil &&
		m.Object == nil && m.Pods == nil && m.External == nil && (m.Resource == nil || m.ContainerResource == nil) {
		return utilizationText(ref, *target.AverageUtilization), nil
	}
	c := m.DeepCopy()
	for _, t := range targets(c) {
		for _, q := range []**resource.Quantity{&t.Value, &t.AverageValue} {
			if *q == nil {
				continue
			}
			again, err := readBack(**q)
			if err != nil {
				return nil, err
			}
			*q = &again
		}
	}
	typed, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(typed, &plain); err != nil {
		return nil, err
	}
	return json.Marshal(plain) // keys in byte order
}

// errNotReadBack says that a quantity has no text of its own.
var errNotReadBack = errors.New("has no text that an API server would read as the same quantity")

// readBack is a quantity as the API server stores it. Errors: one whose text reads as another, and one that is beyond all texts.
func readBack(q resource.Quantity) (resource.Quantity, error) {
	if f := q.AsApproximateFloat64(); !(math.Abs(f) < 1e300) { // a monstrous exponent would make a monstrous text
		return resource.Quantity{}, errNotReadBack
	}
	again, err := resource.ParseQuantity(asStored(q))
	if err != nil || compare(again, q) != 0 {
		return resource.Quantity{}, errNotReadBack
	}
	return again, nil
}

// utilizationText is [metricText] for the entries that are there most often, without the detour.
func utilizationText(ref TargetRef, target int32) []byte {
	j := make(jsonText, 0, 128)
	j.open('{')
	if ref.Type == autoscalingv2.ContainerResourceMetricSourceType {
		j.key("containerResource")
		j.open('{')
		j.key("container")
		j.text(ref.Container)
	} else {
		j.key("resource")
		j.open('{')
	}
	j.key("name")
	j.text(string(ref.Resource))
	j.key("target")
	j.open('{')
	j.key("averageUtilization")
	j.number(target)
	j.key("type")
	j.text(string(autoscalingv2.UtilizationMetricType))
	j.shut('}')
	j.shut('}')
	j.key("type")
	j.text(string(ref.Type))
	j.shut('}')
	return j
}

func targets(m *autoscalingv2.MetricSpec) (list []*autoscalingv2.MetricTarget) {
	if m.Resource != nil {
		list = append(list, &m.Resource.Target)
	}
	if m.ContainerResource != nil {
		list = append(list, &m.ContainerResource.Target)
	}
	if m.Pods != nil {
		list = append(list, &m.Pods.Target)
	}
	if m.Object != nil {
		list = append(list, &m.Object.Target)
	}
	if m.External != nil {
		list = append(list, &m.External.Target)
	}
	return list
}

// notKept is a field of our manager's that a body could not keep.
func notKept(at *field.Path, keys []string) *field.Error {
	return field.Forbidden(at, "our manager owns "+strings.Join(keys, " ")+", which a body of ours would give up; see Repair")
}

// foreign lists what our manager owns and a body could not keep. path leads below f:spec to what it can.
func foreign(tree *fieldsv1.Node, path []string, at *field.Path) (errs field.ErrorList) {
	refuse := func(keys ...string) { errs = append(errs, notKept(at, keys)) }
	if tree == nil {
		return nil
	}
	for i := range tree.Children {
		switch n := &tree.Children[i]; n.Key {
		case "f:metadata":
			for k := range n.Children {
				m := &n.Children[k]
				if m.Key != "f:annotations" && m.Key != "f:labels" && m.Key != fieldsv1.Self {
					refuse(n.Key, m.Key)
				}
				if m.Child("f:"+corev1.LastAppliedConfigAnnotation) != nil {
					refuse(n.Key, m.Key, corev1.LastAppliedConfigAnnotation)
				}
			}
		case "f:spec":
			foreignSpec(n, path, refuse, n.Key)
		case fieldsv1.Self:
		default:
			refuse(n.Key)
		}
	}
	return errs
}

func foreignSpec(n *fieldsv1.Node, path []string, refuse func(...string), at ...string) {
	if len(path) == 0 {
		return
	}
	if n.Owned() { // .spec itself, with all that nobody else owns in it
		refuse(at...)
	}
	for i := range n.Children {
		c := &n.Children[i]
		if c.Key == path[0] {
			foreignSpec(c, path[1:], refuse, append(slices.Clone(at), c.Key)...)
		} else if c.Key != fieldsv1.Self {
			refuse(append(slices.Clone(at), c.Key)...)
		}
	}
}
