package rightsizetest

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/usage"
)

// Quantile is what is checked by [CheckQuantile]: a quantile of values in any order. Not ok is "there is none".
type Quantile func(values []float64, q float64) (float64, bool)

// QuantileLaws returns the laws of [CheckQuantile].
func QuantileLaws() []Law { return []Law{LawQ1, LawQ2, LawQ3, LawQ4, LawP2, LawP3, LawP4} }

// CheckQuantile checks laws of a quantile function, each as a subtest with the law's name; without names it checks all of [QuantileLaws].
// The method says which definition it follows.
//
//	Q1    quantiles do not fall as q rises, lie within the values, and do not depend on their order
//	Q2    the answer is the method's ([TrueQuantile]): exactly, or to 1e-9 for a straight line between two values
//	Q3    values in a smaller unit give the quantile in that unit
//	Q4    no values, or a q outside 0..1 or NaN: no quantile
func CheckQuantile(t *testing.T, quantile Quantile, method usage.Method, laws ...Law) {
	t.Helper()
	if len(laws) == 0 {
		laws = QuantileLaws()
	}
	for _, law := range laws {
		t.Run(string(law), func(t *testing.T) { CheckQuantileLaw(t, quantile, method, law) })
	}
}

// CheckQuantileLaw checks one law of [QuantileLaws].
func CheckQuantileLaw(t TB, quantile Quantile, method usage.Method, law Law) {
	t.Helper()
	rapid.Check(t, quantile.Property(method, law))
}

// Property is one law of [QuantileLaws] for rapid.Check, or for a fuzz target by rapid.MakeFuzz.
func (f Quantile) Property(method usage.Method, law Law) func(*rapid.T) {
	return func(t *rapid.T) {
		if !slices.Contains(QuantileLaws(), law) || !method.Valid() {
			t.Fatalf("%q is not a law of a quantile, or %q not a method", law, method)
		}
		c := quantileCase{values: Values().Draw(t, "values"), q: shares().Draw(t, "q")}
		if law == LawP2 || law == LawP3 || law == LawP4 {
			c.values = rapid.OneOf(Values(), HostileValues()).Draw(t, "any values")
			c.share = rapid.OneOf(rapid.Just(c.float()), hostileFloats()).Draw(t, "any q")
		}
		given := slices.Clone(c.values)
		v := f.law(t, c, method, law)
		if law == LawP2 && v == nil && !sameFloats(given, c.values) {
			v = LawP2.broken("they are now %v", c.values)
		}
		c.values = given
		found(t, c, v)
	}
}

// Values draws one to thirty values: of everyday size and far from it, zero, equal ones.
func Values() *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 4), rapid.Float64Range(0, 1e13),
		rapid.Map(rapid.IntRange(0, 5000), func(m int) float64 { return float64(m) / 1000 }),
		rapid.SampledFrom([]float64{0, 1, 0.01, 1e7, 20500000, 31525000, 0x1p-30})), 1, 30)
}

// HostileValues draws any values, and none.
func HostileValues() *rapid.Generator[[]float64] { return rapid.SliceOfN(hostileFloats(), 0, 8) }

// quantileCase asks for q sixty-fourths, which are exact floats, so that no answer depends on how a decimal is read.
type quantileCase struct {
	values []float64
	q      int
	share  float64 // instead of q, where it is not 0
}

func shares() *rapid.Generator[int] {
	return rapid.OneOf(rapid.SampledFrom([]int{0, 16, 32, 48, 58, 61, 63, 64}), rapid.IntRange(0, 64))
}

func (c quantileCase) float() float64 {
	if c.share != 0 {
		return c.share
	}
	return float64(c.q) / 64
}

// String lists the values.
func (c quantileCase) String() string { return fmt.Sprintf("  quantile %v of %v", c.float(), c.values) }

// ask calls the function; a panic is a broken law, whichever is checked.
func (f Quantile) ask(c quantileCase) (v float64, ok bool, broken *Violation) {
	defer func() {
		if r := recover(); r != nil {
			broken = LawP4.broken("panic: %v", r)
		}
	}()
	v, ok = f(c.values, c.float())
	return v, ok, nil
}

func (f Quantile) law(t *rapid.T, c quantileCase, method usage.Method, law Law) *Violation {
	answer, ok, broken := f.ask(c)
	if broken != nil || law == LawP2 || law == LawP4 {
		return broken
	}
	if law == LawP3 {
		if again, okAgain, _ := f.ask(c); ok != okAgain || math.Float64bits(answer) != math.Float64bits(again) {
			return law.broken("first %v %t, then %v %t", answer, ok, again, okAgain)
		}
		return nil
	}
	if law == LawQ4 {
		for _, none := range []quantileCase{{}, {values: c.values, share: -0.01}, {values: c.values, share: 1.01}, {values: c.values, share: math.NaN()}} {
			if v, ok, broken := f.ask(none); broken != nil {
				return broken
			} else if ok {
				return law.broken("quantile %v of %v is %v", none.float(), none.values, v)
			}
		}
	}
	if !ok {
		return law.broken("there is no quantile")
	}
	switch law {
	case LawQ1:
		if answer < slices.Min(c.values) || answer > slices.Max(c.values) {
			return law.broken("it is %v, outside %v..%v", answer, slices.Min(c.values), slices.Max(c.values))
		}
		higher := quantileCase{values: c.values, q: rapid.IntRange(c.q, 64).Draw(t, "higher q")}
		if v, ok, _ := f.ask(higher); !ok || v < answer {
			return law.broken("it is %v, and quantile %v is %v", answer, higher.float(), v)
		}
		other := quantileCase{values: reorder(t, c.values, "order"), q: c.q}
		if v, ok, _ := f.ask(other); !ok || v != answer {
			return law.broken("it is %v, and of %v it is %v", answer, other.values, v)
		}
	case LawQ2:
		want := TrueQuantile(c.values, nil, big.NewRat(int64(c.q), 64), method)
		e := 0.0
		if method == usage.Linear {
			e = 1e-9
		}
		if !within(answer, want, e, 0) {
			return law.broken("it is %v, and by the definition %s", answer, want.FloatString(12))
		}
	case LawQ3:
		k := math.Ldexp(1, rapid.IntRange(-8, 30).Draw(t, "exponent"))
		small := quantileCase{q: c.q}
		for _, v := range c.values {
			small.values = append(small.values, v*k)
		}
		if v, ok, _ := f.ask(small); !ok || v != answer*k {
			return law.broken("it is %v, and of values times %v it is %v", answer, k, v)
		}
	}
	return nil
}

// within says whether |answer - want| <= e x want + a, in rationals.
func within(answer float64, want *big.Rat, e, a float64) bool {
	if math.IsNaN(answer) || math.IsInf(answer, 0) {
		return false
	}
	off := new(big.Rat).SetFloat64(answer)
	off.Sub(off, want).Abs(off)
	most := new(big.Rat).SetFloat64(e)
	most.Mul(most, want).Add(most, new(big.Rat).SetFloat64(a))
	return off.Cmp(most) <= 0
}

func sameFloats(a, b []float64) bool {
	bits := func(list []float64) (out []uint64) {
		for _, v := range list {
			out = append(out, math.Float64bits(v))
		}
		return out
	}
	return assert.ObjectsAreEqual(bits(a), bits(b))
}
