package main

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// livePod is a pod with app and, where it is named, an injected container.
func livePod(name, labels, owner, injected, more string) string {
	s := "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\n  labels: {" + labels + "}\n"
	if owner != "" {
		s += "  ownerReferences: [" + owner + "]\n"
	}
	s += more + "spec:\n  containers:\n  - {name: app, resources: {requests: {cpu: 500m}}}\n"
	if injected != "" {
		s += "  - {name: " + injected + ", resources: {requests: {cpu: 100m}}}\n"
	}
	return s
}

func owner(kind, name, uid string) string {
	return "{apiVersion: apps/v1, kind: " + kind + ", name: " + name + ", uid: " + uid + ", controller: true}"
}

// TestLivePod: which pods are the workload's, and which of them shows what is injected. The target is 75 without an injected container and 72
// with one.
func TestLivePod(t *testing.T) {
	young, old := "  creationTimestamp: 2026-03-02T00:00:00Z\n", "  creationTimestamp: 2026-03-01T00:00:00Z\n"
	for _, row := range []struct {
		name     string
		kind     string // Deployment where it is empty
		pods     string
		target   int32
		injected []string
		note     string
		why      string
	}{
		{name: "labels", pods: livePod("p", "app: web", "", "proxy", ""), target: 72, injected: []string{"proxy"}, why: "a pod without controller, by the selector"},
		{name: "other labels", pods: livePod("p", "app: api", "", "proxy", ""), target: 75},
		{name: "labels, ReplicaSet not known", pods: livePod("p", "app: web", owner("ReplicaSet", "web-9", "u9"), "proxy", ""), target: 72, injected: []string{"proxy"}},
		{name: "ReplicaSet of the Deployment", pods: ownedReplicaSet + livePod("p", "app: other", owner("ReplicaSet", "web-1", "u9"), "proxy", ""), target: 72, injected: []string{"proxy"}, why: "whatever the labels"},
		{name: "ReplicaSet of another", pods: strings.ReplaceAll(ownedReplicaSet, "kind: Deployment, name: web", "kind: Deployment, name: api") + livePod("p", "app: web", owner("ReplicaSet", "web-1", "u9"), "proxy", ""), target: 75, why: "the controller goes before the labels"},
		{name: "ReplicaSet of nobody", pods: "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-1}\n" + livePod("p", "app: web", owner("ReplicaSet", "web-1", "u9"), "proxy", ""), target: 75},
		{name: "Job with the same labels", pods: livePod("p", "app: web", owner("Job", "web", "u9"), "proxy", ""), target: 75},
		{name: "StatefulSet", kind: "StatefulSet", pods: livePod("p", "app: other", owner("StatefulSet", "web", "u9"), "proxy", ""), target: 72, injected: []string{"proxy"}},
		{name: "another StatefulSet", kind: "StatefulSet", pods: livePod("p", "app: web", owner("StatefulSet", "api", "u9"), "proxy", ""), target: 75},
		{name: "another namespace", pods: livePod("p", "app: web", "", "proxy", "  namespace: prod\n"), target: 75},
		{name: "finished", pods: livePod("p", "app: web", "", "proxy", "") + "status: {phase: Succeeded}\n", target: 75},
		{name: "going", pods: livePod("p", "app: web", "", "proxy", "  deletionTimestamp: 2026-03-02T00:00:00Z\n"), target: 75},
		{name: "the youngest", pods: livePod("a", "app: web", "", "old-proxy", old) + livePod("b", "app: web", "", "proxy", young), target: 72, injected: []string{"proxy"},
			note: "the pods differ in their injected containers; pod b, the youngest, is taken (injected: proxy)"},
		{name: "the youngest has none", pods: livePod("a", "app: web", "", "proxy", old) + livePod("b", "app: web", "", "", young), target: 75,
			note: "the pods differ in their injected containers; pod b, the youngest, is taken (injected: none)"},
		{name: "of one age", pods: livePod("b", "app: web", "", "other", old) + livePod("a", "app: web", "", "proxy", old), target: 72, injected: []string{"proxy"},
			note: "pod a, the youngest", why: "the first by name"},
	} {
		t.Run(row.name, func(t *testing.T) {
			kind := row.kind
			if kind == "" {
				kind = "Deployment"
			}
			docs := workloadDoc(kind, "web", box{"app", "500m", ""}) + hpaDoc("web", kind, "web", utilization("cpu", 60)) + row.pods
			r, got := decoded(t, docs, "-", "--request", kind+"/web/app:cpu=400m")
			require.Equal(t, exitFine, got.code, got.errors)
			i := r.Items[0]
			require.Equal(t, row.target, i.Targets[0].To, row.why)
			var injected []string
			for _, c := range i.Containers {
				if c.Injected {
					injected = append(injected, c.Name)
				}
			}
			require.Equal(t, row.injected, injected)
			require.Contains(t, strings.Join(i.Notes, "\n"), row.note)
		})
	}
	t.Run("another Deployment of the same name", func(t *testing.T) {
		docs := strings.Replace(deployment(box{"app", "500m", ""}), "{name: web}", "{name: web, uid: now}", 1) + hpa(utilization("cpu", 60)) +
			strings.ReplaceAll(ownedReplicaSet, "uid: u1", "uid: before") + livePod("p", "app: web", owner("ReplicaSet", "web-1", "u9"), "proxy", "")
		r, _ := decoded(t, docs, "-", "--request", "app:cpu=400m")
		require.Equal(t, int32(75), r.Items[0].Targets[0].To, "it was deleted and made again: its old pods are not its own")
	})
	t.Run("no selector", func(t *testing.T) {
		docs := strings.Replace(deployment(box{"app", "500m", ""}), "  selector: {matchLabels: {app: web}}\n", "", 1) + hpa(utilization("cpu", 60))
		r, _ := decoded(t, docs+livePod("p", "app: web", "", "proxy", ""), "-", "--request", "app:cpu=400m")
		require.Equal(t, int32(72), r.Items[0].Targets[0].To, "the template's labels")
		docs = strings.Replace(docs, "    metadata: {labels: {app: web}}\n", "", 1)
		r, _ = decoded(t, docs+livePod("p", "app: web", "", "proxy", ""), "-", "--request", "app:cpu=400m")
		require.Equal(t, int32(75), r.Items[0].Targets[0].To, "nothing to match by does not match everything")
	})
	t.Run("facts of pods", func(t *testing.T) {
		docs := deployment(box{"app", "500m", "1Gi"}) + livePod("p", "app: web", "", "proxy", "") +
			"  ephemeralContainers: [{name: debug}]\nstatus: {containerStatuses: [{name: proxy, state: {terminated: {reason: OOMKilled, exitCode: 137}}}]}\n"
		r, _ := decoded(t, docs, "-", "--request", "app:memory=512Mi")
		require.Contains(t, r.Items[0].Notes, "pod p: container proxy was OOM-killed, but the template does not hold it")
		require.Equal(t, "512Mi", r.Items[0].Containers[0].To)
		require.Contains(t, call(docs, "-", "--request", "debug:cpu=1").errors, "is an ephemeral container, which has no requests")
	})
}

// TestOlderTemplate: a container that an older template had and the present one lacks is not injected. The target is 75 without one and 72 with
// proxy of 100m.
func TestOlderTemplate(t *testing.T) {
	young, old := "  creationTimestamp: 2026-03-02T00:00:00Z\n", "  creationTimestamp: 2026-03-01T00:00:00Z\n"
	rs := func(name, containers string) string {
		return "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: " + name + ", ownerReferences: [" + owner("Deployment", "web", "u1") +
			"]}\nspec: {template: {spec: {containers: [" + containers + "]}}}\n"
	}
	now, before := rs("now", "{name: app}"), rs("before", "{name: app}, {name: dropped}")
	of := func(name, set, extra, more string) string {
		return livePod(name, "app: web", owner("ReplicaSet", set, "u9"), extra, more)
	}
	set := func(name, revision, extra, more string) string {
		return livePod(name, "app: web, controller-revision-hash: "+revision, owner("StatefulSet", "web", "u1"), extra, more)
	}
	for _, row := range []struct {
		name     string
		kind     string // Deployment where it is empty
		pods     string
		target   int32
		injected []string
		notes    []string
		why      string
	}{
		{name: "all are old", pods: now + before + of("a", "before", "dropped", old), target: 75,
			notes: []string{"pod a is of an older template; what that one had and the present one lacks does not count as injected: dropped"}},
		{name: "all are old, and one is injected", pods: before + of("a", "before", "dropped, resources: {requests: {cpu: 1}}}\n  - {name: proxy", old), target: 72, injected: []string{"proxy"},
			notes: []string{"pod a is of an older template; what that one had and the present one lacks does not count as injected: dropped"}},
		{name: "the old one is younger", pods: now + before + of("a", "before", "dropped", young) + of("b", "now", "proxy", old), target: 72, injected: []string{"proxy"},
			why: "a rollout back: the present template goes before age"},
		{name: "present", pods: now + of("b", "now", "proxy", old), target: 72, injected: []string{"proxy"}, why: "nothing to say"},
		{name: "nobody knows", pods: of("b", "now", "proxy", old), target: 72, injected: []string{"proxy"},
			notes: []string{"pod b has containers that the template lacks (proxy); they count as injected, although the pod may be of an older template"}},
		{name: "StatefulSet, present", kind: "StatefulSet", pods: set("a", "r2", "proxy", old) + set("b", "r1", "dropped", young), target: 72, injected: []string{"proxy"}},
		{name: "StatefulSet, all are old", kind: "StatefulSet", pods: set("b", "r1", "proxy", young), target: 72, injected: []string{"proxy"},
			notes: []string{"pod b has containers that the template lacks (proxy); they count as injected, although the pod may be of an older template"}},
		{name: "StatefulSet, of no revision", kind: "StatefulSet", pods: livePod("b", "app: web", owner("StatefulSet", "web", "u1"), "proxy", young), target: 72, injected: []string{"proxy"},
			notes: []string{"pod b has containers that the template lacks (proxy); they count as injected, although the pod may be of an older template"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			kind := cmp.Or(row.kind, "Deployment")
			docs := workloadDoc(kind, "web", box{"app", "500m", ""})
			if kind == "StatefulSet" {
				docs += "status: {updateRevision: r2}\n"
			}
			r, got := decoded(t, docs+hpaDoc("web", kind, "web", utilization("cpu", 60))+row.pods, "-", "--request", kind+"/web/app:cpu=400m")
			require.Equal(t, exitFine, got.code, got.errors)
			i := r.Items[0]
			require.Equal(t, row.target, i.Targets[0].To, row.why)
			var injected []string
			for _, c := range i.Containers {
				if c.Injected {
					injected = append(injected, c.Name)
				}
			}
			require.Equal(t, row.injected, injected, row.why)
			require.Equal(t, list(row.notes), i.Notes, row.why)
		})
	}
	t.Run("fault in an old pod", func(t *testing.T) {
		docs := deployment(box{"app", "500m", ""}) + hpa(utilization("cpu", 60)) + before + of("a", "before", "dropped}\n  - {name: proxy, resources: {requests: {cpu: -1}}}\n  - {name: other", "")
		got := call(docs, "-", "--request", "app:cpu=400m")
		require.Equal(t, exitInput, got.code)
		require.Contains(t, got.errors, "standard input:24: document 4: Invalid value: \"-1\": must not be negative", "its containers have other numbers, so no field is named")
	})
}

// TestFaultsOfSurroundings: a fault that the library finds is told with the document in which it stands.
func TestFaultsOfSurroundings(t *testing.T) {
	for _, row := range []struct{ name, docs, want string }{
		{"LimitRange", "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{type: Container, default: {cpu: -1}}]}\n",
			"standard input:24: document 4: spec.limits[0].default[cpu]: Invalid value"},
		{"live pod", strings.Replace(injectedPod, "cpu: 100m", "cpu: -1", 1), "document 4: spec.containers[1].resources.requests[cpu]: Invalid value"},
		{"second HPA", hpaDoc("x", "Deployment", "web", utilization("cpu", 0)), "document 4: spec.metrics[0].resource.target.averageUtilization: Invalid value"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := call(web("1", 50)+row.docs, "-", "--request", "app:cpu=700m")
			require.Equal(t, exitInput, got.code)
			require.Contains(t, got.errors, row.want)
		})
	}
	for _, row := range []struct{ name, docs, want string }{
		{"LimitRange", "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: l}\nspec: {limits: [{type: Container, default: {cpu: 1x}}]}\n", "LimitRange default/l could not be read; the plan is made without it"},
		{"recommender", vpaDoc("v", "app", "1x"), "VerticalPodAutoscaler default/v could not be read; its recommendations are not known"},
	} {
		t.Run(row.name+" that cannot be read", func(t *testing.T) {
			r, got := decoded(t, web("1", 50)+row.docs, "-", "--request", "app:cpu=700m")
			require.Equal(t, exitInput, got.code)
			require.Contains(t, r.Items[0].Notes, row.want)
		})
	}
}
