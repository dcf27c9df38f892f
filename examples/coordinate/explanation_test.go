package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/recommend"
)

// TestUnits: each value of an explanation says what it is in.
func TestUnits(t *testing.T) {
	for _, row := range []struct {
		stage       recommend.Stage
		cause       recommend.Cause
		cpu, memory string
	}{
		{recommend.StageQuantile, recommend.FromSamples, "ppm", "ppm"},
		{recommend.StageMargin, recommend.FromStrategy, "ppm", "ppm"},
		{recommend.StageStepLimit, recommend.FromRequest, "ppm", "ppm"},
		{recommend.StageConfidence, recommend.FromHistory, "thousandths", "thousandths"},
		{recommend.StageLimitRange, recommend.FromMaxRatio, "thousandths", "thousandths"},
		{recommend.StageLimitRange, recommend.FromContainerMax, "m", "B"},
		{recommend.StageOOM, recommend.FromOOMKill, "m", "B"},
		{recommend.StageMinimum, recommend.FromStrategy, "m", "B"},
		{recommend.StageLimit, recommend.FromLimit, "m", "B"},
	} {
		s := recommend.Step{Stage: row.stage, Cause: row.cause}
		require.Equal(t, []string{row.cpu, row.memory}, []string{unitOf("cpu", s), unitOf("memory", s)}, "%s %s", row.stage, row.cause)
	}
	usage := usagePath(t, lines(300, webPod, "app", "cpu", "250m"))
	r, _ := decoded(t, deployment(box{"app", "500m", "512Mi"})+policyOn, "-", "--usage", usage)
	s := r.Items[0].Containers[0].Explanation
	require.Equal(t, step{recommend.StageQuantile, recommend.FromSamples, 900_000, "ppm", "0", "258m"}, s[0])
	require.Equal(t, step{recommend.StageMargin, recommend.FromStrategy, 150_000, "ppm", "258m", "296m"}, s[1])
}
