package usagefile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/kube-rightsize/rightsize/internal/usagefile"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

func quantile(t *testing.T, v usage.View, q, want float64) {
	t.Helper()
	got, ok := v.Quantile(q)
	require.True(t, ok)
	require.InEpsilon(t, want, got, 0.022)
}

// TestFormats: three formats say the same, and several files add up.
func TestFormats(t *testing.T) {
	files := map[string]string{
		"csv": "time,pod,container,resource,value\n" +
			"2026-01-05T00:00:00Z,web-1,app,cpu,250m\n2026-01-05T00:01:00Z,web-1,app,cpu,0.5\n" +
			"1767571200,web-1,app,memory,300Mi\n1767571260,web-1,app,memory,209715200\n",
		"heading in another order": "\xef\xbb\xbfpod,container,time,value,resource\n# a comment\n" +
			"web-1,app,1767571200,0.25,cpu\nweb-1,app,1767571260,500m,cpu\nweb-1,app,1767571200,300Mi,memory\nweb-1,app,1767571260,200Mi,memory\n",
		"matrix": `{"status":"success","data":{"resultType":"matrix","result":[
			{"metric":{"pod":"web-1","container":"app","resource":"cpu"},"values":[[1767571200,"0.25"],[1767571260,"0.5"]]},
			{"values":[[1767571200,"314572800"],[1767571260,"209715200"]],"metric":{"__name__":"container_memory_working_set_bytes","pod":"web-1","container":"app"}}]}}`,
		"counter": `{"status":"success","data":{"resultType":"matrix","result":[
			{"metric":{"__name__":"container_cpu_usage_seconds_total","pod":"web-1","container":"app"},"values":[[1767571140,"100"],[1767571200,"115"],[1767571260,"145"]]},
			{"metric":{"__name__":"container_memory_working_set_bytes","pod":"web-1","container":"app"},"values":[[1767571200,"314572800"],[1767571260,"209715200"]]}]}}`,
		"pod metrics": `{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[
			{"metadata":{"name":"web-1","namespace":"shop"},"timestamp":"2026-01-05T00:00:00Z","window":"30s","containers":[{"name":"app","usage":{"cpu":"250000000n","memory":"307200Ki"}}]}]}
			{"kind":"PodMetricsList","items":[{"metadata":{"name":"web-1","namespace":"shop"},"timestamp":"2026-01-05T00:01:00Z","containers":[{"name":"app","usage":{"cpu":"500m","memory":"200Mi"}}]}]}`,
	}
	for name, text := range files {
		t.Run(name, func(t *testing.T) {
			c := usagefile.NewCollector(recommend.Peak())
			require.NoError(t, c.Read(strings.NewReader(text), name, ""))
			u := c.Usage()
			require.Len(t, u, 1)
			require.Equal(t, "app", u[0].Name)
			require.Equal(t, int64(2), u[0].CPU.Count())
			quantile(t, u[0].CPU, 0.5, 0.25)
			quantile(t, u[0].CPU, 1, 0.5)
			quantile(t, u[0].Memory, 0.5, 200<<20)
			quantile(t, u[0].MemoryPeaks.Of, 0.5, 300<<20)
			require.Equal(t, time.Minute, u[0].CPU.Last().Sub(u[0].CPU.First()))
			require.NoError(t, c.Read(strings.NewReader("2026-01-05T00:02:00Z,web-2,app,cpu,2\n"), "more", ""))
			require.Equal(t, int64(3), c.Usage()[0].CPU.Count())
		})
	}
}

// TestCSVForms: what programs make of a table.
func TestCSVForms(t *testing.T) {
	const row = "1767571200,web-1,app,cpu,250m"
	for why, text := range map[string]string{
		"CRLF":                     "time,pod,container,resource,value\r\n" + row + "\r\n",
		"no newline at the end":    row,
		"a byte order mark":        "\xef\xbb\xbf" + row,
		"one before a heading":     "\xef\xbb\xbf\"time\",\"pod\",\"container\",\"resource\",\"value\"\n" + row,
		"empty lines and comments": "\n\n# of web\n" + row + "\n\n",
		"capitals and spaces":      " Time , POD,Container , resource,VALUE\n 1767571200 , web-1 , app , cpu , 250m \n",
		"a namespace":              "namespace,time,pod,container,resource,value\nshop," + row,
		"a time in words":          "2026-01-05T01:00:00+01:00,web-1,app,cpu,0.25",
	} {
		c := usagefile.NewCollector(recommend.Peak())
		require.NoError(t, c.Read(strings.NewReader(text), "f", ""), why)
		require.Len(t, c.Usage(), 1, why)
		quantile(t, c.Usage()[0].CPU, 1, 0.25)
		require.Equal(t, int64(1767571200), c.Usage()[0].CPU.First().Unix(), why)
	}
}

func TestResourceOfAFile(t *testing.T) {
	text := `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod":"a","container":"app"},"values":[[1767571200,"0.25"]]}]}}`
	c := usagefile.NewCollector(recommend.VPA())
	require.ErrorContains(t, c.Read(strings.NewReader(text), "f", ""), "give it with the file")
	require.NoError(t, c.Read(strings.NewReader(text), "f", corev1.ResourceCPU))
	require.Equal(t, usage.VPACPU, c.Usage()[0].CPU.(*usage.Histogram).Layout())
}

// TestWhatIsNotUsed: everything that cannot be a measurement is counted.
func TestWhatIsNotUsed(t *testing.T) {
	c := usagefile.NewCollector(recommend.Peak())
	c.Window = usage.Window{Start: time.Unix(1000, 0), End: time.Unix(5000, 0)}
	c.Limits = [][]usage.MaxReplicas{{{From: time.Unix(0, 0), Value: 10}}}
	c.Match = func(pod usagefile.Pod) bool { return pod.Name != "other" }
	require.NoError(t, c.Read(strings.NewReader(`
1000,a,app,cpu,NaN
1001,a,app,cpu,-0.5
1002,a,app,cpu,1
1002,a,app,cpu,1
999,a,app,cpu,1
5000,a,app,cpu,1
1003,other,app,cpu,1
1100,a,app,memory,5
1050,a,app,memory,5
1060,b,app,memory,+Inf
1070,,,replicas,10
1080,,,replicas,4
`), "f", ""))
	require.Equal(t, usagefile.Report{Rows: 12, Kept: 4, Invalid: 3, Late: 1, Duplicates: 1, Outside: 2, Foreign: 1}, c.Report())
	r := c.Replicas()[0]
	require.True(t, r.Reached)
	require.Equal(t, int32(10), r.Largest)
	require.Equal(t, 10*time.Second, r.AtMax)
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"empty", " \n", "is empty"},
		{"a word for a value", "1,a,b,cpu,much\n", "line 1"},
		{"a word for a time", "today,a,b,cpu,1\n", "neither RFC 3339"},
		{"milliseconds", "1767571200000,a,b,cpu,1\n", "milliseconds"},
		{"an unknown resource", "1,a,b,disk,1\n", "disk"},
		{"too few fields", "1,a,b\n", "3 fields"},
		{"too many fields", "1,a,b,cpu,1,2\n", "6 fields"},
		{"a comma at the end", "1,a,b,cpu,1,\n", "6 fields"},
		{"a heading without value", "time,pod,container,resource\n", "lacks value"},
		{"a heading with a column that nobody reads", "time,pod,container,resource,value,unit\n", `"unit"`},
		{"a heading with a column twice", "time,pod,container,resource,value,Value\n", `"value"`},
		{"fewer fields than the heading", "time,pod,namespace,container,resource,value\n1,a,b,cpu,1\n", "5 fields, wants the 6"},
		{"compressed", "\x1f\x8b\x08\x00", "compressed with gzip"},
		{"UTF-16", "\xff\xfet\x00", "UTF-16"},
		{"UTF-16, the other way round", "\xfe\xff\x00t", "UTF-16"},
		{"an empty array", "[]", "no measurement"},
		{"an array of something else", "[1]", "a series is an object"},
		{"labels twice", `[{"metric":{"resource":"cpu"},"metric":{"resource":"memory"},"values":[[1,"1"]]}]`, "labels twice"},
		{"no labels at all", `[{"values":[[1,"1"]]}]`, "give it with the file"},
		{"labels that are none", `[{"metric":null,"values":[[1,"1"]]}]`, "give it with the file"},
		{"pod metrics of nobody knows when", `{"items":[{"metadata":{"name":"a"},"containers":[{"name":"b","usage":{"cpu":"1"}}]}]}`, "timestamp"},
		{"a vector", `{"status":"success","data":{"resultType":"vector","result":[]}}`, "vector"},
		{"a failed query", `{"status":"error","error":"x"}`, "failed"},
		{"cut off", `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod":"a","container":"b","resource":"cpu"},"values":[[1,"1"],`, "EOF"},
		{"another object", `{"kind":"Pod"}`, "no measurement"},
	} {
		col := usagefile.NewCollector(recommend.Peak())
		require.ErrorContains(t, col.Read(strings.NewReader(c.text), "f", ""), c.want, c.why)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("time,pod,container,resource,value\n1,a,b,cpu,1\n")
	f.Add(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod":"a","container":"b","resource":"cpu"},"values":[[1,"1"]]}]}}`)
	f.Add(`{"items":[{"metadata":{"name":"a"},"timestamp":"2026-01-05T00:00:00Z","containers":[{"name":"app","usage":{"cpu":"1"}}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		c := usagefile.NewCollector(recommend.VPA())
		_, look := usagefile.Look(strings.NewReader(text), "f", "", nil)
		read := c.Read(strings.NewReader(text), "f", "")
		if look == nil {
			require.NoError(t, read, "what can be looked at can be read")
		}
		_, errs := recommend.Workload(recommend.Input{Usage: c.Usage()}, recommend.VPA())
		_ = errs
		r := c.Report()
		require.Equal(t, r.Rows >= 0, true)
	})
}

func BenchmarkRead(b *testing.B) {
	for range b.N {
		c := usagefile.NewCollector(recommend.VPA())
		if err := c.Read(text(1000, csvRow), "f", ""); err != nil {
			b.Fatal(err)
		}
	}
}
