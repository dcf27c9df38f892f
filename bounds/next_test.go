package bounds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/bounds"
)

func TestEveryCauseSaysWhatToDo(t *testing.T) {
	seen := map[string]bounds.Cause{}
	for _, c := range bounds.Causes() {
		require.NotEmpty(t, c.Next(), c)
		require.NotContains(t, seen, c.Next(), "%s has advice of its own", c)
		seen[c.Next()] = c
	}
	require.Empty(t, bounds.Cause("").Next())
	require.Empty(t, bounds.Cause("other").Next())
}
