package main

import (
	"cmp"
	"encoding/json"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/ledger"
	"github.com/kube-rightsize/rightsize/skipreason"
)

const scenarios = "../../testdata/scenarios"

// scenario is one story. Its input.yaml opens with comments: what happens in prose, then
//
//	# args: the arguments beside the file
//	# near miss: flags that almost hold
//	# again: the outcome of planning again after the change was applied, where it is neither NoChange nor the same as before, and why
type scenario struct {
	name, text string
	args       []string
	nearMiss   []string
	again      string
}

// readScenario reads a story strictly: an unknown key in its head is an error.
func readScenario(t *testing.T, dir string) scenario {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "input.yaml"))
	require.NoError(t, err)
	s := scenario{name: filepath.Base(dir), text: string(text)}
	prose := false
	for _, line := range strings.Split(s.text, "\n") {
		comment, ok := strings.CutPrefix(line, "# ")
		if !ok {
			break
		}
		key, value, _ := strings.Cut(comment, ": ")
		switch key {
		case "args":
			s.args = strings.Fields(value)
		case "near miss":
			s.nearMiss = strings.Split(value, ", ")
		case "again":
			s.again = value
		default:
			require.Empty(t, s.args, "prose comes first: %s", line)
			prose = true
		}
	}
	require.True(t, prose, "a story says what happens")
	return s
}

func TestScenarios(t *testing.T) {
	root, err := filepath.Abs(scenarios)
	require.NoError(t, err)
	dirs, err := filepath.Glob(filepath.Join(root, "*"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(dirs), 30)
	raised, missed, outcomes := map[string]string{}, map[string]string{}, map[string]string{}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			s := readScenario(t, dir)
			t.Chdir(dir)
			args := append([]string{"input.yaml"}, s.args...)
			got := call("", append(args, "-o", "yaml")...)
			golden(t, "want.yaml", got.out)
			r, _ := decoded(t, "", args...)
			require.Equal(t, len(r.Errors) > 0, got.code == exitInput, got.errors)
			s.fromSeveralGoroutines(t, got)
			s.leavesItsInput(t)
			s.shuffled(t, r)
			s.appliedAndPlannedAgain(t, r)
			for _, i := range r.Items {
				outcomes[string(i.Outcome)], outcomes[string(i.SkipReason)], outcomes[string(i.Cause)], outcomes[string(i.Admission.Cause)] = s.name, s.name, s.name, s.name
				for _, f := range flagsOf(i) {
					raised[f] = s.name
					require.NotContains(t, s.nearMiss, f, "a near miss does not raise the flag")
				}
			}
			for _, f := range s.nearMiss {
				require.True(t, skipreason.RiskFlag(f).Valid(), f)
				missed[f] = s.name
			}
		})
	}
	for _, f := range skipreason.RiskFlags() {
		if f == skipreason.FlagHalfChange {
			continue // only a caller who keeps a state can see it; the program keeps none
		}
		require.NotEmpty(t, raised[string(f)], "no story raises %s", f)
		require.NotEmpty(t, missed[string(f)], "no story just misses %s", f)
	}
	for _, o := range hpacouple.Outcomes() {
		require.NotEmpty(t, outcomes[string(o)], "no story ends with %s", o)
	}
	for _, o := range skipreason.Skips() {
		require.NotEmpty(t, outcomes[string(o)], "no story is skipped with %s", o)
	}
	for _, c := range skipreason.BlockCauses() {
		require.NotEmpty(t, outcomes[string(c)], "no story is blocked with %s", c)
	}
}

func (s scenario) fromSeveralGoroutines(t *testing.T, want result) {
	t.Helper()
	var group sync.WaitGroup
	got := make([]result, 4)
	for i := range got {
		group.Add(1)
		go func() {
			defer group.Done()
			got[i] = call("", append([]string{"input.yaml", "-o", "yaml"}, s.args...)...)
		}()
	}
	group.Wait()
	for _, g := range got {
		require.Equal(t, want, g)
	}
}

// leavesItsInput reads the story twice, plans one of the two from several goroutines, and compares.
func (s scenario) leavesItsInput(t *testing.T) {
	t.Helper()
	set, err := parse(append([]string{"input.yaml"}, s.args...))
	require.NoError(t, err)
	used, untouched := load(set, nil), load(set, nil)
	var group sync.WaitGroup
	for range 3 {
		group.Add(1)
		go func() {
			defer group.Done()
			coordinate(used, set)
		}()
	}
	group.Wait()
	require.True(t, reflect.DeepEqual(untouched, used), "the plan has written to its input")
}

// documentsOf splits a story into its documents.
func (s scenario) documentsOf(t *testing.T) (docs []map[string]any) {
	t.Helper()
	for _, text := range strings.Split(s.text, "\n---\n") {
		var doc map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &doc))
		docs = append(docs, doc)
	}
	return docs
}

func joined(t *testing.T, docs []map[string]any) string {
	t.Helper()
	var b strings.Builder
	for _, doc := range docs {
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		b.Write(text)
		b.WriteString("\n")
	}
	return b.String()
}

// at walks down an object.
func at(object any, path ...string) any {
	for _, key := range path {
		m, _ := object.(map[string]any)
		object = m[key]
	}
	return object
}

// containersOf returns the containers of a document: of a template, or of a pod.
func containersOf(doc map[string]any) (containers []any) {
	for _, path := range [][]string{{"spec", "template", "spec", "containers"}, {"spec", "containers"}} {
		if l, ok := at(doc, path...).([]any); ok {
			containers = l
		}
	}
	return containers
}

// shuffled plans the same with documents and containers in other orders.
func (s scenario) shuffled(t *testing.T, want report) {
	t.Helper()
	for seed := range 3 {
		random := rand.New(rand.NewSource(int64(seed)))
		docs := s.documentsOf(t)
		random.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		for _, doc := range docs {
			c := containersOf(doc)
			random.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
		}
		got, _ := decoded(t, joined(t, docs), append([]string{"-"}, s.args...)...)
		require.Equal(t, sortedReport(want), sortedReport(got), "in another order")
	}
}

// sortedReport is the report as a map by name would show it, without the places of faults.
func sortedReport(r report) report {
	r.Items = slices.Clone(r.Items)
	for k := range r.Items {
		i := &r.Items[k]
		i.Containers = slices.Clone(i.Containers)
		slices.SortFunc(i.Containers, func(a, b container) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Resource, b.Resource))
		})
		i.Writes, i.Ledger = sortedWrites(i.Writes), sortedWrites(i.Ledger)
	}
	var errors []fault
	for _, f := range r.Errors {
		message, _, _ := strings.Cut(f.Message, "; the first is at") // a place
		errors = append(errors, fault{Field: f.Field, Message: message})
	}
	slices.SortFunc(errors, func(a, b fault) int { return cmp.Compare(a.Message, b.Message) })
	r.Errors = errors
	return r
}

// sortedWrites are writes whose bodies' lists are in one order, whatever it means: they follow the order of containers.
func sortedWrites(writes []hpacouple.Write) []hpacouple.Write {
	writes = slices.Clone(writes)
	for k := range writes {
		var body any
		_ = json.Unmarshal(writes[k].Body, &body)
		writes[k].Body, _ = json.Marshal(sortedLists(body))
	}
	return writes
}

func sortedLists(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			var inner any
			if text, ok := v[k].(string); ok && k == ledger.Annotation && json.Unmarshal([]byte(text), &inner) == nil {
				v[k] = inner
			}
			v[k] = sortedLists(v[k])
		}
	case []any:
		for k := range v {
			v[k] = sortedLists(v[k])
		}
		slices.SortFunc(v, func(a, b any) int {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			return cmp.Compare(string(x), string(y))
		})
	}
	return v
}

// appliedAndPlannedAgain writes what was planned into the documents and plans again: then nothing changes any more.
func (s scenario) appliedAndPlannedAgain(t *testing.T, before report) {
	t.Helper()
	docs := s.documentsOf(t)
	for _, i := range before.Items {
		for _, doc := range docs {
			apply(doc, i)
		}
	}
	after, _ := decoded(t, joined(t, docs), append([]string{"-"}, s.args...)...)
	require.Len(t, after.Items, len(before.Items), "after the change: %v", after.Errors)
	for k, i := range after.Items {
		was := before.Items[k]
		want := string(was.Outcome)
		if was.Outcome == hpacouple.Coordinate {
			want = string(hpacouple.NoChange)
		}
		if s.again != "" {
			want, _, _ = strings.Cut(s.again, ",")
		}
		require.Equal(t, want, string(i.Outcome), "%s after the change was applied", was.Workload)
		for k, target := range i.Targets {
			require.Equal(t, was.Targets[k].To, target.From, "the change was applied")
			require.Equal(t, target.From, target.To, "the target stays")
		}
		for _, c := range i.Containers {
			require.Equal(t, c.From, c.To, "%s %s stays", c.Name, c.Resource)
		}
	}
}

// apply writes the changes of a workload into a document, if it is the workload or its HPA.
func apply(doc map[string]any, i item) {
	metadata, _ := doc["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	is := func(kind, name string) bool {
		return doc["kind"] == kind && metadata["name"] == name && cmp.Or(namespace, "default") == i.Workload.Namespace
	}
	if is(i.Workload.Kind, i.Workload.Name) {
		template := at(doc, "spec", "template", "spec").(map[string]any)
		inits, _ := template["initContainers"].([]any)
		for _, each := range append(slices.Clone(containersOf(doc)), inits...) {
			for _, c := range i.Containers {
				if at(each, "name") == c.Name {
					writeAmount(each, "requests", c, c.From, c.To)
					writeAmount(each, "limits", c, c.LimitFrom, c.LimitTo)
				}
			}
		}
	}
	if !is("HorizontalPodAutoscaler", i.HPA.Name) {
		return
	}
	spec := doc["spec"].(map[string]any)
	for _, t := range i.Targets {
		if t.From == t.To {
			continue
		}
		if _, v1 := spec["targetCPUUtilizationPercentage"]; v1 && t.Resource == "cpu" {
			spec["targetCPUUtilizationPercentage"] = t.To
			continue
		}
		entries, _ := spec["metrics"].([]any)
		if entries == nil { // the API server's default
			_ = yaml.Unmarshal([]byte("["+utilization(string(t.Resource), int(t.To))+"]"), &entries)
			spec["metrics"] = entries
		}
		for _, e := range entries {
			if at(e, "type") == t.Type && at(e, "resource", "name") == string(t.Resource) && at(e, "resource", "target", "averageUtilization") != nil {
				at(e, "resource", "target").(map[string]any)["averageUtilization"] = t.To
			}
		}
	}
}

// writeAmount writes one request or limit of a container, where it changes.
func writeAmount(of any, list string, c container, from, to string) {
	if from == to {
		return
	}
	resources := at(of, "resources").(map[string]any)
	if to == "" { // absent
		delete(resources[list].(map[string]any), string(c.Resource))
		return
	}
	if resources[list] == nil {
		resources[list] = map[string]any{}
	}
	resources[list].(map[string]any)[string(c.Resource)] = to
}
