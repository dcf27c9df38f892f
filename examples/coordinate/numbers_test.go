package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// TestNumbers runs numbers that must come out through the whole program.
func TestNumbers(t *testing.T) {
	one := func(cpu string, target int) string {
		return deployment(box{"app", cpu, ""}) + hpa(utilization("cpu", target))
	}
	two := func(app, side string, target int) string {
		return deployment(box{"app", app, ""}, box{"side", side, ""}) + hpa(utilization("cpu", target))
	}
	for _, row := range []struct {
		name    string
		docs    string
		args    []string
		outcome hpacouple.Outcome
		to      []string // requests of the HPA's resource, in pod order
		target  int32
		reason  string // skip reason, or cause of the block
		flag    string
		why     string
	}{
		{name: "worked example", docs: one("1000m", 50), args: []string{"--request", "app:cpu=700m"}, outcome: hpacouple.Coordinate, to: []string{"700m"}, target: 71, why: "71.43"},
		{name: "B01", docs: one("500m/1000m", 70), args: []string{"--request", "app:cpu=300m"}, outcome: hpacouple.Coordinate, to: []string{"389m"}, target: 90, why: "116.67 is above 90"},
		{name: "B02 first", docs: one("200m", 80), args: []string{"--request", "app:cpu=400m"}, outcome: hpacouple.Coordinate, to: []string{"400m"}, target: 40, why: "per pod, not per fleet"},
		{name: "B02 second", docs: one("400m", 40), args: []string{"--request", "app:cpu=800m"}, outcome: hpacouple.NoChange, to: []string{"400m"}, target: 40, why: "20 is below 40: all is given back"},
		{name: "B04", docs: one("500m/500m", 80), args: []string{"--request", "app:cpu=200m", "--limit", "app:cpu=200m"}, outcome: hpacouple.Skip, to: []string{"500m"}, target: 80, reason: "target-out-of-bounds", why: "445m is above the limit"},
		{name: "B06", docs: one("200m/200m", 60), args: []string{"--request", "app:cpu=500m"}, outcome: hpacouple.NoChange, to: []string{"200m"}, target: 60, why: "a limit that nobody changes holds the request, so the target stays"},
		{name: "B07", docs: deployment(box{"app", "500m", ""}, box{"proxy", "100m", ""}) + hpa(perContainer("app", "cpu", 60)), args: []string{"--request", "app:cpu=400m"}, outcome: hpacouple.Skip, to: []string{"500m"}, target: 60, reason: "unsupported-metrics", flag: "hpa-coupled", why: "one container alone is measured"},
		{name: "B09 first", docs: one("1000m", 50), args: []string{"--request", "app:cpu=700m"}, outcome: hpacouple.Coordinate, to: []string{"700m"}, target: 71, why: "then"},
		{name: "B09 second", docs: one("700m", 71), args: []string{"--request", "app:cpu=700m"}, outcome: hpacouple.NoChange, to: []string{"700m"}, target: 71, why: "it does not keep moving"},
		{name: "B09 flip", docs: one("1000m", 73), args: []string{"--request", "app:cpu=910m"}, outcome: hpacouple.Coordinate, to: []string{"910m"}, target: 80, why: "80.22"},
		{name: "B09 flip back", docs: one("910m", 80), args: []string{"--request", "app:cpu=1000m"}, outcome: hpacouple.Coordinate, to: []string{"1"}, target: 73, why: "72.8: the target returns"},
		{name: "B10", docs: deployment(box{"app", "1000m", ""}) + hpa(raw("cpu", "500m")), args: []string{"--request", "app:cpu=700m"}, outcome: hpacouple.Uncoupled, to: []string{"700m"}, why: "a raw value does not depend on requests"},
		{name: "B12", docs: deployment(box{"app", "500m", ""}) + hpa(utilization("cpu", 60)) + injectedPod, args: []string{"--request", "app:cpu=400m"}, outcome: hpacouple.Coordinate, to: []string{"400m", "100m"}, target: 72, why: "the proxy counts: not 75"},
		{name: "B13", docs: deployment(box{"app", "1000m", ""}) + hpa(utilization("cpu", 50), raw("memory", "1Gi")), args: []string{"--request", "app:cpu=700m"}, outcome: hpacouple.Skip, to: []string{"1"}, target: 50, reason: "unsupported-metrics", why: "a raw entry beside it is any other metric"},
		{name: "B13 read back", docs: deployment(box{"app", "1000m", ""}) + hpa(raw("memory", "1Gi"), utilization("cpu", 50)), args: []string{"--request", "app:cpu=700m"}, outcome: hpacouple.Skip, to: []string{"1"}, target: 50, reason: "unsupported-metrics", why: "the order does not matter"},
		{name: "B14", docs: deployment(box{"app", "500m", "1Gi"}) + hpa(utilization("memory", 80), utilization("cpu", 80)), args: []string{"--request", "app:cpu=350m"}, outcome: hpacouple.Skip, to: []string{"500m"}, target: 80, reason: "unsupported-metrics", why: "two utilization entries"},
		{name: "B16", docs: deployment(box{"app", "1000m", ""}) + hpa(utilization("cpu", 50), raw("memory", "1Gi")), args: []string{"--request", "app:cpu=700m", "--coordinate"}, outcome: hpacouple.Skip, to: []string{"1"}, target: 50, reason: "unsupported-metrics", why: "nothing is written to an HPA with another entry"},
		{name: "B17", docs: deployment(box{"app", "1000m", ""}) + kedaHPA, args: []string{"--request", "app:cpu=700m"}, outcome: hpacouple.Skip, to: []string{"1"}, target: 51, reason: "unsupported-metrics", flag: "hpa-managed-elsewhere", why: "an External entry beside cpu, and a ScaledObject writes the HPA"},
		{name: "B19", docs: deployment(box{"app", "1000m", ""}) + argoHPA, args: []string{"--request", "app:cpu=700m"}, outcome: hpacouple.Coordinate, to: []string{"700m"}, target: 71, flag: "hpa-managed-elsewhere", why: "whoever owns the metrics puts them back"},
		{name: "B22", docs: one("4000m", 70) + resizingPod, args: []string{"--request", "app:cpu=3500m"}, outcome: hpacouple.Coordinate, to: []string{"3500m"}, target: 80, flag: "resize-pending", why: "the HPA divides by the new request already"},
		{name: "B23", docs: one("1000m", 50), args: []string{"--request", "app:cpu=575m"}, outcome: hpacouple.Coordinate, to: []string{"575m"}, target: 87, why: "86.96"},
		{name: "B23 afterwards", docs: one("575m", 87), args: []string{"--request", "app:cpu=575m"}, outcome: hpacouple.NoChange, to: []string{"575m"}, target: 87, why: "usage x 1.15 stays: no spiral"},
		{name: "B24", docs: deployment(box{"app", "", "512Mi"}) + hpa(utilization("memory", 100)), args: []string{"--request", "app:memory=700Mi", "--max-replicas-reached"}, outcome: hpacouple.Skip, to: []string{"512Mi"}, target: 100, reason: "max-replicas-reached", flag: "memory-utilization", why: "keeping the product would keep the fault; memory does not fall with replicas"},
		{name: "B25 inside", docs: one("100m/1000m", 500), args: []string{"--request", "app:cpu=600m"}, outcome: hpacouple.Coordinate, to: []string{"600m"}, target: 83, why: "83.3"},
		{name: "B25 towards", docs: one("100m/1000m", 500), args: []string{"--request", "app:cpu=400m"}, outcome: hpacouple.Coordinate, to: []string{"400m"}, target: 125, flag: "target-outside-bounds", why: "nearer, and still outside"},
		{name: "B25 as it is", docs: one("100m/1000m", 500), args: []string{"--request", "app:cpu=100m"}, outcome: hpacouple.NoChange, to: []string{"100m"}, target: 500, flag: "target-outside-bounds", why: "allowed as it is"},
		{name: "340m kind", docs: one("500m", 60), args: []string{"--request", "app:cpu=334m", "--step", "cpu=10m"}, outcome: hpacouple.Coordinate, to: []string{"340m"}, target: 88, why: "from the rounded request"},
		{name: "tie", docs: two("1000m", "500m", 50), args: []string{"--request", "app:cpu=700m"}, outcome: hpacouple.Coordinate, to: []string{"700m", "500m"}, target: 62, why: "62.5 goes down"},
		{name: "one of two", docs: two("1000m", "500m", 50), args: []string{"--request", "app:cpu=200m"}, outcome: hpacouple.Coordinate, to: []string{"334m", "500m"}, target: 90, why: "not 556m"},
		{name: "12m", docs: one("12m", 80), args: []string{"--request", "app:cpu=5m"}, outcome: hpacouple.Coordinate, to: []string{"11m"}, target: 90, why: "small numbers"},
		{name: "10m", docs: one("10m", 89), args: []string{"--request", "app:cpu=5m"}, outcome: hpacouple.NoChange, to: []string{"10m"}, target: 89, why: "all is given back"},
		{name: "shares", docs: two("1000m", "1000m", 50), args: []string{"--request", "app:cpu=200m", "--request", "side:cpu=200m", "--limit", "app:cpu=200m"}, outcome: hpacouple.Coordinate, to: []string{"200m", "912m"}, target: 90, why: "the first may not pass its limit"},
		{name: "300 percent", docs: one("250m/1000m", 300), args: []string{"--request", "app:cpu=500m"}, outcome: hpacouple.Coordinate, to: []string{"500m"}, target: 150, flag: "target-outside-bounds", why: "towards the bounds"},
		{name: "300 cores", docs: one("300", 80), args: []string{"--request", "app:cpu=300m"}, outcome: hpacouple.Coordinate, to: []string{"266667m"}, target: 90, why: "large and small"},
		{name: "reach", docs: one("1000m/2000m", 80), args: []string{"--request", "app:cpu=500m", "--limit", "app:cpu=800m", "--bounds", "40-150"}, outcome: hpacouple.Skip, to: []string{"1"}, target: 80, reason: "target-out-of-bounds", why: "534m at 150: trigger 166, ceiling 149"},
		{name: "pod-level", docs: podLevel + hpa(utilization("cpu", 50)), args: []string{"--request", "app:cpu=500m"}, outcome: hpacouple.Coordinate, to: []string{"500m"}, target: 50, flag: "pod-level-requests", why: "the pod's own request decides"},
		{name: "398m", docs: one("398m", 31), args: []string{"--request", "app:cpu=1m"}, outcome: hpacouple.Coordinate, to: []string{"138m"}, target: 90, why: "from below to the top"},
		{name: "398m again", docs: one("138m", 90), args: []string{"--request", "app:cpu=1m"}, outcome: hpacouple.NoChange, to: []string{"138m"}, target: 90, why: "and it stays"},
		{name: "memory bytes", docs: deployment(box{"app", "", "1000M"}) + hpa(utilization("memory", 90)), args: []string{"--request", "app:memory=512Mi"}, outcome: hpacouple.NoChange, to: []string{"1G"}, target: 90, why: "at the maximum nothing can fall"},
		{name: "A5's policy", docs: one("500m/1000m", 70) + "---\nspec: {hpa: {coordinate: true, targetBounds: {minUtilization: 50, maxUtilization: 85}}}\n", args: []string{"--request", "app:cpu=300m"}, outcome: hpacouple.Coordinate, to: []string{"389m"}, target: 90, reason: "policy-bounds", why: "90 is above 85"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, got := decoded(t, row.docs, append([]string{"-"}, row.args...)...)
			require.Equal(t, exitFine, got.code, got.errors)
			require.Len(t, r.Items, 1)
			i := r.Items[0]
			require.Equal(t, row.outcome, i.Outcome, row.why)
			if row.target != 0 {
				require.Equal(t, row.target, i.Targets[0].To, row.why)
			}
			var to []string
			for _, c := range i.Containers {
				if len(i.Targets) == 0 || string(c.Resource) == string(lastTarget(i).Resource) {
					to = append(to, c.To)
				}
			}
			require.Equal(t, row.to, to, row.why)
			switch {
			case row.outcome == hpacouple.Skip:
				require.Equal(t, row.reason, string(i.SkipReason), row.why)
			case row.reason != "":
				require.Equal(t, row.reason, string(i.Admission.Cause), row.why)
			default:
				require.Empty(t, i.SkipReason)
			}
			if row.flag != "" {
				require.Contains(t, flagsOf(i), row.flag, row.why)
			}
		})
	}
}

// lastTarget is the target of cpu where there are several.
func lastTarget(i item) target { return i.Targets[len(i.Targets)-1] }

func flagsOf(i item) (flags []string) {
	for _, f := range i.RiskFlags {
		flags = append(flags, string(f))
	}
	return flags
}

const injectedPod = `---
apiVersion: v1
kind: Pod
metadata: {name: web-1, labels: {app: web}}
spec:
  containers:
  - {name: app, resources: {requests: {cpu: 500m}}}
  - {name: proxy, resources: {requests: {cpu: 100m}}}
`

const kedaHPA = `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: keda-hpa-app
  ownerReferences: [{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, name: app, uid: u1, controller: true}]
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 10
  metrics:
  - {type: External, external: {metric: {name: s0-queue}, target: {type: AverageValue, averageValue: "200"}}}
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 51}}}
`

const podLevel = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      resources: {requests: {cpu: 1000m}}
      containers: [{name: app, resources: {requests: {cpu: 800m}}}]
`

// TestOnlyMemory: the HPA scales on cpu and only memory may be changed, so the HPA holds nothing back.
func TestOnlyMemory(t *testing.T) {
	r, got := decoded(t, deployment(box{"app", "1", "1Gi"})+hpa(utilization("cpu", 50)), "-", "--request", "app:cpu=700m,memory=512Mi", "--auto-patch", "memory")
	require.Equal(t, exitFine, got.code)
	i := r.Items[0]
	require.Equal(t, hpacouple.Uncoupled, i.Outcome)
	require.True(t, i.Admission.Allowed, "although coordination is off")
	require.Equal(t, int32(50), i.Targets[0].To)
	require.Equal(t, "1", i.Containers[0].To, "cpu is not in auto-patch")
	require.Equal(t, "512Mi", i.Containers[1].To)
}

const argoHPA = `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  managedFields:
  - {manager: argocd-controller, operation: Apply, apiVersion: autoscaling/v2, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:metrics": {}}}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 10
  metrics:
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
`

const resizingPod = `---
apiVersion: v1
kind: Pod
metadata: {name: web-1, labels: {app: web}}
spec: {containers: [{name: app, resources: {requests: {cpu: 4000m}}}]}
status: {phase: Running, conditions: [{type: PodResizePending, status: "True", reason: Deferred}]}
`

// TestB28: zero pods by the HPA, or by hand.
func TestB28(t *testing.T) {
	for _, row := range []struct {
		name     string
		replicas string
		status   string
		paused   bool
	}{
		{name: "idle by HPA", replicas: "0", status: "{conditions: [{type: ScaledToZero, status: \"True\"}]}"},
		{name: "no condition", replicas: "0", status: "{}", paused: true},
		{name: "condition False", replicas: "0", status: "{conditions: [{type: ScaledToZero, status: \"False\"}]}", paused: true},
		{name: "active", replicas: "1", status: "{currentReplicas: 0}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			docs := strings.Replace(deployment(box{"app", "1", ""}), "  selector:", "  replicas: "+row.replicas+"\n  selector:", 1) +
				strings.Replace(hpa(external("lag", "30")), "maxReplicas", "minReplicas: 0\n  maxReplicas", 1) + "status: " + row.status + "\n"
			r, got := decoded(t, docs, "-", "--request", "app:cpu=700m")
			require.Equal(t, exitFine, got.code, got.errors)
			flags := flagsOf(r.Items[0])
			require.Contains(t, flags, "scale-to-zero")
			require.Equal(t, row.paused, slices.Contains(flags, "manual-pause"))
		})
	}
}

// TestAmounts: the text form has one unit for cpu and one for memory.
func TestAmounts(t *testing.T) {
	for _, row := range []struct{ resource, in, want, why string }{
		{"cpu", "1", "1000m", "not cores beside millicores"},
		{"cpu", "1k", "1000000m", ""},
		{"cpu", "100u", "0.1m", ""},
		{"cpu", "1u", "1u", "not 0"},
		{"cpu", "0", "0m", ""},
		{"cpu", "", "", "there is none"},
		{"memory", "1Gi", "1024Mi", "not Gi beside Mi"},
		{"memory", "1G", "953.67Mi", ""},
		{"memory", "1181116006400m", "1126.4Mi", "1.1Gi as the API server writes it"},
		{"memory", "128m", "128m", "not 0"},
		{"memory", "5000", "5k", "not 0"},
		{"memory", "-1Mi", "-1Mi", ""},
	} {
		require.Equal(t, row.want, inUnit(row.in, corev1.ResourceName(row.resource)), "%s %s %s", row.resource, row.in, row.why)
	}
}

// TestNeeded: a plan that is skipped for its bounds says which request sum they ask for, where the library knows it.
func TestNeeded(t *testing.T) {
	for _, row := range []struct {
		acted bounds.Rule
		want  string
	}{
		{bounds.RuleMaxUtilization, "    Needed: a request sum of 445m of cpu at the bound of 90%; recommended are 200m.\n"},
		{bounds.RuleMinUtilization, "    Needed: a request sum of 445m of cpu at the bound of 40%; recommended are 200m.\n"},
	} {
		i := item{Outcome: hpacouple.Skip, SkipReasons: []skipreason.Skip{skipreason.TargetOutOfBounds}, Cause: bounds.CauseLimit}
		i.plan.Working = &hpacouple.Working{Resource: "cpu", Wanted: 200, Needed: 445, Acted: row.acted, Bounds: bounds.Interval{Lo: 40, Hi: 90}}
		p := &page{}
		p.reasons(&i)
		require.Contains(t, p.String(), row.want)
		i.plan.Working.Needed = 0
		p = &page{}
		p.reasons(&i)
		require.NotContains(t, p.String(), "Needed")
	}
}
