package manifest

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
)

// container is a Deployment with one container and these resources, which are
// given as a YAML flow mapping.
func container(resources string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: app
        resources: ` + resources + "\n"
}

const resourcesPath = "spec.template.spec.containers[0].resources"

// exact is a quantity as a fraction. It works on a copy: reading may write.
func exact(q resource.Quantity) string {
	d := q.DeepCopy()
	dec := d.AsDec()
	r := new(big.Rat).SetInt(dec.UnscaledBig())
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(dec.Scale(), -dec.Scale()))), nil)
	if dec.Scale() > 0 {
		return r.Quo(r, new(big.Rat).SetInt(ten)).RatString()
	}
	return r.Mul(r, new(big.Rat).SetInt(ten)).RatString()
}

// TestReadQuantity reads quantities as manifests hold them. The D rows are
// public reports of people who were caught out by one.
func TestReadQuantity(t *testing.T) {
	for _, c := range []struct {
		name, yaml string // the scalar as it stands in the file
		text       string // canonical
		exact      string // as a fraction
		format     resource.Format
		why        string
	}{
		{"D01 1.1Gi", "1.1Gi", "1181116006400m", "5905580032/5", "BinarySI", "not whole bytes, and not rounded on reading"},
		{"D01 1.2Gi", "1.2Gi", "1288490188800m", "6442450944/5", "BinarySI", "as above"},
		{"D01 1.5Gi", "1.5Gi", "1536Mi", "1610612736", "BinarySI", "whole bytes"},
		{"D02 128m of memory", "128m", "128m", "16/125", "DecimalSI", "valid: an eighth of a byte; the risk flags are there for it"},
		{"D04 1Ei", "1Ei", "1Ei", "1152921504606846976", "BinarySI", "exact although its thousandths do not fit int64"},
		{"D04 7Ei", "7Ei", "7Ei", "8070450532247928832", "BinarySI", "as above"},
		{"D04 the largest int64", "9223372036854775807", "9223372036854775807", "9223372036854775807", "DecimalSI", "without quotes it is no float either"},
		{"D06 100E", "100E", "100E", "100000000000000000000", "DecimalSI", "Value() is 0 upstream; the quantity is exact"},
		{"D06 2^63", "9223372036854775808", "9223372036854775808", "9223372036854775808", "DecimalSI", "beyond int64"},
		{"D06 2^64", "18446744073709551616", "18446744073709551616", "18446744073709551616", "DecimalSI", "beyond uint64, where kubectl goes through a float"},
		{"D06 -9.5Gi", "-9.5Gi", "-9728Mi", "-10200547328", "BinarySI", "Value() flips the sign upstream; validation refuses it later, by name"},
		{"D08 3125Mi", "3125Mi", "3125Mi", "3276800000", "BinarySI", "Mi is not M"},
		{"D09 1300Mi", "1300Mi", "1300Mi", "1363148800", "BinarySI", "as above"},
		{"D09 1500Mi", "1500Mi", "1500Mi", "1572864000", "BinarySI", "differs from 1300Mi"},
		{"D11 5k", "5k", "5k", "5000", "DecimalSI", "k is the decimal kilo"},
		{"D11 +5", `"+5"`, "5", "5", "DecimalSI", "a sign is part of the grammar"},
		{"D11 .5", `".5"`, "500m", "1/2", "DecimalSI", "no digit in front of the point"},
		{"D11 5.", `"5."`, "5", "5", "DecimalSI", "none behind it"},
		{"D11 1e3", `"1e3"`, "1e3", "1000", "DecimalExponent", "in quotes it keeps its notation"},
		{"D13 100m", "100m", "100m", "1/10", "DecimalSI", "not 1 cpu"},
		{"D13 0.5", "0.5", "500m", "1/2", "DecimalSI", "a number without quotes"},
		{"D13 1.1005", "1.1005", "1100500u", "2201/2000", "DecimalSI", "finer than a thousandth"},
		{"D13 100u", "100u", "100u", "1/10000", "DecimalSI", "finer than a thousandth"},
		{"D14 1E is exa", "1E", "1E", "1000000000000000000", "DecimalSI", "a suffix"},
		{"D14 1E3 is an exponent", `"1E3"`, "1e3", "1000", "DecimalExponent", "not a suffix"},
		{"D14 12e6", `"12e6"`, "12e6", "12000000", "DecimalExponent", "an exponent"},
		{"D14 1E3 without quotes", "1E3", "1k", "1000", "DecimalSI", "YAML makes a number of it before it is a quantity"},
		{"D14 1e400", `"1e400"`, "10e399", "1" + strings.Repeat("0", 400), "DecimalExponent", "huge, exact, and refused where a number of an answer must be made of it"},
		{"1e400 without quotes", "1e400", "10e399", "1" + strings.Repeat("0", 400), "DecimalExponent", "beyond float64 YAML leaves it as text"},
		{"three digits of exponent", `"1e-999"`, "1e-9", "1/1000000000", "DecimalExponent", "the most; upstream rounds up to a billionth"},
		{"zero", "0", "0", "0", "DecimalSI", ""},
		{"-0", "-0", "0", "0", "DecimalSI", "YAML has no negative zero as integer"},
		{"hexadecimal", "0x10", "16", "16", "DecimalSI", "a YAML 1.1 integer"},
		{"octal", "010", "8", "8", "DecimalSI", "as kubectl reads it, though few would"},
		{"underscore", "1_000", "1k", "1000", "DecimalSI", "YAML 1.1"},
		{"tagged as text", "!!str 5", "5", "5", "DecimalSI", ""},
		{"quoted and tagged as a number", `!!int "5"`, "5", "5", "DecimalSI", ""},
		{"tagged as float", "!!float 5", "5", "5", "DecimalSI", ""},
		{"just below 8Ei", "9007199254740991Ki", "9007199254740991Ki", "9223372036854774784", "BinarySI", "the largest binary one but for fractions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(container("{requests: {memory: "+c.yaml+"}}")))
			require.Empty(t, problems, c.why)
			q := o.Deployments[0].Object.Spec.Template.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory]
			require.Equal(t, c.exact, exact(q), c.why)
			require.Equal(t, c.format, q.Format, c.why)
			// Not String, which gives "+5" and "1E3" back as they were written.
			digits, suffix := q.CanonicalizeBytes(nil)
			require.Equal(t, c.text, string(digits)+string(suffix), c.why)
		})
	}
}

// TestReadBadQuantity has what is refused; each problem names the field and
// shows the text.
func TestReadBadQuantity(t *testing.T) {
	for _, c := range []struct{ name, yaml, want, why string }{
		{"D11 128MiB", "128MiB", `found "128MiB", expected a quantity such as`, "no B"},
		{"D11 5MB", "5MB", `found "5MB", expected a quantity such as`, "no B"},
		{"D11 5K", "5K", `found "5K", expected a quantity such as`, "capital K is no suffix alone"},
		{"D11 5gi", "5gi", `found "5gi", expected a quantity such as`, "case counts"},
		{"D11 5 Gi", "5 Gi", `found "5 Gi", expected a quantity such as`, "no blank"},
		{"D11 empty", `""`, `found "", expected a quantity such as`, "not 0"},
		{"D11 blank in front", `" 5"`, `found " 5", expected a quantity such as`, "the API server trims it; a blank inside quotes is a mistake all the same"},
		{"D11 1,5", `"1,5"`, `found "1,5", expected a quantity such as`, "a decimal comma"},
		{"D11 NaN", "NaN", `found "NaN", expected a quantity such as`, "text in YAML"},
		{"D12 1g", "1g", `found "1g", expected a quantity such as`, "case counts"},
		{"D12 1000mi", "1000mi", `found "1000mi", expected a quantity such as`, "case counts"},
		{"YAML NaN", ".nan", "found the number .nan, expected one that JSON has", "a float in YAML"},
		{"YAML infinity", "-.inf", "found the number -.inf, expected one that JSON has", "a float in YAML"},
		{"nothing", "", "found nothing, expected a quantity such as", "the API server would read 0"},
		{"boolean", "yes", "found the boolean yes, expected a quantity such as", ""},
		{"list", "[1]", "found a list, expected a quantity such as", ""},
		{"object", "{a: 1}", "found an object, expected a quantity such as", ""},
		{"suffix alone", "m", `found "m", expected a quantity such as 100m, 0.5 or 512Mi: the number is missing`, "what a template with an empty value makes; upstream reads 0"},
		{"binary suffix alone", "Mi", "the number is missing", "upstream reads 0"},
		{"sign alone", `"+"`, "the number is missing", "upstream reads 0"},
		{"point alone", `"."`, "the number is missing", "upstream reads 0"},
		{"exponent alone", "e3", "the number is missing", "upstream reads 0"},
		{"digits behind a suffix only", "m5", "the number is missing", ""},
		{"2^63 in binary notation", "8Ei", "expected less than 8Ei", "upstream takes 2^63-1 for it"},
		{"far beyond", "100Ei", "expected less than 8Ei", "as above"},
		{"far below", "-100Ei", "expected less than 8Ei", "as above"},
		{"slow exponent", `"1e-9999999"`, "exponent of at most three digits", "takes upstream's parser a second"},
		{"endless exponent", `"1e-999999999"`, "exponent of at most three digits", "never returns from upstream's parser"},
		{"endless exponent without quotes", "1e-999999999", "exponent of at most three digits", "YAML makes 0 of it"},
		{"endless positive exponent", "1e999999999", "exponent of at most three digits", "text, as it is beyond float64"},
		{"capital E and a sign", `"1E+99999"`, "exponent of at most three digits", ""},
		{"zeros in the exponent", `"1e0001"`, "exponent of at most three digits", "refused by its looks"},
		{"exponent behind a fraction", `"0.1e-1000"`, "exponent of at most three digits", ""},
		{"exponent behind nonsense", `"1xe-99999"`, "exponent of at most three digits", "looks like one"},
		{"too small for a float", "1e-400", "kubectl would read it as 0", "without quotes"},
		{"long", `"` + strings.Repeat("1", 65) + `"`, "at most 64 characters", "parsing long digits takes time"},
		{"control character", `"1\a"`, `found "1\a"`, "shown escaped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, problems := Read("f", strings.NewReader(container("{limits: {cpu: "+c.yaml+"}}")))
			require.NotEmpty(t, problems, c.why)
			require.Contains(t, problems[0].Message, c.want, c.why)
			require.Equal(t, resourcesPath+".limits.cpu", problems[0].Field)
			require.Equal(t, Origin{"f", 1, 0, 9}, problems[0].Origin)
			require.Empty(t, o.Deployments, "a request that is not known must not look absent")
			require.Equal(t, "web", o.Refused[0].Name)
		})
	}
}

// TestReadD10 compares 2Gi with 2G: the same number, another unit.
func TestReadD10(t *testing.T) {
	o, problems := Read("f", strings.NewReader(container("{requests: {memory: 2Gi}, limits: {memory: 2G}}")))
	require.Empty(t, problems)
	r := o.Deployments[0].Object.Spec.Template.Spec.Containers[0].Resources
	request, limit := r.Requests[corev1.ResourceMemory], r.Limits[corev1.ResourceMemory]
	request.Sub(limit)
	require.Equal(t, "147483648", exact(request), "the request is larger by this many bytes")
}

// TestQuantityOfNumber: a decimal number means the same with and without
// quotes, and is the fraction that it spells, rounded up to a billionth.
func TestQuantityOfNumber(t *testing.T) {
	factors := map[string]string{"": "1", "n": "1/1000000000", "u": "1/1000000", "m": "1/1000", "k": "1000", "M": "1000000", "G": "1000000000",
		"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "e3": "1000", "E-2": "1/100"}
	suffixes := []string{"", "n", "u", "m", "k", "M", "G", "Ki", "Mi", "Gi", "e3", "E-2"}
	rapid.Check(t, func(t *rapid.T) {
		number := fmt.Sprint(rapid.Uint32().Draw(t, "whole"))
		if rapid.Bool().Draw(t, "has a fraction") {
			number += "." + rapid.StringMatching(`[0-9]{1,6}`).Draw(t, "fraction")
		}
		suffix := rapid.SampledFrom(suffixes).Draw(t, "suffix")
		want, _ := new(big.Rat).SetString(number)
		factor, _ := new(big.Rat).SetString(factors[suffix])
		want.Mul(want, factor)
		nano := new(big.Rat).Mul(want, big.NewRat(1_000_000_000, 1))
		whole, rest := new(big.Int).QuoRem(nano.Num(), nano.Denom(), new(big.Int))
		if rest.Sign() > 0 {
			whole.Add(whole, big.NewInt(1))
		}
		want.SetFrac(whole, big.NewInt(1_000_000_000))
		for _, yaml := range []string{`"` + number + suffix + `"`, number + suffix} {
			o, problems := Read("f", strings.NewReader(container("{requests: {memory: "+yaml+"}}")))
			if len(problems) > 0 {
				t.Fatalf("%s: %v", yaml, problems)
			}
			q := o.Deployments[0].Object.Spec.Template.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory]
			if got := exact(q); got != want.RatString() {
				t.Fatalf("%s: got %s, want %s", yaml, got, want.RatString())
			}
		}
	})
}
