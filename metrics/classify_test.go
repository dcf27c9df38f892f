package metrics_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kube-rightsize/rightsize/metrics"
)

func quantity(text string) *resource.Quantity { return ptr(resource.MustParse(text)) }

// target sets the fields that are named: u for averageUtilization, a for averageValue, v for value.
func target(kind autoscalingv2.MetricTargetType, fields string) (out autoscalingv2.MetricTarget) {
	out.Type = kind
	for _, f := range fields {
		switch f {
		case 'u':
			out.AverageUtilization = ptr(int32(60))
		case 'a':
			out.AverageValue = quantity("100m")
		case 'v':
			out.Value = quantity("7")
		}
	}
	return out
}

func entry(source autoscalingv2.MetricSourceType, to autoscalingv2.MetricTarget) autoscalingv2.MetricSpec {
	m := autoscalingv2.MetricSpec{Type: source}
	id := autoscalingv2.MetricIdentifier{Name: "queue"}
	switch source {
	case autoscalingv2.ResourceMetricSourceType:
		m.Resource = &autoscalingv2.ResourceMetricSource{Name: "cpu", Target: to}
	case autoscalingv2.ContainerResourceMetricSourceType:
		m.ContainerResource = &autoscalingv2.ContainerResourceMetricSource{Name: "memory", Container: "app", Target: to}
	case autoscalingv2.PodsMetricSourceType:
		m.Pods = &autoscalingv2.PodsMetricSource{Metric: id, Target: to}
	case autoscalingv2.ObjectMetricSourceType:
		m.Object = &autoscalingv2.ObjectMetricSource{Metric: id, DescribedObject: autoscalingv2.CrossVersionObjectReference{Kind: "Ingress", Name: "front"}, Target: to}
	case autoscalingv2.ExternalMetricSourceType:
		m.External = &autoscalingv2.ExternalMetricSource{Metric: id, Target: to}
	}
	return m
}

// TestClassifyByFields: every source with every target.type and every combination of fields. HPA rule 38: which field the controller reads.
func TestClassifyByFields(t *testing.T) {
	const none = metrics.TargetUnusable
	fields := []string{"", "u", "a", "v", "ua", "uv", "av", "uav"}
	all := []autoscalingv2.MetricTargetType{"", "Utilization", "AverageValue", "Value", "Other"}
	for _, row := range []struct {
		source autoscalingv2.MetricSourceType
		types  []autoscalingv2.MetricTargetType
		want   [8]metrics.TargetKind // in the order of fields
		why    string
	}{
		{"Resource", all, [8]metrics.TargetKind{none, "Utilization", "AverageValue", none, "AverageValue", "Utilization", "AverageValue", "AverageValue"},
			"averageValue if present, else averageUtilization; the type is not read, the value neither"},
		{"ContainerResource", all, [8]metrics.TargetKind{none, "Utilization", "AverageValue", none, "AverageValue", "Utilization", "AverageValue", "AverageValue"},
			"as for Resource"},
		{"Pods", all, [8]metrics.TargetKind{none, none, "AverageValue", none, "AverageValue", none, "AverageValue", "AverageValue"}, "averageValue alone"},
		{"Object", all[1:2], [8]metrics.TargetKind{none, none, none, none, none, none, none, none}, "accepted by the API server, and fails at run time"},
		{"Object", all[2:3], [8]metrics.TargetKind{none, none, "AverageValue", none, "AverageValue", none, "AverageValue", "AverageValue"}, "type and field must agree"},
		{"Object", all[3:4], [8]metrics.TargetKind{none, none, none, "Value", none, "Value", "Value", "Value"}, "type and field must agree"},
		{"Object", []autoscalingv2.MetricTargetType{"", "Other"}, [8]metrics.TargetKind{none, none, none, none, none, none, none, none}, "no type, no target"},
		{"External", all, [8]metrics.TargetKind{none, none, "AverageValue", "Value", "AverageValue", "Value", "AverageValue", "AverageValue"}, "averageValue if present, else value"},
		{"Other", all, [8]metrics.TargetKind{none, none, none, none, none, none, none, none}, "an unknown source has no target"},
		{"", all, [8]metrics.TargetKind{none, none, none, none, none, none, none, none}, "nor has none"},
	} {
		for _, kind := range row.types {
			for i, f := range fields {
				got := metrics.Classify(&autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: []autoscalingv2.MetricSpec{entry(row.source, target(kind, f))}})
				want := metrics.Entry{Type: row.source, Target: row.want[i]}
				switch row.source {
				case "Resource":
					want.Resource = "cpu"
				case "ContainerResource":
					want.Resource, want.Container = "memory", "app"
				case "Pods", "Object", "External":
					want.Metric = "queue"
				}
				switch row.want[i] {
				case metrics.TargetUtilization:
					want.Utilization = 60
				case metrics.TargetAverageValue:
					want.Value = quantity("100m")
				case metrics.TargetValue:
					want.Value = quantity("7")
				}
				require.Equal(t, []metrics.Entry{want}, got, "%s of type %q with fields %q: %s", row.source, kind, f, row.why)
				require.Equal(t, want.Target == metrics.TargetUtilization, got[0].Coupled())
			}
		}
	}
}

// TestClassifyByType: the source that the type names, whatever others are there.
func TestClassifyByType(t *testing.T) {
	types := []autoscalingv2.MetricSourceType{"Resource", "ContainerResource", "Pods", "Object", "External", "Other", ""}
	all := autoscalingv2.MetricSpec{
		Resource: entry("Resource", target("Utilization", "u")).Resource, ContainerResource: entry("ContainerResource", target("Utilization", "u")).ContainerResource,
		Pods: entry("Pods", target("AverageValue", "a")).Pods, Object: entry("Object", target("Value", "v")).Object, External: entry("External", target("Value", "v")).External,
	}
	want := map[autoscalingv2.MetricSourceType]metrics.TargetKind{"Resource": "Utilization", "ContainerResource": "Utilization", "Pods": "AverageValue", "Object": "Value", "External": "Value"}
	for _, named := range types {
		m := all
		m.Type = named
		kind, known := want[named]
		if !known {
			kind = metrics.TargetUnusable
		}
		require.Equal(t, kind, metrics.Classify(&autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: []autoscalingv2.MetricSpec{m}})[0].Target, named)
		for _, there := range types[:5] {
			one := entry(there, target("AverageValue", "a"))
			one.Type = named
			got := metrics.Classify(&autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: []autoscalingv2.MetricSpec{one}})[0]
			require.Equal(t, there != named, got.Target == metrics.TargetUnusable, "%s of type %s", there, named)
			require.Equal(t, there == named || got == metrics.Entry{Type: named, Target: metrics.TargetUnusable}, true, "nothing is read of another source")
		}
	}
}

func TestClassify(t *testing.T) {
	memory := entry("Resource", target("Utilization", "u"))
	memory.Resource.Name = corev1.ResourceMemory
	storage := entry("Resource", target("Utilization", "u"))
	storage.Resource.Name = corev1.ResourceEphemeralStorage
	borrowed := entry("Pods", target("AverageValue", "a"))
	borrowed.Type = "Resource"
	two := entry("Resource", target("Utilization", "u"))
	two.Pods = entry("Pods", target("AverageValue", "a")).Pods
	two.Object = entry("Object", target("Value", "v")).Object
	zero := entry("Resource", autoscalingv2.MetricTarget{AverageUtilization: ptr(int32(0))})
	for _, row := range []struct {
		name    string
		list    []autoscalingv2.MetricSpec
		want    []metrics.TargetKind
		coupled []bool
		why     string
	}{
		{"none", nil, []metrics.TargetKind{"Utilization"}, []bool{true}, "HPA rule 78: cpu 80"},
		{"empty", []autoscalingv2.MetricSpec{}, []metrics.TargetKind{"Utilization"}, []bool{true}, "an empty list is no list"},
		{"memory", []autoscalingv2.MetricSpec{memory}, []metrics.TargetKind{"Utilization"}, []bool{true}, "memory couples as cpu does"},
		{"storage", []autoscalingv2.MetricSpec{storage}, []metrics.TargetKind{"Utilization"}, []bool{false}, "nothing resizes storage"},
		{"no source", []autoscalingv2.MetricSpec{borrowed}, []metrics.TargetKind{"Unusable"}, []bool{false}, "the type's source is what counts"},
		{"two sources", []autoscalingv2.MetricSpec{two}, []metrics.TargetKind{"Utilization"}, []bool{true}, "the type's source is what counts"},
		{"zero", []autoscalingv2.MetricSpec{zero}, []metrics.TargetKind{"Utilization"}, []bool{true}, "a target of 0 is refused elsewhere, and is a utilization all the same"},
		{"twice", []autoscalingv2.MetricSpec{memory, memory, storage}, []metrics.TargetKind{"Utilization", "Utilization", "Utilization"}, []bool{true, true, false}, "HPA rule 76: duplicates are accepted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := metrics.Classify(&autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: row.list})
			require.Len(t, got, len(row.want))
			for i, e := range got {
				require.Equal(t, i, e.Index)
				require.Equal(t, row.want[i], e.Target, row.why)
				require.Equal(t, row.coupled[i], e.Coupled(), row.why)
			}
		})
	}
	require.Nil(t, metrics.Classify(nil))
	require.Equal(t, []metrics.Entry{{Type: "Resource", Resource: "cpu", Target: "Utilization", Utilization: 80}}, metrics.Classify(&autoscalingv2.HorizontalPodAutoscalerSpec{}))
	require.False(t, metrics.Entry{Target: metrics.TargetAverageValue, Resource: "cpu"}.Coupled(), "a raw value does not depend on requests")
}

func TestListsAreClosed(t *testing.T) {
	require.Equal(t, []metrics.TargetKind{"Utilization", "AverageValue", "Value", "Unusable"}, metrics.TargetKinds())
	require.Equal(t, []metrics.Role{"container", "sidecar", "init"}, metrics.Roles())
	require.Equal(t, []metrics.Source{"request", "limit", "limit-range", "pod-level"}, metrics.Sources())
	require.Equal(t, []metrics.Basis{"containers", "container", "pod-level", "aggregate"}, metrics.Bases())
}
