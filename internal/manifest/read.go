package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// MaxSize is the largest file that is read, in bytes.
const MaxSize = 16 << 20

const (
	maxDocuments = 100_000
	maxPieces    = 2_000_000 // lines, commas and so on, of one document
	maxDepth     = 1_000
	maxAliased   = 4 << 20 // bytes of one file
	maxProblems  = 1_000   // of one file
)

const defaultNamespace = "default"

// Read reads a file; name is what problems and origins call it. A document with
// a fault does not stop the others, and an object with a fault is in none of
// the typed lists but in Refused. Problems come in the order of the file. What
// it returns depends on the bytes alone.
func Read(name string, r io.Reader) (Objects, []Problem) {
	f := &reader{file: name, spare: maxAliased, structs: map[reflect.Type]*fields{}}
	src, err := content(r)
	if err != nil {
		f.fail(Origin{File: name}, err)
		return f.objects, f.finish()
	}
	split(src, f.chunk)
	return f.objects, f.finish()
}

// content is the whole file as UTF-8.
func content(r io.Reader) ([]byte, error) {
	if r == nil {
		return nil, errors.New("there is nothing to read from")
	}
	src, err := io.ReadAll(io.LimitReader(&impatient{r: r}, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if len(src) <= MaxSize {
		src, err = toUTF8(src)
	}
	if err == nil && len(src) > MaxSize {
		err = fmt.Errorf("found more than %d MiB, expected a smaller file", MaxSize>>20)
	}
	return src, err
}

// impatient gives up on a reader that returns nothing again and again.
type impatient struct {
	r     io.Reader
	empty int
}

func (i *impatient) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	if n > 0 {
		i.empty = 0
	} else if i.empty++; i.empty > 100 && err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}

// reader is the state of one Read.
type reader struct {
	file       string
	document   int
	spare      int64 // bytes that aliases may still add
	structs    map[reflect.Type]*fields
	nodeFaults map[*node][]fault // of the document at hand

	objects  Objects
	problems []Problem
	count    int // of problems, listed or not
}

func (r *reader) report(p Problem) {
	r.count++
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, p)
	}
}

func (r *reader) finish() []Problem {
	if more := r.count - len(r.problems); more > 0 {
		r.problems = append(r.problems, Problem{Origin{File: r.file}, "", fmt.Sprintf("%d more problems are not listed", more)})
	}
	return r.problems
}

// fail reports an error, at its own line if it knows one.
func (r *reader) fail(at Origin, err error) {
	var l lineError
	if errors.As(err, &l) {
		at.Line = l.line
	}
	r.report(Problem{at, "", err.Error()})
}

// begin opens the next document; false if there are too many.
func (r *reader) begin() bool {
	r.document++
	if r.document > maxDocuments {
		r.fail(Origin{File: r.file}, fmt.Errorf("found more than %d documents, the rest is not read", maxDocuments))
	}
	return r.document <= maxDocuments
}

// chunk reads one piece of the file: a YAML document, or JSON documents.
func (r *reader) chunk(c chunk) bool {
	if !r.begin() {
		return false
	}
	at := Origin{File: r.file, Document: r.document, Line: c.line}
	if c.empty {
		return true
	}
	if err := characters(c.src, c.line); err != nil {
		r.fail(at, err)
		return true
	}
	if crowded(c.src) {
		r.fail(at, fmt.Errorf("found more than %d lines, commas and opening brackets in one document, expected fewer", maxPieces))
		return true
	}
	var inJSON error
	if part, line, ok := c.jsonPart(); ok {
		var done, more bool
		if done, more, inJSON = r.json(part, line); done {
			return more
		}
	}
	if err := r.yaml(c, at); err != nil {
		if inJSON != nil {
			err = inJSON
		}
		r.fail(at, err)
	}
	return true
}

// crowded tells whether a text may hold more values than are worth the memory.
// Each value but the first has one of these in front of it, which it shares
// with few others.
func crowded(src []byte) bool {
	found := 0
	for i, c := range src {
		switch c {
		case ',', '[', '{', '\n', '\r':
			found++
		case '-', '?':
			if i+1 < len(src) && (src[i+1] == ' ' || src[i+1] == '\t') {
				found++
			}
		}
	}
	return found > maxPieces
}

// json reads the JSON documents of a piece of the file. Not done: the first of
// them is no JSON, so it may be YAML; if it is not, err is worth showing if it
// is not nil. Not more: the file has too many documents.
func (r *reader) json(src []byte, line int) (done, more bool, err error) {
	f := newFromJSON(src, line)
	for first := true; ; first = false {
		n, err := f.next()
		switch {
		case err == io.EOF:
			return true, true, nil
		case err != nil && first && looksLikeJSON(src):
			return false, true, err
		case err != nil && first:
			return false, true, nil
		case !first && !r.begin():
			return true, false, nil
		}
		at := Origin{File: r.file, Document: r.document, Line: f.line}
		if err != nil {
			r.fail(at, err)
			return true, true, nil
		}
		at.Line = n.line
		r.nodeFaults = f.faults
		r.root(n, at)
		if saysNothing(src[f.tokens.InputOffset():]) {
			return true, true, nil
		}
	}
}

// looksLikeJSON tells whether a syntax error is best told in terms of JSON,
// rather than of YAML that starts with a bracket.
func looksLikeJSON(src []byte) bool {
	rest := string(bytes.TrimLeft(src[1:min(len(src), 1000)], " \t\r\n"))
	return strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, `{"`)
}

// saysNothing tells whether there are only blank lines and comments. It looks
// no further than to the first thing that is none.
func saysNothing(src []byte) bool {
	for {
		src = bytes.TrimLeft(src, " \t\r\n")
		if len(src) == 0 || src[0] != '#' {
			return len(src) == 0
		}
		src = src[lineLength(src):]
	}
}

func (r *reader) yaml(c chunk, at Origin) error {
	y, err := parseYAML(c.src)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return yamlError(err, c.line)
	}
	f := fromYAML{builder: builder{spare: r.spare}, first: c.line}
	n, err := f.node(y)
	if err != nil {
		return err
	}
	r.spare = f.spare
	r.nodeFaults = f.faults
	at.Line = n.line
	r.root(n, at)
	return nil
}
