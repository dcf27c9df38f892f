//go:build race

package usagefile_test

// slower is how many times fewer rows the tests of memory read: the race detector takes ten times as long.
const slower = 10
