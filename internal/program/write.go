package program

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"
)

// Write writes a report in a format; table makes the form for people. It builds the whole text first, so that an error leaves nothing half
// written.
func Write(w io.Writer, report any, format string, table func() []byte) (err error) {
	var out []byte
	switch format {
	case "json":
		if out, err = json.MarshalIndent(report, "", "  "); err == nil {
			out = append(out, '\n')
		}
	case "yaml":
		out, err = yaml.Marshal(report)
	default:
		out = table()
	}
	if err == nil {
		_, err = w.Write(out)
	}
	return err
}

// Finish turns an error of writing into the exit code 1.
func Finish(program string, stderr io.Writer, err error, code int) int {
	if err != nil {
		fmt.Fprintf(stderr, "%s: the report could not be written: %s\n", program, Plain(err.Error()))
		return 1
	}
	return code
}

// Plain makes a text safe for a terminal: names come from documents, and what does not print is escaped.
func Plain(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}
