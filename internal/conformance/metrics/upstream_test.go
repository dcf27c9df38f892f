package metrics_test

import (
	"fmt"
	"math"
	"regexp"
	"testing"
	_ "unsafe" // for go:linkname

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	_ "k8s.io/kubernetes/pkg/controller/podautoscaler"

	"github.com/kube-rightsize/rightsize/internal/conformance/upstream"
)

// calculateRequests is the HPA controller's own: for each pod, what a usage is divided by.
//
//go:linkname calculateRequests k8s.io/kubernetes/pkg/controller/podautoscaler.calculateRequests
func calculateRequests(pods []*corev1.Pod, container string, resource corev1.ResourceName) (map[string]int64, error)

func TestSignatures(t *testing.T) {
	want, err := upstream.ModuleSignature("k8s.io/kubernetes", "pkg/controller/podautoscaler/replica_calculator.go", "calculateRequests")
	require.NoError(t, err)
	got, err := upstream.Signature("upstream_test.go", "", "calculateRequests")
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// answer is what both sides say about one pod: an amount in thousandths, or why there is none.
type answer struct {
	milli   int64
	missing string // the container without a request, "pod" where the pod as a whole has none
	unknown string // the container that the pod does not have
}

func (a answer) String() string {
	switch {
	case a.missing != "":
		return "missing in " + a.missing
	case a.unknown != "":
		return "no container " + a.unknown
	}
	return fmt.Sprint(a.milli)
}

var (
	missingInContainer = regexp.MustCompile(`^missing request for \S+ in container (\S+) of Pod \S*$`)
	missingInPod       = regexp.MustCompile(`^missing pod-level request for \S+ in Pod \S*$`)
	noContainer        = regexp.MustCompile(`^container (\S+) not found in Pod \S*$`)
)

// theirs is the real controller's answer about a finished pod. It gets a copy where pod-level requests may count: it adds the
// overhead to a quantity that it took from the pod, which writes to the pod where the quantity does not fit in an int64.
func theirs(t fataler, pod *corev1.Pod, name corev1.ResourceName, container string) answer {
	if pod.Spec.Resources != nil && container == "" {
		pod = pod.DeepCopy()
	}
	requests, err := calculateRequests([]*corev1.Pod{pod}, container, name)
	if err == nil {
		require.Len(t, requests, 1)
		return answer{milli: requests[pod.Name]}
	}
	if m := missingInContainer.FindStringSubmatch(err.Error()); m != nil {
		return answer{missing: "container " + m[1]}
	}
	if missingInPod.MatchString(err.Error()) {
		return answer{missing: "pod"}
	}
	m := noContainer.FindStringSubmatch(err.Error())
	require.NotNil(t, m, "the real controller has a new kind of error: %v", err)
	return answer{unknown: m[1]}
}

// share counts what was drawn and fails where a kind of case is too rare to have been tested.
type share map[string]int

func (s share) require(t *testing.T, of string, percent float64, kinds ...string) {
	t.Helper()
	for _, kind := range kinds {
		got := 100 * float64(s[kind]) / math.Max(1, float64(s[of]))
		t.Logf("%-28s %9d  %6.2f %%", kind, s[kind], got)
		if got < percent {
			t.Errorf("%s: only %.2f %% of %s, a fault of the generator", kind, got, of)
		}
	}
}
