package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
	"github.com/kube-rightsize/rightsize/risk"
)

// Written is the type of the condition that says whether what is asked for is written. Reasons: Applied; Contested, Stale, Forgotten, Unwritable,
// Unreadable, ReadOnly, Blocked, RollingOut, Refused (by the API server, for good), Failed (and tried again).
const Written = "Written"

type conditions []metav1.Condition

func condition(kind string, is bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if is {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message}
}

func (p *round) now() metav1.Time { return metav1.NewTime(p.Now()) }

func (p *round) key() types.NamespacedName {
	return types.NamespacedName{Namespace: p.workload.Namespace, Name: p.workload.Name}
}

func (p *round) object() hpacouple.ObjectRef {
	return hpacouple.ObjectRef{APIVersion: p.workload.APIVersion, Kind: p.workload.Kind, Namespace: p.workload.Namespace, Name: p.workload.Name}
}

// tell writes conditions down, in an annotation since the status of a workload belongs to its own controller; in read-only mode it only logs them.
// They name no generation: writing an annotation of a Deployment counts it up, so a condition that names it would be news to itself for ever.
func (p *round) tell(ctx context.Context, changed ...metav1.Condition) error {
	var known []metav1.Condition
	_ = json.Unmarshal([]byte(p.meta.Annotations[Conditions]), &known) // what is not understood is written anew
	news := false
	for _, c := range changed {
		c.ObservedGeneration, c.LastTransitionTime = 0, p.now()
		c.Message = short(c.Message)
		news = meta.SetStatusCondition(&known, c) || news
		ctrl.LoggerFrom(ctx).V(1).Info("condition", "type", c.Type, "status", c.Status, "reason", c.Reason, "message", c.Message)
	}
	if !p.Writes {
		for _, c := range changed { // what is blocked has an event of its own
			if (c.Type == Written && c.Reason != "Blocked" && c.Status == metav1.ConditionFalse) || c.Status == metav1.ConditionUnknown {
				e := hpacouple.Event{Type: corev1.EventTypeNormal, Reason: hpacouple.EventReason(c.Reason), Message: c.Message}
				if err := p.events(ctx, []hpacouple.Event{e}); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if !news {
		return nil
	}
	text, err := json.Marshal(known)
	if err != nil {
		return err
	}
	return p.annotate(ctx, string(text))
}

// annotate writes the conditions; the empty text takes them away.
func (p *round) annotate(ctx context.Context, text string) error {
	if p.meta.Annotations[Conditions] == text {
		return nil
	}
	w, err := ledger.Annotate(p.object(), ledger.Guard{UID: p.meta.UID}, p.FieldManager+"-conditions", Conditions, text)
	if err != nil {
		return err
	}
	if err := p.send(ctx, w); err != nil {
		return err
	}
	return p.refresh(ctx)
}

// events makes the events, each once while it lasts: its name is made of what it says.
func (p *round) events(ctx context.Context, list []hpacouple.Event) error {
	for _, e := range list {
		h := fnv.New64a()
		fmt.Fprint(h, p.meta.UID, e.Reason, e.Message)
		_, err := p.Clients.CoreV1().Events(p.workload.Namespace).Create(ctx, &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Name: fmt.Sprintf("%.200s.%x", p.workload.Name, h.Sum64()), Namespace: p.workload.Namespace, Annotations: e.Details.Annotations()},
			InvolvedObject: corev1.ObjectReference{APIVersion: p.workload.APIVersion, Kind: p.workload.Kind, Namespace: p.workload.Namespace, Name: p.workload.Name, UID: p.meta.UID},
			Type:           e.Type, Reason: string(e.Reason), Message: short(e.Message), FirstTimestamp: p.now(), LastTimestamp: p.now(), Count: 1,
			Source: corev1.EventSource{Component: p.FieldManager},
		}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

// short keeps a message within what an event may hold.
func short(message string) string {
	const most = 1000
	if len(message) > most {
		return strings.ToValidUTF8(message[:most], "") + " ..."
	}
	return message
}

func listed(names []string) string { return strings.Join(names, ", ") }

func owners(list []risk.Owner) string {
	var names []string
	for _, o := range list {
		names = append(names, fmt.Sprintf("%s (%s, %s) holds %s", o.Manager, o.Operation, o.APIVersion, o.Field))
	}
	return listed(names)
}
