package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
	goyaml "sigs.k8s.io/yaml/goyaml.v3"
)

// laughs is the YAML bomb: each list names the one before it nine times.
func laughs(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 lol\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 8), i-1)
	}
	return b.String()
}

// ladder nests by aliases what is less deep in the file.
func ladder(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 " + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d]\n", i, i, i-1)
	}
	return b.String()
}

// TestReadHostile has what is small or simple and would be large or slow. Each
// ends at once, with a problem.
func TestReadHostile(t *testing.T) {
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n"
	const aliases = "aliases add more than 4194304 bytes to the file"
	for _, c := range []struct{ name, input, want, why string }{
		{"billion laughs", service + laughs(9), aliases, ""},
		{"billion laughs in JSON's clothes", "{kind: ConfigMap,\n" + strings.ReplaceAll(strings.TrimSpace(laughs(9)), "\n", ",\n") + "}", aliases, "flow YAML"},
		{"large text many times", "a: &a " + strings.Repeat("x", 100_000) + "\nb: [" + strings.Repeat("*a, ", 1000) + "]\n", aliases, "the text is shared here, and would not be elsewhere"},
		{"many small bombs", strings.Repeat(service+laughs(5)+"---\n", 5), aliases, "what aliases may add is the file's"},
		{"merges", "a: &a {" + manyKeys(20_000) + "}\n" + strings.Repeat("b: {<<: *a}\n", 100), aliases, "merging copies keys"},
		{"ladder", ladder(150), "values are nested more than 1000 deep", "less deep in the file"},
		{"quantities in a row", container("{requests: {" + strings.Repeat("cpu: 1e-999999999, ", 20) + "}}"), "exponent of at most three digits", ""},
		{"many problems", container("{" + manyKeys(5_000) + "}"), "found an unknown field", "listed up to the limit"},
		{"long key", "apiVersion: v1\nkind: Service\nmetadata: {name: x, labels: {? \"" + strings.Repeat("k", 1_000_000) + "\" : 1}}\n", "metadata.labels[kkkk", "shortened"},
		{"long value", "apiVersion: v1\nkind: Service\nmetadata: {name: [" + strings.Repeat("k", 1_000_000) + "]}\nspec: {ports: " + strings.Repeat("p", 1_000_000) + "}", "found a list", "shortened"},
		{"many documents", strings.Repeat("---\n", maxDocuments+5), "found more than 100000 documents, the rest is not read", ""},
		{"many JSON documents", strings.Repeat("{}", maxDocuments+5), "kind: found nothing", ""},
		{"many bad documents", strings.Repeat("---\n]\n", 5_000), "not valid YAML", ""},
		{"many lines", "a: |\n" + strings.Repeat("\n", maxPieces), "found more than 2000000 lines", ""},
		{"brackets", strings.Repeat("[", 1_000_000), "not valid YAML: exceeded max depth of 10000", ""},
		{"braces", strings.Repeat("{", 1_000_000), "not valid YAML: exceeded max depth of 10000", ""},
		{"JSON braces", strings.Repeat(`{"a":`, 200_000), "values are nested more than 1000 deep", ""},
		{"question marks", strings.Repeat("? ", 500_000), "not valid YAML: exceeded max depth of 10000", ""},
		{"anchors", strings.Repeat("&a ", 500_000), "not valid YAML", ""},
		{"colons", strings.Repeat(": ", 500_000), "not valid YAML", ""},
		{"tabs", strings.Repeat("\t", 500_000) + "a", "not valid YAML", ""},
		{"bangs", strings.Repeat("! ", 500_000), "not valid YAML", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(c.input))
			require.NotEmpty(t, problems, c.why)
			require.Contains(t, strings.Join(texts(problems), "\n"), c.want, c.why)
			require.LessOrEqual(t, len(problems), maxProblems+1)
			for _, p := range problems {
				require.Less(t, len(p.String()), 1000)
			}
			require.LessOrEqual(t, len(o.Services), 5)
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1, ", i)
	}
	return b.String()
}

// TestProblemsAreCounted: those beyond the limit are not lost.
func TestProblemsAreCounted(t *testing.T) {
	_, problems := Read("f", strings.NewReader(container("{"+manyKeys(maxProblems+7)+"}")))
	require.Len(t, problems, maxProblems+1)
	require.Equal(t, "f: 7 more problems are not listed", problems[maxProblems].String())
}

// TestAliasesOfARefusedDocument do not count: a bomb spoils only itself.
func TestAliasesOfARefusedDocument(t *testing.T) {
	const good = "apiVersion: v1\nkind: Service\nmetadata: {name: x, labels: &l {a: b}, annotations: *l}\n"
	o, problems := Read("f", strings.NewReader(laughs(9)+"---\n"+good))
	require.Len(t, problems, 1)
	require.Len(t, o.Services, 1)
}

// TestFieldTypes: every field that a kind has is of a type that is read.
func TestFieldTypes(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var check func(t *testing.T, path string, typ reflect.Type)
	check = func(t *testing.T, path string, typ reflect.Type) {
		if seen[typ] || typ == quantityType || reflect.PointerTo(typ).Implements(unmarshalerType) {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				f := typ.Field(i)
				if f.Tag.Get("json") != "-" {
					require.True(t, f.IsExported() && f.Tag != "", "%s.%s", path, f.Name)
					check(t, path+"."+f.Name, f.Type)
				}
			}
		case reflect.Map:
			require.Equal(t, reflect.String, typ.Key().Kind(), path)
			check(t, path, typ.Elem())
		case reflect.Pointer, reflect.Slice:
			require.NotEqual(t, reflect.Uint8, typ.Elem().Kind(), "%s: bytes", path)
			check(t, path, typ.Elem())
		case reflect.String, reflect.Bool, reflect.Int, reflect.Int32, reflect.Int64:
		default:
			require.Fail(t, "a type that is not read", "%s: %s", path, typ)
		}
	}
	objects := reflect.TypeFor[Objects]()
	for i := range objects.NumField() {
		f := objects.Field(i)
		if f.Type.Kind() != reflect.Slice {
			continue
		}
		if object, ok := f.Type.Elem().FieldByName("Object"); ok {
			check(t, f.Name, object.Type)
		}
	}
	require.Greater(t, len(seen), 150, "the walk gets into the pod spec")
}

// sameAsKubectl compares our tree of a document with what sigs.k8s.io/yaml,
// kubectl's converter, makes of it. It returns a difference, or "".
func sameAsKubectl(src []byte) string {
	root, err := parseYAML(src)
	if err != nil {
		return ""
	}
	f := fromYAML{builder: builder{spare: maxAliased}, first: 1}
	n, err := f.node(root)
	if err != nil || len(f.faults) > 0 || numberAsKey(root) {
		return ""
	}
	theirs, err := yaml.YAMLToJSON(src)
	if err != nil {
		return ""
	}
	var a, b any
	ours := appendJSON(nil, n)
	if err := json.Unmarshal(ours, &a); err != nil {
		return fmt.Sprintf("%s is not JSON: %v", ours, err)
	}
	if err := json.Unmarshal(theirs, &b); err != nil {
		return ""
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Sprintf("ours %s, kubectl's %s", ours, theirs)
	}
	return ""
}

// numberAsKey: kubectl makes text of such a key by way of a float32.
func numberAsKey(y *goyaml.Node) bool {
	for i, c := range y.Content {
		if numberAsKey(c) || y.Kind == goyaml.MappingNode && i%2 == 0 && plain(c.Value).form == number {
			return true
		}
	}
	return false
}

// TestSameAsKubectl: scalars, keys and merges mean what they mean to kubectl.
func TestSameAsKubectl(t *testing.T) {
	// Whole numbers beyond 64 bits stay exact here; kubectl rounds them to a float, and shortens them further as keys.
	for _, scalar := range strings.Fields(`y Y yes Yes YES yEs true True TRUE on On ON n N no No NO false False FALSE off Off OFF oFF ~ null Null NULL nUll
		0 -0 +0 1 -1 +1 00 01 010 08 09 0o17 0x1f 0X1F -0x1f 0b11 -0b11 0b12 1_000 1__0 _1 1_ 0_1 .0_ .1_0 1_.5 9223372036854775807 9223372036854775808 -9223372036854775808
		18446744073709551615 1. .5 -.5 +.5 0.10 1e3 1E3 1e+3 1e-3 1.5e3 1e400 1e-400 .5e1 1e21 1e20 1e-6 1e-7 1.0 -1.0 -0.0 100.0
		2020-01-01 2020-01-01T00:00:00Z 12:30 1:2:3 1.2.3 0x 0b - . .. ... e3 1e 1e+ +  .e1 5Gi 100m "5" '5' "yes" "" '' = << a#b !!str=5`) {
		require.Empty(t, sameAsKubectl([]byte("a: "+scalar+"\n")), scalar)
		require.Empty(t, sameAsKubectl([]byte("- "+scalar+"\n")), scalar)
		require.Empty(t, sameAsKubectl([]byte(scalar+": a\n")), scalar)
	}
	for _, doc := range []string{
		"a: &a {b: 1, c: 2}\nd: {<<: *a, b: 3}\n",
		"a: &a {b: 1}\ne: &e {b: 2, f: 3}\nd: {<<: [*a, *e]}\n",
		"d: {<<: {b: 1}, b: 2}\n",
		"a: !!str 5\nb: !!int \"5\"\nc: !!float 5\nd: !!null ~\ne: !!bool yes\nf: !!timestamp 2020-01-01\n",
		"a: |\n  x\n  y\n\nb: >-\n  x\n  y\nc: 'it''s'\nd: \"\\u00e9\\n\"\n",
		"? a\n: b\n? c\n",
		"a: [1, {b: c}, [d]]\n",
		"&a a: *a\n",
	} {
		require.Empty(t, sameAsKubectl([]byte(doc)), doc)
	}
}

// TestKubectlMerges is why a key in front of a merge is refused: parsers differ.
func TestKubectlMerges(t *testing.T) {
	const doc = "a: 1\n<<: {a: 2}\n"
	theirs, err := yaml.YAMLToJSON([]byte(doc))
	require.NoError(t, err)
	require.Equal(t, `{"a":2}`, string(theirs))
	var other map[string]int
	require.NoError(t, goyaml.Unmarshal([]byte(doc), &other))
	require.Equal(t, map[string]int{"a": 1}, other)
}
