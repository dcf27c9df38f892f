package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/program"
)

// check refuses what cannot be meant as a whole.
func (s *settings) check() error {
	names := slices.Concat(s.files, s.tables)
	for _, u := range s.usage {
		names = append(names, u.name)
	}
	if err := program.OneStandardInput(names); err != nil {
		return err
	}
	type said struct {
		scope
		resource corev1.ResourceName
		isLimit  bool
	}
	before := map[said]wish{}
	for _, w := range s.wishes {
		k := said{w.scope, w.resource, w.isLimit}
		if other, is := before[k]; is {
			return fmt.Errorf("%s: the %s %s of this container was given before, by %s", w.source.Field, w.resource, w.what(), other.source.Field)
		}
		before[k] = w
	}
	if err := s.checkUndoing(); err != nil {
		return err
	}
	if err := s.checkUsage(); err != nil {
		return err
	}
	flags := map[string]string{"autoPatch": "--auto-patch", "minUtilization": "--bounds", "maxUtilization": "--bounds", "steps": "--step",
		"largestNode": "--largest-node", "tolerance": "--tolerance"}
	_, errs := hpacouple.Plan(hpacouple.Input{Options: s.options})
	for _, e := range errs {
		if path, ok := strings.CutPrefix(e.Field, "options."); ok {
			name := path
			if i := strings.IndexAny(path, "[."); i >= 0 {
				name = path[:i]
			}
			return fmt.Errorf("%s: %s", flags[name], e.ErrorBody())
		}
	}
	return nil
}

// checkUndoing refuses new requests, and what is said about them, beside a rollback or a release.
func (s *settings) checkUndoing() error {
	i := slices.IndexFunc(s.facts, fact.undoes)
	if i < 0 {
		return nil
	}
	flag := string(s.facts[i].event)
	for _, w := range append(slices.Clone(s.wishes), s.startups...) {
		return fmt.Errorf("%s: nothing new is planned, so %s cannot be meant with it", flag, w.source.Field)
	}
	for _, f := range s.facts {
		if !f.undoes() {
			return fmt.Errorf("%s: nothing new is planned, so %s cannot be meant with it", flag, f.source.Field)
		}
	}
	for _, other := range []struct {
		name string
		said bool
	}{{"--requests", len(s.tables) > 0}, {"--usage", len(s.usage) > 0}, {"--coordinate", s.coordinate}} {
		if other.said {
			return fmt.Errorf("%s: nothing new is planned, so %s cannot be meant with it", flag, other.name)
		}
	}
	if s.retake && !slices.ContainsFunc(s.facts, func(f fact) bool { return f.event == rollBack }) {
		return errors.New("--retake: a release takes nothing")
	}
	return nil
}
