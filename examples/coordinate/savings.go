package main

import (
	"math/big"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/recommend"
)

// savings are amounts of one pod, and the price per hour of all pods; texts that do not apply are empty.
type savings struct {
	CPU     string `json:"cpu"`
	Memory  string `json:"memory"`
	PerHour string `json:"perHour"`
}

// saves adds to an item what is saved, by the plan and as recommended.
func (t *task) saves(i *item, s settings) {
	planned, asked := recommend.Savings{}, recommend.Savings{}
	for _, f := range i.plan.Footprints {
		sub := func(to resource.Quantity) int64 {
			q := f.From.DeepCopy()
			q.Sub(to)
			if f.Resource == corev1.ResourceCPU {
				return q.MilliValue()
			}
			return q.Value()
		}
		if f.Resource == corev1.ResourceCPU {
			planned.CPUMilli, asked.CPUMilli = sub(f.To), sub(f.Recommended)
		} else {
			planned.MemoryBytes, asked.MemoryBytes = sub(f.To), sub(f.Recommended)
		}
	}
	pods := t.podCount(s)
	i.Savings, i.Recommended = savingsText(planned.At(s.prices, pods)), savingsText(asked.At(s.prices, pods))
	for k, c := range i.plan.Containers {
		if c.From == nil || c.To == nil {
			continue
		}
		q := c.From.DeepCopy()
		q.Sub(*c.To)
		one := recommend.Savings{CPUMilli: q.MilliValue()}
		if c.Resource == corev1.ResourceMemory {
			one = recommend.Savings{MemoryBytes: q.Value()}
		}
		i.Containers[k].Savings = savingsText(one.At(s.prices, pods))
		if c.Resource == corev1.ResourceMemory {
			i.Containers[k].Savings.CPU = ""
		} else {
			i.Containers[k].Savings.Memory = ""
		}
	}
}

func savingsText(s recommend.Savings) savings {
	out := savings{CPU: amountText(corev1.ResourceCPU, s.CPUMilli), Memory: amountText(corev1.ResourceMemory, s.MemoryBytes)}
	if s.PerHour != nil {
		out.PerHour = big.NewRat(*s.PerHour, 1_000_000_000).FloatString(4)
	}
	return out
}

// saved says in the table what the plan frees.
func (p *page) saved(i *item) {
	if i.Savings.PerHour != "" {
		p.line("  Saves " + i.Savings.PerHour + " per hour; as recommended " + i.Recommended.PerHour)
	}
}

// total says what all plans free together; empty without prices.
func total(r report) string {
	sum, priced := new(big.Rat), false
	for _, i := range r.Items {
		if i.Savings.PerHour != "" {
			priced = true
			sum.Add(sum, rat(i.Savings.PerHour))
		}
	}
	if !priced {
		return ""
	}
	return " Together they save " + sum.FloatString(4) + " per hour."
}
