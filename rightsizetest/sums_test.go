package rightsizetest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

// sums is a right planner of four numbers.
func sums(oldRequests int64, oldTarget int32, recommended int64) (int64, int32) {
	item := bounds.Item{Name: "app", Present: oldRequests, Settled: recommended, Limit: -1, Step: 1}
	f, ok := bounds.Fit(oldTarget, oldRequests, recommended, []bounds.Item{item}, bounds.Effective(bounds.DefaultTarget(), oldTarget))
	if !ok || f.Cause != "" || f.Sum == oldRequests {
		return oldRequests, oldTarget
	}
	return f.Sum, f.Target
}

func TestSums(t *testing.T) { rightsizetest.CheckSums(t, sums, rightsizetest.SumBounds{}) }

func TestEverySumsLawCatchesItsFault(t *testing.T) {
	calls := 0
	planted := map[rightsizetest.Law]rightsizetest.Sums{
		rightsizetest.LawH1: func(r int64, t int32, to int64) (int64, int32) { // floors
			n, target := sums(r, t, to)
			if n == to && n != r {
				target = int32(max(r*int64(t)/n, 1))
			}
			return n, target
		},
		rightsizetest.LawH1b: func(r int64, t int32, to int64) (int64, int32) { // clamps the target and keeps the wish
			_, target := sums(r, t, to)
			return to, target
		},
		rightsizetest.LawH2: func(r int64, t int32, to int64) (int64, int32) { // pulls the target in without a change
			n, target := sums(r, t, to)
			if n == r {
				target = min(target, 90)
			}
			return n, target
		},
		rightsizetest.LawH4: func(r int64, t int32, to int64) (int64, int32) { // the formula alone
			target, _ := hpacouple.Target(t, r, to)
			return to, target
		},
		rightsizetest.LawH7: func(r int64, t int32, to int64) (int64, int32) { // ten percent on top
			return sums(r, t, to*11/10+1)
		},
		rightsizetest.LawH8: func(r int64, t int32, to int64) (int64, int32) { // half of the way each time
			return sums(r, t, (r+to)/2)
		},
		rightsizetest.LawP3: func(r int64, t int32, to int64) (int64, int32) { // remembers
			calls++
			return sums(r, t, to+int64(calls%2))
		},
	}
	for _, law := range rightsizetest.SumLaws() {
		t.Run(string(law), func(t *testing.T) {
			faulty, ok := planted[law]
			caught(t, law, ok, func(t rightsizetest.TB) { rightsizetest.CheckSumsLaw(t, faulty, rightsizetest.SumBounds{}, law) }, "recommended")
		})
	}
	failed, _ := record(t, func(t rightsizetest.TB) {
		rightsizetest.CheckSumsLaw(t, sums, rightsizetest.SumBounds{}, rightsizetest.LawH9)
	})
	require.True(t, failed)
}
