package fieldsv1

import (
	"encoding/json"
)

// deepest bounds the nesting of a set. Kubernetes objects nest less than 30 levels.
const deepest = 200

// Parse reads the text of a set. ok is false where it is not a tree of JSON objects. Where a key stands twice in one object the first counts.
//
// It is a reader of its own because a set is read for each owner of each object of each change: encoding/json takes ten times as long.
func Parse(raw []byte) (n Node, ok bool) {
	p := parser{text: raw}
	n.Children, ok = p.object(0)
	p.space()
	return n, ok && p.at == len(p.text)
}

type parser struct {
	text []byte
	at   int
}

func (p *parser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\n' || p.text[p.at] == '\t' || p.text[p.at] == '\r') {
		p.at++
	}
}

// take steps over the byte c, where it comes next.
func (p *parser) take(c byte) bool {
	if p.space(); p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) object(depth int) (children []Node, ok bool) {
	if depth > deepest || !p.take('{') {
		return nil, false
	}
	if p.take('}') {
		return nil, true
	}
	for {
		var c Node
		if c.Key, ok = p.key(); !ok || !p.take(':') {
			return nil, false
		}
		if c.Children, ok = p.object(depth + 1); !ok {
			return nil, false
		}
		children = append(children, c)
		if p.take('}') {
			return children, true
		}
		if !p.take(',') {
			return nil, false
		}
	}
}

// key reads a JSON string.
func (p *parser) key() (string, bool) {
	if !p.take('"') {
		return "", false
	}
	start, plain := p.at, true
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			text := p.text[start:p.at]
			p.at++
			if plain {
				return string(text), true
			}
			var s string
			err := json.Unmarshal(p.text[start-1:p.at], &s)
			return s, err == nil
		case c == '\\':
			plain = false
			p.at += 2
		case c < ' ':
			return "", false
		default:
			plain = plain && c < 0x80
			p.at++
		}
	}
	return "", false
}
