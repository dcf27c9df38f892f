// Package usagefile reads what was measured out of files, for the example programs: CSV, the answer of a Prometheus range
// query, and lists of PodMetrics. It reads as a stream and keeps histograms, so that memory depends on the number of
// containers and not on the number of rows.
package usagefile
