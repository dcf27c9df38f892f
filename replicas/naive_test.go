package replicas

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

// The twins below share no code with what they check: integers of any size, and floats as math/big rounds them to 53
// bits.

func bigFloat(x float64) *big.Float { return new(big.Float).SetPrec(53).SetFloat64(x) }

// naiveQuotient is float64(a)/float64(b).
func naiveQuotient(a *big.Int, b int64) *big.Float {
	top := new(big.Float).SetPrec(53).SetInt(a)
	return new(big.Float).SetPrec(53).Quo(top, new(big.Float).SetPrec(53).SetInt64(b))
}

// naiveCeil is ceil(ratio * n), saturated to int32.
func naiveCeil(ratio *big.Float, n int) int32 {
	product := new(big.Float).SetPrec(53).Mul(ratio, new(big.Float).SetPrec(53).SetInt64(int64(n)))
	whole, accuracy := product.Int(nil)
	if accuracy == big.Below {
		whole.Add(whole, big.NewInt(1))
	}
	switch {
	case whole.Cmp(big.NewInt(math.MaxInt32)) > 0:
		return math.MaxInt32
	case whole.Cmp(big.NewInt(math.MinInt32)) < 0:
		return math.MinInt32
	}
	return int32(whole.Int64())
}

func naiveWithin(t Tolerance, ratio *big.Float) bool {
	low := new(big.Float).SetPrec(53).Sub(bigFloat(1), bigFloat(t.Down))
	high := new(big.Float).SetPrec(53).Add(bigFloat(1), bigFloat(t.Up))
	return low.Cmp(ratio) <= 0 && ratio.Cmp(high) <= 0
}

// naive is a per-pod metric: samples by pod, filled in by name, as the words of the rules have it. Requests are nil for
// raw values, where target is the value and not a percentage.
type naive struct {
	tolerance Tolerance
	current   int32
	target    int64
	raw       bool
}

func (n naive) ratio(samples, requests map[int]*big.Int) (*big.Float, bool) {
	usage, request := new(big.Int), new(big.Int)
	for pod, v := range samples {
		if r, known := requests[pod]; known || n.raw {
			usage.Add(usage, v)
			if !n.raw {
				request.Add(request, r)
			}
		}
	}
	if n.raw {
		return naiveQuotient(usage.Quo(usage, big.NewInt(int64(len(samples)))), n.target), true
	}
	if request.Sign() == 0 {
		return nil, false
	}
	usage.Mul(usage, big.NewInt(100))
	return naiveQuotient(usage.Quo(usage, request), n.target), true
}

// proposal takes ready, missing and unready pods by number; unlisted samples have numbers that have no request.
func (n naive) proposal(ready, unlisted map[int]*big.Int, missing, unready []int, requests map[int]*big.Int) (int32, bool) {
	samples := map[int]*big.Int{}
	for _, m := range []map[int]*big.Int{ready, unlisted} {
		for pod, v := range m {
			samples[pod] = v
		}
	}
	first, ok := n.ratio(samples, requests)
	if !ok {
		return 0, false
	}
	side := first.Cmp(bigFloat(1))
	lift := len(unready) > 0 && side > 0
	if !lift && len(missing) == 0 {
		if naiveWithin(n.tolerance, first) {
			return n.current, true
		}
		return naiveCeil(first, len(ready)), true
	}
	for _, pod := range missing {
		switch {
		case side > 0:
			samples[pod] = new(big.Int)
		case side < 0 && n.raw:
			samples[pod] = big.NewInt(n.target)
		case side < 0:
			v := new(big.Int).Mul(requests[pod], big.NewInt(max(100, n.target)))
			samples[pod] = v.Quo(v, big.NewInt(100))
		}
	}
	if lift {
		for _, pod := range unready {
			samples[pod] = new(big.Int)
		}
	}
	again, ok := n.ratio(samples, requests)
	if !ok {
		return 0, false
	}
	other := again.Cmp(bigFloat(1))
	if naiveWithin(n.tolerance, again) || side*other < 0 {
		return n.current, true
	}
	proposal := naiveCeil(again, len(samples))
	if (other < 0 && proposal > n.current) || (other > 0 && proposal < n.current) {
		return n.current, true
	}
	return proposal, true
}

// perPodAgainstTwin compares both per-pod formulas, in the whole range of int64.
func perPodAgainstTwin(t *rapid.T) {
	amount := rapid.OneOf(rapid.Int64Range(0, 5000), rapid.Int64Range(0, 1<<45), rapid.Int64Range(0, math.MaxInt64),
		rapid.SampledFrom([]int64{0, math.MaxInt64, math.MaxInt64 / 100, math.MaxInt64/math.MaxInt32 + 1}))
	usage := amount
	raw := rapid.Bool().Draw(t, "raw")
	if raw {
		usage = rapid.OneOf(amount, rapid.Int64())
	}
	current := rapid.Int32Range(0, 20).Draw(t, "current")
	tolerance := Tolerance{Down: rapid.Float64Range(0, 1).Draw(t, "down"), Up: rapid.Float64Range(0, 1).Draw(t, "up")}
	target := int64(rapid.OneOf(rapid.Int32Range(1, 300), rapid.Int32Range(1, math.MaxInt32)).Draw(t, "target"))
	if raw {
		target = rapid.OneOf(rapid.Int64Range(1, 5000), rapid.Int64Range(1, math.MaxInt64)).Draw(t, "raw target")
	}
	var pods []Pod
	requests, ready, unlisted := map[int]*big.Int{}, map[int]*big.Int{}, map[int]*big.Int{}
	var missing, unready []int
	var unlistedSamples []int64
	for i := range rapid.IntRange(1, 8).Draw(t, "pods") {
		p := readyPods(1, amount.Draw(t, "request"), usage.Draw(t, "usage"))[0]
		requests[i] = big.NewInt(p.Request)
		switch rapid.IntRange(0, 6).Draw(t, "class") {
		case 0:
			p.Sampled = false
			missing = append(missing, i)
		case 1:
			p.Phase = corev1.PodPending
			unready = append(unready, i)
		case 2:
			p.Phase = corev1.PodFailed
		default:
			ready[i] = big.NewInt(p.Sample.Milli)
		}
		pods = append(pods, p)
	}
	for i := range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "unlisted") {
		v := usage.Draw(t, "usage")
		unlistedSamples = append(unlistedSamples, v)
		unlisted[100+i] = big.NewInt(v)
	}
	c := Calculator{Current: current, Tolerance: tolerance, Now: noon}
	var got Result
	var err error
	if raw {
		got, err = c.PodsAverage(pods, unlistedSamples, MilliTarget(target))
	} else {
		got, err = c.Utilization("memory", pods, unlistedSamples, int32(target))
	}
	if len(ready)+len(unlisted) == 0 {
		require.ErrorContains(t, err, "did not receive metrics")
		return
	}
	want, ok := naive{tolerance, current, target, raw}.proposal(ready, unlisted, missing, unready, requests)
	if !ok {
		require.ErrorContains(t, err, "no metrics returned matched known pods")
		return
	}
	require.NoError(t, err)
	require.Equal(t, want, got.Replicas)
	require.Equal(t, len(ready), got.Pods.Ready)
	require.Equal(t, len(missing), got.Pods.Missing)
	require.Equal(t, len(unready), got.Pods.Unready)
}

func TestPerPodAgainstTwin(t *testing.T) { rapid.Check(t, perPodAgainstTwin) }
func FuzzPerPodAgainstTwin(f *testing.F) { f.Fuzz(rapid.MakeFuzz(perPodAgainstTwin)) }

// TestTotalAgainstBig: sums, products and quotients in 128 bits are those of any size.
func TestTotalAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum, other total
		want := new(big.Int)
		for i, v := range rapid.SliceOfN(edge64(), 0, 8).Draw(t, "terms") {
			if i%2 == 0 {
				sum.add(v)
			} else {
				other.add(v)
			}
			want.Add(want, big.NewInt(v))
		}
		sum.join(other)
		require.Zero(t, want.Cmp(sum.exact()))
		v, fits := sum.narrow()
		require.Equal(t, want.IsInt64(), fits)
		if fits {
			require.Equal(t, want.Int64(), v)
		}
		v, m := edge64().Draw(t, "v"), int64(rapid.Int32Range(0, math.MaxInt32).Draw(t, "m"))
		product := new(big.Int).Mul(big.NewInt(v), big.NewInt(m))
		require.Zero(t, product.Quo(product, big.NewInt(100)).Cmp(times(v, m).exact()))
	})
}

// TestConversions: out-of-range floats go where the result type says, in both modes.
func TestConversions(t *testing.T) {
	for _, row := range []struct {
		f         float64
		want      int32
		reproduce int32
		out       bool
		why       string
	}{
		{f: 0, why: "zero"},
		{f: math.MaxInt32, want: math.MaxInt32, reproduce: math.MaxInt32, why: "the largest"},
		{f: math.MaxInt32 + 0.5, want: math.MaxInt32, reproduce: math.MaxInt32, why: "truncated into the range"},
		{f: math.MaxInt32 + 1, want: math.MaxInt32, reproduce: math.MinInt32, out: true, why: "one too many"},
		{f: math.MinInt32, want: math.MinInt32, reproduce: math.MinInt32, why: "the smallest"},
		{f: math.MinInt32 - 1, want: math.MinInt32, reproduce: math.MinInt32, out: true, why: "one too few"},
		{f: 3e9, want: math.MaxInt32, reproduce: math.MinInt32, out: true, why: "amd64"},
		{f: math.Inf(1), want: math.MaxInt32, reproduce: math.MinInt32, out: true, why: "infinite"},
		{f: math.Inf(-1), want: math.MinInt32, reproduce: math.MinInt32, out: true, why: "infinite"},
		{f: math.NaN(), want: 0, reproduce: math.MinInt32, out: true, why: "no number"},
	} {
		got, out := toInt32(row.f, false)
		require.Equal(t, row.want, got, row.why)
		require.Equal(t, row.out, out, row.why)
		got, _ = toInt32(row.f, true)
		require.Equal(t, row.reproduce, got, row.why)
	}
	for _, row := range []struct {
		f, why          string
		want, reproduce int64
	}{
		{f: "9223372036854774784", want: 9223372036854774784, reproduce: 9223372036854774784, why: "the largest float below 2^63"},
		{f: "9223372036854775808", want: math.MaxInt64, reproduce: math.MinInt64, why: "2^63"},
		{f: "-9223372036854775808", want: math.MinInt64, reproduce: math.MinInt64, why: "-2^63"},
	} {
		f, _, err := big.ParseFloat(row.f, 10, 64, big.ToNearestEven)
		require.NoError(t, err)
		x, _ := f.Float64()
		got, _ := toInt64(x, false)
		require.Equal(t, row.want, got, row.why)
		got, _ = toInt64(x, true)
		require.Equal(t, row.reproduce, got, row.why)
	}
}
