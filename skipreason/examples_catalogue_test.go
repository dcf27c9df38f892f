package skipreason_test

import (
	"fmt"
	"slices"

	"github.com/kube-rightsize/rightsize/skipreason"
)

// A program that meets a word explains it, and tells the person what to do next.
func ExampleCatalogue() {
	for _, e := range skipreason.Catalogue() {
		if e.Kind == skipreason.KindBlockCause && e.Code == "stale" {
			fmt.Println(e.Sentence)
			fmt.Println(e.Next)
		}
	}
	// Output:
	// The workload or its HPA has changed since the plan was made.
	// Plan again from the live objects.
}

func ExampleSkip_Entry() {
	fmt.Println(skipreason.MissingRequest.Entry().Next)
	fmt.Printf("%q\n", skipreason.Skip("missing-requests").Entry().Next) // a word of nobody has no explanation
	// Output:
	// Set the request of the named container, then plan again.
	// ""
}

// Flags are listed by weight and not by alphabet; a word outside the list stands behind all others.
func ExampleRiskFlag_Order() {
	flags := []skipreason.RiskFlag{"invented", skipreason.FlagIdle, skipreason.FlagHPACoupled, skipreason.FlagOOMKilled}
	slices.SortFunc(flags, func(a, b skipreason.RiskFlag) int { return a.Order() - b.Order() })
	fmt.Println(flags)
	fmt.Println(flags[3].Order() == len(skipreason.RiskFlags()), flags[3].Valid())
	// Output:
	// [hpa-coupled oom-killed idle invented]
	// true false
}

// The lists are closed: a word that was mistyped in a file is refused, not kept.
func ExampleSkips() {
	for _, s := range skipreason.Skips() {
		fmt.Println(s)
	}
	var s skipreason.Skip
	fmt.Println(s.UnmarshalText([]byte("max-replicas")) != nil, s == "")
	// Output:
	// max-replicas-reached
	// unsupported-metrics
	// missing-request
	// target-out-of-bounds
	// true true
}
