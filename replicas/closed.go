package replicas

import (
	"fmt"
	"slices"
)

// member says whether x is in a closed list.
func member[T ~string](x T, list []T) bool { return slices.Contains(list, x) }

func marshalMember[T ~string](kind string, x T, list []T) ([]byte, error) {
	if !member(x, list) {
		return nil, fmt.Errorf("unknown %s %q", kind, string(x))
	}
	return []byte(x), nil
}

func unmarshalMember[T ~string](kind string, x *T, text []byte, list []T) error {
	if !member(T(text), list) {
		return fmt.Errorf("unknown %s %q", kind, text)
	}
	*x = T(text)
	return nil
}
