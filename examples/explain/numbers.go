package main

import (
	"math/big"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// quantity is an amount as people write it: cpu in millicores, memory in Ki, Mi, Gi where it is whole.
func quantity(name string, milli int64) string {
	if name == string(corev1.ResourceCPU) {
		return strconv.FormatInt(milli, 10) + "m"
	}
	format := resource.DecimalSI
	if name == string(corev1.ResourceMemory) {
		format = resource.BinarySI
	}
	return resource.NewMilliQuantity(milli, format).String()
}

// several is a number of things.
func several(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// ratio has four decimals.
func ratio(f float64) string { return strconv.FormatFloat(f, 'f', 4, 64) }

// exactly has as many digits as tell f from every other float64.
func exactly(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// around shows a ratio beside the tolerance. Where four decimals would put it on another side of an edge, as where a
// binary fraction loses the edge, all three have all their digits.
func around(f, low, high float64) (shown, band string) {
	digits := ratio
	for _, edge := range []float64{low, high} {
		if order(f, edge) != order(read(ratio(f)), read(ratio(edge))) {
			digits = exactly
		}
	}
	return digits(f), digits(low) + ".." + digits(high)
}

// factor shows the ratio in ceil(ratio x n) with digits enough to give the result: the controller's ratio is a binary
// fraction, and 1.1 is a bit more than 1.1.
func factor(f float64, n int, result int32) string {
	for _, digits := range []func(float64) string{ratio, exactly, longest} {
		product, ok := new(big.Rat).SetString(digits(f))
		if !ok {
			continue
		}
		product.Mul(product, big.NewRat(int64(n), 1))
		up := new(big.Int).Div(product.Num(), product.Denom()) // the floor
		if !product.IsInt() {
			up.Add(up, big.NewInt(1))
		}
		if up.Cmp(big.NewInt(int64(result))) == 0 {
			return digits(f)
		}
	}
	return ratio(f)
}

func longest(f float64) string { return strconv.FormatFloat(f, 'f', 20, 64) }

func read(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64) // of what was just printed
	return f
}

func order(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
