package rightsizetest

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/metrics"
)

// StatefulInputs draws as [Inputs] does, with a state from [States].
func StatefulInputs() *rapid.Generator[hpacouple.Input] {
	return rapid.Custom(func(t *rapid.T) hpacouple.Input {
		in := Inputs().Draw(t, "input")
		in.State = States(in).Draw(t, "state")
		return in
	})
}

// States draws states for an input: the empty one; the pair in force as anchor, applied or pending; half of it; other pairs of the same
// containers, also as previous ones; now and then one of another resource. The input is not written to.
func States(in hpacouple.Input) *rapid.Generator[*hpacouple.State] {
	return rapid.Custom(func(t *rapid.T) *hpacouple.State {
		s := &hpacouple.State{}
		if oneIn(t, 6, "empty") {
			return s
		}
		name, target := corev1.ResourceCPU, int32(50)
		if e, ok := coupledEntry(in); ok {
			name, target = e.Resource, e.Utilization
		}
		if oneIn(t, 20, "another resource") {
			name = map[corev1.ResourceName]corev1.ResourceName{corev1.ResourceCPU: corev1.ResourceMemory, corev1.ResourceMemory: corev1.ResourceCPU}[name]
		}
		live := requestsOf(in, name)
		if len(live) == 0 {
			return s
		}
		s.Version, s.Resource = hpacouple.StateVersion, name
		targets := []int32{target, target, rapid.Int32Range(40, 90).Draw(t, "T0"), rapid.Int32Range(1, 120).Draw(t, "T")}
		others := [][]hpacouple.AnchorRequest{live, live, otherRequests(t, live, name), otherRequests(t, live, name)}
		pair := func(label string) *hpacouple.AnchorPair {
			requests := others[rapid.IntRange(0, 3).Draw(t, label+" requests")]
			return &hpacouple.AnchorPair{Target: targets[rapid.IntRange(0, 3).Draw(t, label+" target")], Requests: slices.Clone(requests)}
		}
		s.Anchor = *pair("anchor")
		if rapid.Bool().Draw(t, "applied") {
			s.Applied = pair("applied")
			s.Applied.Half = oneIn(t, 6, "half")
		}
		if rapid.Bool().Draw(t, "pending") {
			s.Pending = pair("pending")
		}
		for range rapid.IntRange(0, 3).Draw(t, "previous") {
			s.Previous = append(s.Previous, *pair("previous"))
		}
		return s.DeepCopy()
	})
}

// otherRequests draws other requests for the same containers.
func otherRequests(t *rapid.T, live []hpacouple.AnchorRequest, name corev1.ResourceName) []hpacouple.AnchorRequest {
	out := make([]hpacouple.AnchorRequest, len(live))
	for i, r := range live {
		q := near(t, r.Request, name)
		out[i] = hpacouple.AnchorRequest{Container: r.Container, Request: resource.MustParse(q.String())} // canonical, as it was stored
	}
	return out
}

// requestsOf lists the requests of the template's containers that count, as a state does; a pod-level request has the empty name.
func requestsOf(in hpacouple.Input, name corev1.ResourceName) (out []hpacouple.AnchorRequest) {
	sum, err := in.Pod.Requests(name, "")
	if err != nil {
		return nil
	}
	if sum.Basis == metrics.BasisPodLevel {
		return []hpacouple.AnchorRequest{{Request: *sum.PodLevel.Quantity()}}
	}
	for _, term := range sum.Terms {
		if q := term.Request.Quantity(); term.Counted && !term.Injected && q != nil {
			out = append(out, hpacouple.AnchorRequest{Container: term.Name, Request: *q})
		}
	}
	return out
}

// HostileStates draws anything that the type allows: nil, other versions, no requests, containers twice, amounts of any kind.
func HostileStates() *rapid.Generator[*hpacouple.State] {
	pair := rapid.Custom(func(t *rapid.T) *hpacouple.AnchorPair {
		if oneIn(t, 3, "nil") {
			return nil
		}
		p := &hpacouple.AnchorPair{Target: rapid.SampledFrom([]int32{50, 71, 0, -1, 1<<31 - 1}).Draw(t, "target"), Half: rapid.Bool().Draw(t, "half")}
		for range rapid.IntRange(0, 2).Draw(t, "requests") {
			p.Requests = append(p.Requests, hpacouple.AnchorRequest{Container: rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "container"), Request: hostileQuantities().Draw(t, "request")})
		}
		return p
	})
	return rapid.Custom(func(t *rapid.T) *hpacouple.State {
		if oneIn(t, 8, "nil") {
			return nil
		}
		s := &hpacouple.State{Version: rapid.SampledFrom([]string{hpacouple.StateVersion, hpacouple.StateVersion, "", "v0"}).Draw(t, "version"),
			Resource: rapid.SampledFrom([]corev1.ResourceName{"cpu", "cpu", "memory", "", "x"}).Draw(t, "resource"), Applied: pair.Draw(t, "applied"), Pending: pair.Draw(t, "pending")}
		if p := pair.Draw(t, "anchor"); p != nil {
			s.Anchor = *p
		}
		if oneIn(t, 3, "one pair") { // often enough valid
			one := hpacouple.AnchorPair{Target: 50, Requests: []hpacouple.AnchorRequest{{Container: "a", Request: resource.MustParse("1")}}}
			s.Version, s.Resource, s.Anchor, s.Applied, s.Pending = hpacouple.StateVersion, corev1.ResourceCPU, one, nil, nil
		}
		return s.DeepCopy()
	})
}
