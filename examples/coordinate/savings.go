package main

import (
	"math/big"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/recommend"
)

// savings are amounts of one pod, and the price per hour of all pods, to the last decimal. Texts that do not apply are empty. Nothing is ever
// overstated: what is freed is rounded down.
type savings struct {
	CPU     string `json:"cpu"`
	Memory  string `json:"memory"`
	PerHour string `json:"perHour"`
}

// saves adds to an item what is saved, by the plan and as recommended.
func (t *task) saves(i *item, s settings) {
	var planned, asked recommend.Savings
	for _, f := range i.plan.Footprints {
		planned, asked = planned.Add(f.Resource, f.From, f.To), asked.Add(f.Resource, f.From, f.Recommended)
	}
	pods := t.podCount(s)
	i.Savings, i.Recommended = savingsText(planned.At(s.prices, pods)), savingsText(asked.At(s.prices, pods))
	for k, c := range i.plan.Containers {
		if c.From == nil || c.To == nil {
			continue
		}
		text := savingsText(recommend.Savings{}.Add(c.Resource, *c.From, *c.To).At(s.prices, pods))
		if c.Resource == corev1.ResourceMemory {
			text.CPU = ""
		} else {
			text.Memory = ""
		}
		i.Containers[k].Savings = text
	}
}

func savingsText(s recommend.Savings) savings {
	out := savings{CPU: amountText(corev1.ResourceCPU, s.CPUMilli), Memory: amountText(corev1.ResourceMemory, s.MemoryBytes)}
	if s.PerHour != nil {
		out.PerHour = big.NewRat(*s.PerHour, 1_000_000_000).FloatString(9)
		out.PerHour = strings.TrimSuffix(strings.TrimRight(out.PerHour, "0"), ".")
	}
	return out
}

// perHour prints a price with four decimals, rounded down; empty where there is none.
func perHour(text string) string {
	if text == "" {
		return ""
	}
	r := rat(text)
	r.Mul(r, big.NewRat(10_000, 1))
	n := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean with a positive divisor: rounds down
	return new(big.Rat).SetFrac(n, big.NewInt(10_000)).FloatString(4)
}

// saved says in the table what the plan frees.
func (p *page) saved(i *item) {
	if i.Savings.PerHour != "" {
		p.line("  Saves " + perHour(i.Savings.PerHour) + " per hour; as recommended " + perHour(i.Recommended.PerHour))
	}
}

// total says what all plans free together; empty without prices, and where a part of it is not known.
func total(r report) string {
	sum, any := new(big.Rat), false
	for _, i := range r.Items {
		if i.Savings.PerHour == "" {
			return ""
		}
		any = true
		sum.Add(sum, rat(i.Savings.PerHour))
	}
	if !any {
		return ""
	}
	text := " Together they save " + perHour(sum.FloatString(9)) + " per hour"
	if len(r.unpriced) > 0 {
		text += " (" + string(r.unpriced[0]) + " has no price)"
	}
	return text + "."
}
