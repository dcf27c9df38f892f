package replicas_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingv2conv "k8s.io/kubernetes/pkg/apis/autoscaling/v2"

	"github.com/kube-rightsize/rightsize/replicas"
)

func TestMain(m *testing.M) {
	// The in-memory HPA keeps no resource versions.
	if err := utilfeature.DefaultMutableFeatureGate.Set("StaleControllerConsistencyHPA=false"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	utilruntime.ErrorHandlers = nil // the real code prints what it also returns
	os.Exit(m.Run())
}

// defaults are the API server's own.
var defaults = func() *kruntime.Scheme {
	s := kruntime.NewScheme()
	utilruntime.Must(autoscaling.AddToScheme(s))
	utilruntime.Must(autoscalingv2conv.AddToScheme(s))
	return s
}()

const passes = 30

// trace is one HPA through many passes, on both sides.
type trace struct {
	*plane
	draw
	flags       flags
	scaleToZero bool
	written     *autoscalingv2.HorizontalPodAutoscaler // as the user wrote it, without defaults
	spec        corev1.PodSpec
	rivals      []replicas.Rival
	state       replicas.State
	messages    map[autoscalingv2.HorizontalPodAutoscalerConditionType]string
	share       share
}

func (c *plane) start(d draw, f flags, scaleToZero bool, s share) *trace {
	tr := &trace{plane: c, draw: d, flags: f, scaleToZero: scaleToZero, written: d.hpaCase(), spec: d.spec(), share: s,
		messages: map[autoscalingv2.HorizontalPodAutoscalerConditionType]string{}}
	c.hpa = nil
	tr.apply()
	c.hpa.Status = *tr.written.Status.DeepCopy()
	c.cluster.Scale.Spec.Replicas = one(d, 0, 1, 2, 3, 10, 1+d.Int32N(120))
	tr.state = replicas.FromStatus(tr.written.Status)
	c.meet(c.hpa)
	return tr
}

// end leaves nothing behind for the next trace.
func (tr *trace) end(ctx context.Context) {
	tr.rival("", false)
	tr.forget(ctx)
}

// apply writes the spec to the API server.
func (tr *trace) apply() {
	hpa := tr.written.DeepCopy()
	defaults.Default(hpa)
	if tr.hpa != nil {
		hpa.Status = tr.hpa.Status
	}
	tr.hpa = hpa
}

// disturb draws what happens between two passes.
func (tr *trace) disturb(ctx context.Context) {
	if paused := tr.cluster.Scale.Spec.Replicas == 0 && tr.state.Conditions.ScaledToZero.Status != corev1.ConditionTrue; tr.percent(4) || (paused && tr.percent(15)) {
		tr.cluster.Scale.Spec.Replicas = one(tr.draw, 0, 1, 1+tr.Int32N(40), tr.Int32N(130))
	}
	if tr.percent(6) {
		tr.edit()
		tr.apply()
	}
	if tr.percent(2) { // another leader
		tr.forget(ctx)
		tr.meet(tr.hpa)
		tr.state = replicas.FromStatus(tr.hpa.Status)
	}
	switch {
	case tr.rivals == nil && tr.percent(2):
		r := replicas.Rival{Name: "rival", Selector: one(tr.draw, "app=x", "app", "app=y")}
		tr.rivals = []replicas.Rival{r}
		tr.rival(r.Selector, true)
	case tr.rivals != nil && tr.percent(50):
		tr.rivals = nil
		tr.rival("", false)
	}
	tr.scaleError, tr.updateError = nil, nil
	if tr.percent(2) {
		tr.scaleError = errGone
	}
	if tr.percent(5) {
		tr.updateError = errRefused
	}
}

// edit changes the spec as a user does.
func (tr *trace) edit() {
	switch tr.IntN(5) {
	case 0:
		tr.written.Spec.Behavior = tr.behavior()
	case 1:
		tr.written.Spec.MaxReplicas = 1 + tr.Int32N(100)
	case 2:
		tr.written.Spec.MinReplicas = ptr(tr.Int32N(6))
	default:
		if m := tr.written.Spec.Metrics; len(m) > 0 && m[0].Resource != nil && m[0].Resource.Target.AverageUtilization != nil {
			m[0].Resource.Target.AverageUtilization = ptr(tr.utilization())
		}
	}
}

// measure draws the cluster of the next pass.
func (tr *trace) measure(now time.Time) {
	current := tr.cluster.Scale.Spec.Replicas
	status := current
	if tr.percent(10) {
		status = tr.Int32N(current + 4)
	}
	c := tr.fill(tr.hpa.Spec.Metrics, tr.spec, min(int(status), 5), now)
	c.Scale.Spec.Replicas, c.Scale.Status.Replicas = current, status
	c.Rivals = tr.rivals
	if tr.percent(2) {
		c.Scale.Status.Selector = one(tr.draw, "", "a in b")
	}
	if tr.percent(3) {
		c.ResourceError = "backend down"
	}
	for i := range c.Values {
		if tr.percent(4) {
			c.Values[i].Error = "backend down"
		}
	}
	if m := tr.hpa.Spec.Metrics; len(m) == 1 && m[0].External != nil && m[0].External.Target.AverageValue != nil && tr.percent(90) {
		// A proposal of any size up to a bit above the maximum, and 0 often enough to go there.
		wanted := int64(tr.Int32N(tr.hpa.Spec.MaxReplicas + 6))
		if tr.percent(35) {
			wanted = 0
		}
		c.Values[0].External = []resource.Quantity{*resource.NewMilliQuantity(wanted*m[0].External.Target.AverageValue.MilliValue(), resource.DecimalSI)}
	}
	tr.cluster = c
}

// compare runs a pass on both sides.
func (tr *trace) compare(t *testing.T, ctx context.Context, now time.Time, where string) {
	spec, errs := replicas.FromHPA(tr.written, tr.flags.ours(tr.scaleToZero))
	require.Empty(t, errs, where)
	spec.ReproduceOverflow = true
	o := replicas.Observe(tr.written, tr.cluster)
	if tr.scaleError != nil {
		o.ScaleError = tr.scaleError.Error()
	}
	if tr.updateError != nil {
		o.UpdateError = tr.updateError.Error()
	}
	next, d := replicas.Step(spec, tr.state, o, now)
	if !d.OutOfRange.Any() {
		right := spec
		right.ReproduceOverflow = false
		rightNext, rightDecision := replicas.Step(right, tr.state, o, now)
		require.Equal(t, next, rightNext, where)
		require.Equal(t, d, rightDecision, where)
	} else if !exactConversions {
		t.Skip("the draws left the range in which this machine converts as amd64 does: ", where)
	}
	tr.state = next

	before := tr.cluster.Scale.Spec.Replicas
	err := tr.pass(ctx)
	require.Equal(t, errorText(err), fullError(&d, spec, o), "%s: error", where)
	require.Equal(t, tr.cluster.Scale.Spec.Replicas, d.Replicas(), "%s: replicas after %d", where, before)
	reason, message := d.Event(spec, o)
	require.Equal(t, tr.rescaleEvent(), reason+" "+message, "%s: event", where)
	tr.compareStatus(t, &d, spec, o, where)
	tr.share.pass(&d, spec.Behavior != nil)
}

// compareStatus compares the HPA's status with the state and the decision.
func (tr *trace) compareStatus(t *testing.T, d *replicas.Decision, spec replicas.Spec, o replicas.Observation, where string) {
	status := tr.hpa.Status
	require.Equal(t, status.CurrentReplicas, tr.state.CurrentReplicas, "%s: status.currentReplicas", where)
	require.Equal(t, status.DesiredReplicas, tr.state.DesiredReplicas, "%s: status.desiredReplicas", where)
	require.Equal(t, replicas.FromStatus(status).LastScaleTime, tr.state.LastScaleTime, "%s: lastScaleTime", where)
	require.Equal(t, replicas.FromStatus(status).Conditions, d.Conditions, "%s: conditions", where)
	for _, c := range status.Conditions {
		if text := d.Message(spec, o, c.Type); text != "" {
			tr.messages[c.Type] = text
		}
		if d.Conditions.ScalingActive.Reason != replicas.ReasonAmbiguousSelector {
			require.Equal(t, c.Message, tr.messages[c.Type], "%s: message of %s", where, c.Type)
		}
	}
	if d.Path != replicas.PathMetrics && d.Path != replicas.PathFailed {
		return
	}
	for i, m := range d.Metrics {
		got := metricStatus{}
		if m.Error == nil {
			got = metricStatus{utilization: m.Result.Utilization, milli: m.Result.Milli}
		}
		require.Equal(t, statusOf(status.CurrentMetrics[i]), got, "%s: status of metric %d", where, i)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	if strings.Contains(err.Error(), "controlled by more than one HPA") {
		return "ambiguous"
	}
	return err.Error()
}

// fullError is the pass's error with the controller's wrapping.
func fullError(d *replicas.Decision, spec replicas.Spec, o replicas.Observation) string {
	text := d.ErrorText(spec, o)
	reference := "Deployment/" + namespace + "/target"
	switch {
	case d.Path == replicas.PathNoScale:
		return "failed to query scale subresource for " + reference + ": " + text
	case d.Refused:
		return "failed to rescale " + reference + ": " + text
	case o.Selector == replicas.SelectorAmbiguous && d.Path == replicas.PathSelector:
		return "ambiguous"
	case d.Path == replicas.PathFailed || d.Path == replicas.PathSelector:
		return "failed to compute desired number of replicas based on listed metrics for " + reference + ": " + text
	}
	return text
}

// metricStatus is what status shows of a metric.
type metricStatus struct{ utilization, milli int64 }

func statusOf(m autoscalingv2.MetricStatus) (s metricStatus) {
	var v autoscalingv2.MetricValueStatus
	switch {
	case m.Resource != nil:
		v = m.Resource.Current
	case m.ContainerResource != nil:
		v = m.ContainerResource.Current
	case m.Pods != nil:
		v = m.Pods.Current
	case m.Object != nil:
		v = m.Object.Current
	case m.External != nil:
		v = m.External.Current
	}
	if v.AverageUtilization != nil {
		s.utilization = int64(*v.AverageUtilization)
	}
	if v.AverageValue != nil {
		s.milli = v.AverageValue.MilliValue()
	}
	if v.Value != nil {
		s.milli = v.Value.MilliValue()
	}
	return s
}

// settings are the controllers that the traces are spread over.
func settings() []flags {
	return []flags{
		{5 * time.Minute, 5 * time.Minute, 30 * time.Second, 0.1},
		{time.Minute, time.Minute, 0, 0.05},
		{90*time.Second + 500*time.Millisecond, 5 * time.Minute, time.Minute, 0},
		{0, 0, 30 * time.Second, 0.1},
	}
}

// TestTraces compares the real controller with Step, over random HPAs, clusters and disturbances. The clock is a bubble's.
func TestTraces(t *testing.T) {
	all := runTraces(t, count(t, "CONFORMANCE_TRACES", 20_000), true)
	all.require(t)
}

// TestTracesWithoutScaleToZero does it with the gate HPAScaleToZero off, as a cluster has it that was told so.
func TestTracesWithoutScaleToZero(t *testing.T) {
	require.NoError(t, utilfeature.DefaultMutableFeatureGate.Set("HPAScaleToZero=false"))
	defer func() { require.NoError(t, utilfeature.DefaultMutableFeatureGate.Set("HPAScaleToZero=true")) }()
	runTraces(t, max(1, count(t, "CONFORMANCE_TRACES", 20_000)/20), false)
}

func runTraces(t *testing.T, n int, scaleToZero bool) share {
	from := seed(t)
	shards := runtime.GOMAXPROCS(0)
	shares := make([]share, shards)
	t.Run("shards", func(t *testing.T) {
		for shard := range shards {
			shares[shard] = share{}
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				for i, f := range settings() {
					synctest.Test(t, func(t *testing.T) {
						ctx, cancel := context.WithCancel(quiet())
						defer cancel()
						p := newPlane(ctx, f)
						for at := shard; at < n; at += shards {
							if at%len(settings()) == i || n == 1 {
								p.run(t, ctx, from+uint64(at), f, scaleToZero, shares[shard])
							}
						}
					})
				}
			})
		}
	})
	all := share{}
	for _, s := range shares {
		for kind, count := range s {
			all[kind] += count
		}
	}
	return all
}

func (c *plane) run(t *testing.T, ctx context.Context, seed uint64, f flags, scaleToZero bool, s share) {
	tr := c.start(newDraw(seed), f, scaleToZero, s)
	defer tr.end(ctx)
	for i := range passes {
		if i > 0 {
			time.Sleep(tr.pause(tr.written, f))
			tr.disturb(ctx)
		}
		now := time.Now()
		tr.measure(now)
		tr.compare(t, ctx, now, fmt.Sprintf("CONFORMANCE_SEED=%d CONFORMANCE_TRACES=1, pass %d", seed, i))
	}
}
