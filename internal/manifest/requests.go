package manifest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// RequestsHeader is the first line of a table of new requests.
const RequestsHeader = "kind,namespace,name,container,resource,request,limit"

// Request is one row of a table of new requests. Request and Limit are nil
// where the cell is empty; at least one of them is not.
type Request struct {
	Origin    // file and line
	Kind      string
	Namespace string // "default" where the cell is empty
	Name      string
	Container string
	Resource  corev1.ResourceName // cpu or memory
	Request   *resource.Quantity
	Limit     *resource.Quantity
}

// ReadRequests reads a table of new requests in CSV: the header as it stands
// in RequestsHeader, then a row per container and resource. Blanks around a
// cell do not count. A row with a fault is left out and is a problem with its
// line and column; so is a second row for the same container and resource.
// The limits of Read apply.
func ReadRequests(name string, r io.Reader) ([]Request, []Problem) {
	f := &reader{file: name}
	src, err := content(r)
	if err == nil {
		err = characters(src, 1)
	}
	if err != nil {
		f.fail(Origin{File: name}, err)
		return nil, f.finish()
	}
	t := table{reader: f, rows: csv.NewReader(bytes.NewReader(src)), seen: map[[5]string]int{}}
	t.rows.FieldsPerRecord = -1 // counted here, to go on behind a bad row
	t.rows.ReuseRecord = true
	requests := t.read()
	return requests, f.finish()
}

// table is the state of one ReadRequests.
type table struct {
	*reader
	rows *csv.Reader
	seen map[[5]string]int // line of the row for a container and resource
}

func (t *table) problem(line int, column, message string) {
	t.report(Problem{Origin{File: t.file, Line: line}, column, message})
}

func (t *table) read() []Request {
	cells, line, err := t.next()
	switch {
	case err == io.EOF:
		t.problem(1, "", "found nothing, expected the header "+RequestsHeader)
		return nil
	case err != nil || strings.Join(cells, ",") != RequestsHeader:
		t.problem(line, "", "found "+quote(strings.Join(cells, ","))+", expected the header "+RequestsHeader)
		return nil
	}
	var requests []Request
	for {
		cells, line, err := t.next()
		switch {
		case err == io.EOF:
			return requests
		case err != nil:
			t.problem(line, "", "not valid CSV: "+err.Error())
		default:
			if row, ok := t.row(cells, line); ok {
				requests = append(requests, row)
			}
		}
	}
}

// next is the next row without the blanks around its cells, and its line.
func (t *table) next() (cells []string, line int, err error) {
	cells, err = t.rows.Read()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		return nil, bad.StartLine, bad.Err
	case err != nil:
		return nil, 0, err
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	line, _ = t.rows.FieldPos(0)
	return cells, line, nil
}

func (t *table) row(cells []string, line int) (Request, bool) {
	columns := strings.Split(RequestsHeader, ",")
	if len(cells) != len(columns) {
		t.problem(line, "", fmt.Sprintf("found %d cells, expected the %d of the header", len(cells), len(columns)))
		return Request{}, false
	}
	before := t.count
	row := Request{
		Origin: Origin{File: t.file, Line: line},
		Kind:   cells[0], Namespace: cells[1], Name: cells[2], Container: cells[3],
		Resource: corev1.ResourceName(cells[4]),
	}
	if row.Namespace == "" {
		row.Namespace = defaultNamespace
	}
	for _, i := range []int{0, 2, 3} {
		if cells[i] == "" {
			t.problem(line, columns[i], "found nothing, expected a name")
		}
	}
	if row.Resource != corev1.ResourceCPU && row.Resource != corev1.ResourceMemory {
		t.problem(line, "resource", "found "+quote(cells[4])+", expected cpu or memory")
	}
	row.Request = t.quantity(line, "request", cells[5])
	row.Limit = t.quantity(line, "limit", cells[6])
	if cells[5] == "" && cells[6] == "" {
		t.problem(line, "request", "found neither a request nor a limit, expected one of them")
	}
	if t.count > before {
		return Request{}, false
	}
	key := [5]string{row.Kind, row.Namespace, row.Name, row.Container, cells[4]}
	if first, ok := t.seen[key]; ok {
		t.problem(line, "", fmt.Sprintf("found a second row for %s of container %s of %s %s/%s, expected one; the first, in line %d, stays",
			clip(cells[4]), clip(row.Container), clip(row.Kind), clip(row.Namespace), clip(row.Name), first))
		return Request{}, false
	}
	t.seen[key] = line
	return row, true
}

func (t *table) quantity(line int, column, cell string) *resource.Quantity {
	if cell == "" {
		return nil
	}
	q, err := parseQuantity(cell)
	if err != nil {
		t.problem(line, column, "found "+quote(cell)+", "+err.Error())
		return nil
	}
	return &q
}
