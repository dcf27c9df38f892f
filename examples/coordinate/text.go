package main

import (
	"strconv"
	"strings"
)

// listed joins names for a sentence.
func listed(names []string) string {
	const most = 10
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return strings.Join(names, ", ")
}
