package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// errAliases is what a document is refused with that is small only in the file.
var errAliases = fmt.Errorf("aliases add more than %d bytes to the file, expected the values to be written out", maxAliased)

var errDepth = fmt.Errorf("values are nested more than %d deep", maxDepth)

// lineError is a fault of the syntax, with its line where it is known.
type lineError struct {
	line    int
	message string
}

func (e lineError) Error() string { return e.message }

// parseYAML reads one document. The parser gives the tree as it is written:
// aliases are not followed, quotes and lines are kept.
func parseYAML(src []byte) (root *yaml.Node, err error) {
	// The parser reports some faults of its own by panicking.
	defer func() {
		if recover() != nil {
			root, err = nil, errors.New("this is no YAML that can be read")
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(src))
	var doc, rest yaml.Node
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	if err := d.Decode(&rest); err == nil {
		return nil, errors.New("found a second document behind an unusual line break, expected --- on a line of its own")
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, errors.New("this is no YAML that can be read")
	}
	return doc.Content[0], nil
}

var parserLine = regexp.MustCompile(`^(?:yaml: )?(?:line ([0-9]+): )?`)

// yamlError gives a fault of the parser its line in the file.
func yamlError(err error, first int) lineError {
	message := err.Error()
	m := parserLine.FindStringSubmatch(message)
	e := lineError{first, "not valid YAML: " + cut(message[len(m[0]):], 2*maxShown)}
	if line, err := strconv.Atoi(m[1]); err == nil {
		e.line = first + line - 1
	}
	return e
}

// fromYAML turns the parser's tree into ours.
type fromYAML struct {
	builder
	first   int // line of the file where the document starts
	anchors map[*yaml.Node]*node
}

func (f *fromYAML) node(y *yaml.Node) (*node, error) {
	if y.Kind == yaml.AliasNode {
		n := f.anchors[y.Alias]
		if n == nil { // an anchor is finished before it is used, unless it is inside itself
			return nil, lineError{f.first + y.Line - 1, "alias *" + clip(y.Value) + " stands inside what it names"}
		}
		if f.spare -= n.size; f.spare < 0 {
			return nil, errAliases
		}
		return n, nil
	}
	n, err := f.value(y)
	if err != nil {
		return nil, err
	}
	if n.height > maxDepth {
		return nil, errDepth
	}
	if y.Anchor != "" {
		if f.anchors == nil {
			f.anchors = map[*yaml.Node]*node{}
		}
		f.anchors[y] = n
	}
	return n, nil
}

func (f *fromYAML) value(y *yaml.Node) (*node, error) {
	switch y.Kind {
	case yaml.SequenceNode:
		n := &node{form: list, line: f.first + y.Line - 1, size: nodeCharge}
		n.items = make([]*node, 0, len(y.Content))
		for _, c := range y.Content {
			item, err := f.node(c)
			if err != nil {
				return nil, err
			}
			n.append("", item)
		}
		return n, f.tag(n, y)
	case yaml.MappingNode:
		return f.mapping(y)
	default:
		return f.scalar(y)
	}
}

func (f *fromYAML) scalar(y *yaml.Node) (*node, error) {
	n := node{form: text, text: y.Value, written: y.Value}
	quoted, tagged := y.Style&^yaml.TaggedStyle != 0, y.Style&yaml.TaggedStyle != 0
	if !quoted && !tagged || tagged && y.Tag != "!!str" {
		n = plain(y.Value)
	}
	n.line = f.first + y.Line - 1
	n.size = nodeCharge + int64(len(y.Value))
	if !quoted && notANumber.MatchString(y.Value) {
		f.fault(&n, n.line, "found the number %s, expected one that JSON has", y.Value)
	}
	return &n, f.tag(&n, y)
}

// tag objects to an explicit tag that would make something else of a value.
func (f *fromYAML) tag(n *node, y *yaml.Node) error {
	if y.Style&yaml.TaggedStyle == 0 {
		return nil
	}
	want, known := map[string]form{
		"!!null": null, "!!bool": boolean, "!!int": number, "!!float": number,
		"!!str": text, "!!timestamp": text, "!!seq": list, "!!map": object,
	}[y.Tag]
	if !known || want != n.form {
		f.fault(n, n.line, "found the tag %s, expected a value without a tag", quote(y.Tag))
	}
	return nil
}

// mapping reads an object: keys as text, each once, a merge (<<) last.
func (f *fromYAML) mapping(y *yaml.Node) (*node, error) {
	n := &node{form: object, line: f.first + y.Line - 1, size: nodeCharge}
	given := make(map[string]int, len(y.Content)/2) // index in n.keys
	var merge *node
	var before int // how many keys stand in front of the merge
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, err := f.node(y.Content[i])
		if err != nil {
			return nil, err
		}
		v, err := f.node(y.Content[i+1])
		if err != nil {
			return nil, err
		}
		isMerge := y.Content[i].Kind == yaml.ScalarNode && y.Content[i].Value == "<<" && y.Content[i].Style == 0
		_, again := given[k.text]
		switch {
		case k.form == list || k.form == object || k.form == null:
			f.fault(n, k.line, "found %s as a key, expected text", k.describe())
		case again || isMerge && merge != nil:
			f.fault(n, k.line, "found the key %s a second time, expected it once", quote(k.text))
		case isMerge:
			merge, before = v, len(n.keys)
		default:
			given[k.text] = len(n.keys)
			n.append(k.text, v)
		}
	}
	if merge != nil {
		f.merge(n, merge, given, before)
	}
	return n, f.tag(n, y)
}

// merge adds the keys of an object, or of each in a list of objects, that n
// lacks. A key that n has in front of the merge is a fault: YAML keeps n's
// value, and kubectl's parser takes the merged one.
func (f *fromYAML) merge(n, from *node, given map[string]int, before int) {
	sources := []*node{from}
	if from.form == list {
		sources = from.items
	}
	for _, source := range sources {
		if source.form != object {
			f.fault(n, source.line, "found %s to merge (<<), expected an object or a list of objects", source.describe())
			continue
		}
		for i, key := range source.keys {
			if at, has := given[key]; !has {
				given[key] = len(n.keys)
				n.append(key, source.items[i])
			} else if at < before {
				f.fault(n, n.items[at].line, "found the key %s in front of a merge (<<) that has it too, expected it behind: parsers disagree about which one counts", quote(key))
			}
		}
	}
}
