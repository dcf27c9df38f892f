package manifest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// names lists what was found: document, item and line of each object, skipped
// ones and refused ones included.
func names(o Objects) []string {
	var all []string
	for _, line := range strings.Split(summary(o, nil), "\n") {
		if line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "Raw") {
			all = append(all, strings.ReplaceAll(line, " f:", " "))
		}
	}
	return all
}

func texts(problems []Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}

const (
	serviceA = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
	serviceB = "apiVersion: v1\nkind: Service\nmetadata: {name: b}\n"
	jsonA    = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}`
	jsonB    = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"b"}}`
)

// TestReadDocuments cuts files into documents.
func TestReadDocuments(t *testing.T) {
	at := func(name string, document, line int) string {
		return fmt.Sprintf("Services: %d: document %d: v1 Service default/%s", line, document, name)
	}
	utf16 := func(s string, low int) string {
		b := make([]byte, 2*len(s))
		for i := range len(s) {
			b[2*i+low] = s[i]
		}
		return string(b)
	}
	for _, c := range []struct {
		name, input string
		want        []string
		why         string
	}{
		{"nothing", "", nil, "an empty file is no fault"},
		{"blank lines and comments", "\n  \n# a\n\t# b\n", nil, "so is one of comments"},
		{"null", "null\n---\n~\n", nil, "and a document that is null"},
		{"one", serviceA, []string{at("a", 1, 1)}, ""},
		{"two", serviceA + "---\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, ""},
		{"no line break at the end", serviceA + "---\n" + strings.TrimSpace(serviceB), []string{at("a", 1, 1), at("b", 2, 5)}, ""},
		{"separator first", "---\n" + serviceA, []string{at("a", 1, 2)}, "no empty document in front of it"},
		{"comments first", "# c\n\n---\n" + serviceA, []string{at("a", 1, 4)}, "comments are no document"},
		{"empty between", serviceA + "---\n---\n# c\n---\n" + serviceB, []string{at("a", 1, 1), at("b", 4, 8)}, "they count, as in YAML"},
		{"separator last", serviceA + "---\n", []string{at("a", 1, 1)}, ""},
		{"comment behind the separator", serviceA + "--- # c\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, ""},
		{"blanks behind the separator", serviceA + "--- \t\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, ""},
		{"content behind the separator", "--- " + jsonA + "\n--- " + jsonB, []string{at("a", 1, 1), at("b", 2, 2)}, ""},
		{"flow YAML behind the separator", "--- {kind: Service, apiVersion: v1, metadata: {name: a}}", []string{at("a", 1, 1)}, ""},
		{"dots", serviceA + "...\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, "dots end a document"},
		{"dots and separator", serviceA + "...\n---\n" + serviceB + "...\n", []string{at("a", 1, 1), at("b", 2, 6)}, ""},
		{"directive", "%YAML 1.1\n---\n" + serviceA + "...\n%YAML 1.1\n---\n" + serviceB, []string{at("a", 1, 3), at("b", 2, 9)}, "it belongs to the document behind it"},
		{"indented separator", serviceA + "x: |\n  ---\n  y\n", []string{at("a", 1, 1)}, "part of a text"},
		{"separator with a tail", serviceA + "x: |\n  a\n---\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 7)}, "it ends a text as well"},
		{"CR LF", strings.ReplaceAll(serviceA+"---\n"+serviceB, "\n", "\r\n"), []string{at("a", 1, 1), at("b", 2, 5)}, "written on Windows"},
		{"CR", strings.ReplaceAll(serviceA+"---\n"+serviceB, "\n", "\r"), []string{at("a", 1, 1), at("b", 2, 5)}, "a line break in YAML"},
		{"byte order mark", "\xef\xbb\xbf" + serviceA, []string{at("a", 1, 1)}, ""},
		{"byte order mark and separator", "\xef\xbb\xbf---\n" + serviceA, []string{at("a", 1, 2)}, ""},
		{"joined files", serviceA + "\xef\xbb\xbf---\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 5)}, "a byte order mark in the middle"},
		{"UTF-16 little endian", "\xff\xfe" + utf16(serviceA, 0), []string{at("a", 1, 1)}, "what PowerShell's > writes"},
		{"UTF-16 big endian", "\xfe\xff" + utf16(serviceA, 1), []string{at("a", 1, 1)}, ""},
		{"JSON", jsonA, []string{at("a", 1, 1)}, ""},
		{"JSON, several", jsonA + "\n\n" + jsonB, []string{at("a", 1, 1), at("b", 2, 3)}, ""},
		{"JSON, joined", jsonA + jsonB, []string{at("a", 1, 1), at("b", 2, 1)}, ""},
		{"JSON with CR LF", jsonA + "\r\n\r\n" + jsonB, []string{at("a", 1, 1), at("b", 2, 3)}, ""},
		{"JSON with separators", jsonA + "\n---\n" + jsonB + "\n---\n", []string{at("a", 1, 1), at("b", 2, 3)}, ""},
		{"JSON and comments", "# c\n---\n# d\n" + jsonA + "\n# e\n", []string{at("a", 1, 4)}, ""},
		{"JSON with tabs", "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Service\",\n\t\"metadata\": {\"name\": \"a\"}\n}", []string{at("a", 1, 1)}, "YAML forbids them"},
		{"JSON, half a surrogate pair each", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a","labels":{"x":"\ud83d\ude00"}}}`, []string{at("a", 1, 1)}, "YAML knows no pairs"},
		{"JSON and YAML", jsonA + "\n---\n" + serviceB, []string{at("a", 1, 1), at("b", 2, 3)}, ""},
		{"line separator in a comment", "# c\u2028apiVersion: v1\nkind: Service\nmetadata: {name: a}", []string{at("a", 1, 2)}, "a line break to kubectl's parser, so the comment ends there"},
		{"flow YAML", "{apiVersion: v1, kind: Service, metadata: {name: a}}", []string{at("a", 1, 1)}, "starts like JSON"},
		{"flow YAML with quoted keys", `{"apiVersion": v1, "kind": 'Service', metadata: {name: a},}`, []string{at("a", 1, 1)}, "looks even more like JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(c.input))
			require.Empty(t, problems, c.why)
			require.Equal(t, c.want, names(o), c.why)
		})
	}
}

// TestReadBroken has files that are no documents. What is behind them is read.
func TestReadBroken(t *testing.T) {
	for _, c := range []struct{ name, input, want, why string }{
		{"syntax", "a: b: c\n", "f:1: document 1: not valid YAML: mapping values are not allowed in this context", ""},
		{"syntax, further down", "\n# c\na:\n  b: [\n", "f:5: document 1: not valid YAML: did not find expected node content", "lines are the file's"},
		{"tab", "a:\n\tb: c\n", "f:2: document 1: not valid YAML: found character that cannot start any token", ""},
		{"template", "{{- if .Values.x }}\na: b\n", "f:1: document 1: not valid YAML: did not find expected node content", "a Helm chart before it is rendered"},
		{"template of a value", "a: {{ .Values.x }}\nkind: Service\napiVersion: v1\nmetadata: {name: x}", "f:1: document 1: a: found an object as a key, expected text", "valid YAML, oddly"},
		{"windows-1252", "a: caf\xe9\n", "f:1: document 1: found the byte 0xe9, expected UTF-8 (is the file in windows-1252 or another old encoding?)", ""},
		{"windows-1252 and CR LF", "a: b\r\nb: caf\xe9\r\n", "f:2: document 1: found the byte 0xe9", "one line break, not two"},
		{"NUL", "a: b\nc: \x00\n", "f:2: document 1: found the control character 0x00, expected text", ""},
		{"UTF-16 without a mark", "a\x00:\x00 \x00b\x00", "f:1: document 1: found the control character 0x00, expected text", ""},
		{"escape", "a: \x1b[31m\n", "f:1: document 1: found the control character 0x1b, expected text", "the terminal of who reads the message is safe"},
		{"text", "hello\n", `f:1: document 1: found "hello", expected a Kubernetes object`, ""},
		{"number", "5\n", "f:1: document 1: found the number 5, expected a Kubernetes object", ""},
		{"list", "- a\n", "f:1: document 1: found a list, expected a Kubernetes object", ""},
		{"no kind", "a: b\n", "f:1: document 1: kind: found nothing, expected the kind of a Kubernetes object", ""},
		{"kind is a number", "a: b\nkind: 5\n", "f:2: document 1: kind: found the number 5, expected the kind of a Kubernetes object", ""},
		{"no apiVersion", "kind: Service\nmetadata: {name: x}\n", "f:1: document 1: apiVersion: found nothing, expected v1 for a Service", ""},
		{"old version", "kind: Deployment\napiVersion: extensions/v1beta1\nmetadata: {name: x}\n", `f:2: document 1: apiVersion: found "extensions/v1beta1", expected apps/v1 for a Deployment`, "skipping it would hide a workload"},
		{"wrong group", "kind: Deployment\napiVersion: v1\nmetadata: {name: x}\n", `f:2: document 1: apiVersion: found "v1", expected apps/v1 for a Deployment`, "no API server has it"},
		{"no name", "kind: Service\napiVersion: v1\n", "f:1: document 1: metadata.name: found nothing, expected the name of the object", ""},
		{"JSON cut off", `{"kind":"Service",` + "\n", "f:3: document 1: not valid JSON: it ends in the middle", "told as JSON"},
		{"JSON with a fault", `{"kind":"Service"` + "\n" + `"a":1}`, "f:2: document 1: not valid JSON: ", ""},
		{"JSON key twice", `{"kind":"Service","apiVersion":"v1",` + "\n" + `"metadata":{"name":"x","name":"y"}}`, `f:2: document 1: metadata: found the key "name" a second time, expected it once`, ""},
		{"YAML key twice", "kind: Service\napiVersion: v1\nmetadata:\n  name: x\n  \"name\": y\n", `f:5: document 1: metadata: found the key "name" a second time, expected it once`, "in quotes or not"},
		{"key twice at the top", "kind: ConfigMap\nkind: Deployment\n", `f:2: document 1: found the key "kind" a second time, expected it once`, "whatever the first says"},
		{"alias of nothing", "a: *b\n", "f:1: document 1: not valid YAML: unknown anchor 'b' referenced", ""},
		{"alias inside itself", "kind: Service\na: &a\n- *a\n", "f:3: document 1: alias *a stands inside what it names", "endless"},
		{"merge of a text", "kind: Service\napiVersion: v1\nmetadata: {name: x, <<: 5}\n", "f:3: document 1: metadata: found the number 5 to merge (<<), expected an object or a list of objects", ""},
		{"key in front of a merge", "kind: Service\napiVersion: v1\nmetadata:\n  name: x\n  <<: {name: y}\n", `f:4: document 1: metadata: found the key "name" in front of a merge (<<) that has it too`, "kubectl takes y, others x"},
		{"tag", "kind: Service\napiVersion: v1\nmetadata: {name: !!binary eA==}\n", `f:3: document 1: metadata.name: found the tag "!!binary", expected a value without a tag`, ""},
		{"two YAML versions", "%YAML 2.0\n---\na: b\n", "f:1: document 1: not valid YAML: found incompatible YAML document", ""},
		{"unusual line break", "a: b\u2028--- \u2028c: d\n", "f:1: document 1: ", "a line break to the parser"},
		{"list in a list", "kind: List\nitems:\n- kind: List\n  items: []\n", "f:3: document 1, item 1: found a List inside a list, expected an object", ""},
		{"items is an object", "kind: List\nitems: {}\n", "f:2: document 1: items: found an object, expected a list", ""},
		{"item is nothing", "kind: List\nitems:\n-\n", "f:3: document 1, item 1: found nothing, expected a Kubernetes object", ""},
		{"deep YAML", strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "f:1: document 1: values are nested more than 1000 deep", ""},
		{"deeper YAML", strings.Repeat("- ", 20000), "f:1: document 1: not valid YAML: exceeded max depth of 10000", ""},
		{"deep JSON", strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000), "f:1: document 1: values are nested more than 1000 deep", ""},
		{"too many values", "[" + strings.Repeat(",", maxPieces) + "]", "f:1: document 1: found more than 2000000 lines, commas and opening brackets in one document, expected fewer", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(c.input+"\n---\n"+serviceB))
			require.NotEmpty(t, problems, c.why)
			require.Contains(t, problems[0].String(), c.want, c.why)
			require.NotEmpty(t, o.Services, "the document behind is read")
			require.Equal(t, "b", o.Services[len(o.Services)-1].Name)
		})
	}
}

// silent returns nothing, and never ends.
type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

// endless never ends either, but says something.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

// TestReadReader: whatever the reader does.
func TestReadReader(t *testing.T) {
	for _, c := range []struct {
		name string
		r    io.Reader
		want string
	}{
		{"none", nil, "f: there is nothing to read from"},
		{"error", broken{}, "f: cannot be read: disk on fire"},
		{"silent", silent{}, "f: cannot be read: multiple Read calls return no data or error"},
		{"endless", endless{}, "f: found more than 16 MiB, expected a smaller file"},
		{"UTF-16 that grows", strings.NewReader("\xfe\xff" + strings.Repeat("\x20\x28", MaxSize/2-1)), "f: found more than 16 MiB, expected a smaller file"},
		{"half a character", strings.NewReader("\xfe\xff\x00"), "f: found UTF-16 with half a character at its end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", c.r)
			require.Equal(t, []string{c.want}, texts(problems))
			require.Empty(t, names(o))
			rows, problems := ReadRequests("f", c.r)
			require.Len(t, problems, 1)
			require.Empty(t, rows)
		})
	}
}
