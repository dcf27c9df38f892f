package manifest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

// summary shows all that was read, one line each.
func summary(o Objects, problems []Problem) string {
	var b strings.Builder
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		for j := range v.Field(i).Len() {
			entry := v.Field(i).Index(j)
			origin := entry.FieldByName("Origin").Interface().(Origin)
			id := entry.FieldByName("Identity").Interface().(Identity)
			fmt.Fprintf(&b, "%s: %s: %s %s %s/%s", v.Type().Field(i).Name, origin, id.APIVersion, id.Kind, id.Namespace, id.Name)
			for _, part := range []string{"Object", "Target"} {
				if f := entry.FieldByName(part); f.IsValid() && !f.IsNil() {
					fmt.Fprintf(&b, "\n    %s", shown(f.Interface()))
				}
			}
			b.WriteByte('\n')
		}
	}
	for _, p := range o.Policies {
		fmt.Fprintf(&b, "Raw: %s\n", p.Object.Spec.HPA.Raw)
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "Problem: %s\n", p)
	}
	return b.String()
}

// shown is an object as JSON without what is empty: releases of Kubernetes
// differ in what they leave out.
func shown(object any) string {
	j, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	d := json.NewDecoder(bytes.NewReader(j))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err.Error()
	}
	j, err = json.Marshal(pruned(v))
	if err != nil {
		return err.Error()
	}
	return string(j)
}

// pruned is v, or nil if it is empty.
func pruned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for k, item := range v {
			if item = pruned(item); item != nil {
				kept[k] = item
			}
		}
		if len(kept) > 0 {
			return kept
		}
		return nil
	case []any:
		for i := range v {
			v[i] = pruned(v[i])
		}
	case string:
		if v == "" {
			return nil
		}
	}
	return v
}

// TestGolden compares what is read from the files beside the .want files in
// testdata with those; -update writes them anew.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.want")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		file := strings.TrimSuffix(file, ".want")
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			var got string
			if filepath.Ext(file) == ".csv" {
				rows, problems := ReadRequests(filepath.Base(file), bytes.NewReader(src))
				for _, r := range rows {
					j, err := json.Marshal(r)
					require.NoError(t, err)
					got += string(j) + "\n"
				}
				got += summary(Objects{}, problems)
			} else {
				got = summary(Read(filepath.Base(file), bytes.NewReader(src)))
			}
			if *update {
				require.NoError(t, os.WriteFile(file+".want", []byte(got), 0o644))
			}
			want, err := os.ReadFile(file + ".want")
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}
