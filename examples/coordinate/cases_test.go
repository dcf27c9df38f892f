package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kube-rightsize/rightsize/hpacouple"
)

// TestQuantities runs quantities that people have stumbled over through the whole program: as new requests, and as what stands in a manifest.
func TestQuantities(t *testing.T) {
	for _, row := range []struct {
		name     string
		resource string
		have     string // in the manifest, request or request/limit
		want     string // recommended; empty for a recommendation of cpu
		from, to string
		flag     string
		fault    string
		why      string
	}{
		{name: "D01 1.1Gi", resource: "memory", have: "1.1Gi", want: "1.1Gi", from: "1181116006400m", to: "1181116006400m", why: "not whole bytes, and as it is it stays"},
		{name: "D01 1.2Gi", resource: "memory", have: "1Gi", want: "1.2Gi", from: "1Gi", to: "1229Mi", why: "whole bytes are written, here whole Mi"},
		{name: "D01 1.5Gi", resource: "memory", have: "1Gi", want: "1.5Gi", from: "1Gi", to: "1536Mi"},
		{name: "D02 limit", resource: "memory", have: "/128m", want: "", from: "128m", to: "128m", flag: "tiny-memory", why: "suffix m is valid for memory and never meant"},
		{name: "D02 request", resource: "memory", have: "1Gi", want: "128m", from: "1Gi", to: "1Mi", why: "rounded up to the step"},
		{name: "D04 1Ei", resource: "memory", have: "1Ei", fault: "must be below 9223372036854775.808", why: "MilliValue wraps to -2^63"},
		{name: "D04 7Ei", resource: "memory", have: "7Ei", fault: "must be below 9223372036854775.808"},
		{name: "D04 2^63-1", resource: "memory", have: "9223372036854775807", fault: "must be below 9223372036854775.808"},
		{name: "D04 new", resource: "memory", have: "1Gi", want: "7Ei", fault: "must be below 9223372036854775.808"},
		{name: "D06 100E", resource: "memory", have: "100E", fault: "must be below 9223372036854775.808", why: "Value is 0"},
		{name: "D06 2^63", resource: "memory", have: "9223372036854775808", fault: "must be below 9223372036854775.808"},
		{name: "D06 2^64", resource: "memory", have: "18446744073709551616", fault: "must be below 9223372036854775.808"},
		{name: "D06 -9.5Gi", resource: "memory", have: "-9.5Gi", fault: "must not be negative", why: "Value is positive"},
		{name: "D08", resource: "memory", have: "1Gi", want: "3125Mi", from: "1Gi", to: "3125Mi", why: "not 4000000000"},
		{name: "D09 1300Mi", resource: "memory", have: "1Gi", want: "1300Mi", from: "1Gi", to: "1300Mi", why: "not 2000000000"},
		{name: "D09 1500Mi", resource: "memory", have: "1Gi", want: "1500Mi", from: "1Gi", to: "1500Mi"},
		{name: "D10", resource: "memory", have: "2Gi/2G", fault: "must be at or below the limit of 2G"},
		{name: "D13 100m", resource: "cpu", have: "1", want: "100m", from: "1", to: "100m"},
		{name: "D13 0.5", resource: "cpu", have: "1", want: "0.5", from: "1", to: "500m"},
		{name: "D13 1.1005", resource: "cpu", have: "1", want: "1.1005", from: "1", to: "1101m", why: "rounded up to a millicore"},
		{name: "D13 100u", resource: "cpu", have: "1", want: "100u", from: "1", to: "1m"},
		{name: "D14 1E", resource: "cpu", have: "1", want: "1E", fault: "must be below 9223372036854775.808", why: "exa"},
		{name: "D14 1E3", resource: "cpu", have: "1", want: "1E3", from: "1", to: "1k", why: "an exponent"},
		{name: "D14 1e3", resource: "cpu", have: "1e3", want: "1", from: "1e3", to: "1", why: "shown canonically"},
		{name: "D14 12e6", resource: "memory", have: "1Gi", want: "12e6", from: "1Gi", to: "12Mi", why: "rounded up to the step"},
		{name: "D14 1e400", resource: "memory", have: "1e400", fault: "must be below 9223372036854775.808", why: "beyond float64"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := box{name: "app", cpu: "1"}
			if row.resource == "cpu" {
				b.cpu = row.have
			} else {
				b.memory = row.have
			}
			wish := "app:cpu=1"
			if row.want != "" {
				wish = "app:" + row.resource + "=" + row.want
			}
			r, got := decoded(t, deployment(b), "-", "--request", wish)
			if row.fault != "" {
				require.Equal(t, exitInput, got.code, row.why)
				require.Empty(t, r.Items)
				require.Contains(t, got.errors, row.fault, row.why)
				return
			}
			require.Equal(t, exitFine, got.code, got.errors)
			i := r.Items[0]
			require.Equal(t, hpacouple.Uncoupled, i.Outcome)
			if row.flag != "" {
				require.Contains(t, flagsOf(i), row.flag, row.why)
			}
			for _, c := range i.Containers {
				if string(c.Resource) == row.resource {
					require.Equal(t, row.from, c.From, row.why)
					require.Equal(t, row.to, c.To, row.why)
				}
			}
		})
	}
	for _, text := range []string{"128MiB", "5MB", "5K", "5gi", "5 Gi", "", " 5", "1.5.0", "NaN", "1g", "1000mi"} { // D11, D12
		t.Run("refused "+text, func(t *testing.T) {
			got := call("", "--request", "app:memory="+text)
			require.Equal(t, exitFlags, got.code)
			require.Contains(t, got.errors, "expected a quantity such as")
			got = call(deployment(box{name: "app", memory: text + "/1Gi"}), "-", "--request", "app:cpu=1")
			if text != "" { // the builder leaves an empty amount out
				require.Equal(t, exitInput, got.code)
				require.Contains(t, got.errors, "spec.template.spec.containers[0].resources.requests.memory")
			}
		})
	}
	t.Run("D11 1,5", func(t *testing.T) {
		require.Equal(t, exitFlags, call("", "--request", "app:memory=1,5").code, "a decimal comma")
	})
	for text, want := range map[string]string{"5k": "1Mi", "+5": "1Mi", ".5": "1Mi", "5.": "1Mi", "1e3": "1Mi"} { // D11, accepted
		r, got := decoded(t, deployment(box{name: "app", memory: "1Gi"}), "-", "--request", "app:memory="+text)
		require.Equal(t, exitFine, got.code, got.errors)
		require.Equal(t, want, r.Items[0].Containers[0].To)
	}
}
