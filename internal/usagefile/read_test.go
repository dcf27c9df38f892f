package usagefile_test

import (
	"fmt"
	"io"
	"runtime"
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
	r := c.Replicas([]usage.MaxReplicas{{From: time.Unix(0, 0), Value: 10}})
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
		{"a heading without value", "time,pod,container,resource\n", "heading"},
		{"a vector", `{"status":"success","data":{"resultType":"vector","result":[]}}`, "vector"},
		{"a failed query", `{"status":"error","error":"x"}`, "failed"},
		{"cut off", `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod":"a","container":"b","resource":"cpu"},"values":[[1,"1"],`, "EOF"},
		{"another object", `{"kind":"Pod"}`, "no measurement"},
	} {
		col := usagefile.NewCollector(recommend.Peak())
		require.ErrorContains(t, col.Read(strings.NewReader(c.text), "f", ""), c.want, c.why)
	}
}

// rows makes lines as they are read, so that the text is nowhere as a whole.
type rows struct {
	n, at int
	rest  []byte
}

func (r *rows) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.at == r.n {
			return 0, io.EOF
		}
		pod := r.at % 7
		r.rest = fmt.Appendf(nil, "%d,web-%d,app,%s,%d\n", 1767571200+r.at/14*60, pod, []string{"cpu", "memory"}[r.at/7%2], 1+r.at%5)
		r.at++
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestBoundedMemory: ten times the rows hold no more.
func TestBoundedMemory(t *testing.T) {
	held := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := usagefile.NewCollector(recommend.VPA())
		calls := 0
		c.Progress = func(int64) { calls++ }
		require.NoError(t, c.Read(&rows{n: n}, "f", ""))
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.Equal(t, int64(n), c.Report().Rows)
		require.Equal(t, int64(n), c.Report().Kept)
		require.Equal(t, n/65536, calls)
		runtime.KeepAlive(c)
		return after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
	}
	few, many := held(20_000), held(200_000)
	require.Less(t, many, few+64<<10)
}

func FuzzRead(f *testing.F) {
	f.Add("time,pod,container,resource,value\n1,a,b,cpu,1\n")
	f.Add(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod":"a","container":"b","resource":"cpu"},"values":[[1,"1"]]}]}}`)
	f.Add(`{"items":[{"metadata":{"name":"a"},"timestamp":"2026-01-05T00:00:00Z","containers":[{"name":"app","usage":{"cpu":"1"}}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		c := usagefile.NewCollector(recommend.VPA())
		_ = c.Read(strings.NewReader(text), "f", "")
		_, errs := recommend.Workload(recommend.Input{Usage: c.Usage()}, recommend.VPA())
		_ = errs
		r := c.Report()
		require.Equal(t, r.Rows >= 0, true)
	})
}

func BenchmarkRead(b *testing.B) {
	for range b.N {
		c := usagefile.NewCollector(recommend.VPA())
		if err := c.Read(&rows{n: 1000}, "f", ""); err != nil {
			b.Fatal(err)
		}
	}
}
