// Package usagefile reads what was measured out of files, for the example programs: CSV, the answer of a Prometheus range
// query, and lists of PodMetrics. A file is read twice, first to Look at whom it concerns and whether it is whole and in order, then to use it.
// Both read it as a stream: memory depends on the number of pods and containers, and not on the number of rows. A single line or value that is
// longer than 1 MiB is refused.
package usagefile
