package manifest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead: no input makes Read panic or give two different answers; every
// problem says where it is; an object is in one list at most; and YAML that
// both read means the same as to kubectl.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	require.NoError(f, err)
	for _, file := range files {
		if src, err := os.ReadFile(file); err == nil && !strings.HasSuffix(file, ".want") {
			f.Add(src)
		}
	}
	for _, seed := range []string{
		"", "---", "...", "--- ---", "%YAML 1.1\n---\n", "\xef\xbb\xbf---\n", "\xff\xfe-\x00", "\xfe\xff\x00", "\x00", "a: caf\xe9", "a:\tb\r\n", "\t",
		"a: &a [*a]", "<<: *a", "&a a: *a", "a: *", "? [a]: b", "{{x}}: y", "!!binary x: !y z", "<<: 1\n<<: 2", "a: 1\n<<: {a: 2}", "a: |\n b\n---\nc",
		`{"a":1}{"b":`, `[1,`, `{"kind":"List","items":[{},null,5,{"kind":"List","items":[]}]}`, `{"a":"\ud800"}`, "{a: b}\n{c: d}", `{"a":1} # b`,
		"kind: List\nitems: [{spec: {hpa: {coordinate: x}}}, {spec: {hpa: {targetBounds: {minUtilization: 1e9}}}}]",
		container("{requests: {cpu: 1e-9999999, memory: .nan, a: , b: ~, c: [], CPU: 1}}"), container("{limits: {cpu: \"1e999\"}, claims: [null]}"),
		serviceA + "---\n" + serviceA, jsonA + jsonA, laughs(4), ladder(10), strings.Repeat("[", 1100), strings.Repeat("- ", 1100),
		"kind: Pod\napiVersion: v1\nmetadata: {name: p, creationTimestamp: 5, managedFields: [{fieldsV1: {a: [1, {b: c}]}, time: x}]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := bytes.Clone(src)
		o, problems := Read("f", bytes.NewReader(src))
		again, problemsAgain := Read("f", bytes.NewReader(src))
		require.Equal(t, summary(o, problems), summary(again, problemsAgain))
		require.Equal(t, before, src)
		for _, p := range problems {
			require.NotEmpty(t, p.Message)
			require.NotContains(t, p.String(), "\n")
			require.Equal(t, "f", p.File)
		}
		if len(problems) == 0 {
			require.Empty(t, o.Refused, "refused for a reason")
		}
		var sum Objects
		require.Empty(t, sum.Add(o), "what was read fits together")
		require.NotPanics(t, func() { sum.Add(again) })
		split(src, func(c chunk) bool {
			// A lone ! makes text of what follows; our parser does not tell.
			if _, _, isJSON := c.jsonPart(); !isJSON && characters(c.src, 1) == nil && !bytes.Contains(c.src, []byte("!")) {
				require.Empty(t, sameAsKubectl(c.src))
			}
			return true
		})
	})
}

// FuzzReadRequests: the same for the table of new requests.
func FuzzReadRequests(f *testing.F) {
	for _, seed := range []string{
		"", RequestsHeader, RequestsHeader + "\nDeployment,,web,app,cpu,1,2\n", RequestsHeader + "\n\"a\nb\",,w,a,cpu,1,\n", RequestsHeader + "\na\"b,\n\"c",
		RequestsHeader + "\nD,,w,a,cpu,1e-9999999,\nD,,w,a,memory,,NaN\n", "\xef\xbb\xbf" + RequestsHeader + "\r\n", "kind;namespace\n", "\xff\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		rows, problems := ReadRequests("f", bytes.NewReader(src))
		again, problemsAgain := ReadRequests("f", bytes.NewReader(src))
		require.Equal(t, rows, again)
		require.Equal(t, problems, problemsAgain)
		for _, r := range rows {
			require.NotEmpty(t, r.Kind)
			require.NotEmpty(t, r.Namespace)
			require.True(t, r.Request != nil || r.Limit != nil)
			require.Positive(t, r.Line)
		}
		for _, p := range problems {
			require.NotContains(t, p.String(), "\n")
		}
	})
}
