package hpacouple_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kube-rightsize/rightsize/hpacouple"
	"github.com/kube-rightsize/rightsize/risk"
)

// held is the objects after a change of ours, and the memory of it.
func held(t *testing.T) (*stage, hpacouple.Taken) {
	s, _ := staged(t, "release-restore/kubectl-create")
	s.taken.HPAName, s.taken.FieldManager = "web", "kerf"
	s.taken.HPAUID, s.taken.WorkloadUID = s.hpa.UID, s.deployment.UID
	return s, s.taken.Confirm(s.whole(), "")
}

// The HPA that was taken is found by its name, whatever it scales by the time of the release.
func TestReleaseTakesWhatIsNamed(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*stage, *hpacouple.Workload, *hpacouple.Taken)
		writes int
		field  string
	}{
		{"the one that is named", func(*stage, *hpacouple.Workload, *hpacouple.Taken) {}, 2, ""},
		{"it scales another workload now: still ours", func(s *stage, _ *hpacouple.Workload, _ *hpacouple.Taken) { s.hpa.Spec.ScaleTargetRef.Name = "db" }, 2, ""},
		{"another HPA of the workload: what is remembered would be lost", func(s *stage, _ *hpacouple.Workload, _ *hpacouple.Taken) { s.hpa.Name = "aaa" }, 0, "taken.hpaName"},
		{"another HPA that is ours, with nothing remembered", func(s *stage, _ *hpacouple.Workload, t *hpacouple.Taken) { s.hpa.Name, t.Metrics = "aaa", nil }, 2, ""},
		{"stored without the name", func(_ *stage, _ *hpacouple.Workload, t *hpacouple.Taken) { t.HPAName = "" }, 2, ""},
		{"somebody else's HPA", func(s *stage, _ *hpacouple.Workload, t *hpacouple.Taken) {
			t.HPAName, s.hpa.Spec.ScaleTargetRef.Name = "", "db"
		}, 0, "live.hpa.spec.scaleTargetRef"},
		{"of another kind", func(s *stage, _ *hpacouple.Workload, t *hpacouple.Taken) {
			t.HPAName, s.hpa.Spec.ScaleTargetRef.Kind = "", "StatefulSet"
		}, 0, "live.hpa.spec.scaleTargetRef"},
		{"of another group", func(s *stage, _ *hpacouple.Workload, t *hpacouple.Taken) {
			t.HPAName, s.hpa.Spec.ScaleTargetRef.APIVersion = "", "example.invalid/v1"
		}, 0, "live.hpa.spec.scaleTargetRef"},
		{"of another version", func(s *stage, _ *hpacouple.Workload, t *hpacouple.Taken) {
			t.HPAName, s.hpa.Spec.ScaleTargetRef.APIVersion = "", "apps/v1beta1"
		}, 2, ""},
		{"of another namespace", func(s *stage, _ *hpacouple.Workload, t *hpacouple.Taken) { t.HPAName, s.hpa.Namespace = "", "prod" }, 0, "live.hpa.spec.scaleTargetRef"},
	} {
		s, taken := held(t)
		w := web
		row.change(s, &w, &taken)
		got, errs := hpacouple.Release(w, s.whole(), hpacouple.ReleaseOptions{Taken: taken})
		require.Len(t, got.Writes, row.writes, row.why)
		if row.field == "" {
			require.Empty(t, errs, row.why)
			continue
		}
		require.Len(t, errs, 1, row.why)
		require.Equal(t, row.field, errs[0].Field, row.why)
	}
	s, _ := held(t)
	s.hpa.Spec.ScaleTargetRef.Name = "db"
	_, errs := hpacouple.Repair(web, s.whole(), "")
	require.Len(t, errs, 1, "nor is another workload's HPA repaired")
}

// What is remembered and was not given is named; what is gone is forgotten.
func TestReleaseLeavesWhatIsNotGiven(t *testing.T) {
	s, taken := held(t)
	live := s.whole()
	hpa := hpacouple.ObjectRef{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler", Namespace: "default", Name: "web"}
	pod := hpacouple.ObjectRef{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"}
	for _, row := range []struct {
		why  string
		live hpacouple.Live
		o    hpacouple.ReleaseOptions
		want []hpacouple.ObjectRef
	}{
		{"both given", live, hpacouple.ReleaseOptions{}, nil},
		{"the HPA is still to be released", hpacouple.Live{Meta: live.Meta}, hpacouple.ReleaseOptions{}, []hpacouple.ObjectRef{hpa}},
		{"the workload is", hpacouple.Live{HPA: live.HPA}, hpacouple.ReleaseOptions{}, []hpacouple.ObjectRef{pod}},
		{"a container has no part in the HPA", hpacouple.Live{Meta: live.Meta}, hpacouple.ReleaseOptions{Containers: []string{"app"}}, nil},
		{"nor has another resource", hpacouple.Live{Meta: live.Meta}, hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"memory"}}, nil},
		{"its own resource has", hpacouple.Live{Meta: live.Meta}, hpacouple.ReleaseOptions{Resources: []corev1.ResourceName{"cpu"}}, []hpacouple.ObjectRef{hpa}},
		{"another container's amounts are not asked for", hpacouple.Live{HPA: live.HPA}, hpacouple.ReleaseOptions{Containers: []string{"log"}}, nil},
	} {
		row.o.Taken = taken
		got, errs := hpacouple.Release(web, row.live, row.o)
		require.Empty(t, errs, row.why)
		require.Equal(t, row.want, got.Left, row.why)
	}
	part, errs := hpacouple.Release(web, live, hpacouple.ReleaseOptions{Taken: taken, Containers: []string{"app"}})
	require.Empty(t, errs)
	require.Equal(t, []string{podPatch}, brief(part.Writes), "a container that leaves takes no HPA with it")
	require.NotNil(t, part.Taken.Metrics)
	anywhere := web
	anywhere.Namespace = ""
	got, errs := hpacouple.Release(anywhere, hpacouple.Live{Meta: live.Meta}, hpacouple.ReleaseOptions{Taken: taken})
	require.Empty(t, errs)
	require.Equal(t, []hpacouple.ObjectRef{hpa}, got.Left, "in the namespace of what was given")
	require.Equal(t, "default", got.Writes[0].Object.Namespace)

	gone := taken.WithoutHPA()
	require.Empty(t, gone.HPAName)
	require.Empty(t, gone.HPAUID)
	require.Nil(t, gone.Metrics)
	require.Equal(t, snapshot(t, taken.Amounts), snapshot(t, gone.Amounts))
	gone.Amounts[0].Owners[0].Manager = "x"
	require.NotEqual(t, "x", taken.Amounts[0].Owners[0].Manager, "a copy")
	back, errs := hpacouple.Release(web, hpacouple.Live{Meta: live.Meta, Template: live.Template}, hpacouple.ReleaseOptions{Back: true, Taken: taken.WithoutHPA()})
	require.Empty(t, errs, "requests go back where there is no target any more")
	require.Equal(t, []string{"Deployment patch kubectl-create"}, brief(back.Writes))
	require.Equal(t, hpacouple.Taken{}, back.Taken, "nothing stays for ever")
	taken.Amounts = nil
	require.Equal(t, hpacouple.Taken{}, taken.WithoutHPA())
}

// A memory is of one HPA and in one manager's name.
func TestTakenIsOfOneManagerAndHPA(t *testing.T) {
	s, c := staged(t, "apply/kubectl-create")
	first, errs := c.Writes(s.whole(), hpacouple.WriteOptions{FieldManager: "sizer"})
	require.Empty(t, errs)
	require.Equal(t, "sizer", first.Taken.FieldManager)
	s.hpa.ManagedFields = []metav1.ManagedFieldsEntry{entry("sizer", byApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
	require.True(t, first.Taken.Confirm(s.whole(), "").Metrics.Held, "whose name it was is remembered")
	require.False(t, first.Taken.Confirm(s.whole(), "kerf").Metrics.Held)
	*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 71
	rest, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Taken: first.Taken})
	require.Empty(t, errs)
	require.Equal(t, []string{"Deployment apply sizer force"}, brief(rest.Writes), "and goes on being used")
	_, errs = c.Writes(s.whole(), hpacouple.WriteOptions{Taken: first.Taken, FieldManager: "kerf"})
	require.Len(t, errs, 1)
	require.Equal(t, "taken.fieldManager", errs[0].Field)
	_, errs = hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Taken: first.Taken, FieldManager: "kerf"})
	require.Len(t, errs, 1)
	released, errs := hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Taken: first.Taken})
	require.Empty(t, errs)
	require.Equal(t, []string{"HorizontalPodAutoscaler patch sizer"}, brief(released.Writes))

	other := s.hpa.DeepCopy()
	other.Name, other.UID = "new", "new"
	live := s.whole()
	live.HPA = other
	require.Equal(t, snapshot(t, first.Taken), snapshot(t, first.Taken.Confirm(live, "")), "another HPA's objects say nothing")
	c.HPA.Name = "new"
	_, errs = c.Writes(live, hpacouple.WriteOptions{Taken: first.Taken})
	require.Len(t, errs, 1, "the first HPA's metrics would be forgotten")
	require.Equal(t, "taken.hpaName", errs[0].Field)
	*other.Spec.Metrics[0].Resource.Target.AverageUtilization = 50
	other.ManagedFields[0].Manager = "gitops"
	moved, errs := c.Writes(live, hpacouple.WriteOptions{Taken: first.Taken.WithoutHPA()})
	require.Empty(t, errs)
	require.Equal(t, "new", moved.Taken.HPAName)
}

// What a release could not use is refused before anything is written.
func TestWritesValidatesTaken(t *testing.T) {
	cpu := amountPath("containers[app].resources.requests.cpu")
	good := []risk.Owner{{Manager: "helm", Operation: byUpdate, APIVersion: "apps/v1"}}
	for _, row := range []struct {
		why   string
		taken hpacouple.Taken
		field string
	}{
		{"one amount twice", hpacouple.Taken{Amounts: []hpacouple.TakenAmount{{AmountRef: cpu}, {AmountRef: cpu}}}, "taken.amounts[1]"},
		{"a negative amount", hpacouple.Taken{Amounts: []hpacouple.TakenAmount{{AmountRef: cpu, Value: quantity("-1")}}}, "taken.amounts[0].value"},
		{"no place", hpacouple.Taken{Amounts: []hpacouple.TakenAmount{{AmountRef: hpacouple.AmountRef{Container: "app", Resource: "cpu", Kind: "requests"}}}}, "taken.amounts[0].place"},
		{"an owner without an apiVersion", hpacouple.Taken{Amounts: []hpacouple.TakenAmount{{AmountRef: cpu, Owners: append(good, risk.Owner{Manager: "helm", Operation: byUpdate})}}}, "taken.amounts[0].owners[1]"},
		{"an owner by nothing", hpacouple.Taken{Metrics: &hpacouple.TakenMetrics{Owners: []risk.Owner{{Manager: "helm", Operation: "x", APIVersion: "autoscaling/v2"}}}}, "taken.metrics.owners[0]"},
		{"a target of 0", hpacouple.Taken{Metrics: &hpacouple.TakenMetrics{Targets: []hpacouple.TakenTarget{{TargetRef: cpuEntry}}}}, "taken.metrics.targets[0].target"},
	} {
		s, c := staged(t, "apply/kubectl-create")
		_, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Taken: row.taken})
		require.Len(t, errs, 1, row.why)
		require.Equal(t, row.field, errs[0].Field, row.why)
		_, errs = hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Taken: row.taken})
		require.Len(t, errs, 1, row.why)
		require.Equal(t, row.field, errs[0].Field, row.why)
	}
}

// A memory that was lost is noticed while there is still time to say so.
func TestUnremembered(t *testing.T) {
	s, taken := held(t)
	c := joint()
	c.Amounts[0].From, c.Amounts[0].To = quantity("700m"), quantity("650m")
	c.Targets[0].From, c.Targets[0].To = 71, 76
	for _, row := range []struct {
		why   string
		taken hpacouple.Taken
		want  []string
	}{
		{"all is remembered", taken, nil},
		{"nothing is", hpacouple.Taken{}, []string{"spec.metrics", amountPath("containers[app].resources.requests.cpu").String()}},
		{"the memory is of other objects", hpacouple.Taken{HPAUID: "gone", WorkloadUID: "gone", Metrics: taken.Metrics, Amounts: taken.Amounts},
			[]string{"spec.metrics", amountPath("containers[app].resources.requests.cpu").String()}},
		{"one half is", taken.WithoutHPA(), []string{"spec.metrics"}},
	} {
		got, errs := c.Writes(s.whole(), hpacouple.WriteOptions{Taken: row.taken})
		require.Empty(t, errs, row.why)
		require.Equal(t, row.want, got.Unremembered, row.why)
		require.Len(t, got.Writes, 2)
	}
}

// A list that was released for one resource keeps the old targets of the others: their requests are ours still, and do not go back alone.
func TestPartOfAListReleased(t *testing.T) {
	s, taken := held(t)
	now := int32(90)
	s.hpa.Spec.Metrics = append(s.hpa.Spec.Metrics, autoscalingv2.MetricSpec{Type: "Resource", Resource: &autoscalingv2.ResourceMetricSource{Name: "memory",
		Target: autoscalingv2.MetricTarget{Type: "Utilization", AverageUtilization: &now}}})
	taken.Metrics.Targets = append(taken.Metrics.Targets, hpacouple.TakenTarget{TargetRef: hpacouple.TargetRef{Type: "Resource", Resource: "memory"}, Target: 80})
	got, errs := hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Taken: taken, Resources: []corev1.ResourceName{"memory"}})
	require.Empty(t, errs)
	require.Equal(t, &hpacouple.TakenMetrics{Targets: []hpacouple.TakenTarget{{TargetRef: cpuEntry, Target: 50}}}, got.Taken.Metrics)
	s.hpa.ManagedFields = []metav1.ManagedFieldsEntry{entry("kubectl-create", byUpdate, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
	back, errs := hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Taken: got.Taken, Back: true})
	require.Empty(t, errs)
	require.Equal(t, []string{"spec.metrics: cpu", amountPath("containers[app].resources.requests.cpu").String()}, back.Kept)
	require.Equal(t, []string{podPatch}, brief(back.Writes))
	require.Equal(t, hpacouple.Taken{}, back.Taken)
}

// The memory is data: what is not said is not stored.
func TestTakenIsAdditive(t *testing.T) {
	var old hpacouple.Taken
	require.NoError(t, json.Unmarshal([]byte(`{"hpaUID":"u","metrics":{"targets":[{"type":"Resource","resource":"cpu","target":50}],"held":true}}`), &old))
	require.Empty(t, old.HPAName)
	text, err := json.Marshal(hpacouple.Taken{})
	require.NoError(t, err)
	require.JSONEq(t, `{}`, string(text))
}
