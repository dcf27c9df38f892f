package main

import (
	"fmt"
	"io"
)

// progress counts the rows of all files together, each once for each time that it is read.
type progress struct {
	show func(rows int64) // nil is nobody
	done int64            // rows so far
	said int64            // the last number that was shown
}

// every is how many rows pass until the next number is shown.
const every = 65536

// of returns what a reader calls with the rows of one more file; nil where nobody looks.
func (p *progress) of() func(rows int64) {
	if p.show == nil {
		return nil
	}
	before := p.done
	return func(rows int64) {
		p.done = before + rows
		if p.done-p.said >= every {
			p.said = p.done
			p.show(p.done)
		}
	}
}

// progressOn shows progress on a terminal, in one line that ends when done is called.
func progressOn(terminal io.Writer) (show func(rows int64), done func()) {
	shown := false
	return func(rows int64) {
			shown = true
			fmt.Fprintf(terminal, "\rread %d rows of usage", rows)
		}, func() {
			if shown {
				fmt.Fprintln(terminal)
			}
		}
}
