// Package fieldsv1 reads the field sets of metadata.managedFields.
//
// A set is a tree of JSON objects: f:name is a field, k:{"name":"app"} an item of a list, "." the node itself. An object without members is
// a leaf and stands for the node itself as well. Nothing else occurs.
package fieldsv1

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Node is one node of a set with what is owned below it, in the order of the text. A nil node owns nothing.
type Node struct {
	Key      string
	Children []Node
}

// Self is the key by which a node with children says that it is owned itself.
const Self = "."

// Child returns the child of that key, nil where there is none.
func (n *Node) Child(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Children {
		if n.Children[i].Key == key {
			return &n.Children[i]
		}
	}
	return nil
}

// At walks down the path; nil where it ends.
func (n *Node) At(path ...string) *Node {
	for _, key := range path {
		if n = n.Child(key); n == nil {
			return nil
		}
	}
	return n
}

// Item returns the item of a list whose one key is name, nil where there is none.
func (n *Node) Item(name string) *Node {
	if n == nil {
		return nil
	}
	if c := n.Child(ItemKey(name)); c != nil {
		return c
	}
	for i := range n.Children { // the same key, spelled with other escapes or spaces
		if is, ok := ItemName(n.Children[i].Key); ok && is == name {
			return &n.Children[i]
		}
	}
	return nil
}

// Owned says whether the node itself is owned, not only something below it.
func (n *Node) Owned() bool { return n != nil && (len(n.Children) == 0 || n.Child(Self) != nil) }

// ItemKey returns the key of a list's item by name.
func ItemKey(name string) string { return `k:{"name":` + Quote(name) + `}` }

// ItemName reads a key that [ItemKey] wrote; ok is false for other keys.
func ItemName(key string) (name string, ok bool) {
	text, is := strings.CutPrefix(key, "k:")
	if !is {
		return "", false
	}
	if inner, plain := strings.CutPrefix(text, `{"name":"`); plain {
		if end := strings.IndexByte(inner, '"'); end >= 0 && inner[end:] == `"}` && strings.IndexByte(inner[:end], '\\') < 0 {
			return inner[:end], true
		}
	}
	var keys map[string]any
	if json.Unmarshal([]byte(text), &keys) != nil || len(keys) != 1 {
		return "", false
	}
	name, ok = keys["name"].(string)
	return name, ok
}

// Clone returns a copy that shares nothing with n.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	c := Node{Key: n.Key, Children: slices.Clone(n.Children)}
	for i := range c.Children {
		c.Children[i] = *c.Children[i].Clone()
	}
	return &c
}

// Insert adds the path below n.
func (n *Node) Insert(path ...string) {
	for _, key := range path {
		next := n.Child(key)
		if next == nil {
			n.Children = append(n.Children, Node{Key: key})
			next = &n.Children[len(n.Children)-1]
		}
		n = next
	}
}

// AppendJSON writes the set below n, keys in byte order.
func (n *Node) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	if n != nil {
		order := make([]*Node, len(n.Children))
		for i := range n.Children {
			order[i] = &n.Children[i]
		}
		slices.SortStableFunc(order, func(a, b *Node) int { return strings.Compare(a.Key, b.Key) })
		for i, c := range order {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = c.AppendJSON(append(append(dst, Quote(c.Key)...), ':'))
		}
	}
	return append(dst, '}')
}

// Quote returns s as JSON text.
func Quote(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			text, err := json.Marshal(s)
			if err != nil { // cannot be: every string has a text
				return strconv.Quote(s)
			}
			return string(text)
		}
	}
	return `"` + s + `"`
}

// Pointer returns the keys as a JSON pointer (RFC 6901).
func Pointer(keys ...string) string {
	var b strings.Builder
	for _, k := range keys {
		b.WriteByte('/')
		for i := 0; i < len(k); i++ {
			switch k[i] {
			case '~':
				b.WriteString("~0")
			case '/':
				b.WriteString("~1")
			default:
				b.WriteByte(k[i])
			}
		}
	}
	return b.String()
}
