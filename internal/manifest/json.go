package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// fromJSON reads JSON values that follow each other.
type fromJSON struct {
	builder
	src    []byte
	tokens *json.Decoder
	line   int   // of the file, at offset
	offset int64 // up to where lines are counted
}

func newFromJSON(src []byte, first int) *fromJSON {
	f := &fromJSON{src: src, tokens: json.NewDecoder(bytes.NewReader(src)), line: first}
	f.tokens.UseNumber()
	return f
}

// next is the next value, io.EOF behind the last.
func (f *fromJSON) next() (*node, error) {
	f.faults = nil
	n, err := f.value(0)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, lineError{f.here(int64(len(f.src))), "not valid JSON: it ends in the middle"}
	case err == nil, err == io.EOF, errors.As(err, &lineError{}), err == errDepth:
		return n, err
	}
	at := f.tokens.InputOffset()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = syntax.Offset
	}
	return nil, lineError{f.here(at), "not valid JSON: " + err.Error()}
}

// here is the line at an offset; offsets only grow.
func (f *fromJSON) here(offset int64) int {
	offset = min(offset, int64(len(f.src)))
	if offset > f.offset {
		f.line += lines(f.src[f.offset:offset])
		f.offset = offset
	}
	return f.line
}

func (f *fromJSON) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	token, err := f.token(depth)
	if err != nil {
		return nil, err
	}
	var n node
	switch t := token.(type) {
	case nil:
		n = node{form: null}
	case bool:
		n = node{form: boolean, text: "false"}
		if t {
			n.text = "true"
		}
		n.written = n.text
	case json.Number:
		n = jsonNumber(string(t))
	case string:
		n = node{form: text, text: t, written: t}
	case json.Delim:
		n = node{form: list}
		if t == '{' {
			n.form = object
		}
	}
	n.line = f.here(f.tokens.InputOffset())
	n.size = nodeCharge + int64(len(n.text))
	if n.form == list || n.form == object {
		return &n, f.fill(&n, depth)
	}
	return &n, nil
}

// fill reads the inside of a list or an object up to its end.
func (f *fromJSON) fill(n *node, depth int) error {
	given := map[string]bool{}
	for f.tokens.More() {
		var key string
		if n.form == object {
			token, err := f.token(depth + 1)
			if err != nil {
				return err
			}
			key, _ = token.(string) // the decoder lets nothing else through
			if given[key] {         // both stay: with a fault the object is refused
				f.fault(n, f.here(f.tokens.InputOffset()), "found the key %s a second time, expected it once", quote(key))
			}
		}
		item, err := f.value(depth + 1)
		if err != nil {
			return err
		}
		n.append(key, item)
		given[key] = true
	}
	_, err := f.token(depth + 1)
	return err
}

// token is the next one; only in front of a whole value may there be none.
func (f *fromJSON) token(depth int) (json.Token, error) {
	token, err := f.tokens.Token()
	if err == io.EOF && depth > 0 {
		err = io.ErrUnexpectedEOF
	}
	return token, err
}
