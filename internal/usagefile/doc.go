// Package usagefile reads what was measured out of files, for the example programs: CSV, the answer of a Prometheus range
// query, and lists of PodMetrics. A file is read twice, first to Look at whom it concerns and whether it is whole and in order, then to use it.
// Both read it as a stream and keep histograms, so that memory depends on the number of containers and not on the number of rows of cpu and
// memory. Rows of replicas are kept, 32 bytes each.
package usagefile
