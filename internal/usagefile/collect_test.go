package usagefile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/internal/usagefile"
	"github.com/kube-rightsize/rightsize/recommend"
)

func read(t *testing.T, s recommend.Strategy, text string) *usagefile.Collector {
	t.Helper()
	c := usagefile.NewCollector(s)
	require.NoError(t, c.Read(strings.NewReader(text), "f", ""))
	return c
}

// counterOf is a series of cadvisor's counter.
func counterOf(labels, values string) string {
	return `[{"metric":{"__name__":"container_cpu_usage_seconds_total","pod":"a","container":"app"` + labels + `},"values":[` + values + `]}`
}

// TestCounter: what becomes of each reading.
func TestCounter(t *testing.T) {
	for _, c := range []struct {
		why, values string
		want        usagefile.Report
	}{
		{"two readings are one rate", `[100,"5"],[160,"35"]`, usagefile.Report{Rows: 2, Kept: 1}},
		{"an idle container uses nothing", `[100,"5"],[160,"5"]`, usagefile.Report{Rows: 2, Kept: 1}},
		{"a reset", `[100,"5"],[160,"4"],[220,"34"]`, usagefile.Report{Rows: 3, Kept: 1, Resets: 1}},
		{"back in time", `[100,"5"],[160,"35"],[130,"20"]`, usagefile.Report{Rows: 3, Kept: 1, Late: 1}},
		{"twice at one time", `[100,"5"],[100,"6"],[160,"35"]`, usagefile.Report{Rows: 3, Kept: 1, Duplicates: 1}},
		{"negative", `[100,"5"],[160,"-1"],[220,"65"]`, usagefile.Report{Rows: 3, Kept: 1, Invalid: 1}},
	} {
		require.Equal(t, c.want, read(t, recommend.Peak(), counterOf("", c.values)+"]").Report(), c.why)
	}
	// A container that was started again is another series: its counter begins anew and overlaps with nothing.
	two := counterOf(`,"id":"/one"`, `[100,"50"],[160,"80"]`) + "," + counterOf(`,"id":"/two"`, `[160,"0"],[220,"30"]`)[1:] + "]"
	c := read(t, recommend.Peak(), two)
	require.Equal(t, usagefile.Report{Rows: 4, Kept: 2}, c.Report())
	quantile(t, c.Usage()[0].CPU, 0.01, 0.5)
	// Times have milliseconds, which floats only come near to.
	c = read(t, recommend.Peak(), "1767571200.001,a,app,cpu,1\n1767571200.002,a,app,cpu,1\n")
	require.Equal(t, []int64{1767571200001, 1767571200002}, []int64{c.Usage()[0].CPU.First().UnixMilli(), c.Usage()[0].CPU.Last().UnixMilli()})
}

// TestOOM: which of the containers a kill is of, and when.
func TestOOM(t *testing.T) {
	const mi, day = 1 << 20, 86400
	peak := func(c *usagefile.Collector) float64 {
		p, ok := c.Usage()[0].MemoryPeaks.Of.Quantile(1)
		require.True(t, ok)
		return p / mi
	}
	vpa := recommend.VPA()
	// Of one pod the peak is 500Mi, of the other, measured later, 200Mi: a kill of the first stays below its peak, one of the second makes 300Mi of 200Mi.
	text := "1000000,a,app,memory,500Mi\n1000100,b,app,memory,200Mi\n"
	peaks := func(pod usagefile.Pod, text string) float64 {
		c := read(t, vpa, text)
		require.True(t, c.OOM("app", pod, time.Time{}, 0))
		return peak(c)
	}
	require.InEpsilon(t, 600, peaks(usagefile.Pod{Name: "a"}, text), 0.06, "500Mi + 100Mi")
	require.InEpsilon(t, 500, peaks(usagefile.Pod{}, text), 0.06, "of the pod that was measured last: 200Mi + 100Mi are less than 500Mi")
	require.InEpsilon(t, 600, peaks(usagefile.Pod{}, strings.Replace(text, "1000100", "999900", 1)), 0.06, "now that is the other one")
	// A pod of another namespace is not the one that was measured, so what it had is not known: 0 + 100Mi.
	spaces := "namespace,time,pod,container,resource,value\nshop,1000000,a,app,memory,500Mi\n"
	require.InEpsilon(t, 500, peaks(usagefile.Pod{Namespace: "test", Name: "a"}, spaces), 0.06)
	require.InEpsilon(t, 600, peaks(usagefile.Pod{Namespace: "shop", Name: "a"}, spaces), 0.06)
	require.InEpsilon(t, 600, peaks(usagefile.Pod{Namespace: "shop", Name: "a"}, text), 0.06, "the file does not say the namespace")
	// Without any memory the time is that of the last cpu.
	c := read(t, vpa, "1000000,a,app,cpu,1\n")
	require.True(t, c.OOM("app", usagefile.Pod{}, time.Time{}, 100*mi))
	require.InEpsilon(t, 200, peak(c), 0.06)
	require.Equal(t, int64(1000000+day), c.Usage()[0].MemoryPeaks.Of.Last().Unix())
	require.True(t, c.OOM("new", usagefile.Pod{}, time.Time{}, 500*mi), "killed before it was measured: at the time of the newest measurement of others")
	require.InEpsilon(t, 600, peakOf(c, "new"), 0.06)
	require.False(t, usagefile.NewCollector(vpa).OOM("app", usagefile.Pod{}, time.Time{}, 500*mi), "nobody knows when")
	c = usagefile.NewCollector(vpa)
	require.True(t, c.OOM("app", usagefile.Pod{}, time.Unix(1000000, 0), 500*mi), "a kill is data")
	require.InEpsilon(t, 600, peakOf(c, "app"), 0.06)
	c = read(t, vpa, "1000000,a,app,memory,5Mi\n"+fmt.Sprintf("%d,a,app,memory,5Mi\n", 1000000+5*day))
	require.True(t, c.OOM("app", usagefile.Pod{Name: "a"}, time.Unix(1000000+2*day, 0), 500*mi), "long before the newest measurement: a peak of its own")
	require.InEpsilon(t, 600, peakOf(c, "app"), 0.06)
	require.Equal(t, int64(3), c.Usage()[0].MemoryPeaks.Of.Count())
	// A sample of nothing, of a container that has only just started, would keep VPA's peak at nothing for a day.
	c = read(t, vpa, "1000000,a,app,memory,0\n1000060,a,app,memory,900Mi\n")
	require.InEpsilon(t, 900, peakOf(c, "app"), 0.06)
	require.Equal(t, int64(1), c.Report().Invalid)
	c = read(t, vpa, "1000000,a,app,memory,0.5\n1000060,a,app,memory,900Mi\n")
	require.InEpsilon(t, 900, peakOf(c, "app"), 0.06)
	// The strategy says how long an interval is.
	hourly := vpa
	hourly.PeakInterval.Duration = time.Hour
	c = read(t, hourly, "1000000,a,app,memory,5Mi\n1003600,a,app,memory,5Mi\n")
	require.Equal(t, int64(2), c.Usage()[0].MemoryPeaks.Of.Count())
	require.Equal(t, time.Hour, c.Usage()[0].MemoryPeaks.Interval)
	require.Equal(t, int64(1), read(t, vpa, "1000000,a,app,memory,5Mi\n1003600,a,app,memory,5Mi\n").Usage()[0].MemoryPeaks.Of.Count())
}

// peakOf is the highest peak of one container, in MiB.
func peakOf(c *usagefile.Collector, name string) float64 {
	for _, u := range c.Usage() {
		if u.Name == name {
			most, _ := u.MemoryPeaks.Of.Max()
			return most / (1 << 20)
		}
	}
	return 0
}

// What a database says of itself, or a list of its being a page, is heard.
func TestHalfAnAnswer(t *testing.T) {
	for text, want := range map[string]string{
		`{"status":"success","isPartial":true,"data":{"resultType":"matrix","result":[]}}`: "in part alone",
		`{"kind":"PodMetricsList","metadata":{"continue":"x"},"items":[]}`:                 "one page of a longer list",
	} {
		require.ErrorContains(t, usagefile.NewCollector(recommend.VPA()).Read(strings.NewReader(text), "f", ""), want)
	}
	_, err := usagefile.Look(strings.NewReader(`{"status":"success","isPartial":false,"data":{"resultType":"matrix","result":`+counterOf("", `[1,"1"],[2,"2"]`)+`]}}`), "f", "", nil)
	require.NoError(t, err)
}

// Of two values at one time nobody knows which is right; the same value twice is harmless.
func TestTwoValuesAtOneTime(t *testing.T) {
	pod := usagefile.Pod{Name: "a"}
	found, err := usagefile.Look(strings.NewReader("1000000,a,app,memory,200Mi\n1000000,a,app,memory,200Mi\n1000060,a,app,memory,5Mi\n"), "f", "", nil)
	require.NoError(t, err)
	require.Empty(t, found.Pods[pod].Unordered)
	found, err = usagefile.Look(strings.NewReader("1000000,a,app,memory,200Mi\n1000000,a,app,memory,900Mi\n"), "f", "", nil)
	require.NoError(t, err)
	require.Contains(t, found.Pods[pod].Unordered, "two values at 1970-01-12T13:46:40Z")
}
