package manifest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	bom      = []byte("\xef\xbb\xbf")
	bomUTF16 = [2]struct {
		mark  []byte
		order binary.ByteOrder
	}{
		{[]byte("\xff\xfe"), binary.LittleEndian},
		{[]byte("\xfe\xff"), binary.BigEndian},
	}
)

// toUTF8 takes the byte order mark off and converts UTF-16.
func toUTF8(src []byte) ([]byte, error) {
	for _, u := range bomUTF16 {
		rest, ok := bytes.CutPrefix(src, u.mark)
		if !ok {
			continue
		}
		if len(rest)%2 != 0 {
			return nil, fmt.Errorf("found UTF-16 with half a character at its end")
		}
		units := make([]uint16, len(rest)/2)
		for i := range units {
			units[i] = u.order.Uint16(rest[2*i:])
		}
		return []byte(string(utf16.Decode(units))), nil
	}
	return bytes.TrimPrefix(src, bom), nil
}

// characters finds the first thing that no document may hold: bytes that are
// not UTF-8, and control characters.
func characters(src []byte, first int) error {
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c >= 0x20 && c < 0x7f || c == '\n' || c == '\r' || c == '\t':
			i++
		case c < utf8.RuneSelf:
			return lineError{first + lines(src[:i]), fmt.Sprintf("found the control character 0x%02x, expected text", c)}
		default:
			r, width := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && width == 1 {
				return lineError{first + lines(src[:i]), fmt.Sprintf("found the byte 0x%02x, expected UTF-8 (is the file in windows-1252 or another old encoding?)", c)}
			}
			i += width
		}
	}
	return nil
}

// lines counts the line breaks: LF, CR LF, and CR alone.
func lines(src []byte) int {
	return bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) - bytes.Count(src, []byte("\r\n"))
}

// chunk is the text of one document, its --- included.
type chunk struct {
	src  []byte
	line int // where it starts, from 1
	// empty: nothing but --- and comments.
	empty bool
}

// split cuts a file at its document markers and calls yield with each piece, in
// order, until it returns false. Comments and directives in front of a --- go
// with the document that it opens.
func split(src []byte, yield func(chunk) bool) {
	start, startLine := 0, 1
	marked, content, directive := false, false, false
	flush := func(end, line int) bool {
		is := marked || content || directive
		c := chunk{src[start:end], startLine, !content && !directive}
		start, startLine = end, line
		marked, content, directive = false, false, false
		return !is || yield(c)
	}
	line := 1
	for at := 0; at < len(src); line++ {
		end := at + lineLength(src[at:])
		text := bytes.TrimRight(src[at:end], "\r\n")
		switch {
		case isMarker(text, "---"):
			if (marked || content) && !flush(at, line) {
				return
			}
			marked, directive = true, false
			content = !isComment(bytes.TrimPrefix(text, bom)[3:])
		case isMarker(text, "..."):
			if !flush(end, line+1) {
				return
			}
		case !content && !marked && len(text) > 0 && text[0] == '%':
			directive = true
		case !isComment(text):
			content = true
		}
		at = end
	}
	flush(len(src), line)
}

// isMarker tells whether a line starts with a marker that stands for itself.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(line, bom), []byte(marker))
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t')
}

// isComment tells whether (the rest of) a line says nothing. A comment with one
// of YAML's further line breaks in it (NEL, LS, PS) may say something behind it.
func isComment(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) == 0 || line[0] == '#' && !bytes.ContainsAny(line, "\u0085\u2028\u2029")
}

// lineLength is up to and with the line break.
func lineLength(src []byte) int {
	i := bytes.IndexAny(src, "\r\n")
	switch {
	case i < 0:
		return len(src)
	case src[i] == '\r' && i+1 < len(src) && src[i+1] == '\n':
		return i + 2
	default:
		return i + 1
	}
}

// jsonPart is the JSON in a chunk, if it starts like some, and the line where
// that is: behind the marker, comments and blank lines.
func (c chunk) jsonPart() (src []byte, line int, ok bool) {
	src, line = c.src, c.line
	for len(src) > 0 {
		length := lineLength(src)
		text := src[:length]
		if isMarker(bytes.TrimRight(text, "\r\n"), "---") {
			text = text[3:]
		}
		text = bytes.TrimLeft(text, " \t\r\n")
		if len(text) > 0 && text[0] != '#' {
			start := len(src) - len(src[length:]) - len(text)
			return src[start:], line, text[0] == '{' || text[0] == '['
		}
		src = src[length:]
		line++
	}
	return nil, 0, false
}
