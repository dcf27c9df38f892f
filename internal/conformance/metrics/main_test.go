package metrics_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain sets how many cases each comparison draws: CONFORMANCE_CASES, else 100 000, unless -rapid.checks is given.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		cases := os.Getenv("CONFORMANCE_CASES")
		if cases == "" {
			cases = "100000"
		}
		if err := flag.Set("rapid.checks", cases); err != nil {
			fmt.Fprintln(os.Stderr, "CONFORMANCE_CASES:", err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}
