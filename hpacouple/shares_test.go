package hpacouple_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// The generator reaches every outcome, skip reason, acting bound and cause: a share under 1 percent is a fault of the generator.
func TestGeneratorShares(t *testing.T) {
	const total = 3000
	counts := map[string]int{}
	for seed := range total {
		in := valid().Example(seed)
		r, errs := hpacouple.Plan(in)
		if len(errs) > 0 {
			counts["(error)"]++
			continue
		}
		counts["outcome "+string(r.Outcome)]++
		for _, s := range r.SkipReasons {
			counts["skip "+string(s)]++
		}
		if r.Working != nil && r.Working.Acted != "" {
			counts["bound "+string(r.Working.Acted)]++
		}
		if r.Cause != "" {
			counts["cause "+string(r.Cause)]++
		}
		for _, name := range traits(in) {
			counts[name]++
		}
	}
	want := []string{"bound max-utilization", "bound min-utilization", "draw zero", "draw huge", "draw other HPAs", "draw locked, limit alone"}
	for _, o := range hpacouple.Outcomes() {
		want = append(want, "outcome "+string(o))
	}
	for _, s := range skipreason.Skips() {
		want = append(want, "skip "+string(s))
	}
	for _, c := range bounds.Causes() {
		want = append(want, "cause "+string(c))
	}
	for _, name := range append(want, "(error)") {
		share := 100 * float64(counts[name]) / total
		t.Logf("%-32s %5.1f %%", name, share)
		if name != "(error)" {
			require.GreaterOrEqual(t, share, 1.0, name)
		}
	}
	require.Less(t, counts["(error)"], total/10, "valid draws are mostly valid")
}

// traits are what an input holds that is easily forgotten.
func traits(in hpacouple.Input) (out []string) {
	zero, huge, alone := false, false, false
	for _, c := range in.Pod.Spec.Containers {
		for name, q := range c.Resources.Requests {
			zero = zero || q.IsZero()
			huge = huge || (q.Value() > 1<<50 && name != "")
		}
		for _, r := range in.Recommendations {
			_, cpu := c.Resources.Requests["cpu"]
			_, limit := c.Resources.Limits["cpu"]
			alone = alone || (r.Container == c.Name && r.Throttled && !cpu && limit && len(r.Limits)+len(r.UnsetLimits) > 0)
		}
	}
	for _, x := range []struct {
		name string
		is   bool
	}{{"draw zero", zero}, {"draw huge", huge}, {"draw other HPAs", len(in.OtherHPAs) > 0}, {"draw locked, limit alone", alone}} {
		if x.is {
			out = append(out, x.name)
		}
	}
	return out
}
