package metrics_test

import (
	"flag"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// setCases reads the variable while a test runs, not before: only then does the test cache know that the outcome depends on it.
var setCases = sync.OnceValue(func() error {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	cases := os.Getenv("CONFORMANCE_CASES")
	if given {
		return nil
	}
	if cases == "" {
		cases = "100000"
	}
	return flag.Set("rapid.checks", cases)
})

// check draws as many cases as CONFORMANCE_CASES says, else 100 000, unless -rapid.checks is given.
func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	require.NoError(t, setCases())
	rapid.Check(t, property)
}
