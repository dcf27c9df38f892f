package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

func labelsOf(p *corev1.Pod) labels.Set { return labels.Set(p.Labels) }

// surroundings are the input in the types of the library.
type surroundings struct {
	settings
	documents
	at      time.Time
	hpas    []*autoscalingv2.HorizontalPodAutoscaler
	targets []target
	pods    []corev1.Pod
	samples []replicas.PodMetrics
	used    map[string]bool // names of --metric that an HPA measures
}

// explain answers for every HPA of the input, by namespace and name.
func explain(d documents, s settings) report {
	r := report{Items: []item{}, Errors: d.faults}
	in := surroundings{settings: s, documents: d, used: map[string]bool{}, targets: targets(&d.objects)}
	for _, a := range d.objects.Autoscalers {
		in.hpas = append(in.hpas, a.Object)
	}
	for _, a := range d.objects.AutoscalersV1 {
		hpa, err := metrics.FromV1(a.Object)
		if err != nil {
			r.Errors = append(r.Errors, fmt.Sprintf("%s: %v", a.Origin, err))
			continue
		}
		in.hpas = append(in.hpas, hpa)
	}
	for _, p := range d.objects.Pods {
		in.pods = append(in.pods, *p.Object)
	}
	for _, p := range d.objects.PodMetrics {
		in.sample(p.Object.Name, p.Object.Namespace, p.Object.Labels, p.Object.Timestamp.Time, p.Object.Window.Duration)
		m := &in.samples[len(in.samples)-1]
		for _, c := range p.Object.Containers {
			m.Containers = append(m.Containers, replicas.ContainerMetrics{Name: c.Name, Usage: c.Usage})
		}
	}
	in.setTime()
	slices.SortStableFunc(in.hpas, func(a, b *autoscalingv2.HorizontalPodAutoscaler) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, hpa := range in.hpas {
		i, err := in.explain(hpa)
		if err != nil {
			r.Errors = append(r.Errors, fmt.Sprintf("HorizontalPodAutoscaler %s/%s: %v", hpa.Namespace, hpa.Name, err))
			continue
		}
		r.Items = append(r.Items, i)
	}
	for _, m := range s.metrics {
		if !in.used[m.name] {
			r.Errors = append(r.Errors, "--metric "+m.name+": no HPA has a Pods, Object or External metric of that name")
			in.used[m.name] = true
		}
	}
	if len(in.hpas) == 0 && len(r.Errors) == 0 {
		r.Errors = append(r.Errors, "there is no HorizontalPodAutoscaler in the input")
	}
	return r
}

func (in *surroundings) sample(name, namespace string, labels map[string]string, at time.Time, window time.Duration) {
	m := replicas.PodMetrics{}
	m.Name, m.Namespace, m.Labels = name, namespace, labels
	m.Timestamp.Time, m.Window.Duration = at, window
	in.samples = append(in.samples, m)
}

// setTime takes the time of the newest sample, if none was given.
func (in *surroundings) setTime() {
	in.at = in.settings.at
	if !in.at.IsZero() {
		return
	}
	for i := range in.samples {
		if t := in.samples[i].Timestamp.Time; t.After(in.at) {
			in.at = t
		}
	}
	if in.at.IsZero() {
		in.at = time.Now()
	}
}

// explain is the answer for one HPA.
func (in *surroundings) explain(hpa *autoscalingv2.HorizontalPodAutoscaler) (item, error) {
	spec, errs := replicas.FromHPA(hpa, replicas.Flags{})
	if len(errs) > 0 {
		return item{}, errs.ToAggregate()
	}
	t := targetOf(hpa, in.targets)
	o := in.observe(hpa, t)
	_, d := replicas.Step(spec, replicas.FromStatus(hpa.Status), o, in.at)
	ref := hpa.Spec.ScaleTargetRef
	i := item{
		HPA: hpa.Namespace + "/" + hpa.Name, Target: ref.Kind + "/" + ref.Name, At: d.At.Format(time.RFC3339), Path: string(d.Path),
		CurrentReplicas: d.Current, DesiredReplicas: d.Replicas(), MinReplicas: spec.Min(), MaxReplicas: spec.MaxReplicas,
		LimitedBy: limitedBy(&d), Steps: in.steps(&spec, &d), Error: d.ErrorText(spec, o), Metrics: []metric{}, Conditions: conditions(hpa, spec, &d, o),
		RiskFlags: []skipreason.RiskFlag{},
	}
	if d.Path == replicas.PathMetrics {
		i.WantedReplicas = &d.Proposal
	}
	if reason, message := d.Event(spec, o); reason != "" {
		i.Event = reason + ": " + message
	}
	calculator := spec.Calculator(d.Current, o.StatusReplicas, in.at)
	for n := range d.Metrics {
		i.Metrics = append(i.Metrics, explainMetric(&spec, &calculator, &d, n, &o.Readings[n]))
	}
	in.risks(&i, hpa, t)
	return i, nil
}

// observe is what the controller would see.
func (in *surroundings) observe(hpa *autoscalingv2.HorizontalPodAutoscaler, t *target) replicas.Observation {
	if t == nil {
		ref := hpa.Spec.ScaleTargetRef
		count := hpa.Status.CurrentReplicas
		return replicas.Observation{Replicas: count, StatusReplicas: count, ScaleError: fmt.Sprintf("%s %s is not in the input", ref.Kind, ref.Name)}
	}
	c := replicas.Cluster{Scale: t.scale(in.pods), Pods: in.pods, Resource: in.samples}
	if len(in.samples) == 0 {
		c.ResourceError = "there are no PodMetrics in the input"
	}
	for _, m := range metrics.Classify(&hpa.Spec) {
		c.Values = append(c.Values, in.values(m, t))
	}
	for _, other := range in.hpas {
		if u := targetOf(other, in.targets); other != hpa && u != nil && other.Namespace == hpa.Namespace {
			c.Rivals = append(c.Rivals, replicas.Rival{Name: other.Name, Selector: u.scale(nil).Status.Selector})
		}
	}
	return replicas.Observe(hpa, c)
}

// values are those of --metric.
func (in *surroundings) values(m metrics.Entry, t *target) (v replicas.MetricValues) {
	if m.Metric == "" {
		return v
	}
	v.Error = "no value was given: --metric " + m.Metric + "=VALUE"
	for _, given := range in.settings.metrics {
		if given.name != m.Metric {
			continue
		}
		in.used[m.Metric] = true
		v.Error = ""
		q := given.value.DeepCopy()
		switch m.Type {
		case autoscalingv2.ObjectMetricSourceType:
			v.Object = &q
		case autoscalingv2.ExternalMetricSourceType:
			v.External = append(v.External, q)
		case autoscalingv2.PodsMetricSourceType:
			v.Pods = v.Pods[:0]
			for i := range in.pods {
				if in.pods[i].Namespace == t.Namespace {
					v.Pods = append(v.Pods, replicas.PodValue{Pod: in.pods[i].Name, Value: q})
				}
			}
		}
	}
	return v
}

// conditions are those after the pass; where the pass left one alone, the HPA's own text stands.
func conditions(hpa *autoscalingv2.HorizontalPodAutoscaler, spec replicas.Spec, d *replicas.Decision, o replicas.Observation) []condition {
	out := []condition{}
	for _, kind := range replicas.ConditionTypes() {
		c := d.Conditions.Of(kind)
		if !c.Present() {
			continue
		}
		text := d.Message(spec, o, kind)
		for _, old := range hpa.Status.Conditions {
			if text == "" && old.Type == kind {
				text = old.Message
			}
		}
		out = append(out, condition{Type: string(kind), Status: string(c.Status), Reason: c.Reason, Message: text})
	}
	return out
}

// risks enters the findings of package risk.
func (in *surroundings) risks(i *item, hpa *autoscalingv2.HorizontalPodAutoscaler, t *target) {
	if t == nil {
		return
	}
	input := risk.Input{Workload: risk.Object{Kind: t.Kind, Namespace: t.Namespace, Name: t.Name}, SpecReplicas: t.replicas,
		TemplateLabels: t.template.Labels, HPA: hpa, OtherHPAs: in.hpas}
	input.Pod = metrics.Pod{Spec: &t.template.Spec}
	for _, l := range in.objects.LimitRanges {
		if l.Namespace == t.Namespace {
			input.Pod.LimitRanges = append(input.Pod.LimitRanges, *l.Object)
		}
	}
	for _, s := range in.objects.Services {
		input.Services = append(input.Services, *s.Object)
	}
	selector, err := labels.Parse(t.scale(nil).Status.Selector)
	for n := range in.pods {
		if p := &in.pods[n]; err == nil && p.Namespace == t.Namespace && !selector.Empty() && selector.Matches(labelsOf(p)) {
			input.Pods = append(input.Pods, *p)
		}
	}
	found := risk.Check(input)
	i.RiskFlags = append(i.RiskFlags, risk.Flags(found)...)
	for _, f := range found {
		i.Risks = append(i.Risks, finding{Flag: f.Flag, Sentence: f.Flag.Entry().Sentence, Object: f.Object.Kind + "/" + f.Object.Name,
			Field: f.Field, Found: f.Detail})
	}
}

// quantity is an amount as people write it: cpu in millicores, memory in Ki, Mi, Gi where it is whole.
func quantity(name string, milli int64) string {
	if name == string(corev1.ResourceCPU) {
		return strconv.FormatInt(milli, 10) + "m"
	}
	format := resource.DecimalSI
	if name == string(corev1.ResourceMemory) {
		format = resource.BinarySI
	}
	return resource.NewMilliQuantity(milli, format).String()
}
