//go:build !race

package usagefile_test

const slower = 1
