package fieldsv1_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
)

// twin reads a set by encoding/json: objects of objects.
func twin(raw []byte) (map[string]any, bool) {
	var tree map[string]any
	if json.Unmarshal(raw, &tree) != nil || tree == nil {
		return nil, false
	}
	var objects func(map[string]any) bool
	objects = func(n map[string]any) bool {
		for _, v := range n {
			if child, is := v.(map[string]any); !is || !objects(child) {
				return false
			}
		}
		return true
	}
	return tree, objects(tree)
}

var keys = rapid.OneOf(rapid.SampledFrom([]string{".", "f:spec", "f:metrics", `k:{"name":"app"}`, `k:{"name":"é\"\\"}`, "f:a/b~c", "v:1", "", "<&>", "\u2028"}), rapid.String())

func drawSet(t *rapid.T, depth int) map[string]any {
	n := map[string]any{}
	for _, k := range rapid.SliceOfN(keys, 0, 4).Draw(t, "keys") {
		n[k] = map[string]any{}
		if depth > 0 {
			n[k] = drawSet(t, depth-1)
		}
	}
	return n
}

// A set is read as encoding/json reads it, and written with its keys in byte order.
func lawSet(t *rapid.T) {
	set := drawSet(t, 3)
	raw, err := json.Marshal(set)
	require.NoError(t, err)
	if rapid.Bool().Draw(t, "spaced") {
		raw, err = json.MarshalIndent(set, " ", "\t")
		require.NoError(t, err)
	}
	n, ok := fieldsv1.Parse(raw)
	require.True(t, ok)
	plain, _ := json.Marshal(set)
	require.JSONEq(t, string(plain), string(n.AppendJSON(nil)))
	copied := n.Clone()
	copied.Insert("f:spec", "f:new", "f:deep")
	require.JSONEq(t, string(plain), string(n.AppendJSON(nil)), "a copy shares nothing")
	require.NotNil(t, copied.At("f:spec", "f:new", "f:deep"))
	for k, v := range set {
		child := n.Child(k)
		require.NotNil(t, child)
		_, self := v.(map[string]any)["."]
		require.Equal(t, len(v.(map[string]any)) == 0 || self, child.Owned())
	}
}

func TestSet(t *testing.T) { rapid.Check(t, lawSet) }

func FuzzParse(f *testing.F) {
	for _, text := range []string{`{}`, `{"f:spec":{"f:metrics":{}}}`, `{"k:{\"name\":\"app\"}":{".":{}}}`, `{"a":1}`, `[]`, ``, `{"a":{}`, `{"a":{}}x`, `{"a":null}`, "{\"\x00\":{}}",
		`{"\ud800":{}}`, strings.Repeat(`{"a":`, 300) + "{}" + strings.Repeat("}", 300)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		n, ok := fieldsv1.Parse(raw)
		if want, is := twin(raw); ok {
			require.True(t, is, "%q is no tree of objects", raw)
			if text := n.AppendJSON(nil); !twice(&n) {
				plain, _ := json.Marshal(want)
				require.JSONEq(t, string(plain), string(text))
			}
		} else if is {
			require.Greater(t, strings.Count(string(raw), "{"), 200, "only depth is refused: %q", raw)
		}
	})
}

// twice says whether a key stands twice in one object.
func twice(n *fieldsv1.Node) bool {
	seen := map[string]bool{}
	for i := range n.Children {
		c := &n.Children[i]
		if seen[c.Key] || twice(c) {
			return true
		}
		seen[c.Key] = true
	}
	return false
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{``, ` `, `{`, `}`, `null`, `[]`, `1`, `{"a"}`, `{"a":}`, `{"a":[]}`, `{"a":"b"}`, `{"a":{}`, `{"a":{},}`, `{,}`, `{a:{}}`, `{"a":{}}{}`, `{"a\`, `{"a\x":{}}`} {
		_, ok := fieldsv1.Parse([]byte(text))
		require.False(t, ok, text)
	}
	for depth, want := range map[int]bool{200: true, 202: false} {
		_, ok := fieldsv1.Parse([]byte(strings.Repeat(`{"a":`, depth) + "{}" + strings.Repeat("}", depth)))
		require.Equal(t, want, ok, "nesting has a bound")
	}
}

func TestItems(t *testing.T) {
	for _, name := range []string{"app", "", `a"b`, `a\b`, "é", "a<b", "\x01"} {
		read, ok := fieldsv1.ItemName(fieldsv1.ItemKey(name))
		require.True(t, ok)
		require.Equal(t, name, read)
	}
	for _, key := range []string{"", "f:name", "k:", "k:{}", `k:{"name":1}`, `k:{"name":"a","port":1}`, `k:{"port":1}`, `v:{"name":"a"}`, `k:{"name":"a"`} {
		_, ok := fieldsv1.ItemName(key)
		require.False(t, ok, key)
	}
	n, ok := fieldsv1.Parse([]byte(`{"k:{ \"name\" : \"app\" }":{"f:x":{}}}`))
	require.True(t, ok)
	require.NotNil(t, n.Item("app"), "however the key is spelled")
	require.Nil(t, n.Item("other"))
	var none *fieldsv1.Node
	require.Nil(t, none.Item("app"))
	require.Nil(t, none.At("a", "b"))
	require.False(t, none.Owned())
	require.Nil(t, none.Clone())
}

func TestPointer(t *testing.T) {
	require.Equal(t, `/metadata/managedFields/0/fieldsV1/f:example.invalid~1note~0/k:{"name":"app"}`,
		fieldsv1.Pointer("metadata", "managedFields", "0", "fieldsV1", "f:example.invalid/note~", `k:{"name":"app"}`))
	require.Empty(t, fieldsv1.Pointer())
}

func TestInsert(t *testing.T) {
	n, _ := fieldsv1.Parse([]byte(`{"a":{"b":{}}}`))
	n.Insert("a", "b", "c")
	n.Insert("a", "b", "c")
	n.Insert("x")
	require.Equal(t, `{"a":{"b":{"c":{}}},"x":{}}`, string(n.AppendJSON(nil)))
}

func BenchmarkParse(b *testing.B) {
	raw := []byte(`{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{".":{},"f:image":{},"f:name":{},"f:resources":{".":{},"f:requests":{".":{},"f:cpu":{}}}}}}}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := fieldsv1.Parse(raw); !ok {
			b.Fatal()
		}
	}
}
