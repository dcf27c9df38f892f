package v1alpha1_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/kube-rightsize/rightsize/examples/crd/v1alpha1"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/rightsizetest"
)

var _ runtime.Object = &v1alpha1.Rightsizing{}
var _ runtime.Object = &v1alpha1.RightsizingList{}

// kept is what a controller would keep of one workload.
func kept(t *rapid.T) *v1alpha1.Rightsizing {
	in := rightsizetest.StatefulInputs().Draw(t, "in")
	plan, errs := hpacouple.Plan(in)
	if len(errs) > 0 {
		t.Skip("no plan")
	}
	verdict, _ := hpacouple.Admit(plan, hpacouple.Admission{MayPatchHPA: true, Live: hpacouple.Live{Template: in.Pod.Spec, HPA: in.HPA}})
	at := metav1.Unix(1700000000, 0)
	r := &v1alpha1.Rightsizing{
		Spec: v1alpha1.RightsizingSpec{Workload: in.Workload, HPA: &hpacouple.HPAPolicy{Coordinate: true}, Options: in.Options, Recommendations: in.Recommendations,
			Recommended: hpacouple.RecommendationHPAOf(plan)},
		Status: v1alpha1.RightsizingStatus{State: plan.State, Plan: &plan, Verdict: &verdict, Conditions: []metav1.Condition{plan.Condition(1, at), verdict.Condition(1, at)}},
	}
	if c, ok := hpacouple.ChangeOf(plan); ok {
		r.Status.Change, r.Status.RecommendationHPAStatus = &c, c.RecommendationHPAStatus()
	}
	return r
}

// What the library returns comes back from JSON byte for byte, and a deep copy shares nothing with them.
func TestRoundTripAndCopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := kept(t)
		text, err := json.Marshal(r.Status)
		require.NoError(t, err)
		var back v1alpha1.RightsizingStatus
		require.NoError(t, json.Unmarshal(text, &back))
		again, err := json.Marshal(&back)
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))

		c := r.DeepCopyObject().(*v1alpha1.Rightsizing)
		require.Equal(t, r, c)
		require.Empty(t, shared(reflect.ValueOf(r), reflect.ValueOf(c), "object"))
	})
}

// A deep copy of an object in which every pointer, list and map is filled shares nothing with it.
func TestEveryFieldIsCopied(t *testing.T) {
	r := &v1alpha1.Rightsizing{}
	fill(reflect.ValueOf(r).Elem(), 0)
	c := r.DeepCopy()
	require.Equal(t, r, c)
	require.Empty(t, shared(reflect.ValueOf(r), reflect.ValueOf(c), "object"))
	in := hpacouple.Input{}
	fill(reflect.ValueOf(&in).Elem(), 0)
	k := in.DeepCopy()
	require.Equal(t, &in, k)
	require.Empty(t, shared(reflect.ValueOf(&in), reflect.ValueOf(k), "input"))
}

var quantity = reflect.TypeOf(resource.Quantity{})

// fill sets every field, pointer, list and map to something. Kubernetes' own objects are left to themselves below a few levels.
func fill(v reflect.Value, depth int) {
	if depth > 14 {
		return
	}
	if v.Type() == quantity {
		v.Set(reflect.ValueOf(resource.MustParse("1500m")))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth+1)
		fill(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth+1)
			}
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64, reflect.Int:
		v.SetInt(1)
	}
}

// shared lists the pointers, lists and maps that two values have in common.
func shared(a, b reflect.Value, path string) (found []string) {
	switch a.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if a.IsNil() || (a.Kind() != reflect.Pointer && a.Len() == 0) {
			return nil
		}
		if a.Pointer() == b.Pointer() {
			return []string{path}
		}
	}
	switch a.Kind() {
	case reflect.Pointer:
		return shared(a.Elem(), b.Elem(), path)
	case reflect.Slice:
		for i := range a.Len() {
			found = append(found, shared(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
		}
	case reflect.Map:
		for _, k := range a.MapKeys() {
			found = append(found, shared(a.MapIndex(k), b.MapIndex(k), fmt.Sprintf("%s[%v]", path, k))...)
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() { // the time zone inside a time is shared, as everywhere
				found = append(found, shared(a.Field(i), b.Field(i), path+"."+f.Name)...)
			}
		}
	}
	return found
}

// schema is what matters here of a structural schema.
type schema struct {
	Type       string            `json:"type"`
	Format     string            `json:"format"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	Additional *schema           `json:"additionalProperties"`
	Minimum    *float64          `json:"minimum"`
	IntOrText  bool              `json:"x-kubernetes-int-or-string"`
	ListType   string            `json:"x-kubernetes-list-type"`
	ListKeys   []string          `json:"x-kubernetes-list-map-keys"`
}

func readSchema(t require.TestingT) schema {
	text, err := os.ReadFile("../example.com_rightsizings.yaml")
	require.NoError(t, err)
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	require.NoError(t, yaml.Unmarshal(text, &crd))
	require.Len(t, crd.Spec.Versions, 1)
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema
}

// walk visits a schema and all below it.
func walk(s schema, path string, f func(path string, s schema)) {
	f(path, s)
	for name, p := range s.Properties {
		walk(p, path+"."+name, f)
	}
	if s.Items != nil {
		walk(*s.Items, path+"[]", f)
	}
	if s.Additional != nil {
		walk(*s.Additional, path+"{}", f)
	}
}

// No floats; every list says how it merges; keys of lists are required.
func TestSchema(t *testing.T) {
	lists := 0
	walk(readSchema(t), "", func(path string, s schema) {
		require.NotEqual(t, "number", s.Type, "%s is a float", path)
		require.True(t, s.Type != "" || s.IntOrText, "%s has no type", path)
		if s.Type != "array" {
			return
		}
		lists++
		require.Contains(t, []string{"atomic", "set", "map"}, s.ListType, path)
		require.Equal(t, s.ListType == "map", len(s.ListKeys) > 0, path)
		for _, key := range s.ListKeys {
			require.Contains(t, s.Items.Required, key, "%s: a key of a list is required", path)
		}
	})
	require.Greater(t, lists, 20)
}

// What is stored has no field that the schema would prune, and none of another type.
func TestObjectsMatchTheSchema(t *testing.T) {
	root := readSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(kept(t))
		require.NoError(t, err)
		var object any
		numbers := json.NewDecoder(bytes.NewReader(text))
		numbers.UseNumber() // amounts near the end of int64 are no float64
		require.NoError(t, numbers.Decode(&object))
		require.Empty(t, mismatches(root, object, "object"), string(text))
	})
}

// mismatches lists where a value is not what the schema says.
func mismatches(s schema, value any, path string) (bad []string) {
	if path == "object.metadata" {
		return nil
	}
	wrong := func(ok bool) {
		if !ok {
			bad = append(bad, fmt.Sprintf("%s is %T, not %s", path, value, s.Type))
		}
	}
	switch v := value.(type) {
	case map[string]any:
		wrong(s.Type == "object")
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				bad = append(bad, path+"."+name+" is required")
			}
		}
		for name, child := range v {
			next, ok := s.Properties[name]
			if !ok && s.Additional != nil {
				next, ok = *s.Additional, true
			}
			if !ok {
				bad = append(bad, path+"."+name+" would be pruned")
				continue
			}
			bad = append(bad, mismatches(next, child, path+"."+name)...)
		}
	case []any:
		wrong(s.Type == "array" && s.Items != nil)
		seen := []string{}
		for i, child := range v {
			bad = append(bad, mismatches(*s.Items, child, fmt.Sprintf("%s[%d]", path, i))...)
			key := ""
			for _, k := range s.ListKeys {
				key += fmt.Sprint(child.(map[string]any)[k], "/")
			}
			if s.ListType == "set" {
				key = fmt.Sprint(child)
			}
			if s.ListType != "atomic" && slices.Contains(seen, key) {
				bad = append(bad, fmt.Sprintf("%s has %s twice", path, key))
			}
			seen = append(seen, key)
		}
	case string:
		wrong(s.Type == "string" || s.IntOrText)
	case json.Number:
		whole, err := v.Int64()
		wrong(s.Type == "integer" && err == nil)
		if s.Minimum != nil && float64(whole) < *s.Minimum {
			bad = append(bad, path+" is below its minimum")
		}
	case bool:
		wrong(s.Type == "boolean")
	default:
		bad = append(bad, fmt.Sprintf("%s is %T", path, value))
	}
	return bad
}
