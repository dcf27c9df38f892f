package hpacouple_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// Requests and target of a resource go back together, or neither does: one half alone would move replicas at once.
func TestBackTogether(t *testing.T) {
	const target = "spec.metrics: cpu"
	request, limit := amountPath("containers[app].resources.requests.cpu"), amountPath("containers[app].resources.limits.cpu")
	memory := amountPath("containers[app].resources.requests.memory")
	others := func(s *stage, fields string) { // somebody else has all that was ours in the Deployment
		s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kubectl-edit", byUpdate, "apps/v1", appFields(fields))}
	}
	resources := func(s *stage) *corev1.ResourceRequirements {
		return &s.deployment.Spec.Template.Spec.Containers[0].Resources
	}
	for _, row := range []struct {
		name, why string
		change    func(*stage, *hpacouple.ReleaseOptions)
		want      []string
		kept      []string
	}{
		{name: "all is ours", why: "both go back, each in one write", want: []string{"Deployment patch kubectl-create", "HorizontalPodAutoscaler patch kubectl-create"}},
		{name: "the request was edited", why: "the target stays with it: released, not set", want: []string{"HorizontalPodAutoscaler patch kerf"}, kept: []string{target, request.String()},
			change: func(s *stage, _ *hpacouple.ReleaseOptions) {
				others(s, `{"f:requests":{"f:cpu":{}}}`)
				resources(s).Requests["cpu"] = resource.MustParse("600m")
			}},
		{name: "the request was put back by hand", why: "it has its old value: the target follows", want: []string{"HorizontalPodAutoscaler patch kubectl-create"},
			change: func(s *stage, _ *hpacouple.ReleaseOptions) {
				others(s, `{"f:requests":{"f:cpu":{}}}`)
				resources(s).Requests["cpu"] = resource.MustParse("1000m")
			}},
		{name: "the request is co-owned", why: "its other owner holds it", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{target, request.String()},
			change: func(s *stage, _ *hpacouple.ReleaseOptions) {
				s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("gitops", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`)))
			}},
		{name: "the container is gone", why: "the sum is another one", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{target, request.String()},
			change: func(s *stage, _ *hpacouple.ReleaseOptions) {
				s.deployment.Spec.Template.Spec.Containers[0].Name = "web"
			}},
		{name: "the request's memory is lost", why: "nobody knows what it was", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{target, request.String()},
			change: func(_ *stage, o *hpacouple.ReleaseOptions) { o.Taken.Amounts = nil }},
		{name: "the workload was made anew", why: "its requests are no memory's", want: []string{"HorizontalPodAutoscaler patch kerf"}, kept: []string{target, request.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				others(s, `{"f:requests":{"f:cpu":{}}}`)
				s.deployment.UID, o.Taken.WorkloadUID = "new", "gone"
			}},
		{name: "the target was edited", why: "mirrored: the requests stay", want: []string{podPatch}, kept: []string{target, request.String()},
			change: func(s *stage, _ *hpacouple.ReleaseOptions) {
				s.hpa.ManagedFields = []metav1.ManagedFieldsEntry{entry("kubectl-edit", byUpdate, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
				*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 60
			}},
		{name: "the list is co-owned", why: "its other owner holds the target", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{target, request.String()},
			change: func(s *stage, _ *hpacouple.ReleaseOptions) {
				s.hpa.ManagedFields = append(s.hpa.ManagedFields, entry("gitops", byApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`))
			}},
		{name: "the entry is gone", why: "there is no target to go back", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{target, request.String()},
			change: func(s *stage, _ *hpacouple.ReleaseOptions) {
				s.hpa.Spec.Metrics[0].Resource.Name = "memory"
			}},
		{name: "the target's memory is lost", why: "nobody knows what it was", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{"spec.metrics", request.String()},
			change: func(_ *stage, o *hpacouple.ReleaseOptions) { o.Taken.Metrics = nil }},
		{name: "the HPA was made anew with our target", why: "the new HPA's owner has chosen it, or a copy of ours", want: []string{podPatch}, kept: []string{target, request.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				s.hpa.ManagedFields = []metav1.ManagedFieldsEntry{entry("gitops", byApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
				s.hpa.UID, o.Taken.HPAUID = "new", "gone"
			}},
		{name: "the HPA was made anew with the old target", why: "all is as before with the requests back", want: []string{"Deployment patch kubectl-create"},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				s.hpa.ManagedFields = []metav1.ManagedFieldsEntry{entry("gitops", byApply, "autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)}
				*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = 50
				s.hpa.UID, o.Taken.HPAUID = "new", "gone"
			}},
		{name: "the container alone", why: "its request would go back without the target", want: []string{podPatch}, kept: []string{request.String()},
			change: func(_ *stage, o *hpacouple.ReleaseOptions) { o.Containers = []string{"app"} }},
		{name: "another resource of the list", why: "its target goes back, the one of cpu stays with the requests", want: []string{hpaApply},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				o.Resources = []corev1.ResourceName{"memory"}
				now := int32(90)
				s.hpa.Spec.Metrics = append(s.hpa.Spec.Metrics, autoscalingv2.MetricSpec{Type: "Resource", Resource: &autoscalingv2.ResourceMetricSource{Name: "memory",
					Target: autoscalingv2.MetricTarget{Type: "Utilization", AverageUtilization: &now}}})
				o.Taken.Metrics.Targets = append(o.Taken.Metrics.Targets, hpacouple.TakenTarget{TargetRef: hpacouple.TargetRef{Type: "Resource", Resource: "memory"}, Target: 80})
				o.Taken.Metrics.Owners[0].Operation = byApply
			}},
		{name: "another resource was edited", why: "no target depends on it: the pair goes back", want: []string{podApply, "HorizontalPodAutoscaler patch kubectl-create"}, kept: []string{memory.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				resources(s).Requests["memory"] = resource.MustParse("2Gi")
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: memory, Value: quantity("1Gi"), Held: true})
			}},
		{name: "a limit was edited", why: "it stays; the pair goes back below it", want: []string{podApply, "HorizontalPodAutoscaler patch kubectl-create"}, kept: []string{limit.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				resources(s).Limits = list("3")
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: limit, Value: quantity("2"), Held: true})
			}},
		{name: "a cleared limit was set again", why: "it stays, and says so", want: []string{podApply, "HorizontalPodAutoscaler patch kubectl-create"}, kept: []string{limit.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				resources(s).Limits = list("3")
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: limit, Value: quantity("2"), Held: true, Cleared: true})
			}},
		{name: "a cleared limit", why: "it comes again, by force where its empty list is somebody's", want: []string{podForce, "HorizontalPodAutoscaler patch kubectl-create"},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("kubectl-create", byUpdate, "apps/v1", appFields(`{"f:limits":{}}`)))
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: limit, Value: quantity("2"), Held: true, Cleared: true})
			}},
		{name: "a cleared limit that somebody claims", why: "it is theirs to set", want: []string{podApply, "HorizontalPodAutoscaler patch kubectl-create"}, kept: []string{limit.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				s.deployment.ManagedFields = append(s.deployment.ManagedFields, entry("gitops", byApply, "apps/v1", appFields(`{"f:limits":{"f:cpu":{}}}`)))
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: limit, Value: quantity("2"), Held: true, Cleared: true})
			}},
		{name: "another amount of ours has its old value", why: "a patch in its owner's name would take our entry out and not give it back", want: []string{podApply, "HorizontalPodAutoscaler patch kubectl-create"},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				s.deployment.ManagedFields[0] = entry("kerf", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{},"f:memory":{}}}`))
				resources(s).Requests["memory"] = resource.MustParse("1Gi")
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: memory, Value: quantity("1Gi"), Held: true, Owners: o.Taken.Amounts[0].Owners})
			}},
		{name: "another amount of ours is forgotten", why: "the same", want: []string{podApply, "HorizontalPodAutoscaler patch kubectl-create"}, kept: []string{memory.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				s.deployment.ManagedFields[0] = entry("kerf", byApply, "apps/v1", appFields(`{"f:requests":{"f:cpu":{},"f:memory":{}}}`))
				resources(s).Requests["memory"] = resource.MustParse("1Gi")
			}},
		{name: "a limit was lowered", why: "the server refuses the old request above it: the target stays as well", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{target, request.String(), limit.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				resources(s).Limits = list("900m")
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: limit, Value: quantity("2"), Held: true})
			}},
		{name: "a limit that we do not know of is too low", why: "the same", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{target, request.String()},
			change: func(s *stage, _ *hpacouple.ReleaseOptions) { resources(s).Limits = list("900m") }},
		{name: "a limit would stand in", why: "the old request is absent, and the limit is another than then", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{target, request.String(), limit.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				resources(s).Limits = list("3")
				o.Taken.Amounts[0].Value = nil
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: limit, Value: quantity("1"), Held: true})
			}},
		{name: "the limit stood in before us", why: "it is as it was: the request is taken away again", want: []string{podApply, "HorizontalPodAutoscaler patch kubectl-create"},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				resources(s).Limits = list("1")
				o.Taken.Amounts[0].Value = nil
			}},
		{name: "the limit goes below a request that stays", why: "the server refuses that, too", want: []string{"HorizontalPodAutoscaler patch kerf", podPatch}, kept: []string{target, request.String(), limit.String()},
			change: func(s *stage, o *hpacouple.ReleaseOptions) {
				s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kerf", byApply, "apps/v1", appFields(`{"f:limits":{"f:cpu":{}}}`)),
					entry("kubectl-edit", byUpdate, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))}
				resources(s).Requests["cpu"], resources(s).Limits = resource.MustParse("3"), list("4")
				o.Taken.Amounts = append(o.Taken.Amounts, hpacouple.TakenAmount{AmountRef: limit, Value: quantity("2"), Held: true})
			}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, _ := staged(t, "release-restore/kubectl-create")
			o := hpacouple.ReleaseOptions{Back: true, Taken: s.taken}
			if row.change != nil {
				row.change(s, &o)
			}
			live := s.whole()
			before := snapshot(t, live, o)
			got, errs := hpacouple.Release(web, live, o)
			require.Empty(t, errs)
			require.Equal(t, before, snapshot(t, live, o), "P2")
			require.Equal(t, row.want, brief(got.Writes), row.why)
			require.Equal(t, row.kept, got.Kept, row.why)
		})
	}
}

// A container that was released alone stays what it is; the target of its requests does not go back without it later.
func TestContainerReleasedBeforeTheRest(t *testing.T) {
	s, taken := held(t)
	request := amountPath("containers[app].resources.requests.cpu")
	part, errs := hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Taken: taken, Containers: []string{"app"}})
	require.Empty(t, errs)
	require.Equal(t, []string{podPatch}, brief(part.Writes))
	require.Equal(t, []hpacouple.TakenAmount{{AmountRef: request, Value: quantity("1")}}, part.Taken.Amounts, "its old value, and nobody to give it to")
	s.deployment.ManagedFields = []metav1.ManagedFieldsEntry{entry("kubectl-create", byUpdate, "apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))}
	back, errs := hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Taken: part.Taken, Back: true})
	require.Empty(t, errs)
	require.Equal(t, []string{"HorizontalPodAutoscaler patch kerf"}, brief(back.Writes))
	require.Equal(t, []string{"spec.metrics: cpu", request.String()}, back.Kept)
	require.Equal(t, hpacouple.Taken{}, back.Taken)
}

// One object of a pair alone cannot go back.
func TestBackNeedsBoth(t *testing.T) {
	s, _ := staged(t, "release-restore/kubectl-create")
	live := s.whole()
	o := hpacouple.ReleaseOptions{Back: true, Taken: s.taken}
	_, errs := hpacouple.Release(web, hpacouple.Live{Meta: live.Meta, Template: live.Template}, o)
	require.Len(t, errs, 1)
	require.Equal(t, "live.hpa", errs[0].Field)
	_, errs = hpacouple.Release(web, hpacouple.Live{HPA: live.HPA}, o)
	require.Len(t, errs, 1)
	require.Equal(t, "live.meta", errs[0].Field)
	for _, part := range []hpacouple.ReleaseOptions{{Taken: s.taken}, {Back: true, Taken: s.taken, Resources: []corev1.ResourceName{"memory"}}} {
		_, errs = hpacouple.Release(web, hpacouple.Live{HPA: live.HPA}, part)
		require.Empty(t, errs, "values stay, or belong to no pair")
	}
}

// A value that goes back in one write lands where it was read, or nowhere.
func TestOneWriteTestsItsPlaces(t *testing.T) {
	s, _ := staged(t, "release-restore/kubectl-create")
	got, errs := hpacouple.Release(web, s.whole(), hpacouple.ReleaseOptions{Back: true, Taken: s.taken})
	require.Empty(t, errs)
	require.Contains(t, string(got.Writes[0].Body), `{"op":"test","path":"/spec/template/spec/containers/0/name","value":"app"},{"op":"replace","path":"/spec/template/spec/containers/0/resources/requests/cpu"`)
	require.Contains(t, string(got.Writes[1].Body), `{"op":"test","path":"/spec/metrics/0/resource/name","value":"cpu"},{"op":"replace","path":"/spec/metrics/0/resource/target/averageUtilization"`,
		"an old client moves cpu to the end of the list")
}

// Whoever owns and wrote what: a release with the values that sets one half leaves the old pair.
func lawNoHalfGoesBack(t *rapid.T) {
	s, _ := staged(t, "release-restore/kubectl-create")
	request := rapid.SampledFrom([]string{"700m", "1", "600m"}).Draw(t, "request")
	target := rapid.SampledFrom([]int32{71, 50, 60}).Draw(t, "target")
	entries := func(apiVersion, fields string) (list []metav1.ManagedFieldsEntry) {
		for _, manager := range []string{"kerf", "gitops"} {
			if rapid.IntRange(0, 2).Draw(t, manager+" owns "+apiVersion) > 0 == (manager == "kerf") {
				list = append(list, entry(manager, byApply, apiVersion, fields))
			}
		}
		return list
	}
	s.deployment.Spec.Template.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse(request)
	s.deployment.ManagedFields = entries("apps/v1", appFields(`{"f:requests":{"f:cpu":{}}}`))
	*s.hpa.Spec.Metrics[0].Resource.Target.AverageUtilization = target
	s.hpa.ManagedFields = entries("autoscaling/v2", `{"f:spec":{"f:metrics":{}}}`)
	o := hpacouple.ReleaseOptions{Back: true, Taken: s.taken, NoManagedFields: true}
	ours := func(list []metav1.ManagedFieldsEntry) bool { return len(list) > 0 && list[0].Manager == "kerf" }
	if oneIn(t, 6, "request forgotten") && ours(s.deployment.ManagedFields) { // of what is not ours either nobody could know
		o.Taken.Amounts = nil
	}
	if oneIn(t, 6, "target forgotten") && ours(s.hpa.ManagedFields) {
		o.Taken.Metrics = nil
	}
	if oneIn(t, 6, "container") {
		o.Containers = []string{"app"}
	}
	if oneIn(t, 6, "owner applies") && o.Taken.Metrics != nil {
		o.Taken.Metrics.Owners[0].Operation = byApply
	}
	got, errs := hpacouple.Release(web, s.whole(), o)
	require.Empty(t, errs)
	moved := false
	for _, w := range got.Writes {
		switch text := string(w.Body); {
		case w.Object.Kind == "Deployment" && (strings.Contains(text, `{"cpu":"1"}`) || strings.Contains(text, `requests/cpu","value":"1"`)):
			moved, request = true, "1"
		case w.Object.Kind != "Deployment" && (strings.Contains(text, `"averageUtilization":50`) || strings.Contains(text, `averageUtilization","value":50`)):
			moved, target = true, 50
		}
	}
	if moved {
		require.Equal(t, "1 50", fmt.Sprint(request, " ", target))
	} else if o.Taken.Amounts != nil && o.Taken.Metrics != nil && len(o.Containers) == 0 && (request != "1" || target != 50) {
		require.NotEmpty(t, got.Kept, "what stays is named")
	}
}

func TestNoHalfGoesBack(t *testing.T) { rapid.Check(t, lawNoHalfGoesBack) }
func FuzzNoHalfGoesBack(f *testing.F) { f.Fuzz(rapid.MakeFuzz(lawNoHalfGoesBack)) }
