package risk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/risk"
	"github.com/kube-rightsize/rightsize/skipreason"
)

// planners are the flags that depend on a planned change; this package never raises them.
var planners = append([]skipreason.RiskFlag{
	skipreason.FlagTargetOutsideBounds, skipreason.FlagTargetUnreachable, skipreason.FlagTriggerNearLimit, skipreason.FlagHalfChange, skipreason.FlagThrottled,
	skipreason.FlagOOMKilled, skipreason.FlagQoSChange, skipreason.FlagPodLevelRequests,
}, recommenders...)

// recommenders are found in measurements, by package recommend.
var recommenders = []skipreason.RiskFlag{
	skipreason.FlagFewSamples, skipreason.FlagIdle, skipreason.FlagCappedBelowPeak, skipreason.FlagLimitBelowStartup,
	skipreason.FlagMemoryIndependent, skipreason.FlagHeap,
}

// row changes the quiet input in one respect and says whether that raises the flag; "object field number" is what one finding must say.
type row struct {
	flag   skipreason.RiskFlag
	change func(*risk.Input)
	raised string
	why    string
}

const hpaObject = "HorizontalPodAutoscaler/web "

var rows = slices.Concat(couplingRows(), ownershipRows(), replicaRows(), zeroRows(), targetRows(), unknownRows(), surroundingRows())

func TestQuietInputRaisesNothing(t *testing.T) {
	require.Equal(t, "[]", toJSON(risk.Check(quiet())), "and the list is not null")
	require.Equal(t, "[]", toJSON(risk.Flags(nil)))
}

func TestFlags(t *testing.T) {
	for i, row := range rows {
		t.Run(fmt.Sprintf("%d %s", i, row.flag), func(t *testing.T) {
			in := quiet()
			row.change(&in)
			found := risk.Check(in)
			var places []string
			for _, f := range found {
				if f.Flag == row.flag {
					places = append(places, fmt.Sprintf("%s/%s %s %s", f.Object.Kind, f.Object.Name, f.Field, f.Number))
					require.NotEmpty(t, f.Detail)
				}
			}
			if row.raised == "" {
				require.Empty(t, places, row.why)
				return
			}
			require.Contains(t, places, row.raised, row.why)
			require.Contains(t, risk.Flags(found), row.flag)
		})
	}
}

// Every flag has a row that raises it and a near miss, so that none is forgotten.
func TestEveryFlagHasBoth(t *testing.T) {
	for _, flag := range skipreason.RiskFlags() {
		raised := slices.ContainsFunc(rows, func(r row) bool { return r.flag == flag && r.raised != "" })
		missed := slices.ContainsFunc(rows, func(r row) bool { return r.flag == flag && r.raised == "" })
		planner := slices.Contains(planners, flag)
		require.Equal(t, !planner, raised, "%s is raised by a row", flag)
		require.Equal(t, !planner, missed, "%s has a near miss", flag)
	}
}

// Findings say neither more than there is nor the same twice.
func TestFindingsOfOneFlag(t *testing.T) {
	of := func(flag skipreason.RiskFlag, change func(*risk.Input)) (found []string) {
		in := quiet()
		change(&in)
		for _, f := range risk.Check(in) {
			if f.Flag == flag {
				found = append(found, f.Field+": "+f.Detail)
			}
		}
		return found
	}
	require.Equal(t, []string{"spec.minReplicas: Service a selects the pods"}, of(skipreason.FlagSingleReplica, func(in *risk.Input) {
		in.HPA.Spec.MinReplicas = nil
		selector := map[string]string{"app": "web"}
		in.Services = []corev1.Service{service("b", selector), service("a", selector), service("c", selector)}
	}), "one Service is enough, the first by name")
	require.Equal(t, []string{`spec.template.spec.containers[name="proxy"].resources.requests.cpu: no cpu request`}, of(skipreason.FlagMetricUnknown, func(in *risk.Input) {
		entries(in, utilization("cpu", 60))
		in.Pod.Spec.InitContainers = append(in.Pod.Spec.InitContainers, container("seed", nil, nil))
		in.Pod.Spec.Containers = append(in.Pod.Spec.Containers, container("proxy", nil, nil))
	}), "only containers that count")
	require.Equal(t, []string{`spec.template.spec.containers[name="app"].resources.limits.memory: below 1Mi`}, of(skipreason.FlagTinyMemory, func(in *risk.Input) {
		in.Pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Limits: amounts("memory", "128m")}
	}), "the request that the limit stands in for is not written anywhere")
	require.Equal(t, []string{"spec.metrics: OOM-killed: a, b"}, of(skipreason.FlagSingleMetric, func(in *risk.Input) {
		entries(in, utilization("cpu", 60))
		in.OOMKilled = []string{"b", "a", "b"}
	}), "sorted, each once")
}

// The catalogue's rule names the numbers that the code compares with.
func TestRulesNameTheThresholds(t *testing.T) {
	for flag, numbers := range map[skipreason.RiskFlag][]int64{
		skipreason.FlagTargetNearSaturation: {int64(risk.SaturatedTarget), 100},
		skipreason.FlagTargetUncomfortable:  {int64(risk.ComfortableLow), int64(risk.ComfortableHigh)},
		skipreason.FlagShortScaleDownWindow: {int64(risk.ShortWindowSeconds)},
		skipreason.FlagSingleReplica:        {int64(risk.ReplicaFloor) - 1},
		skipreason.FlagTinyMemory:           {risk.TinyMemoryBytes >> 20},
	} {
		for _, n := range numbers {
			require.Contains(t, strings.FieldsFunc(flag.Entry().Rule, func(r rune) bool { return r < '0' || r > '9' }), fmt.Sprint(n), flag)
		}
	}
}

func couplingRows() []row {
	coupled, ambiguous := skipreason.FlagHPACoupled, skipreason.FlagHPAAmbiguous
	another := func(change func(*autoscalingv2.HorizontalPodAutoscaler)) func(*risk.Input) {
		return func(in *risk.Input) {
			other := in.HPA.DeepCopy()
			other.Name = "second"
			change(other)
			in.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{nil, in.HPA, other}
		}
	}
	return []row{
		{coupled, func(in *risk.Input) { entries(in, external(), utilization("cpu", 60)) }, hpaObject + "spec.metrics[1].resource.target.averageUtilization 60", "A1"},
		{coupled, func(in *risk.Input) { entries(in, utilization("memory", 60)) }, hpaObject + "spec.metrics[0].resource.target.averageUtilization 60", "A1"},
		{coupled, func(in *risk.Input) { entries(in, containerUtilization("cpu", "app", 60)) }, hpaObject + "spec.metrics[0].containerResource.target.averageUtilization 60", "B07: one container's share couples as well"},
		{coupled, func(in *risk.Input) { entries(in) }, hpaObject + "spec.metrics 80", "no metrics is cpu 80"},
		{coupled, func(in *risk.Input) { entries(in, raw("cpu", "500m")) }, "", "B10: a raw value does not depend on requests"},
		{coupled, func(in *risk.Input) {
			both := utilization("cpu", 60)
			both.Resource.Target.AverageValue = ptr(resource.MustParse("1"))
			entries(in, both)
		}, "", "the controller takes averageValue where both are set"},
		{coupled, func(in *risk.Input) { entries(in, utilization("hugepages-2Mi", 60)) }, "", "neither cpu nor memory"},
		{coupled, another(func(o *autoscalingv2.HorizontalPodAutoscaler) {
			o.Spec.Metrics = []autoscalingv2.MetricSpec{utilization("cpu", 70)}
		}), "HorizontalPodAutoscaler/second spec.metrics[0].resource.target.averageUtilization 70", "any HPA of the workload"},
		{coupled, another(func(o *autoscalingv2.HorizontalPodAutoscaler) {
			o.Spec.ScaleTargetRef.Name = "api"
			o.Spec.Metrics = nil
		}), "", "another workload's HPA"},
		{ambiguous, another(func(o *autoscalingv2.HorizontalPodAutoscaler) {}), "HorizontalPodAutoscaler/second spec.scaleTargetRef 2", "two for one workload"},
		{ambiguous, func(in *risk.Input) {
			a, b := in.HPA.DeepCopy(), in.HPA.DeepCopy()
			a.Name, b.Name, in.HPA = "one", "two", nil
			in.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{a, b}
		}, "HorizontalPodAutoscaler/one spec.scaleTargetRef 2", "also where none of them was picked"},
		{ambiguous, func(in *risk.Input) {
			in.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{in.HPA, in.HPA.DeepCopy()}
		}, "", "the same HPA again"},
		{ambiguous, another(func(o *autoscalingv2.HorizontalPodAutoscaler) { o.Namespace = "other" }), "", "another namespace"},
		{ambiguous, another(func(o *autoscalingv2.HorizontalPodAutoscaler) { o.Spec.ScaleTargetRef.Kind = "StatefulSet" }), "", "another kind"},
		{ambiguous, func(in *risk.Input) {
			in.Workload.Namespace, in.HPA.Namespace = "", "default"
			other := in.HPA.DeepCopy()
			other.Name, other.Namespace = "second", ""
			in.OtherHPAs = []*autoscalingv2.HorizontalPodAutoscaler{other}
		}, "HorizontalPodAutoscaler/second spec.scaleTargetRef 2", "no namespace is default"},
	}
}

func ownershipRows() []row {
	elsewhere, unknown := skipreason.FlagHPAManagedElsewhere, skipreason.FlagOwnershipUnknown
	update, apply := metav1.ManagedFieldsOperationUpdate, metav1.ManagedFieldsOperationApply
	claims := func(list ...metav1.ManagedFieldsEntry) func(*risk.Input) {
		return func(in *risk.Input) { in.HPA.ManagedFields = list }
	}
	onWorkload := func(list ...metav1.ManagedFieldsEntry) func(*risk.Input) {
		return func(in *risk.Input) { in.WorkloadMeta.ManagedFields = list }
	}
	owner := func(kind, name string, controller bool) []metav1.OwnerReference {
		return []metav1.OwnerReference{{Kind: kind, Name: name, Controller: &controller}}
	}
	metricsClaim := `{"f:spec":{"f:metrics":{}}}`
	scaled := claim("gitops", update, "autoscaling/v2", metricsClaim)
	scaled.Subresource = "status"
	nothing := claim("gitops", update, "autoscaling/v2", "")
	nothing.FieldsV1 = nil
	return []row{
		{elsewhere, func(in *risk.Input) { in.HPA.OwnerReferences = owner("ScaledObject", "web", true) }, hpaObject + "metadata.ownerReferences[0] ScaledObject/web", "B17: an operator writes its own values back"},
		{elsewhere, func(in *risk.Input) {
			in.HPA.OwnerReferences = []metav1.OwnerReference{{Kind: "ScaledObject", Name: "web"}}
		}, hpaObject + "metadata.ownerReferences[0] ScaledObject/web", "an owner that does not call itself controller has made it all the same"},
		{elsewhere, func(in *risk.Input) { in.HPA.OwnerReferences = owner("Deployment", "web", false) }, "", "only deleted with its own workload"},
		{elsewhere, func(in *risk.Input) { in.HPA.Name = "keda-hpa-web" }, "", "B17: the name says nothing"},
		{elsewhere, func(in *risk.Input) { in.WorkloadMeta.OwnerReferences = owner("Shop", "web", true) }, "Deployment/web metadata.ownerReferences[0] Shop/web", "an operator's workload"},
		{elsewhere, func(in *risk.Input) { in.WorkloadMeta.OwnerReferences = owner("Shop", "web", false) }, "", "an owner that is no controller"},
		{elsewhere, claims(claim("argocd-controller", apply, "autoscaling/v2", metricsClaim)), hpaObject + "spec.metrics argocd-controller", "B19"},
		{elsewhere, claims(claim("old", update, "autoscaling/v1", `{"f:spec":{"f:targetCPUUtilizationPercentage":{}}}`)), hpaObject + "spec.targetCPUUtilizationPercentage old", "the spelling of autoscaling/v1"},
		{elsewhere, onWorkload(claim("kubectl-create", update, "apps/v1", requestClaim)), `Deployment/web spec.template.spec.containers[name="app"].resources.requests.cpu kubectl-create`, "requests of the workload"},
		{elsewhere, func(in *risk.Input) { in.FieldManager = "other" }, hpaObject + "spec.metrics kerf", "whoever is not our own manager"},
		{elsewhere, claims(claim("kerf", update, "autoscaling/v2", metricsClaim)), "", "our own name, whatever the operation"},
		{elsewhere, claims(claim("gitops", apply, "autoscaling/v2", `{"f:spec":{"f:maxReplicas":{},"f:behavior":{}}}`)), "", "another field of the HPA"},
		{elsewhere, claims(scaled), "", "an entry with a subresource owns no metrics"},
		{elsewhere, onWorkload(claim("gitops", apply, "apps/v1", `{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"app\"}":{"f:image":{},"f:resources":{"f:requests":{}}}}}}}}`)), "", "an empty map of requests is not an amount"},
		{elsewhere, func(in *risk.Input) {
			in.HPA, in.WorkloadMeta.ManagedFields = nil, []metav1.ManagedFieldsEntry{claim("kubectl-create", update, "apps/v1", requestClaim)}
		}, "", "without an HPA nothing is coordinated"},
		{unknown, claims(), hpaObject + "metadata.managedFields 0", "kubectl hides them"},
		{unknown, onWorkload(), "Deployment/web metadata.managedFields 0", "kubectl hides them"},
		{unknown, claims(claim("gitops", apply, "autoscaling/v2", `{"f:spec":`)), hpaObject + "metadata.managedFields 1", "cannot be read"},
		{unknown, claims(nothing), hpaObject + "metadata.managedFields 1", "nothing to read"},
		{unknown, func(in *risk.Input) { in.WorkloadMeta = nil }, "", "metadata that were not given are not asked"},
		{unknown, claims(claim("kerf", apply, "autoscaling/v2", `garbage`)), "", "our own entry hides no other owner"},
		{unknown, claims(scaled), "", "nobody owns the metrics, and that is known"},
	}
}

func replicaRows() []row {
	single, most := skipreason.FlagSingleReplica, skipreason.FlagAtMaxReplicas
	least := func(n *int32, services ...corev1.Service) func(*risk.Input) {
		return func(in *risk.Input) { in.HPA.Spec.MinReplicas, in.Services = n, services }
	}
	web := service("web", map[string]string{"app": "web"})
	elsewhere, outside := web, web
	elsewhere.Namespace = "other"
	outside.Spec.Type = corev1.ServiceTypeExternalName
	one := ptr(int32(1))
	status := func(current, desired int32) func(*risk.Input) {
		return func(in *risk.Input) {
			in.HPA.Status.CurrentReplicas, in.HPA.Status.DesiredReplicas = current, desired
		}
	}
	return []row{
		{single, least(one, web), hpaObject + "spec.minReplicas 1", "a single pod is replaced with an outage"},
		{single, least(nil, web), hpaObject + "spec.minReplicas 1", "not given is 1"},
		{single, least(ptr(int32(2)), web), "", "2 is the floor"},
		{single, least(ptr(int32(0)), web), "", "zero has its own flags"},
		{single, least(one), "", "not served"},
		{single, least(one, service("api", map[string]string{"app": "api"})), "", "another workload's Service"},
		{single, least(one, service("web", map[string]string{"app": "web", "tier": "back"})), "", "one label of two"},
		{single, least(one, service("web", nil)), "", "a Service without selector selects nothing"},
		{single, least(one, elsewhere), "", "another namespace"},
		{single, least(one, outside), "", "the selector of an ExternalName is ignored"},
		{most, status(10, 4), hpaObject + "status.currentReplicas 10", "sitting at the maximum"},
		{most, status(4, 10), hpaObject + "status.desiredReplicas 10", "wants the maximum"},
		{most, status(12, 10), hpaObject + "status.currentReplicas 12", "A34: above the maximum"},
		{most, status(9, 9), "", "one below"},
		{most, func(in *risk.Input) { status(0, 0)(in); in.HPA.Spec.MaxReplicas = 0 }, "", "no maximum, no status: a broken manifest"},
		{most, func(in *risk.Input) {
			setCondition(in, autoscalingv2.ScalingLimited, corev1.ConditionTrue, "TooManyReplicas")
		}, hpaObject + "status.conditions[2] TooManyReplicas", "A32: it wants more than the maximum"},
		{most, func(in *risk.Input) {
			setCondition(in, autoscalingv2.ScalingLimited, corev1.ConditionTrue, "ScaleUpLimit")
		}, "", "A33: held back by the rate alone"},
		{most, func(in *risk.Input) {
			setCondition(in, autoscalingv2.ScalingLimited, corev1.ConditionFalse, "TooManyReplicas")
		}, "", "the condition is False"},
		{most, func(in *risk.Input) {
			setCondition(in, autoscalingv2.ScalingLimited, corev1.ConditionTrue, "TooManyReplicas")
			in.SpecReplicas = ptr(int32(0))
		}, "", "a stale condition of a workload that stands at zero"},
	}
}
