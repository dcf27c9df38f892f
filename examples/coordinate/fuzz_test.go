package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// FuzzRun gives the program any documents and any flags, one argument to a line. Whatever they are: no panic, an exit code of the list,
// JSON that parses, and the same again when run again.
func FuzzRun(f *testing.F) {
	documents := []string{example, web("1000m", 50), web("500m", 60) + injectedPod, podLevel + hpa(utilization("cpu", 50)), web("1", 50) + vpaDoc("web", "app", "700m"),
		deployment(box{"app", "1", ""}) + hpaV1(`[{"type":"Resource"}]`), web("1", 50) + killedPod + ownedReplicaSet, web("1", 50) + policyOn,
		"kind,namespace,name,container,resource,request,limit\nDeployment,,web,app,cpu,700m,\n", `{"kind":"List","apiVersion":"v1","items":[null,{}]}`,
		deployment(box{"app", "9223372036854775", ""}) + hpa(utilization("cpu", 1<<30)), deployment() + hpa(kedaHPA), remembered}
	flags := []string{"--request\napp:cpu=700m", "--request=app:cpu=1m,memory=1\n--limit\napp:cpu=9223372036854775,memory=1e9\n--throttled=app\n--oom-killed=app",
		"--requests\n-", "--max-replicas-reached\n--coordinate\n--exit-code", "--bounds\n1-2147483647\n--request=app:cpu=1m", "--step=cpu=9223372036854775\n--request=app:cpu=1m",
		"--tolerance=1e300\n--read-only\n--request=app:cpu=2m", "--auto-patch=\n--request=app:memory=1.1Gi", "-o\nyaml", "--request=Deployment/web/app:cpu=1\n--largest-node=cpu=1m",
		"--rollback\n--retake", "--release\n--read-only", "--rollback\n--release\n--field-manager=x"}
	for _, d := range documents {
		for _, a := range flags {
			f.Add([]byte(d), a)
		}
	}
	f.Fuzz(func(t *testing.T, documents []byte, flags string) {
		args := strings.Split(flags, "\n")
		if s, err := parse(args); err == nil {
			for _, name := range append(slices.Clone(s.files), s.tables...) {
				if name != "-" {
					t.Skip("reads a file")
				}
			}
			if !s.help && !slices.Contains(s.files, "-") && !slices.Contains(s.tables, "-") {
				args = append([]string{"-"}, args...)
			}
		}
		given := slices.Clone(documents)
		again := map[string]result{}
		for _, format := range []string{"json", "yaml", "table", "writes", "json"} {
			got := call(string(documents), append([]string{"-o", format}, args...)...)
			if got.code < exitFine || got.code > exitBlocked {
				t.Fatalf("exit code %d", got.code)
			}
			if got.code == exitInput && got.errors == "" || got.code == exitFlags && got.out != "" {
				t.Fatalf("exit code %d with %q and %q", got.code, got.errors, got.out)
			}
			if s, err := parse(append([]string{"-o", format}, args...)); err == nil && s.format == "json" && !s.help && !json.Valid([]byte(got.out)) {
				t.Fatalf("no JSON: %s", got.out)
			}
			if strings.ContainsRune(got.errors, '\x1b') {
				t.Fatal("an escape in an error message")
			}
			if before, is := again[format]; is && before != got {
				t.Fatalf("the second run differs:\n%v\n%v", before, got)
			}
			again[format] = got
		}
		if !bytes.Equal(given, documents) {
			t.Fatal("the input was changed")
		}
	})
}
