package usagefile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// parser reads one file in any of the formats and hands on its rows.
type parser struct {
	take     func(row) error
	of       corev1.ResourceName // what the values are where the file does not say; may be empty
	goesOn   bool                // past lines that cannot be read; the first of them is the error all the same
	progress func(rows int64)    // called every 65536 rows and at the end, if not nil
	warned   func(text string)   // called with each warning of the database, if not nil
	lost     func(r row)         // called with what can be read of a line that cannot, if not nil
	rows     int64
	in       *bounded
}

func (c *parser) row(r row) error {
	if !slices.Contains(Resources(), r.resource) {
		return fmt.Errorf("%q %w", r.resource, errResource)
	}
	c.rows++
	if c.progress != nil && c.rows%65536 == 0 {
		c.progress(c.rows)
	}
	return c.take(r)
}

// parse finds the format by looking at it: JSON begins with { or [, everything else is CSV. name is for error messages. An error is a file that
// cannot be read as any of the formats.
func parse(in io.Reader, name string, c parser) error {
	c.in = &bounded{Reader: in}
	buffered := bufio.NewReaderSize(c.in, 1<<16)
	first, err := firstByte(buffered)
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s: is empty", name)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case first == '{', first == '[':
		err = c.readJSON(buffered, first == '[')
	default:
		err = c.readCSV(buffered)
	}
	if c.progress != nil {
		c.progress(c.rows)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if c.rows == 0 {
		return fmt.Errorf("%s: holds no measurement in any of the known formats", name)
	}
	return nil
}

// firstByte looks past a byte order mark and white space.
func firstByte(r *bufio.Reader) (byte, error) {
	mark, _ := r.Peek(3) // fewer are no mark
	switch {
	case bytes.HasPrefix(mark, []byte("\xef\xbb\xbf")):
		_, _ = r.Discard(3)
	case bytes.HasPrefix(mark, []byte("\x1f\x8b")):
		return 0, errors.New("is compressed with gzip; unpack it first (gzip -dc FILE | ... --usage -)")
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return 0, errors.New("is in UTF-16; UTF-8 is wanted")
	}
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return b, r.UnreadByte()
		}
	}
}

// readCSV reads lines of time,pod,container,resource,value. A first line with these words is a heading and may put them
// in another order and add the namespace. Lines that begin with # are comments.
func (c *parser) readCSV(in io.Reader) error {
	r := csv.NewReader(in)
	r.ReuseRecord, r.Comment, r.FieldsPerRecord, r.TrimLeadingSpace = true, '#', -1, true
	var understood int64 // a field in quotes may have many lines, so this is not r.InputOffset
	c.in.from(func() int64 { return understood })
	at := map[string]int{"time": 0, "pod": 1, "container": 2, "resource": 3, "value": 4}
	var bad error
	for first := true; ; first = false {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return bad
		}
		if err != nil {
			return err
		}
		understood = r.InputOffset()
		line, _ := r.FieldPos(0)
		if first && strings.EqualFold(strings.TrimSpace(fields[0]), "time") || first && heading(fields) {
			if at, err = columns(fields); err != nil {
				return err
			}
			continue
		}
		if len(fields) != len(at) { // nobody knows whom it concerns
			return fmt.Errorf("line %d: has %d fields, wants the %d of the heading, or time,pod,container,resource,value", line, len(fields), len(at))
		}
		r, err := rowOf(fields, at)
		if err == nil {
			err = c.row(r)
		}
		if err != nil {
			bad = cmp.Or[error](bad, lineError{line, err})
			if !c.goesOn {
				return bad
			}
			if c.lost != nil {
				c.lost(r)
			}
		}
	}
}

// lineError is a line that cannot be read; the next one may be.
type lineError struct {
	line int
	err  error
}

func (e lineError) Error() string        { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e lineError) Unwrap() error        { return e.err }
func (e lineError) Is(target error) bool { return target == errLine }

var errLine = errors.New("a line cannot be read")

// rowOf reads a line. With an error, whom it concerns is read all the same.
func rowOf(fields []string, at map[string]int) (r row, err error) {
	get := func(name string) string {
		if i, ok := at[name]; ok {
			return strings.TrimSpace(fields[i])
		}
		return ""
	}
	r = row{pod: Pod{strings.Clone(get("namespace")), strings.Clone(get("pod"))}, container: strings.Clone(get("container")), resource: corev1.ResourceName(get("resource"))}
	if r.at, err = parseTime(get("time")); err != nil {
		return r, err
	}
	r.value, err = parseValue(get("value"))
	return r, err
}

func heading(fields []string) bool {
	for _, f := range fields {
		if strings.EqualFold(strings.TrimSpace(f), "container") {
			return true
		}
	}
	return false
}

var errHeading = errors.New("it must have time, pod, container, resource and value, and may have namespace")

func columns(fields []string) (map[string]int, error) {
	at := map[string]int{}
	known := []string{"time", "pod", "container", "resource", "value", "namespace"}
	for i, f := range fields {
		name := strings.ToLower(strings.TrimSpace(f))
		if _, twice := at[name]; twice || !slices.Contains(known, name) {
			return nil, fmt.Errorf("the heading has %q, which is there twice or nobody knows; %w", name, errHeading)
		}
		at[name] = i
	}
	for _, name := range known[:5] {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("the heading lacks %s; %w", name, errHeading)
		}
	}
	return at, nil
}

// parseTime reads RFC 3339 or Unix seconds, with a fraction if need be.
func parseTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is neither RFC 3339 nor Unix seconds", text)
	}
	return unix(seconds)
}

func unix(seconds float64) (time.Time, error) {
	if !(math.Abs(seconds) < 1e11) {
		return time.Time{}, fmt.Errorf("%v is no time in Unix seconds; are these milliseconds?", seconds)
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(math.Round(part*1e3))*1e6).UTC(), nil // Prometheus has milliseconds
}

// parseValue reads a plain number, in cores or bytes, or a Kubernetes quantity. NaN and infinities are numbers here, and
// counted as invalid later.
func parseValue(text string) (float64, error) {
	if v, err := strconv.ParseFloat(text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return v, nil
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a number nor a quantity", text)
	}
	return q.AsApproximateFloat64(), nil
}
