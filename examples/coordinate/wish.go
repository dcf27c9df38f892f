package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/internal/manifest"
)

// scope says what a wish or a fact is about. Empty kind and name mean every workload, an empty namespace every namespace.
type scope struct{ kind, namespace, name, container string }

// names says whether an object may be what the scope speaks of, its containers left aside.
func (s scope) names(id manifest.Identity) bool {
	return (s.kind == "" || s.kind == id.Kind) && (s.name == "" || s.name == id.Name) && (s.namespace == "" || s.namespace == id.Namespace)
}

// rank orders the sources of new requests: where several speak of one container and resource, the highest counts.
type rank int

const (
	fromRecommender rank = iota // a VerticalPodAutoscaler
	fromUsage                   // --usage
	fromTable                   // --requests
	fromFlag                    // --request or --limit for every workload
	fromNamedFlag               // --request or --limit with KIND/NAME/
)

// wish is a new request or limit of one container and resource.
type wish struct {
	scope
	rank     rank
	source   fault  // where it was said
	from     string // the recommender's name
	resource corev1.ResourceName
	isLimit  bool
	amount   resource.Quantity
	// keepsRatio, for a limit: it goes with the request of the plan, and amount, if above 0, is the least that it becomes.
	keepsRatio bool
}

func (w wish) what() string {
	if w.isLimit {
		return "limit"
	}
	return "request"
}

// event is the kind of a fact.
type event string

const (
	throttled          event = "--throttled"
	oomKilled          event = "--oom-killed"
	maxReplicasReached event = "--max-replicas-reached"
	rollBack           event = "--rollback" // not something that happened but that is to happen; it speaks of workloads in the same way
	release            event = "--release"
)

// fact is something that happened.
type fact struct {
	scope
	event  event
	source fault
}

func (f fact) undoes() bool { return f.event == rollBack || f.event == release }

// wish reads the value of --request and --limit.
func (s *settings) wish(flag, value string) error {
	target, list, ok := strings.Cut(value, ":")
	if !ok {
		return errors.New("expected [KIND/NAME/]CONTAINER:cpu=700m,memory=512Mi")
	}
	sc, err := readScope(target)
	if err != nil {
		return err
	}
	wanted, err := amounts(list)
	if err != nil {
		return err
	}
	w := wish{scope: sc, rank: fromFlag, source: fault{Field: flag + " " + value}, isLimit: flag == "--limit"}
	if sc.name != "" {
		w.rank = fromNamedFlag
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		q, ok := wanted[name]
		if !ok {
			continue
		}
		if q.Sign() < 0 || (q.Sign() == 0 && !w.isLimit) {
			return fmt.Errorf("expected an amount of %s above 0", name)
		}
		w.resource, w.amount = name, q
		s.wishes = append(s.wishes, w)
	}
	return nil
}

// fact reads the value of --throttled, --oom-killed, --max-replicas-reached, --rollback and --release.
func (s *settings) fact(e event, value string) (err error) {
	f := fact{event: e, source: fault{Field: strings.TrimSpace(string(e) + " " + value)}}
	if e == throttled || e == oomKilled {
		if f.scope, err = readScope(value); err != nil {
			return err
		}
	} else if value != "" && value != "true" {
		kind, name, ok := strings.Cut(strings.TrimSuffix(value, "/"), "/")
		if !ok || name == "" || strings.Contains(name, "/") {
			return errors.New("expected KIND/NAME or no value")
		}
		if f.kind, err = kindOf(kind); err != nil {
			return err
		}
		f.name = name
	}
	s.facts = append(s.facts, f)
	return nil
}

// readScope reads [KIND/NAME/]CONTAINER.
func readScope(text string) (scope, error) {
	parts := strings.Split(text, "/")
	for _, p := range parts {
		if p == "" || (len(parts) != 1 && len(parts) != 3) {
			return scope{}, errors.New("expected [KIND/NAME/]CONTAINER")
		}
	}
	if len(parts) == 1 {
		return scope{container: text}, nil
	}
	kind, err := kindOf(parts[0])
	return scope{kind: kind, name: parts[1], container: parts[2]}, err
}

// isWorkload says whether an argument behind a flag with an optional value is its value rather than a file: KIND/NAME without a dot. What is both is
// refused.
func isWorkload(arg string) (bool, error) {
	kind, name, ok := strings.Cut(strings.TrimSuffix(arg, "/"), "/")
	if _, err := kindOf(kind); !ok || err != nil || name == "" || strings.ContainsAny(name, "/.") {
		return false, nil
	}
	if _, err := os.Stat(arg); err == nil {
		return false, fmt.Errorf("is a file or directory too; expected %s=%s for the workload, ./%s for the file", maxReplicasReached, arg, arg)
	}
	return true, nil
}

// kindOf reads a kind of workload as kubectl does: any case, plural, or short.
func kindOf(text string) (string, error) {
	for _, k := range [][]string{
		{"Deployment", "deployments", "deploy"}, {"StatefulSet", "statefulsets", "sts"},
		{"ReplicaSet", "replicasets", "rs"}, {"DaemonSet", "daemonsets", "ds"},
	} {
		for _, name := range k {
			if strings.EqualFold(name, text) {
				return k[0], nil
			}
		}
	}
	return "", fmt.Errorf("found the kind %q, expected Deployment, StatefulSet, ReplicaSet or DaemonSet", text)
}

// amounts reads cpu=700m,memory=512Mi.
func amounts(text string) (corev1.ResourceList, error) {
	list := corev1.ResourceList{}
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		key := corev1.ResourceName(name)
		if !ok || (key != corev1.ResourceCPU && key != corev1.ResourceMemory) {
			return nil, fmt.Errorf("found %q, expected cpu=AMOUNT or memory=AMOUNT", part)
		}
		if _, again := list[key]; again {
			return nil, fmt.Errorf("%s was given twice", name)
		}
		q, err := manifest.ParseQuantity(value)
		if err != nil {
			return nil, fmt.Errorf("found %q, %w", value, err)
		}
		list[key] = q
	}
	return list, nil
}
