// Package conformance holds differential tests: they run the library beside the code that Kubernetes and the Vertical
// Pod Autoscaler ship, on the same inputs, and compare. It is a module of its own, so that the library's users never
// download what it needs. See README.md.
package conformance
