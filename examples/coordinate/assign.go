package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// task is one workload with what is asked of it.
type task struct {
	*workload
	around
	wishes    []wish
	throttled []string // containers
	oomKilled []string
	atMax     bool
}

// assign gives every wish and fact to its workloads. One that matches nothing is a fault.
func assign(all []*workload, around *surroundings, rows []manifest.Request, s settings) (tasks []*task, notes []string, faults []fault) {
	for _, w := range all {
		tasks = append(tasks, &task{workload: w, around: around.of(w)})
	}
	wishes := slices.Concat(s.wishes, fromRows(rows))
	for _, t := range tasks {
		wishes = append(wishes, t.recommended()...)
	}
	for _, w := range wishes {
		to := targets(tasks, w.scope)
		if len(to) == 0 {
			faults = append(faults, unmatched(w.source, w.scope, around))
		}
		if w.rank == fromFlag {
			notes = append(notes, spread(w.source.Field, to)...)
		}
		for _, t := range to {
			t.wishes = append(t.wishes, w)
		}
	}
	for _, f := range s.facts {
		to := targets(tasks, f.scope)
		if len(to) == 0 {
			faults = append(faults, unmatched(f.source, f.scope, around))
		}
		if f.name == "" {
			notes = append(notes, spread(f.source.Field, to)...)
		}
		for _, t := range to {
			if f.container != "" && !t.has(f.container) {
				f.source.Message = fmt.Sprintf("the template of %s has no container %s", t, f.container)
				faults = append(faults, f.source)
				continue
			}
			t.learn(f)
		}
	}
	for _, t := range tasks {
		t.readStatuses()
		t.settleWishes()
	}
	return tasks, slices.Compact(notes), faults
}

// fromRows are the wishes of --requests.
func fromRows(rows []manifest.Request) (wishes []wish) {
	for _, r := range rows {
		kind := r.Kind
		if k, err := kindOf(kind); err == nil {
			kind = k
		}
		w := wish{scope: scope{kind, r.Namespace, r.Name, r.Container}, rank: fromTable, source: faultAt(r.Origin, "", ""), resource: r.Resource}
		if r.Request != nil {
			w.amount, w.source.Field = *r.Request, "request"
			wishes = append(wishes, w)
		}
		if r.Limit != nil {
			w.amount, w.source.Field, w.isLimit = *r.Limit, "limit", true
			wishes = append(wishes, w)
		}
	}
	return wishes
}

// recommended are the wishes of the workload's VerticalPodAutoscalers. One for a container that the template lacks is only noted: it is
// injected, or gone.
func (t *task) recommended() (wishes []wish) {
	for _, v := range t.recommends {
		if v.Object.Status.Recommendation == nil {
			continue
		}
		at := field.NewPath("status", "recommendation", "containerRecommendations")
		for i, c := range v.Object.Status.Recommendation.ContainerRecommendations {
			if !t.has(c.ContainerName) {
				t.notes = append(t.notes, fmt.Sprintf("VerticalPodAutoscaler %s recommends requests for container %s, which the template does not hold; they are left out", v.Name, c.ContainerName))
				continue
			}
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				if q, ok := c.Target[name]; ok {
					wishes = append(wishes, wish{scope: scope{t.Kind, t.Namespace, t.Name, c.ContainerName}, rank: fromRecommender, from: v.Name, resource: name, amount: q,
						source: faultAt(v.Origin, at.Index(i).Child("target").Key(string(name)).String(), "")})
				}
			}
		}
	}
	return wishes
}

// targets finds the workloads that a scope speaks of. A container that no template holds but a live pod does is passed on to its workload,
// whose plan says why it cannot be changed.
func targets(tasks []*task, s scope) (to []*task) {
	for _, t := range tasks {
		if t.is(s) && (s.name != "" || s.container == "" || t.has(s.container)) {
			to = append(to, t)
		}
	}
	if len(to) > 0 {
		return to
	}
	for _, t := range tasks {
		if t.is(s) && t.live != nil && lives(t.live.Object, s.container) {
			to = append(to, t)
		}
	}
	return to
}

func lives(p *corev1.Pod, container string) bool {
	return hasContainer(&p.Spec, container) ||
		slices.ContainsFunc(p.Spec.EphemeralContainers, func(c corev1.EphemeralContainer) bool { return c.Name == container })
}

// spread says to which workloads a flag without KIND/NAME applies.
func spread(flag string, to []*task) []string {
	if len(to) == 0 {
		return nil
	}
	var names []string
	for _, t := range to {
		names = append(names, t.String())
	}
	return []string{flag + " applies to " + listed(names)}
}

func unmatched(source fault, s scope, around *surroundings) fault {
	if s.name == "" {
		source.Message = fmt.Sprintf("found no workload with a container %s", s.container)
		if s.container == "" {
			source.Message = "found no workload"
		}
		return source
	}
	source.Message = strings.TrimSpace(fmt.Sprintf("found no %s %s", s.kind, strings.TrimPrefix(s.namespace+"/"+s.name, "/")))
	for _, rs := range around.objects.ReplicaSets {
		if s.kind == "ReplicaSet" && rs.Name == s.name && (s.namespace == "" || s.namespace == rs.Namespace) {
			source.Message = fmt.Sprintf("ReplicaSet %s/%s belongs to a controller; name that", rs.Namespace, rs.Name)
		}
	}
	for _, r := range around.refused {
		if r.Kind == s.kind && r.Name == s.name && (s.namespace == "" || s.namespace == r.Namespace) {
			source.Message = fmt.Sprintf("%s %s/%s could not be read", r.Kind, r.Namespace, r.Name)
		}
	}
	return source
}

func (t *task) learn(f fact) {
	switch f.event {
	case throttled:
		t.throttled = append(t.throttled, f.container)
	case oomKilled:
		t.oomKilled = append(t.oomKilled, f.container)
	case maxReplicasReached:
		t.atMax = true
	}
}

// readStatuses learns from the pods' statuses which containers were OOM-killed.
func (t *task) readStatuses() {
	for _, p := range t.pods {
		for _, c := range slices.Concat(p.Object.Status.ContainerStatuses, p.Object.Status.InitContainerStatuses) {
			for _, state := range []corev1.ContainerState{c.State, c.LastTerminationState} {
				if state.Terminated == nil || state.Terminated.Reason != "OOMKilled" {
					continue
				}
				if !t.has(c.Name) {
					t.notes = append(t.notes, fmt.Sprintf("pod %s: container %s was OOM-killed, but the template does not hold it", p.Name, c.Name))
					continue
				}
				t.notes = append(t.notes, fmt.Sprintf("pod %s: container %s was OOM-killed; its memory request must not decrease", p.Name, c.Name))
				t.oomKilled = append(t.oomKilled, c.Name)
			}
		}
	}
}

// settleWishes keeps one wish per container, resource and kind of amount: that of the highest rank. Two of one rank are a fault.
func (t *task) settleWishes() {
	var kept []wish
	for _, w := range t.wishes {
		i := slices.IndexFunc(kept, func(k wish) bool {
			return k.container == w.container && k.resource == w.resource && k.isLimit == w.isLimit
		})
		switch {
		case i < 0:
			kept = append(kept, w)
		case kept[i].rank == w.rank:
			w.source.Message = fmt.Sprintf("found a second %s of %s for container %s of %s, expected one; the first is %s", w.what(), w.resource, w.container, t, kept[i].source)
			t.faults = append(t.faults, w.source)
		case kept[i].rank < w.rank:
			kept[i] = w
		}
	}
	t.wishes = kept
}

// sources names where the wishes come from, each source once.
func (t *task) sources() []string {
	out := []string{}
	for _, w := range t.wishes {
		name := w.source.Field // a flag
		switch w.rank {
		case fromRecommender:
			name = "VerticalPodAutoscaler " + w.from
		case fromTable:
			name = w.source.File
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
