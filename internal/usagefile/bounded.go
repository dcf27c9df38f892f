package usagefile

import (
	"encoding/json"
	"errors"
	"io"
)

// What a file may make the reader hold at once.
const (
	mostBytes = 1 << 20 // of one line or value
	mostDepth = 100     // of what is passed over
	mostHeld  = 1 << 16 // samples of a series whose labels come after them; Prometheus itself answers 11 000 at most, and labels first
)

var (
	errLong = errors.New("one line or value is longer than 1 MiB")
	errDeep = errors.New("values are nested more than 100 deep")
	errHeld = errors.New("a series has more than 65536 values before its labels; labels must come first")
)

// bounded breaks off when more than mostBytes were read beyond the last line or token that was understood: the decoders hold all of that.
type bounded struct {
	io.Reader
	read       int64
	understood func() int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.understood != nil && b.read-b.understood() > mostBytes {
		return 0, errLong
	}
	n, err := b.Reader.Read(p)
	b.read += int64(n)
	return n, err
}

// from begins to count, with a function that tells how far a decoder has come.
func (b *bounded) from(understood func() int64) { b.read, b.understood = 0, understood }

// skip passes over a value without holding it.
func skip(d *json.Decoder) error {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		switch {
		case depth == 0:
			return nil
		case depth > mostDepth:
			return errDeep
		}
	}
}
