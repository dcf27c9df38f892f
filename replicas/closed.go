package replicas

import (
	"fmt"
	"slices"
)

// member says whether x is in a closed list.
func member[T ~string](x T, list []T) bool { return slices.Contains(list, x) }

// marshalMember writes a member of the list and refuses every other text.
func marshalMember[T ~string](kind string, x T, list []T) ([]byte, error) {
	if !member(x, list) {
		return nil, fmt.Errorf("unknown %s %q", kind, string(x))
	}
	return []byte(x), nil
}

// unmarshalMember reads a member of the list and refuses every other text.
func unmarshalMember[T ~string](kind string, x *T, text []byte, list []T) error {
	if !member(T(text), list) {
		return fmt.Errorf("unknown %s %q", kind, text)
	}
	*x = T(text)
	return nil
}

// marshalOptional and unmarshalOptional take the empty text for "none".
func marshalOptional[T ~string](kind string, x T, list []T) ([]byte, error) {
	if x == "" {
		return nil, nil
	}
	return marshalMember(kind, x, list)
}

func unmarshalOptional[T ~string](kind string, x *T, text []byte, list []T) error {
	if len(text) == 0 {
		*x = ""
		return nil
	}
	return unmarshalMember(kind, x, text, list)
}
