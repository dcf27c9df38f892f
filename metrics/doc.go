// Package metrics says what a HorizontalPodAutoscaler is told to measure: its entries classified, its defaults and its validity as the API
// server sees them, and the requests that it divides by. What was measured is the subject of package usage.
//
// Everything follows Kubernetes v1.37.2 and is compared with the real code in internal/conformance.
package metrics
