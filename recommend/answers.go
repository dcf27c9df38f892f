package recommend

import (
	"cmp"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/usage"
)

// Answer is one series of what a query answered: its label container and its value.
type Answer struct {
	Query     Query   `json:"query"`
	Container string  `json:"container,omitempty"` // empty for the measures of replicas
	Value     float64 `json:"value"`
}

// Answered is what all answers about one workload come to.
type Answered struct {
	Usage    []ContainerUsage `json:"-"` // by name, for Input
	Replicas usage.Replicas   `json:"replicas"`
}

// FromAnswers takes back what the queries of the same strategy answered: a table of quantiles for each container and resource, peaks where the
// strategy asks for peaks, the events, and what is known about replicas. A query that answered nothing is left out.
//
// OOM kills are one usage.OOMKill without time and amounts: what was used is then taken to be the present request or the highest use. Their
// number is rounded to the nearest whole one, and is at least one. A throttled share of NaN (no periods: no limit) is not known. The largest value
// is never below a quantile: peaks of the first interval may lie before the window. Quantiles that fall by less than a thousand-millionth, as
// interpolated floats do, are made level.
//
// Errors, by field path: a measure, resource or container that cannot be, a second answer to one question, a value that is no amount, no count,
// no time or no share, replicas that are not whole, and quantiles that fall.
func (s Strategy) FromAnswers(answers []Answer) (Answered, field.ErrorList) {
	errs := s.Validate(field.NewPath("strategy"))
	var out Answered
	var share, most *float64
	told := map[string]*told{}
	asked := map[question]bool{}
	var names []string
	for i, a := range answers {
		path := field.NewPath("answers").Index(i)
		if !slices.Contains(Measures(), a.Query.Measure) {
			errs = append(errs, field.NotSupported(path.Child("query", "measure"), a.Query.Measure, Measures()))
			continue
		}
		q := question{a.Query.Measure, a.Query.Resource, a.Query.Quantile, a.Container}
		if asked[q] {
			errs = append(errs, field.Duplicate(path, a.Container))
			continue
		}
		asked[q] = true
		if why := a.refused(); why != "" {
			errs = append(errs, field.Invalid(path.Child("value"), a.Value, why))
			continue
		}
		switch a.Query.Measure {
		case MeasureReplicas:
			out.Replicas.Largest = int32(a.Value)
			continue
		case MeasureShareAtMax:
			share = &answers[i].Value
			continue
		case MeasureMaxReplicas:
			most = &answers[i].Value
			continue
		}
		if a.Container == "" {
			errs = append(errs, field.Required(path.Child("container"), ""))
			continue
		}
		t := told[a.Container]
		if t == nil {
			t = newTold()
			told[a.Container] = t
			names = append(names, a.Container)
		}
		if !t.take(a) {
			errs = append(errs, field.NotSupported(path.Child("query", "resource"), a.Query.Resource, Resources()))
		}
	}
	slices.Sort(names)
	for _, name := range names {
		u, bad := told[name].usage(s, name)
		errs = append(errs, bad...)
		out.Usage = append(out.Usage, u)
	}
	if share != nil {
		out.Replicas.Known = s.Window.Duration
		out.Replicas.AtMax = time.Duration(math.Round(float64(*share * float64(s.Window.Duration))))
	}
	out.Replicas.Reached = share != nil && *share > 0 || most != nil && *most >= 1 && float64(out.Replicas.Largest) >= *most
	if len(errs) > 0 {
		return Answered{}, errs
	}
	return out, nil
}

type question struct {
	measure   Measure
	resource  corev1.ResourceName
	quantile  PPM
	container string
}

// The largest count that a float holds exactly, and the year 2200 in seconds.
const (
	maxCounted = 1 << 53
	maxSeconds = 7_258_118_400
)

// refused says why a value cannot be what was asked for; empty: it can.
func (a Answer) refused() string {
	within := func(most float64, why string) string {
		if a.Value >= 0 && a.Value <= most {
			return ""
		}
		return why
	}
	switch a.Query.Measure {
	case MeasureCount, MeasureOOMKills:
		return within(maxCounted, "must be a count")
	case MeasureFirst, MeasureLast:
		return within(maxSeconds, "must be seconds since 1970, before the year 2200")
	case MeasureThrottled:
		if math.IsNaN(a.Value) {
			return ""
		}
		return within(1.01, "must be within 0 and 1")
	case MeasureShareAtMax:
		return within(1.01, "must be within 0 and 1")
	case MeasureReplicas, MeasureMaxReplicas:
		if a.Value != math.Trunc(a.Value) {
			return "must be a whole number of replicas: an average hides the most"
		}
		return within(math.MaxInt32, "must be a number of replicas")
	}
	return within(math.MaxFloat64, "must be an amount")
}

// told is what was answered about one container.
type told struct {
	tables map[corev1.ResourceName]*usage.Table
	events usage.Events
}

func newTold() *told {
	t := &told{tables: map[corev1.ResourceName]*usage.Table{}}
	for _, name := range Resources() {
		t.tables[name] = &usage.Table{}
	}
	return t
}

// take reports whether the resource is one that is recommended for.
func (t *told) take(a Answer) bool {
	v := a.Value
	switch a.Query.Measure {
	case MeasureThrottled:
		if !math.IsNaN(v) {
			throttled := min(v, 1)
			t.events.Throttled = &throttled
		}
		return true
	case MeasureOOMKills:
		if v > 0 {
			t.events.OOMKills = []usage.OOMKill{{Times: int64(max(math.Round(v), 1))}}
		}
		return true
	}
	table := t.tables[a.Query.Resource]
	if table == nil {
		return false
	}
	switch a.Query.Measure {
	case MeasureQuantile:
		table.Quantiles = append(table.Quantiles, usage.QuantileValue{Q: a.Query.Quantile.Float(), Value: v})
	case MeasureMax:
		table.Max = &v
	case MeasureCount:
		table.Count = int64(v)
	case MeasureFirst:
		table.First = secondsUTC(v)
	case MeasureLast:
		table.Last = secondsUTC(v)
	}
	return true
}

func secondsUTC(v float64) time.Time {
	return time.UnixMilli(int64(math.Round(float64(v * 1000)))).UTC()
}

func (t *told) usage(s Strategy, name string) (ContainerUsage, field.ErrorList) {
	u := ContainerUsage{Name: name, Events: t.events}
	var errs field.ErrorList
	for _, r := range []struct {
		name  corev1.ResourceName
		from  Source
		plain *usage.View
		peaks *usage.Peaks
	}{{corev1.ResourceCPU, s.CPU.From, &u.CPU, &u.CPUPeaks}, {corev1.ResourceMemory, s.Memory.From, &u.Memory, &u.MemoryPeaks}} {
		table := t.tables[r.name]
		if len(table.Quantiles) == 0 && table.Max == nil {
			continue
		}
		level(table)
		view, err := usage.NewQuantiles(*table)
		if err != nil {
			errs = append(errs, field.Invalid(field.NewPath("answers").Key(name).Key(string(r.name)), name, err.Error()))
			continue
		}
		if r.from == Peaks {
			*r.peaks = usage.Peaks{Of: view, Interval: s.PeakInterval.Duration, UseOnly: true}
		} else {
			*r.plain = view
		}
	}
	return u, errs
}

// level lifts a quantile to the one before where it falls by the error of interpolated floats, and the largest value to the highest quantile.
func level(t *usage.Table) {
	slices.SortStableFunc(t.Quantiles, func(a, b usage.QuantileValue) int { return cmp.Compare(a.Q, b.Q) })
	for i := 1; i < len(t.Quantiles); i++ {
		if old := t.Quantiles[i-1].Value; t.Quantiles[i].Value >= float64(old*(1-1e-9)) {
			t.Quantiles[i].Value = max(t.Quantiles[i].Value, old)
		}
	}
	if n := len(t.Quantiles); n > 0 && t.Max != nil {
		largest := max(*t.Max, t.Quantiles[n-1].Value)
		t.Max = &largest
	}
}
