package replicas_test

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// count is how many cases a test draws: the environment variable, else the default.
func count(t testing.TB, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, variable)
	return n
}

// seed is where the draws begin; CONFORMANCE_SEED repeats a run, or the one case that a failure names.
func seed(t testing.TB) uint64 { return uint64(count(t, "CONFORMANCE_SEED", 1)) }

// exactConversions says that this machine converts out-of-range floats as amd64 does, which is what
// ReproduceOverflow reproduces.
const exactConversions = runtime.GOARCH == "amd64"
