package metrics_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
)

// The request sum said again in big integers, rule by rule, from the objects alone.

// naiveMilli rounds up to thousandths by the decimal text; bad says that the library must refuse it.
func naiveMilli(q resource.Quantity) (m *big.Int, bad bool) {
	c := q.DeepCopy()
	d := c.AsDec()
	m = new(big.Int).Set(d.UnscaledBig())
	if places := int64(d.Scale()) - 3; places > 0 { // more than thousandths: divide, up
		over := new(big.Int).Exp(big.NewInt(10), big.NewInt(places), nil)
		rest := new(big.Int)
		m.QuoRem(m, over, rest)
		if rest.Sign() > 0 {
			m.Add(m, big.NewInt(1))
		}
		if d.Sign() < 0 {
			return m, true
		}
	} else {
		m.Mul(m, new(big.Int).Exp(big.NewInt(10), big.NewInt(-places), nil))
	}
	return m, d.Sign() < 0 || !m.IsInt64()
}

type naivePart struct {
	name    string
	role    metrics.Role
	request *big.Int // nil for none
}

type naive struct {
	name corev1.ResourceName
	bad  bool // an amount that was looked at is refused
}

func (n *naive) amount(list corev1.ResourceList) *big.Int {
	q, ok := list[n.name]
	if !ok {
		return nil
	}
	m, bad := naiveMilli(q)
	n.bad = n.bad || bad
	return m
}

func first(amounts ...*big.Int) *big.Int {
	for _, a := range amounts {
		if a != nil {
			return a
		}
	}
	return nil
}

// fromRanges is the request that LimitRanges give: the first object by name that has one, of it the last item.
func (n *naive) fromRanges(ranges []corev1.LimitRange) *big.Int {
	byName := slices.Clone(ranges)
	sort.SliceStable(byName, func(i, j int) bool { return byName[i].Name < byName[j].Name })
	var found *big.Int
	for _, r := range byName {
		var own *big.Int
		for _, item := range r.Spec.Limits {
			if item.Type == corev1.LimitTypeContainer {
				own = first(first(n.amount(item.DefaultRequest), n.amount(item.Default), n.amount(item.Max), n.amount(item.Min)), own)
			}
		}
		found = first(found, own)
	}
	return found
}

func (n *naive) parts(p metrics.Pod) (out []naivePart) {
	given := n.fromRanges(p.LimitRanges)
	if p.Spec == nil {
		n.bad = false // nobody looks
		return nil
	}
	has := func(c corev1.Container) bool {
		same := func(o corev1.Container) bool { return o.Name == c.Name }
		return slices.ContainsFunc(p.Spec.Containers, same) || slices.ContainsFunc(p.Spec.InitContainers, same)
	}
	part := func(c corev1.Container, init bool) naivePart {
		role := metrics.RoleContainer
		if init {
			role = metrics.RoleInit
			if c.RestartPolicy != nil && *c.RestartPolicy == "Always" {
				role = metrics.RoleSidecar
			}
		}
		request, limit := n.amount(c.Resources.Requests), n.amount(c.Resources.Limits)
		return naivePart{c.Name, role, first(request, limit, given)}
	}
	for _, c := range p.Spec.Containers {
		out = append(out, part(c, false))
	}
	var live corev1.PodSpec
	if p.Live != nil {
		live = p.Live.Spec
	}
	for _, c := range live.Containers {
		if !has(c) {
			out = append(out, part(c, false))
		}
	}
	// An injected init container stands before the first one of the template that comes after it in the live pod.
	place := func(j int) int {
		for i, own := range p.Spec.InitContainers {
			if k := slices.IndexFunc(live.InitContainers, func(c corev1.Container) bool { return c.Name == own.Name }); k > j {
				return i
			}
		}
		return len(p.Spec.InitContainers)
	}
	for i := 0; i <= len(p.Spec.InitContainers); i++ {
		for j, c := range live.InitContainers {
			if !has(c) && place(j) == i {
				out = append(out, part(c, true))
			}
		}
		if i < len(p.Spec.InitContainers) {
			out = append(out, part(p.Spec.InitContainers[i], true))
		}
	}
	return out
}

// naiveAnswer is a sum, or the kind of error: "missing" with the containers, "unknown", "bad".
type naiveAnswer struct {
	kind    string
	sum     *big.Int
	basis   metrics.Basis
	missing []string
}

func naiveSum(p metrics.Pod, name corev1.ResourceName, container string) naiveAnswer {
	n := &naive{name: name}
	parts := n.parts(p)
	if n.bad {
		return naiveAnswer{kind: "bad"}
	}
	plain, missing := new(big.Int), []string(nil)
	for _, part := range parts {
		switch {
		case part.role == metrics.RoleInit:
		case part.request == nil:
			missing = append(missing, part.name)
		default:
			plain.Add(plain, part.request)
		}
		if container != "" && part.name == container && part.role != metrics.RoleInit { // HPA rule 13
			if part.request == nil {
				return naiveAnswer{kind: "missing", basis: metrics.BasisContainer, missing: []string{container}}
			}
			return naiveAnswer{sum: part.request, basis: metrics.BasisContainer}
		}
	}
	if container != "" {
		return naiveAnswer{kind: "unknown", basis: metrics.BasisContainer}
	}
	var overhead, own, ownLimit *big.Int
	if p.Spec != nil {
		list := p.Spec.Overhead
		if list == nil && p.Live != nil {
			list = p.Live.Spec.Overhead
		}
		overhead = n.amount(list)
		if p.Spec.Resources != nil && supported(name) {
			own, ownLimit = n.amount(p.Spec.Resources.Requests), n.amount(p.Spec.Resources.Limits)
		}
	}
	if n.bad {
		return naiveAnswer{kind: "bad"}
	}
	if !naivePodLevel(p) { // HPA rules 11 and 12
		if len(missing) > 0 {
			return naiveAnswer{kind: "missing", basis: metrics.BasisContainers, missing: missing}
		}
		return fits(naiveAnswer{sum: plain, basis: metrics.BasisContainers})
	}
	// HPA rules 14 and 15.
	requested := slices.ContainsFunc(parts, func(part naivePart) bool { return part.request != nil })
	if own == nil && (!requested || strings.HasPrefix(string(name), "hugepages-")) {
		own = ownLimit
	}
	extra := first(overhead, new(big.Int))
	if own != nil {
		return fits(naiveAnswer{sum: new(big.Int).Add(own, extra), basis: metrics.BasisPodLevel})
	}
	if !requested && overhead == nil {
		return naiveAnswer{kind: "missing", basis: metrics.BasisPodLevel}
	}
	most := new(big.Int).Set(plain)
	beside := new(big.Int)
	for _, part := range parts {
		request := first(part.request, new(big.Int))
		switch part.role {
		case metrics.RoleSidecar:
			beside.Add(beside, request)
		case metrics.RoleInit:
			if step := new(big.Int).Add(request, beside); step.Cmp(most) > 0 {
				most = step
			}
		}
	}
	return fits(naiveAnswer{sum: most.Add(most, extra), basis: metrics.BasisAggregate})
}

func fits(a naiveAnswer) naiveAnswer {
	if !a.sum.IsInt64() {
		a.kind = "bad"
	}
	return a
}

func supported(name corev1.ResourceName) bool {
	return name == "cpu" || name == "memory" || strings.HasPrefix(string(name), "hugepages-")
}

// naivePodLevel: the pod has, or gets, a request of its own of a resource that can have one.
func naivePodLevel(p metrics.Pod) bool {
	if p.Spec == nil || p.Spec.Resources == nil {
		return false
	}
	names := map[corev1.ResourceName]bool{}
	for name := range p.Spec.Resources.Requests {
		names[name] = true
	}
	for name := range p.Spec.Resources.Limits {
		names[name] = true
	}
	for name := range names {
		if supported(name) {
			return true
		}
	}
	if len(names) == 0 {
		return false
	}
	for _, name := range []corev1.ResourceName{"cpu", "memory"} { // what the containers request is filled in
		n := &naive{name: name}
		parts := n.parts(p)
		if !n.bad && slices.ContainsFunc(parts, func(part naivePart) bool { return part.request != nil }) {
			return true
		}
	}
	return false
}

// lawRequests: the sum is the twin's, and so is the kind of error.
func lawRequests(t *rapid.T) {
	pod := drawPod(t)
	name := rapid.SampledFrom([]corev1.ResourceName{"cpu", "cpu", "memory", pages, "ephemeral-storage", "x"}).Draw(t, "resource")
	container := rapid.SampledFrom([]string{"", "", "", "a", "b", "d", "zz"}).Draw(t, "container")
	before := copyPod(pod)
	sum, err := pod.Requests(name, container)
	again, errAgain := pod.Requests(name, container)
	require.Equal(t, before, pod, "P2")
	require.Equal(t, sum, again, "P3")
	require.Equal(t, err, errAgain)
	require.Equal(t, name, sum.Resource)
	require.Equal(t, container, sum.Container)
	want := naiveSum(pod, name, container)
	var missing *metrics.MissingRequestError
	var unknown *metrics.UnknownContainerError
	var bad *field.Error
	switch {
	case errors.As(err, &missing):
		require.Equal(t, want.kind, "missing")
		require.Equal(t, want.missing, missing.Containers)
		require.Equal(t, name, missing.Resource)
	case errors.As(err, &unknown):
		require.Equal(t, want.kind, "unknown")
		require.Equal(t, container, unknown.Container)
	case errors.As(err, &bad):
		require.Equal(t, want.kind, "bad")
		require.NotEmpty(t, bad.Field)
		return
	default:
		require.NoError(t, err)
		require.Empty(t, want.kind)
		require.Equal(t, want.sum.String(), big.NewInt(sum.Milli).String())
	}
	require.Equal(t, want.basis, sum.Basis)
	require.Contains(t, metrics.Bases(), sum.Basis)
	list, _ := pod.Containers(name)
	of, errOf := pod.RequestsOf(list, name, container)
	require.Equal(t, sum, of, "RequestsOf is Requests with the list at hand")
	require.Equal(t, err, errOf)
	require.Len(t, sum.Terms, len(list))
	for i, term := range sum.Terms {
		require.Equal(t, list[i], term.Container, "all containers are listed, in order")
		require.True(t, !term.Counted || term.Role != metrics.RoleInit || sum.Basis == metrics.BasisAggregate)
		require.True(t, !term.Counted || sum.Basis != metrics.BasisPodLevel || err != nil)
	}
	if err == nil {
		lawWith(t, sum)
	}
}

// lawWith: the sum with other requests is the sum of a pod with those requests.
func lawWith(t *rapid.T, sum metrics.Sum) {
	same, ok := sum.With(nil)
	require.True(t, ok)
	require.Equal(t, sum.Milli, same)
	same, ok = sum.With(func(i int) int64 { return sum.Terms[i].Request.Milli })
	require.True(t, ok)
	require.Equal(t, sum.Milli, same)
	amounts := make([]int64, len(sum.Terms))
	for i := range amounts {
		amounts[i] = rapid.SampledFrom([]int64{0, 1, 700, 1500, math.MaxInt64 / 2, math.MaxInt64, -1}).Draw(t, "other")
	}
	want, beside, negative := new(big.Int), new(big.Int), false
	for i, term := range sum.Terms { // the same rule again: what runs together
		if term.Counted && term.Role != metrics.RoleInit {
			want.Add(want, big.NewInt(amounts[i]))
		}
	}
	for i, term := range sum.Terms {
		negative = negative || (term.Counted && amounts[i] < 0)
		if term.Counted && term.Role == metrics.RoleSidecar {
			beside.Add(beside, big.NewInt(amounts[i]))
		}
		if term.Counted && term.Role == metrics.RoleInit {
			if step := new(big.Int).Add(beside, big.NewInt(amounts[i])); step.Cmp(want) > 0 {
				want = step
			}
		}
	}
	if sum.Basis == metrics.BasisPodLevel {
		want.SetInt64(sum.PodLevel.Milli)
	}
	want.Add(want, big.NewInt(sum.Overhead))
	got, ok := sum.With(func(i int) int64 { return amounts[i] })
	require.Equal(t, !negative && want.IsInt64(), ok)
	if ok {
		require.Equal(t, want.Int64(), got)
	}
}

func TestRequestsLaw(t *testing.T) { rapid.Check(t, lawRequests) }
func FuzzRequests(f *testing.F)    { f.Fuzz(rapid.MakeFuzz(lawRequests)) }

// Every basis and every kind of error has a share of the draws, so that the twin is asked about all of them.
func TestRequestsShares(t *testing.T) {
	counts, total := map[string]int{}, 0
	draws := rapid.Custom(drawPod)
	for seed := range 3000 {
		answer := naiveSum(draws.Example(seed), "cpu", []string{"", "", "a"}[seed%3])
		counts[answer.kind]++
		if answer.kind == "" {
			counts[string(answer.basis)]++
		}
		total++
	}
	for _, name := range []string{"missing", "unknown", "bad", "containers", "container", "pod-level", "aggregate"} {
		t.Logf("%-12s %4.1f %%", name, 100*float64(counts[name])/float64(total))
		require.Greater(t, 100*counts[name], total, name)
	}
}
