package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// strictTypes are the parts in which an unknown field is a problem, with all
// that is inside them: a mistyped name there changes the answer.
var strictTypes = map[reflect.Type]bool{
	reflect.TypeFor[corev1.ResourceRequirements]():               true,
	reflect.TypeFor[corev1.LimitRangeSpec]():                     true,
	reflect.TypeFor[autoscalingv1.HorizontalPodAutoscalerSpec](): true,
	reflect.TypeFor[autoscalingv2.HorizontalPodAutoscalerSpec](): true,
	reflect.TypeFor[PolicyHPA]():                                 true,
}

var (
	quantityType     = reflect.TypeFor[resource.Quantity]()
	resourceNameType = reflect.TypeFor[corev1.ResourceName]()
	unmarshalerType  = reflect.TypeFor[json.Unmarshaler]()
)

// decoder fills one object and reports what does not fit, each fault by itself.
type decoder struct {
	*reader
	origin Origin
}

func (d decoder) problem(n *node, at *path, message string) {
	if d.count >= maxProblems { // spare the text that nobody sees
		d.count++
		return
	}
	o := d.origin
	o.Line = n.line
	d.report(Problem{o, at.String(), message})
}

// mismatch reports a value of the wrong form.
func (d decoder) mismatch(n *node, at *path, expected string) {
	d.problem(n, at, "found "+n.describe()+", "+expected)
}

// faults reports what is wrong with the nodes themselves, read or not.
func (d decoder) faults(n *node, at *path) {
	if len(d.nodeFaults) == 0 {
		return
	}
	for _, f := range d.nodeFaults[n] {
		d.problem(&node{line: f.line}, at, f.message)
	}
	for i, item := range n.items {
		if n.form == object {
			d.faults(item, at.down(n.keys[i]))
		} else {
			d.faults(item, at.at(i))
		}
	}
}

// decode reads n into out, which is of a type that kinds lists or inside one.
// Nothing (null) leaves out as it is, as in the API server.
func (d decoder) decode(n *node, at *path, out reflect.Value, strict bool) {
	t := out.Type()
	if t == quantityType {
		q, err := quantity(n)
		if err != nil {
			d.mismatch(n, at, err.Error())
			return
		}
		out.Set(reflect.ValueOf(q))
		return
	}
	if n.form == null {
		return
	}
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(unmarshalerType) {
		d.unmarshal(n, at, out.Addr().Interface().(json.Unmarshaler))
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(t.Elem()))
		d.decode(n, at, out.Elem(), strict)
	case reflect.Struct:
		d.structure(n, at, out, strict || strictTypes[t])
	case reflect.Slice:
		d.slice(n, at, out, strict)
	case reflect.Map:
		d.mapping(n, at, out, strict)
	case reflect.String:
		if n.form != text {
			d.mismatch(n, at, `expected text; if it is meant as text, put it in quotes`)
			return
		}
		out.SetString(n.text)
	case reflect.Bool:
		if n.form != boolean {
			d.mismatch(n, at, "expected true or false")
			return
		}
		out.SetBool(n.text == "true")
	case reflect.Int, reflect.Int32, reflect.Int64:
		d.integer(n, at, out)
	default:
		d.mismatch(n, at, "expected nothing: a field of type "+t.String()+" is not read")
	}
}

func (d decoder) integer(n *node, at *path, out reflect.Value) {
	i, err := strconv.ParseInt(n.text, 10, 64)
	switch {
	case n.form != number || err != nil && !plainInteger.MatchString(n.text):
		d.mismatch(n, at, "expected a whole number")
	case err != nil || out.OverflowInt(i):
		d.mismatch(n, at, fmt.Sprintf("expected a whole number of at most %d bits", out.Type().Bits()))
	default:
		out.SetInt(i)
	}
}

// unmarshal hands a value to a type that reads its own JSON. Times become UTC:
// upstream makes them local, and so would depend on the machine.
func (d decoder) unmarshal(n *node, at *path, out json.Unmarshaler) {
	expected := "expected another value"
	switch out.(type) {
	case *metav1.Time, *metav1.MicroTime:
		expected = "expected a time such as 2006-01-02T15:04:05Z"
	case *metav1.Duration:
		expected = "expected a duration such as 30s"
	case *intstr.IntOrString:
		expected = "expected a whole number or text"
		if n.form != text && n.form != number {
			d.mismatch(n, at, expected)
			return
		}
	}
	if err := out.UnmarshalJSON(appendJSON(nil, n)); err != nil {
		d.mismatch(n, at, expected)
		return
	}
	switch t := out.(type) {
	case *metav1.Time:
		t.Time = t.UTC()
	case *metav1.MicroTime:
		t.Time = t.UTC()
	}
}

func (d decoder) slice(n *node, at *path, out reflect.Value, strict bool) {
	if n.form != list {
		d.mismatch(n, at, "expected a list")
		return
	}
	out.Set(reflect.MakeSlice(out.Type(), len(n.items), len(n.items)))
	for i, item := range n.items {
		if strict && item.form == null {
			d.mismatch(item, at.at(i), "expected an item")
			continue
		}
		d.decode(item, at.at(i), out.Index(i), strict)
	}
}

func (d decoder) mapping(n *node, at *path, out reflect.Value, strict bool) {
	if n.form != object {
		d.mismatch(n, at, "expected an object")
		return
	}
	t := out.Type()
	out.Set(reflect.MakeMapWithSize(t, len(n.keys)))
	for i, key := range n.keys {
		here := at.down(key)
		if lower := strings.ToLower(key); t.Key() == resourceNameType && lower != key && !strings.Contains(key, "/") {
			d.problem(n.items[i], here, "found the resource "+quote(key)+", expected "+quote(lower))
			continue
		}
		value := reflect.New(t.Elem()).Elem()
		d.decode(n.items[i], here, value, strict)
		out.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), value)
	}
}

func (d decoder) structure(n *node, at *path, out reflect.Value, strict bool) {
	if n.form != object {
		d.mismatch(n, at, "expected an object")
		return
	}
	fields := d.fieldsOf(out.Type())
	for i, key := range n.keys {
		if index, ok := fields.index[key]; ok {
			d.decode(n.items[i], at.down(key), out.FieldByIndex(index), strict)
			continue
		}
		if strict {
			d.problem(n.items[i], at.down(key), "found an unknown field, expected one of "+strings.Join(fields.names, ", "))
		} else if meant, ok := fields.folded[strings.ToLower(key)]; ok {
			// No release tells fields apart by case: this one is mistyped.
			d.problem(n.items[i], at.down(key), "found an unknown field, expected "+meant)
		}
	}
}

// fields are those of a struct by their JSON names, embedded ones included.
type fields struct {
	names  []string
	index  map[string][]int
	folded map[string]string // lower case to the name
}

// fieldsOf is worked out once per type and file.
func (d decoder) fieldsOf(t reflect.Type) *fields {
	if known := d.structs[t]; known != nil {
		return known
	}
	f := &fields{index: map[string][]int{}, folded: map[string]string{}}
	f.collect(t, nil)
	d.structs[t] = f
	return f
}

func (f *fields) collect(t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		field := t.Field(i)
		index := append(append([]int{}, prefix...), i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct:
			f.collect(field.Type, index)
		case name != "":
			f.names = append(f.names, name)
			f.index[name] = index
			f.folded[strings.ToLower(name)] = name
		}
	}
}
