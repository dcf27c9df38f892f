package metrics_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	hparegistry "k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"pgregory.net/rapid"

	"github.com/kube-rightsize/rightsize/metrics"
)

func asJSON(t fataler, v any) string {
	text, err := json.Marshal(v)
	must(t, err)
	return string(text)
}

// TestDefault compares the library's defaults with the API server's.
func TestDefault(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		given := drawHPAs(t).hpa(t)
		before := asJSON(t, given)
		want := given.DeepCopy()
		legacyscheme.Scheme.Default(want)
		got := metrics.Default(given)
		require.Equal(t, want, got)
		require.Equal(t, before, asJSON(t, given), "the input was written to")
		seen["HPAs"]++
		if asJSON(t, want) != before {
			seen["defaulted"]++
		}
		if want.Spec.Behavior != nil {
			seen["with behavior"]++
		}
	})
	seen.require(t, "HPAs", 10, "HPAs", "defaulted", "with behavior")
}

// internal is the object that the API server validates: defaults, conversion, and what the registry does before creation.
func internal(t fataler, versioned runtime.Object) *autoscaling.HorizontalPodAutoscaler {
	versioned = versioned.DeepCopyObject()
	legacyscheme.Scheme.Default(versioned)
	out := &autoscaling.HorizontalPodAutoscaler{}
	must(t, legacyscheme.Scheme.Convert(versioned, out, nil))
	hparegistry.Strategy.PrepareForCreate(context.Background(), out)
	return out
}

// refusals are the errors as sorted texts. The parts that matter to a program come first: type, path, bad value.
func refusals(errs field.ErrorList, detail bool) []string {
	out := []string{}
	for _, e := range errs {
		plain := field.Error{Type: e.Type, Field: e.Field, BadValue: e.BadValue}
		if detail {
			plain.Detail = e.Detail
		}
		out = append(out, plain.Error())
	}
	slices.Sort(out)
	return out
}

// declared runs everything that the API server validates on creation, the declared rules of the API types included.
func declared(obj *autoscaling.HorizontalPodAutoscaler, version string) field.ErrorList {
	ctx := genericapirequest.WithNamespace(context.Background(), obj.Namespace)
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{APIGroup: "autoscaling", APIVersion: version})
	return rest.ValidateCreate(ctx, obj, hparegistry.Strategy)
}

// TestValidate compares the library's list of errors with the API server's: as a multiset of type, field path, bad value and
// message.
func TestValidate(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		given := drawHPAs(t).hpa(t)
		before := asJSON(t, given)
		real := internal(t, given)
		want := hparegistry.Strategy.Validate(context.Background(), real)
		got := metrics.Validate(given)
		require.Equal(t, refusals(want, true), refusals(got, true), "%s", before)
		require.Equal(t, before, asJSON(t, given), "the input was written to")
		// The merge with the declared rules leaves out what is said twice.
		require.Equal(t, slices.Compact(refusals(declared(real, "v2"), false)), slices.Compact(refusals(got, false)), "with declared rules: %s", before)
		seen.countRefusals(want)
	})
	seen.require(t, "HPAs", 10, "HPAs", "accepted", "refused", "with several errors")
	seen.require(t, "refused", 3, string(field.ErrorTypeInvalid), string(field.ErrorTypeRequired), string(field.ErrorTypeForbidden), string(field.ErrorTypeNotSupported))
}

// TestValidateNames: the names alone, in an otherwise good HPA, so that each rule decides many times.
func TestValidateNames(t *testing.T) {
	seen := share{}
	check(t, func(t *rapid.T) {
		good, bad := hpas{}, hpas{hostile: 60}
		given := good.hpa(t)
		given.Spec.Metrics = []autoscalingv2.MetricSpec{{
			Type: autoscalingv2.ContainerResourceMetricSourceType,
			ContainerResource: &autoscalingv2.ContainerResourceMetricSource{
				Name:      bad.resource(t),
				Container: pick(t, hpas{hostile: 10}, "container", goodLabels, badLabels),
				Target:    good.target(t, autoscalingv2.UtilizationMetricType),
			},
		}}
		want := hparegistry.Strategy.Validate(context.Background(), internal(t, given))
		require.Equal(t, refusals(want, true), refusals(metrics.Validate(given), true), "%q", given.Spec.Metrics[0].ContainerResource.Name)
		seen.countRefusals(want)
	})
	seen.require(t, "HPAs", 2, "HPAs", "accepted", "refused", "with several errors")
}

func (s share) countRefusals(errs field.ErrorList) {
	s["HPAs"]++
	if len(errs) == 0 {
		s["accepted"]++
		return
	}
	s["refused"]++
	if len(errs) > 1 {
		s["with several errors"]++
	}
	kinds := map[field.ErrorType]bool{}
	for _, e := range errs {
		kinds[e.Type] = true
	}
	for kind := range kinds {
		s[string(kind)]++
	}
}
