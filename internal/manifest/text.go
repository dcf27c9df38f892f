package manifest

import "k8s.io/apimachinery/pkg/api/resource"

// ParseQuantity reads a quantity that stands alone, such as the value of a
// flag, by the rules of quoted quantities in documents (see the package
// comment). The error says what was expected.
func ParseQuantity(text string) (resource.Quantity, error) { return parseQuantity(text) }
