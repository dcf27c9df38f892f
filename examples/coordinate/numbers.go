package main

import (
	"fmt"
	"math/big"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

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
			thousandths(w.Old, w.Resource), t.From, amount(before, w.Resource), thousandths(w.New, w.Resource), t.To, amount(after, w.Resource), change(before, after)))
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

// amount prints thousandths of cpu as millicores, of memory as Mi, with up to two decimals, so that the amounts of a line compare. What would
// be 0 by that is printed as a quantity.
func amount(m *big.Rat, name corev1.ResourceName) string {
	n, unit := m, "m"
	if name == corev1.ResourceMemory {
		n, unit = new(big.Rat).Quo(m, big.NewRat(1000<<20, 1)), "Mi"
	}
	text := decimals(n)
	if m.Sign() != 0 && (text == "0" || text == "-0") {
		q, err := resource.ParseQuantity(new(big.Rat).Quo(m, big.NewRat(1000, 1)).FloatString(9))
		if err == nil {
			return q.String()
		}
	}
	return text + unit
}

func thousandths(m int64, name corev1.ResourceName) string {
	return amount(new(big.Rat).SetInt64(m), name)
}

// inUnit prints a quantity of the report in the unit of the text form, empty where there is none.
func inUnit(text string, name corev1.ResourceName) string {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return text
	}
	return amount(thousand(q), name)
}

// thousand is a quantity in thousandths.
func thousand(q resource.Quantity) *big.Rat {
	r := rat(q.AsDec().String())
	return r.Mul(r, big.NewRat(1000, 1))
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
		from, to, recommended := thousand(f.From.DeepCopy()), thousand(f.To.DeepCopy()), thousand(f.Recommended.DeepCopy())
		line := fmt.Sprintf("  Requests of one pod: %s %s -> %s (%s)", f.Resource, amount(from, f.Resource), amount(to, f.Resource), change(from, to))
		if to.Cmp(recommended) != 0 {
			line += fmt.Sprintf("; as recommended %s (%s)", amount(recommended, f.Resource), change(from, recommended))
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
