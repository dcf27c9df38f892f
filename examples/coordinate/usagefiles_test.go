package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/internal/usagefile"
)

const webPod = "web-6f9c7b5d4-8kq2x"

// series are rows of a container from one minute to another, with a value for each.
func series(from, to int, pod, resource string, value func(i int) string) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "%d,%s,app,%s,%s\n", 1767571200+i*60, pod, resource, value(i))
	}
	return b.String()
}

func always(text string) func(int) string { return func(int) string { return text } }

// falling is a memory use that fell from 900Mi to 241Mi in eight days.
func falling(i int) string { return fmt.Sprintf("%dMi", 900-i*659/11519) }

func usageDocs() string {
	return deployment(box{"app", "500m", "512Mi/1Gi"}) + hpa(utilization("cpu", 60)) + policyOn
}

// TestUsageOrder: the order of files plays no part, and rows that are not in order are refused rather than half used.
func TestUsageOrder(t *testing.T) {
	older, newer := usagePath(t, series(0, 6000, webPod, "memory", falling)), usagePath(t, series(6000, 11520, webPod, "memory", falling))
	whole := series(0, 11520, webPod, "memory", falling)
	rows := strings.SplitAfter(strings.TrimSuffix(whole, "\n")+"\n", "\n")
	rows = rows[:len(rows)-1]
	slices.Reverse(rows)
	for _, preset := range []string{"vpa", "peak"} {
		one, got := decoded(t, usageDocs(), "-", "--preset", preset, "--usage", usagePath(t, whole))
		require.Equal(t, exitFine, got.code, got.errors)
		want := to(one, "app", "memory")
		for _, files := range [][]string{{older, newer}, {newer, older}} {
			r, got := decoded(t, usageDocs(), "-", "--preset", preset, "--usage", files[0], "--usage", files[1])
			require.Equal(t, exitFine, got.code, got.errors)
			require.Equal(t, want, to(r, "app", "memory"))
			require.Equal(t, int64(11520), r.Usage.Workloads[0].Kept)
		}
		r, got := decoded(t, usageDocs(), "-", "--preset", preset, "--usage", usagePath(t, strings.Join(rows, "")))
		require.Equal(t, exitInput, got.code)
		require.Empty(t, r.Items)
		require.Contains(t, got.errors, "comes after")
		r, got = decoded(t, usageDocs(), "-", "--preset", preset, "--usage", older, "--usage", usagePath(t, series(5000, 9000, webPod, "memory", falling)))
		require.Equal(t, exitInput, got.code, "two files say different things of the same time")
		require.Empty(t, r.Items)
		require.Contains(t, got.errors, "overlap")
	}
	counter := func(n int) string {
		var values []string
		for i := range n {
			values = append(values, fmt.Sprintf(`[%d,"%d"]`, 1767571200+(n-i)*60, (n-i)*30))
		}
		return `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"container_cpu_usage_seconds_total","pod":"` + webPod +
			`","container":"app"},"values":[` + strings.Join(values, ",") + `]}]}}`
	}
	_, got := decoded(t, usageDocs(), "-", "--usage", usagePath(t, counter(300)))
	require.Equal(t, exitInput, got.code, "a counter, the newest reading first")
}

// TestUsageReport: what is not used is said, in the text and in JSON.
func TestUsageReport(t *testing.T) {
	text := lines(300, webPod, "app", "cpu", "250m") + "1767900000," + webPod + ",app,cpu,NaN\n1767900000," + webPod + ",,cpu,1\n"
	r, got := decoded(t, usageDocs(), "-", "--usage", usagePath(t, text))
	require.Equal(t, exitFine, got.code)
	require.Equal(t, usagefile.Report{Rows: 302, Kept: 300, Invalid: 1, NoContainer: 1}, r.Usage.Files[0].Report)
	require.Equal(t, r.Usage.Files[0].Report, r.Usage.Workloads[0].Report)
	require.Contains(t, strings.Join(r.Notes, "\n"), "1 not a measurement")
	require.NotContains(t, strings.Join(r.Notes, "\n"), "whole pods", "they are no loss where there are containers")
}

// TestUsageOfOthers: usage of other pods is named and plays no part.
func TestUsageOfOthers(t *testing.T) {
	mine := lines(300, webPod, "app", "cpu", "250m")
	own, _ := decoded(t, usageDocs(), "-", "--usage", usagePath(t, mine))
	want := to(own, "app", "cpu")
	podMetrics := func(namespace, labels string) string {
		return `{"kind":"PodMetricsList","items":[{"metadata":{"name":"` + webPod + `","namespace":"` + namespace + `"` + labels +
			`},"timestamp":"2026-01-05T06:00:00Z","containers":[{"name":"app","usage":{"cpu":"9"}}]}]}`
	}
	matrix := `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"namespace":"other","pod":"` + webPod +
		`","container":"app","resource":"cpu"},"values":[[1767600000,"9"],[1767600060,"9"]]}]}}`
	for _, row := range []struct{ why, docs, more, note string }{
		{"the only workload is not everybody's", "", lines(3000, "db-0", "app", "cpu", "3"), "pod db-0"},
		{"a longer name", "", lines(3000, "web-frontend-6f9c7b5d4-8kq2x", "app", "cpu", "3"), "pod web-frontend-6f9c7b5d4-8kq2x"},
		{"pod metrics of another namespace", "", podMetrics("other", ""), "pod other/" + webPod},
		{"pod metrics with other labels", "", podMetrics("default", `,"labels":{"app":"db"}`), "pod default/" + webPod},
		{"a range query of another namespace", "", matrix, "pod other/" + webPod},
		{"a name that two workloads share", "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: db}\nspec:\n  selector: {matchLabels: {app: db}}\n  template:\n    metadata: {labels: {app: db}}\n    spec: {containers: [{name: app}]}\n" +
			"---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: db, namespace: test}\nspec:\n  selector: {matchLabels: {app: db}}\n  template:\n    metadata: {labels: {app: db}}\n    spec: {containers: [{name: app}]}\n",
			lines(3000, "db-8kq2x", "app", "cpu", "3"), "pod db-8kq2x (may be of DaemonSet default/db or DaemonSet test/db)"},
	} {
		t.Run(row.why, func(t *testing.T) {
			r, got := decoded(t, usageDocs()+row.docs, "-", "--usage", usagePath(t, mine), "--usage", usagePath(t, row.more))
			require.Equal(t, exitFine, got.code, got.errors)
			require.Equal(t, want, to(r, "app", "cpu"))
			require.Contains(t, strings.Join(r.Notes, "\n"), row.note)
		})
	}
	theirs, _ := decoded(t, usageDocs(), "-", "--usage", usagePath(t, mine), "--usage", usagePath(t, podMetrics("default", `,"labels":{"app":"web"}`)))
	require.Equal(t, int64(301), theirs.Usage.Workloads[0].Kept, "of the same namespace and labels")
}

func TestIsPodOf(t *testing.T) {
	long := strings.Repeat("n", 60)
	for _, c := range []struct {
		why, kind, name, pod string
		want                 bool
	}{
		{"of a Deployment", "Deployment", "web", "web-6f9c7b5d4-8kq2x", true},
		{"without a hash", "Deployment", "web", "web-8kq2x", false},
		{"a vowel in the hash", "Deployment", "web", "web-frontend-8kq2x", false},
		{"another Deployment's", "Deployment", "web", "web-api-6f9c7b5d4-8kq2x", false},
		{"a name that is cut", "Deployment", long, long[:58] + "8kq2x", true},
		{"a hash that is cut", "Deployment", long[:50], long[:50] + "-6f9c7b58kq2x", true},
		{"of a ReplicaSet", "ReplicaSet", "web", "web-8kq2x", true},
		{"of a Deployment of that name", "ReplicaSet", "web", "web-6f9c7b5d4-8kq2x", false},
		{"of a DaemonSet", "DaemonSet", "agent", "agent-8kq2x", true},
		{"of a StatefulSet", "StatefulSet", "db", "db-12", true},
		{"no ordinal", "StatefulSet", "db", "db-8kq2x", false},
		{"an ordinal with a zero before it", "StatefulSet", "db", "db-01", false},
		{"a workload of another name, and no hash: web-lb-x7k2p", "Deployment", "web", "web-lb-x7k2p", false},
		{"a workload of another name, and no hash: web-v2-x7k2p", "Deployment", "web", "web-v2-x7k2p", false},
		{"a workload of another name, and no hash: web-gw-x7k2p", "Deployment", "web", "web-gw-x7k2p", false},
		{"a workload of another name, and no hash: web-db-x7k2p", "Deployment", "web", "web-db-x7k2p", false},
		{"a workload of another name, and no hash: web-bff-x7k2p", "Deployment", "web", "web-bff-x7k2p", false},
		{"a workload of another name, and no hash: web-k8s-x7k2p", "Deployment", "web", "web-k8s-x7k2p", false},
		{"a workload of another name, and no hash: web-cdf45-x7k2p", "Deployment", "web", "web-cdf45-x7k2p", false},
		{"eleven digits are none", "Deployment", "web", "web-45678945678-x7k2p", false},
		{"ten are", "Deployment", "web", "web-4567894567-x7k2p", true},
		{"six digits are a hash", "Deployment", "web", "web-cdf456-x7k2p", true},
		{"the name alone", "StatefulSet", "db", "db", false},
		{"nothing", "Deployment", "", "", false},
	} {
		require.Equal(t, c.want, isPodOf(c.kind, c.name, c.pod), c.why)
	}
}

// TestUsageOOM: an OOM kill raises the memory request in every preset. VPA's: max(512Mi + 100Mi, 1.2 x 512Mi), the end of its bucket, plus 15 %.
func TestUsageOOM(t *testing.T) {
	file := usagePath(t, series(0, 11520, webPod, "memory", always("400Mi")))
	pod := "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + webPod + ", labels: {app: web}}\nspec: {containers: [{name: app, resources: {requests: {memory: 512Mi}}}]}\n" +
		"status: {containerStatuses: [{name: app, lastState: {terminated: {reason: OOMKilled, finishedAt: %q}}}]}\n"
	late, early := fmt.Sprintf(pod, "2026-01-12T20:00:00Z"), fmt.Sprintf(pod, "2025-01-12T20:00:00Z")
	for _, row := range []struct {
		why, docs, memory string
		args              []string
	}{
		{"no kill", "", "489Mi", nil},
		{"a pod was killed", late, "729Mi", nil},
		{"a flag says so", "", "729Mi", []string{"--oom-killed", "app"}},
		{"both", late, "729Mi", []string{"--oom-killed", "app"}},
		{"long ago: the request does not fall", early, "512Mi", nil},
		{"before the window", fmt.Sprintf(pod, "2026-01-12T10:00:00Z"), "512Mi", []string{"--window", "12h"}},
		{"in it", fmt.Sprintf(pod, "2026-01-12T20:00:00Z"), "729Mi", []string{"--window", "12h"}},
		{"a pod without a request was killed at its limit", strings.Replace(late, "requests: {memory: 512Mi}", "limits: {memory: 600Mi}", 1), "720Mi", []string{"--preset", "peak"}},
		{"a pod that was not measured, nobody knows when", strings.ReplaceAll(strings.Replace(late, "8kq2x", "bbbbb", 1), ", finishedAt: \"2026-01-12T20:00:00Z\"", ""), "729Mi", nil},
		{"peak", late, "615Mi", []string{"--preset", "peak"}},
		{"peak, by a flag", "", "615Mi", []string{"--preset", "peak", "--oom-killed", "app"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			r, got := decoded(t, usageDocs()+row.docs, append([]string{"-", "--usage", file}, row.args...)...)
			require.Equal(t, exitFine, got.code, got.errors)
			require.Equal(t, row.memory, to(r, "app", "memory"))
		})
	}
}

// A container that was killed before anybody measured it is known by its kill: max(512Mi + 100Mi, 1.2 x 512Mi), the end of VPA's bucket, plus 15 %.
func TestKilledAndNotMeasured(t *testing.T) {
	pod := "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + webPod + ", labels: {app: web}}\nspec: {containers: [{name: app, resources: {requests: {memory: 512Mi}}}]}\n" +
		"status: {containerStatuses: [{name: app, lastState: {terminated: {reason: OOMKilled, finishedAt: 2026-01-12T20:00:00Z}}}]}\n"
	r, got := decoded(t, usageDocs()+pod, "-", "--usage", usagePath(t, series(0, 11520, webPod, "cpu", always("250m"))))
	require.Equal(t, exitFine, got.code, got.errors)
	require.Equal(t, "729Mi", to(r, "app", "memory"))
}

// What cannot be meant is not planned on.
func TestUsageThatCannotBeMeant(t *testing.T) {
	for why, row := range map[string]struct{ text, want string }{
		"memory in MiB":                 {series(0, 300, webPod, "memory", always("400")), "are these MiB?"},
		"most rows are no measurements": {series(0, 300, webPod, "memory", always("NaN")) + series(300, 400, webPod, "memory", always("400Mi")), "300 rows of memory of container app are no measurement and 100 are"},
		"a row of a wrong clock":        {series(0, 300, webPod, "memory", always("400Mi")) + "4100000000," + webPod + ",app,memory,80Mi\n", "is that row's time right?"},
		"most rows of memory are no measurements, those of cpu are": {series(0, 2000, webPod, "cpu", always("250m")) + series(0, 300, webPod, "memory", always("NaN")) + series(300, 400, webPod, "memory", always("400Mi")), "300 rows of memory of container app"},
		"two values at each time":                                   {series(0, 300, webPod, "memory", always("200Mi")) + "1767571200," + webPod + ",app,memory,900Mi\n", "is not planned"},
	} {
		t.Run(why, func(t *testing.T) {
			r, got := decoded(t, usageDocs(), "-", "--usage", usagePath(t, row.text))
			require.NotEqual(t, exitFine, got.code)
			require.Empty(t, r.Items)
			require.Contains(t, got.errors+fmt.Sprint(r.Errors), row.want)
		})
	}
}

// TestUsageParts: a workload of which a part of the usage cannot be read is not planned. One that the file does not concern is.
func TestUsageParts(t *testing.T) {
	good := series(0, 300, webPod, "cpu", always("250m"))
	other := workloadDoc("StatefulSet", "db", box{"app", "500m", "512Mi"})
	cut := `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod":"` + webPod + `","container":"app","resource":"cpu"},"values":[[1767571200,"0.25"],[17675`
	for _, row := range []struct {
		why, text string
		planned   int
	}{
		{"a bad value in the middle", good + "1767600000," + webPod + ",app,cpu,much\n", 1},
		{"two files in one, each with its heading", "time,pod,container,resource,value\n" + good + "time,pod,container,resource,value\n", 1},
		{"cut off: nobody knows whom the rest concerns", cut, 0},
		{"a line of another form: nobody knows whom it concerns", good + "1767600000;" + webPod + ";app;cpu;1\n", 0},
		{"a line alone, of a word for a time", "today," + webPod + ",app,cpu,1\n", 1},
		{"a line alone, of a word for a value", "1767600000," + webPod + ",app,cpu,much\n", 1},
		{"a line alone, of a resource that nobody knows", "1767600000," + webPod + ",app,CPU,1\n", 1},
		{"a line about its replicas", "1767600000,web,,replicas,many\n", 1},
	} {
		t.Run(row.why, func(t *testing.T) {
			r, got := decoded(t, usageDocs()+other, "-", "--usage", usagePath(t, row.text), "--usage", usagePath(t, series(0, 300, "db-0", "cpu", always("250m"))))
			require.Equal(t, exitInput, got.code)
			require.Len(t, r.Items, row.planned)
			require.Contains(t, got.errors, "Deployment default/web is not planned")
			require.False(t, r.Usage.Files[0].Used)
		})
	}
}

// TestUsageMissing: where a file is missing, nobody knows what it would have said.
func TestUsageMissing(t *testing.T) {
	good := usagePath(t, series(0, 300, webPod, "cpu", always("250m")))
	for _, row := range []struct{ why, file, want string }{
		{"no such file", "/nowhere/replicas.csv", "cannot be read"},
		{"a directory", t.TempDir(), "is a directory, expected a file"},
		{"an empty file", usagePath(t, ""), "is empty"},
		{"an answer of no series", usagePath(t, `{"status":"success","data":{"resultType":"matrix","result":[]}}`), "holds no measurement"},
	} {
		r, got := decoded(t, usageDocs(), "-", "--usage", good, "--usage", row.file)
		require.Equal(t, exitInput, got.code, row.why)
		require.Contains(t, got.errors, row.want, row.why)
		require.Contains(t, got.errors, "Deployment default/web is not planned: usage file "+row.file+" could not be read whole", row.why)
		require.Empty(t, r.Items, row.why)
	}
	var out, errs bytes.Buffer
	require.Equal(t, exitInput, run([]string{"-o", "json", "--request", "app:cpu=1", "--usage", "-"}, nil, &out, &errs, terminals{}))
	require.Contains(t, errs.String(), "there is no standard input")
	require.Contains(t, errs.String(), "Deployment default/web is not planned")
}

// TestUsageOfNoUse: rows that are no measurement move no window, and rows of whole pods are named where there are no others.
func TestUsageOfNoUse(t *testing.T) {
	good := series(0, 300, webPod, "cpu", always("250m"))
	for _, more := range []string{"9999999999," + webPod + ",app,cpu,1\n", "1999999999," + webPod + ",app,cpu,NaN\n", "1999999999," + webPod + ",app,cpu,-1\n"} {
		r, got := decoded(t, usageDocs(), "-", "--usage", usagePath(t, good+more))
		require.Equal(t, exitFine, got.code, got.errors)
		require.Equal(t, usagefile.Report{Rows: 301, Kept: 300, Invalid: 1}, r.Usage.Workloads[0].Report, more)
	}
	part := `{"status":"success","warnings":["a store did not answer"],"data":{"resultType":"matrix","result":[{"metric":{"pod":"` + webPod + `","container":"app","resource":"cpu"},"values":[[1767571200,"0.25"]]}]}}`
	r, _ := decoded(t, usageDocs(), "-", "--usage", usagePath(t, part))
	require.Contains(t, strings.Join(r.Notes, "\n"), "the database warned: a store did not answer")
	r, _ = decoded(t, usageDocs(), "-", "--usage", usagePath(t, strings.ReplaceAll(good, ",app,", ",,")))
	require.Contains(t, r.Notes[0], "300 of whole pods")
}

// TestUsageWindow: what is older than the window before the newest row is left out, and counted.
func TestUsageWindow(t *testing.T) {
	const hours = 24 * 60
	long := usagePath(t, "1759795200,"+webPod+",app,memory,2Gi\n"+ // 90 days before the rest
		series(0, 10*hours, webPod, "memory", func(i int) string {
			if i < 3*hours {
				return "400Mi"
			}
			return "300Mi"
		})+series(0, 10*hours, webPod, "cpu", always("250m")))
	const last = 1767571200 + (10*hours-1)*60
	for _, row := range []struct {
		why, memory string
		start       int64 // the first second that counts
		outside     int64
		args        []string
	}{
		{"the window of vpa is 8 days", "363Mi", last - 8*86400, 2*2*hours - 1, []string{"--preset", "vpa"}},
		{"that of peak is 14", "460Mi", last - 14*86400, 1, []string{"--preset", "peak"}},
		{"a shorter one", "345Mi", last - 6*86400, 2*4*hours - 1, []string{"--preset", "peak", "--window", "6d"}},
		{"days and hours", "345Mi", last - (6*24-1)*3600, 2*(4*hours+60) - 1, []string{"--preset", "peak", "--window", "5d23h"}},
		{"a longer one holds all", "2356Mi", last - 1000*86400, 0, []string{"--preset", "peak", "--window", "1000d"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			r, got := decoded(t, deployment(box{"app", "500m", "512Mi"})+policyOn, append([]string{"-", "--usage", long}, row.args...)...)
			require.Equal(t, exitFine, got.code, got.errors)
			require.Equal(t, row.memory, to(r, "app", "memory"))
			require.Equal(t, row.outside, r.Usage.Workloads[0].Outside)
			require.Equal(t, time.Unix(row.start, 0).UTC().Format(time.RFC3339), r.Usage.Workloads[0].Start)
			notes := strings.Join(r.Items[0].Notes, "\n")
			if row.outside == 0 {
				require.NotContains(t, notes, "left out")
				return
			}
			require.Contains(t, notes, "is left out: "+count(int(row.outside), "row"))
		})
	}
}

// TestUsageReasons: why there is no request is said, be the workload planned or not.
func TestUsageReasons(t *testing.T) {
	r, got := decoded(t, usageDocs(), "-", "--preset", "peak", "--usage", usagePath(t, series(0, 50, webPod, "cpu", always("250m"))))
	require.Equal(t, exitFine, got.code)
	require.Empty(t, r.Items)
	require.Contains(t, r.Notes, "Deployment default/web: container app: no request of cpu from usage: too-few-samples")
	require.Contains(t, r.Notes, "Deployment default/web: container app: no request of memory from usage: no-data")
}

// TestUsageOOMOfOthers: init containers and sidecars are killed too, several times; a kill without a time counts as one of now, and one of a
// container that was never killed for its memory, or that the template does not hold, says nothing of the others.
func TestUsageOOMOfOthers(t *testing.T) {
	docs := strings.Replace(deployment(box{"app", "500m", "512Mi"}), "containers: [", "initContainers: [{name: init, resources: {requests: {cpu: 1m, memory: 64Mi}}}, "+
		"{name: side, restartPolicy: Always, resources: {requests: {cpu: 1m, memory: 128Mi}}}], containers: [", 1) + hpa(utilization("cpu", 60)) + policyOn
	var usage strings.Builder
	for container, amount := range map[string]string{"app": "400Mi", "init": "50Mi", "side": "100Mi"} {
		usage.WriteString(strings.ReplaceAll(series(0, 300, webPod, "memory", always(amount)), ",app,", ","+container+","))
	}
	file := usagePath(t, usage.String())
	kills := func(list, container string, reasons ...string) string {
		var states []string
		for i, r := range reasons {
			reason, at, _ := strings.Cut(r, " ")
			if at != "" {
				at = fmt.Sprintf(", finishedAt: %q", at)
			}
			states = append(states, fmt.Sprintf("%s: {terminated: {reason: %s, exitCode: 137%s}}", []string{"lastState", "state"}[i], reason, at))
		}
		return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + webPod + ", labels: {app: web}}\nspec:\n  initContainers: [{name: init, resources: {requests: {memory: 64Mi}}}, " +
			"{name: side, restartPolicy: Always, resources: {requests: {memory: 128Mi}}}]\n  containers: [{name: app, resources: {requests: {memory: 512Mi}}}]\n" +
			"status: {" + list + ": [{name: " + container + ", restartCount: 9, " + strings.Join(states, ", ") + "}]}\n"
	}
	const two, three = "2026-01-05T02:00:00Z", "2026-01-05T03:00:00Z"
	for _, row := range []struct{ why, pod, app, init, side string }{
		{"nobody was killed", "", "460Mi", "58Mi", "115Mi"},
		{"an init container: 64Mi + 100Mi", kills("initContainerStatuses", "init", "OOMKilled "+two), "460Mi", "164Mi", "115Mi"},
		{"a sidecar, twice: kills do not add up", kills("initContainerStatuses", "side", "OOMKilled "+two, "OOMKilled "+three), "460Mi", "58Mi", "228Mi"},
		{"nobody knows when", kills("initContainerStatuses", "side", "OOMKilled"), "460Mi", "58Mi", "228Mi"},
		{"137 is not always an OOM kill", kills("initContainerStatuses", "side", "Error "+two), "460Mi", "58Mi", "115Mi"},
		{"somebody else", kills("containerStatuses", "gone", "OOMKilled "+two), "460Mi", "58Mi", "115Mi"},
	} {
		r, got := decoded(t, docs+row.pod, "-", "--preset", "peak", "--usage", file)
		require.Equal(t, exitFine, got.code, got.errors)
		var wanted []string
		for _, name := range []string{"app", "init", "side"} {
			for _, c := range r.Items[0].Containers {
				if c.Name == name && c.Resource == "memory" {
					wanted = append(wanted, c.Recommended)
				}
			}
		}
		require.Equal(t, []string{row.app, row.init, row.side}, wanted, row.why)
	}
}
