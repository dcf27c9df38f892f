package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSavings: to the last decimal in JSON, rounded down in the table, and also for what is skipped.
func TestSavings(t *testing.T) {
	docs := deployment(box{"app", "1", "1Gi"}) + hpa(utilization("cpu", 50)) + policyOn
	two := docs + api("Deployment")
	withReplicas := docs + "---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n  replicas: 7\n  selector: {matchLabels: {app: db}}\n  template:\n    metadata: {labels: {app: db}}\n    spec: {containers: [{name: db, resources: {requests: {cpu: 1}}}]}\n"
	for _, row := range []struct {
		why                string
		docs               string
		args               []string
		saves, recommended savings
		table              string
	}{
		{"400m of 4 pods at 0.03", docs, []string{"--request", "app:cpu=600m", "--price", "cpu=0.03", "--replicas", "4"},
			savings{"400m", "0", "0.048"}, savings{"400m", "0", "0.048"}, "Together they save 0.0480 per hour (memory has no price)."},
		{"what is skipped saves nothing", docs, []string{"--request", "app:cpu=600m", "--price", "cpu=0.03", "--replicas", "4", "--max-replicas-reached"},
			savings{"0", "0", "0"}, savings{"400m", "0", "0.048"}, "Saves 0.0000 per hour; as recommended 0.0480"},
		{"both resources", docs, []string{"--request", "app:cpu=600m,memory=512Mi", "--price", "cpu=0.03,memory=0.004", "--replicas", "4"},
			savings{"400m", "512Mi", "0.056"}, savings{"400m", "512Mi", "0.056"}, "Together they save 0.0560 per hour.\n"},
		{"a raise costs, and what it costs is rounded up", docs, []string{"--request", "app:cpu=1001m", "--price", "cpu=0.03,memory=1"},
			savings{"-1m", "0", "-0.00003"}, savings{"-1m", "0", "-0.00003"}, "Saves -0.0001 per hour"},
		{"no pods save nothing", docs, []string{"--request", "app:cpu=600m", "--price", "cpu=0.03", "--replicas", "0"},
			savings{"400m", "0", "0"}, savings{"400m", "0", "0"}, "Together they save 0.0000 per hour"},
		{"a fraction of a byte less is nothing", deployment(box{"app", "1", "1.1Gi"}) + policyOn, []string{"--request", "app:memory=1181116006", "--price", "memory=1", "--step", "memory=1"},
			savings{"0", "0", "0"}, savings{"0", "0", "0"}, "Saves 0.0000 per hour"},
		{"the sum is not one of rounded texts: 1.5 of a ten-thousandth, twice", two, []string{"--request", "Deployment/web/app:cpu=995m", "--request", "Deployment/api/app:cpu=295m", "--price", "cpu=0.03", "--coordinate"},
			savings{"5m", "0", "0.00015"}, savings{"5m", "0", "0.00015"}, "Together they save 0.0003 per hour"},
		{"a sum that does not fit is not known, and so is the total", docs, []string{"--request", "app:cpu=1m", "--price", "cpu=1000000", "--replicas", "2147483647", "--bounds", "1-100000"},
			savings{"999m", "0", ""}, savings{"999m", "0", ""}, "1 allowed, 0 blocked.\n"},
		{"so many as the HPA has", deployment(box{"app", "1", "1Gi"}) + hpa(utilization("cpu", 50)) + "status: {currentReplicas: 3}\n" + policyOn, []string{"--request", "app:cpu=600m", "--price", "cpu=1"},
			savings{"400m", "0", "1.2"}, savings{"400m", "0", "1.2"}, "Together they save 1.2000 per hour"},
		{"of two lists of prices the last one counts", docs, []string{"--request", "app:cpu=600m", "--price", "cpu=1", "--price", "memory=1"},
			savings{"400m", "0", "0"}, savings{"400m", "0", "0"}, "(cpu has no price)"},
		{"one sum that is not known, and the total is not", two, []string{"--request", "Deployment/web/app:cpu=1m", "--request", "Deployment/api/app:cpu=300m", "--price", "cpu=1000000", "--replicas", "2147483647", "--bounds", "1-100000"},
			savings{"0", "0", "0"}, savings{"0", "0", "0"}, "allowed, 0 blocked.\n"},
		{"spec.replicas counts where nothing else is known", withReplicas, []string{"--request", "db:cpu=900m", "--price", "cpu=1"},
			savings{"100m", "0", "0.7"}, savings{"100m", "0", "0.7"}, "Together they save 0.7000 per hour"},
	} {
		t.Run(row.why, func(t *testing.T) {
			args := append([]string{"-"}, row.args...)
			r, got := decoded(t, row.docs, args...)
			require.Equal(t, exitFine, got.code, got.errors)
			require.Equal(t, row.saves, r.Items[0].Savings)
			require.Equal(t, row.recommended, r.Items[0].Recommended)
			require.Contains(t, call(row.docs, args...).out, row.table)
		})
	}
	require.NotContains(t, call(docs, "-", "--request", "app:cpu=600m").out, "per hour", "without prices nothing is said")
}

// TestSavingsOfContainers: each container has its own, and together they are the pod's.
func TestSavingsOfContainers(t *testing.T) {
	docs := deployment(box{"app", "1", "1Gi"}, box{"side", "200m", "100Mi"}) + policyOn
	r, _ := decoded(t, docs, "-", "--request", "app:cpu=600m,memory=2Gi", "--request", "side:cpu=100m", "--price", "cpu=0.03,memory=0.004")
	var rows []savings
	for _, c := range r.Items[0].Containers {
		rows = append(rows, c.Savings)
	}
	require.Equal(t, []savings{{"400m", "", "0.012"}, {"", "-1Gi", "-0.004"}, {"100m", "", "0.003"}}, rows)
	require.Equal(t, savings{"500m", "-1Gi", "0.011"}, r.Items[0].Savings)
}

func TestPerHour(t *testing.T) {
	for text, want := range map[string]string{"": "", "0": "0.0000", "0.00019": "0.0001", "-0.00011": "-0.0002", "-0.0001": "-0.0001", "12.5": "12.5000"} {
		require.Equal(t, want, perHour(text))
	}
}
