package hpacouple_test

import (
	"testing"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// staged is the recorded objects of a story, with the change 1000m at 50 to 700m at 71.
func staged(tb tester, name string) (*stage, hpacouple.Change) {
	r := record(tb)
	for _, st := range r.Stories {
		if st.Name == name {
			s := &stage{}
			s.set(tb, r, st.Before)
			s.taken = memory(st.Former)
			return s, joint()
		}
	}
	tb.Fatal(name)
	return nil, hpacouple.Change{}
}

func joint() hpacouple.Change {
	return hpacouple.Change{Workload: web, HPA: hpacouple.HPARef{Namespace: "default", Name: "web"}, Strategy: hpacouple.Rollout,
		Amounts: []hpacouple.AmountChange{{AmountRef: amountPath("containers[app].resources.requests.cpu"), From: quantity("1"), To: quantity("700m")}},
		Targets: []hpacouple.TargetChange{{TargetRef: cpuEntry, From: 50, To: 71}}}
}

func (s *stage) whole() hpacouple.Live {
	l := hpacouple.Live{HPA: s.hpa}
	if s.deployment != nil {
		l.Meta, l.Template = &s.deployment.ObjectMeta, &s.deployment.Spec.Template.Spec
	}
	return l
}

// BenchmarkWrites builds both writes of one change, from the managedFields of an API server.
func BenchmarkWrites(b *testing.B) {
	s, c := staged(b, "apply/kubectl-create")
	live := s.whole()
	b.ReportAllocs()
	for b.Loop() {
		if w, errs := c.Writes(live, hpacouple.WriteOptions{}); len(errs) > 0 || len(w.Writes) != 2 {
			b.Fatal(errs, w)
		}
	}
}

func BenchmarkRelease(b *testing.B) {
	s, _ := staged(b, "release-restore/kubectl-create")
	live := s.whole()
	b.ReportAllocs()
	for b.Loop() {
		if r, errs := hpacouple.Release(web, live, hpacouple.ReleaseOptions{Taken: s.taken}); len(errs) > 0 || len(r.Writes) != 2 {
			b.Fatal(errs, r)
		}
	}
}

func BenchmarkChangeOf(b *testing.B) {
	plan, _ := hpacouple.Plan(input(50, box{"app", "1000m", "", "700m", ""}))
	b.ReportAllocs()
	for b.Loop() {
		if c, ok := hpacouple.ChangeOf(plan); !ok || len(c.Amounts) != 1 {
			b.Fatal(c)
		}
	}
}
