package usagefile_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/internal/usagefile"
	"github.com/kube-rightsize/rightsize/recommend"
	"github.com/kube-rightsize/rightsize/usage"
)

const begin = 1767571200

// lines makes a text while it is read, so that it is nowhere as a whole, and notes the most that lives on the heap meanwhile.
type lines struct {
	n, at            int
	row              func(b []byte, i int) []byte
	first, last      string
	rest, buffer     []byte
	read, next, most uint64
}

func text(n int, row func(b []byte, i int) []byte) *lines { return &lines{n: n, at: -1, row: row} }

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		l.rest = l.buffer[:0]
	}
	for len(l.rest) < len(p) && l.at <= l.n {
		switch {
		case l.at < 0:
			l.rest = append(l.rest, l.first...)
		case l.at < l.n:
			l.rest = l.row(l.rest, l.at)
		default:
			l.rest = append(l.rest, l.last...)
		}
		l.at++
	}
	if len(l.rest) == 0 {
		return 0, io.EOF
	}
	if cap(l.rest) > cap(l.buffer) {
		l.buffer = l.rest
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	if l.read += uint64(n); l.read >= l.next {
		l.next = l.read + 4<<20
		l.most = max(l.most, heap())
	}
	return n, nil
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// csvRow is of 7 pods and all resources. Replicas change from row to row, maxReplicas once a day.
func csvRow(b []byte, i int) []byte {
	at := begin + i/16*60
	switch k := i % 16; k {
	case 14:
		return fmt.Appendf(b, "%d,web,,replicas,%d\n", at, 3+i/16%5)
	case 15:
		return fmt.Appendf(b, "%d,web,,maxReplicas,%d\n", at, 10+i/16/1440%2)
	default:
		return fmt.Appendf(b, "%d,web-%d,app,%s,%d\n", at, k%7, []string{"cpu", "memory"}[k/7], 1+i%5)
	}
}

// matrixRow is one value; every 100 000 begin another series of the same names.
func matrixRow(b []byte, i int) []byte {
	const long = 100_000
	names := []string{`"container_cpu_usage_seconds_total","pod":"web-1","container":"app"`, `"container_memory_working_set_bytes","pod":"web-1","container":"app"`,
		`"kube_horizontalpodautoscaler_status_current_replicas","horizontalpodautoscaler":"web"`, `"kube_horizontalpodautoscaler_spec_max_replicas","horizontalpodautoscaler":"web"`}
	if i%long == 0 {
		if i > 0 {
			b = append(b, `]},`...)
		}
		b = fmt.Appendf(b, `{"metric":{"__name__":%s,"instance":"%d"},"values":[`, names[i/long%len(names)], i/long)
	} else {
		b = append(b, ',')
	}
	return fmt.Appendf(b, `[%d,"%d"]`, begin+i%long*60, 3+i%long/200%100)
}

// podMetricsRow is two rows, of cpu and memory.
func podMetricsRow(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return fmt.Appendf(b, `{"metadata":{"name":"web-%d","namespace":"shop","labels":{"app":"web"}},"timestamp":%q,"window":"30s","containers":[{"name":"app","usage":{"cpu":"%dm","memory":"%dKi"}}]}`,
		i%7, time.Unix(int64(begin+i/7*60), 0).UTC().Format(time.RFC3339), i%500, 1000+i%900)
}

// TestBoundedMemory: ten times the rows hold no more, neither at any moment of the two readings nor at their end.
func TestBoundedMemory(t *testing.T) {
	passedOver := func(b []byte, i int) []byte { return append(b, `{"a":[1,2,{"b":"c"}]},`...) }
	for _, c := range []struct {
		why         string
		many        int
		rows        int // of one call of row
		row         func([]byte, int) []byte
		first, last string
	}{
		{why: "CSV, all resources", many: 1_000_000, rows: 1, row: csvRow},
		{why: "a matrix, all resources", many: 1_000_000, rows: 1, row: matrixRow, first: `{"status":"success","data":{"resultType":"matrix","result":[`, last: `]}]}}`},
		{why: "PodMetrics", many: 500_000, rows: 2, row: podMetricsRow, first: `{"kind":"PodMetricsList","items":[`, last: `]}`},
		{why: "values that are passed over", many: 200_000, row: passedOver, first: `{"unknown":[`, last: `1],"items":[{"metadata":{"name":"a"},"timestamp":"2026-01-05T00:00:00Z","containers":[{"name":"app","usage":{"cpu":"1"}}]}]}`},
		{why: "in a series too", many: 200_000, row: passedOver, first: `[{"metric":{"resource":"cpu","pod":"a","container":"app"},"histograms":[`, last: `1],"values":[[1,"1"]]}]`},
	} {
		t.Run(c.why, func(t *testing.T) {
			held := func(n int) uint64 {
				before := heap()
				in := func() *lines {
					l := text(n, c.row)
					l.first, l.last = c.first, c.last
					return l
				}
				first := in()
				found, err := usagefile.Look(first, "f", "", nil)
				require.NoError(t, err)
				second, col := in(), usagefile.NewCollector(recommend.VPA())
				for name := range found.Scaled {
					col.Limits = append(col.Limits, found.Limits[name])
				}
				calls := 0
				col.Progress = func(int64) { calls++ }
				require.NoError(t, col.Read(second, "f", ""))
				after := heap()
				rows := max(n*c.rows, 1)
				require.Equal(t, int64(rows), col.Report().Rows)
				require.Equal(t, rows/65536+1, calls)
				require.Zero(t, col.Report().Late+col.Report().Invalid)
				runtime.KeepAlive(col)
				return max(first.most, second.most, after) - min(before, after)
			}
			few, many := held(c.many/10/slower), held(c.many/slower)
			require.Less(t, many, few+512<<10, "%d and %d bytes", few, many)
		})
	}
}

// TestBounds: what would have to be held as a whole is refused.
func TestBounds(t *testing.T) {
	again := func(s string) func([]byte, int) []byte {
		return func(b []byte, _ int) []byte { return append(b, s...) }
	}
	for _, c := range []struct {
		why, first, want string
		row              func([]byte, int) []byte
	}{
		{"one line without an end", "", "longer than 1 MiB", again("0123456789")},
		{"a quote that is never closed", `1,"a`, "longer than 1 MiB", again("0123456789\n")},
		{"a text", `{"a":"`, "longer than 1 MiB", again("0123456789")},
		{"white space", `{"a":`, "longer than 1 MiB", again("          ")},
		{"one object of labels", `{"data":{"result":[{"metric":{"a":"b"`, "longer than 1 MiB", again(`,"c":"d"`)},
		{"deep nesting", `{"a":`, "100 deep", again("[")},
		{"labels after the values", `[{"values":[[1,"1"]`, "labels must come first", again(`,[1,"1"]`)},
	} {
		t.Run(c.why, func(t *testing.T) {
			before := heap()
			l := text(10<<20/slower, c.row)
			l.first = c.first
			_, err := usagefile.Look(l, "f", "cpu", nil)
			require.ErrorContains(t, err, c.want)
			require.Less(t, l.read, uint64(4<<20), "not read to its end")
			require.Less(t, max(l.most, heap()), before+16<<20)
		})
	}
	labelled := `[{"metric":{"pod":"a","container":"app"},"values":[[1,"1"]` + strings.Repeat(`,[1,"1"]`, 1<<17) + `]}]`
	_, err := usagefile.Look(strings.NewReader(labelled), "f", "cpu", nil)
	require.NoError(t, err, "with the labels first a series is as long as it likes")
}

// TestReplicasInPieces: what is judged piece by piece is what is judged as a whole.
func TestReplicasInPieces(t *testing.T) {
	var points []usage.Point
	var b strings.Builder
	for i := range 5000 {
		p := usage.Point{Time: time.Unix(int64(begin+i*i%7+i*10), 0).UTC(), Value: float64(1 + i*i%11)}
		points = append(points, p)
		fmt.Fprintf(&b, "%d,web,,replicas,%v\n", p.Time.Unix(), p.Value)
	}
	at := func(rows int) time.Time { return points[rows].Time }
	for _, limits := range [][]usage.MaxReplicas{
		{{From: time.Unix(0, 0), Value: 10}},
		{{From: at(100), Value: 5}, {From: at(1024), Value: 11}, {From: at(1025), Value: 3}, {From: at(4000), Value: 12}},
		{{From: at(4999), Value: 1}},
		nil,
	} {
		for _, window := range []usage.Window{{}, {Start: at(1000), End: at(4500)}} {
			c := usagefile.NewCollector(recommend.VPA())
			c.Limits, c.Window = [][]usage.MaxReplicas{limits, {{From: at(0), Value: 7}}}, window
			require.NoError(t, c.Read(strings.NewReader(b.String()), "f", ""))
			want, _ := usage.ReplicasOver(points, limits, window)
			other, _ := usage.ReplicasOver(points, c.Limits[1], window)
			require.Equal(t, []usage.Replicas{want, other}, c.Replicas())
			require.Equal(t, []usage.Replicas{want, other}, c.Replicas(), "asking changes nothing")
		}
	}
}

// TestReplicaRows: two series of one name add up; rows that go back in time are late, and of two at one time the larger one counts.
func TestReplicaRows(t *testing.T) {
	c := usagefile.NewCollector(recommend.VPA())
	c.Limits = [][]usage.MaxReplicas{{{From: time.Unix(0, 0), Value: 10}}}
	series := func(instance, values string) string {
		return `{"metric":{"__name__":"kube_deployment_spec_replicas","deployment":"web","instance":"` + instance + `"},"values":[` + values + `]}`
	}
	require.NoError(t, c.Read(strings.NewReader("["+series("a", `[100,"10"],[100,"3"],[160,"4"],[150,"9"],[170,"NaN"],[180,"3e9"]`)+","+series("b", `[100,"4"],[140,"4"]`)+"]"), "f", ""))
	require.Equal(t, usagefile.Report{Rows: 8, Kept: 4, Duplicates: 1, Late: 1, Invalid: 2}, c.Report())
	require.Equal(t, []usage.Replicas{{Largest: 10, Reached: true, AtMax: time.Minute, Known: 100 * time.Second}}, c.Replicas())
	two := `{"metric":{"__name__":"kube_deployment_status_replicas","deployment":"web"},"values":[[100,"3"],[160,"3"]]}`
	c = usagefile.NewCollector(recommend.VPA())
	require.NoError(t, c.Read(strings.NewReader("["+two+","+strings.Replace(two, "status", "spec", 1)+"]"), "f", ""))
	require.Equal(t, usagefile.Report{Rows: 4, Kept: 4}, c.Report(), "two metrics of one name are two series")
}
