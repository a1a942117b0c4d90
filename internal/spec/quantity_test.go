// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseQuantity(t *testing.T) {
	for text, want := range map[string]string{
		"0":      "0",
		"8":      "8",
		"500m":   "500m",
		"1000m":  "1",
		"1024Gi": "1Ti",
		"1e3":    "1e3",
		"+5":     "+5",
		"0.5":    "500m",
		"1E":     "1E",
		"1e+18":  "1e+18",
		"7Ei":    "7Ei",
	} {
		got, err := ParseQuantity(text)
		if err != nil {
			t.Errorf("ParseQuantity(%q): %v", text, err)
			continue
		}
		if got.String() != want {
			t.Errorf("ParseQuantity(%q) = %s, want %s", text, got.String(), want)
		}
	}
}

func TestParseQuantityRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                            `"" is not a quantity`,
		"8 GPUs":                      `"8 GPUs" is not a quantity`,
		"64gb":                        `"64gb" is not a quantity`,
		"0x10":                        `"0x10" is not a quantity`,
		"1,5":                         `"1,5" is not a quantity`,
		"-1":                          `"-1" is negative`,
		"1e999999999":                 `the exponent of "1e999999999" is too long`,
		"1e-99999999":                 `the exponent of "1e-99999999" is too long`,
		"8Ei":                         `"8Ei" is more than a quantity can hold`,
		"1e19":                        `"1e19" is more than a quantity can hold`,
		"1" + strings.Repeat("0", 48): `"1000000000000000000000000000000000000000000000000" is more than a quantity can hold`,
		strings.Repeat("9", 65):       `"9999999999999999"... is longer than 64 characters`,
	} {
		_, err := ParseQuantity(text)
		if err == nil || err.Error() != want {
			t.Errorf("ParseQuantity(%q) says %v, want %s", text, err, want)
		}
	}
}

func TestEqualQuantities(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1000m", "1", true},
		{"1Ti", "1024Gi", true},
		{"1e3", "1k", true},
		{"0", "0Gi", true},
		{"1G", "1Gi", false},
		{"1", "2", false},
		{"many", "many", true},
		{"many", "1", false},
	} {
		if got := EqualQuantities(c.a, c.b); got != c.want {
			t.Errorf("EqualQuantities(%q, %q) = %t, want %t", c.a, c.b, got, c.want)
		}
	}
}

func TestCheckResources(t *testing.T) {
	var v Violations
	checkResources(&v, Path{"capability"}, Resources{
		"cpu": "1500m", "nvidia.com/gpu": "1.5", "memory": "lots", "not a name": "1", "amd.com/gpu": "8",
	})
	want := Violations{
		{Path{"capability", Key("memory")}, `"lots" is not a quantity`, quantityRemedy},
		{Path{"capability", Key("not a name")}, `"not a name" is not a resource name`, `Use a resource name such as "cpu", "memory" or "nvidia.com/gpu"`},
		{Path{"capability", Key("nvidia.com/gpu")}, `"1.5" is not a whole number, and nvidia.com/gpu is counted in whole units`, "Give a whole number of devices"},
	}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestCheckAtMost(t *testing.T) {
	var v Violations
	checkAtMost(&v, Path{"guarantee"},
		Resources{"cpu": "2", "memory": "1025Mi", "nvidia.com/gpu": "8", "pods": "x"},
		Resources{"cpu": "2000m", "memory": "1Gi", "pods": "1"}, "deserved")
	want := Violations{{Path{"guarantee", Key("memory")}, "1025Mi is more than deserved, which is 1Gi", "Give at most 1Gi, or raise deserved"}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func FuzzParseQuantity(f *testing.F) {
	for _, seed := range []string{"8", "500m", "1Ti", "1e9", "1E3", "-1", "+.5", "1e99", "0.000000001n", "9e-99", "१", "1e999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quantity, err := ParseQuantity(text)
		if err != nil {
			return
		}
		if quantity.Sign() < 0 {
			t.Errorf("ParseQuantity(%q) is negative", text)
		}
		if !EqualQuantities(text, quantity.String()) {
			t.Errorf("%q does not equal what it is written as, %q", text, quantity.String())
		}
		var v Violations
		checkResources(&v, nil, Resources{"nvidia.com/gpu": text})
	})
}
