package main

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kube-rightsize/rightsize/internal/usagefile"
)

// owners finds the workloads that usage belongs to.
type owners struct {
	tasks []*task
	pods  map[usagefile.Pod][]*task // of the manifests; none for those of somebody else
}

func newOwners(tasks []*task, around *surroundings) owners {
	o := owners{tasks: tasks, pods: map[usagefile.Pod][]*task{}}
	for namespace, pods := range around.pods {
		for _, p := range pods {
			o.pods[usagefile.Pod{Namespace: namespace, Name: p.Name}] = nil
		}
	}
	for _, t := range tasks {
		for _, p := range t.pods {
			k := usagefile.Pod{Namespace: p.Namespace, Name: p.Name}
			o.pods[k] = append(o.pods[k], t)
		}
	}
	return o
}

// ofPod returns the workloads that a pod may belong to: one is the owner; none or several is nobody who is known. A pod of the manifests
// belongs to whom it belongs there; otherwise its namespace, its labels and its name decide, as far as the file says them.
func (o owners) ofPod(p usagefile.Pod, has map[string]string) (found []*task) {
	for _, t := range o.tasks {
		if p.Namespace != "" && p.Namespace != t.Namespace {
			continue
		}
		if list, ok := o.pods[usagefile.Pod{Namespace: t.Namespace, Name: p.Name}]; ok {
			if slices.Contains(list, t) {
				found = append(found, t)
			}
			continue
		}
		if !isPodOf(t.Kind, t.Name, p.Name) || has != nil && !t.podSelector().Matches(labels.Set(has)) {
			continue
		}
		found = append(found, t)
	}
	return found
}

// ofReplicas returns the workloads that rows of replicas may be about, by the name of the workload or of its HPA.
func (o owners) ofReplicas(p usagefile.Pod) (found []*task) {
	for _, t := range o.tasks {
		if p.Namespace != "" && p.Namespace != t.Namespace {
			continue
		}
		mine := t.Name == p.Name
		for _, h := range t.hpas {
			mine = mine || h.Name == p.Name
		}
		if mine {
			found = append(found, t)
		}
	}
	return found
}

// randomLetters are those of which Kubernetes makes names: no vowels and nothing that looks like one.
// Source: k8s.io/apimachinery/pkg/util/rand (String, SafeEncodeString).
const randomLetters = "bcdfghjklmnpqrstvwxz2456789"

// hashLetters are those of a pod-template-hash: the digits of a number of 32 bits, each made safe. One of fewer than six digits comes once in forty
// thousand; it is taken for somebody else's, as web-lb-x7k2p must be.
// Source: ComputeHash in pkg/controller/controller_utils.go.
const (
	hashLetters         = "456789bcdf"
	leastHash, mostHash = 6, 10
)

// isPodOf says whether a pod's name is one that the workload's controller makes: NAME-HASH-LETTERS for a Deployment, NAME-ORDINAL for a
// StatefulSet, and NAME-LETTERS for the others. What is before the five random letters is cut at 58 characters.
// Source: SimpleNameGenerator in k8s.io/apiserver/pkg/storage/names, getPodName in pkg/controller/statefulset.
func isPodOf(kind, name, pod string) bool {
	if kind == "StatefulSet" {
		ordinal, ok := strings.CutPrefix(pod, name+"-")
		return ok && ordinal != "" && strings.Trim(ordinal, "0123456789") == "" && (ordinal == "0" || ordinal[0] != '0')
	}
	if len(pod) < 6 || !random(pod[len(pod)-5:]) {
		return false
	}
	base := pod[:len(pod)-5]
	if len(base) == 58 && strings.HasPrefix(name+"-", base) {
		return true // the name alone is as long as that
	}
	rest, ok := strings.CutPrefix(base, name+"-")
	if !ok || kind != "Deployment" {
		return ok && rest == ""
	}
	hash, whole := strings.CutSuffix(rest, "-")
	if !whole { // cut at 58 characters
		return len(base) == 58 && strings.Trim(hash, hashLetters) == ""
	}
	return strings.Trim(hash, hashLetters) == "" && len(hash) >= leastHash && len(hash) <= mostHash
}

func random(s string) bool { return s != "" && strings.Trim(s, randomLetters) == "" }
