package hpacouple

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// fraction equals big.Rat's own text.
func TestFractionAgainstBigRational(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(0, math.MaxInt64), rapid.SampledFrom([]int64{-1, 0, math.MaxInt64}))
		a, b, c := part.Draw(t, "a"), part.Draw(t, "b"), part.Draw(t, "c")
		got := fraction(a, b, c)
		if a < 0 || b < 0 || c < 1 {
			require.Empty(t, got)
			return
		}
		want := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(a), big.NewInt(b)), big.NewInt(c))
		require.Equal(t, want.RatString(), string(got))
	})
}
