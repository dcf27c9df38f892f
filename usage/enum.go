package usage

import (
	"fmt"
	"slices"
)

// decode reads one of the listed words; anything else is an error.
func decode[T ~string](into *T, text []byte, kind string, values []T) error {
	v := T(text)
	if !slices.Contains(values, v) {
		return fmt.Errorf("usage: unknown %s %q", kind, text)
	}
	*into = v
	return nil
}

// encode writes one of the listed words; anything else, the zero value included, is an error.
func encode[T ~string](v T, kind string, values []T) ([]byte, error) {
	if !slices.Contains(values, v) {
		return nil, fmt.Errorf("usage: unknown %s %q", kind, string(v))
	}
	return []byte(v), nil
}
