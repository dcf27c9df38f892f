package hpacouple_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// rows prints the amounts of a change: place container kind.resource from>to, - for absent.
func rows(c hpacouple.Change) (out []string) {
	show := func(q *resource.Quantity) string {
		if q == nil {
			return "-"
		}
		return q.String()
	}
	for _, a := range c.Amounts {
		out = append(out, fmt.Sprintf("%s %s %s.%s %s>%s", a.Place, a.Container, a.Kind, a.Resource, show(a.From), show(a.To)))
	}
	return out
}

func list(amounts string) corev1.ResourceList {
	out := corev1.ResourceList{}
	if amounts != "" {
		out["cpu"] = resource.MustParse(amounts)
	}
	return out
}

func TestChangeOf(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	defaults := corev1.LimitRange{}
	defaults.Spec.Limits = []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Default: list("2"), DefaultRequest: list("1")}}
	for _, row := range []struct {
		name    string
		why     string
		change  func(*hpacouple.Input)
		want    []string
		targets int // how many entries belong to the change
	}{
		{name: "request", why: "the plain case: requests and target", want: []string{"containers app requests.cpu 1>700m"}, targets: 1, change: func(*hpacouple.Input) {}},
		{name: "limit with it", why: "a limit travels with its request", targets: 1, want: []string{"containers app requests.cpu 1>700m", "containers app limits.cpu 2>1400m"},
			change: func(in *hpacouple.Input) {
				in.Pod.Spec.Containers[0].Resources.Limits = list("2")
				in.Recommendations[0].Limits = list("1400m")
			}},
		{name: "limit unchanged", why: "what is not asked for is no row", targets: 1, want: []string{"containers app requests.cpu 1>700m"},
			change: func(in *hpacouple.Input) { in.Pod.Spec.Containers[0].Resources.Limits = list("2") }},
		{name: "limit taken away", why: "absent is a value", targets: 1, want: []string{"containers app requests.cpu 1>700m", "containers app limits.cpu 2>-"},
			change: func(in *hpacouple.Input) {
				in.Pod.Spec.Containers[0].Resources.Limits = list("2")
				in.Recommendations[0].UnsetLimits = []corev1.ResourceName{"cpu"}
			}},
		{name: "limit taken away under a LimitRange", why: "the default that comes in its place is not written", targets: 1,
			want: []string{"containers app requests.cpu 1>700m", "containers app limits.cpu 3>-"},
			change: func(in *hpacouple.Input) {
				in.Pod.LimitRanges = []corev1.LimitRange{defaults}
				in.Pod.Spec.Containers[0].Resources.Limits = list("3")
				in.Recommendations[0].UnsetLimits = []corev1.ResourceName{"cpu"}
			}},
		{name: "no limit to take away", why: "absent before and after is no row", targets: 1, want: []string{"containers app requests.cpu 1>700m"},
			change: func(in *hpacouple.Input) { in.Recommendations[0].UnsetLimits = []corev1.ResourceName{"cpu"} }},
		{name: "a limit stands in", why: "its request was absent and is written from now on", targets: 1, want: []string{"containers app requests.cpu ->700m"},
			change: func(in *hpacouple.Input) {
				in.Pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Limits: list("1")}
			}},
		{name: "a limit stands in and changes", why: "the request sum would move by itself: the other container's request stays, but is written", targets: 1,
			want: []string{"containers app requests.cpu 1>700m", "containers log requests.cpu ->500m", "containers log limits.cpu 500m>800m"},
			change: func(in *hpacouple.Input) {
				in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, corev1.Container{Name: "log", Resources: corev1.ResourceRequirements{Limits: list("500m")}})
				in.Recommendations = append(in.Recommendations, hpacouple.Recommendation{Container: "log", Limits: list("800m")})
			}},
		{name: "a limit stands in and goes", why: "the same where the limit is taken away", targets: 1,
			want: []string{"containers app requests.cpu 1>700m", "containers log requests.cpu ->500m", "containers log limits.cpu 500m>-"},
			change: func(in *hpacouple.Input) {
				in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, corev1.Container{Name: "log", Resources: corev1.ResourceRequirements{Limits: list("500m")}})
				in.Recommendations = append(in.Recommendations, hpacouple.Recommendation{Container: "log", UnsetLimits: []corev1.ResourceName{"cpu"}})
			}},
		{name: "sidecar", why: "a sidecar is an item of initContainers", targets: 1, want: []string{"initContainers proxy requests.cpu 500m>200m"},
			change: func(in *hpacouple.Input) {
				in.Pod.Spec.InitContainers = []corev1.Container{{Name: "proxy", RestartPolicy: &always, Resources: corev1.ResourceRequirements{Requests: list("500m")}}}
				in.Recommendations = []hpacouple.Recommendation{{Container: "proxy", Requests: list("200m")}}
			}},
		{name: "uncoupled", why: "the workload's half alone", want: []string{"containers app requests.cpu 1>700m"}, change: func(in *hpacouple.Input) { in.HPA = nil }},
		{name: "uncoupled, another resource", why: "the HPA measures cpu, which may not change: its target is not part of it", want: []string{"containers app requests.memory ->1Gi"},
			change: func(in *hpacouple.Input) {
				in.Options.AutoPatch = []corev1.ResourceName{"memory"}
				in.Recommendations[0].Requests = corev1.ResourceList{"memory": resource.MustParse("1Gi")}
			}},
		{name: "a limit alone", why: "a limit alone is no change", change: func(in *hpacouple.Input) {
			in.HPA = nil
			in.Recommendations[0].Requests, in.Recommendations[0].Limits = nil, list("3")
		}},
		{name: "no change", why: "nothing", change: func(in *hpacouple.Input) { in.Recommendations[0].Requests = list("1") }},
		{name: "skip", why: "nothing", change: func(in *hpacouple.Input) { in.MaxReplicasReached = true }},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := input(50, box{name: "app", request: "1", to: "700m"})
			row.change(&in)
			if row.targets == 0 {
				in.State = &hpacouple.State{} // stays empty
			}
			plan, errs := hpacouple.Plan(in)
			require.Empty(t, errs)
			c, ok := hpacouple.ChangeOf(plan)
			require.Equal(t, row.want != nil, ok, row.why)
			require.Equal(t, row.want, rows(c), row.why)
			require.Len(t, c.Targets, row.targets, row.why)
			require.Equal(t, row.targets > 0, c.HPA.Name != "", row.why)
			require.Nil(t, c.State, "an empty state is not worth storing")
			if ok {
				require.Equal(t, hpacouple.Rollout, c.Strategy)
			}
		})
	}
}

// H3 on the value: the reverse swaps every row, and its reverse is the change. JSON and copies keep everything and share nothing.
func lawReverse(t *rapid.T) {
	plan, errs := hpacouple.Plan(rightsizetest.StatefulInputs().Draw(t, "in"))
	c, ok := hpacouple.ChangeOf(plan)
	if len(errs) > 0 || !ok {
		return
	}
	c.Workload.APIVersion = "apps/v1"
	c.State = nil // has laws of its own; amounts in it are spelled as its writer spelled them
	require.Empty(t, c.Validate())
	before := marshal(t, c)
	r := c.Reverse()
	require.Equal(t, before, marshal(t, c), "P2")
	require.Equal(t, before, marshal(t, r.Reverse()))
	for i := range c.Amounts {
		require.Equal(t, c.Amounts[i].From == nil, r.Amounts[i].To == nil, "absent stays absent")
	}
	var read hpacouple.Change
	require.NoError(t, json.Unmarshal([]byte(before), &read))
	require.Equal(t, before, marshal(t, read))
	for i := range r.Amounts {
		for _, q := range []*resource.Quantity{r.Amounts[i].From, r.Amounts[i].To} {
			if q != nil {
				q.Add(resource.MustParse("1"))
			}
		}
	}
	for i := range r.Targets {
		r.Targets[i].From++
	}
	require.Equal(t, before, marshal(t, c), "the reverse shares nothing")
}

// P2: comparing a quantity can write to it.
func TestComparingWritesNothing(t *testing.T) {
	plan := hpacouple.Result{Outcome: hpacouple.Uncoupled, Containers: []hpacouple.ContainerPlan{{Name: "app", Resource: "cpu", From: quantity("1"), To: decimal("2")}}}
	_, ok := hpacouple.ChangeOf(plan)
	require.True(t, ok)
	require.Equal(t, quantity("1"), plan.Containers[0].From)
	a := hpacouple.Observed{Amounts: []hpacouple.ObservedAmount{{Container: "app", Resource: "cpu", Request: quantity("1n")}}}
	a.Same(hpacouple.Observed{Amounts: []hpacouple.ObservedAmount{{Container: "app", Resource: "cpu", Request: decimal("1m")}}})
	require.Equal(t, quantity("1n"), a.Amounts[0].Request)
	s, c := staged(t, "apply/kubectl-create")
	c.Amounts[0].To = quantity("2.5")
	c.Amounts = append(c.Amounts, hpacouple.AmountChange{AmountRef: amountPath("containers[app].resources.limits.cpu"), From: decimal("2")})
	s.deployment.Spec.Template.Spec.Containers[0].Resources.Limits = list("2")
	_, errs := c.Writes(s.whole(), hpacouple.WriteOptions{})
	require.Empty(t, errs)
	require.Equal(t, quantity("2.5"), c.Amounts[0].To)
}

// decimal is an amount that carries a decimal inside, as one that was computed with does.
func decimal(text string) *resource.Quantity {
	q := quantity(text)
	q.AsDec()
	return q
}

func TestReverse(t *testing.T) { rapid.Check(t, lawReverse) }

func TestChangeValidates(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*hpacouple.Change)
		field  string
	}{
		{"a zero strategy is none", func(c *hpacouple.Change) { c.Strategy = "" }, "strategy"},
		{"a write names its object", func(c *hpacouple.Change) { c.Workload.APIVersion = "" }, "workload.apiVersion"},
		{"an unknown place", func(c *hpacouple.Change) { c.Amounts[0].Place = "ephemeralContainers" }, "amounts[0].place"},
		{"an unknown kind", func(c *hpacouple.Change) { c.Amounts[0].Kind = "claims" }, "amounts[0].kind"},
		{"the pod has no container's name", func(c *hpacouple.Change) { c.Amounts[0].Place = hpacouple.InPod }, "amounts[0].container"},
		{"a container has one", func(c *hpacouple.Change) { c.Amounts[0].Container = "" }, "amounts[0].container"},
		{"a resource has a name", func(c *hpacouple.Change) { c.Amounts[0].Resource = "" }, "amounts[0].resource"},
		{"an amount below zero", func(c *hpacouple.Change) { c.Amounts[0].To = quantity("-1") }, "amounts[0].to"},
		{"an amount beyond int64", func(c *hpacouple.Change) { c.Amounts[0].From = quantity("1e30") }, "amounts[0].from"},
		{"one amount twice", func(c *hpacouple.Change) { c.Amounts = append(c.Amounts, c.Amounts[0]) }, "amounts[1]"},
		{"an entry that is no utilization", func(c *hpacouple.Change) { c.Targets[0].Type = "Pods" }, "targets[0].type"},
		{"a target of 0", func(c *hpacouple.Change) { c.Targets[0].To = 0 }, "targets[0].to"},
		{"one entry twice", func(c *hpacouple.Change) { c.Targets = append(c.Targets, c.Targets[0]) }, "targets[1]"},
		{"targets without an HPA", func(c *hpacouple.Change) { c.HPA.Name = "" }, "hpa.name"},
	} {
		c := joint()
		require.Empty(t, c.Validate())
		row.change(&c)
		errs := c.Validate()
		require.Len(t, errs, 1, row.why)
		require.Equal(t, row.field, errs[0].Field, row.why)
		_, errs = c.Writes(hpacouple.Live{}, hpacouple.WriteOptions{})
		require.NotEmpty(t, errs, "and no writes")
	}
}

// Words of closed lists: the zero value and unknown texts are refused in both directions.
func TestChangeWords(t *testing.T) {
	type word interface {
		encoding.TextMarshaler
		Valid() bool
	}
	check := func(name string, w word, read func([]byte) error, valid bool) {
		text, err := w.MarshalText()
		require.Equal(t, valid, err == nil, name)
		require.Equal(t, valid, w.Valid(), name)
		if valid {
			require.NoError(t, read(text), name)
		}
	}
	for _, s := range append(hpacouple.Strategies(), "", "InPlace") {
		check("strategy", s, new(hpacouple.Strategy).UnmarshalText, s == hpacouple.Rollout)
	}
	for _, p := range append(hpacouple.Places(), "", "elsewhere") {
		check("place", p, new(hpacouple.Place).UnmarshalText, p != "" && p != "elsewhere")
	}
	for _, k := range append(hpacouple.AmountKinds(), "", "claims") {
		check("kind", k, new(hpacouple.AmountKind).UnmarshalText, k != "" && k != "claims")
	}
	for _, p := range append(hpacouple.PatchTypes(), "", "application/merge-patch+json") {
		check("patch type", p, new(hpacouple.PatchType).UnmarshalText, p == hpacouple.ApplyPatch || p == hpacouple.JSONPatch)
	}
	for _, o := range append(hpacouple.Orders(), "", "both") {
		check("order", o, new(hpacouple.Order).UnmarshalText, o == hpacouple.TargetFirst || o == hpacouple.RequestsFirst)
	}
	for _, r := range append(hpacouple.EventReasons(), "", "Whatever") {
		check("event reason", r, new(hpacouple.EventReason).UnmarshalText, r == hpacouple.ReasonApplied || r == hpacouple.ReasonBlocked)
	}
	for name, read := range map[string]func([]byte) error{"strategy": new(hpacouple.Strategy).UnmarshalText, "place": new(hpacouple.Place).UnmarshalText,
		"kind": new(hpacouple.AmountKind).UnmarshalText, "patch type": new(hpacouple.PatchType).UnmarshalText, "order": new(hpacouple.Order).UnmarshalText,
		"event reason": new(hpacouple.EventReason).UnmarshalText} {
		require.Error(t, read([]byte("")), name)
		require.Error(t, read([]byte("other")), name)
	}
}
