package recommend

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Measure is what a query answers.
type Measure string

const (
	MeasureQuantile    Measure = "quantile"     // per container: the largest of the pods' quantiles
	MeasureMax         Measure = "max"          // per container
	MeasureCount       Measure = "count"        // per container: one for each minute of each pod, however often it is scraped
	MeasureFirst       Measure = "first"        // per container: time of the first sample, Unix seconds
	MeasureLast        Measure = "last"         // per container: time of the last sample, Unix seconds
	MeasureThrottled   Measure = "throttled"    // per container: the largest of the pods' shares of throttled periods
	MeasureOOMKills    Measure = "oom-kills"    // per container: how often, by increase() and so not whole; at least that it happened
	MeasureReplicas    Measure = "replicas"     // the most replicas that the HPA had
	MeasureShareAtMax  Measure = "share-at-max" // share of time at maxReplicas
	MeasureMaxReplicas Measure = "max-replicas" // maxReplicas now
)

// Measures returns the closed list.
func Measures() []Measure {
	return []Measure{MeasureQuantile, MeasureMax, MeasureCount, MeasureFirst, MeasureLast, MeasureThrottled, MeasureOOMKills,
		MeasureReplicas, MeasureShareAtMax, MeasureMaxReplicas}
}

// MarshalText refuses what is not in the list.
func (m Measure) MarshalText() ([]byte, error) { return encode(m, "measure", Measures()) }

// UnmarshalText refuses what is not in the list.
func (m *Measure) UnmarshalText(text []byte) error { return decode(m, text, "measure", Measures()) }

// Query is one PromQL text and what its answer is. Queries per container answer one series per label container.
type Query struct {
	Measure  Measure             `json:"measure"`
	Resource corev1.ResourceName `json:"resource,omitempty"`
	Quantile PPM                 `json:"quantile,omitempty"` // with MeasureQuantile
	Text     string              `json:"text"`
}

// Series says which series belong to a workload.
type Series struct {
	Namespace string
	// Pods is a regular expression (RE2, anchored at both ends) for the names of the workload's pods, for example
	// web-[a-z0-9]+-[a-z0-9]{5} for a Deployment web.
	Pods string
	// HPA is the name of the HorizontalPodAutoscaler; empty leaves out the queries about replicas.
	HPA string
	// Step is how far apart the evaluated samples are, and the range that a cpu rate is taken over. It should be at least twice
	// the scrape interval. Zero is 5 minutes.
	Step metav1.Duration
}

// Queries returns the PromQL texts that compute what a strategy needs for one workload: cadvisor's metrics for usage and
// throttling, kube-state-metrics' for OOM kills and replicas. They are text only; nothing is asked. Run them as instant
// queries at the end of the window; [Strategy.FromAnswers] takes the answers back.
//
// Pods are pooled by the largest of their quantiles (usage.MaxOf) and of their shares of throttled periods: no pod gets less than it needs, and
// one pod that lived for minutes can decide. A container that was restarted is one series with what it was before. A quantile of a quantile_over_time is Prometheus' linear method.
// Cpu rates smooth over Step: shorter bursts are not seen. A step goes back up to five minutes for a sample (Prometheus' lookback), so that
// counts are a little too large where scrapes are further apart than a minute.
//
// What VPA() means is not reached to the last bit: there are no weights that decay, peaks are counted from the end of the window and not
// from each container's first sample, the first interval of peaks reaches back before the window, and a quantile of eight daily peaks lies
// between two of them.
func (s Strategy) Queries(of Series) ([]Query, field.ErrorList) {
	errs := s.Validate(field.NewPath("strategy"))
	path := field.NewPath("series")
	if of.Namespace == "" {
		errs = append(errs, field.Required(path.Child("namespace"), ""))
	}
	if of.Pods == "" {
		errs = append(errs, field.Required(path.Child("pods"), ""))
	} else if _, err := regexp.Compile(of.Pods); err != nil {
		errs = append(errs, field.Invalid(path.Child("pods"), of.Pods, err.Error()))
	}
	step := of.Step.Duration
	if step == 0 {
		step = 5 * time.Minute
	}
	if step < time.Second {
		errs = append(errs, field.Invalid(path.Child("step"), of.Step.Duration.String(), "must be at least 1s"))
	}
	if longest := s.Window.Duration; longest > 0 && step > longest {
		errs = append(errs, field.Invalid(path.Child("step"), step.String(), "must not be longer than the strategy's window"))
	}
	if (s.CPU.From == Peaks || s.Memory.From == Peaks) && step > s.PeakInterval.Duration {
		errs = append(errs, field.Invalid(path.Child("step"), step.String(), "must not be longer than the strategy's peakInterval"))
	}
	if len(errs) > 0 {
		return nil, errs
	}
	needs := s.Needs()
	window := promDuration(needs.Window.Duration)
	labels := `{namespace=` + promString(of.Namespace) + `,pod=~` + promString(of.Pods) + `,container!="",container!="POD"`
	var out []Query
	for _, r := range []ResourceNeeds{needs.CPU, needs.Memory} {
		series, raw := labels+`}`, ""
		every := step
		if r.Resource == corev1.ResourceCPU {
			raw = "container_cpu_usage_seconds_total" + series
			series = "rate(" + raw + "[" + promDuration(step) + "])"
		} else {
			raw = "container_memory_working_set_bytes" + series
			series = raw
		}
		if r.From == Peaks {
			every = r.Interval.Duration
			inner := "[" + promDuration(every) + "]"
			if r.Resource == corev1.ResourceCPU {
				inner = "[" + promDuration(every) + ":" + promDuration(step) + "]"
			}
			series = "max_over_time(" + series + inner + ")"
		}
		series = "max by (pod, container) (" + series + ")" // a restart makes a series of its own
		over := series + "[" + window + ":" + promDuration(every) + "]"
		for _, q := range r.Quantiles {
			out = append(out, Query{MeasureQuantile, r.Resource, q,
				"max by (container) (quantile_over_time(" + strconv.FormatFloat(q.Float(), 'f', -1, 64) + ", " + over + "))"})
		}
		whole := over
		if r.Resource == corev1.ResourceMemory {
			whole = raw + "[" + window + "]" // every scrape counts for the largest value
		}
		times := "timestamp(" + raw + ")[" + window + ":" + promDuration(step) + "]"
		out = append(out,
			Query{Measure: MeasureMax, Resource: r.Resource, Text: "max by (container) (max_over_time(" + whole + "))"},
			Query{Measure: MeasureCount, Resource: r.Resource, Text: "sum by (container) (count_over_time((max by (pod, container) (" + raw + "))[" + window + ":1m]))"},
			Query{Measure: MeasureFirst, Resource: r.Resource, Text: "min by (container) (min_over_time(" + times + "))"},
			Query{Measure: MeasureLast, Resource: r.Resource, Text: "max by (container) (max_over_time(" + times + "))"})
	}
	all := labels + "}[" + window + "]"
	out = append(out,
		Query{Measure: MeasureThrottled, Resource: corev1.ResourceCPU, Text: "max by (container) (sum by (pod, container) (increase(container_cpu_cfs_throttled_periods_total" + all +
			")) / sum by (pod, container) (increase(container_cpu_cfs_periods_total" + all + ")))"},
		Query{Measure: MeasureOOMKills, Resource: corev1.ResourceMemory, Text: "(sum by (container) (increase(container_oom_events_total" + all + ")) > 0)" +
			" or max by (container) (max_over_time(kube_pod_container_status_last_terminated_reason" + labels + `,reason="OOMKilled"}[` + window + "]))"})
	if of.HPA != "" {
		hpa := `{namespace=` + promString(of.Namespace) + `,horizontalpodautoscaler=` + promString(of.HPA) + `}`
		// With two replicas of kube-state-metrics, or while one replaces another, a metric has two series; a comparison of two series to two is refused.
		const each = "max by (namespace, horizontalpodautoscaler) (kube_horizontalpodautoscaler_"
		out = append(out,
			Query{Measure: MeasureReplicas, Text: "max(max_over_time(kube_horizontalpodautoscaler_status_current_replicas" + hpa + "[" + window + "]))"},
			Query{Measure: MeasureShareAtMax, Text: "max(avg_over_time((" + each + "status_current_replicas" + hpa + ") >= bool " +
				each + "spec_max_replicas" + hpa + "))[" + window + ":" + promDuration(step) + "]))"},
			Query{Measure: MeasureMaxReplicas, Text: "max(kube_horizontalpodautoscaler_spec_max_replicas" + hpa + ")"})
	}
	return out, nil
}

// promString quotes as PromQL does, which is as Go does.
func promString(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "�")) }

// promDuration writes a duration in the units of PromQL; below a millisecond nothing is left.
func promDuration(d time.Duration) string {
	var b strings.Builder
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if n := d / u.unit; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10) + u.name)
			d -= n * u.unit
		}
	}
	if b.Len() == 0 {
		return "1ms"
	}
	return b.String()
}
