package manifest

import (
	"errors"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	maxQuantityText = 64
	maxExponent     = 3 // digits
)

const wantQuantity = "expected a quantity such as 100m, 0.5 or 512Mi"

// parseQuantity is resource.ParseQuantity without what it gets wrong in
// silence or never returns from (see the package comment).
func parseQuantity(s string) (resource.Quantity, error) {
	switch {
	case len(s) > maxQuantityText:
		return resource.Quantity{}, errors.New("expected a quantity of at most 64 characters")
	case !strings.ContainsAny(mantissa(s), "0123456789"):
		return resource.Quantity{}, errors.New(wantQuantity + ": the number is missing")
	case exponentDigits(s) > maxExponent:
		return resource.Quantity{}, errors.New("expected a quantity with an exponent of at most three digits")
	}
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return resource.Quantity{}, errors.New(wantQuantity)
	}
	if q.Format == resource.BinarySI && (q.CmpInt64(math.MaxInt64) >= 0 || q.CmpInt64(-math.MaxInt64) <= 0) {
		return resource.Quantity{}, errors.New("expected less than 8Ei (2^63): the API server would cut it off there")
	}
	return q, nil
}

// mantissa is what stands in front of a suffix or exponent.
func mantissa(s string) string {
	if i := strings.IndexAny(s, "eEinumkKMGTP"); i >= 0 {
		return s[:i]
	}
	return s
}

// exponentDigits is the length of the longest run of digits behind an e or E
// and its sign, wherever in s that is.
func exponentDigits(s string) int {
	most, run, counting := 0, 0, false
	for i := range len(s) {
		switch c := s[i]; {
		case c == 'e' || c == 'E':
			counting, run = true, 0
		case counting && c >= '0' && c <= '9':
			run++
			most = max(most, run)
		case counting && run == 0 && (c == '+' || c == '-'):
		default:
			counting = false
		}
	}
	return most
}

// quantity reads a node as the API server would: text, or a number.
func quantity(n *node) (resource.Quantity, error) {
	if n.form != text && n.form != number {
		return resource.Quantity{}, errors.New(wantQuantity)
	}
	if n.form == number {
		if exponentDigits(n.written) > maxExponent {
			return resource.Quantity{}, errors.New("expected a quantity with an exponent of at most three digits")
		}
		if n.text == "0" && strings.ContainsAny(mantissa(n.written), "123456789") && !strings.ContainsAny(n.written, "xX") {
			return resource.Quantity{}, errors.New("expected a larger number: kubectl would read it as 0")
		}
	}
	return parseQuantity(n.text)
}
