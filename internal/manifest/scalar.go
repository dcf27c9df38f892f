package manifest

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// The words that YAML 1.1 reads as something else than text, as kubectl's
// parser has them (goyaml.v2, resolve.go).
var words = func() map[string]node {
	m := map[string]node{}
	add := func(n node, spellings string) {
		for _, s := range strings.Fields(spellings) {
			n.written = s
			m[s] = n
		}
	}
	add(node{form: boolean, text: "true"}, "y Y yes Yes YES true True TRUE on On ON")
	add(node{form: boolean, text: "false"}, "n N no No NO false False FALSE off Off OFF")
	add(node{form: null}, "~ null Null NULL")
	m[""] = node{form: null}
	return m
}()

var (
	plainInteger = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	plainFloat   = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	notANumber   = regexp.MustCompile(`^(\.(nan|NaN|NAN)|[-+]?\.(inf|Inf|INF))$`)
)

// plain is what a scalar without quotes means to kubectl. The node has no line.
func plain(s string) node {
	if n, ok := words[s]; ok {
		return n
	}
	if c := s[0]; c != '.' && c != '-' && c != '+' && (c < '0' || c > '9') {
		return node{form: text, text: s, written: s}
	}
	if s[0] == '.' {
		if t, ok := float(s); ok {
			return node{form: number, text: t, written: s}
		}
		return node{form: text, text: s, written: s}
	}
	digits := strings.ReplaceAll(s, "_", "")
	if plainInteger.MatchString(digits) {
		return node{form: number, text: digits, written: s}
	}
	// Base 0 also takes 0x1f, 0b11, 0o17 and 017.
	if i, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return node{form: number, text: strconv.FormatInt(i, 10), written: s}
	}
	if u, err := strconv.ParseUint(digits, 0, 64); err == nil {
		return node{form: number, text: strconv.FormatUint(u, 10), written: s}
	}
	if plainFloat.MatchString(digits) {
		if t, ok := float(digits); ok {
			return node{form: number, text: t, written: s}
		}
	}
	return node{form: text, text: s, written: s}
}

// jsonNumber is a number of a JSON document.
func jsonNumber(s string) node {
	if plainInteger.MatchString(s) {
		return node{form: number, text: s, written: s}
	}
	if t, ok := float(s); ok {
		return node{form: number, text: t, written: s}
	}
	return node{form: text, text: s, written: s}
}

// float is the shortest decimal form of the nearest float64, as kubectl sends
// it on; not ok beyond float64.
func float(s string) (string, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return "", false
	}
	b, err := json.Marshal(f)
	if err != nil {
		return "", false
	}
	return string(b), true
}
