package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/internal/exact"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// report is the JSON form. It only ever grows. Lists are never null; a text that does not apply is empty; amounts are canonical quantities.
type report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Items      []item `json:"items"`
	// Errors are the faults of the input. What they concern is not in Items.
	Errors []fault  `json:"errors"`
	Notes  []string `json:"notes"`
	// Usage says what became of the rows of --usage; absent without it.
	Usage *usageReport `json:"usage,omitempty"`

	undoes  bool   // the report is of rollbacks and releases
	manager string // the field manager of the writes
	// unpriced are the resources without a price, where another has one.
	unpriced []corev1.ResourceName
}

func newReport() report {
	return report{APIVersion: "rightsize/v1alpha1", Kind: "CoordinateReport", Items: []item{}, Errors: []fault{}, Notes: []string{}}
}

// item is one workload.
type item struct {
	Workload    workloadName          `json:"workload"`
	Outcome     hpacouple.Outcome     `json:"outcome"`
	SkipReason  skipreason.Skip       `json:"skipReason"`
	SkipReasons []skipreason.Skip     `json:"skipReasons"`
	Cause       bounds.Cause          `json:"cause"`
	Missing     []string              `json:"missing"` // containers without a request
	RiskFlags   []skipreason.RiskFlag `json:"riskFlags"`
	Findings    []risk.Finding        `json:"findings"` // where the flags come from that the surroundings raised
	HPA         hpaName               `json:"hpa"`
	OtherHPAs   []hpaName             `json:"otherHPAs"`
	Targets     []target              `json:"targets"`
	Containers  []container           `json:"containers"`
	Working     *working              `json:"working"` // null where nothing was coordinated
	Footprints  []footprint           `json:"footprints"`
	Admission   admission             `json:"admission"`
	// Savings are what the plan frees, and Recommended what it would free if nothing stood against it; of one pod, and per hour of all.
	Savings     savings  `json:"savings"`
	Recommended savings  `json:"recommendedSavings"`
	Notes       []string `json:"notes"`

	Sources []string `json:"sources"` // of the new requests and limits

	Action action `json:"action"`
	sending

	entries []metrics.Entry // of the HPA, for the text
	plan    hpacouple.Result

	policyUnknown bool
}

type workloadName struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

func (w workloadName) String() string { return w.Kind + " " + w.Namespace + "/" + w.Name }

type hpaName struct {
	Name string `json:"name"`
}

type target struct {
	Type      string              `json:"type"`
	Resource  corev1.ResourceName `json:"resource"`
	Container string              `json:"container"`
	From      int32               `json:"from"`
	To        int32               `json:"to"`
	Exact     hpacouple.Fraction  `json:"exact"`
	Wanted    hpacouple.Fraction  `json:"wanted"`
}

type container struct {
	Name        string              `json:"name"`
	Role        metrics.Role        `json:"role"`
	Injected    bool                `json:"injected"`
	Resource    corev1.ResourceName `json:"resource"`
	From        string              `json:"from"`
	Source      metrics.Source      `json:"source"`
	Recommended string              `json:"recommended"`
	Settled     string              `json:"settled"`
	To          string              `json:"to"`
	LimitFrom   string              `json:"limitFrom"`
	LimitAsked  string              `json:"limitAsked"`
	LimitTo     string              `json:"limitTo"`
	BoundBy     bounds.Rule         `json:"boundBy"`
	Locked      bool                `json:"locked"`
	Counted     bool                `json:"counted"`
	// Explanation says step by step how the recommended request was made of usage.
	Explanation []step  `json:"explanation"`
	Savings     savings `json:"savings"`
}

// working is the arithmetic of the coordinated target: request sums of one pod.
type working struct {
	Resource corev1.ResourceName `json:"resource"`
	Basis    metrics.Basis       `json:"basis"`
	Old      string              `json:"old"`
	Wanted   string              `json:"wanted"`
	New      string              `json:"new"`
	Bounds   bounds.Interval     `json:"bounds"`
	Acted    bounds.Rule         `json:"acted"`
	Needed   string              `json:"needed"` // the request sum that a bound asked for
	Reach    bounds.Reach        `json:"reach"`
}

type footprint struct {
	Resource    corev1.ResourceName `json:"resource"`
	From        string              `json:"from"`
	Recommended string              `json:"recommended"`
	To          string              `json:"to"`
}

type admission struct {
	Allowed bool                    `json:"allowed"`
	Reason  skipreason.Block        `json:"reason"`
	Cause   skipreason.BlockCause   `json:"cause"`
	Causes  []skipreason.BlockCause `json:"causes"`
}

// list is never null.
func list[T any](l []T) []T { return append([]T{}, l...) }

func newItem(t *task, in hpacouple.Input, r hpacouple.Result, v hpacouple.Verdict) item {
	i := item{
		Workload: workloadName{t.Kind, t.Namespace, t.Name},
		Outcome:  r.Outcome, SkipReason: r.SkipReason, SkipReasons: list(r.SkipReasons), Cause: r.Cause, Missing: list(r.Missing),
		RiskFlags: list(r.RiskFlags), Findings: list(r.Findings), HPA: hpaName{r.HPA.Name}, OtherHPAs: []hpaName{}, Targets: []target{}, Containers: []container{},
		Footprints: []footprint{}, Admission: admission{v.Allowed, v.Reason, v.Cause, list(v.Causes)}, Notes: list(t.notes), plan: r,
		Action: actChange, sending: newSending(),
	}
	i.Sources = t.sources()
	if in.HPA != nil {
		i.entries = metrics.Classify(&in.HPA.Spec)
	}
	for _, o := range in.OtherHPAs {
		i.OtherHPAs = append(i.OtherHPAs, hpaName{o.Name})
	}
	for _, p := range r.Targets {
		i.Targets = append(i.Targets, target{string(p.Type), p.Resource, p.Container, p.From, p.To, p.Exact, p.Wanted})
	}
	for _, c := range r.Containers {
		i.Containers = append(i.Containers, container{c.Name, c.Role, c.Injected, c.Resource, text(c.From), c.Source, text(c.Recommended), text(c.Settled),
			text(c.To), text(c.LimitFrom), text(c.LimitAsked), text(c.LimitTo), c.BoundBy, c.Locked, c.Counted, []step{}, savings{}})
	}
	if w := r.Working; w != nil {
		i.Working = &working{w.Resource, w.Basis, milli(w.Old, w.Resource), milli(w.Wanted, w.Resource), milli(w.New, w.Resource), w.Bounds,
			w.Acted, "", w.Reach}
		if w.Needed != 0 {
			i.Working.Needed = milli(w.Needed, w.Resource)
		}
	}
	for _, f := range r.Footprints {
		i.Footprints = append(i.Footprints, footprint{f.Resource, f.From.String(), f.Recommended.String(), f.To.String()})
	}
	return i
}

// text prints an amount, empty where there is none. The quantities are the result's own.
func text(q *resource.Quantity) string {
	if q == nil {
		return ""
	}
	return q.String()
}

// milli prints thousandths of a resource.
func milli(m int64, name corev1.ResourceName) string {
	format := resource.DecimalSI
	if name == corev1.ResourceMemory {
		format = resource.BinarySI
	}
	q := exact.Quantity(m, format)
	return q.String()
}
