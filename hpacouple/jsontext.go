package hpacouple

import (
	"strconv"

	"github.com/kube-rightsize/rightsize/internal/fieldsv1"
)

// jsonText builds canonical JSON: no spaces, and the callers write keys in byte order. Whether a comma is due shows in the last byte.
type jsonText []byte

func (j *jsonText) comma() {
	if n := len(*j); n > 0 {
		switch (*j)[n-1] {
		case '{', '[', ':', ',':
		default:
			*j = append(*j, ',')
		}
	}
}

func (j *jsonText) key(k string) {
	j.comma()
	*j = append(append(*j, fieldsv1.Quote(k)...), ':')
}

func (j *jsonText) text(s string) {
	j.comma()
	*j = append(*j, fieldsv1.Quote(s)...)
}

func (j *jsonText) number(n int32) {
	j.comma()
	*j = strconv.AppendInt(*j, int64(n), 10)
}

func (j *jsonText) raw(b []byte) {
	j.comma()
	*j = append(*j, b...)
}

// open begins an object or a list, shut ends it.
func (j *jsonText) open(c byte) {
	j.comma()
	*j = append(*j, c)
}

func (j *jsonText) shut(c byte) { *j = append(*j, c) }

// pair writes a key with a text, unless the text is empty.
func (j *jsonText) pair(k, v string) {
	if v != "" {
		j.key(k)
		j.text(v)
	}
}
