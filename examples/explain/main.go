// Explain answers "why does my HPA want N replicas?" from what kubectl prints: each metric's arithmetic with the numbers
// put in, which pods counted and which did not, what limited the result, the conditions, and operating mistakes.
//
//	go run ./examples/explain                                                       an example that is built in
//	(kubectl get hpa,deployments,pods -o yaml; echo ---; kubectl get podmetrics -o yaml) | explain -
//
// It reads manifests and writes a report; it never talks to a cluster. Run it with --help for all flags.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
