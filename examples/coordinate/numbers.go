package main

import (
	"fmt"
	"math/big"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// scalePoint writes request sum x target before and after: the average usage of a pod at which the HPA is content.
func (p *page) scalePoint(i *item) {
	w := i.plan.Working
	if w == nil {
		return
	}
	for _, t := range i.plan.Targets {
		if t.Resource != w.Resource {
			continue
		}
		before, after := product(w.Old, t.From), product(w.New, t.To)
		p.line(fmt.Sprintf("  Scale point of %s (request sum x target): %s x %d%% = %s before, %s x %d%% = %s after (%s)", w.Resource,
			milli(w.Old, w.Resource), t.From, amount(before, w.Resource), milli(w.New, w.Resource), t.To, amount(after, w.Resource), change(before, after)))
	}
}

// product is requests x target / 100 in thousandths.
func product(requests int64, target int32) *big.Rat {
	r := new(big.Rat).SetInt64(requests)
	return r.Mul(r, big.NewRat(int64(target), 100))
}

// change is the relative difference in percent.
func change(before, after *big.Rat) string {
	if before.Sign() == 0 {
		return "no difference in percent"
	}
	d := new(big.Rat).Sub(after, before)
	d.Quo(d, before).Mul(d, big.NewRat(100, 1))
	text := d.FloatString(2)
	switch {
	case d.Sign() == 0:
		return "no difference"
	case d.Sign() > 0:
		text = "+" + text
	}
	return text + "%"
}

// amount prints thousandths of cpu as millicores, of memory as Mi, with up to two decimals.
func amount(m *big.Rat, name corev1.ResourceName) string {
	if name == corev1.ResourceMemory {
		return decimals(new(big.Rat).Quo(m, big.NewRat(1000<<20, 1))) + "Mi"
	}
	return decimals(m) + "m"
}

func decimals(r *big.Rat) string {
	text := r.FloatString(2)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// percent prints a fraction with two decimals.
func percent(f hpacouple.Fraction) string {
	r, ok := new(big.Rat).SetString(string(f))
	if !ok {
		return string(f)
	}
	return decimals(r) + "%"
}

// footprints writes what one pod requests before and after, and as recommended where that differs.
func (p *page) footprints(i *item) {
	for _, f := range i.plan.Footprints {
		if f.From.Cmp(f.To) == 0 && f.From.Cmp(f.Recommended) == 0 {
			continue
		}
		from, to := rat(f.From.AsDec().String()), rat(f.To.AsDec().String())
		line := fmt.Sprintf("  Requests of one pod: %s %s -> %s (%s)", f.Resource, f.From.String(), f.To.String(), change(from, to))
		if f.To.Cmp(f.Recommended) != 0 {
			line += fmt.Sprintf("; as recommended %s (%s)", f.Recommended.String(), change(from, rat(f.Recommended.AsDec().String())))
		}
		p.line(line)
	}
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return new(big.Rat)
	}
	return r
}
