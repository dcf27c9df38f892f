package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/replicas"
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
}

// explain answers for every HPA of the input, by namespace and name.
func explain(d documents, s settings) report {
	r := report{Items: []item{}, Errors: d.faults}
	in := surroundings{settings: s, documents: d, targets: targets(&d.objects)}
	r.Errors = append(r.Errors, in.convert()...)
	in.setTime()
	for _, hpa := range in.hpas {
		i, err := in.explain(hpa)
		if err != nil {
			r.Errors = append(r.Errors, fmt.Sprintf("HorizontalPodAutoscaler %s/%s: %v", hpa.Namespace, hpa.Name, err))
			continue
		}
		r.Items = append(r.Items, i)
	}
	r.Errors = append(r.Errors, in.checkMetrics()...)
	r.Errors = append(r.Errors, in.checkReplicas()...)
	if len(in.hpas) == 0 && len(r.Errors) == 0 {
		r.Errors = append(r.Errors, "there is no HorizontalPodAutoscaler in the input")
	}
	return r
}

// convert reads the documents.
func (in *surroundings) convert() (faults []string) {
	for _, a := range in.objects.Autoscalers {
		in.hpas = append(in.hpas, a.Object)
	}
	for _, a := range in.objects.AutoscalersV1 {
		hpa, err := metrics.FromV1(a.Object)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", a.Origin, err))
			continue
		}
		in.hpas = append(in.hpas, hpa)
	}
	slices.SortStableFunc(in.hpas, func(a, b *autoscalingv2.HorizontalPodAutoscaler) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, p := range in.objects.Pods {
		in.pods = append(in.pods, *p.Object)
	}
	for _, p := range in.objects.PodMetrics {
		m := replicas.PodMetrics{ObjectMeta: p.Object.ObjectMeta, Timestamp: p.Object.Timestamp, Window: p.Object.Window}
		for _, c := range p.Object.Containers {
			m.Containers = append(m.Containers, replicas.ContainerMetrics{Name: c.Name, Usage: c.Usage})
		}
		in.samples = append(in.samples, m)
	}
	return faults
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

// explain is the answer for one HPA: what the controller does, its overflows included, and what would be right.
func (in *surroundings) explain(hpa *autoscalingv2.HorizontalPodAutoscaler) (item, error) {
	spec, errs := replicas.FromHPA(hpa, replicas.Flags{})
	if len(errs) > 0 {
		return item{}, errs.ToAggregate()
	}
	t := in.target(hpa)
	o := in.observe(hpa, t)
	state := replicas.FromStatus(hpa.Status)
	_, exact := replicas.Step(spec, state, o, in.at)
	theirs := spec
	theirs.ReproduceOverflow = true
	_, d := replicas.Step(theirs, state, o, in.at)

	ref := hpa.Spec.ScaleTargetRef
	i := item{
		HPA: hpa.Namespace + "/" + hpa.Name, Target: ref.Kind + "/" + ref.Name, At: d.At.Format(time.RFC3339), Path: string(d.Path),
		CurrentReplicas: d.Current, DesiredReplicas: d.Replicas(), MinReplicas: spec.Min(), MaxReplicas: spec.MaxReplicas,
		LimitedBy: limitedBy(&d), Steps: steps(&spec, &d, &exact), Error: d.ErrorText(spec, o), Metrics: []metric{},
		Conditions: conditions(hpa, spec, &d, o), RiskFlags: []skipreason.RiskFlag{},
	}
	for _, e := range metrics.Validate(hpa) {
		i.Refused = append(i.Refused, e.Error())
	}
	if d.Path == replicas.PathMetrics {
		i.WantedReplicas, i.StabilizedReplicas = &d.Proposal, &d.Stabilized
		if d.RateLimited {
			i.RateLimit = &d.Limit
		}
	}
	if d.Proposal != exact.Proposal || d.Desired != exact.Desired {
		i.ExactWantedReplicas, i.ExactDesiredReplicas = &exact.Proposal, &exact.Desired
	}
	if reason, message := d.Event(spec, o); reason != "" {
		i.Event = reason + ": " + message
	}
	calculator := spec.Calculator(d.Current, o.StatusReplicas, in.at)
	for n := range d.Metrics {
		m := explainMetric(working{metric: &spec.Metrics[n], calculator: &calculator, reading: &o.Readings[n]}, &d.Metrics[n], &exact.Metrics[n])
		m.Drives = d.Driver == n
		i.Metrics = append(i.Metrics, m)
	}
	in.risks(&i, hpa, t)
	return i, nil
}

// observe is what the controller would see.
func (in *surroundings) observe(hpa *autoscalingv2.HorizontalPodAutoscaler, t *target) replicas.Observation {
	if t == nil {
		ref := hpa.Spec.ScaleTargetRef
		count := hpa.Status.CurrentReplicas
		return replicas.Observation{Replicas: count, StatusReplicas: count, ScaleError: fmt.Sprintf("%s %s is not in the input; --replicas says how many there are", ref.Kind, ref.Name)}
	}
	c := replicas.Cluster{Scale: t.scale(in.pods), Pods: in.pods, Resource: in.samples}
	if len(in.samples) == 0 {
		c.ResourceError = "there are no PodMetrics in the input"
	}
	for _, m := range metrics.Classify(&hpa.Spec) {
		c.Values = append(c.Values, in.values(hpa, m))
	}
	for _, other := range in.hpas {
		if u := in.target(other); other != hpa && u != nil && other.Namespace == hpa.Namespace {
			c.Rivals = append(c.Rivals, replicas.Rival{Name: other.Name, Selector: u.scale(nil).Status.Selector})
		}
	}
	return replicas.Observe(hpa, c)
}
