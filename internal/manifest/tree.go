package manifest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// form is what a node is.
type form uint8

const (
	null form = iota
	boolean
	number
	text
	list
	object
)

// node is a value of a document, YAML or JSON. Aliases share nodes, so the tree
// is a directed graph without cycles; it is not written to once it is built.
type node struct {
	form form
	line int
	// text is the scalar as it is meant: "true", "1000", or the text itself.
	text string
	// written is the scalar as it stands in the file: "yes", "1e3".
	written string
	keys    []string // of an object
	items   []*node  // of a list, or the values of an object beside its keys
	size    int64    // of the whole, aliases expanded: bytes of text and a charge per node
	height  int
}

// field is the value under a key, nil if there is none.
func (n *node) field(key string) *node {
	if n == nil || n.form != object {
		return nil
	}
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	return nil
}

// walk goes down a path as far as there is something, nil if there is not even a root.
func (n *node) walk(path string) *node {
	for n != nil && path != "" {
		var key string
		if path[0] == '[' {
			key, path, _ = strings.Cut(path[1:], "]")
		} else {
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			key, path = path[:end], path[end:]
		}
		next := n.field(key)
		if i, err := strconv.Atoi(key); n.form == list && err == nil && i >= 0 && i < len(n.items) {
			next = n.items[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// string is a node's text where it is one, and "" otherwise.
func (n *node) string() string {
	if n == nil || n.form != text {
		return ""
	}
	return n.text
}

// describe names what was found, for a message.
func (n *node) describe() string {
	switch n.form {
	case null:
		return "nothing"
	case boolean:
		return "the boolean " + clip(n.written)
	case number:
		return "the number " + clip(n.written)
	case text:
		return quote(n.text)
	case list:
		return "a list"
	default:
		return "an object"
	}
}

// cut shortens what a file holds to what a message can bear, in runes.
func cut(s string, most int) string {
	for i := range s {
		if most--; most < 0 {
			return s[:i] + "..."
		}
	}
	return s
}

const maxShown = 60

func quote(s string) string { return strconv.Quote(cut(s, maxShown)) }

// clip is quote without the quotation marks.
func clip(s string) string {
	q := quote(s)
	return q[1 : len(q)-1]
}

// path is where a node is inside its object, from the leaf up. The zero key
// with an index is a list item.
type path struct {
	up    *path
	key   string
	index int
	item  bool
}

func (p *path) down(key string) *path { return &path{up: p, key: key} }
func (p *path) at(index int) *path    { return &path{up: p, index: index, item: true} }

// String is a.b[0].c; a key that is no plain word stands in brackets.
func (p *path) String() string {
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p *path) write(b *strings.Builder) {
	if p == nil {
		return
	}
	p.up.write(b)
	switch {
	case p.item:
		fmt.Fprintf(b, "[%d]", p.index)
	case !word(p.key):
		b.WriteString("[" + clip(p.key) + "]")
	default:
		if p.up != nil {
			b.WriteByte('.')
		}
		b.WriteString(p.key)
	}
}

// word tells whether a key can stand in a path as it is.
func word(s string) bool {
	return s != "" && len(s) <= 60 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// appendJSON writes a node as JSON, keys in the order of the document.
func appendJSON(to []byte, n *node) []byte {
	if n == nil {
		return append(to, "null"...)
	}
	switch n.form {
	case null:
		return append(to, "null"...)
	case boolean, number:
		return append(to, n.text...)
	case text:
		return appendText(to, n.text)
	}
	open, end := byte('['), byte(']')
	if n.form == object {
		open, end = '{', '}'
	}
	to = append(to, open)
	for i, item := range n.items {
		if i > 0 {
			to = append(to, ',')
		}
		if n.form == object {
			to = append(appendText(to, n.keys[i]), ':')
		}
		to = appendJSON(to, item)
	}
	return append(to, end)
}

func appendText(to []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil { // a string always has a JSON form
		return append(to, `""`...)
	}
	return append(to, b...)
}

// fault is something wrong with a node itself, whoever reads it.
type fault struct {
	line    int
	message string
}

// builder makes the nodes of one document.
type builder struct {
	spare  int64 // bytes that aliases may still add
	faults map[*node][]fault
}

// nodeCharge is what a node counts beside its text.
const nodeCharge = 16

func (b *builder) fault(n *node, line int, format string, args ...any) {
	if b.faults == nil {
		b.faults = map[*node][]fault{}
	}
	b.faults[n] = append(b.faults[n], fault{line, fmt.Sprintf(format, args...)})
}

// append adds an item, under a key if n is an object.
func (n *node) append(key string, item *node) {
	if n.form == object {
		n.keys = append(n.keys, key)
		n.size += int64(len(key))
	}
	n.items = append(n.items, item)
	n.size += item.size
	n.height = max(n.height, item.height+1)
}
