package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// What a workload's annotations say. The ledger is the fourth, and the controller's own.
const (
	// Recommended holds what the containers need: {"containers": [{"container": "app", "requests": {"cpu": "700m"}}]}, each as [hpacouple.Recommendation].
	Recommended = "kube-rightsize.github.io/recommendation"
	// RollBack: "true" puts the last change back, and no other is made as long as it stands there.
	RollBack = "kube-rightsize.github.io/rollback"
	// Release: "true" gives all fields up, and none is taken as long as it stands there. With RollBack the values go back as well.
	Release = "kube-rightsize.github.io/release"
	// Conditions is written by the controller: what has become of it, as a list of conditions.
	Conditions = "kube-rightsize.github.io/conditions"
)

// Recommendation is the value of [Recommended].
type Recommendation struct {
	Containers []hpacouple.Recommendation `json:"containers"`
	// MaxReplicasReached: the HPA was at maxReplicas while that was measured.
	MaxReplicasReached bool `json:"maxReplicasReached,omitempty"`
}

// wish is what is asked of a workload.
type wish struct {
	recommendation *Recommendation // nil for none
	rollBack       bool
	release        bool
}

func wishOf(annotations map[string]string) (w wish, err error) {
	for _, f := range []struct {
		name string
		on   *bool
	}{{RollBack, &w.rollBack}, {Release, &w.release}} {
		switch annotations[f.name] {
		case "true":
			*f.on = true
		case "", "false":
		default:
			return wish{}, fmt.Errorf("%s: expected true or false", f.name)
		}
	}
	text, ok := annotations[Recommended]
	if !ok {
		return w, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	w.recommendation = new(Recommendation)
	if err := d.Decode(w.recommendation); err != nil {
		return w, fmt.Errorf("%s: %w", Recommended, err)
	}
	return w, nil
}
