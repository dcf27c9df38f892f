package hpacouple_test

import (
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// H9: the order of containers and of recommendations does not matter.
func lawH9(t *rapid.T) {
	in := stateful().Draw(t, "in")
	r, ok := planned(t, in)
	other := copyInput(in)
	other.Pod.Spec.Containers = rapid.Permutation(other.Pod.Spec.Containers).Draw(t, "containers")
	other.Recommendations = rapid.Permutation(other.Recommendations).Draw(t, "recommendations")
	s, okOther := planned(t, other)
	require.Equal(t, ok, okOther)
	if !ok {
		return
	}
	for _, x := range []*hpacouple.Result{&r, &s} {
		slices.Sort(x.Missing)
		sort.SliceStable(x.Containers, func(i, j int) bool { return x.Containers[i].Name < x.Containers[j].Name })
		sort.SliceStable(x.Observed.Amounts, func(i, j int) bool { return x.Observed.Amounts[i].Container < x.Observed.Amounts[j].Container })
	}
	require.Equal(t, marshal(t, r), marshal(t, s))
}

func TestH9(t *testing.T) { rapid.Check(t, lawH9) }
func FuzzH9(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH9)) }

// H10: multiplying all cpu numbers by a whole k leaves the target, for whole-milli recommendations when no bound acts.
func lawH10(t *rapid.T) {
	target := rapid.Int32Range(40, 90).Draw(t, "T")
	k := rapid.SampledFrom([]int64{2, 3, 10, 1000}).Draw(t, "k")
	small, large := input(target), input(target)
	for i := range rapid.IntRange(1, 3).Draw(t, "n") {
		from, to := rapid.Int64Range(1, 3000).Draw(t, "from"), rapid.Int64Range(1, 3000).Draw(t, "to")
		for _, x := range []struct {
			in *hpacouple.Input
			k  int64
		}{{&small, 1}, {&large, k}} {
			q := milli(from * x.k)
			p := milli(to * x.k)
			name := fmt.Sprintf("c%d", i)
			x.in.Pod.Spec.Containers = append(x.in.Pod.Spec.Containers, corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": q}}})
			x.in.Recommendations = append(x.in.Recommendations, hpacouple.Recommendation{Container: name, Requests: corev1.ResourceList{"cpu": p}})
		}
	}
	a, _ := planned(t, small)
	b, _ := planned(t, large)
	require.Equal(t, a.Working.Acted, b.Working.Acted)
	if a.Working.Acted == "" {
		require.Equal(t, a.Outcome, b.Outcome)
		require.Equal(t, a.Targets[0].To, b.Targets[0].To)
		require.Equal(t, a.Targets[0].Exact, b.Targets[0].Exact)
	}
}

func TestH10(t *testing.T) { rapid.Check(t, lawH10) }
func FuzzH10(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawH10)) }
