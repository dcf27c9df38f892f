package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/internal/ledger"
	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// task is one workload with what is asked of it.
type task struct {
	*workload
	around
	wishes    []wish
	conflicts []fault      // of two wishes
	asked     map[ask]wish // the same
	throttled []string     // containers
	oomKilled []string
	atMax     bool
	measured  *measured // nil without --usage
	kill      []kill    // from the pods' statuses
	// usageNotes are said of the workload, be it planned or not.
	usageNotes []string
	rollsBack  bool
	releases   bool
	ledger     ledger.Ledger
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
	find := finder(tasks)
	missed := func(source fault, s scope) {
		source.Message = around.unmatched(s)
		if unread := around.unread(s); len(unread) > 0 { // a fault already, from which this one follows
			notes = append(notes, source.Field+": "+source.Message+"; could not be read: "+listed(unread))
			return
		}
		faults = append(faults, source)
	}
	for _, w := range wishes {
		to := find(w.scope)
		if len(to) == 0 {
			missed(w.source, w.scope)
		}
		if w.rank == fromFlag || (w.rank == fromNamedFlag && len(to) > 1) {
			notes = append(notes, spread(w.source.Field, to)...)
		}
		for _, t := range to {
			t.wishes = append(t.wishes, w)
		}
	}
	for _, f := range s.facts {
		to := find(f.scope)
		if len(to) == 0 {
			missed(f.source, f.scope)
		}
		if (f.name == "" && !f.undoes()) || (f.name != "" && len(to) > 1) {
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
					path := at.Index(i).Child("target").Key(string(name)).String()
					wishes = append(wishes, wish{scope: scope{t.Kind, t.Namespace, t.Name, c.ContainerName}, rank: fromRecommender, from: v.Name, resource: name, amount: q,
						source: faultAt(v.Field(path), path, "")})
				}
			}
		}
	}
	return wishes
}

// finder finds the workloads that a scope speaks of. A container that no template holds but a live pod does is passed on to its workload,
// whose plan says why it cannot be changed.
func finder(tasks []*task) func(scope) []*task {
	named, having := map[[2]string][]*task{}, map[string][]*task{}
	for _, t := range tasks {
		k := [2]string{t.Kind, t.Name}
		named[k] = append(named[k], t)
		for _, list := range [][]corev1.Container{t.template.Spec.Containers, t.template.Spec.InitContainers} {
			for i := range list {
				if l := having[list[i].Name]; len(l) == 0 || l[len(l)-1] != t {
					having[list[i].Name] = append(l, t)
				}
			}
		}
	}
	return func(s scope) (to []*task) {
		switch {
		case s.name != "":
			for _, t := range named[[2]string{s.kind, s.name}] {
				if t.is(s) {
					to = append(to, t)
				}
			}
			return to
		case s.container == "":
			return tasks
		case len(having[s.container]) > 0:
			return having[s.container]
		}
		for _, t := range tasks {
			if t.live != nil && lives(t.live.Object, s.container) {
				to = append(to, t)
			}
		}
		return to
	}
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

// unmatched says that nothing fits a scope.
func (s *surroundings) unmatched(sc scope) string {
	switch {
	case sc.name == "" && sc.container == "":
		return "found no workload"
	case sc.name == "":
		return "found no workload with a container " + sc.container
	}
	for _, rs := range s.objects.ReplicaSets {
		if sc.names(rs.Identity) {
			return fmt.Sprintf("ReplicaSet %s/%s belongs to a controller; name that", rs.Namespace, rs.Name)
		}
	}
	return fmt.Sprintf("found no %s %s", sc.kind, strings.TrimPrefix(sc.namespace+"/"+sc.name, "/"))
}

// unread names the workloads that a scope may speak of and that could not be read.
func (s *surroundings) unread(sc scope) (names []string) {
	for _, r := range s.objects.Refused {
		if _, err := kindOf(r.Kind); err == nil && !r.Policy && !r.Again && sc.names(r.Identity) {
			names = append(names, fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name))
		}
	}
	return names
}

func (t *task) learn(f fact) {
	switch f.event {
	case throttled:
		t.throttled = append(t.throttled, f.container)
	case oomKilled:
		t.oomKilled = append(t.oomKilled, f.container)
	case maxReplicasReached:
		t.atMax = true
	case rollBack:
		t.rollsBack = true
	case release:
		t.releases = true
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
				t.kill = append(t.kill, killIn(p.Object, c.Name, state.Terminated))
			}
		}
	}
}

// settleWishes keeps one wish per container, resource and kind of amount: that of the highest rank. Two of one rank are a fault.
func (t *task) settleWishes() {
	all := t.wishes
	t.wishes, t.asked = nil, map[ask]wish{}
	for _, w := range all {
		k := ask{w.container, w.resource, w.isLimit}
		first, taken := t.asked[k]
		same := w.rank == fromRecommender && first.amount.Cmp(w.amount) == 0
		if taken && first.rank == w.rank && !same {
			w.source.Message = fmt.Sprintf("found a second %s of %s for container %s of %s, expected one; the first is %s", w.what(), w.resource, w.container, t, first.source)
			if w.rank != fromFlag && w.rank != fromNamedFlag {
				w.source.Message += fmt.Sprintf("; --%s %s/%s/%s:%s=AMOUNT goes before both", w.what(), t.Kind, t.Name, w.container, w.resource)
			}
			t.conflicts = append(t.conflicts, w.source)
		}
		if !taken || first.rank < w.rank {
			t.asked[k] = w
		}
	}
	for _, w := range all {
		k := ask{w.container, w.resource, w.isLimit}
		if w.keepsRatio && t.asked[ask{w.container, w.resource, false}].rank != w.rank {
			delete(t.asked, k) // it goes with the request that it was made with
			continue
		}
		if t.asked[k].rank == w.rank {
			t.wishes = append(t.wishes, w)
		}
	}
}

// ask is what a wish is about, within a workload.
type ask struct {
	container string
	resource  corev1.ResourceName
	isLimit   bool
}

// list is the field of a recommendation that holds it.
func (a ask) list() string {
	if a.isLimit {
		return "limits"
	}
	return "requests"
}

// asks are all that can be asked of a container.
func asks(container string) []ask {
	return []ask{{container, corev1.ResourceCPU, false}, {container, corev1.ResourceMemory, false}, {container, corev1.ResourceCPU, true}, {container, corev1.ResourceMemory, true}}
}

// sources names where the wishes come from, each source once.
func (t *task) sources() []string {
	out, seen := []string{}, map[string]bool{}
	for _, w := range t.wishes {
		name := w.source.Field // a flag
		switch w.rank {
		case fromRecommender:
			name = "VerticalPodAutoscaler " + w.from
		case fromUsage:
			name = "usage (" + w.from + ")"
		case fromTable:
			name = w.source.File
		}
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}
