package usage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/usage"
)

// nothing is a view without data.
type nothing struct{}

func (nothing) Quantile(float64) (float64, bool) { return 0, false }
func (nothing) Max() (float64, bool)             { return 0, false }
func (nothing) Count() int64                     { return 0 }
func (nothing) First() time.Time                 { return time.Time{} }
func (nothing) Last() time.Time                  { return time.Time{} }

// median is a view that knows its median alone.
type median struct{ nothing }

func (median) Quantile(q float64) (float64, bool) { return 1, q == 0.5 }

// TestEmpty: a table that lists a quantile is data, with or without a count, and is not left out of the largest of all.
func TestEmpty(t *testing.T) {
	one := 1.0
	table := func(t usage.Table) usage.View {
		q, err := usage.NewQuantiles(t)
		if err != nil {
			panic(err)
		}
		return q
	}
	p95 := func(v float64) []usage.QuantileValue { return []usage.QuantileValue{{Q: 0.95, Value: v}} }
	for _, c := range []struct {
		why   string
		view  usage.View
		empty bool
	}{
		{"nil", nil, true},
		{"no table", (*usage.Quantiles)(nil), true},
		{"a table of nothing", table(usage.Table{}), true},
		{"a count of nothing", table(usage.Table{Count: 5}), true},
		{"a quantile without count and maximum", table(usage.Table{Quantiles: p95(2)}), false},
		{"a maximum alone", table(usage.Table{Max: &one}), false},
		{"somebody's empty view", nothing{}, true},
		{"somebody's median", median{}, false},
	} {
		require.Equal(t, c.empty, usage.Empty(c.view), c.why)
	}
	largest := usage.MaxOf(table(usage.Table{Quantiles: p95(0.5), Count: 10}), table(usage.Table{Quantiles: p95(2)}))
	v, ok := largest.Quantile(0.95)
	require.True(t, ok)
	require.Equal(t, 2.0, v)
	_, ok = usage.MaxOf(table(usage.Table{Quantiles: p95(0.5)}), table(usage.Table{Max: &one})).Quantile(0.95)
	require.False(t, ok, "the largest of some is not the largest of all")
	_, err := usage.FromBuckets(usage.Fine, []usage.Bucket{{UpperBound: 1, Weight: 1}}, usage.Span{First: time.Unix(1, 0), Last: time.Unix(2, 0)})
	require.Error(t, err, "weight that no sample stands behind would be neither data nor none")
}

// TestMaxOfTimes: a view that does not say when it was measured does not stretch the others back to the year 1.
func TestMaxOfTimes(t *testing.T) {
	half := []usage.QuantileValue{{Q: 0.5, Value: 1}}
	at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	timed, err := usage.NewQuantiles(usage.Table{Quantiles: half, Count: 2, First: at, Last: at.Add(time.Hour)})
	require.NoError(t, err)
	untimed, err := usage.NewQuantiles(usage.Table{Quantiles: half, Count: 2})
	require.NoError(t, err)
	for _, both := range []usage.View{usage.MaxOf(timed, untimed), usage.MaxOf(untimed, timed)} {
		require.Equal(t, at, both.First())
		require.Equal(t, at.Add(time.Hour), both.Last())
	}
}
