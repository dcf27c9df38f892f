// Package usage holds what was measured about a container: how much cpu or memory it used, and what happened to it.
//
// It is about measurements. What an HPA is told to measure is package metrics.
//
// There is one small read-only view per container and resource, View, and three things that give it:
//
//   - Samples, the raw points, exact;
//   - Histogram, a fixed 1.5 kB whatever the number of samples, with a stated error, optional decay and exact merging;
//   - Quantiles, a table of values that somebody else computed, for example a time-series database.
//
// Memory peaks, one per interval, are a different kind of data from memory samples: a peak's median says nothing about
// the median use. They travel as Peaks, so that one cannot be passed for the other.
//
// Units: cpu in cores, memory in bytes, both float64, as Prometheus and the metrics API's quantities give them. Floats
// are allowed in this package because measurements are floats; NaN, infinite and negative values are refused or dropped
// by name and counted, never used. Every time is an argument. Nothing here reads a clock.
//
// The package imports the standard library alone.
package usage
