package hpacouple_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

func BenchmarkTarget(b *testing.B) {
	b.ReportAllocs()
	var sum int32
	for b.Loop() {
		t, _ := hpacouple.Target(50, 1000, 700)
		sum += t
	}
	if sum == 0 {
		b.Fatal("no target")
	}
}

// BenchmarkFloatFormula is what people write instead, for the ratio.
func BenchmarkFloatFormula(b *testing.B) {
	b.ReportAllocs()
	old, before, after := 50.0, 1000.0, 700.0
	var sum float64
	for b.Loop() {
		sum += math.Round(old * before / after)
	}
	if sum == 0 {
		b.Fatal("no target")
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		var boxes []box
		for i := range n {
			boxes = append(boxes, box{"c" + strconv.Itoa(i), "1000m", "", "700m", ""})
		}
		in := input(50, boxes...)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r, errs := hpacouple.Plan(in); len(errs) > 0 || r.Outcome != hpacouple.Coordinate {
					b.Fatal(errs)
				}
			}
		})
	}
}

func BenchmarkAdmit(b *testing.B) {
	in := input(50, box{"app", "1000m", "", "700m", ""})
	plan, _ := hpacouple.Plan(in)
	admission := hpacouple.Admission{Policy: hpacouple.Policy{Spec: hpacouple.PolicySpec{HPA: &hpacouple.HPAPolicy{Coordinate: true}}},
		MayPatchHPA: true, Live: hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA}}
	b.ReportAllocs()
	for b.Loop() {
		if v, _ := hpacouple.Admit(plan, admission); !v.Allowed {
			b.Fatal(v)
		}
	}
}
