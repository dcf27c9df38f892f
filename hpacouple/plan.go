package hpacouple

import (
	"cmp"
	"errors"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kube-rightsize/rightsize/bounds"
	"github.com/kube-rightsize/rightsize/metrics"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// Plan returns the requests and the target that go together, or says why they stay: the hub's part of protocol A.
//
//	settle   each recommendation: step, present request, lock, limit         (bounds.Settle)
//	couple   find the one utilization entry, sum the requests of one pod      (metrics)
//	fit      move requests so that T' = T x R / R' stays in the bounds        (bounds.Fit)
//	reach    refuse a pair that could never scale out                         (bounds.Reachable)
//
// Outcomes in their precedence: [Uncoupled] where no utilization entry is on a resource in auto-patch; [Skip] where a skip reason stands;
// [NoChange] where no request changes; [Coordinate]. On Skip and NoChange all final requests and targets are the present ones. The
// recommendation, its footprint and the risk flags are in the result whatever the outcome.
//
// Units: quantities at the border, thousandths inside, whole percent for targets. Rounding: requests up to the step (money), the target to
// the nearest percent, a tie to the lower (money: it scales out earlier).
//
// Errors, with field paths, instead of an outcome: what a cluster cannot hold (negative amounts, amounts whose thousandths pass int64,
// duplicate containers, a request above its limit, an HPA that the API server would refuse, a scaleTargetRef that names another workload) and
// recommendations that cannot be meant (0 or less, an unknown container or resource, a request above the limit that is given with it).
//
// Limits: min, max and maxLimitRequestRatio of LimitRanges are not applied to the final requests (package recommend does that before); devices'
// claims on cpu and memory are not seen.
//
// The input is not written to, and the result shares nothing with it.
// Laws H1, H1b, H2, H4, H6, H7, H8, H9, H10 and the P-laws. Source: protocol A1 to A9.
func Plan(in Input) (Result, field.ErrorList) {
	p := planner{in: &in}
	p.readOptions()
	p.checkInput()
	for r, name := range allSized {
		p.byResource[r] = p.cells(name)
	}
	p.readPodLevel()
	p.entries()
	if len(p.errs) > 0 {
		return Result{}, sorted(p.errs)
	}
	for r := range p.byResource {
		for i := range p.byResource[r] {
			p.settle(&p.byResource[r][i])
		}
	}
	p.checkPodLevel()
	if len(p.errs) == 0 {
		p.decide()
	}
	if len(p.errs) > 0 {
		return Result{}, sorted(p.errs)
	}
	return p.result(), nil
}

// sorted puts errors in an order that does not depend on the order of maps.
func sorted(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Error(), b.Error()))
	})
	return errs
}

// planner carries one plan from step to step.
type planner struct {
	in      *Input
	errs    field.ErrorList
	allowed []corev1.ResourceName
	steps   [2]int64 // in the order of allSized
	bounds  bounds.Interval
	nodes   [2]int64 // what the largest node can give, -1 for unknown

	asked      nameIndex // recommendation by container
	hpas       int       // how many HPAs the workload has
	podLevel   [2]podLevel
	lists      [2][]metrics.Container // the pod's containers, in the order of allSized
	byResource [2][]cell              // in the order of allSized
	coupled    []metrics.Entry
	all        []metrics.Entry
	own        []metrics.Entry // of in.HPA
	single     bool            // the one coupled entry can be coordinated

	outcome decision
	sum     metrics.Sum
	working *Working
	target  int32

	anchored *anchored // nil where there is no state, or no pair to compare it with
}

// decision is what decide finds.
type decision struct {
	kind    Outcome
	skips   []skipreason.Skip
	cause   bounds.Cause
	missing []string
}

func (p *planner) step(name corev1.ResourceName) int64 { return p.steps[index(name)] }

// namespace is the workload's, or its HPA's where the caller did not say.
func (p *planner) namespace() string {
	return cmp.Or(p.in.Workload.Namespace, refOf(p.in.HPA).Namespace)
}

func index(name corev1.ResourceName) int { return slices.Index(allSized[:], name) }

func (p *planner) autoPatch(name corev1.ResourceName) bool { return slices.Contains(p.allowed, name) }

// entries classifies what the HPAs measure. A DaemonSet cannot be scaled: an HPA that names one fails and couples nothing.
func (p *planner) entries() {
	if p.in.Workload.Kind == "DaemonSet" {
		return
	}
	p.addEntries(p.in.HPA)
	for _, hpa := range p.in.OtherHPAs {
		p.addEntries(hpa)
	}
}

func (p *planner) addEntries(hpa *autoscalingv2.HorizontalPodAutoscaler) {
	if hpa == nil {
		return
	}
	entries := p.entriesOf(hpa)
	if p.hpas++; p.hpas == 1 {
		p.all = entries
	} else {
		p.all = append(p.all, entries...)
	}
	for _, e := range entries {
		if e.Coupled() {
			p.coupled = append(p.coupled, e)
		}
	}
}

// entriesOf classifies an HPA once.
func (p *planner) entriesOf(hpa *autoscalingv2.HorizontalPodAutoscaler) []metrics.Entry {
	switch {
	case hpa == nil:
		return nil
	case hpa != p.in.HPA:
		return metrics.Classify(&hpa.Spec)
	case p.own == nil:
		p.own = slices.Clip(metrics.Classify(&hpa.Spec))
	}
	return p.own
}

// decide finds the outcome and, where there is one coupled entry, the final requests and target.
func (p *planner) decide() {
	held := p.held()
	if len(held) == 0 {
		p.outcome.kind = Uncoupled
		return
	}
	skip := func(s skipreason.Skip) { p.outcome.skips = append(p.outcome.skips, s) }
	if p.in.MaxReplicasReached {
		skip(skipreason.MaxReplicasReached)
	}
	p.single = p.hpas == 1 && len(p.all) == 1 && held[0].Type == autoscalingv2.ResourceMetricSourceType
	if !p.single {
		skip(skipreason.UnsupportedMetrics)
	}
	if p.sumRequests(held); len(p.errs) > 0 {
		return
	}
	if p.outcome.missing != nil {
		skip(skipreason.MissingRequest)
	}
	if p.single && p.outcome.missing == nil {
		if p.fit(held[0]); p.outcome.cause != "" {
			skip(skipreason.TargetOutOfBounds)
		}
	}
	switch {
	case len(p.outcome.skips) > 0:
		p.outcome.kind = Skip
	case p.anyChange():
		p.outcome.kind = Coordinate
	default:
		p.outcome.kind = NoChange
	}
	if p.outcome.kind != Coordinate {
		p.stay()
	}
}

// held returns the coupled entries on resources in auto-patch: what holds the workload back.
func (p *planner) held() (held []metrics.Entry) {
	if p.autoPatch(corev1.ResourceCPU) && p.autoPatch(corev1.ResourceMemory) {
		return p.coupled
	}
	for _, e := range p.coupled {
		if p.autoPatch(e.Resource) {
			held = append(held, e)
		}
	}
	return held
}

// sumRequests computes the request sum of each entry and finds missing requests. A sum of 0 counts as missing: utilization has no meaning.
func (p *planner) sumRequests(held []metrics.Entry) {
	for _, e := range held {
		sum, err := p.in.Pod.RequestsOf(p.lists[index(e.Resource)], e.Resource, e.Container)
		p.sum = sum
		for i, cells := 0, p.cellsOf(e.Resource); i < len(sum.Terms); i++ {
			cells[i].counted = cells[i].counted || sum.Terms[i].Counted
		}
		if err != nil {
			p.noSum(err)
		} else if sum.Milli == 0 {
			for _, t := range sum.Terms {
				if t.Counted {
					p.missing(t.Name)
				}
			}
			p.missing()
		}
	}
}

func (p *planner) noSum(err error) {
	var missing *metrics.MissingRequestError
	var bad *field.Error
	switch {
	case errors.As(err, &missing):
		p.missing(missing.Containers...)
	case errors.As(err, &bad):
		p.errs = append(p.errs, bad)
	}
}

func (p *planner) missing(names ...string) {
	if p.outcome.missing == nil {
		p.outcome.missing = []string{}
	}
	for _, n := range names {
		if !slices.Contains(p.outcome.missing, n) {
			p.outcome.missing = append(p.outcome.missing, n)
		}
	}
}

func (p *planner) anyChange() bool {
	return anyChange(p.byResource[0]) || anyChange(p.byResource[1])
}

func anyChange(cells []cell) bool {
	for i := range cells {
		if cells[i].changes() {
			return true
		}
	}
	return false
}

// stay puts every request and limit back to the present one; the rules that would have decided stay visible, but for a skip.
func (p *planner) stay() {
	for _, cells := range p.byResource {
		for i := range cells {
			c := &cells[i]
			if p.outcome.kind == Skip && c.changes() {
				c.by = bounds.RuleSkip
			}
			c.final, c.stays = c.Request.Milli, true
		}
	}
	if w := p.working; w != nil {
		w.New, p.target = w.Old, p.hpaTarget()
		w.Reach = p.reach(p.target, w.Old, p.limitSum(p.cellsOf(w.Resource), true))
	}
}

// hpaTarget is the present target of the one coupled entry.
func (p *planner) hpaTarget() int32 { return p.coupled[0].Utilization }

// cellsOf returns the cells of one resource.
func (p *planner) cellsOf(name corev1.ResourceName) []cell {
	return p.byResource[index(name)]
}
