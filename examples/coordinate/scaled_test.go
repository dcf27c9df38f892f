package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// about are rows without a container, a minute apart.
func about(n int, name, resource string, value func(i int) int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,%s,,%s,%d\n", 1767571200+i*60, name, resource, value(i))
	}
	return b.String()
}

func steady(n int) func(int) int { return func(int) int { return n } }

// from is one number before a row, and another from it on.
func from(row, before, after int) func(int) int {
	return func(i int) int {
		if i < row {
			return before
		}
		return after
	}
}

// TestMaxReplicasOfItsTime: a replica count is held against the maxReplicas of its time. The manifest has 10 today.
func TestMaxReplicasOfItsTime(t *testing.T) {
	cpu := lines(1000, webPod, "app", "cpu", "250m")
	for _, row := range []struct {
		why, rows string
		reached   bool
		share     string
		measured  bool
		note      string
	}{
		{"at today's 10", about(1000, "web", "replicas", steady(10)), true, "100", false, "held against today's, 10"},
		{"below it", about(1000, "web", "replicas", steady(9)), false, "0", false, "held against today's, 10"},
		{"pinned at 5, before it was raised to 10", about(1000, "web", "replicas", from(250, 5, 7)) + about(1000, "web", "maxReplicas", from(500, 5, 10)), true, "50.05", true, "for 50.05 % of the time; the most were 7"},
		{"the rows of maxReplicas first", about(1000, "web", "maxReplicas", from(500, 5, 10)) + about(1000, "web", "replicas", from(250, 5, 7)), true, "50.05", true, "for 50.05 %"},
		{"below 20, before it was cut to 10", about(1000, "web", "maxReplicas", from(500, 20, 10)) + about(1000, "web", "replicas", from(500, 15, 9)), false, "0", true, ""},
		{"maxReplicas is never a number of replicas", about(1000, "web", "maxReplicas", steady(10)), false, "", false, ""},
		{"known from later on", about(1000, "web", "replicas", steady(10)) + strings.ReplaceAll(about(1, "web", "maxReplicas", steady(11)), "1767571200", "1767600000"), false, "0", true, "before 2026-01-05T08:00:00Z nobody knows the maxReplicas of HPA web"},
	} {
		t.Run(row.why, func(t *testing.T) {
			r, got := decoded(t, usageDocs(), "-", "--usage", usagePath(t, cpu+row.rows))
			require.Equal(t, exitFine, got.code, got.errors)
			i := r.Items[0]
			require.Equal(t, row.reached, i.SkipReason == skipreason.MaxReplicasReached, i.SkipReason)
			if row.note == "" {
				require.NotContains(t, strings.Join(i.Notes, "\n"), "HPA web")
			} else {
				require.Contains(t, strings.Join(i.Notes, "\n"), row.note)
			}
			if row.why == "maxReplicas is never a number of replicas" {
				require.Equal(t, int32(0), r.Usage.Workloads[0].Replicas[0].Largest)
				return
			}
			seen := r.Usage.Workloads[0].Replicas[0]
			require.Equal(t, []any{"web", row.reached, row.share, row.measured}, []any{seen.HPA, seen.Reached, seen.Share, seen.Measured})
		})
	}
}

// TestMaxReplicasSources: series of the HPA's name and of the workload's, from several files and in Prometheus' form.
func TestMaxReplicasSources(t *testing.T) {
	docs := deployment(box{"app", "500m", "512Mi/1Gi"}) + hpaDoc("scaler", "Deployment", "web", utilization("cpu", 60)) + policyOn
	cpu := usagePath(t, lines(1000, webPod, "app", "cpu", "250m"))
	matrix := func(name, hpa, value string) string {
		return usagePath(t, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"`+name+`","namespace":"default","horizontalpodautoscaler":"`+hpa+
			`","pod":"exporter-6f9c7b5d4-8kq2x","container":"exporter"},"values":[[1767571200,"`+value+`"],[1767571260,"`+value+`"]]}]}}`)
	}
	const current, most = "kube_horizontalpodautoscaler_status_current_replicas", "kube_horizontalpodautoscaler_spec_max_replicas"
	seven := usagePath(t, about(1000, "web", "replicas", steady(7)))
	for _, row := range []struct {
		why     string
		files   []string
		outcome hpacouple.Outcome
	}{
		{"today's 10 is not reached", []string{seven}, hpacouple.Coordinate},
		{"it was 7 under the HPA's name", []string{seven, usagePath(t, about(1, "scaler", "maxReplicas", steady(7)))}, hpacouple.Skip},
		{"under the workload's name", []string{usagePath(t, about(1, "web", "maxReplicas", steady(7))), seven}, hpacouple.Skip},
		{"under another name", []string{seven, usagePath(t, about(1, "other", "maxReplicas", steady(7)))}, hpacouple.Coordinate},
		{"both by Prometheus", []string{matrix(current, "scaler", "7"), matrix(most, "scaler", "7")}, hpacouple.Skip},
		{"Prometheus' maxReplicas alone", []string{matrix(most, "scaler", "10")}, hpacouple.Coordinate},
		{"of a file that does not say it", []string{seven, "maxReplicas=" + matrix("", "scaler", "7")}, hpacouple.Skip},
	} {
		t.Run(row.why, func(t *testing.T) {
			args := []string{"-", "--usage", cpu}
			for _, f := range row.files {
				args = append(args, "--usage", f)
			}
			r, got := decoded(t, docs, args...)
			require.Equal(t, exitFine, got.code, got.errors)
			require.Equal(t, row.outcome, r.Items[0].Outcome)
		})
	}
	long := "0,web,,replicas,10\n7200000000,web,,replicas,9\n"
	ages := long + strings.ReplaceAll(long, "web", "scaler")
	r, got := decoded(t, docs, "-", "--request", "app:cpu=400m", "--usage", usagePath(t, ages))
	require.Equal(t, exitFine, got.code)
	require.Equal(t, []replicasSeen{{"scaler", 10, true, "100", false}}, r.Usage.Workloads[0].Replicas, "two series of 228 years")
	require.Empty(t, r.Usage.Workloads[0].Start, "a window ends with a row of cpu or memory")
	late := "1767571300,web,,replicas,3\n1767571200,web,,replicas,3\n"
	_, got = decoded(t, docs, "-", "--usage", cpu, "--usage", usagePath(t, late))
	require.Equal(t, exitInput, got.code, "rows of replicas have an order too")
	require.Contains(t, got.errors, "comes after")
}

// TestProgress: a terminal shows how far the reading has come; nobody else does.
func TestProgress(t *testing.T) {
	first, second := usagePath(t, lines(40_000, webPod, "app", "cpu", "250m")), usagePath(t, lines(40_000, webPod, "app", "memory", "250Mi"))
	args := []string{"-", "--usage", first, "--usage", second}
	for _, row := range []struct {
		why  string
		on   terminals
		want string
	}{
		{"a terminal: both files, each read twice, in one line", terminals{err: true}, "\rread 80000 rows of usage\rread 160000 rows of usage\n"},
		{"no terminal", terminals{}, ""},
		{"the report's terminal does not count", terminals{out: true}, ""},
	} {
		var out, errs bytes.Buffer
		require.Equal(t, exitFine, run(args, strings.NewReader(usageDocs()), &out, &errs, row.on), row.why)
		require.Equal(t, row.want, errs.String(), row.why)
	}
	var out, errs bytes.Buffer
	require.Equal(t, exitFine, run([]string{"-", "--usage", usagePath(t, lines(300, webPod, "app", "cpu", "250m"))}, strings.NewReader(usageDocs()), &out, &errs, terminals{err: true}))
	require.Empty(t, errs.String(), "a few rows are read at once")
}

// TestUsageThatIsNone: what is measured but is no use is refused with its reason, and nothing is planned.
func TestUsageThatIsNone(t *testing.T) {
	matrix := func(name string) string {
		var values []string
		for i := range 100 {
			values = append(values, fmt.Sprintf(`[%d,"%d"]`, 1767571200+i*60, i*30))
		}
		return usagePath(t, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"`+name+`","pod":"`+webPod+`","container":"app"},"values":[`+strings.Join(values, ",")+`]}]}}`)
	}
	for _, row := range []struct{ why, usage, want string }{
		{"throttled periods", "cpu=" + matrix("container_cpu_cfs_throttled_periods_total"), "--throttled"},
		{"requests", "cpu=" + matrix("kube_pod_container_resource_requests"), "none of those"},
		{"a counter that has lost its name", "cpu=" + matrix(""), "give its rate"},
	} {
		r, got := decoded(t, usageDocs(), "-", "--usage", row.usage)
		require.Equal(t, exitInput, got.code, row.why)
		require.Contains(t, got.errors, row.want, row.why)
		require.Empty(t, r.Items, row.why)
	}
	r, got := decoded(t, usageDocs(), "-", "--usage", "cpu="+matrix("container_cpu_usage_seconds_total"))
	require.Equal(t, exitFine, got.code)
	require.Equal(t, "587m", to(r, "app", "cpu"), "with its name it is read as a counter: half a core, and 15 %")
	r, got = decoded(t, usageDocs(), "-", "--usage", usagePath(t, lines(300, webPod, "app", "cpu", "250m")+"1767900000,"+webPod+",app,cpu,5000\n"))
	require.Equal(t, exitFine, got.code)
	require.Contains(t, r.Notes, "usage file "+r.Usage.Files[0].File+": not used are 1 more than any machine has (4096 cores, 64 TiB)")
}

// TestMaxReplicasOfSeveral: two HPAs, two sources, two files.
func TestMaxReplicasOfSeveral(t *testing.T) {
	cpu := lines(1000, webPod, "app", "cpu", "250m")
	later := func(text string) string { return strings.ReplaceAll(text, "\n17675", "\n17676") }
	other := `{"metric":{"__name__":"kube_horizontalpodautoscaler_status_current_replicas","namespace":"other","horizontalpodautoscaler":"web"},"values":[[1767571200,"10"]]}`
	for _, row := range []struct {
		why   string
		docs  string
		files []string
		want  []replicasSeen
		note  string
		not   string
	}{
		{why: "the HPA named web has the rows of web, the other one has none", docs: hpaDoc("second", "Deployment", "web", utilization("cpu", 60)),
			files: []string{about(10, "web", "replicas", steady(7)) + about(10, "web", "maxReplicas", steady(7))},
			want:  []replicasSeen{{"second", 7, false, "0", false}, {"web", 7, true, "100", true}}},
		{why: "of two that differ the lower one counts", files: []string{about(10, "web", "replicas", steady(5)), about(10, "web", "maxReplicas", steady(20)), about(10, "web", "maxReplicas", steady(5))},
			want: []replicasSeen{{"web", 5, true, "100", true}}},
		{why: "the older file may be named last", files: []string{later("\n" + about(10, "web", "replicas", steady(5)))[1:], later("\n" + about(10, "web", "maxReplicas", steady(9)))[1:], about(10, "web", "replicas", steady(5))},
			want: []replicasSeen{{"web", 5, false, "0", true}}, note: "before 2026-01-06T"},
		{why: "what is before the window needs no maxReplicas", files: []string{"1765571200,web,,replicas,5\n" + about(10, "web", "replicas", steady(5)), "1766571200,web,,maxReplicas,9\n"},
			want: []replicasSeen{{"web", 5, false, "0", true}}, not: "nobody knows"},
		{why: "another namespace", files: []string{"[" + other + "]", about(10, "web", "replicas", steady(5))}, want: []replicasSeen{{"web", 5, false, "0", false}}},
	} {
		t.Run(row.why, func(t *testing.T) {
			args := []string{"-", "--usage", usagePath(t, cpu)}
			for _, f := range row.files {
				args = append(args, "--usage", usagePath(t, f))
			}
			r, got := decoded(t, usageDocs()+row.docs, args...)
			require.Equal(t, exitFine, got.code, got.errors)
			require.Equal(t, row.want, r.Usage.Workloads[0].Replicas)
			notes := strings.Join(r.Items[0].Notes, "\n")
			require.Contains(t, notes, row.note)
			if row.not != "" {
				require.NotContains(t, notes, row.not)
			}
		})
	}
}
