package hpacouple

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
)

// partsOf returns the highest nodes below which all is to be given up. wants nil is everything but metadata; the root itself is the empty path.
func partsOf(tree *fieldsv1.Node, wants func(AmountRef) bool) (parts [][]string) {
	if wants == nil {
		for i := range tree.Children {
			if k := tree.Children[i].Key; k != "f:metadata" {
				parts = append(parts, []string{k})
			}
		}
		if len(parts) == len(tree.Children) {
			return [][]string{{}}
		}
		return parts
	}
	parts, all := wantedParts(tree, nil, wants)
	if all {
		return [][]string{{}}
	}
	return parts
}

// wantedParts walks down to the amounts. all says that nothing would be left of the node; of an item its name alone is nothing, and so is what
// a body of ours kept as an empty object, where its container is wanted.
func wantedParts(n *fieldsv1.Node, at []string, wants func(AmountRef) bool) (parts [][]string, all bool) {
	if ref, is := amountAt(at); is {
		return nil, wants(ref)
	}
	gone, left := 0, 0
	for i := range n.Children {
		c := &n.Children[i]
		if c.Key == fieldsv1.Self || (c.Key == "f:name" && len(at) == 5) {
			continue
		}
		below := append(slices.Clone(at), c.Key)
		more, whole := wantedParts(c, below, wants)
		if whole {
			gone++
			parts = append(parts, below)
		} else {
			left++
			parts = append(parts, more...)
		}
	}
	if gone == 0 && left == 0 {
		ref, is := containerAt(at)
		return nil, is && wants(ref)
	}
	return parts, left == 0
}

// containerAt reads the path of a container's item, or of its or the pod's resources or list of amounts. It is an amount without a resource.
func containerAt(path []string) (ref AmountRef, ok bool) {
	if len(path) < 4 || path[0] != "f:spec" || path[1] != "f:template" || path[2] != "f:spec" {
		return ref, false
	}
	if path[3] == "f:resources" {
		return AmountRef{Place: InPod}, true
	}
	if ref.Place = Place(strings.TrimPrefix(path[3], "f:")); len(path) < 5 || !ref.Place.Valid() {
		return ref, false
	}
	ref.Container, ok = fieldsv1.ItemName(path[4])
	return ref, ok
}

// amountAt reads the path of an amount.
func amountAt(path []string) (ref AmountRef, ok bool) {
	if len(path) < 6 || path[0] != "f:spec" || path[1] != "f:template" || path[2] != "f:spec" {
		return ref, false
	}
	rest := path[3:]
	if rest[0] == "f:resources" {
		ref.Place = InPod
	} else if len(rest) == 5 {
		ref.Place = Place(strings.TrimPrefix(rest[0], "f:"))
		if ref.Container, ok = fieldsv1.ItemName(rest[1]); !ok || !ref.Place.Valid() {
			return ref, false
		}
		rest = rest[2:]
	}
	if len(rest) != 3 || rest[0] != "f:resources" || len(rest[1]) < 2 || len(rest[2]) < 3 {
		return ref, false
	}
	ref.Kind, ref.Resource = AmountKind(rest[1][2:]), corev1.ResourceName(rest[2][2:])
	return ref, ref.Kind.Valid()
}
