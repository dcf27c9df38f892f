package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMutationsFit: every mutation still has its place in the source, so that the list does not age unseen.
func TestMutationsFit(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "replicas"), os.DirFS("../../../replicas")))
	seen := map[string]bool{}
	for i, m := range mutations {
		restore, err := m.apply(dir)
		require.NoError(t, err, "mutation %d, %s", i+1, m.why)
		require.NoError(t, restore())
		require.False(t, seen[m.why], "mutation %d is listed twice", i+1)
		seen[m.why] = true
		require.NotEqual(t, m.old, m.new)
	}
	require.GreaterOrEqual(t, len(mutations), 15)
}
